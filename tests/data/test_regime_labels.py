"""Regimes of which only the label is known."""

import numpy as np
import pytest

from arcs.data import Dataset, Interventions
from arcs.errors import DataError

NAMES = ("a", "b", "c")
LABELS = ["", "drug", "control", "heat", "drug", None, float("nan"), "heat"]


def rows(n=8, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3))


def test_labels_become_regimes_and_nothing_is_merged():
    design = Interventions.from_regimes(LABELS, NAMES)
    assert design.labels == ("control", "drug", "heat")
    assert design.regime.tolist() == [0, 1, 0, 2, 1, 0, 0, 2]
    assert design.targets == ((), (), ())
    assert design.observational.tolist() == [True, False, False]
    assert [design.label(r) for r in range(3)] == ["control", "drug", "heat"]
    assert design.experimental
    assert not design.mask.any()


def test_a_control_label_of_ones_own():
    design = Interventions.from_regimes(["wt", "none", "wt"], NAMES, control="wt")
    assert design.labels == ("control", "none")
    with pytest.raises(DataError, match="control label 'ko' does not occur"):
        Interventions.from_regimes(["wt", "x"], NAMES, control="ko")


def test_taking_rows_drops_labels_that_are_gone():
    design = Interventions.from_regimes(LABELS, NAMES).take(np.array([3, 7, 1]))
    assert design.labels == ("drug", "heat")
    assert design.regime.tolist() == [1, 1, 0]
    assert design != Interventions.from_regimes(["heat", "heat", "heat"], NAMES)
    assert design == Interventions.from_regimes(["heat", "heat", "drug"], NAMES)
    assert design != Interventions(((),), np.zeros(3, int), NAMES)


def test_labels_with_targets_are_refused():
    with pytest.raises(DataError, match="2 labels for 2 target sets"):
        Interventions(((), (1,)), np.array([0, 1]), NAMES, labels=("x", "y"))
    with pytest.raises(DataError, match="each once"):
        Interventions(((), ()), np.array([0, 1]), NAMES, labels=("x", "x"))


def test_data_sets_keep_the_regimes_apart():
    data = Dataset.from_array(rows(), NAMES, interventions=LABELS, known_targets=False)
    assert data.interventions.labels == ("control", "drug", "heat")
    assert data.sums().table().n.tolist() == [4, 2, 2]
    pooled = Dataset.from_array(rows(), NAMES).statistics()
    np.testing.assert_allclose(data.statistics().gram(0), pooled.gram(0), atol=1e-12)
    np.testing.assert_allclose(data.pooled_statistics().gram(0), pooled.gram(0), atol=1e-12)
    assert data.take(np.arange(4)).interventions.labels == ("control", "drug", "heat")
    # Known targets stay known, whatever is asked of them.
    mask = np.zeros((8, 3))
    mask[:3, 1] = 1
    known = Dataset.from_array(rows(), NAMES, interventions=mask, known_targets=False)
    assert known.interventions.labels is None
    assert known.interventions.targets == ((), (1,))


def test_frames_files_and_streams_agree(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows(60), columns=list(NAMES))
    frame["condition"] = (["", "drug", "heat"] * 20)[:60]
    path = tmp_path / "cells.csv"
    frame.to_csv(path, index=False)
    options = {"interventions": "condition", "known_targets": False}
    plain = Dataset.of(frame, **options)
    from_file = Dataset.from_file(path, **options)
    streamed = Dataset.from_file(path, in_memory=False, chunk_rows=7, **options)
    for data in (plain, from_file, streamed):
        assert data.interventions.labels == ("control", "drug", "heat")
        np.testing.assert_allclose(
            data.sums().table().mean[1] + data.sums().shift, frame.loc[1::3, list(NAMES)].mean()
        )
    with pytest.raises(DataError, match="is not a column of the data"):
        Dataset.from_file(path, interventions="condition")


def test_holes_and_labels():
    values = rows(40)
    values[3, 1] = np.nan
    options = {"interventions": ["A", "B"] * 20, "known_targets": False}
    assert Dataset.from_array(values, NAMES, missing="drop", **options).n == 39
    with pytest.raises(DataError, match="missing='drop'"):
        Dataset.from_array(values, NAMES, missing="em", **options)
