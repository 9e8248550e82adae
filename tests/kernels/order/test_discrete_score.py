"""Scores of categorical families from counts, against the formulas; candidates best first."""

from math import lgamma, log

import numpy as np
import pytest

from arcs.kernels.order.discrete_score import (
    candidates_worth_adding,
    family_score,
    parent_price,
)
from arcs.kernels.order.memo import COUNTED, find, forget_if_full, insert
from arcs.scores.discrete import DiscreteScore, count_rows

LEVELS = (2, 3, 2, 4, 2)


def by_hand(rows, kind, u, parents):
    """From the distinct rows and how often each occurs."""
    r, q = LEVELS[u], int(np.prod([LEVELS[c] for c in parents]))
    table = {}
    for codes, weight in zip(rows.codes.T, rows.weight[0], strict=True):
        table.setdefault(tuple(codes[list(parents)]), np.zeros(r))[codes[u]] += weight
    if kind == "bic":
        fit = sum(m * log(m / cell.sum()) for cell in table.values() for m in cell if m)
        return -fit + 0.5 * log(300) * (r - 1) * q
    a = {"bdeu": 1.0 / q, "bds": 1.0 / len(table), "k2": r}[kind]
    return -sum(
        lgamma(a) - lgamma(a + c.sum()) + sum(lgamma(a / r + m) - lgamma(a / r) for m in c)
        for c in table.values()
    )


@pytest.mark.parametrize("kind", ["bic", "bdeu", "bds", "k2"])
def test_scores_are_the_formulas(categorical, kind):
    chain = categorical(kind)
    scratch = chain.work.scratch
    for u, parents in ((0, ()), (3, (0, 4)), (2, (3, 1, 0))):
        scratch.chosen[: len(parents)] = parents
        found = family_score(chain.score.problem, u, scratch.chosen, len(parents), scratch)
        expected = by_hand(chain.score.rows, kind, u, parents)
        assert found == pytest.approx(expected, abs=1e-8)


def test_a_parent_costs_the_parameters_it_adds(categorical):
    problem = categorical("bic").score.problem
    chosen = np.array([0, 3, 0], np.int64)
    assert parent_price(problem, 1, chosen, 1) == pytest.approx(0.5 * log(300) * 2 * 3 * 2)
    assert parent_price(problem, 1, chosen, 0) == pytest.approx(0.5 * log(300) * 2 * 1)


@pytest.mark.parametrize("kind", ["bic", "bdeu", "bds", "k2"])
@pytest.mark.parametrize("parents", [(), (3,), (0, 1)])
def test_all_candidates_worth_adding_are_listed_best_first(categorical, kind, parents):
    """With the very score that their family has on its own."""
    chain = categorical(kind)
    problem, scratch = chain.score.problem, chain.work.scratch
    memo, k = scratch.memo, len(parents)
    forget_if_full(memo, 5)
    for u in sorted({*range(5)} - {*parents}):
        scratch.chosen[:k] = parents
        present = chain.score.node(u, parents)
        record = find(memo, u, scratch.chosen, k)
        if record < 0:
            record = insert(memo, u, scratch.chosen, k, present)
        candidates_worth_adding(problem, u, k, record, scratch)
        entries = slice(memo.start[record], memo.start[record] + memo.length[record])
        assert (np.diff(memo.with_them[entries]) >= 0).all()
        listed = dict(zip(memo.who[entries].tolist(), memo.with_them[entries], strict=True))
        for c in {*range(5)} - {u, *parents}:
            scratch.chosen[: k + 1] = (*parents, c)
            slack = (1 - problem.lenient) * parent_price(problem, u, scratch.chosen, k)
            with_c = chain.score.node(u, (*parents, c))
            assert (c in listed) == (with_c < present + slack)
            assert c not in listed or listed[c] == with_c


def test_who_is_not_counted_could_not_have_paid():
    """Bounds by entropies leave nobody out: constants, copies, and rare levels are among them."""
    rng = np.random.default_rng(5)
    base = rng.integers(0, 3, (400, 3))
    rare = (rng.random((400, 3)) < 0.02).astype(int)
    codes = np.column_stack([base, rare, base[:, 0], np.zeros(400, int), base[:, 1] > 0])
    levels = [3, 3, 3, 2, 2, 2, 3, 2, 2]
    score = DiscreteScore(count_rows(codes, levels), "bic")
    _, work = score.new_state(np.arange(9))
    scratch, memo = work.scratch, work.scratch.memo
    counted = 0
    for u in range(9):
        for parents in ((), (0,), (0, 3)):
            if u in parents:
                continue
            k = len(parents)
            scratch.chosen[:k] = parents
            present = score.node(u, parents)
            record = insert(memo, u, scratch.chosen, k, present)
            before = memo.sizes[COUNTED]
            candidates_worth_adding(score.problem, u, k, record, scratch)
            counted += memo.sizes[COUNTED] - before
            listed = memo.who[memo.start[record] :][: memo.length[record]].tolist()
            for c in {*range(9)} - {u, *parents}:
                scratch.chosen[: k + 1] = (*parents, c)
                slack = 0.5 * parent_price(score.problem, u, scratch.chosen, k)
                assert (c in listed) == (score.node(u, (*parents, c)) < present + slack)
    assert 0 < counted < 9 * 3 * 6  # some were passed over
