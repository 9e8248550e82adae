"""Columns of categories: who is one, levels and their order, holes, and cuts of numbers."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.data.discretize import cut_points
from arcs.errors import DataError, SettingsError

pandas = pytest.importorskip("pandas")


@pytest.fixture
def frame():
    return pandas.DataFrame(
        {
            "sex": ["f", "m", "f", "m"],
            "stage": pandas.Categorical(["II", "I", "II", "I"], ["I", "II", "III"], ordered=True),
            "ok": [True, False, True, True],
            "grade": [10, 2, 2, 10],
            "x": [0.1, 0.2, 0.3, 0.4],
        }
    )


def test_levels_keep_their_names_and_order(frame):
    data = Dataset.of(frame, discrete="auto,grade")
    assert data.names == tuple(frame.columns)
    assert data.discrete == ("sex", "stage", "ok", "grade")
    assert data.levels[1] == ("I", "II", "III")
    assert data.levels[2:] == (("False", "True"), ("2", "10"), None)
    assert data.values[0].tolist() == [0.0, 1.0, 1.0, 1.0, 0.1]
    assert not data.values.flags.writeable
    assert data.take(np.array([0, 0, 1])).levels == data.levels


def test_small_integers_are_categories_only_on_request(frame):
    assert Dataset.of(frame[["grade", "x"]], discrete="auto").discrete == ()
    assert Dataset.of(frame[["grade", "x"]], discrete=["grade"]).discrete == ("grade",)
    assert Dataset.of(frame, discrete="all").discrete == tuple(frame.columns)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_frames_say_the_same(frame, library):
    module = pytest.importorskip(library)
    other = module.from_pandas(frame) if library == "polars" else module.Table.from_pandas(frame)
    mine, theirs = (Dataset.of(each, discrete="auto") for each in (frame, other))
    np.testing.assert_array_equal(mine.values, theirs.values)
    assert mine.levels[0] == theirs.levels[0]


def test_files_arrays_and_declared_levels(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = Dataset.of(
        tmp_path / "t.csv", discrete={"stage": ["I", "II", "III"], "sex": None, "ok": None}
    )
    assert data.levels == (("f", "m"), ("I", "II", "III"), ("False", "True"), None, None)
    table = data.level_table()
    assert table["rows"][:5] == [2, 2, 2, 2, 0]
    texts = Dataset.of(np.array([["a", "b"], ["a", "c"], ["b", "c"]]), discrete="auto")
    assert texts.levels == (("a", "b"), ("b", "c"))
    with pytest.raises(DataError, match="none of its declared levels"):
        Dataset.of(frame, discrete={"sex": ["f"], "stage": None})


def test_missing_values_are_refused_dropped_or_a_level(frame):
    frame.loc[2, "sex"] = None
    with pytest.raises(DataError, match=r"'sex' .1.*missing='level'"):
        Dataset.of(frame, discrete="auto")
    with pytest.raises(DataError, match="missing='level'"):
        Dataset.of(frame, discrete="auto", missing="em")
    assert Dataset.of(frame, discrete="auto", missing="drop").n == 3
    filled = Dataset.of(frame, discrete="auto", missing="level")
    assert filled.levels[0] == ("f", "m", "(missing)")
    assert filled.values[2, 0] == 2.0


def test_what_cannot_be_a_category_is_refused(frame):
    with pytest.raises(DataError, match="no column 'sxe'; did you mean 'sex'"):
        Dataset.of(frame, discrete=["sxe"])
    with pytest.raises(DataError, match=r"discrete=\['sex', 'stage'\]"):
        Dataset.of(frame)
    with pytest.raises(DataError, match="300 levels"):
        Dataset.of(pandas.DataFrame({"id": [f"k{i}" for i in range(300)]}), discrete="auto")
    with pytest.raises(DataError, match="have no scale"):
        Dataset.of(frame, discrete="auto", transform="normal-scores")
    with pytest.raises(DataError, match="columns of numbers"):
        Dataset.of(frame, discrete="auto").statistics()


def test_numbers_are_cut_as_asked():
    rows = np.column_stack([np.arange(90.0), np.repeat([0.0, 1.0, 2.0], 30)])
    data = Dataset.of(rows, discretize="quantiles-3:x0; width-3:x1")
    assert data.levels == (("<= 29", "29 to 59", "> 59"), ("<= 0.667", "0.667 to 1.33", "> 1.33"))
    np.testing.assert_array_equal(data.values[:, 0], data.values[:, 1])
    assert data.cuts["x0"] == [29.0, 59.0]
    with pytest.raises(SettingsError, match="quantiles-K"):
        Dataset.of(rows, discretize="quantiles")
    with pytest.raises(DataError, match="no column of numbers 'y'"):
        Dataset.of(rows, discretize={"y": "width-2"})


def test_hartemink_cuts_where_other_columns_change():
    rng = np.random.default_rng(0)
    x = rng.random(3000)
    y = (x > 0.8) + 0.001 * rng.random(3000)
    cuts = cut_points(np.column_stack([x, y]), ["x", "y"], dict.fromkeys("xy", ("hartemink", 2)))
    assert cuts["x"][0] == pytest.approx(0.8, abs=0.03)
    assert ((y > cuts["y"][0]) == (x > cuts["x"][0])).mean() > 0.97


@pytest.mark.parametrize("wish", [5, 2.5, {"sex": 3}, {"sex": "f,m"}, [["sex"]]])
def test_wishes_of_other_kinds_are_refused(frame, wish):
    with pytest.raises(DataError, match="discrete: "):
        Dataset.of(frame[["sex", "x"]], discrete=wish)


@pytest.mark.parametrize("level", ["\x1b[31mRED", "a\x00b", "\ud800"])
def test_levels_that_no_file_can_hold_are_refused(level):
    rows = [[level, "a"], ["b", "a"], ["b", "c"]]
    with pytest.raises(DataError, match="1 levels of column 'x0' hold control characters"):
        Dataset.of(rows, discrete="all")


def test_a_level_may_be_called_missing():
    """What is missing gets another name then, and both stay apart."""
    rows = [["(missing)", "a"], [None, "b"], ["(missing) 2", "b"]]
    data = Dataset.of(np.array(rows, dtype=object), discrete="all", missing="level")
    assert data.levels[0] == ("(missing)", "(missing) 2", "(missing) 3")
    assert data.values[:, 0].tolist() == [0.0, 2.0, 1.0]


@pytest.mark.parametrize("way", ["quantiles-3", "width-3", "hartemink-2"])
def test_a_column_without_values_is_not_cut(way):
    with pytest.raises(DataError, match="column 'a' has no value in 0 rows"):
        cut_points(np.empty((0, 1)), ["a"], {"a": (way.split("-")[0], 3)})


@pytest.mark.parametrize("rows", [[["a"], ["b", "c"]], [[(1, 2)], ["b"], ["b"]]])
def test_what_is_no_table_is_refused(rows):
    with pytest.raises(DataError, match="the data are not a table of numbers"):
        Dataset.of(rows, discrete="all")


def test_a_declared_level_may_read_like_a_missing_value():
    """Pain "none", the country "NA": words that mean nothing elsewhere are levels if somebody
    lists them; an empty cell stays missing."""
    rows = pandas.DataFrame({"pain": ["none", "mild", "NA", None], "x": range(4)})
    levels = ["none", "mild", "NA"]
    declared = Dataset.of(rows, discrete={"pain": levels}, missing="drop")
    assert declared.levels[0] == tuple(levels)
    assert declared.values[:, 0].tolist() == [0.0, 1.0, 2.0]
    typed = rows.assign(pain=pandas.Categorical(rows["pain"], categories=levels))
    np.testing.assert_array_equal(
        Dataset.of(typed, discrete="auto", missing="drop").values, declared.values
    )
    with pytest.raises(DataError, match=r"'pain' \(3\).*unless the levels of the column are"):
        Dataset.of(rows, discrete="auto")


@pytest.mark.parametrize("kind", ["string", "string[pyarrow]", "object", "category"])
def test_a_missing_value_is_never_a_level_by_itself(kind):
    pytest.importorskip("pyarrow")
    rows = pandas.DataFrame({"a": pandas.Series(["x", pandas.NA, "y"], dtype=kind), "b": range(3)})
    rows["day"] = [pandas.Timestamp(2020, 1, 1), pandas.NaT, pandas.Timestamp(2021, 1, 1)]
    rows["ok"] = pandas.array([True, None, False], dtype="boolean")
    with pytest.raises(DataError, match=r"3 columns of categories: 'a' \(1\), 'day' \(1\), 'ok'"):
        Dataset.of(rows, discrete=["a", "day", "ok"])
    kept = Dataset.of(rows, discrete=["a", "day", "ok"], missing="drop")
    assert (kept.n, kept.levels[0], kept.levels[3]) == (2, ("x", "y"), ("False", "True"))


def test_tables_elsewhere_keep_declared_levels(frame, tmp_path):
    """Categories in Parquet, Arrow and polars have the levels and the order of the frame."""
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    dataset = pytest.importorskip("pyarrow.dataset")
    frame["stage"] = pandas.Categorical(frame["stage"], categories=["III", "I", "II", "IV"])
    expected = Dataset.of(frame, discrete="auto")
    assert expected.levels[1] == ("III", "I", "II", "IV")
    path = tmp_path / "many" / "rows.parquet"
    path.parent.mkdir()
    frame.to_parquet(path)
    enum = pl.from_pandas(frame).with_columns(
        pl.col("stage").cast(pl.String).cast(pl.Enum(["III", "I", "II", "IV"]))
    )
    typed = pa.Table.from_pandas(frame).to_pandas(types_mapper=pandas.ArrowDtype)
    for other in (path, path.parent, dataset.dataset(path), enum.lazy(), typed):
        found = Dataset.of(other, discrete="auto")
        assert found.levels == expected.levels, type(other)
        np.testing.assert_array_equal(found.values, expected.values)
    for other in (path, path.parent, dataset.dataset(path), enum.lazy()):
        sums = Dataset.of(other, discrete="auto", in_memory=False)
        assert (sums.values, sums.levels) == (None, expected.levels), type(other)


def test_hartemink_looks_at_categories_and_needs_somebody_to_look_at():
    rng = np.random.default_rng(0)
    x = rng.random(3000)
    rows = pandas.DataFrame({"x": x, "g": np.where(x > 0.3, "high", "low")})
    found = Dataset.of(rows, discrete="auto", discretize="hartemink-2")
    assert found.cuts["x"][0] == pytest.approx(0.3, abs=0.03)
    with pytest.raises(DataError, match="there is no other"):
        Dataset.of(rows[["x"]], discretize="hartemink-2")


@pytest.mark.parametrize("way", ["quantiles-2", "width-2", "hartemink-2"])
def test_holes_in_numbers_that_are_cut_may_be_a_level(way):
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    rows = pandas.DataFrame({"x": x, "y": x + rng.normal(size=400), "g": np.where(x > 0, "a", "b")})
    rows.loc[::10, "x"] = np.nan
    rows.loc[5, "x"] = np.inf
    found = Dataset.of(rows, discrete="auto", discretize=way, missing="level")
    assert len(found.levels[0]) == 3
    assert found.levels[0][2] == "(missing)"
    assert (np.asarray(found.values)[:, 0] == 2).sum() == 41
    assert "what is missing is a level of its own: 'x' (41)" in found.audit().notes
    seen = Dataset.of(rows.drop(index=[5]).dropna(), discrete="auto", discretize=way)
    if way != "hartemink-2":  # which looks at rows that y has and x has not
        assert found.cuts["x"] == seen.cuts["x"]


@pytest.mark.parametrize("missing", ["error", "pairwise", "em", "level"])
def test_holes_in_numbers_beside_categories_are_dropped_or_refused(missing):
    rows = pandas.DataFrame({"x": [1.0, np.nan, 3.0, 4.0], "g": list("abab")})
    with pytest.raises(DataError, match=r"'x' \(1\).*or choose missing='drop'\.$"):
        Dataset.of(rows, discrete="auto", missing=missing)
    assert Dataset.of(rows, discrete="auto", missing="drop").n == 3


def test_levels_are_declared_in_words(frame, tmp_path):
    """For files and the command line, which have no types."""
    frame["a=b"] = list("xyxy")
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = Dataset.of(tmp_path / "t.csv", discrete="sex,stage=III|II|I,ok,a=b")
    assert data.levels == (
        ("f", "m"),
        ("III", "II", "I"),
        ("False", "True"),
        None,
        None,
        ("x", "y"),
    )
    commas = frame.rename(columns={"sex": 'sex, "m" or f', "a=b": "a,b"})
    quoted = Dataset.of(commas, discrete='ok, "sex, ""m"" or f","a,b",stage')
    assert quoted.discrete == ('sex, "m" or f', "stage", "ok", "a,b")
    ends = frame.rename(columns={"sex": 'a\r"b', "a=b": '"c'})
    named = Dataset.of(ends, discrete='a\r"b,"c', exclude=["stage"])
    assert named.discrete == ('a\r"b', '"c')
    with pytest.raises(DataError, match="no column"):
        Dataset.of(ends, discrete='a\r"b,"d')
    both = Dataset.of(tmp_path / "t.csv", discrete=["auto", "stage=I|II|III|IV"])
    assert both.levels[1] == ("I", "II", "III", "IV")
    with pytest.raises(DataError, match="none of its declared levels 'I'"):
        Dataset.of(tmp_path / "t.csv", discrete="auto,stage=I")
    with pytest.raises(DataError, match=r"no column 'stag=I\|II'"):
        Dataset.of(tmp_path / "t.csv", discrete="auto,stag=I|II")
