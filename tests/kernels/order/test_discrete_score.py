"""Scores of categorical families from counts, against the formulas; candidates best first."""

from math import lgamma, log

import numpy as np
import pytest

from arcs.kernels.order.discrete_score import (
    candidates_worth_adding,
    family_score,
    parent_price,
)
from arcs.kernels.order.memo import find, forget_if_full, insert

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


def test_candidates_are_listed_best_first(categorical):
    chain = categorical("bic")
    problem, scratch = chain.score.problem, chain.work.scratch
    memo = scratch.memo
    forget_if_full(memo, 5)
    for u in range(5):
        record = find(memo, u, scratch.chosen, 0)
        if record < 0:
            record = insert(memo, u, scratch.chosen, 0, chain.score.node(u, ()))
        candidates_worth_adding(problem, u, 0, record, scratch)
        entries = slice(memo.start[record], memo.start[record] + memo.length[record])
        assert (np.diff(memo.with_them[entries]) >= 0).all()
        listed = memo.who[entries].tolist()
        for c in set(range(5)) - {u}:
            if c in listed:
                at = memo.start[record] + listed.index(c)
                assert memo.with_them[at] == pytest.approx(chain.score.node(u, (c,)), abs=1e-8)
            else:
                assert chain.score.node(u, (c,)) >= chain.score.node(u, ()) - 1e-6
