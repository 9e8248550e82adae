"""The report: one HTML file that needs no network, no server and no other file.

The page is a Jinja2 template with autoescaping. The figures that its script works with are JSON
inside the page; ``<``, ``>`` and ``&`` are written as ``\\u003c`` and so on there, so that no name
can end the element it stands in.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from arcs.confidence.intervals import intervals
from arcs.files import write_atomically
from arcs.plots.edges import EdgeRow, edge_rows, intervened_nodes
from arcs.plots.searches import chosen_setting, tuning_columns
from arcs.plots.style import INTERVENED_FILL, NEGATIVE, POSITIVE
from arcs.report.charts import trace_chart, tuning_chart
from arcs.report.svg import graph_svg, number, printable
from arcs.results import FitResult

__all__ = ["CITATION", "equation", "notebook_html", "render_report", "write_report"]

CITATION = (
    "Q. Ye, A. A. Amini and Q. Zhou, Optimizing regularized Cholesky score for order-based "
    "learning of Bayesian networks, IEEE Transactions on Pattern Analysis and Machine "
    "Intelligence 43 (2021) 3555–3572."
)


def render_report(result: FitResult, *, title: str | None = None, svg: str | None = None) -> str:
    """The report as HTML text.

    Parameters
    ----------
    result : FitResult
        What to report on.
    title : str, optional
        Heading of the page.
    svg : str, optional
        What :func:`arcs.report.graph_svg` returned for this result, if it was called already:
        the layout of a large graph takes seconds.
    """
    template = _environment().from_string(_resource("page.html"))
    return template.render(**_context(result, title, svg or graph_svg(result)))


def write_report(
    result: FitResult,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    svg: str | None = None,
) -> Path:
    """Write the report (see :func:`render_report`) to `path`, all at once."""
    text = render_report(result, title=title, svg=svg)
    with write_atomically(path) as stream:
        stream.write(text)
    return Path(path)


def notebook_html(result: FitResult, height: int = 640) -> str:
    """The report in a frame of its own, for notebooks: its styles and scripts stay inside."""
    page = escape(render_report(result))
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{page}" style="width:100%;height:{height}px;'
        'border:1px solid #ccc" title="ARCS report"></iframe>'
    )


def equation(result: FitResult, node: int) -> str:
    """The structural equation of a node, for reading."""
    dag = result.dag
    terms = [f"{printable(dag.names[node])} ="]
    intercept = float(dag.intercepts[node])
    started = False
    if intercept != 0:
        terms.append(number(intercept))
        started = True
    for parent in dag.parents(node):
        value = float(dag.coefficients[parent, node])
        sign = "−" if value < 0 else "+" if started else ""
        size = number(abs(value))
        terms.append(f"{sign} {size} {printable(dag.names[parent])}".strip())
        started = True
    noise = f"e, sd(e) = {number(math.sqrt(float(dag.noise_variances[node])))}"
    return " ".join([*terms, f"+ {noise}" if started else noise])


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["number"] = number
    environment.filters["plain"] = _plain
    return environment


def _resource(name: str) -> str:
    return files("arcs.report").joinpath(name).read_text(encoding="utf-8")


def _context(result: FitResult, title: str | None, svg: str) -> dict[str, Any]:
    rows = edge_rows(result)
    return {
        "title": title or f"Bayesian network of {len(result.names)} variables",
        "result": result,
        "facts": _facts(result),
        "rows": rows,
        "limits": _limits(result, rows),
        "positive": POSITIVE,
        "negative": NEGATIVE,
        "intervened": intervened_nodes(result),
        "intervened_fill": INTERVENED_FILL,
        "names": [printable(name) for name in result.names],
        "extra": list(result.edge_values),
        # Of a p-value the small ones count: a threshold from below would keep the wrong edges.
        "measures": [name for name in result.edge_values if "p_value" not in name],
        "svg": Markup(svg),
        "trace": Markup(trace_chart(result.trace)),
        "tuning_chart": Markup(tuning_chart(result)),
        "tuning": _tuning_table(result),
        "audit": _audit(result),
        "provenance": _provenance(result),
        "regimes": result.settings.get("intervention_kind", "hard") != "hard",
        "citation": CITATION,
        "css": Markup(_resource("page.css")),
        "script": Markup(_resource("page.js")),
        "payload": Markup(_script_json(_payload(result, rows))),
    }


def _facts(result: FitResult) -> list[tuple[str, str]]:
    told = int(result.cpdag.directed.sum())
    targets = intervened_nodes(result)
    facts = [
        ("Method", result.method),
        ("Rows", f"{result.n_rows:,}"),
        ("Variables", f"{len(result.names):,}"),
        ("Edges", f"{result.n_edges:,}"),
        ("Directions identified", f"{told} of {result.cpdag.n_edges}"),
        ("BIC", f"{result.bic:,.1f}"),
        ("Intervened variables", str(len(targets)) if targets else "none (observational)"),
        ("Stopped", result.stopped),
    ]
    if "total" in result.timings:
        facts.append(("Time", f"{result.timings['total']:.1f} s"))
    return facts


def _limits(result: FitResult, rows: list[EdgeRow]) -> list[tuple[float, float]]:
    """The 95 % confidence interval of every edge."""
    bounds = intervals(result)
    edges = [(row.source, row.target) for row in rows]
    return [(float(bounds.lower[edge]), float(bounds.upper[edge])) for edge in edges]


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
    targets = intervened_nodes(result)
    if targets:
        names = ", ".join(result.names[k] for k in targets[:20])
        more = f" and {len(targets) - 20} more" if len(targets) > 20 else ""
        items.append(("intervened variables", names + more))
    rest = {key: value for key, value in result.audit.items() if key not in ("n", "p")}
    return items + [(key.replace("_", " "), _plain(value)) for key, value in rest.items()]


def _provenance(result: FitResult) -> list[tuple[str, list[tuple[str, str]]]]:
    general = [("data", result.source or "–"), ("seed", _plain(result.seed))]
    general += [
        ("score", f"{result.score:,.2f}"),
        ("log-likelihood", f"{result.log_likelihood:,.2f}"),
    ]
    general.append(("converged", "yes" if result.converged else "no"))
    groups = [("Run", general)]
    for heading, mapping in (
        ("Settings", result.settings),
        ("Penalty", result.penalty),
        ("Seconds", result.timings),
        ("Versions", result.versions),
    ):
        if mapping:
            groups.append((heading, [(str(k), _plain(v)) for k, v in mapping.items()]))
    return groups


def _plain(value: Any) -> str:
    """Any value of a setting or an audit as one line of text."""
    if value is None:
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return f"{float(value):.6g}"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_plain(entry)}" for key, entry in value.items()) or "none"
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return ", ".join(_plain(entry) for entry in value) or "none"
    return printable(str(value))


def _payload(result: FitResult, rows: list[EdgeRow]) -> dict[str, Any]:
    """What the page's script needs to know."""
    return {
        "nodes": [
            {"name": printable(name), "equation": equation(result, k)}
            for k, name in enumerate(result.names)
        ],
        "edges": [
            {
                "source": row.source,
                "target": row.target,
                "coefficient": number(row.coefficient),
                "reversible": row.reversible,
                "values": {"weight": abs(row.strength), **_finite(row.values)},
            }
            for row in rows
        ],
    }


def _finite(values: Mapping[str, float]) -> dict[str, float]:
    return {key: value for key, value in values.items() if math.isfinite(value)}


def _script_json(value: Any) -> str:
    """JSON that may stand inside a script element, whatever the names are."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
