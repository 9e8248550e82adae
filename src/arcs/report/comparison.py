"""A report on several methods side by side: scores, agreement, and who found which edge."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from arcs.comparison import Comparison
from arcs.files import write_atomically
from arcs.graphs import Pdag
from arcs.report.graph import bundled_script, resource
from arcs.report.page import content_policy, environment

__all__ = ["edges_by_method", "render_comparison", "write_comparison"]


def render_comparison(found: Comparison, *, title: str | None = None) -> str:
    """The report as HTML text, in one file as :func:`arcs.report.render_report`.

    Examples
    --------
    >>> from arcs import compare
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> "hc" in render_comparison(compare(drawn.data, ["hc", "ges"]))
    True
    """
    script = f"{bundled_script('graphtools.js', 'tables.js')}\nlivelyTables(document);\n"
    methods = found.table().rows()
    return (
        environment()
        .get_template("compare.html")
        .render(
            policy=content_policy(script),
            title=title or "Methods side by side",
            sentence=_sentence(found, methods),
            methods=methods,
            has_truth=bool(methods) and "SHD" in methods[0],
            failures=found.failures,
            agreement=found.agreement().rows(),
            results=list(found.results),
            edges=edges_by_method(found),
            css=Markup(resource("page.css")),
            script=Markup(script),
        )
    )


def write_comparison(
    found: Comparison, path: str | os.PathLike[str], *, title: str | None = None
) -> Path:
    """Write the report to `path`, all at once.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> from arcs import compare
    >>> from arcs.report import write_comparison
    >>> comparison = compare(drawn.data, ["hc", "ges"])
    >>> write_comparison(comparison, Path(folder.name, "report.html")).name
    'report.html'
    >>> folder.cleanup()
    """
    text = render_comparison(found, title=title)
    with write_atomically(path, errors="backslashreplace") as stream:
        stream.write(text)
    return Path(path)


def edges_by_method(found: Comparison) -> list[dict[str, Any]]:
    """Every edge that some method found, those of most methods first, with a mark per method.

    An edge is written in the direction that most methods give it.
    """
    classes = [result.cpdag for result in found.results.values()]
    if not classes:
        return []
    names = classes[0].names
    joined = np.triu(sum(graph.skeleton.astype(int) for graph in classes))
    rows = []
    for i, j in np.argwhere(joined).tolist():
        forward = sum(bool(graph.directed[i, j]) for graph in classes)
        backward = sum(bool(graph.directed[j, i]) for graph in classes)
        a, b = (j, i) if backward > forward else (i, j)
        marks = [_mark(graph, a, b) for graph in classes]
        rows.append(
            {
                "source": names[a],
                "target": names[b],
                "count": int(joined[i, j]),
                "marks": marks,
            }
        )
    return sorted(rows, key=lambda row: -int(row["count"]))


def _mark(graph: Pdag, a: int, b: int) -> str:
    if graph.directed[a, b]:
        return "→"
    if graph.directed[b, a]:
        return "←"
    return "—" if graph.undirected[a, b] else ""


def _sentence(found: Comparison, methods: list[dict[str, Any]]) -> str:
    if not methods:
        return "No method came to a result."
    top = max(float(row["BIC"]) for row in methods)
    # The same graph, fitted to the same rows, may differ in the last digits.
    best = [row["method"] for row in methods if row["BIC"] >= top - 1e-6 * abs(top)]
    share = "has" if len(best) == 1 else "share"
    edges = edges_by_method(found)
    shared = sum(edge["count"] == len(methods) for edge in edges)
    every = f"; {shared} of {len(edges)} edges were found by all" if len(methods) > 1 else ""
    return f"{len(methods)} methods ran; {', '.join(best)} {share} the best BIC{every}."
