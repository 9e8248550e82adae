"""``arcs experiment`` from end to end."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from arcs.cli import app
from arcs.experiments import RowStore


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def invoke(*words):
        return CliRunner().invoke(app, ["experiment", *words])

    return invoke


def test_asia_with_two_methods_from_rows_to_page(run, tmp_path):
    words = ("run", "table5", "--settings", "Asia", "--methods", "gies,cd", "--quick")
    first = run(*words)
    assert first.exit_code == 0, first.output
    assert "table5: 6 runs, 0 done before" in first.stderr
    assert "[6/6]" in first.stderr
    rows = RowStore(tmp_path / "results" / "rows.csv").rows()
    assert sorted((row.method, row.seed) for row in rows) == [
        (label, seed) for label in ("CD", "GIES") for seed in (1000, 1001, 1002)
    ]
    assert all(row.ok and row.network == "Asia" for row in rows)
    second = run(*words)
    assert "6 runs, 6 done before" in second.stderr
    assert len(RowStore("results/rows.csv").rows()) == 6
    table = run("table", "table5")
    line = next(x for x in table.stdout.splitlines() if x.startswith("GIES"))
    mean = sum(row.SHD for row in rows if row.method == "GIES") / 3
    assert f"{mean:.1f}" in line.split()[5]
    assert line.split()[-2:] == ["9", "0.07"]
    assert run("report").exit_code == 0
    assert "Asia (8, 8, 40)" in (tmp_path / "docs" / "results.md").read_text()


def test_a_killed_process_is_named_and_the_other_rows_stay(run, tmp_path, strange_processes):
    words = ("table5", "--settings", "Asia", "--methods", "HC,MMHC", "--first-seed", "1001")
    found = run("run", *words, "--seeds", "1", "--quiet")
    assert found.exit_code == 1
    assert found.stderr == (
        "the process was killed or crashed in 1 run (Asia-n40-experimental, data set 1001, HC); "
        "all other rows are written, --retry runs what failed again\n"
    )
    path = tmp_path / "results" / "rows.csv"
    assert sorted(row.ok for row in RowStore(path).rows()) == [False, True]
    assert path.read_text().endswith("\n")
    again = run("run", *words, "--seeds", "1", "--retry")
    assert "2 runs, 1 done before" in again.stderr
    assert again.exit_code == 1


def test_table_and_figure_to_files(run, tmp_path, make_row):
    pytest.importorskip("matplotlib")
    store = RowStore(tmp_path / "rows.csv")
    with store.appending() as file:
        file.add(make_row(method="ARCS(CD)"))
    assert run("table", "table5", "-f", "csv", "-o", "t.csv", "--store", "rows.csv").exit_code == 0
    assert (tmp_path / "t.csv").read_text().startswith("network,p,s0,n,method,data_sets,P")
    drawn = run("figure", "random-start", "--out", "f.pdf", "--store", "rows.csv")
    assert drawn.exit_code == 0
    assert (tmp_path / "f.pdf").read_bytes().startswith(b"%PDF")
    exported = run("export", "rows.parquet", "--store", "rows.csv")
    assert "wrote 1 rows" in exported.stderr


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("run", "tabel1"), 2, "did you mean 'table1'?"),
        (("run", "table1", "--methods", "GEES"), 2, "there is no method 'GEES'"),
        (("run", "table1", "--settings", "Asia"), 2, "no setting 'Asia' here"),
        (("table", "table1"), 1, "no rows yet; start with `arcs experiment run table1`"),
        (("table", "table1", "--format", "xls"), 2, "text, markdown, csv"),
        (("figure", "listen", "--out", "x.docx"), 2, ".png, .pdf or .svg"),
    ],
)
def test_mistakes_are_told_in_one_line(run, words, code, text):
    found = run(*words)
    assert found.exit_code == code
    assert text in found.stderr
    assert "Traceback" not in found.stderr


def test_lists(run):
    assert "sample-size" in run("list").stdout
    assert "Andes-n300-observational" in run("list", "--cases").stdout
    methods = run("list", "--methods").stdout
    assert "ARCS(GES)" in methods
    assert "grid" not in methods
