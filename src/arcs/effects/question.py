"""One question, three uncertainties: the effect of one variable on another.

- *Given the graph*: the coefficients are estimates. Standard error and interval by the delta method
  (:mod:`arcs.effects.total`).
- *Over the equivalence class*: the data cannot tell some directions, and each choice has an effect
  of its own (:mod:`arcs.effects.classes`).
- *Over bootstrap graphs*: other data would have led to another graph. The share of graphs in which
  the one is an ancestor of the other, and quantiles of the effect over all graphs, those without a
  path counting as zero.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcs.effects.classes import ClassEffects
from arcs.tables import printable

__all__ = ["BootstrapEffects", "Effect"]

#: So many effects of a class are listed by value; of others only the range.
_LISTED = 4


@dataclass(frozen=True, eq=False)
class BootstrapEffects:
    """The effect in the graphs of a bootstrap.

    Attributes
    ----------
    values : ndarray
        The effect in each graph; zero where there is no directed path.
    ancestor_share : float
        Share of the graphs with a directed path.
    median, lower, upper : float
        Quantiles over all graphs.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> from arcs.confidence import bootstrap
    >>> sure = bootstrap(drawn.data, "hc", 10).attach(result)
    >>> sure.effect("either", "dysp").over_bootstrap.ancestor_share
    1.0
    """

    values: np.ndarray
    ancestor_share: float
    median: float
    lower: float
    upper: float

    @classmethod
    def of(cls, values: np.ndarray, ancestor_share: float, level: float) -> BootstrapEffects:
        """Quantiles of the effects at both ends of an interval of this level."""
        ends = [(1 - level) / 2, 0.5, (1 + level) / 2]
        lower, median, upper = (float(value) for value in np.quantile(values, ends))
        return cls(values, float(ancestor_share), median, lower, upper)


@dataclass(frozen=True, eq=False)
class Effect:
    """The total effect of one variable on another, with what is uncertain about it.

    Attributes
    ----------
    source, target : str
    value, standard_error, lower, upper : float
        Given the graph; bounds at `level`.
    standardised : float
        In standard deviations.
    level : float
    over_class : ClassEffects
    over_bootstrap : BootstrapEffects or None
        None if no bootstrap was run.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> print(str(result.effect("smoke", "bronc")).partition(";")[0])
    total effect of smoke on bronc: open, 0 or 0.4766
    """

    source: str
    target: str
    value: float
    standard_error: float
    lower: float
    upper: float
    standardised: float
    level: float
    over_class: ClassEffects
    over_bootstrap: BootstrapEffects | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        plain = ("source", "target", "value", "standard_error", "lower", "upper")
        record: dict[str, Any] = {name: getattr(self, name) for name in plain}
        record |= {"standardised": self.standardised, "level": self.level}
        record["class"] = {
            "graphs": self.over_class.size,
            "values": self.over_class.values.tolist(),
            "shares": self.over_class.shares.tolist(),
            "lower": float(self.over_class.values[0]),
            "upper": float(self.over_class.values[-1]),
        }
        found = self.over_bootstrap
        if found is not None:
            record["bootstrap"] = {
                "graphs": len(found.values),
                "ancestor_share": found.ancestor_share,
                "median": found.median,
                "lower": found.lower,
                "upper": found.upper,
            }
        return record

    def __str__(self) -> str:
        ends = (printable(self.source), printable(self.target))
        own = f"{self.value:.4g} per unit (standardised {self.standardised:.3g})"
        if not self.over_class.identified:
            low, high = self.over_class.values[0], self.over_class.values[-1]
            either = "or" if len(self.over_class.values) == 2 else "to"
            own = f"open, {low:.4g} {either} {high:.4g}; in this graph {own}"
        first = textwrap.fill(f"total effect of {ends[0]} on {ends[1]}: {own}", 80)
        sources = {
            "given this graph": self._graph_text(),
            "open directions": self._class_text(),
            "other graphs": self._bootstrap_text(),
        }
        return "\n".join([first, *(_entry(name, text) for name, text in sources.items())])

    def _graph_text(self) -> str:
        if self.value == 0 and self.standard_error == 0:
            return "no directed path leads from the one to the other"
        if self.standard_error != self.standard_error:
            return "interval not known: no row tells of a coefficient on the way"
        return (
            f"{self.level:.0%} interval {self.lower:.4g} to {self.upper:.4g}, "
            f"standard error {self.standard_error:.3g}"
        )

    def _class_text(self) -> str:
        found = self.over_class
        graphs = "1 graph" if found.size == 1 else f"all {found.size:,} graphs"
        if found.identified:
            return f"none that matter: the same in {graphs} of the class"
        if len(found.values) > _LISTED:
            ends = f"{found.values[0]:.4g} to {found.values[-1]:.4g}"
            return f"{ends} over the {found.size:,} graphs that the data cannot tell apart"
        parts = [
            f"{value:.4g} in {share:.0%}"
            for value, share in zip(found.values, found.shares, strict=True)
        ]
        return f"{', '.join(parts)} of the {found.size:,} graphs that the data cannot tell apart"

    def _bootstrap_text(self) -> str:
        found = self.over_bootstrap
        if found is None:
            return "not known: no bootstrap was run"
        if not found.ancestor_share:
            return f"no path in any of {len(found.values)} bootstrap graphs"
        return (
            f"a path in {found.ancestor_share:.0%} of {len(found.values)} bootstrap graphs; median "
            f"{found.median:.4g}, {self.level:.0%} of them {found.lower:.4g} to {found.upper:.4g}"
        )


def _entry(name: str, text: str) -> str:
    """A source of uncertainty and what it amounts to, in lines of 80 characters."""
    indent = " " * 21
    return textwrap.fill(text, 80, initial_indent=f"  {name:<19}", subsequent_indent=indent)
