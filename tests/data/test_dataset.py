import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from arcs.data import Dataset, GramStatistics
from arcs.errors import DataError, SettingsError
from arcs.learners import learner

ROWS = np.random.default_rng(0).normal(size=(20, 3))


def test_values_are_copied_and_read_only():
    values = ROWS.copy()
    data = Dataset.of(values)
    values[:] = 0
    np.testing.assert_array_equal(data.values, ROWS)
    with pytest.raises(ValueError, match="read-only"):
        data.values[0, 0] = 1
    assert data.names == ("x0", "x1", "x2")
    assert repr(data) == "Dataset(20 rows, 3 columns, observational, from array)"


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(ROWS, columns=list("abc")),
        pl.DataFrame(ROWS, schema=list("abc")),
        pa.table({name: ROWS[:, j] for j, name in enumerate("abc")}),
        pd.DataFrame(ROWS, columns=list("abc")).convert_dtypes(),
    ],
)
def test_frames_of_every_make(frame):
    data = Dataset.of(frame)
    assert data.names == ("a", "b", "c")
    np.testing.assert_array_equal(data.values, ROWS)


def test_other_ways_in():
    statistics = Dataset.of(ROWS).statistics()
    assert isinstance(statistics, GramStatistics)
    again = Dataset.of(statistics)
    assert again.statistics() is statistics
    assert again.n == 20
    assert Dataset.of(again) is again
    nested = Dataset.of(ROWS.tolist())
    np.testing.assert_array_equal(nested.values, ROWS)
    with pytest.raises(DataError, match="only once"):
        Dataset.of(again, interventions=[])
    with pytest.raises(DataError, match="covariance only, not rows"):
        again.sums()
    with pytest.raises(DataError, match="rows cannot be drawn"):
        again.take(np.arange(3))


def test_labels_and_exclusions_by_column():
    frame = pd.DataFrame(ROWS, columns=list("abc")).assign(
        target=["a"] * 5 + [None] * 15, when=pd.Timestamp(0)
    )
    data = Dataset.of(frame, interventions="target", exclude=["when"])
    assert data.names == ("a", "b", "c")
    assert data.interventions.rows_intervened.tolist() == [5, 0, 0]
    with pytest.raises(DataError, match="no column 'targte' in the frame; did you mean 'target'"):
        Dataset.of(frame, interventions="targte")
    with pytest.raises(DataError, match=r"2 columns are not numeric: 'target', 'when'\. Leave"):
        Dataset.of(frame)
    with pytest.raises(DataError, match="1 column is not numeric: 'target'"):
        Dataset.of(pl.DataFrame({"a": [1.0, 2, 3], "target": ["x", "y", "z"]}))


def test_missing_values_in_frames_are_missing():
    for frame in (
        pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "b": [1.0, 2, 4]}),
        pl.DataFrame({"a": [1, None, 3], "b": [1.0, 2, 4]}),
        pd.DataFrame({"a": pd.array([1.5, None, 3], dtype="float64[pyarrow]"), "b": [1.0, 2, 4]}),
    ):
        with pytest.raises(DataError, match=r"1 values in 1 of 2 columns: 'a' \(1\) \(first in r"):
            Dataset.of(frame)
    masked = np.ma.masked_array(ROWS, mask=ROWS > 2)
    assert Dataset.of(masked, missing="drop").n == 20 - (ROWS > 2).any(axis=1).sum()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b"], "2 names were given for 3 columns"),
        (["a", "b", "a"], "columns 0 and 2 have the same name 'a'"),
        (["a", "", "c"], "column 1 has an empty name"),
        (["a", " ", "c"], "column 1 has a blank name"),
        (["a", "b", "\u2028"], "column 2 has a blank name"),
        (["a", None, "c"], "column 1 has the name None of type NoneType"),
        (["a", b"b", "c"], "type bytes"),
        ([("a", "b"), "b", "c"], "type tuple"),
        ([1, "1", "c"], "same name '1'"),
        ([float("nan"), "1", "c"], "type float"),
    ],
)
def test_names_are_kept_or_refused(names, message):
    with pytest.raises(DataError, match=message):
        Dataset.of(ROWS, names=names)
    if len(names) == 3:
        with pytest.raises(DataError):
            Dataset.of(pd.DataFrame(ROWS, columns=pd.Index(names, dtype=object)))


