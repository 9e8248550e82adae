"""Figures and the page of results are pure functions of the rows."""

from __future__ import annotations

import pytest

from arcs.errors import DataError
from arcs.experiments.cases import CASES
from arcs.experiments.figures import bic_percentiles, draw, grid_percentile
from arcs.experiments.methods import GRID_GAMMAS, GRID_LAMBDAS, grid_label
from arcs.experiments.report import write_report
from arcs.experiments.studies import FIGURES, STUDIES

pytest.importorskip("matplotlib")


@pytest.fixture
def rows_of(make_row):
    """Two data sets for all cases and methods of a study."""

    def make(name, **changes):
        study = STUDIES[name]
        rows = []
        for number, case in enumerate(study.cases):
            s = case.setting
            where = {"case": case.key, "network": s.name, "p": s.p, "s0": s.s0, "n": s.n}
            for place, label in enumerate(study.methods):
                for seed in (1000, 1001):
                    shd = 10 * number + place + seed - 1000
                    what = {"method": label, "seed": seed, "SHD": shd}
                    row = {**where, "experimental": s.experimental, **what, **changes}
                    rows.append(make_row(**row))
        return rows

    return make


@pytest.mark.parametrize("name", [study.name for study in FIGURES] + ["table1"])
def test_every_figure_can_be_drawn(rows_of, name):
    figure = draw(name, rows_of(name))
    assert figure.get_suptitle() == STUDIES[name].title
    assert all(ax.has_data() for ax in figure.axes if ax.axison)


def test_sample_sizes_have_a_panel_per_network_and_a_box_per_method(rows_of):
    figure = draw("sample-size", rows_of("sample-size"))
    andes, win = figure.axes
    assert [t.get_text() for t in andes.get_xticklabels()] == ["n = 200", "n = 300", "n = 400"]
    assert len(win.get_xticklabels()) == 4
    assert [t.get_text() for t in andes.get_legend().get_texts()] == [
        *("CD", "ARCS(CD)", "GES", "ARCS(GES)", "ARCS")
    ]


def test_interventions_show_the_share_of_reversed_edges(rows_of):
    figure = draw("interventions", rows_of("interventions", P=10, R=4))
    share = figure.axes[2]
    assert share.get_ylabel() == "R/P"
    heights = {y for line in share.lines for y in line.get_ydata() if 0 < y < 1}
    assert 0.4 in heights


def test_runs_that_failed_are_not_drawn(rows_of):
    with pytest.raises(DataError, match="arcs experiment run listen"):
        draw("listen", rows_of("listen", status="timeout"))
    with pytest.raises(DataError, match="no rows for 'penalties'"):
        draw("penalties", rows_of("listen"))


def test_a_half_finished_study_can_be_drawn(rows_of):
    rows = [row for row in rows_of("interventions") if row.experimental][:5]
    assert draw("interventions", rows).axes


def test_percentile_of_the_bic():
    assert grid_percentile([1, 2, 3, 3], 3) == 50
    assert grid_percentile([5, 6], 1) == 0


def test_the_grid_shows_the_percentile_of_the_choice(make_row):
    case = CASES["Andes-n200-observational"]
    common = {"case": case.key, "network": "Andes", "experimental": False}
    shds = {
        (i, k): 100 + 20 * i + k for i in range(len(GRID_GAMMAS)) for k in range(len(GRID_LAMBDAS))
    }
    rows = [make_row(**common, method=grid_label("CD", *at), SHD=v) for at, v in shds.items()]
    rows.append(make_row(**common, method="ARCS(CD)", SHD=108))
    (axes,) = draw("bic", rows).axes
    assert axes.get_title() == "ARCS(CD), Andes, n = 200: percentile 10"
    grey = [bar.get_height() for bar in axes.patches if bar.get_facecolor()[:3] == (0.45,) * 3]
    assert sum(grey) == 8
    assert bic_percentiles(rows) == [(case, "CD", 10.0)]


def test_the_page_has_what_has_rows_and_is_the_same_twice(rows_of, tmp_path):
    rows = [*rows_of("table5"), *rows_of("random-start")]
    page = write_report(rows, tmp_path / "docs" / "results.md", machine="2 cores")
    text = page.read_text()
    assert "## Table 5: Experimental data" in text
    assert "## Table 1" not in text
    assert "(figures/random-start.png)" in text
    assert "2 cores" in text
    assert "arcs-bn=0" in text
    assert "| ARCS(CD) |" in text
    # Means of 1.5, 11.5, 21.5, ... against the paper's 4, 8, 18, ...; 41.5 is not 41 (Barley).
    assert "ARCS(CD), the published method, on experimental data" in text
    assert "at or below the paper's in 1 of 9 settings" in text
    picture = tmp_path / "docs" / "figures" / "random-start.png"
    first = picture.read_bytes()
    assert first[:8] == b"\x89PNG\r\n\x1a\n"
    write_report(rows, page, machine="2 cores")
    assert page.read_text() == text
    assert picture.read_bytes() == first
