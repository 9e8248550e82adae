"""Conditions: labels, what interventions imply, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from arcs.data import Dataset
from arcs.data.conditions import Conditions
from arcs.errors import DataError, SettingsError


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(30, 3)), columns=list("abc"))
    return table.assign(drug=np.repeat(["none", "x", "y"], 10), target=["", "a", "b"] * 10)


def test_a_column_of_conditions_leaves_the_table(frame):
    data = Dataset.of(frame, conditions="drug", exclude=["target"])
    assert data.names == ("a", "b", "c")
    assert data.conditions.labels == ("none", "x", "y")
    assert not data.conditions.implied
    assert data.condition_rows().tolist() == [[10] * 3] * 3


def test_interventions_imply_conditions_unless_told_otherwise(frame):
    data = Dataset.of(frame, interventions="target", exclude=["drug"])
    assert data.conditions.implied
    assert set(data.conditions.labels) == {"control", "a", "b"}
    off = Dataset.of(frame, interventions="target", exclude=["drug"], conditions="none")
    assert off.conditions is None
    both = Dataset.of(frame, interventions="target", conditions="drug")
    assert not both.conditions.implied
    rows = both.condition_rows()
    assert rows.sum(axis=0).tolist() == [20, 20, 30]


def test_labels_of_unmeasured_targets_stay_conditions_of_their_own(frame):
    frame["target"] = np.repeat(["", "a", "other"], 10)
    data = Dataset.of(frame, interventions="target", unmeasured="drop", exclude=["drug"])
    assert len(data.interventions.targets) == 2
    assert set(data.conditions.labels) == {"control", "a", "other"}


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"] * 29 + [""], "blank in 1 of 30 rows"),
        ([str(k) for k in range(30)], "30 conditions for 30 rows"),
        (["a", "b"] * 2, "4 labels of conditions for 30 rows"),
    ],
)
def test_bad_labels_are_refused(frame, labels, message):
    with pytest.raises(DataError, match=message):
        Dataset.from_array(frame[list("abc")].to_numpy(), conditions=labels)


def test_policies_are_checked(frame):
    with pytest.raises(SettingsError, match="condition_policy must be one of"):
        Dataset.of(frame, conditions="drug", condition_policy="some", exclude=["target"])
    with pytest.raises(DataError, match="but no conditions"):
        Dataset.of(frame, condition_policy="free", exclude=["target", "drug"])


def test_free_means_are_centred_per_condition_with_degrees_taken_off(frame):
    data = Dataset.of(frame, conditions="drug", exclude=["target"])
    free = data.with_conditions(data.conditions.settled(np.ones((3, 3), dtype=bool)))
    values = frame[list("abc")].to_numpy()
    centred = values - pd.DataFrame(values).groupby(frame["drug"]).transform("mean").to_numpy()
    scaled = centred / np.linalg.norm(centred, axis=0)
    np.testing.assert_allclose(free.statistics().gram(0), scaled.T @ scaled, atol=1e-12)
    assert free.statistics().n.tolist() == [28.0] * 3


def test_a_condition_with_one_row_takes_that_row_away(frame):
    labels = ["alone", *["rest"] * 29]
    values = frame[list("abc")].to_numpy()
    data = Dataset.from_array(values, conditions=labels)
    free = data.with_conditions(data.conditions.settled(np.ones((2, 3), dtype=bool)))
    without = Dataset.from_array(values[1:]).statistics()
    np.testing.assert_allclose(free.statistics().gram(1), without.gram(1), atol=1e-12)
    assert free.statistics().n.tolist() == [29.0 - 0] * 3


def test_shifts_of_single_variables_are_taken_off_these_only(frame):
    data = Dataset.of(frame, conditions="drug", exclude=["target"])
    shifts = np.zeros((3, 3), dtype=bool)
    shifts[1, 0] = True
    some = data.with_conditions(data.conditions.settled(shifts)).statistics()
    plain = Dataset.of(frame, exclude=["target", "drug"]).statistics()
    np.testing.assert_array_equal(some.n, [29, 30, 30])
    np.testing.assert_allclose(some.gram(1), plain.gram(1), atol=1e-12)
    assert np.abs(some.gram(0) - plain.gram(0)).max() > 1e-3


def test_a_file_in_chunks_knows_its_conditions(frame, tmp_path):
    frame.drop(columns="target").to_csv(tmp_path / "rows.csv", index=False)
    whole = Dataset.from_file(tmp_path / "rows.csv", conditions="drug")
    parts = Dataset.from_file(
        tmp_path / "rows.csv", conditions="drug", in_memory=False, chunk_rows=7
    )
    np.testing.assert_array_equal(parts.condition_rows(), whole.condition_rows())
    shifts = np.ones((3, 3), dtype=bool)
    grams = [
        data.with_conditions(data.conditions.settled(shifts)).statistics().gram(0)
        for data in (whole, parts)
    ]
    np.testing.assert_allclose(*grams, atol=1e-12)
    frame.drop(columns="drug").to_csv(tmp_path / "design.csv", index=False)
    streamed = Dataset.from_file(tmp_path / "design.csv", interventions="target", in_memory=False)
    assert streamed.conditions.implied
    assert streamed.condition_rows().sum(axis=0).tolist() == [20, 20, 30]


def test_indicators_are_named_and_taken_with_rows():
    conditions = Conditions.of_labels(["u", "v", "v", "u"])
    assert conditions.columns == ("condition=u", "condition=v")
    taken = conditions.take(np.array([0, 3]))
    assert taken.indicators().tolist() == [[1, 0], [1, 0]]
