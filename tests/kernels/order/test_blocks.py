"""Blocks of columns as nodes: the factor, prices, and what is listed (scores: tests/scores)."""

import numpy as np
import pytest

from arcs.kernels.bundles import bundle
from arcs.kernels.order.blocks import MOST_COLUMNS, block_score, new_scratch
from arcs.kernels.order.memo import COUNTED, new_memo
from arcs.scores.blocks import Blocks, BlockScore
from arcs.simulate import mixed_table, random_dag


@pytest.fixture(scope="module")
def score():
    return BlockScore(Blocks.of(mixed_table(random_dag(5, 6, 2), 200, 2).data))


def test_a_family_is_scored_whatever_the_order_of_its_parents(score):
    scratch = bundle(new_scratch(3, new_memo(5, 4, records=8)))
    found = []
    for parents in ((0, 1, 2), (2, 0, 1)):
        scratch.chosen[:3] = parents
        found.append(block_score(score.problem, 3, scratch.chosen, 3, scratch))
    assert found[0] == pytest.approx(found[1], abs=1e-9)
    assert scratch.memo.sizes[COUNTED] == 2
    assert block_score(score.problem, 3, scratch.chosen, 0, scratch) == pytest.approx(0.0, abs=1e-9)


def test_a_family_of_too_many_columns_is_never_chosen(score):
    scratch = bundle(new_scratch(MOST_COLUMNS, new_memo(5, 4, records=8)))
    scratch.chosen[:] = 0
    assert block_score(score.problem, 3, scratch.chosen, MOST_COLUMNS, scratch) == np.inf
