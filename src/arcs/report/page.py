"""The report: one HTML file that needs no network, no server and no other file.

The page is a Jinja2 template with autoescaping. The figures that its script works with are JSON
inside the page; ``<``, ``>`` and ``&`` are written as ``\\u003c`` and so on there, so that no name
can end the element it stands in.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from arcs.files import write_atomically
from arcs.graphs import DiscreteDag, MixedDag
from arcs.plots.searches import chosen_setting, tuning_columns
from arcs.report.categories import probability_tables, table_in_words
from arcs.report.causes import (
    average_payload,
    averaged_graph,
    experiments,
    graph_differences,
    node_effects,
)
from arcs.report.charts import trace_chart, tuning_chart
from arcs.report.graph import VIEW_SCRIPTS, bundled_script, graph_entries, resource
from arcs.report.svg import number
from arcs.report.templates import KeptTemplates
from arcs.results import FitResult
from arcs.summary import in_two_sentences
from arcs.tables import printable

__all__ = [
    "CITATION",
    "content_policy",
    "environment",
    "equation",
    "notebook_html",
    "plain_text",
    "render_report",
    "write_report",
]

CITATION = (
    "Q. Ye, A. A. Amini and Q. Zhou, Optimizing regularized Cholesky score for order-based "
    "learning of Bayesian networks, IEEE Transactions on Pattern Analysis and Machine "
    "Intelligence 43 (2021) 3555–3572."
)


@dataclass(frozen=True)
class Preface:
    """What else there is to say of a result, before its graph.

    Attributes
    ----------
    heading : str
    paragraphs : sequence of str
    picture : bytes, optional
        An SVG file.

    Examples
    --------
    >>> from arcs.report import Preface
    >>> Preface("Cells of 2005", ["Nine conditions."], b"<svg/>").address
    'data:image/svg+xml;base64,PHN2Zy8+'
    """

    heading: str
    paragraphs: Sequence[str] = ()
    picture: bytes | None = None

    @property
    def address(self) -> str:
        """The picture as an address that asks nobody for anything."""
        coded = base64.b64encode(self.picture or b"").decode()
        return f"data:image/svg+xml;base64,{coded}"


def render_report(
    result: FitResult, *, title: str | None = None, preface: Preface | None = None
) -> str:
    """The report as HTML text.

    Parameters
    ----------
    result : FitResult
        What to report on.
    title : str, optional
        Heading of the page.
    preface : Preface, optional
        A section before the graph.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> from arcs.report import render_report
    >>> "smoke" in render_report(result, title="Asia")
    True
    """
    template = environment().get_template("page.html")
    return template.render(**_context(result, title), preface=preface)


def write_report(
    result: FitResult,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    preface: Preface | None = None,
) -> Path:
    """Write the report (see :func:`render_report`) to `path`, all at once.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> from arcs.report import write_report
    >>> write_report(result, Path(folder.name, "report.html")).name
    'report.html'
    >>> folder.cleanup()
    """
    text = render_report(result, title=title, preface=preface)
    with write_atomically(path, errors="backslashreplace") as stream:
        stream.write(text)
    return Path(path)


def notebook_html(result: FitResult, height: int = 960) -> str:
    """The report in a frame of its own, for notebooks: its styles and scripts stay inside.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> from arcs.report import notebook_html
    >>> "iframe" in notebook_html(result)
    True
    """
    page = escape(render_report(result))
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{page}" style="width:100%;height:{height}px;'
        'border:1px solid #ccc" title="ARCS report"></iframe>'
    )


def equation(result: FitResult, node: int) -> str:
    """The structural equation of a node, or its table of probabilities, for reading.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> from arcs.report import equation
    >>> isinstance(equation(result, 0), str)
    True
    """
    dag = result.dag
    if isinstance(dag, DiscreteDag | MixedDag):
        return table_in_words(dag, node)
    terms = [f"{printable(dag.names[node])} ="]
    intercept = float(dag.intercepts[node])
    started = False
    if intercept != 0:
        terms.append(number(intercept))
        started = True
    for parent in np.flatnonzero(dag.adjacency[:, node]):
        value = float(dag.coefficients[parent, node])
        sign = "−" if value < 0 else "+" if started else ""
        size = number(abs(value))
        terms.append(f"{sign} {size} {printable(dag.names[parent])}".strip())
        started = True
    noise = f"e, sd(e) = {number(sqrt(float(dag.noise_variances[node])))}"
    return " ".join([*terms, f"+ {noise}" if started else noise])


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates' filters, and escaping of everything that comes from data."""
    made = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        loader=FunctionLoader(resource),
        bytecode_cache=KeptTemplates(__file__),
    )
    made.filters["number"] = number
    made.filters["plain"] = plain_text
    made.filters["figure"] = _figure
    made.filters["heading"] = _heading
    return made


