"""Which rows count for which node, and which nodes have no rows to learn from.

A row counts for a node unless the node was set in it. A node cannot be learned, and has weight 0
everywhere, if it is constant, if it is constant in the rows that count, or if hardly any do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcs.data.accumulate import GramAccumulator
from arcs.data.checks import describe_columns
from arcs.errors import DataError

__all__ = ["FEWEST_ROWS", "CountedRows", "count_rows", "refuse_constant"]

#: With fewer rows than this, every correlation is 1 or -1.
FEWEST_ROWS = 3


@dataclass(frozen=True, eq=False)
class CountedRows:
    """How much each regime counts for each node.

    Attributes
    ----------
    weights : ndarray of shape (p, regimes)
        1 where the regime counts for the node.
    constant : tuple of int
        Columns that do not vary at all.
    fixed : tuple of int
        Columns that vary only where they are set.
    unseen : tuple of int
        Columns that are set in all rows, or in all but one or two.
    rows : ndarray of int, shape (p,)
        Rows in which each column was not set.
    """

    weights: np.ndarray
    constant: tuple[int, ...]
    fixed: tuple[int, ...]
    unseen: tuple[int, ...]
    rows: np.ndarray


def count_rows(
    sums: GramAccumulator, targets: Sequence[Sequence[int]], *, pooled: bool = False
) -> CountedRows:
    """Find out which regimes count for which node; `pooled` ignores the interventions."""
    weights = np.ones((sums.p, len(sums.regimes)))
    constant = np.flatnonzero(sums.constant(weights[0]))
    set_somewhere = sorted({t for group in targets for t in group})
    if not pooled:
        for r, group in enumerate(targets):
            weights[list(group), r] = 0.0
    rows = weights @ sums.table().n
    unseen = [j for j in set_somewhere if rows[j] < FEWEST_ROWS]
    fixed = [
        j
        for j in set_somewhere
        if j not in unseen and j not in constant and sums.constant(weights[j], j)[0]
    ]
    weights[[*constant, *fixed, *unseen]] = 0.0
    return CountedRows(
        weights, tuple(constant.tolist()), tuple(fixed), tuple(unseen), rows.astype(np.int64)
    )


def refuse_constant(names: Sequence[str], constant: Sequence[int], fixed: Sequence[int]) -> None:
    """Refuse columns that do not vary in the rows that count for them, by name."""
    if constant:
        listed = describe_columns([names[j] for j in constant])
        some = "1 column is" if len(constant) == 1 else f"{len(constant)} columns are"
        raise DataError(
            f"{some} constant: {listed}. Leave out what does not vary, or choose "
            "constant='isolate' to keep it as an isolated node."
        )
    if fixed:
        listed = describe_columns([names[j] for j in fixed])
        some = "column" if len(fixed) == 1 else f"{len(fixed)} columns:"
        raise DataError(
            f"{some} {listed} constant within the rows in which it is not intervened upon, so its "
            "parents cannot be learned: leave it out, check the interventions, or choose "
            "constant='isolate' to learn no edges into it"
        )
