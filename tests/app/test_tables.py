"""Columns, proposals and small histograms."""

import numpy as np
import pytest

from arcs.app.tables import look_at, propose_roles
from arcs.errors import FileFormatError


def test_roles_are_proposed_with_a_reason(table):
    proposed = propose_roles(look_at(table))
    assert {name: role for name, (role, _) in proposed.items()} == {
        "id": "out",
        "a": "variable",
        "b": "variable",
        "c": "variable",
        "d": "variable",
        "flat": "out",
        "target": "intervention",
    }
    assert proposed["id"][1] == "numbers the rows"
    assert proposed["flat"][1] == "does not vary"
    assert proposed["a"][1] == ""


def test_text_columns(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{k / 7},s{k},{'north' if k % 2 else 'south'}" for k in range(60)]
    path.write_text("x,name,site\n" + "\n".join(rows))
    proposed = propose_roles(look_at(path))
    assert proposed["name"] == ("out", "text that differs from row to row")
    assert proposed["site"][0] == "condition"


def test_a_second_label_column_is_left_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y,one,two\n" + "\n".join(f"{k / 3},{k % 5},x,y" for k in range(30)))
    proposed = propose_roles(look_at(path))
    assert proposed["one"][0] == "intervention"
    assert proposed["two"] == ("out", "one names interventions already")


def test_columns_describe_themselves(table):
    columns = {column.name: column.describe() for column in look_at(table).columns}
    values = np.genfromtxt(table, delimiter=",", skip_header=1, usecols=1)
    assert columns["a"]["mean"] == pytest.approx(values.mean())
    assert sum(columns["a"]["histogram"]) == 200
    assert columns["target"]["labels"][0] == ["control", 150]


def test_rows_that_stand_together_are_all_looked_at(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{k / 7},{'control' if k < 9000 else 'x'}" for k in range(10_000)]
    path.write_text("\n".join(["x,label", *rows]))
    table = look_at(path)
    assert table.rows_seen == 3334
    assert propose_roles(table)["label"][0] == "intervention"


def test_missing_values_and_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n1,5;2\nNA;3,25\n2,5;\n")
    x, y = (column.describe() for column in look_at(path).columns)
    assert (x["missing"], x["mean"]) == (1, 2.0)
    assert (y["missing"], y["high"]) == (1, 3.25)


def test_parquet_looks_the_same(table, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / "cells.parquet"
    pandas.read_csv(table).to_parquet(path)
    assert propose_roles(look_at(path)) == propose_roles(look_at(table))


def test_a_damaged_file_is_refused_in_the_usual_words(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"")
    with pytest.raises(FileFormatError, match="the file is empty"):
        look_at(path)
