"""Parents of a node at a price per edge, against all subsets."""

from itertools import combinations

import numpy as np
import pytest

from arcs.kernels.order.l0_solver import l0_score, l0_solve
from arcs.kernels.order.records import NOBODY, Candidates


def solved(chain, v, candidates, start=()):
    scratch = chain.work.scratch
    scratch.chosen[: len(start)] = start
    k, score = l0_solve(
        chain.score.problem, chain.state.position, v, candidates, len(start), scratch
    )
    return sorted(scratch.chosen[:k].tolist()), score


@pytest.mark.parametrize("seed", range(4))
def test_parents_are_nearly_always_the_best_of_all_subsets(a_chain, own_score, seed):
    chain = a_chain("l0", seed, p=7)
    hits = 0
    for v in range(7):
        others = [c for c in range(7) if c != v]
        subsets = [s for size in range(7) for s in combinations(others, size)]
        best = min(own_score(chain, v, list(s)) for s in subsets)
        parents, score = solved(chain, v, Candidates(np.int64(7), NOBODY, NOBODY))
        assert score == pytest.approx(own_score(chain, v, parents), abs=1e-8)
        assert score >= best - 1e-8
        hits += score <= best + 1e-8
    assert hits >= 6


def test_where_it_starts_may_only_help(a_chain, own_score):
    chain = a_chain("l0", 1)
    everybody = Candidates(np.int64(8), NOBODY, NOBODY)
    for v in range(8):
        start = [c for c in range(8) if c != v][:3]
        parents, score = solved(chain, v, everybody, start)
        assert score == pytest.approx(own_score(chain, v, parents), abs=1e-8)


def test_candidates_with_and_without_one(a_chain):
    chain = a_chain("l0", 2)
    v = int(chain.state.order[3])
    plus, minus = chain.state.order[6], chain.state.order[1]
    parents, _ = solved(chain, v, Candidates(np.int64(3), plus, minus))
    assert set(parents) <= {int(chain.state.order[0]), int(chain.state.order[2]), int(plus)}


def test_the_score_is_half_the_log_of_the_residual_and_the_price():
    assert l0_score(100.0, 0.5, 3.0, 2) == pytest.approx(50 * np.log(0.5) + 6)
