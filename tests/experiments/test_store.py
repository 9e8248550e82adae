"""Rows survive interrupts and come back as they were."""

from __future__ import annotations

import pytest

from arcs.errors import FileFormatError
from arcs.experiments.rows import COLUMNS, current_rows
from arcs.experiments.store import RowStore, write_parquet


@pytest.fixture
def store(tmp_path):
    return RowStore(tmp_path / "deep" / "rows.csv")


def fill(store, rows):
    with store.appending() as file:
        for row in rows:
            file.add(row)


def test_rows_come_back_as_they_were(store, make_row):
    rows = [
        make_row(),
        make_row(seed=1001, JI=1 / 3, seconds=1e-9, score=None, bic=float("nan")),
        make_row(method='odd, "quoted"\nlabel', P=None, SHD=None, JI=None, experimental=False),
        make_row(status="error: first line\nsecond, line"),
    ]
    assert store.rows() == []
    fill(store, rows)
    assert store.rows() == rows
    assert rows[1].bic is None
    assert rows[3].status == "error: first line second, line"


def test_a_second_opening_appends_below_one_header(store, make_row):
    fill(store, [make_row()])
    fill(store, [make_row(seed=1001)])
    assert [row.seed for row in store.rows()] == [1000, 1001]
    assert store.path.read_text().count("versions") == 1


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_line_cut_off_in_the_middle_is_ignored_and_then_removed(store, make_row, cut):
    fill(store, [make_row(), make_row(seed=1001)])
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[:-cut])
    assert [row.seed for row in store.rows()] == [1000]
    fill(store, [make_row(seed=1002)])
    assert [row.seed for row in store.rows()] == [1000, 1002]


def test_several_processes_may_write_at_once(store, make_row):
    with store.appending() as one, store.appending() as other:
        for seed in range(50):
            (one if seed % 2 else other).add(make_row(seed=seed))
        with store.appending() as third:
            third.add(make_row(seed=50))
    assert [row.seed for row in store.rows()] == list(range(51))


def test_keys_of_done_and_unfinished_runs(store, make_row):
    ok, late = make_row(), make_row(seed=1001, status="timeout")
    mended = [make_row(seed=1002, status="error: x"), make_row(seed=1002)]
    fill(store, [ok, late, *mended])
    assert store.keys() == {ok.key, mended[1].key}
    assert store.keys(unfinished=True) == {ok.key, late.key, mended[1].key}


def test_a_file_of_something_else_is_refused(store, make_row):
    store.path.parent.mkdir()
    store.path.write_text("a,b\n1,2\n")
    with pytest.raises(FileFormatError, match=r"no column 'case'.*--store"):
        store.rows()
    with pytest.raises(FileFormatError, match="no column"):
        fill(store, [make_row()])
    assert store.path.read_text() == "a,b\n1,2\n"


def test_a_damaged_line_is_named(store, make_row):
    fill(store, [make_row(), make_row(seed=1001)])
    text = store.path.read_text().replace(",1001,", ",many,")
    store.path.write_text(text)
    with pytest.raises(FileFormatError, match=r"rows\.csv, line 3: .*many"):
        store.rows()


def test_columns_of_an_older_file_keep_their_order(store, make_row):
    store.path.parent.mkdir()
    names = (*reversed(COLUMNS), "extra")
    store.path.write_text(",".join(names) + "\n")
    fill(store, [make_row()])
    assert store.rows() == [make_row()]


def test_current_rows_never_mix_settings(make_row):
    old = [make_row(seed=seed, settings="old", SHD=50) for seed in (1000, 1001, 1002)]
    new = [make_row(seed=seed, settings="new", SHD=1) for seed in (1000, 1001)]
    other = make_row(method="GIES", settings="old")
    kept = current_rows([*old, other, *new])
    assert sorted((row.method, row.seed, row.SHD) for row in kept) == [
        ("CD", 1000, 1),
        ("CD", 1001, 1),
        ("GIES", 1000, 3),
    ]


def test_parquet(tmp_path, make_row):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    rows = [make_row(), make_row(seed=1001, SHD=None, status="timeout")]
    write_parquet(rows, path)
    found = parquet.read_table(path).to_pylist()
    assert found == [row.to_dict() for row in rows]
