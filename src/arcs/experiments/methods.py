"""The methods of the experiments: what a table calls them, and what is run.

The paper's settings (Section 5.3): HC and MMHC with at most two parents, PC and MMHC at level
0.01, CD with the concavity 2, GA for at most 10,000 generations; ARCS from the estimate of another
method with 10,000 interval flips of length 4. The package's own best search is called ARCS without
a start in brackets: it begins at a random order.

*Oracle* methods are no competitors. They are given the true order and apply the same score, tuning
and refinement to it: no search over orders can be expected to do better by more than luck.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arcs.errors import SettingsError, nearest_name
from arcs.experiments.cases import Case

if TYPE_CHECKING:
    from arcs.learners import Learner

__all__ = [
    "GRID_GAMMAS",
    "GRID_LAMBDAS",
    "METHODS",
    "TRUTH",
    "Method",
    "grid_label",
    "method",
    "methods_named",
]

#: The start that stands for the true order, which depends on the data set.
TRUTH = "truth"

#: Settings that do not change what is found, or that come with the task.
_IRRELEVANT = frozenset(("random_state", "time_limit", "n_jobs"))

#: The paper's grid (Section 4.5): concavities, and regularisation parameters in units of sqrt(n).
GRID_GAMMAS = (2.0, 10.0, 50.0, 100.0)
GRID_LAMBDAS = tuple(np.linspace(0.1, 1.0, 20).tolist())


@dataclass(frozen=True)
class Method:
    """One line of a table.

    Attributes
    ----------
    label : str
        What the tables call it.
    learner : str
        Name of the learner.
    settings : mapping
        Settings that differ from the learner's defaults.
    start : str, optional
        Where the search over orders starts: a learner's name, "random" or "truth".
    published : bool
        Whether the settings are those of the paper's ARCS, except for `settings`.
    estimate : {"dag", "cpdag"}
        What the method claims to have found, and is compared with the truth.
    needs_more_rows : bool
        Whether it works with more rows than columns only.
    data_sets : int, optional
        Most data sets per setting unless the method is asked for by name: for slow methods, of
        which 20 runs would take hours.
    grid_point : (int, int), optional
        Position in the paper's grid of (gamma, lambda), in place of the BIC's choice.

    Examples
    --------
    >>> from arcs.experiments import METHODS
    >>> METHODS["ARCS(GES)"].start
    'ges'
    """

    label: str
    learner: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    start: str | None = None
    published: bool = False
    estimate: Literal["dag", "cpdag"] = "dag"
    needs_more_rows: bool = False
    data_sets: int | None = None
    grid_point: tuple[int, int] | None = None

    def applies(self, case: Case) -> bool:
        """Whether the method can be run on such data at all."""
        return case.setting.n > case.setting.p or not self.needs_more_rows

    def settings_for(self, case: Case) -> dict[str, Any]:
        """The learner's settings on such data; the true order is written as "truth"."""
        settings = dict(self.settings)
        if self.published:
            from arcs.learners.arcs_settings import paper_settings

            start = "random" if self.start in (None, TRUTH) else self.start
            # The level of the refinement is all that depends on it.
            published = paper_settings(init=start, experimental=case.small)
            settings = {**published, **settings}
        if self.grid_point is not None:
            i, k = self.grid_point
            settings["gamma"] = GRID_GAMMAS[i]
            settings["lam"] = GRID_LAMBDAS[k] * math.sqrt(case.setting.n)
        if self.start is not None:
            settings["init"] = self.start
        return settings

    def fingerprint(self, case: Case) -> str:
        """Twelve hexadecimal digits that change whenever the settings do.

        The defaults of the learner, and of the one that provides the start, count, so that results
        of older defaults are not taken for those of newer ones. Settings that are off (None or
        False) do not: a further option that nobody uses changes nothing.
        """
        from arcs.learners import learner

        settings = self.settings_for(case)
        start = settings.pop("init", None)
        kept = _relevant(learner(self.learner, **settings))
        if start is not None:
            known = start in ("random", TRUTH)
            kept["init"] = start if known else [start, _relevant(learner(start))]
        text = json.dumps([self.learner, kept, self.estimate], sort_keys=True, default=repr)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def _relevant(configured: Learner) -> dict[str, Any]:
    """Settings that may change what is found."""
    settings = configured.settings()
    passes = getattr(configured, "passes", None)
    if passes is not None:
        # The same patience is the same search, whether it was given or follows from the effort.
        settings["patience"] = passes
    unused = _IRRELEVANT | (_unused_by_arcs(settings) if configured.name == "arcs" else set())
    return {k: v for k, v in settings.items() if k not in unused and v not in (None, False)}


