"""Files read in chunks give the statistics of the rows in memory."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from arcs.data import Dataset
from arcs.data.accumulate import GramAccumulator
from arcs.data.profile import ColumnProfile
from arcs.errors import DataError, FileFormatError


def assert_same_statistics(one, other, atol=1e-10):
    assert one.names == other.names
    assert one.targets == other.targets
    assert one.n.tolist() == other.n.tolist()
    for v in range(one.p):
        np.testing.assert_allclose(one.gram(v), other.gram(v), atol=atol, rtol=0)
        np.testing.assert_allclose(one.mean(v), other.mean(v), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(one.norm(v), other.norm(v), rtol=1e-10)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    p, n = 12, 40_000
    mixing = rng.normal(size=(p, p))
    values = rng.normal(size=(n, p)) @ mixing * 10.0 ** rng.uniform(-6, 6, p)
    values += 1e3 * rng.normal(size=p) * values.std(axis=0)
    values += np.linspace(0, 3, n)[:, None] * values.std(axis=0)  # a drift along the file
    names = [f"v{j}" for j in range(p)]
    labels = np.array(["ctrl", "v0", "v3,v4", "v7"])[np.sort(rng.integers(0, 4, n))]
    return pd.DataFrame(values, columns=names).assign(target=labels)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_streamed_statistics_are_those_in_memory(frame, tmp_path, suffix):
    path = tmp_path / f"data.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path, index=False)
    plain = {"exclude": ["target"]}
    streamed = Dataset.from_file(path, in_memory=False, chunk_rows=3_000, **plain)
    whole = Dataset.from_file(path, **plain)
    assert streamed.values is None
    assert streamed.n == 40_000
    assert_same_statistics(streamed.statistics(), whole.statistics())
    brute = np.corrcoef(frame.drop(columns="target").to_numpy().T)
    np.testing.assert_allclose(streamed.statistics().gram(0), brute, atol=1e-10)
    design = {"interventions": "target", "control": "ctrl"}
    streamed = Dataset.from_file(path, in_memory=False, chunk_rows=7_000, **design)
    whole = Dataset.from_file(path, **design)
    assert streamed.interventions == whole.interventions
    assert_same_statistics(streamed.statistics(), whole.statistics())
    assert_same_statistics(streamed.pooled_statistics(), whole.pooled_statistics())
    assert streamed.audit().to_dict().keys() == whole.audit().to_dict().keys()


def test_holes_in_a_stream(frame, tmp_path):
    part = frame.iloc[:2000, :5].copy()
    rng = np.random.default_rng(1)
    part = part.mask(rng.random(part.shape) < 0.02)
    path = tmp_path / "holes.parquet"
    part.to_parquet(path)
    kwargs = {"in_memory": False, "chunk_rows": 300}
    with pytest.raises(DataError, match=r"first in row \d+"):
        Dataset.from_file(path, **kwargs)
    for policy in ("drop", "pairwise"):
        streamed = Dataset.from_file(path, missing=policy, **kwargs)
        whole = Dataset.from_file(path, missing=policy)
        assert_same_statistics(streamed.statistics(), whole.statistics())
        assert streamed.audit().missing == whole.audit().missing
        assert streamed.audit().effective_n == whole.audit().effective_n
        assert streamed.n == whole.n
    with pytest.raises(DataError, match="missing='em' needs the rows in memory"):
        Dataset.from_file(path, missing="em", **kwargs)


def test_holes_in_a_stream_with_experiments(frame, tmp_path):
    part = frame.iloc[::20].copy()
    part.iloc[[3, 700], 2] = np.nan
    path = tmp_path / "holes.parquet"
    part.to_parquet(path)
    options = {"interventions": "target", "control": "ctrl"}
    streamed = Dataset.from_file(path, missing="drop", in_memory=False, chunk_rows=90, **options)
    whole = Dataset.from_file(path, missing="drop", **options)
    assert streamed.interventions == whole.interventions
    assert_same_statistics(streamed.statistics(), whole.statistics())
    with pytest.raises(DataError, match="with interventions use missing='drop'"):
        Dataset.from_file(path, missing="pairwise", in_memory=False, **options)


def test_labels_of_a_stream_are_checked(frame, tmp_path):
    path = tmp_path / "data.csv"
    frame.iloc[::100].to_csv(path, index=False)
    stream = {"in_memory": False, "chunk_rows": 50, "interventions": "target"}
    with pytest.raises(DataError, match="target 'ctrl', in 50 rows, is not a column"):
        Dataset.from_file(path, **stream)
    with pytest.raises(DataError, match="does not occur in the table; the labels are: 'ctrl'"):
        Dataset.from_file(path, control="x", unmeasured="drop", **stream)
    dropped = Dataset.from_file(path, unmeasured="drop", **stream)
    assert dropped.unmeasured == {"ctrl": int((frame.iloc[::100].target == "ctrl").sum())}
    with pytest.raises(DataError, match="must name a column of the table"):
        Dataset.from_file(path, in_memory=False, interventions=[0])


def test_parquet_of_every_kind(tmp_path):
    path = tmp_path / "kinds.parquet"
    table = pa.table(
        {
            "i": pa.array([1, 2, 4], pa.int8()),
            "f": pa.array([0.5, 1, 3], pa.float32()),
            "t": pa.array([True, False, True]),
            "d": pa.array([1, 2, 7], pa.int64()).cast(pa.decimal128(25, 2)),
            "s": ["x", "y", "z"],
        }
    )
    pq.write_table(table, path)
    data = Dataset.from_file(path, exclude=["s"])
    assert data.values.tolist() == [[1, 0.5, 1, 1], [2, 1, 0, 2], [4, 3, 1, 7]]
    with pytest.raises(DataError, match=r"column 's' is of type string, not numeric\. Leave it"):
        Dataset.from_file(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(FileFormatError, match="not a Parquet file"):
        Dataset.from_file(path)
    path.write_bytes(content[:10] + b"\xff" * 60 + content[70:])
    with pytest.raises((FileFormatError, DataError)):
        Dataset.from_file(path, exclude=["s"])
    with pytest.raises(FileFormatError, match="no such file"):
        Dataset.from_file(tmp_path / "none.parquet")


def test_accumulator_keeps_rows_or_sums_never_both():
    sums = GramAccumulator(5)
    rng = np.random.default_rng(2)
    values = rng.normal(size=(12, 5))
    for k in range(4):
        sums.add(values[3 * k : 3 * k + 3])
        kept = sums.regimes[0].rows
        assert (kept is not None) == (3 * (k + 1) <= 5)
    everything = np.ones(1)
    point = sums.mean(everything)
    centred = values - values.mean(axis=0)
    np.testing.assert_allclose(point + sums.shift, values.mean(axis=0), atol=1e-15)
    np.testing.assert_allclose(sums.cross_about(everything, point), centred.T @ centred, atol=1e-13)
    np.testing.assert_allclose(
        sums.squares_about(everything, point), (centred**2).sum(axis=0), atol=1e-13
    )
    sums.add(np.empty((0, 5)))
    assert sums.n == 12


def test_profiles_do_not_depend_on_the_chunks():
    rng = np.random.default_rng(3)
    values = np.column_stack(
        [
            rng.normal(size=3000),
            rng.integers(0, 3, 3000) * 0.25,
            rng.integers(0, 10_000, 3000),
            np.where(rng.random(3000) < 0.5, np.nan, rng.integers(0, 4, 3000)),
            np.append(np.zeros(2999), 0.5 + rng.normal()),
            np.append(np.arange(2999.0), 0.5),
        ]
    )
    whole = ColumnProfile.of(values)
    pieces = ColumnProfile(6)
    for start in range(0, 3000, 71):
        pieces.add(values[start : start + 71])
    for profile in (whole, pieces):
        assert profile.discrete().tolist() == [False, True, True, True, True, False]
        assert profile.rows == 3000
        assert profile.missing.tolist() == [0, 0, 0, np.isnan(values[:, 3]).sum(), 0, 0]
        assert profile.incomplete_rows == np.isnan(values[:, 3]).sum()
