"""Numbers and categories of tables that are read in chunks: the answers are those of the rows."""

import numpy as np
import pandas as pd
import pytest

from arcs.confidence import bootstrap, chain_agreement
from arcs.data import Dataset
from arcs.data.mixed import MixedData
from arcs.errors import DataError
from arcs.learners import learner
from arcs.regimes.shifts import ShiftPrices
from arcs.scores.blocks import Blocks

STREAMED = {"in_memory": False, "chunk_rows": 170}
CATEGORIES = {"sex": None, "stage": ["IV", "I", "II", "III"], "ill": None}


def make_frame(n: int = 700) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], n)
    batch = rng.choice(["x", "y", "z"], n)
    height = 1650.0 + 130 * (sex == "m") + 60 * rng.normal(size=n) + 90 * (batch == "y")
    weight = 0.09 * height - 85 + 8 * rng.normal(size=n)
    stage = np.array(["I", "II", "III"])[np.digitize(weight + 6 * rng.normal(size=n), [65, 80])]
    ill = rng.random(n) < np.where(stage == "III", 0.8, 0.2)
    return pd.DataFrame(
        {
            "sex": sex,
            "height": height,
            "stage": stage,
            "weight": weight,
            "ill": ill,
            "noise": rng.normal(size=n),
            "batch": batch,
            "target": rng.choice(["", "stage", "weight"], n, p=[0.6, 0.25, 0.15]),
        }
    )


@pytest.fixture(scope="module")
def frame():
    return make_frame()


