"""Tables with and without pandas."""

import sys

import numpy as np
import pytest

from arcs.errors import GraphError
from arcs.tables import LabelledMatrix, Table


@pytest.fixture
def without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)


def test_a_table_is_columns_of_equal_length():
    table = Table({"from": ["a", "b"], "weight": np.array([0.5, np.nan])})
    assert table.columns == tuple(table) == ("from", "weight")
    assert len(table) == 2
    assert table.rows()[0] == {"from": "a", "weight": 0.5}
    assert len(Table({})) == 0


def test_frames_where_pandas_is_installed():
    import pandas as pd

    table = Table({"from": ["a"], "weight": [0.5]})
    pd.testing.assert_frame_equal(table.to_frame(), pd.DataFrame({"from": ["a"], "weight": [0.5]}))


def test_the_same_columns_where_it_is_not(without_pandas):
    table = Table({"from": ["a"], "weight": [0.5]})
    assert table.to_frame() is table


def test_text_shows_the_first_rows_and_counts_the_rest():
    table = Table({"name": [f"x{i}\n" for i in range(30)], "value": list(range(30))})
    lines = table.to_text(3).splitlines()
    assert lines == ["name  value", "x0        0", "x1        1", "x2        2", "... and 27 more"]


def test_html_is_escaped():
    page = Table({"<b>": ["<script>"]})._repr_html_()
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page


def test_a_matrix_by_name_and_by_position():
    matrix = LabelledMatrix(np.arange(9.0).reshape(3, 3), ("a", "b", "c"))
    assert matrix["b", "c"] == matrix[1, 2] == matrix["b", 2] == 5.0
    np.testing.assert_array_equal(matrix["c"], [6, 7, 8])
    np.testing.assert_array_equal(np.asarray(matrix) @ np.eye(3), matrix.values)
    assert len(matrix) == 3
    with pytest.raises(GraphError, match="'d'"):
        matrix["d", "a"]


def test_a_matrix_as_a_frame():
    matrix = LabelledMatrix(np.arange(4.0).reshape(2, 2), ("a", "b"))
    assert matrix.to_frame().loc["a", "b"] == 1.0
    assert "a" in repr(matrix)
    assert "<table" in matrix._repr_html_()


def test_a_matrix_without_pandas(without_pandas):
    table = LabelledMatrix(np.arange(4.0).reshape(2, 2), ("a", "b")).to_frame()
    assert table.columns == ("from", "a", "b")
    assert table["b"] == [1.0, 3.0]
