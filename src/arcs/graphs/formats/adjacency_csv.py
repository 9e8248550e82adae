"""Adjacency matrices as CSV.

**Direction:** the row is the parent, the column the child: a non-zero entry in row i and column j
is the edge i -> j. (The transposed convention is common elsewhere; transpose such files first.)

For a `GaussianDag` the entries are the coefficients, for a `Pdag` zeros and ones; an undirected
edge has ones on both sides of the diagonal. The first row and the first column hold the names.
Noise variances, intercepts and standard errors are not kept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcs.errors import FileFormatError, GraphError
from arcs.graphs.dag import GaussianDag
from arcs.graphs.formats.cells import guarded, read_rows, unguarded, write_rows
from arcs.graphs.formats.parts import Edge, Graph, GraphParts, Node, as_number
from arcs.graphs.pdag import Pdag

__all__ = ["parse", "serialise"]


def serialise(graph: Graph) -> str:
    """The matrix of `graph` with names in the first row and column."""
    if isinstance(graph, Pdag):
        cells = (graph.directed | graph.undirected).astype(int).astype(str)
    elif not isinstance(graph, GaussianDag):
        cells = graph.adjacency.astype(int).astype(str)
    else:
        unseen = np.argwhere(graph.adjacency & (graph.coefficients == 0))
        if unseen.size:
            source, target = (graph.names[node] for node in unseen[0])
            raise GraphError(
                f"{len(unseen)} edges have the coefficient zero, such as {source!r} -> {target!r}: "
                "a matrix of coefficients cannot tell them from no edge; choose another format"
            )
        cells = np.array(
            [
                ["0" if value == 0 else repr(float(value)) for value in row]
                for row in graph.coefficients
            ],
            dtype=object,
        ).reshape(graph.p, graph.p)
    labels = [guarded(name) for name in graph.names]
    rows = [["", *labels]]
    rows += [[label, *cells[i]] for i, label in enumerate(labels)]
    return write_rows(rows)


def parse(text: str) -> GraphParts:
    """Read a matrix whose first row holds the names; a first column of names is optional."""
    rows = list(read_rows(text))
    if not rows:
        raise FileFormatError("line 1: the file is empty; a first row with names is needed")
    header = rows[0][1]
    has_row_names = not header[0].strip() or len(header) == len(rows)
    names = [unguarded(cell) for cell in (header[1:] if has_row_names else header)]
    matrix = _matrix(rows[1:], names, has_row_names)
    parts = GraphParts([Node(name) for name in names])
    both_ways = (matrix != 0) & (matrix.T != 0)
    for i, j in np.argwhere(matrix):
        if not both_ways[i, j]:
            parts.edges.append(Edge(names[i], names[j], True, float(matrix[i, j])))
        elif i < j:
            parts.edges.append(_undirected(names[i], names[j], matrix[i, j], matrix[j, i]))
        elif i == j:
            raise FileFormatError(f"line {rows[i + 1][0]}: {names[i]!r} has an edge to itself")
    return parts


def _undirected(source: str, target: str, one: float, other: float) -> Edge:
    if one != 1 or other != 1:
        raise FileFormatError(
            f"there are edges {source!r} -> {target!r} and {target!r} -> {source!r} with weights "
            f"{one:g} and {other:g}; an undirected edge has a one on either side"
        )
    return Edge(source, target, directed=False)


def _matrix(
    rows: list[tuple[int, list[str]]], names: list[str], has_row_names: bool
) -> NDArray[np.float64]:
    p = len(names)
    if len(rows) != p:
        raise FileFormatError(f"the first row names {p} nodes, but {len(rows)} rows follow it")
    matrix = np.zeros((p, p))
    for i, (line, cells) in enumerate(rows):
        if has_row_names and unguarded(cells[0]) != names[i]:
            raise FileFormatError(
                f"line {line}: the row is named {unguarded(cells[0])!r}, the column of the same "
                f"place {names[i]!r}; rows and columns must be in the same order"
            )
        numbers = cells[1:] if has_row_names else cells
        if len(numbers) != p:
            raise FileFormatError(f"line {line}: {len(numbers)} entries instead of {p}")
        matrix[i] = _row(numbers, names, line)
    return matrix


def _row(cells: list[str], names: list[str], line: int) -> NDArray[np.float64]:
    try:
        row = np.array(cells, dtype=np.float64)
    except ValueError:
        row = np.full(len(cells), np.nan)
    if np.isfinite(row).all():
        return row
    # Slowly: blanks are zeros, and the first bad cell is named.
    return np.array(
        [
            as_number(cell, f"the entry in column {name!r}", line) or 0.0
            for name, cell in zip(names, cells, strict=True)
        ]
    )
