"""pgmpy's models (the package ``pgmpy``, imported only when asked).

**Direction:** the edge (a, b) is a -> b. A `GaussianDag` becomes a
``LinearGaussianBayesianNetwork`` (a `DiscreteDag` a ``DiscreteBayesianNetwork``) with its
conditional distributions, whose ``beta`` is the
intercept followed by the coefficients of the ``evidence`` and whose ``std`` is the standard
deviation (not the variance) of the noise; a `Pdag` becomes a ``PDAG``. Standard errors are not
kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arcs.errors import require
from arcs.graphs.dag import GaussianDag
from arcs.graphs.discrete import DiscreteDag
from arcs.graphs.formats.parts import Edge, Graph, GraphParts, Kind, Node, assemble, take_apart

__all__ = ["from_pgmpy", "to_pgmpy"]

_PURPOSE = "converting to pgmpy"


def to_pgmpy(graph: Graph) -> Any:
    """`graph` as a linear Gaussian or discrete Bayesian network, or a ``PDAG``.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.graphs import to_pgmpy
    >>> sorted(to_pgmpy(dag).edges)
    [('a', 'b'), ('b', 'c')]
    """
    if isinstance(graph, GaussianDag):
        return _linear_gaussian(graph)
    if isinstance(graph, DiscreteDag):
        return _discrete(graph)
    parts = take_apart(graph)
    result = require("pgmpy.base", "peers", _PURPOSE).PDAG(
        directed_ebunch=[(e.source, e.target) for e in parts.edges if e.directed],
        undirected_ebunch=[(e.source, e.target) for e in parts.edges if not e.directed],
    )
    result.add_nodes_from(graph.names)
    return result


def from_pgmpy(
    model: Any, *, kind: Kind | None = None, names: Sequence[str] | None = None
) -> Graph:
    """A graph from a pgmpy ``DAG``, Bayesian network, or ``PDAG``.

    A network with tables becomes a `DiscreteDag`, others a `GaussianDag` or a `Pdag`. Nodes that
    are not text are named by their ``str``. Without linear Gaussian distributions,
    coefficients and variances are one.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.graphs import from_pgmpy, to_pgmpy
    >>> from_pgmpy(to_pgmpy(dag)).named_edges()
    [('a', 'b'), ('b', 'c')]
    """
    if kind is None and names is None and _has_tables(model):
        return _from_discrete(model)
    parts = GraphParts([Node(str(node)) for node in model.nodes()])
    if hasattr(model, "undirected_edges"):
        directed, undirected = model.directed_edges, model.undirected_edges
        parts.kind = "pdag"
    else:
        directed, undirected = model.edges(), []
        parts.kind = "dag"
    weights = _take_distributions(model, parts)
    for source, target in directed:
        ends = (str(source), str(target))
        parts.edges.append(Edge(*ends, True, weights.get(ends)))
    for source, target in undirected:
        parts.edges.append(Edge(str(source), str(target), directed=False))
    # A coefficient of exactly zero is no edge here.
    parts.edges = [edge for edge in parts.edges if edge.weight != 0]
    return assemble(parts, kind, names)


def _has_tables(model: Any) -> bool:
    cpds = getattr(model, "cpds", None) or []
    return len(cpds) > 0 and all(hasattr(cpd, "state_names") for cpd in cpds)


def _linear_gaussian(dag: GaussianDag) -> Any:
    models = require("pgmpy.models", "peers", _PURPOSE)
    factors = require("pgmpy.factors.continuous", "peers", _PURPOSE)
    result = models.LinearGaussianBayesianNetwork()
    result.add_nodes_from(dag.names)
    result.add_edges_from(dag.named_edges())
    for j, name in enumerate(dag.names):
        parents = np.flatnonzero(dag.adjacency[:, j])
        beta = [float(dag.intercepts[j]), *dag.coefficients[parents, j].tolist()]
        evidence = [dag.names[i] for i in parents]
        deviation = float(dag.noise_variances[j] ** 0.5)
        result.add_cpds(factors.LinearGaussianCPD(name, beta, deviation, evidence))
    return result


def _discrete(dag: DiscreteDag) -> Any:
    models = require("pgmpy.models", "peers", _PURPOSE)
    factors = require("pgmpy.factors.discrete", "peers", _PURPOSE)
    result = models.DiscreteBayesianNetwork()
    result.add_nodes_from(dag.names)
    result.add_edges_from(dag.named_edges())
    for j, name in enumerate(dag.names):
        parents = np.flatnonzero(dag.adjacency[:, j]).tolist()
        size = len(dag.levels[j])
        known = {dag.names[k]: list(dag.levels[k]) for k in (*parents, j)}
        cpd = factors.TabularCPD(
            name,
            size,
            dag.tables[j].reshape(-1, size).T,
            [dag.names[k] for k in parents],
            [len(dag.levels[k]) for k in parents],
            state_names=known,
        )
        result.add_cpds(cpd)
    return result


def _from_discrete(model: Any) -> DiscreteDag:
    """A network of categories with its tables."""
    names = [str(node) for node in model.nodes()]
    index = {node: j for j, node in enumerate(model.nodes())}
    arrows, levels, tables = np.zeros((len(names), len(names)), dtype=bool), [], []
    for node in model.nodes():
        cpd = model.get_cpds(node)
        parents = [index[parent] for parent in cpd.variables[1:]]
        arrows[parents, index[node]] = True
        levels.append([str(state) for state in cpd.state_names[node]])
        turned = np.moveaxis(np.asarray(cpd.values, dtype=float), 0, -1)
        table = np.transpose(turned, [*np.argsort(parents), len(parents)])
        tables.append(table / table.sum(axis=-1, keepdims=True))
    return DiscreteDag(arrows, levels, tables, names)


def _take_distributions(model: Any, parts: GraphParts) -> dict[tuple[str, str], float]:
    """Put intercepts and variances into `parts`; return the coefficients."""
    weights: dict[tuple[str, str], float] = {}
    known = {}
    for cpd in getattr(model, "cpds", None) or []:
        if not (hasattr(cpd, "beta") and hasattr(cpd, "std")):
            continue
        name = str(cpd.variable)
        known[name] = Node(name, float(cpd.std) ** 2, float(cpd.beta[0]))
        for parent, beta in zip(cpd.evidence, cpd.beta[1:], strict=True):
            weights[str(parent), name] = float(beta)
    parts.nodes = [known.get(node.name, node) for node in parts.nodes]
    return weights