def test_hostile_names_are_kept():
    names = ["<script>alert(1)</script>", 'a"; rm -rf /', "  ünï\u202ecode\n"]
    assert Dataset.of(ROWS, names=names).names == tuple(names)
    assert Dataset.of(pd.DataFrame(ROWS, columns=names)).names == tuple(names)
    assert Dataset.of(pd.DataFrame(ROWS)).names == ("0", "1", "2")
    with pytest.raises(DataError, match="names of their own"):
        Dataset.of(pd.DataFrame(ROWS), names=list("abc"))
    with pytest.raises(DataError, match="exclude"):
        Dataset.of(ROWS, exclude=["x0"])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (ROWS + 1j, "Complex data not supported"),
        (sparse.csr_matrix(ROWS), "Sparse data was passed, but dense data is required"),
        (ROWS[:, 0], "Expected 2D array, got 1D array instead"),
        (ROWS[None], "Expected 2D array, got 3D array instead"),
        (1.0, "Expected 2D array, got 0D array instead"),
        (np.empty((0, 3)), r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\)"),
        (np.empty((3, 0)), r"Found array with 0 feature\(s\) \(shape=\(3, 0\)\)"),
        (np.array([["1", "2"], ["3", "4"]]), "not numeric"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "not numeric"),
        (np.array([[1, "a"], [2, "b"]], dtype=object), "object array are not numeric: 'x1'"),
        ([[1, 2], [3]], "not a table of numbers"),
        (np.zeros((2, 2), dtype=[("a", float)]), "not numeric"),
    ],
)
def test_what_is_not_a_table_of_numbers_is_refused(values, message):
    with pytest.raises(DataError, match=message):
        Dataset.of(values)


def test_object_arrays_of_numbers_are_numbers():
    values = ROWS.astype(object)
    values[0, 0] = decimal.Decimal("1.5")
    values[1, 1] = None
    data = Dataset.of(values, missing="drop")
    assert data.values[0, 0] == 1.5
    assert data.n == 19


@pytest.mark.parametrize("n", [1, 2])
def test_few_rows_are_refused(n):
    with pytest.raises(DataError, match=rf"3 rows are needed, the data have {n} \(n_samples={n}\)"):
        Dataset.of(ROWS[:n]).statistics()


@pytest.mark.parametrize("value", [0.0, 0.1, 1e9 + 0.1, -1e-300])
def test_constant_columns(value):
    values = ROWS.copy()
    values[:, 1] = value
    with pytest.raises(DataError, match=r"1 column is constant: 'x1'.*constant='isolate'"):
        Dataset.of(values).statistics()
    statistics = Dataset.of(values, constant="isolate").statistics()
    assert statistics.n.tolist() == [20, 0, 20]
    np.testing.assert_array_equal(statistics.gram(0)[1], [0, 1, 0])
    assert statistics.gram(0)[0, 2] == pytest.approx(np.corrcoef(ROWS.T)[0, 2])
    assert statistics.mean(1)[1] == pytest.approx(value)
    with pytest.raises(
        SettingsError, match="constant must be one of 'error', 'isolate'; got 'keep'"
    ):
        Dataset.of(values, constant="keep")


def test_small_variation_on_a_large_offset_is_not_constant():
    values = ROWS.copy()
    values[:, 1] = 1.7e9 + 1e-3 * ROWS[:, 1]  # milliseconds in seconds since 1970
    found = Dataset.of(values).statistics().gram(0)[1, 0]
    assert found == pytest.approx(np.corrcoef(ROWS.T)[1, 0], abs=1e-3)


def test_constant_where_not_intervened():
    values = ROWS.copy()
    values[8:, 2] = 0.25
    targets = np.array([2] * 8 + [-1] * 12)
    with pytest.raises(DataError, match="column 'x2' constant within the rows in which it is not"):
        Dataset.of(values, interventions=targets).statistics()
    kept = Dataset.of(values, interventions=targets, constant="isolate").statistics()
    assert kept.n.tolist() == [20, 20, 0]
    assert abs(kept.gram(0)[2, 1]) > 0
    assert Dataset.of(values, interventions=targets).pooled_statistics().n.tolist() == [20] * 3


def test_extreme_scales():
    scale = np.array([1e-12, 1.0, 1e12])
    plain, scaled = Dataset.of(ROWS).statistics(), Dataset.of(ROWS * scale).statistics()
    np.testing.assert_allclose(scaled.gram(0), plain.gram(0), atol=1e-14)
    np.testing.assert_allclose(scaled.norm(0), plain.norm(0) * scale, rtol=1e-13)
    with pytest.raises(DataError, match=r"1 columns hold values beyond 1e\+100: 'x2'"):
        Dataset.of(ROWS * [1, 1, 1e200])
    with pytest.raises(DataError, match=r"1 columns hold values beyond 1e\+100: 'x0'"):
        Dataset.of([[10**400 + k, k * k] for k in range(9)])
    with pytest.raises(DataError, match=r"1 columns vary by less than 1e-100: 'x0'"):
        Dataset.of(ROWS * [1e-120, 1, 1]).statistics()


