"""An R script that makes a fitted network of bnlearn: structure and parameters.

**Direction:** the matrix of arcs has the columns ``from`` and ``to``. The script ends with an
object ``fitted`` of class ``bn.fit``, made by ``custom.fit`` from the coefficients (intercept
first) and the standard deviation of the noise of each node. It is for writing only: what R made of
it is read back from a model string or an edge list.

Names are R strings with everything strange escaped, and they are given by ``setNames``, never as
names of arguments (``c("x" = 1)``): R turns those into symbols of the native encoding, and where
that is not UTF-8, a name such as "TNF-α" would no longer be the name of its node.
"""

from __future__ import annotations

import math

import numpy as np

from arcs.errors import GraphError
from arcs.graphs.dag import GaussianDag
from arcs.graphs.formats.parts import Graph
from arcs.graphs.pdag import Pdag

__all__ = ["serialise"]

#: What bnlearn calls the constant among the coefficients of a node.
INTERCEPT = "(Intercept)"


def serialise(graph: Graph) -> str:
    """The script; only a `GaussianDag` has parameters of this kind."""
    if isinstance(graph, Pdag):
        raise GraphError("parameters for bnlearn need a DAG; take the DAG instead of the class")
    if not isinstance(graph, GaussianDag):
        raise GraphError("this script is for Gaussian networks; write one of categories as .bif")
    if INTERCEPT in graph.names:
        raise GraphError(f"bnlearn calls the constant {INTERCEPT!r}: rename the node of that name")
    lines = [
        "# A Gaussian Bayesian network for bnlearn: source() this file, then use `fitted`.",
        "library(bnlearn)",
        f"nodes <- {_vector(graph.names)}",
        "dag <- empty.graph(nodes)",
    ]
    if graph.n_edges:
        ends = ",\n  ".join(f"{_quoted(a)}, {_quoted(b)}" for a, b in graph.named_edges())
        lines.append(f"arcs(dag) <- matrix(c(\n  {ends}\n), ncol = 2, byrow = TRUE,")
        lines.append('  dimnames = list(NULL, c("from", "to")))')
    tables = ",\n".join(_distribution(graph, j) for j in range(graph.p))
    lines.append(f"fitted <- custom.fit(dag, dist = setNames(list(\n{tables}\n), nodes))")
    return "\n".join(lines) + "\n"


def _distribution(dag: GaussianDag, node: int) -> str:
    parents = np.flatnonzero(dag.adjacency[:, node]).tolist()
    numbers = [dag.intercepts[node], *dag.coefficients[parents, node]]
    values = ", ".join(repr(float(number)) for number in numbers)
    terms = _vector([INTERCEPT, *(dag.names[i] for i in parents)])
    deviation = math.sqrt(float(dag.noise_variances[node]))
    return f"  list(coef = setNames(c({values}), {terms}), sd = {deviation!r})"


def _vector(names: list[str] | tuple[str, ...]) -> str:
    return f"c({', '.join(map(_quoted, names))})"


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
