import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from arcs.report.charts import trace_chart, tuning_chart

SVG = "{http://www.w3.org/2000/svg}"


def curves(text):
    return [
        np.array([point.split(",") for point in line.get("points").split()], dtype=float)
        for line in ElementTree.fromstring(text).iter(f"{SVG}polyline")
    ]


def test_points_follow_the_scores(result):
    current, best, temperature = curves(trace_chart(result.trace))
    # Down on the page is up in SVG's coordinates: scores fall, so y rises.
    assert (np.diff(best[:, 1]) >= 0).all()
    assert np.corrcoef(current[:, 1], -result.trace["score"])[0, 1] > 0.9999
    # A geometric temperature is a straight line on a logarithmic axis.
    assert np.ptp(np.diff(temperature[:, 1])) < 0.21


def test_long_traces_are_thinned_but_keep_their_end():
    steps = np.arange(100_000)
    (line,) = curves(trace_chart({"iteration": steps, "best": np.sqrt(steps)}))
    assert len(line) <= 802
    assert line[-1, 0] == max(line[:, 0])


@pytest.mark.parametrize("best", [[5.0], [5.0, 5.0], [np.nan, 1.0, np.inf]])
def test_odd_traces_do_not_break_it(best):
    (line,) = curves(trace_chart({"best": np.array(best)}))
    assert np.isfinite(line).all()


def test_one_curve_per_gamma(result):
    first, second = curves(tuning_chart(result))
    assert np.argmin(first[:, 1]) == 1
    assert np.argmin(second[:, 1]) == 2


def test_nothing_to_draw_gives_nothing(result):
    assert trace_chart({}) == ""
    assert trace_chart({"best": np.array([np.nan])}) == ""
    assert tuning_chart(result.with_(tuning={})) == ""