@pytest.mark.parametrize(
    ("entry", "message"), [("text", "not numeric: 'x0'"), (10**400, "beyond 1e\\+100: 'x0'")]
)
def test_masked_arrays_of_anything_are_looked_at(entry, message):
    rows = np.ma.masked_array([[entry, k] for k in range(9)], dtype=object)
    with pytest.raises(DataError, match=message):
        Dataset.of(rows)
    rows[:, 0] = np.arange(9) % 4
    rows[3, 0] = np.ma.masked
    assert Dataset.of(rows, missing="drop").n == 8


@pytest.mark.parametrize("unit", [1e-120, 1e-200, 1e-310, 5e-324])
def test_columns_whose_squares_vanish_are_refused_and_not_taken_for_constant(unit):
    rows = np.sign(ROWS) + ROWS
    units = np.array([1, unit, 1])
    gaps = np.where(np.arange(rows.size).reshape(rows.shape) % 17 == 0, np.nan, rows * units)
    frame = pd.DataFrame(rows * units, columns=list("abc")).assign(g=["u", "v"] * 10)
    for made in (
        lambda: Dataset.of(rows * units, constant="isolate").statistics(),
        lambda: Dataset.of(gaps, missing="em", constant="isolate").statistics(),
        lambda: Dataset.of(gaps, missing="pairwise", constant="isolate").statistics(),
        lambda: learner("arcs").fit(frame, discrete="auto"),
        lambda: learner("arcs", mixed_score="conditional-gaussian").fit(frame, discrete="auto"),
    ):
        with pytest.raises(DataError, match=r"1 columns vary by less than 1e-100: '(x1|b)'"):
            made()


@pytest.mark.parametrize(
    ("covariance", "n", "message"),
    [
        (np.eye(3)[:2], 10, "square"),
        (np.diag([1.0, 0, 1]), 10, "no positive variance for 'x1'"),
        ([[1, 2], [2, 1]], 10, r"not positive semidefinite \(eigenvalue -1"),
        ([[1, 0.5], [0.1, 1]], 10, "not symmetric, see 'x0' and 'x1'"),
        ([[1, np.nan], [np.nan, 1]], 10, "NaN or infinity"),
        (np.eye(2), 2, "at least 3, got n=2"),
        (np.eye(2), 10.5, "got n=10.5"),
        (np.eye(2), 10**30, "got n=1000"),
        (np.eye(2), float("inf"), "got n=inf"),
        (np.eye(2), float("nan"), "got n=nan"),
        (np.eye(2), "10", "got n='10'"),
        (pd.DataFrame(np.eye(2), columns=["a", "b"], index=["b", "a"]), 9, "not named alike"),
    ],
)
def test_wrong_covariances_are_refused(covariance, n, message):
    with pytest.raises(DataError, match=message):
        Dataset.from_covariance(covariance, n)


def test_covariance_frames_keep_their_names():
    frame = pd.DataFrame(ROWS, columns=list("abc")).cov(ddof=0)
    data = Dataset.of((frame, 20))
    assert data.names == ("a", "b", "c")
    np.testing.assert_allclose(data.statistics().gram(0), np.corrcoef(ROWS.T), atol=1e-12)


def test_take_repeats_rows():
    data = Dataset.of(ROWS, interventions=np.repeat([-1, 1], 10))
    rows = np.array([0, 0, 3, 4, 12, 13])
    sample = data.take(rows)
    np.testing.assert_array_equal(sample.values, ROWS[rows])
    assert sample.interventions.rows_intervened.tolist() == [0, 2, 0]
    assert data.take(np.arange(5)).interventions is None


@pytest.mark.parametrize("name", ["\x1b[31mRED", "a\x00", "\x7f\x08", "\ud800", "\ufffe"])
def test_control_characters_in_names_are_refused_before_anything_is_fitted(name):
    values = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(
        DataError, match=r"the names of 1 columns hold control characters"
    ) as caught:
        Dataset.from_array(values, ["a", name, "b"])
    assert repr(name) in str(caught.value)
    assert Dataset.from_array(values, ["a\tb", "c\nd", "e\rf"]).names == ("a\tb", "c\nd", "e\rf")
