"""The l0 column: which predecessors are worth their price.

For a node v with parents S the term of the score is

    f(v | S) = n_v / 2 * log RSS(v | S) + cost_v * |S|,

the limit gamma -> 0 of the MCP-regularised Cholesky score, with the diagonal entry of L optimised
out. A candidate c pays for itself given S exactly if its squared partial correlation with v exceeds
``strict = 1 - exp(-2 cost / n)``.

Parents that help only together are missed by forward selection at that threshold. So the set is
grown at a *lenient* threshold (half the cost), shrunk at the strict one, and then grown and shrunk
strictly until nothing changes. The outcome is never worse than that of plain forward selection.

Required parents (background knowledge) come first, are never dropped and cost nothing.
"""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.beyond import grow, grow_through
from arcs.kernels.order.columns import count_required, is_candidate, required_parents
from arcs.kernels.order.elimination import shrink
from arcs.kernels.order.engine import provide, solve_fresh, solve_present
from arcs.kernels.order.pivots import cut_back, load_factor, open_candidates, rebuild
from arcs.kernels.order.records import SOLVES, before, copy_nodes

__all__ = ["l0_score", "l0_solve", "shrink_chosen"]

#: Nats by which the outcome may be worse than plain forward selection.
_TIE = 1e-9
#: Rounds of shrinking and growing; two or three are the rule.
_MOST_ROUNDS = 20


@inlined
def l0_score(n, residual, cost, paid):
    """A node's term of the score: rows, residual variance, price of a parent, parents paid for."""
    return 0.5 * n * np.log(residual) + cost * paid


@inlined
def shrink_chosen(threshold, fixed, chosen, k, scratch):
    """Shrink ``chosen[:k]``, whose pivots are those in the scratch; returns as :func:`shrink`."""
    load_factor(scratch.chosen, k, scratch)
    return shrink(threshold, fixed, chosen, k, scratch.small, scratch.vector, scratch.inverse)


@kernel
def _settle(problem, position, v, candidates, fixed, k, scratch):
    """Shrink and grow strictly until nothing changes; returns ``(k, residual variance)``."""
    residual = 1.0
    for _ in range(_MOST_ROUNDS):
        size = k
        k, residual, kept = shrink_chosen(problem.strict[v], fixed, scratch.chosen, k, scratch)
        if k == size:
            break
        cut_back(problem, v, kept, size, k, scratch)
        grown = grow(problem, position, v, candidates, problem.strict[v], k, scratch)
        if grown == k:
            break
        k = grown
    return k, residual


@kernel
def l0_solve(problem, position, v, candidates, k, scratch):
    """Parents of v, starting from ``scratch.chosen[:k]`` (required ones first).

    Leaves the parents in ``scratch.chosen`` and the residual variance in ``scratch.residual``.
    Returns ``(k, score)``.
    """
    fixed = count_required(problem, v, k, scratch.chosen)
    n = problem.stats.n[problem.stats.pattern[v]]
    cost = problem.cost[v]
    if n == 0.0:
        scratch.residual[0] = 1.0
        return fixed, 0.0
    rebuild(problem, v, k, scratch)
    open_candidates(problem, position, v, candidates, scratch)
    # Growing leniently goes through the set of plain forward selection: keep that as a fallback.
    k, plain, residual = grow_through(problem, position, v, candidates, k, scratch)
    plain_score = l0_score(n, residual, cost, plain - fixed)
    k, residual = _settle(problem, position, v, candidates, fixed, k, scratch)
    score = l0_score(n, residual, cost, k - fixed)
    if score > plain_score + _TIE:
        k = plain
        copy_nodes(scratch.pruned, scratch.chosen, k)
        rebuild(problem, v, k, scratch)
        open_candidates(problem, position, v, candidates, scratch)
        k, residual = _settle(problem, position, v, candidates, fixed, k, scratch)
        score = l0_score(n, residual, cost, k - fixed)
    scratch.residual[0] = residual
    return k, score


@inlined
def _load_present(problem, state, u, candidates, chosen):
    """Present parents of u that remain candidates, required ones first, and `plus`; returns how
    many."""
    k = required_parents(problem, u, chosen)
    has_plus = candidates.plus < 0
    for i in range(k, state.columns.count[u]):
        c = state.columns.parents[u, i]
        if is_candidate(problem, state.position, c, u, candidates):
            chosen[k] = c
            k += 1
    for i in range(k):
        has_plus = has_plus or chosen[i] == candidates.plus
    if not has_plus and k < problem.max_parents[u]:
        chosen[k] = candidates.plus
        k += 1
    return k


@provide("L0Problem", solve_present)
@kernel
def _present(problem, state, u, candidates, work):
    """Solve u's column, starting from the present one, in the scratch; return ``(k, score)``."""
    k = _load_present(problem, state, u, candidates, work.scratch.chosen)
    return l0_solve(problem, state.position, u, candidates, k, work.scratch)


@provide("L0Problem", solve_fresh)
@kernel
def _fresh(problem, position, u, limit, work):
    """Solve u's column from nothing, in the scratch; return ``(k, score)``."""
    work.counters[SOLVES] += 1
    fixed = required_parents(problem, u, work.scratch.chosen)
    return l0_solve(problem, position, u, before(limit), fixed, work.scratch)