@pytest.fixture(scope="module")
def csv(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    pytest.importorskip("pyarrow")
    path = tmp_path_factory.mktemp("many")
    typed = frame.assign(stage=pd.Categorical(frame["stage"], CATEGORIES["stage"]))
    for k, part in enumerate(np.array_split(np.arange(len(frame)), 3)):
        typed.iloc[part].to_parquet(path / f"part-{k}.parquet")
    return path


def with_policy(data: Dataset, found) -> Dataset:
    """The data with the means that were free in a fit."""
    free = found.preparation.get("conditions", {}).get("policy") == "free"
    every = np.ones((len(data.conditions.labels), data.p), dtype=bool) if free else None
    return data.with_conditions(data.conditions.settled(every)) if free else data


def assert_same_fit(one: Dataset, other: Dataset, method: str = "gies", **settings) -> None:
    assert (one.names, one.levels, one.n) == (other.names, other.levels, other.n)
    assert other.values is None
    first, second = (learner(method, **settings).fit(data) for data in (one, other))
    assert first.dag.n_edges > 2
    # Graphs of one class have one score: the last digit of a sum decides which of them is found
    # (and, in a search among graphs such as hc, where it goes from there).
    assert second.cpdag == first.cpdag
    for name in ("score", "bic", "log_likelihood"):
        assert getattr(second, name) == pytest.approx(getattr(first, name), rel=1e-9)
    if not getattr(learner(method), "uses_interventions", True):
        other = other.without_interventions()
    again = MixedData.of(with_policy(other, first)).fit(first.dag.adjacency)
    for mine, theirs in zip(first.network.equations, again.equations, strict=True):
        np.testing.assert_allclose(theirs, mine, rtol=1e-8, atol=1e-8 * np.abs(mine).max())
    assert second.n_per_node == first.n_per_node
    assert second.audit == first.audit
    assert second.preparation == first.preparation
    assert other.level_table().rows() == one.level_table().rows()


OPTIONS = {
    "plain": {"exclude": ["batch", "target"]},
    "adjusted": {"exclude": ["target"], "adjust": "C(batch)"},
    "interventions": {"exclude": ["batch"], "interventions": "target"},
    "free means": {
        "exclude": ["batch"],
        "interventions": "target",
        "condition_policy": "free",
    },
}


@pytest.mark.parametrize("kind", OPTIONS)
def test_a_file_in_chunks_gives_the_answer_of_its_rows(csv, kind):
    options = {"discrete": CATEGORIES, **OPTIONS[kind]}
    assert_same_fit(Dataset.of(csv, **options), Dataset.of(csv, **options, **STREAMED))


def test_conditions_follow_the_regimes_of_the_columns(csv):
    """Of the columns, 'stage' (two of them) is a larger set of targets than 'weight'."""
    options = {"discrete": CATEGORIES, **OPTIONS["interventions"]}
    rows, sums = (Blocks.of(Dataset.of(csv, **options, **how)) for how in ({}, STREAMED))
    assert sums.columns.interventions.targets == rows.columns.interventions.targets
    mine, theirs = ShiftPrices(rows.columns), ShiftPrices(sums.columns)
    known = sums.columns.wide_sums().table().n  # of the regimes, whose indicators are columns
    np.testing.assert_array_equal(theirs.rows.max(axis=1), known)
    graph = rows.expanded(np.triu(np.ones((6, 6), dtype=bool), 1))
    for shifts in (mine.everything(), ~mine.everything()):
        assert theirs.nats(graph, shifts) == pytest.approx(mine.nats(graph, shifts), rel=1e-12)


@pytest.mark.filterwarnings("ignore:ges makes no use of interventions")
@pytest.mark.parametrize("kind", ["interventions", "free means"])
def test_methods_that_make_no_use_of_interventions(csv, kind):
    options = {"discrete": CATEGORIES, **OPTIONS[kind]}
    assert_same_fit(Dataset.of(csv, **options), Dataset.of(csv, **options, **STREAMED), "ges")


@pytest.mark.parametrize("kind", ["plain", "adjusted"])
def test_so_does_a_folder_of_parquet_files(folder, kind):
    options = {"discrete": "auto", **OPTIONS[kind]}
    assert_same_fit(Dataset.of(folder, **options), Dataset.of(folder, **options, **STREAMED))


@pytest.mark.slow
def test_the_search_over_orders_finds_the_same(csv, tmp_path):
    options = {"discrete": CATEGORIES, **OPTIONS["adjusted"]}
    rows, sums = Dataset.of(csv, **options), Dataset.of(csv, **options, **STREAMED)
    assert_same_fit(rows, sums, "arcs", random_state=0)
    model = learner("arcs", random_state=0, checkpoint=tmp_path / "c.npz", resume=True)
    again = model.fit(sums)
    assert again.score == pytest.approx(model.fit(sums).score, rel=1e-12)


@pytest.mark.slow
def test_searches_that_draw_no_rows(csv, tmp_path):
    options = {"discrete": CATEGORIES, **OPTIONS["plain"]}
    model = learner("arcs", random_state=0)
    for how in ({}, STREAMED):
        data = Dataset.of(csv, **options, **how)
        found = chain_agreement(data, 2, model, checkpoint=tmp_path / f"{len(how)}.npz")
        again = chain_agreement(data, 2, model, checkpoint=tmp_path / f"{len(how)}.npz")
        assert len(found.scores) == 2
        np.testing.assert_array_equal(found.scores, again.scores)


def test_tables_elsewhere(frame, folder):
    pads = pytest.importorskip("pyarrow.dataset")
    pl = pytest.importorskip("polars")
    dd = pytest.importorskip("dask.dataframe")
    duckdb = pytest.importorskip("duckdb")
    options = {"discrete": "auto,stage=IV|I|II|III", **OPTIONS["adjusted"]}
    expected = Dataset.of(frame, **options)
    pattern = str(folder / "*.parquet")
    tables = [
        pads.dataset(str(folder)),
        pl.scan_parquet(pattern),
        duckdb.sql(f"from '{pattern}'"),
        dd.from_pandas(frame, npartitions=4),
    ]
    adjacency = np.zeros((6, 6), bool)
    adjacency[[0, 1, 2, 3], [1, 3, 4, 2]] = True
    mine = MixedData.of(expected).fit(adjacency)
    for table in tables:
        read = Dataset.of(table, **options, **STREAMED)
        assert read.values is None
        assert read.levels == expected.levels, type(table)
        assert read.level_table().rows() == expected.level_table().rows()
        theirs = MixedData.of(read).fit(adjacency)
        for a, b in zip(mine.equations, theirs.equations, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-8, atol=1e-8 * np.abs(a).max())


@pytest.mark.parametrize("missing", ["drop", "level"])
def test_missing_values(frame, tmp_path, missing):
    holes = frame.drop(columns=["batch", "target"])
    holes.loc[[3, 77, 500], "stage"] = None
    if missing == "drop":
        holes.loc[[8, 77], "height"] = np.nan
    holes.to_csv(tmp_path / "holes.csv", index=False)
    options = {"discrete": "auto", "missing": missing}
    rows = Dataset.of(tmp_path / "holes.csv", **options)
    assert_same_fit(rows, Dataset.of(tmp_path / "holes.csv", **options, **STREAMED))
    for policy in ("error", "pairwise"):
        with pytest.raises(DataError, match=r"missing in 1 columns of categories: 'stage' \(3\)"):
            Dataset.of(tmp_path / "holes.csv", discrete="auto", missing=policy, **STREAMED)


def test_columns_that_determine_each_other_have_the_shortest_equation(frame, tmp_path):
    table = frame.drop(columns=["batch", "target"]).assign(again=frame["sex"].str.upper())
    table.to_csv(tmp_path / "twins.csv", index=False)
    # The first level of stage does not occur: indicators of the others add up to one.
    options = {"discrete": {**CATEGORIES, "again": None}}
    rows, sums = (Dataset.of(tmp_path / "twins.csv", **options, **how) for how in ({}, STREAMED))
    adjacency = np.zeros((7, 7), bool)
    adjacency[[0, 6, 2], 1] = True
    mine, theirs = (MixedData.of(data).fit(adjacency) for data in (rows, sums))
    np.testing.assert_allclose(theirs.equations[1], mine.equations[1], rtol=1e-8)


def test_what_does_not_vary(frame, tmp_path):
    table = frame.drop(columns=["batch", "target"]).assign(flat="a", zero=0.0)
    table.to_csv(tmp_path / "flat.csv", index=False)
    with pytest.raises(DataError, match="2 columns are constant: 'flat', 'zero'"):
        learner("hc").fit(Dataset.of(tmp_path / "flat.csv", discrete="auto", **STREAMED))
    options = {"discrete": "auto", "constant": "isolate"}
    rows = Dataset.of(tmp_path / "flat.csv", **options)
    assert_same_fit(rows, Dataset.of(tmp_path / "flat.csv", **options, **STREAMED))


def test_what_needs_rows_is_refused_with_a_remedy(csv, frame, tmp_path):
    plain = {"discrete": CATEGORIES, **OPTIONS["plain"]}
    data = Dataset.of(csv, **plain, **STREAMED)
    with pytest.raises(DataError, match="in_memory=True"):
        learner("arcs", mixed_score="conditional-gaussian").fit(data)
    with pytest.raises(DataError, match="in_memory=True"):
        bootstrap(data, learner("hc"), 3, random_state=0)
    with pytest.raises(DataError, match="leave out in_memory=False"):
        Dataset.of(csv, discretize="quantiles-3", **plain, **STREAMED)
    with pytest.raises(DataError, match=r"adjust='C\(batch\)'"):
        Dataset.of(csv, discrete=CATEGORIES, exclude=["target"], conditions="batch", **STREAMED)
    with pytest.raises(DataError, match="categories alone"):
        Dataset.of(csv, discrete=["sex"], exclude=[*frame.columns[1:]], **STREAMED)
    frame.assign(id=[f"k{i}" for i in range(len(frame))]).to_csv(tmp_path / "id.csv", index=False)
    with pytest.raises(DataError, match="'id' has 340 levels in 340 rows, more than 255"):
        Dataset.of(tmp_path / "id.csv", discrete="auto", **STREAMED)
