"""Tables are means of the rows, beside the paper's figures."""

from __future__ import annotations

import csv
import math
import random

import pytest

from arcs.experiments.report import summarise
from arcs.experiments.reported import reported
from arcs.experiments.studies import STUDIES, TABLES, study
from arcs.experiments.tables import as_csv, as_markdown, as_matrix, as_text, make_table


@pytest.fixture
def rows(make_row):
    return [
        make_row(seed=1000, SHD=3, P=10, seconds=1.0),
        make_row(seed=1001, SHD=5, P=11, seconds=9.0),
        make_row(seed=1002, SHD=10, P=15, seconds=2.0),
        make_row(seed=1003, SHD=99, status="timeout", seconds=600.0),
        make_row(seed=1004, SHD=None, status="error: DataError: singular"),
        make_row(method="GIES", SHD=1),
        make_row(method="oracle l0", SHD=0),
        make_row(case="Sachs-n55-experimental", network="Sachs", SHD=7),
        make_row(case="Asia-n40-observational", experimental=False, SHD=77),
        make_row(method="HC", SHD=88),
    ]


def line_of(table, network, method):
    found = [x for x in table.lines if x.case.setting.name == network and x.method == method]
    assert len(found) == 1
    return found[0]


def test_means_are_over_runs_that_ended_properly(rows):
    line = line_of(make_table(study("table5"), rows), "Asia", "CD")
    assert line.data_sets == 3
    assert line.means["SHD"] == 6
    assert line.means["P"] == 12
    assert line.seconds == 2.0
    # Sample variance of 3, 5, 10 is 13.
    assert line.spread == pytest.approx(math.sqrt(13 / 3))
    assert (line.timeouts, line.errors) == (1, 1)
    assert line.paper["SHD"] == 8


def test_other_methods_and_other_cases_stay_out(rows):
    table = make_table(study("table5"), rows)
    assert line_of(table, "Sachs", "CD").means["SHD"] == 7
    assert {line.method for line in table.lines if line.data_sets} == {"CD", "GIES", "oracle l0"}


def test_lines_of_the_paper_without_runs_of_ours_are_there(rows):
    line = line_of(make_table(study("table5"), rows), "Barley", "ARCS(GIES)")
    assert line.data_sets == 0
    assert line.means == {}
    assert line.paper["SHD"] == 84


def test_an_oracle_is_never_the_best(rows):
    table = make_table(study("table5"), rows)
    asia = study("table5").cases[0]
    assert table.best(asia) == {"GIES"}


def test_the_order_of_the_rows_does_not_matter(rows):
    shuffled = list(rows)
    random.Random(0).shuffle(shuffled)
    assert make_table(study("table5"), rows) == make_table(study("table5"), shuffled)


def test_notes_name_what_is_missing_from_the_means(rows):
    notes = " ".join(make_table(study("table5"), rows).notes())
    assert "CD on Asia (8, 8, 40): 1 of 5 runs reached the time limit." in notes
    assert "1 of 5 runs failed (error: DataError: singular)" in notes
    assert "Fewer than 3 data sets for CD, GIES, oracle l0" in notes


def test_text_has_ours_and_theirs_in_one_line(rows):
    text = as_text(make_table(study("table5"), rows)).splitlines()
    at = text.index("Asia (8, 8, 40)")
    words = text[at + 1].split()
    assert words[0] == "CD"
    assert words[5] == "6.0"
    assert words[words.index("|") + 1 :] == ["14", "6", "1", "7", "8", "0.47"]
    assert "1.0*" in text[at + 3]
    assert max(map(len, text)) <= 100


def test_markdown_and_csv_agree_with_the_table(rows):
    table = make_table(study("table5"), rows)
    page = as_markdown(table).splitlines()
    assert len(page) == 2 + len(table.lines)
    assert "**1.0**" in next(line for line in page if "| GIES |" in line)
    machine = list(csv.DictReader(as_csv(table).splitlines()))
    assert len(machine) == len(table.lines)
    assert float(machine[0]["SHD"]) == 6
    assert float(machine[0]["paper_SHD"]) == 8
    assert float(machine[0]["SHD_standard_error"]) == pytest.approx(math.sqrt(13 / 3))


def test_matrix_of_means(rows):
    lines = as_matrix(make_table(study("table5"), rows)).splitlines()
    heads = [cell.strip() for cell in lines[0].split("|")]
    cells = [cell.strip() for cell in lines[2].split("|")]
    assert len(lines) == 4
    assert cells[1] == "Asia (8, 8, 40), experimental"
    assert (cells[heads.index("CD")], cells[heads.index("GIES")]) == ("6.0", "1.0")
    assert cells[heads.index("ARCS(CD)")] == "-"


def test_without_rows_there_are_the_papers_lines_only():
    table = make_table(study("table1"), [])
    assert len(table.lines) == 28
    assert "the paper's" in as_text(table)


def test_summary_compares_on_the_settings_that_both_have(make_row):
    rows = [
        make_row(method="ARCS(CD)", SHD=4),
        make_row(method="ARCS(CD)", seed=1001, SHD=5),
        make_row(case="Sachs-n55-experimental", network="Sachs", method="ARCS(CD)", SHD=9),
        make_row(method="ARCS", SHD=2),
    ]
    first, second = summarise(make_table(study("table5"), rows))
    # The paper has 4 and 8; 4.5 is more than 4 rounded to a whole number, 9 is more than 8.
    assert (first.method, first.settings, first.compared) == ("ARCS(CD)", 2, 2)
    assert (first.ours, first.paper, first.not_worse) == (13.5, 12, 0)
    assert (second.method, second.compared, second.shd) == ("ARCS", 0, 2)


def test_every_figure_of_the_paper_has_its_place():
    for table in TABLES:
        places = {
            (case.setting.name, case.setting.n, method)
            for case in table.cases
            for method in table.methods
        }
        paper = reported(table.paper_table)
        assert set(paper) <= places
        sizes = {(c.setting.name, c.setting.n) for c in table.cases}
        assert sizes == {key[:2] for key in paper}


def test_the_studies_have_the_papers_numbers_of_settings():
    sizes = {name: len(found.cases) for name, found in STUDIES.items()}
    assert [sizes[f"table{k}"] for k in range(1, 6)] == [7, 7, 7, 7, 9]
    assert sizes["sample-size"] == 7
    assert sizes["interventions"] == 18
    assert sizes["bic"] == 2
