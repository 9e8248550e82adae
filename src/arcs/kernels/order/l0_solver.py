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
from arcs.kernels.order.engine import provide, solve_fresh, solve_present
from arcs.kernels.order.parent_set import (
    add_member,
    drop_member,
    is_listed,
    is_member,
    join,
    open_candidates,
    rebuild,
    shrink,
)
from arcs.kernels.order.records import SOLVES, before, copy_nodes
from arcs.kernels.order.views import load_view
from arcs.kernels.regression import COLLINEAR

__all__ = ["l0_score", "l0_solve"]

#: Nats by which the outcome may be worse than plain forward selection.
_TIE = 1e-9
#: Rounds of shrinking and growing; two or three are the rule.
_MOST_ROUNDS = 20


@inlined
def l0_score(n, residual, cost, paid):
    """A node's term of the score: rows, residual variance, price of a parent, parents paid for."""
    return 0.5 * n * np.log(residual) + cost * paid


@kernel
def _settle(problem, position, v, candidates, fixed, k, scratch):
    """Shrink and grow strictly until nothing changes; returns how many parents there are."""
    for _ in range(_MOST_ROUNDS):
        size = k
        k = shrink(problem, v, problem.strict[v], fixed, k, scratch)
        if k == size:
            break
        grown = grow(problem, position, v, candidates, problem.strict[v], k, scratch)
        if grown == k:
            break
        k = grown
    return k


@kernel
def _complete(problem, position, v, candidates, k, scratch):
    """Grow and settle from the k parents in the scratch; returns ``(k, score)``."""
    fixed = count_required(problem, v, k, scratch.chosen)
    n = problem.stats.n[problem.stats.pattern[v]]
    cost = problem.cost[v]
    if n == 0.0:
        scratch.residual[0] = 1.0
        return fixed, 0.0
    # Growing leniently goes through the set of plain forward selection: keep that as a fallback.
    k, plain, residual = grow_through(problem, position, v, candidates, k, scratch)
    plain_score = l0_score(n, residual, cost, plain - fixed)
    k = _settle(problem, position, v, candidates, fixed, k, scratch)
    score = l0_score(n, max(scratch.residual[0], COLLINEAR), cost, k - fixed)
    if score > plain_score + _TIE:
        k = plain
        copy_nodes(scratch.pruned, scratch.chosen, k)
        rebuild(problem, v, k, scratch)
        open_candidates(problem, position, v, candidates, scratch)
        k = _settle(problem, position, v, candidates, fixed, k, scratch)
        score = l0_score(n, max(scratch.residual[0], COLLINEAR), cost, k - fixed)
    scratch.residual[0] = max(scratch.residual[0], COLLINEAR)
    return k, score


@kernel
def l0_solve(problem, position, v, candidates, k, scratch):
    """Parents of v, starting from ``scratch.chosen[:k]`` (required ones first).

    Leaves the parents in ``scratch.chosen`` and the residual variance in ``scratch.residual``.
    Returns ``(k, score)``.
    """
    rebuild(problem, v, k, scratch)
    open_candidates(problem, position, v, candidates, scratch)
    return _complete(problem, position, v, candidates, k, scratch)


@kernel
def _drop_others(problem, state, u, candidates, k, scratch):
    """Let members go who are no candidates (required ones stay); returns how many are left."""
    fixed = count_required(problem, u, k, scratch.chosen)
    for j in range(k - 1, fixed - 1, -1):
        if not is_candidate(problem, state.position, scratch.chosen[j], u, candidates):
            drop_member(problem, u, j, k, scratch)
            k -= 1
    return k


@provide("L0Problem", solve_present)
@kernel
def _present(problem, state, u, candidates, work):
    """Solve u's column, starting from the present one, in the scratch; return ``(k, score)``."""
    scratch, plus = work.scratch, candidates.plus
    k = load_view(problem, state, u, work)
    open_candidates(problem, state.position, u, candidates, scratch)
    k = _drop_others(problem, state, u, candidates, k, scratch)
    if plus >= 0 and k < problem.max_parents[u] and not is_member(plus, k, scratch.chosen):
        if not is_listed(plus, scratch):
            join(problem, u, plus, k, scratch)
        add_member(problem, u, plus, k, scratch)
        k += 1
    return _complete(problem, state.position, u, candidates, k, scratch)


@provide("L0Problem", solve_fresh)
@kernel
def _fresh(problem, position, u, limit, work):
    """Solve u's column from nothing, in the scratch; return ``(k, score)``."""
    work.counters[SOLVES] += 1
    fixed = required_parents(problem, u, work.scratch.chosen)
    return l0_solve(problem, position, u, before(limit), fixed, work.scratch)
