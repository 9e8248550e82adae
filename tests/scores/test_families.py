"""Scores of families under learners: those of the order search, larger is better."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.data.categorical import CategoricalTable
from arcs.scores.discrete import score_of
from arcs.scores.families import FamilyScore


def test_the_score_is_twice_the_other_way_round():
    codes = np.random.default_rng(0).integers(0, 3, (60, 4))
    table = CategoricalTable.of(Dataset.of(codes, discrete="all"))
    plain = score_of(table, {"kind": "bic", "factor": 2.0}, max_parents=2)
    score = FamilyScore(plain, table)
    dag = np.triu(np.ones((4, 4), dtype=bool), 1)
    assert score.total(dag) == -2 * plain.total(dag)
    assert score.max_parents.tolist() == [2] * 4
    assert score.describe() == {"kind": "bic", "factor": 2.0}
    dearer = score_of(table, {"kind": "bic", "factor": 3.0}).total(dag) - plain.total(dag)
    assert dearer == pytest.approx(0.5 * np.log(60) * (2 + 2 * 3 + 2 * 9 + 2 * 27))
