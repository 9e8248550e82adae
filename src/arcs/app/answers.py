"""What the page asks about a result: a variable, an edge, an effect, the difference of two fits.

Every figure comes from a function that users of the library call, too; here it only becomes JSON.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from arcs.data import Dataset
from arcs.errors import GraphError
from arcs.graphs.names import Node
from arcs.graphs.topology import find_cycle
from arcs.report.graph import edge_entries, graph_entries
from arcs.report.page import equation
from arcs.results import FitResult
from arcs.scores import fit_dag
from arcs.tables import printable

__all__ = [
    "difference",
    "edge_answer",
    "effect_answer",
    "effects_of",
    "facts_of",
    "fitted_data",
    "graph_answer",
    "node_answer",
    "plain",
    "what_if",
]

#: Points of a scatter plot; more would only be ink.
_MOST_POINTS = 1_200


def plain(value: Any) -> Any:
    """NumPy values as JSON values; what is not finite becomes None."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value


def graph_answer(result: FitResult) -> dict[str, Any]:
    """The graph for the view, with the facts that stand above it."""
    required = {tuple(pair) for pair in _knowledge(result).get("required", ())}
    graph = graph_entries(result)
    for edge in graph["edges"]:
        pair = (result.names[edge["source"]], result.names[edge["target"]])
        edge["required"] = pair in required
    return {"graph": plain(graph), "facts": facts_of(result)}


def facts_of(result: FitResult) -> Any:
    """What is said of a fit in one line."""
    facts = {
        "edges": result.n_edges,
        "identified": int(result.cpdag.directed.sum()),
        "bic": result.bic,
        "seconds": result.timings.get("total"),
        "stopped": result.stopped,
        "method": result.method,
        "rows": result.n_rows,
        "sentences": result.preparation.get("sentences", []),
    }
    return plain(facts)


def _knowledge(result: FitResult) -> Mapping[str, Any]:
    return result.settings.get("knowledge") or {}


# ---------------------------------------------------------------------- variables and edges
def node_answer(result: FitResult, node: int, data: Dataset | None) -> dict[str, Any]:
    """A variable: its equation, its neighbours, and its residuals against what is predicted.

    The data are those of :func:`fitted_data`.
    """
    name = result.names[node]
    told: dict[str, Any] = {
        "name": printable(name),
        "equation": equation(result, node),
        "parents": [int(k) for k in result.dag.parents(node)],
        "children": [int(k) for k in result.dag.children(node)],
    }
    if data is not None and data.values is not None:
        fitted = data.values @ result.dag.coefficients[:, node]
        fitted += _means(data.values[:, node] - fitted, node, data)
        told["residuals"] = _points(fitted, data.values[:, node] - fitted, data, node)
    return plain(told)  # type: ignore[no-any-return]


def edge_answer(
    result: FitResult, source: int, target: int, data: Dataset | None
) -> dict[str, Any]:
    """An edge: coefficient with interval, what the score says, the rows behind it."""
    names = (result.names[source], result.names[target])
    found = [k for k, row in enumerate(_pairs(result)) if row == names]
    if not found:
        raise GraphError(f"there is no edge {names[0]!r} -> {names[1]!r} in this fit")
    row = result.edge_table().rows()[found[0]]
    told: dict[str, Any] = {**edge_entries(result)[found[0]], **row}
    if data is not None:
        told |= _changes(result, source, target, data)
        if data.values is not None:
            columns = data.values[:, source], data.values[:, target]
            told["rows"] = _points(*columns, data, target)
    return plain(told)  # type: ignore[no-any-return]


def _pairs(result: FitResult) -> list[tuple[str, str]]:
    table = result.edge_table()
    return list(zip(table["from"], table["to"], strict=True))


def _changes(result: FitResult, source: int, target: int, data: Dataset) -> dict[str, Any]:
    """By how much BIC falls if the edge is removed, and if it is turned."""
    if result.changes_sought:
        return {}
    statistics = data.statistics()

    def bic(adjacency: np.ndarray) -> float:
        used = statistics.n > 0
        price = float(adjacency.sum(axis=0)[used] @ np.log(statistics.n[used]))
        return 2 * fit_dag(adjacency, statistics).log_likelihood - price

    without = result.dag.adjacency.copy()
    without[source, target] = False
    turned = without.copy()
    turned[target, source] = True
    now = bic(result.dag.adjacency)
    told: dict[str, Any] = {"removed": bic(without) - now}
    if find_cycle(turned) is None:
        told["turned"] = bic(turned) - now
    else:
        told["turned_cycle"] = True
    return told


def fitted_data(result: FitResult, data: Dataset) -> Dataset:
    """The data on the scale of the fit, with those means free that it took for different."""
    data = data.decided(result.preparation)
    record, conditions = result.preparation.get("conditions"), data.conditions
    if record is None or conditions is None:
        return data
    shifts = np.full((len(conditions.labels), data.p), "shifts" not in record)
    shifts &= record["policy"] != "common"
    for label, names in record.get("shifts", {}).items():
        at = [data.names.index(name) for name in names]
        shifts[conditions.labels.index(label), at] = True
    return data.with_conditions(conditions.settled(shifts))


