"""The graph view that report, notebook and app share: its figures and its scripts.

The view is a handful of JavaScript modules beside this file. The app serves them as they are; a
report, which has to be one file, gets them put together into one script.
"""

from __future__ import annotations

import re
from importlib.resources import files
from math import isfinite, nan
from typing import Any

from arcs.graphs import GaussianDag
from arcs.report.svg import number
from arcs.results import FitResult
from arcs.tables import printable

__all__ = ["VIEW_SCRIPTS", "bundled_script", "edge_entries", "graph_entries", "resource"]

#: The modules of the view; each imports only what stands before it.
VIEW_SCRIPTS = ("layers.js", "neighbourhood.js", "viewport.js", "graphtools.js", "graphview.js")


def resource(name: str) -> str:
    """The text of a file beside this one."""
    return files("arcs.report").joinpath(name).read_text(encoding="utf-8")


def bundled_script(*names: str) -> str:
    """Modules as one script: what they import from each other stands above."""
    texts = [re.sub(r"^import .*?;\n", "", resource(name), flags=re.MULTILINE) for name in names]
    return "\n".join(re.sub(r"^export ", "", text, flags=re.MULTILINE) for text in texts)


def graph_entries(result: FitResult) -> dict[str, Any]:
    """Nodes and edges (strongest first) as the view draws them; plain values for JSON."""
    boxed = set(result.intervened_nodes)
    return {
        "nodes": [
            {"name": printable(name), "boxed": k in boxed} for k, name in enumerate(result.names)
        ],
        "edges": edge_entries(result),
        "figure": "coefficient" if isinstance(result.dag, GaussianDag) else "strength (log odds)",
        "order": [int(node) for node in result.order.nodes],
    }


def edge_entries(result: FitResult) -> list[dict[str, Any]]:
    """The edges as the view draws them, strongest first."""
    position = {name: k for k, name in enumerate(result.names)}
    strengths = result.strengths()
    entries = []
    for row in result.edge_table().rows():
        i, j = position[row["from"]], position[row["to"]]
        values = {name: row[name] for name in result.edge_values if isfinite(row[name])}
        entries.append(
            {
                "source": i,
                "target": j,
                "coefficient": number(row.get("coefficient", row.get("strength", nan))),
                "strength": float(strengths[i, j]),
                "reversible": row["direction"] == "open",
                "values": {"weight": abs(float(strengths[i, j])), **values},
            }
        )
    return entries
