"""The discrete engine: columns of categorical nodes, scored from counts.

Scores are in :mod:`arcs.kernels.order.discrete_score`, counting in
:mod:`arcs.kernels.order.counts` and :mod:`arcs.kernels.order.bit_counts`, and how parent sets are
found in :mod:`arcs.kernels.order.families`.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.order.counts import CountScratch, Rows
from arcs.kernels.order.discrete_score import candidates_worth_adding, family_score, parent_price
from arcs.kernels.order.engine import list_candidates, price_of_parent, provide, score_family
from arcs.kernels.order.family_engine import Nothing, family_columns, provide_families
from arcs.kernels.order.memo import Memo
from arcs.kernels.order.records import State, Workspace, new_state, new_workspace

__all__ = ["DiscreteProblem", "FamilyScratch", "new_scratch", "start"]


class DiscreteProblem(NamedTuple):
    """What is being minimised over categorical data.

    Attributes
    ----------
    rows : Rows
    kind : int64, one of BIC (also extended), BDEU, BDS, K2
    entropy : int64 (n + 1,), m log m in units
    spread : float64 (patterns, p), n H of each variable, in nats
    unit : float64, nats per unit
    sample_size : float64, equivalent sample size of BDEU and BDS
    price : float64 (p,), per free parameter (Dirichlet priors: only tells what is lenient)
    toll : float64, per parent
    lenient : float64, share of the price that is asked while growing
    max_parents : int64 (p,)
    allowed, required : uint8 (p, p) or (0, 0) without knowledge
    """

    rows: Rows
    kind: int
    entropy: np.ndarray
    spread: np.ndarray
    unit: float
    sample_size: float
    price: np.ndarray
    toll: float
    lenient: float
    max_parents: np.ndarray
    allowed: np.ndarray
    required: np.ndarray


class FamilyScratch(NamedTuple):
    """Where a column is being solved."""

    chosen: np.ndarray  # (m + 2,) int64, the parents being collected
    plain: np.ndarray  # (m + 2,) int64, the outcome of plain growth
    best: np.ndarray  # (m + 2,) int64, that of the best slot
    fresh: np.ndarray  # (m + 2,) int64, the set found from nothing
    counts: CountScratch
    memo: Memo


def new_scratch(m: int, counts: CountScratch, memo: Memo) -> FamilyScratch:
    """Memory for solving columns of at most `m` parents."""
    lists = (np.zeros(m + 2, np.int64) for _ in range(4))
    return FamilyScratch(*lists, counts, memo)


def start(order: np.ndarray, m: int, counts: CountScratch, memo: Memo) -> tuple[State, Workspace]:
    """Empty columns of at most `m` parents for an order, and memory for the search."""
    p = order.size
    scratch = new_scratch(m, counts, memo)
    state = new_state(order, family_columns(p, m), Nothing())
    columns = (family_columns(p, m) for _ in range(2))
    return state, new_workspace(p, scratch, *columns, remembers=True)


@provide("DiscreteProblem", score_family)
def _score_family(problem, u, chosen, k, scratch):
    return family_score(problem, u, chosen, k, scratch)


@provide("DiscreteProblem", list_candidates)
def _list_candidates(problem, u, k, record, scratch):
    candidates_worth_adding(problem, u, k, record, scratch)


@provide("DiscreteProblem", price_of_parent)
def _price_of_parent(problem, u, chosen, k):
    return parent_price(problem, u, chosen, k)


provide_families("DiscreteProblem")