def _means(rest: np.ndarray, node: int, data: Dataset) -> np.ndarray:
    """What is left of a node in the mean: over the rows it was not set in, or by condition."""
    free = np.ones(rest.size, dtype=bool)
    if data.interventions is not None:
        free = ~data.interventions.mask[:, node]
    conditions = data.conditions
    groups = np.zeros(rest.size, dtype=int)
    if conditions is not None and conditions.shifts is not None and conditions.code is not None:
        groups = np.where(conditions.shifts[conditions.code, node], conditions.code + 1, 0)
    means = np.zeros(rest.size)
    for group in np.unique(groups):
        here = groups == group
        used = here & free if (here & free).any() else here
        means[here] = np.nanmean(rest[used])
    return means


def _points(x: np.ndarray, y: np.ndarray, data: Dataset | None, target: int) -> dict[str, Any]:
    """A scatter plot: at most so many points, evenly spread over the rows."""
    keep = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    step = max(1, math.ceil(keep.size / _MOST_POINTS))
    keep = keep[::step]
    told: dict[str, Any] = {"x": x[keep].round(6), "y": y[keep].round(6), "of": int(x.size)}
    if data is None:
        return told
    if data.interventions is not None:
        told["set"] = data.interventions.mask[keep, target].astype(int)
        told["regime"] = data.interventions.regime[keep]
    if data.conditions is not None and data.conditions.code is not None:
        told["regime"] = data.conditions.code[keep]
    return told


# ---------------------------------------------------------------------- effects
def effects_of(result: FitResult, source: int) -> list[dict[str, Any]]:
    """Total effects of a variable on all it reaches, largest (standardised) first."""
    found = [
        {
            "target": result.names.index(row["to"]),
            "effect": row["effect"],
            "low": row["interval_low"],
            "high": row["interval_high"],
            "standardised": row["standardised"],
            "share": row.get("ancestor_share"),
        }
        for row in result.effects_table(source).rows()
    ]
    return plain(found)  # type: ignore[no-any-return]


def effect_answer(result: FitResult, source: int, target: int) -> dict[str, Any]:
    """One total effect in words: its three uncertainties, told apart."""
    return {"text": printable_lines(str(result.effect(source, target)))}


def printable_lines(text: str) -> str:
    """Text of several lines without characters that show nothing."""
    return "\n".join(printable(line) for line in text.split("\n"))


def what_if(result: FitResult, do: Mapping[str, float]) -> dict[str, Any]:
    """Every variable's mean before and under an intervention, with intervals."""
    if not do:
        raise GraphError("choose a variable to set")
    set_: dict[Node, Any] = dict(do.items())
    before, after = result.prediction(), result.prediction(do=set_)
    change = after.mean[0] - before.mean[0]
    low, high = _change_bounds(result, do, before.mean[0])
    spread = np.where(before.sd[0] > 0, before.sd[0], 1.0)
    rows = [
        {
            "node": k,
            "before": before.mean[0][k],
            "after": after.mean[0][k],
            "change": change[k],
            "low": low[k],
            "high": high[k],
            "sds": change[k] / spread[k],
            "new_low": after.lower[0][k],
            "new_high": after.upper[0][k],
            "set": name in do,
        }
        for k, name in enumerate(result.names)
    ]
    rows.sort(key=lambda row: (not row["set"], -abs(float(row["sds"]))))
    return {"rows": plain(rows), "level": before.level}


def _change_bounds(
    result: FitResult, do: Mapping[str, float], mean: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the change of each mean; unknown where several variables are set."""
    p = len(result.names)
    if len(do) != 1:
        return np.full(p, np.nan), np.full(p, np.nan)
    (name, value), *_ = do.items()
    x = result.names.index(name)
    table = result.effect_figures()
    step = value - mean[x]
    ends = np.sort(np.array([table.lower[x], table.upper[x]]) * step, axis=0)
    ends[:, x] = step
    return ends[0], ends[1]


# ---------------------------------------------------------------------- two fits
def difference(first: FitResult, second: FitResult) -> dict[str, Any]:
    """Both graphs, with what is the same, what was added, removed and turned."""
    if first.names != second.names:
        raise GraphError("the two fits are about different variables; there is no difference")
    old, new = first.dag.adjacency, second.dag.adjacency
    count = {
        "same": int((old & new).sum()),
        "turned": int((old & new.T).sum()),
        "added": int((new & ~old & ~old.T).sum()),
        "removed": int((old & ~new & ~new.T).sum()),
        "bic": second.bic - first.bic,
    }
    return {
        "first": _beside(first, new, "removed"),
        "second": _beside(second, old, "added"),
        "count": plain(count),
    }


def _beside(result: FitResult, other: np.ndarray, alone: str) -> Any:
    """A graph whose edges say whether the other one has them, too."""
    graph = graph_entries(result)
    for edge in graph["edges"]:
        at = (edge["source"], edge["target"])
        edge["kind"] = "same" if other[at] else "turned" if other[at[::-1]] else alone
    return plain(graph)
