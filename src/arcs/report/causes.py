"""What the report says beyond the graph: effects, the averaged graph, and what to do next."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcs.graphs import GaussianDag
from arcs.report.graph import graph_entries
from arcs.report.svg import number
from arcs.results import FitResult
from arcs.tables import printable

__all__ = [
    "average_payload",
    "averaged_graph",
    "experiments",
    "graph_differences",
    "node_effects",
]

#: Effects shown per variable, largest first.
_MOST_EFFECTS = 12
#: Beyond so many variables a page cannot hold the effects of each; ``arcs effect`` tells them.
_MOST_NODES = 400
#: Experiments in the table.
_EXPERIMENTS = 5


def node_effects(result: FitResult) -> list[dict[str, Any]]:
    """For each variable its largest total effects, with intervals, in standard deviations."""
    names = result.names
    linear = isinstance(result.dag, GaussianDag)
    if len(names) > _MOST_NODES or not result.n_edges or not linear:
        return [{"more": 0, "effects": []} for _ in names]
    table = result.effect_figures()
    sd = np.sqrt(np.diag(result.dag.covariance()))
    entries = []
    for x in range(len(names)):
        found = np.flatnonzero(table.effects[x])
        found = found[found != x]
        ranked = found[np.argsort(-np.abs(table.standardised[x, found]), kind="stable")]
        effects = [
            {
                "name": printable(names[y]),
                "effect": number(table.effects[x, y]),
                **_bounds(table, x, int(y), sd),
            }
            for y in ranked[:_MOST_EFFECTS].tolist()
        ]
        entries.append({"more": len(ranked) - len(effects), "effects": effects})
    return entries


def _bounds(table: Any, x: int, y: int, sd: np.ndarray) -> dict[str, float | None]:
    """The bar and its interval, standardised; None where the error is not known."""
    scale = sd[x] / sd[y]
    ends = {"low": table.lower[x, y] * scale, "high": table.upper[x, y] * scale}
    bounds: dict[str, float | None] = {
        name: float(value) if np.isfinite(value) else None for name, value in ends.items()
    }
    return {"size": float(table.standardised[x, y]), **bounds}


def averaged_graph(result: FitResult) -> FitResult | None:
    """The averaged graph, if there are bootstrap graphs and it can be fitted."""
    kept = result.moments if isinstance(result.dag, GaussianDag) else result.statistics
    if result.ensemble is None or not len(result.ensemble) or kept is None:
        return None
    from arcs.errors import DataError

    try:
        return result.averaged()
    except DataError:  # a result that was put together from parts
        return None


def graph_differences(result: FitResult, average: FitResult) -> list[dict[str, Any]]:
    """The edges in which best and averaged graph differ, most confident first."""
    best, mean = result.dag.adjacency, average.dag.adjacency
    confidence = result.edge_values.get("confidence", np.zeros(best.shape))
    rows = []
    for i, j in np.argwhere((best | mean) & ~(best & mean)).tolist():
        turned = bool(best[j, i] or mean[j, i])
        if turned and mean[i, j]:
            continue  # told from the side of the best graph
        where = "turned in the average" if turned else "best only" if best[i, j] else "average only"
        row = {"from": printable(result.names[i]), "to": printable(result.names[j])}
        rows.append({**row, "where": where, "confidence": float(confidence[i, j])})
    return sorted(rows, key=lambda row: -row["confidence"])


def average_payload(graph: dict[str, Any], average: FitResult | None) -> dict[str, Any] | None:
    """The averaged graph as the view draws it; edges in which it and `graph` differ are marked."""
    if average is None:
        return None
    other = graph_entries(average)
    for one, rest, alone in ((graph, other, "removed"), (other, graph, "added")):
        there = {(edge["source"], edge["target"]) for edge in rest["edges"]}
        for edge in one["edges"]:
            ends = (edge["source"], edge["target"])
            if ends not in there:
                edge["kind"] = "turned" if ends[::-1] in there else alone
    return other


def experiments(result: FitResult) -> list[dict[str, Any]]:
    """From which experiments most would be learned."""
    if len(result.names) > _MOST_NODES:
        return []
    return result.experiment_table(_EXPERIMENTS).rows()
