"""The report on several methods."""

import re

import pytest

from arcs import compare
from arcs.comparison import Comparison, MethodRun
from arcs.report import render_comparison
from arcs.report.comparison import edges_by_method
from arcs.simulate import network, random_weights, sample


@pytest.fixture(scope="module")
def found():
    drawn = sample(random_weights(network("asia"), 0), 300, 0)
    return compare(drawn.data, ["hc", "ges", "pc"], truth=drawn.truth)


def test_every_edge_of_every_method_is_there_once(found):
    rows = edges_by_method(found)
    assert [row["count"] for row in rows] == sorted((r["count"] for r in rows), reverse=True)
    for k, result in enumerate(found.results.values()):
        marked = {
            (row["source"], row["target"]): row["marks"][k] for row in rows if row["marks"][k]
        }
        assert len(marked) == result.cpdag.n_edges
        for (a, b), mark in marked.items():
            i, j = result.names.index(a), result.names.index(b)
            kinds = {"→": result.cpdag.directed[i, j], "←": result.cpdag.directed[j, i]}
            assert kinds.get(mark, result.cpdag.undirected[i, j])


def test_the_page(found, tmp_path):
    page = found.report(tmp_path / "r.html", title="<b>T</b>").read_text(encoding="utf-8")
    assert "<title>&lt;b&gt;T&lt;/b&gt;</title>" in page
    assert page.count('<tr><td class="name">') == 3 + len(edges_by_method(found))
    assert "SHD is the number of edges" in page
    best = max(found.table()["BIC"])
    for method, bic in zip(found.table()["method"], found.table()["BIC"], strict=True):
        lead = re.search(r'<p class="lead">(.*?)</p>', page)[1]
        assert (method in lead) == (bic == pytest.approx(best, rel=1e-6))
    assert not re.search(r"<(link|img|iframe)\b|@import|url\(", page)


def test_failures_and_nothing_at_all(found):
    some = Comparison((*found.runs[:1], MethodRun("pc", failure="<script>no</script>")))
    page = render_comparison(some)
    assert "<script>no" not in page
    assert "&lt;script&gt;no" in page
    assert "No method came to a result" in render_comparison(Comparison(()))
