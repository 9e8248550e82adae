"""Edge lists as CSV: one row per edge.

**Direction:** ``source -> target``. The columns are

======================  =========================================================================
``source``, ``target``  names; also spelled ``from, to`` or ``parent, child``
``type``                ``directed`` or ``undirected`` (optional, directed by default)
``weight``              the coefficient, also spelled ``coefficient`` (optional)
``standard_error``      of the coefficient, also spelled ``std_error`` (optional)
``confidence``          any score in [0, 1], such as a bootstrap frequency (optional)
======================  =========================================================================

Further columns are ignored. Nodes are listed in the order in which they first appear. A node
without edges has a row with an empty target, or no row at all; pass ``names=`` when reading to have
all nodes, in the order that is wanted. Noise variances and intercepts are not kept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from arcs.errors import FileFormatError, GraphError
from arcs.graphs.formats.cells import guarded, read_rows, unguarded, write_rows
from arcs.graphs.formats.parts import Edge, Graph, GraphParts, Node, as_number, take_apart

__all__ = ["COLUMNS", "SPELLINGS", "parse", "parse_confidence", "serialise"]

COLUMNS = ("source", "target", "type", "weight", "standard_error", "confidence")
#: Other spellings of columns, as people and programs write them.
SPELLINGS = {
    "source": ("source", "from", "parent"),
    "target": ("target", "to", "child"),
    "weight": ("weight", "coefficient"),
    "standard_error": ("standard_error", "std_error"),
}
_TYPES = {"": True, "directed": True, "->": True, "-->": True}
_TYPES |= {"undirected": False, "--": False, "---": False}


def serialise(graph: Graph, confidence: ArrayLike | None = None) -> str:
    """The edges of `graph` as CSV.

    Parameters
    ----------
    graph : GaussianDag or Pdag
    confidence : array-like of shape (p, p), optional
        ``confidence[i, j]`` is written beside the edge i -> j (or i - j).
    """
    parts = take_apart(graph)
    scores = _checked_confidence(confidence, graph.p)
    index = {name: i for i, name in enumerate(graph.names)}
    rows: list[tuple[str, ...]] = [COLUMNS]
    for edge in parts.edges:
        score = None if scores is None else float(scores[index[edge.source], index[edge.target]])
        kind = "directed" if edge.directed else "undirected"
        numbers = (_cell(edge.weight), _cell(edge.standard_error), _cell(score))
        rows.append((guarded(edge.source), guarded(edge.target), kind, *numbers))
    joined = {end for edge in parts.edges for end in (edge.source, edge.target)}
    rows += [(guarded(n.name), "", "", "", "", "") for n in parts.nodes if n.name not in joined]
    return write_rows(rows)


def parse(text: str) -> GraphParts:
    """Read an edge list; only the columns ``source`` and ``target`` must be there."""
    parts = GraphParts()
    names: dict[str, None] = {}
    for line, row in _records(text):
        source, target = unguarded(row["source"]), unguarded(row.get("target", ""))
        if not source.strip():
            raise FileFormatError(f"line {line}: the source is empty")
        names[source] = None
        if target.strip():
            names[target] = None
            parts.edges.append(_edge(row, source, target, line))
    parts.nodes = [Node(name) for name in names]
    return parts


def parse_confidence(text: str) -> dict[tuple[str, str], float]:
    """The column ``confidence`` by (source, target), for rows that have one."""
    found = {}
    for line, row in _records(text):
        score = as_number(row.get("confidence"), "confidence", line)
        if score is not None:
            found[unguarded(row["source"]), unguarded(row["target"])] = score
    return found


def _records(text: str) -> list[tuple[int, dict[str, str]]]:
    rows = list(read_rows(text))
    if not rows:
        raise FileFormatError("line 1: the file is empty; columns source and target are needed")
    header = _spelled_alike([cell.strip().lower() for cell in rows[0][1]])
    for needed in ("source", "target"):
        if needed not in header:
            names = " or ".join(map(repr, SPELLINGS[needed]))
            raise FileFormatError(f"line 1: there is no column {names} among {header}")
    records = []
    for line, cells in rows[1:]:
        if len(cells) > len(header):
            raise FileFormatError(f"line {line}: {len(cells)} cells under {len(header)} columns")
        records.append((line, dict(zip(header, cells, strict=False))))
    return records


def _spelled_alike(header: list[str]) -> list[str]:
    """The header in our own spelling; of two spellings in one header the first of ours counts."""
    for ours, spellings in SPELLINGS.items():
        found = next((name for name in spellings if name in header), ours)
        header = [ours if name == found else name for name in header]
    return header


def _edge(row: dict[str, str], source: str, target: str, line: int) -> Edge:
    written = row.get("type", "").strip().lower()
    if written not in _TYPES:
        raise FileFormatError(f"line {line}: type {written!r} is neither directed nor undirected")
    weight = as_number(row.get("weight"), "weight", line)
    error = as_number(row.get("standard_error"), "standard error", line)
    if error is not None and error < 0:
        raise FileFormatError(f"line {line}: the standard error {error:g} is negative")
    return Edge(source, target, _TYPES[written], weight, error)


def _cell(number: float | None) -> str:
    return "" if number is None or np.isnan(number) else repr(number)


def _checked_confidence(confidence: ArrayLike | None, p: int) -> np.ndarray | None:
    if confidence is None:
        return None
    scores = np.asarray(confidence, dtype=float)
    if scores.shape != (p, p):
        raise GraphError(f"confidence must have shape {(p, p)}, not {scores.shape}")
    return scores
