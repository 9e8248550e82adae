"""Tables that are read where they are give the statistics of the rows in memory."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest

from arcs.cli.fit import default_folder
from arcs.cli.inputs import read_data
from arcs.data import Dataset
from arcs.data.accumulate import GramAccumulator
from arcs.data.missing import PairwiseSums
from arcs.data.profile import ColumnProfile
from arcs.errors import DataError, FileFormatError
from arcs.learners import learner

ROLES = {"interventions": "target", "control": "ctrl", "adjust": ["age", "batch"]}


def make_frame(n: int = 900) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, 5)) @ rng.normal(size=(5, 5)) * 10.0 ** np.arange(-2, 3)
    values += 50.0 * values.std(axis=0)
    frame = pd.DataFrame(values, columns=[f"v{j}" for j in range(5)])
    return frame.assign(
        target=rng.choice(["ctrl", "v1", "v2,v3"], n, p=[0.6, 0.3, 0.1]),
        age=rng.normal(40, 9, n),
        batch=rng.choice(["a", "b", "c"], n),
    )


@pytest.fixture(scope="module")
def frame():
    return make_frame()


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables")
    for k, part in enumerate(np.array_split(np.arange(len(frame)), 4)):
        pq.write_table(pa.Table.from_pandas(frame.iloc[part]), path / f"part-{k}.parquet")
    return path


def assert_same(one: Dataset, other: Dataset) -> None:
    """Equal to 1e-12, relative to the size of what is compared."""
    first, second = one.statistics(), other.statistics()
    assert (first.names, first.targets) == (second.names, second.targets)
    assert first.n.tolist() == second.n.tolist()
    for v in range(first.p):
        np.testing.assert_allclose(first.gram(v), second.gram(v), atol=1e-12, rtol=0)
        np.testing.assert_allclose(first.mean(v), second.mean(v), rtol=1e-12)
        np.testing.assert_allclose(first.norm(v), second.norm(v), rtol=1e-12)


def tables(frame, folder):
    """The same rows in every kind of table."""
    dd = pytest.importorskip("dask.dataframe")
    yield folder
    yield str(folder / "part-*.parquet")
    yield pads.dataset(str(folder))
    yield pl.scan_parquet(folder / "part-*.parquet")
    yield dd.from_pandas(frame, npartitions=7)


@pytest.mark.parametrize("kind", range(5), ids=["folder", "glob", "arrow", "polars", "dask"])
def test_sums_are_those_of_the_rows_in_memory(frame, folder, kind):
    table = list(tables(frame, folder))[kind]
    read = Dataset.of(table, **ROLES)
    assert read.values is None
    assert read.interventions.rows_intervened.sum() > 0
    assert_same(read, Dataset.of(frame, **ROLES))
    plain = {"exclude": ["target", "age"], "conditions": "batch", "condition_policy": "free"}
    assert_same(Dataset.of(table, **plain), Dataset.of(frame, **plain))


def test_duckdb_relations(frame):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("rows", frame)
    assert_same(Dataset.of(connection.sql("from rows"), **ROLES), Dataset.of(frame, **ROLES))


def test_rows_with_holes_are_dropped_or_used_in_pairs(frame):
    dd = pytest.importorskip("dask.dataframe")
    holes = frame[[f"v{j}" for j in range(5)]].copy()
    holes.iloc[3:400:7, 1] = np.nan
    holes.iloc[500:520, 4] = np.nan
    parts = dd.from_pandas(holes, npartitions=6)
    for missing in ("drop", "pairwise"):
        one, other = Dataset.of(parts, missing=missing), Dataset.of(holes, missing=missing)
        assert one.profile.incomplete_rows == other.profile.incomplete_rows
        first, second = one.statistics(), other.statistics()
        np.testing.assert_allclose(first.gram(0), second.gram(0), atol=1e-12)
    with pytest.raises(DataError, match=r"partition \d: Input contains NaN or infinity"):
        Dataset.of(parts)


def test_a_fit_of_a_lazy_table_is_that_of_its_rows(frame, folder):
    settings = {"random_state": 0}
    one = learner("arcs", **settings).fit(pl.scan_parquet(folder / "*.parquet"), **_fit_roles())
    other = learner("arcs", **settings).fit(frame, **_fit_roles())
    assert (one.dag.adjacency == other.dag.adjacency).all()
    np.testing.assert_allclose(one.dag.coefficients, other.dag.coefficients, rtol=1e-9)


def _fit_roles():
    return {"interventions": "target", "control": "ctrl", "exclude": ["age", "batch"]}


def test_what_is_wrong_is_named(frame, folder, tmp_path):
    with pytest.raises(FileFormatError, match=r"no Parquet files \(\.parquet, \.pq\) are there"):
        Dataset.of(tmp_path)
    with pytest.raises(DataError, match="column 'target' is of type"):
        Dataset.of(folder, exclude=["batch"])
    with pytest.raises(DataError, match="column 'target' is of type"):
        Dataset.of(pl.scan_parquet(folder / "*.parquet"), exclude=["batch"])
    with pytest.raises(DataError, match=r"there is no column 'trget'.*did you mean 'target'"):
        Dataset.of(folder, interventions="trget")
    with pytest.raises(DataError, match="must name a column of the table"):
        Dataset.of(folder, interventions=["v1"] * 900, exclude=["target", "batch"])
    pq.write_table(pa.table({"a": [1.0, 2.0], "b": [1.0, 3.0]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": [1.0, 2.0]}), tmp_path / "2.parquet")
    with pytest.raises(FileFormatError, match="1 columns of the first file are not in this one"):
        Dataset.of(tmp_path)


def test_merged_sums_are_the_sums_of_all_rows():
    """Also where some parts keep rows and others cross-products, and shifts differ."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(60, 6)) + 100 * np.arange(6)
    regime = rng.integers(0, 3, 60)
    whole, merged = GramAccumulator(6), GramAccumulator(6)
    whole.add(rows, regime)
    for part in np.split(np.arange(60), [4, 5, 30]):
        other = GramAccumulator(6)
        other.add(rows[part], regime[part])
        merged.merge(other, range(3))
    weights = np.array([1.0, 0.5, 2.0])
    point = whole.mean(weights) + whole.shift
    for one, other in ((whole, merged),):
        np.testing.assert_allclose(one.mean(weights) + one.shift, other.mean(weights) + other.shift)
        np.testing.assert_allclose(
            one.cross_about(weights, point - one.shift),
            other.cross_about(weights, point - other.shift),
            rtol=1e-12,
            atol=1e-9,
        )
    assert not merged.constant(weights).any()


