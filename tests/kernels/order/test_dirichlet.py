"""All candidates at once have the scores that their families have on their own, to the last bit."""

import numpy as np
import pytest

from arcs.kernels.order.memo import insert
from arcs.scores.discrete import DiscreteScore, count_rows


def skewed(n, levels, seed):
    """Codes of which one level is frequent, so that configurations have few rows, and many."""
    rng = np.random.default_rng(seed)
    codes = [np.minimum(rng.geometric(0.6, n) - 1, size - 1) for size in levels]
    return np.column_stack(codes)


@pytest.mark.parametrize("kind", ["ebic", "bdeu", "bds", "k2"])
@pytest.mark.parametrize("weighted", [False, True])
def test_candidates_score_as_families_do(kind, weighted):
    levels = [2, 3, 2, 21, 4, 3, 2, 5, 9]
    codes = skewed(3000, levels, 3)
    codes[:, 6] = codes[:, 1] > 0
    weights = np.random.default_rng(4).integers(0, 4, 3000) if weighted else None
    rows = count_rows(codes, levels, weights=weights)
    # Hardly a price: entropies rule nobody out.
    score = DiscreteScore(rows, kind, gamma=0.0, factor=1e-9, sample_size=2.0)
    check(score, [(), (1,), (4, 3), (1, 5, 7, 0), (8, 7, 5)])


def test_more_candidates_than_priors_that_can_be_asked_for():
    codes = skewed(120, [3] * 300, 5)
    codes[:, 250] = codes[:, 0]
    for kind in ("bds", "bdeu"):
        score = DiscreteScore(count_rows(codes, [3] * 300), kind)
        assert check(score, [(7,)], nodes=[0, 1]) > 100


def check(score, sets, nodes=None):
    """Compare the lists of all nodes (or of `nodes`) beside some parents; returns their length."""
    from arcs.kernels.order.discrete_score import candidates_worth_adding

    _, work = score.new_state(np.arange(score.p))
    scratch, memo, listed = work.scratch, work.scratch.memo, 0
    for parents in sets:
        for u in sorted({*(nodes or range(score.p))} - {*parents}):
            k = len(parents)
            scratch.chosen[:k] = parents
            record = insert(memo, u, scratch.chosen, k, 1e12)  # everybody pays
            candidates_worth_adding(score.problem, u, k, record, scratch)
            entries = slice(memo.start[record], memo.start[record] + memo.length[record])
            who, found = memo.who[entries].tolist(), memo.with_them[entries].tolist()
            assert sorted(who) == sorted({*range(score.p)} - {u, *parents})
            assert found == score.terms([(u, (*parents, c)) for c in who])
            listed += len(who)
    return listed
