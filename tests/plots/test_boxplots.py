import numpy as np
import pytest

from arcs.errors import DataError
from arcs.plots import plot_boxplots

ROWS = [
    {"method": method, "setting": setting, "SHD": base + step}
    for method, base in (("arcs", 10), ("pc", 30))
    for setting in ("Andes", "Pigs")
    for step in range(5)
]


def medians(ax):
    flat = [line.get_ydata() for line in ax.get_lines() if len(line.get_ydata()) == 2]
    return {float(y[0]) for y in flat if y[0] == y[1]}


def test_each_method_has_a_box_per_group():
    ax = plot_boxplots(ROWS, "SHD", group="setting")
    assert len(ax.patches) == 4
    assert [t.get_text() for t in ax.get_xticklabels()] == ["Andes", "Pigs"]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["arcs", "pc"]
    assert {12.0, 32.0} <= medians(ax)


def test_boxes_differ_in_colour_and_hatch():
    first, second = plot_boxplots(ROWS, "SHD").patches
    assert first.get_facecolor() != second.get_facecolor()
    assert first.get_hatch() != second.get_hatch()


def test_order_of_boxes():
    ax = plot_boxplots(ROWS, "SHD", order=["pc", "arcs"])
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["pc", "arcs"]


def test_failed_runs_are_left_out():
    rows = [*ROWS, {"method": "ges", "setting": "Andes", "SHD": None}]
    rows.append({"method": "ges", "setting": "Andes", "SHD": np.nan})
    assert len(plot_boxplots(rows, "SHD").patches) == 2


def test_nothing_to_draw_is_refused():
    with pytest.raises(DataError, match="no row has a value of 'JI'"):
        plot_boxplots(ROWS, "JI")
