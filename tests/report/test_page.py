import base64
import hashlib
import html.parser
import json
import re

import numpy as np
import pytest
from markupsafe import escape

from arcs.graphs import GaussianDag
from arcs.report import CITATION, equation, notebook_html, render_report, write_report
from arcs.report.graph import VIEW_SCRIPTS, bundled_script, graph_entries, resource
from arcs.report.page import plain_text
from arcs.summary import in_two_sentences


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


def test_the_policy_allows_one_script_by_its_digest(result, hostile):
    for page in (render_report(result), render_report(hostile, title="<script>alert(1)</script>")):
        meta = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
        policy = dict(part.split(" ", 1) for part in html.unescape(meta.group(1)).split("; "))
        (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.S)
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert policy["script-src"] == f"'sha256-{digest}'"
        assert policy["default-src"] == "'none'"
        assert policy["base-uri"] == policy["form-action"] == "'none'"


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
    page = render_report(result.with_(edge_values={"largest_p_value": np.full((8, 8), 0.01)}))
    assert 'name.includes("p_value")' in page  # the view leaves them out of its measures
    assert "p-value</th>" in page


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
    assert plain_text(value) == text


def test_scripts_are_put_together_without_imports(result):
    script = bundled_script(*VIEW_SCRIPTS, "page.js")
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    for name in VIEW_SCRIPTS:
        for imported in re.findall(r'from "\./(\w+\.js)"', resource(name)):
            assert VIEW_SCRIPTS.index(imported) < VIEW_SCRIPTS.index(name)


def test_the_view_gets_what_it_draws(result):
    entries = graph_entries(result)
    assert [node["name"] for node in entries["nodes"]] == list(result.names)
    assert [node["boxed"] for node in entries["nodes"]].count(True) == 2
    strengths = [abs(edge["strength"]) for edge in entries["edges"]]
    assert strengths == sorted(strengths, reverse=True)
    assert sorted(entries["order"]) == list(range(8))


def test_the_table_is_for_people(result):
    sure = np.zeros((8, 8))
    page = render_report(result.with_(edge_values={"confidence": sure + 0.875, "odd_figure": sure}))
    header = re.search(r'id="edges">\n<thead>(.*?)</thead>', page, re.S)[1]
    heads = re.findall(r"<th(?: [^>]*)?>(.*?)</th>", header)
    assert heads == [
        *("From", "To", "Coefficient", "Std. error", "95 % interval", "p-value", "Standardised"),
        *("Direction", "Confidence", "Odd figure"),
    ]
    assert "&lt; 1e−16" in page
    assert ">88%<" in page
    assert "take the network for given" in page
    assert "not how likely it is to be true" in page
    assert "--bootstrap 100" in render_report(result.with_(edge_values={}))


def test_scores_say_which_way_is_better(result):
    page = render_report(result.with_(method="arcs", score=12.0))
    table = re.search(r"<h2>Scores</h2>(.*?)</table>", page, re.S)[1]
    rows = re.findall(r"<tr><th>(.*?)</th><td class=.num.>(.*?)</td><td>(.*?)</td>", table)
    assert [(name, better) for name, _, better in rows] == [
        ("BIC", "larger"),
        ("log-likelihood", "larger"),
        ("objective", "smaller"),
    ]
    assert rows[0][1] == f"{result.bic:,.2f}"
    assert "nats" not in page
    assert "objective" not in render_report(result.with_(score=result.bic))


def test_it_begins_with_what_was_found(result):
    page = render_report(result)
    assert escape(in_two_sentences(result)) in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
