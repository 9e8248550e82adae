"""What the page asks about a result with categories: tables and probabilities in place of slopes.

As in :mod:`arcs.app.answers`, every figure comes from a function that users of the library call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from arcs.app.answers import plain
from arcs.discrete_results import StrengthResult
from arcs.errors import DataError, GraphError
from arcs.report.graph import edge_entries
from arcs.tables import Table, printable

__all__ = ["edge_answer", "effects_of", "levels_of", "what_if"]

#: Variables whose probabilities are shown as an effect; further down they hardly change.
_MOST_TABLES = 12


def levels_of(result: StrengthResult) -> list[list[str] | None]:
    """The levels of each variable; None for numbers."""
    return [None if own is None else list(own) for own in _network(result).levels]


def edge_answer(result: StrengthResult, source: int, target: int) -> dict[str, Any]:
    """An edge: its strength, and what becomes of its head if its tail is set."""
    names = (result.names[source], result.names[target])
    table = result.edge_table()
    pairs = list(zip(table["from"], table["to"], strict=True))
    if names not in pairs:
        raise GraphError(f"there is no edge {names[0]!r} -> {names[1]!r} in this fit")
    at = pairs.index(names)
    told = {**edge_entries(result)[at], **table.rows()[at]}
    told["nats"] = told.pop("strength")
    try:
        told["table"] = _shown(result, source, target)
    except DataError as error:  # causes that interact
        told["remark"] = str(error)
    return plain(told)  # type: ignore[no-any-return]


def effects_of(result: StrengthResult, source: int) -> list[dict[str, Any]]:
    """What becomes of the variables below one if it is set, the nearest first."""
    adjacency = result.dag.adjacency
    below: list[int] = []
    layer = [source]
    while layer:
        found = np.flatnonzero(adjacency[layer].any(axis=0)).tolist()
        layer = [node for node in found if node not in below]
        below += layer
    return [{"target": node, **_shown(result, source, node)} for node in below[:_MOST_TABLES]]


def what_if(result: StrengthResult, do: Mapping[str, Any]) -> dict[str, Any]:
    """Every level's probability, and every number's mean, before and under an intervention."""
    if not do:
        raise GraphError("choose a variable to set")
    set_: dict[Any, Any] = dict(do)
    before = _predicted(result, None)
    after = _predicted(result, set_)
    figure = before.columns[2]
    rows = [
        {
            "node": result.names.index(now["variable"]),
            "level": printable(now["level"]),
            "before": now[figure],
            "after": then[figure],
            "set": now["variable"] in do,
        }
        for now, then in zip(before.rows(), after.rows(), strict=True)
    ]
    return {"shares": plain(rows)}


def _network(result: StrengthResult) -> Any:
    return result.dag


def _predicted(result: Any, do: Mapping[Any, Any] | None) -> Table:
    table: Table = result.prediction_table(do)
    return table


def _shown(result: Any, source: int, target: int) -> dict[str, Any]:
    """The table of an effect, as text and numbers."""
    table: Table = result.effect(source, target)
    rows = [
        [printable(cell) if isinstance(cell, str) else plain(cell) for cell in row.values()]
        for row in table.rows()
    ]
    return {"columns": [printable(column) for column in table.columns], "rows": rows}
