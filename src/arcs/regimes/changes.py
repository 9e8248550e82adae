"""What was found out about the regimes, for tables and for reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import nan
from typing import Any

__all__ = ["Change", "describe_changes"]


@dataclass(frozen=True)
class Change:
    """In one regime the mechanism of one variable differs.

    Attributes
    ----------
    regime : str
        Label of the regime.
    target : str
        Name of the variable.
    kind : {"noise", "shift", "coefficients", "set"}
        What changed: the variance of its noise; its mean; its regression on its parents as a
        whole; or the parents have no influence at all.
    evidence : float
        By how many nats the description of the data would grow without this change: the logarithm
        of the odds in its favour (BIC approximation). With known targets it may be negative.
    rows : int
        Rows of the regime.
    variance_ratio : float
        Noise variance in the regime divided by that elsewhere; NaN where the variable was set.
    shift : float
        By how much its mean is shifted, its parents as they are; NaN where more than that changed.

    Examples
    --------
    >>> Change("drug A", "akt", "noise", 36.2, 100, 4.1).to_dict()["target"]
    'akt'
    """

    regime: str
    target: str
    kind: str
    evidence: float
    rows: int
    variance_ratio: float
    shift: float = nan

    def to_dict(self) -> dict[str, Any]:
        """All fields by name."""
        return asdict(self)

    def __str__(self) -> str:
        what = {
            "noise": f"noise variance x {self.variance_ratio:.3g}",
            "shift": f"mean shifted by {self.shift:+.3g}",
            "coefficients": "regression on its parents differs",
            "set": "no influence of its parents",
        }[self.kind]
        return f"{self.target}: {what} (evidence {self.evidence:.1f})"


def describe_changes(changes: Sequence[Change]) -> str:
    """One line per regime with its targets, strongest evidence first.

    Examples
    --------
    >>> from arcs.regimes import Change, describe_changes
    >>> describe_changes([Change("drug A", "akt", "noise", 36.2, 100, 4.1)])
    'drug A: akt: noise variance x 4.1 (evidence 36.2)'
    """
    regimes: dict[str, list[Change]] = {}
    for change in changes:
        regimes.setdefault(change.regime, []).append(change)
    lines = []
    for regime, found in regimes.items():
        ranked = sorted(found, key=lambda change: -change.evidence)
        lines.append(f"{regime}: {'; '.join(map(str, ranked))}")
    return "\n".join(lines)
