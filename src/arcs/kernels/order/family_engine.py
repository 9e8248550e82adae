"""What all engines that score whole families have in common: columns, scratch lists, providers.

Such an engine provides ``score_family``, ``list_candidates`` and ``price_of_parent`` for its
problem; :func:`provide_families` gives it the rest (:mod:`arcs.kernels.order.families`,
:mod:`arcs.kernels.order.family_scan`).
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import inlined
from arcs.kernels.order.engine import (
    copy_column,
    find_slot,
    firm_parents,
    gains,
    provide,
    refresh,
    remembers_useless,
    solve_at,
    solve_fresh,
    solve_present,
    starts_matter,
    write_column,
)
from arcs.kernels.order.families import firm_members, is_worth_adding, solve_from_nothing, warm
from arcs.kernels.order.family_scan import best_slot, solve_in_slot

__all__ = ["FamilyColumns", "Nothing", "family_columns", "may_be_added", "provide_families"]


class FamilyColumns(NamedTuple):
    """One column per node: its parents and its term of the score."""

    count: np.ndarray  # (p,) int64
    parents: np.ndarray  # (p, m) int64, required parents first
    score: np.ndarray  # (p,)


class Nothing(NamedTuple):
    """Nothing is derived from the columns."""


def family_columns(p: int, m: int) -> FamilyColumns:
    """Empty columns of at most `m` parents."""
    return FamilyColumns(np.zeros(p, np.int64), np.zeros((p, m), np.int64), np.zeros(p))


@inlined
def may_be_added(problem, u, chosen, k, c):
    """Whether c is somebody else, not among ``chosen[:k]``, and not forbidden."""
    may = c != u
    if problem.allowed.shape[0] > 0:
        may = may and problem.allowed[c, u] != 0
    for t in range(k):
        may = may and chosen[t] != c
    return may


def _gains(problem, state, u, v, work):
    return is_worth_adding(problem, state, u, v, work)


def _solve_present(problem, state, u, candidates, work):
    return warm(problem, state, u, candidates, work)


def _solve_fresh(problem, position, u, limit, work):
    return solve_from_nothing(problem, position, u, limit, work)


def _solve_at(problem, state, v, slot, size, work):
    return solve_in_slot(problem, state, v, slot, size, work)


def _find_slot(problem, state, v, low, high, work):
    return best_slot(problem, state, v, low, high, work)


def _firm_parents(problem, state, u, out, work):
    return firm_members(problem, state, u, out, work)


def _write_column(problem, columns, u, k, scratch):
    pass


def _copy_column(problem, source, target, u):
    pass


def _refresh(problem, state, u):
    pass


def _remembers_useless(problem):
    return True


def _starts_matter(problem):
    return True


def provide_families(record: str) -> None:
    """Register what problems of that record need beside their scores."""
    shared = (
        *((gains, _gains), (solve_present, _solve_present)),
        *((solve_fresh, _solve_fresh), (solve_at, _solve_at)),
        *((find_slot, _find_slot), (firm_parents, _firm_parents)),
        *((write_column, _write_column), (copy_column, _copy_column)),
        *((refresh, _refresh), (remembers_useless, _remembers_useless)),
        (starts_matter, _starts_matter),
    )
    for asked, function in shared:
        provide(record, asked)(function)