def _unused_by_arcs(settings: Mapping[str, Any]) -> set[str]:
    """Settings of ARCS that its penalty and its search do not look at.

    They must not count: a new default of one search would put the rows of another in doubt.
    """
    unused = {"effort"}
    if settings["penalty"] != "l0":
        unused |= {"ebic", "final_ebic"}
    if settings["search"] != "pulls":
        unused.add("patience")
    if settings["search"] != "anneal":
        unused.add("interval")
    if settings["search"] == "none":
        unused |= {"n_iter", "temperature"}
    return unused


def grid_label(start: str, gamma_index: int, lambda_index: int) -> str:
    """The label of ARCS from a start, with one point of the grid in place of the BIC's choice."""
    return f"ARCS({start}) grid {gamma_index} {lambda_index}"


def _grid_methods() -> Iterable[Method]:
    points = itertools.product(range(len(GRID_GAMMAS)), range(len(GRID_LAMBDAS)))
    for start, (i, k) in itertools.product(("CD", "GES"), points):
        label, init = grid_label(start, i, k), start.lower()
        yield Method(label, "arcs", start=init, published=True, grid_point=(i, k))


_ALL = (
    Method("CD", "cd", {"gamma": 2.0}),
    Method("GES", "ges", estimate="cpdag"),
    Method("GIES", "gies", estimate="cpdag"),
    Method("HC", "hc", {"max_parents": 2}),
    Method("PC", "pc", {"alpha": 0.01}, estimate="cpdag"),
    Method("MMHC", "mmhc", {"max_parents": 2, "alpha": 0.01}),
    Method("GA", "ga", {"generations": 10_000}, data_sets=5),
    Method("LISTEN", "listen"),
    Method("ARCS(CD)", "arcs", start="cd", published=True),
    Method("ARCS(GES)", "arcs", start="ges", published=True),
    Method("ARCS(GIES)", "arcs", start="gies", published=True),
    Method("ARCS(RND)", "arcs", start="random", published=True),
    Method("ARCS(GES) l1", "arcs", {"penalty": "l1"}, start="ges", published=True),
    Method("ARCS", "arcs"),
    Method("FLOP", "peer-flop", {"penalty": 3.0, "restarts": 20}, estimate="cpdag",
           needs_more_rows=True),
    Method("BOSS", "peer-boss", {"penalty": 3.0}, estimate="cpdag", data_sets=5),
    Method("oracle MCP", "arcs", {"search": "none"}, start=TRUTH, published=True),
    Method("oracle l0", "arcs", {"search": "none"}, start=TRUTH),
    *_grid_methods(),
)  # fmt: skip

#: Every method by its label.
METHODS: Mapping[str, Method] = MappingProxyType({m.label: m for m in _ALL})


def method(label: str) -> Method:
    """The method of that label, upper and lower case alike.

    Examples
    --------
    >>> from arcs.experiments import method
    >>> method("GES").learner
    'ges'
    """
    by_folded = {known.casefold(): known for known in METHODS}
    found = by_folded.get(label.casefold())
    if found is None:
        short = [m.label for m in _ALL if m.grid_point is None]
        raise SettingsError(
            f"there is no method {label!r}{nearest_name(label, short) or '.'} Known: "
            f"{', '.join(short)}"
        )
    return METHODS[found]


def methods_named(labels: Iterable[str]) -> tuple[Method, ...]:
    """The methods of those labels, each once.

    Examples
    --------
    >>> from arcs.experiments import methods_named
    >>> [how.label for how in methods_named(["GES", "ARCS"])]
    ['GES', 'ARCS']
    """
    found = [method(label) for label in labels]
    return tuple({m.label: m for m in found}.values())
