"""Columns that are copies of each other, up to scale and offset: made equal to the last bit.

Of two copies any may be a parent, and the score is the same. Their entries in a Gram matrix differ
by rounding, though, and a search that takes the larger of two gains would let the unit of a column
decide: metres one graph, feet another. Where the squared correlation of two columns is within
:data:`ROUNDING` of one, the later gets the earlier one's row (with the sign of the correlation), so
that ties are ties, and the place in the data decides. Copies make many graphs equally good, and
between these the last bits of *all* entries would decide: where there are copies, the whole matrix
is therefore rounded to :data:`GRID`, coarser than what units change and finer than what any sum of
data can tell. Data without copies are left as they are.

The tolerance is that of sums of millions of rows. Copies that were written with fewer digits differ
by more, in the data themselves; nothing is done about these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from arcs.kernels.statistics import Stats

__all__ = ["GRID", "ROUNDING", "join_twins"]

ROUNDING = 1e-12
#: What entries beside copies are multiples of; 1.5e-11.
GRID = 2.0**-36


def join_twins(stats: Stats) -> Stats:
    """Make copies equal, in place: in the Gram matrices, and in what is taken off them."""
    for base, gram in enumerate(stats.grams):
        later, first, sign = _twins(gram)
        if not later.size:
            continue
        gram[later] = gram[first] * sign[:, None]
        gram[:, later] = gram[:, first] * sign
        for k in np.flatnonzero(stats.base == base):
            rows = stats.rows[stats.row_start[k] : stats.row_stop[k]]
            rows[:, later] = rows[:, first] * sign
            stats.scale[k, later] = stats.scale[k, first]
            _round(rows)
            _round(stats.scale[k])
        _round(gram)
    return stats


def _round(values: np.ndarray) -> None:
    # Zeros lose their sign.
    values[...] = np.rint(values / GRID) * GRID + 0.0


def _twins(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Later copies, the first of each, and the sign of their correlation."""
    # Not by way of absolute values, which would take as much memory once more.
    alike = (gram >= 1.0 - ROUNDING / 2) | (gram <= ROUNDING / 2 - 1.0)
    if np.count_nonzero(alike) <= len(gram):
        nobody = np.empty(0, dtype=np.int64)
        return nobody, nobody, np.empty(0)
    first = np.argmax(alike, axis=1)
    later = np.flatnonzero((first < np.arange(len(gram))) & (first[first] == first))
    return later, first[later], np.sign(gram[later, first[later]])
