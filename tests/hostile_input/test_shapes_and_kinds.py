"""How many rows and columns there are, what they hold, and what they are called."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from arcs.errors import DataError, DataWarning
from arcs.graphs.formats import read_graph
from arcs.learners import learner


# --------------------------------------------------------------------------- sizes
@pytest.mark.filterwarnings(r"ignore:\d+ edges among 15 variables:arcs.errors.DataWarning")
def test_fewer_rows_than_columns(own_learner, assert_sound):
    rng = np.random.default_rng(1)
    result = learner(own_learner, random_state=0).fit(rng.normal(size=(8, 15)))
    assert_sound(result)
    assert result.audit["fewer_rows_than_columns"]
    assert "fewer rows (8) than columns (15)" in result.audit["notes"][0]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_rows(n, run, chain, through_learner, through_estimator):
    with pytest.raises(DataError, match="0 sample" if n == 0 else rf"n_samples={n}"):
        through_learner(chain()[:n])
    with pytest.raises(ValueError, match="sample"):
        through_estimator(chain()[:n])
    code, text = run(chain()[:n])
    assert code == 1
    assert ("no rows" if n == 0 else "at least 3 rows are needed") in text


def test_no_columns(fit):
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        fit(np.empty((10, 0)))


def test_one_column_is_the_empty_graph(own_learner, chain, assert_sound):
    result = learner(own_learner, random_state=0).fit(chain()[:, :1])
    assert result.dag.adjacency.tolist() == [[False]]
    assert_sound(result)


def test_one_column_for_estimator_and_command_line(run, chain, through_estimator, saved):
    assert through_estimator(chain()[:, :1]).n_edges == 0
    code, _ = run(chain()[:, :1])
    assert code == 0
    assert saved().n_edges == 0


# --------------------------------------------------------------------------- kinds of columns
def test_text_dates_categories(fit, run, chain, saved):
    frame = pd.DataFrame(chain(6, 2), columns=["a", "b"]).assign(
        word=list("xyzxyz"), day=pd.Timestamp("2020-01-01"), kind=pd.Categorical(list("ababab"))
    )
    with pytest.raises(DataError, match=r"3 columns are not numeric: 'word', 'day', 'kind'\. Leav"):
        fit(frame)
    code, text = run(frame)
    assert code == 1
    assert "column 'kind' names columns ('a', 'b')" in text
    assert "column 'word' holds text ('x')" in text
    assert "column 'day' holds text ('2020-01-01')" in text
    assert text.endswith("--exclude word,day -i kind")
    code, _ = run(frame, "--exclude", "word", "--exclude", "day", "--exclude", "kind")
    assert code == 0
    assert saved().names == ("a", "b")


@pytest.mark.parametrize(
    "column", [np.arange(80) % 2 == 0, np.arange(80) % 5, np.arange(80), np.arange(80) % 3 / 7]
)
def test_discrete_columns_run_with_one_warning_each(fit, run, column, chain):
    frame = pd.DataFrame(chain(), columns=list("abcd")).assign(e=column)
    counts = (np.diff(column.astype(int)) == 1).all()
    expected = "'e' counts the rows" if counts else "looks discrete: 'e'"
    with pytest.warns(DataWarning) as caught:
        result = fit(frame)
    (warning,) = caught
    assert str(warning.message).startswith(expected)
    assert result.audit.get("discrete", []) == ([] if counts else ["e"])
    code, text = run(frame.astype({"e": float}))
    assert (code, text.count(expected)) == (0, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows + 1j, "Complex data not supported"),
        (sparse.csr_matrix, "dense data is required"),
        (
            lambda rows: np.array([["a", "b"], ["c", "d"]], dtype=object),
            "not numeric|could not convert",
        ),
        (lambda rows: rows[:, 0], "Expected 2D array, got 1D array instead"),
        (lambda rows: rows[None], "Expected 2D array|dim 3"),
    ],
    ids=["complex", "sparse", "object", "one dimension", "three dimensions"],
)
def test_arrays_of_other_kinds(fit, chain, change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        fit(change(chain()))


# --------------------------------------------------------------------------- names
def test_names(fit, run, chain):
    values = chain(30, 2)
    with pytest.raises(DataError, match="repeated: 'a'"):
        fit(pd.DataFrame(values, columns=["a", "a"]))
    with pytest.raises(DataError, match="empty name"):
        fit(pd.DataFrame(values, columns=["", "a"]))
    assert fit(pd.DataFrame(values, columns=[7, 8])).names == ("7", "8")
    code, text = run("a,a\n1,2\n3,4\n5,1\n")
    assert (code, "same name 'a'" in text) == (1, True)


HOSTILE = ["<script>alert(1)</script>", 'a"b\\', "=1+1", "new\nline", "ünï–☃", "../../x"]
HOSTILE += ["a\r\nb", "\u202eleft", "zero\u200bwidth", "👩‍👩‍👧", "n" * 10_000]


def test_hostile_names_survive_every_file(run, chain, through_estimator, saved):
    frame = pd.DataFrame(chain(60, len(HOSTILE)), columns=HOSTILE)
    assert through_estimator(frame).names == tuple(HOSTILE)
    code, _ = run(frame)
    assert code == 0
    assert saved().names == tuple(HOSTILE)
    for name in ("graph.dot", "graph.graphml", "edges.csv"):
        graph = read_graph(Path("out", name), names=HOSTILE)
        assert np.array_equal(graph.adjacency, saved().dag.adjacency), name
    assert "<script>alert(1)" not in Path("out/report.html").read_text()
    assert "<script>alert" not in Path("out/graph.svg").read_text()
    assert sorted(os.listdir()) == ["data.csv", "out"]
