import html.parser
import json
import re

import numpy as np
import pytest

from arcs.graphs import GaussianDag
from arcs.report import CITATION, equation, notebook_html, render_report, write_report
from arcs.report.page import _plain


class Collector(html.parser.HTMLParser):
    """Tags, attributes and text of a page, as a browser would read them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text, self.scripts = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "script":
            self.scripts.append(data)
        else:
            self.text.append(data)


def test_it_says_what_was_found(result):
    page = render_report(result)
    text = " ".join(Collector(page).text)
    for expected in ("oracle", "cells.csv", "condition number", "12.5", "init", "numpy", CITATION):
        assert expected in text
    assert page.count("<tr data-edge=") == result.n_edges


def test_it_needs_nothing_from_outside(result):
    page = render_report(result)
    without_namespace = page.replace("http://www.w3.org/2000/svg", "")
    assert "http" not in without_namespace.replace("http-equiv", "")
    assert not re.search(r"<(link|img|iframe)\b|@import|url\(", without_namespace)


def test_hostile_names_are_harmless(hostile):
    collected = Collector(render_report(hostile))
    assert collected.tags.count("script") == 2
    assert not {"img", "b"} & set(collected.tags)
    assert not any(name.startswith("on") for name in collected.attributes)
    text = "".join(collected.text)
    assert hostile.names[0] in text
    assert "{{ 7*7 }}" in text


def test_the_embedded_json_cannot_end_its_element(hostile):
    page = render_report(hostile)
    payload = re.search(r'<script type="application/json" id="payload">(.*?)</script>', page, re.S)
    content = json.loads(payload.group(1))
    assert content["nodes"][0]["name"] == hostile.names[0]
    assert not set("<>&") & set(payload.group(1))


def test_the_chosen_setting_is_marked(result):
    best = re.search(r'<tr class="chosen">(.*?)</tr>', render_report(result)).group(1)
    assert re.findall(r"data-value=\"([\d.]+)\"", best) == ["2.0", "2.0", "7.0"]


def test_results_without_search_or_edges(result):
    bare = result.with_(
        dag=GaussianDag(np.zeros((8, 8)), np.ones(8), result.names),
        trace={},
        tuning={},
        stopped="interrupted",
        converged=False,
    )
    page = render_report(bare)
    assert 'id="search-section"' not in page
    assert "There are no edges" in page
    assert "Stopped early (interrupted)" in page
    assert "did not converge" in page


def test_p_values_are_no_threshold_from_below(result):
    page = render_report(result.with_(edge_values={"p_value": np.full((8, 8), 0.01)}))
    assert '<option value="p_value">' not in page
    assert '<th class="num">p_value</th>' in page


def test_writing_is_the_same_text(result, tmp_path):
    path = write_report(result, tmp_path / "report.html", title="T <cells>")
    text = path.read_text(encoding="utf-8")
    assert text == render_report(result, title="T <cells>")
    assert "<title>T &lt;cells&gt;</title>" in text


def test_equations_reproduce_the_model(result):
    for node, name in enumerate(result.names):
        text = equation(result, node).replace("−", "-")
        left, right = text.split(" = ", 1)
        assert left == name
        for parent in result.dag.parents(node):
            size = f"{abs(result.dag.coefficients[parent, node]):.3g}"
            sign = "-" if result.dag.coefficients[parent, node] < 0 else r"(\+|^)"
            assert re.search(rf"{sign} ?{re.escape(size)} {result.names[parent]}\b", right)
        assert f"sd(e) = {np.sqrt(result.dag.noise_variances[node]):.3g}" in right


def test_notebooks_get_the_report_in_a_frame(result, hostile):
    assert result._repr_html_() == notebook_html(result)
    collected = Collector(notebook_html(hostile))
    assert collected.tags == ["iframe"]
    assert {"sandbox", "srcdoc"} <= set(collected.attributes)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (True, "yes"),
        (np.bool_(False), "no"),
        (0.1 + 0.2, "0.3"),
        ({"a": [1, 2], "b": None}, "a: 1, 2; b: –"),
        ([], "none"),
        (np.array([1.5]), "1.5"),
        ("x\x07", "x "),
    ],
)
def test_any_value_becomes_a_line(value, text):
    assert _plain(value) == text
