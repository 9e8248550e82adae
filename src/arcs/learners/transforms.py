"""The rule that chooses between variables as they are and their normal scores.

If the variables look transformed (:func:`arcs.data.transforms.looks_transformed`) or cells lie far
out (:func:`~arcs.data.transforms.has_far_cells`), normal scores are tried, and taken unless they
bend what was straight: back to the variables as they are if the share of edges whose parent's
*square* would pay as a further regressor is larger by more than 0.05. Where scores bend no more
edges than that, the variables as they are need not be tried at all, which spares the thicket that
outlying rows would make of them.
Unless the graph of the variables as they are needs notably more edges, too: where tails are heavy
and pairs are many, chance makes edges long before a bend does, and what a wrong scale does not
explain is mended by edges either way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.data.transforms import AUTO, has_far_cells, looks_transformed
from arcs.errors import DataError
from arcs.graphs import Pdag
from arcs.graphs.equivalence import consistent_extension
from arcs.learners.conditions import Found, learn_with_conditions
from arcs.progress import Watch

if TYPE_CHECKING:
    from arcs.learners.base import Learner

__all__ = ["learn_prepared", "squares_that_pay"]

_BENT = 0.05
#: Edges by which one graph is notably larger than another: this many, and this share of the other.
_MORE_EDGES, _MORE_SHARE = 2, 0.01


def learn_prepared(
    learner: Learner, dataset: Dataset, statistics: GramStatistics, watch: Watch
) -> Found:
    """Learn with the transform that the data set asks for, and by the policy of its conditions."""
    if dataset.transform != AUTO:
        return learn_with_conditions(learner, dataset, statistics, watch)
    if dataset.values is None:
        raise DataError("transform='auto' needs the rows in memory; use 'none' or 'log'")
    code = None if dataset.conditions is None else dataset.conditions.code
    plain = dataset.transformed("none")
    if not (looks_transformed(dataset.values, code) or has_far_cells(dataset.values, code)):
        raw = learn_with_conditions(learner, plain, statistics, watch)
        return replace(raw, transform_note="the variables look as they should")
    scored = dataset.transformed("normal-scores")
    found = learn_with_conditions(learner, scored, learner.statistics(scored), watch)
    pooled = not learner.uses_interventions
    bent = squares_that_pay(found, pooled=pooled)
    if bent <= _BENT:  # whatever the share is as they are, this one is not larger by more than that
        note = f"squares of parents pay for {100 * bent:.0f} % of the edges as normal scores"
        return replace(found, transform_note=note)
    raw = learn_with_conditions(learner, plain, statistics, watch)
    return _less_bent(raw, squares_that_pay(raw, pooled=pooled), found, bent)


def _less_bent(raw: Found, bent_raw: float, scored: Found, bent_scored: float) -> Found:
    """Normal scores, unless they bend more edges and the graph without them needs no more edges."""
    note = (
        f"squares of parents pay for {100 * bent_raw:.0f} % of the edges as they are and for "
        f"{100 * bent_scored:.0f} % as normal scores"
    )
    edges = [int(_adjacency(case).sum()) for case in (raw, scored)]
    if bent_scored <= bent_raw + _BENT:
        return replace(scored, transform_note=note)
    if needs_notably_more(*edges):
        note += f", but {edges[0]} edges are needed in place of {edges[1]}"
        return replace(scored, transform_note=note)
    return replace(raw, transform_note=note)


def needs_notably_more(edges: int, others: int) -> bool:
    """Whether a graph has notably more edges than another."""
    return edges - others > max(_MORE_EDGES, _MORE_SHARE * others)


def _adjacency(found: Found) -> np.ndarray:
    graph = found.learned.graph
    return consistent_extension(graph) if isinstance(graph, Pdag) else np.asarray(graph)


def squares_that_pay(found: Found, *, pooled: bool = False) -> float:
    """Share of the edges whose parent's square, as a further regressor, is worth its price.

    With `pooled` all rows count, as for a method that makes no use of interventions. An edge that
    is required into a variable that was set in every row has no rows to say anything.
    """
    dataset, adjacency = found.dataset, _adjacency(found)
    assert dataset.values is not None
    values = np.where(np.isfinite(dataset.values), dataset.values, np.nan)
    values = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
    extra, out = dataset.wide_values()[:, dataset.p :], dataset.eliminated()
    price = 0.5 * np.log(dataset.n) + np.log(dataset.p)
    paid = 0
    for v in np.flatnonzero(adjacency.any(axis=0)).tolist():
        parents = np.flatnonzero(adjacency[:, v])
        rows = np.arange(dataset.n) if pooled else _rows_of(dataset, v)
        if not rows.size:
            continue
        design = [np.ones(len(rows)), *values[rows][:, parents].T, *extra[rows][:, out[v]].T]
        basis = np.linalg.qr(np.column_stack(design))[0]
        left = _residual(values[rows, v], basis)
        for u in parents.tolist():
            square = _residual(_within_range(values[rows, u]) ** 2, basis)
            share = (left @ square) ** 2 / max((left @ left) * (square @ square), 1e-300)
            paid += bool(-0.5 * len(rows) * np.log(max(1.0 - share, 1e-12)) > price)
    return paid / max(int(adjacency.sum()), 1)


def _rows_of(dataset: Dataset, v: int) -> np.ndarray:
    """The rows in which a variable was not set."""
    design = dataset.interventions
    if design is None:
        return np.arange(dataset.n)
    return np.flatnonzero(~design.regime_mask[design.regime, v])


def _within_range(column: np.ndarray) -> np.ndarray:
    """Deviations from the mean, in a unit in which squares of squares stay within range."""
    centred = column - column.mean()
    exponent = np.frexp(np.abs(centred).max(initial=0.0))[1]
    return np.asarray(np.ldexp(centred, -exponent))  # a power of two: no bit is lost


def _residual(column: np.ndarray, basis: np.ndarray) -> np.ndarray:
    return np.asarray(column - basis @ (basis.T @ column))