def test_merged_pairs_and_profiles():
    rng = np.random.default_rng(2)
    rows = np.round(rng.normal(size=(80, 4)) + 10, 2)
    rows[rng.random(rows.shape) < 0.2] = np.nan
    rows[:20, 3] = np.nan  # the first part knows nothing of this column
    rows[:, 2] = rng.integers(0, 3, 80)
    whole, merged = PairwiseSums(4), PairwiseSums(4)
    whole.add(rows)
    seen, profile = ColumnProfile.of(rows), ColumnProfile(4)
    for part in np.split(rows, [20, 50]):
        other = PairwiseSums(4)
        other.add(part)
        merged.merge(other)
        profile.merge(ColumnProfile.of(part))
    np.testing.assert_allclose(whole.correlation(), merged.correlation(), atol=1e-12)
    assert (whole.counts == merged.counts).all()
    assert profile.discrete().tolist() == seen.discrete().tolist()
    assert profile.missing.tolist() == seen.missing.tolist()


def test_folders_and_patterns_on_the_command_line(folder, tmp_path):
    assert str(default_folder(Path("somewhere/cells/part-*.parquet"))) == "cells-arcs"
    assert str(default_folder(folder)) == f"{folder.name}-arcs"
    read = read_data(
        Path(f"{folder}/part-*.parquet"), "target", exclude=["age,batch"], control="ctrl"
    )
    assert read.names == ("v0", "v1", "v2", "v3", "v4")