def _context(result: FitResult, title: str | None) -> dict[str, Any]:
    rows = result.edge_table().rows()
    script = bundled_script(*VIEW_SCRIPTS, "effects.js", "tables.js", "page.js")
    average = averaged_graph(result)
    return {
        "policy": content_policy(script),
        "title": title or f"Bayesian network of {len(result.names)} variables",
        "result": result,
        "sentences": in_two_sentences(result),
        "facts": _facts(result),
        "scores": _scores(result),
        "rows": rows,
        "discrete": isinstance(result.dag, DiscreteDag | MixedDag),
        "tables": probability_tables(result),
        "has_confidence": "confidence" in result.edge_values,
        "extra": [name for name in result.edge_values if name not in ("confidence", "strength")],
        "average": average,
        "differences": [] if average is None else graph_differences(result, average),
        "experiments": experiments(result),
        "trace": Markup(trace_chart(result.trace)),
        "tuning_chart": Markup(tuning_chart(result)),
        "tuning": _tuning_table(result),
        "audit": _audit(result),
        "provenance": _provenance(result),
        "citation": CITATION,
        "css": Markup(resource("graphview.css") + resource("page.css")),
        "script": Markup(script),
        "payload": Markup(_script_json(_payload(result, average))),
    }


def content_policy(script: str) -> str:
    """What the browser may do with the page: run this one script, and ask nobody for anything.

    The script is named by its digest: another one, smuggled in by whatever name or file, would not
    run even if it got into the page.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = ("default-src 'none'", "style-src 'unsafe-inline'", f"script-src 'sha256-{digest}'")
    return "; ".join((*parts, "img-src data:", "base-uri 'none'", "form-action 'none'"))


def _facts(result: FitResult) -> list[tuple[str, str]]:
    told = int(result.cpdag.directed.sum())
    facts = [
        ("Method", result.method),
        ("Rows", f"{result.n_rows:,}"),
        ("Variables", f"{len(result.names):,}"),
        ("Edges", f"{result.n_edges:,}"),
        ("Directions identified", f"{told} of {result.cpdag.n_edges}"),
        ("BIC (larger is better)", f"{result.bic:,.1f}"),
        ("Intervened variables", str(len(result.intervened) or "none (observational)")),
        ("Stopped", result.stopped),
    ]
    if "total" in result.timings:
        facts.append(("Time", f"{result.timings['total']:.1f} s"))
    return facts


def _scores(result: FitResult) -> list[tuple[str, str, str, str]]:
    """Every score with its direction: name, value, which way is better, meaning."""
    from arcs.learners import LEARNERS

    unit = "parameter" if isinstance(result.dag, DiscreteDag | MixedDag) else "edge"
    meaning = f"twice the log-likelihood less log(rows) per {unit}; comparable between methods"
    scores = [
        ("BIC", f"{result.bic:,.2f}", "larger", meaning),
        (
            "log-likelihood",
            f"{result.log_likelihood:,.2f}",
            "larger",
            "how well the network fits these rows; grows with every edge",
        ),
    ]
    if result.score != result.bic:
        known = result.method in LEARNERS
        better = LEARNERS[result.method].better_score if known else "–"
        own = f"what {result.method} works with, on its own scale"
        scores.append(("objective", f"{result.score:,.2f}", better, own))
    return scores


def _tuning_table(result: FitResult) -> dict[str, Any]:
    columns = tuning_columns(result.tuning)
    if not columns:
        return {}
    rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    return {"columns": list(columns), "rows": rows, "chosen": chosen_setting(result)}


def _audit(result: FitResult) -> list[tuple[str, str]]:
    p = len(result.names)
    ratio = result.n_rows / max(p, 1)
    size = f"{result.n_rows:,} rows for {p:,} variables ({ratio:.1f} per variable)"
    items = [
        ("rows against variables", size + ("; fewer rows than variables" if ratio < 1 else ""))
    ]
    targets = result.intervened
    if targets:
        names = ", ".join(targets[:20])
        more = f" and {len(targets) - 20} more" if len(targets) > 20 else ""
        items.append(("intervened variables", names + more))
    items += [("done", text) for text in result.preparation.get("sentences", ())]
    shares = result.preparation.get("adjust", {}).get("partial_r2", {})
    for term, row in shares.items():
        ranked = sorted(row.items(), key=lambda pair: -pair[1])[:20]
        listed = ", ".join(f"{name} {100 * share:.1f} %" for name, share in ranked)
        items.append((f"partial R² of {term}", listed))
    rest = {key: value for key, value in result.audit.items() if key not in ("n", "p")}
    return items + [(key.replace("_", " "), plain_text(value)) for key, value in rest.items()]


def _provenance(result: FitResult) -> list[tuple[str, list[tuple[str, str]]]]:
    general = [("data", result.source or "–"), ("seed", plain_text(result.seed))]
    general.append(("converged", "yes" if result.converged else "no"))
    groups = [("Run", general)]
    for heading, mapping in (
        ("Settings", result.settings),
        ("Penalty", result.penalty),
        ("Seconds", result.timings),
        ("Versions", result.versions),
    ):
        if mapping:
            groups.append((heading, [(_words(k), plain_text(v)) for k, v in mapping.items()]))
    return groups


def _words(key: object) -> str:
    """The name of a setting as words."""
    known = {"lam": "lambda", "n_iter": "iterations", "n_jobs": "jobs", "n_chains": "chains"}
    return known.get(str(key), str(key).replace("_", " "))


def _heading(name: str) -> str:
    """The name of a figure as the heading of a column."""
    words = printable(name).replace("p_value", "p-value").replace("bic", "BIC").replace("_", " ")
    return words[:1].upper() + words[1:]


def _figure(value: float, name: str) -> str:
    """A figure of an edge for reading; below 1e-16 the rest of a p-value is noise."""
    if "confidence" in name and isfinite(value):
        return f"{value:.0%}"
    return "< 1e−16" if "p_value" in name and value < 1e-16 else number(value)


def plain_text(value: Any) -> str:
    """Any value of a setting or an audit as one line of text."""
    if value is None:
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return f"{float(value):.6g}"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {plain_text(entry)}" for key, entry in value.items()) or "none"
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return ", ".join(plain_text(entry) for entry in value) or "none"
    return printable(str(value))


def _payload(result: FitResult, average: FitResult | None) -> dict[str, Any]:
    """What the page's script needs to know."""
    graph = graph_entries(result)
    for k, (node, effects) in enumerate(zip(graph["nodes"], node_effects(result), strict=True)):
        node |= {"equation": equation(result, k), **effects}
    graph["average"] = average_payload(graph, average)
    return graph


def _script_json(value: Any) -> str:
    """JSON that may stand inside a script element, whatever the names are."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
