"""An R script that makes a fitted network of bnlearn: structure and parameters.

**Direction:** the matrix of arcs has the columns ``from`` and ``to``. The script ends with an
object ``fitted`` of class ``bn.fit``, made by ``custom.fit`` from the coefficients (intercept
first) and the standard deviation of the noise of each node. It is for writing only: what R made of
it is read back from a model string or an edge list. Names are R strings with everything strange
escaped.
"""

from __future__ import annotations

import math

import numpy as np

from arcs.errors import GraphError
from arcs.graphs.dag import GaussianDag
from arcs.graphs.formats.parts import Graph

__all__ = ["serialise"]


def serialise(graph: Graph) -> str:
    """The script; only a `GaussianDag` has parameters."""
    if not isinstance(graph, GaussianDag):
        raise GraphError("parameters for bnlearn need a DAG; take the DAG instead of the class")
    nodes = ", ".join(map(_quoted, graph.names))
    lines = [
        "# A Gaussian Bayesian network for bnlearn: source() this file, then use `fitted`.",
        "library(bnlearn)",
        f"dag <- empty.graph(c({nodes}))",
    ]
    if graph.n_edges:
        ends = ",\n  ".join(f"{_quoted(a)}, {_quoted(b)}" for a, b in graph.named_edges())
        lines.append(f"arcs(dag) <- matrix(c(\n  {ends}\n), ncol = 2, byrow = TRUE,")
        lines.append('  dimnames = list(NULL, c("from", "to")))')
    tables = ",\n".join(_distribution(graph, j) for j in range(graph.p))
    lines.append(f"fitted <- custom.fit(dag, dist = list(\n{tables}\n))")
    return "\n".join(lines) + "\n"


def _distribution(dag: GaussianDag, node: int) -> str:
    parents = np.flatnonzero(dag.adjacency[:, node]).tolist()
    terms = [("(Intercept)", float(dag.intercepts[node]))]
    terms += [(dag.names[i], float(dag.coefficients[i, node])) for i in parents]
    values = ", ".join(f"{_quoted(name)} = {value!r}" for name, value in terms)
    deviation = math.sqrt(float(dag.noise_variances[node]))
    return f"  {_quoted(dag.names[node])} = list(coef = c({values}), sd = {deviation!r})"


def _quoted(name: str) -> str:
    """An R string that holds exactly `name`."""
    if "\0" in name:
        raise GraphError(f"R cannot hold the name {name!r}: rename it without the character NUL")
    return '"' + "".join(_escaped(c) for c in name) + '"'


def _escaped(character: str) -> str:
    if character in '\\"':
        return f"\\{character}"
    if character.isascii() and character.isprintable():
        return character
    return f"\\U{{{ord(character):x}}}"
