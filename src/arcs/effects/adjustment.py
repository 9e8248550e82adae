"""Adjustment sets: which variables to measure and regress on to see the effect of x on y.

A set Z is valid in a DAG if the coefficient of x in the regression of y on x and Z is the total
effect of x on y, whatever the coefficients are. With cn the nodes on directed paths from x to y
(without x) and forb = descendants of cn, and x, this is so exactly if Z avoids forb and blocks
every path from x to y other than the directed ones: that is, d-separates them in the graph without
the edges from x into cn (Perković, Textor, Kalisch and Maathuis, 2018). Three of them matter:

- the *parents* of x: known locally, but often wasteful;
- a *minimal* set: as few variables as possible. Within the ancestors of x and y d-separation is
  separation in the moral graph, so that it is a minimum vertex cut; of several that nearest to y,
  where variables explain more of y (van der Zander, Liśkiewicz and Textor, 2019, "Separators and
  adjustment sets in causal graphs");
- the *optimal* set O = parents of cn, without forb: it gives the smallest asymptotic variance of
  all (Henckel, Perković and Maathuis, 2022, "Graphical criteria for efficient total effect
  estimation via adjustment in causal linear models").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from arcs.effects.classes import is_amenable
from arcs.errors import GraphError
from arcs.graphs import GaussianDag, Pdag
from arcs.graphs.names import Node, node_index

__all__ = ["AdjustmentSets", "adjustment_sets"]


@dataclass(frozen=True)
class AdjustmentSets:
    """Sets to adjust for, as names; None where adjusting for it would be wrong.

    Attributes
    ----------
    source, target : str
    has_effect : bool
        Whether a directed path leads from source to target; without one, the effect is zero and
        nothing needs to be adjusted for.
    parents, minimal, optimal : tuple of str or None
    for_all_members : bool or None
        Whether the directions that the data leave open do not matter: the minimal and the optimal
        set serve for every graph of the equivalence class. None if no class was given.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import adjustment_sets
    >>> adjustment_sets(dag, "b", "c").minimal
    ()
    """

    source: str
    target: str
    has_effect: bool
    parents: tuple[str, ...] | None
    minimal: tuple[str, ...] | None
    optimal: tuple[str, ...] | None
    for_all_members: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """The sets by kind."""
        return {"parents": self.parents, "minimal": self.minimal, "optimal": self.optimal}

    def __str__(self) -> str:
        if not self.has_effect:
            return f"{self.source} has no effect on {self.target} in this graph"
        lines = [f"to estimate the effect of {self.source} on {self.target}, adjust for"]
        for kind, names in self.to_dict().items():
            shown = "not valid" if names is None else ", ".join(names) or "nothing"
            lines.append(f"  {kind:<9} {shown}")
        if self.for_all_members is False:
            lines.append(
                "  (the directions of some edges that matter here cannot be told from data)"
            )
        return "\n".join(lines)


def adjustment_sets(
    dag: GaussianDag, source: Node, target: Node, pdag: Pdag | None = None
) -> AdjustmentSets:
    """Parents, a smallest set, and the optimal set.

    Parameters
    ----------
    dag : GaussianDag
    source, target : int or str
    pdag : Pdag, optional
        The equivalence class, to say whether the sets serve for all of its members.

    Examples
    --------
    >>> edges = np.zeros((4, 4))
    >>> edges[0, 1] = edges[0, 3] = edges[1, 2] = edges[3, 2] = 1
    >>> dag = GaussianDag.from_adjacency(edges, ["z", "x", "y", "w"])
    >>> adjustment_sets(dag, "x", "y").optimal
    ('w',)
    >>> adjustment_sets(dag, "x", "y").parents
    ('z',)
    """
    x, y = node_index(source, dag.names), node_index(target, dag.names)
    if x == y:
        raise GraphError(f"source and target are the same node {dag.names[x]!r}")
    causal = _causal_nodes(dag, x, y)
    into = set(dag.parents(x).tolist())
    if not causal:
        parents = None if y in into else _named(into, dag)
        return AdjustmentSets(dag.names[x], dag.names[y], False, parents, (), ())
    forbidden = causal | {x}
    for node in causal:
        forbidden |= set(dag.descendants(node).tolist())
    optimal = {int(i) for node in causal for i in dag.parents(node)} - forbidden
    return AdjustmentSets(
        source=dag.names[x],
        target=dag.names[y],
        has_effect=True,
        parents=_named(into, dag),
        minimal=_named(_smallest(dag, x, y, causal, forbidden), dag),
        optimal=_named(optimal, dag),
        for_all_members=None if pdag is None else is_amenable(pdag, x, y),
    )


def _causal_nodes(dag: GaussianDag, x: int, y: int) -> set[int]:
    """The nodes on directed paths from x to y, without x."""
    below, above = set(dag.descendants(x).tolist()), set(dag.ancestors(y).tolist()) | {y}
    return below & above


def _smallest(dag: GaussianDag, x: int, y: int, causal: set[int], forbidden: set[int]) -> set[int]:
    """A smallest valid set: the minimum vertex cut of the moral graph nearest to y.

    Each node is an edge of capacity one from its entry to its exit; what may not be adjusted for
    has no limit. The flow starts at y, so that the cut of the side it can reach is nearest to y.
    """
    import networkx as nx

    backdoor = dag.adjacency.copy()
    backdoor[x, sorted(causal)] = False
    structure = GaussianDag.from_adjacency(backdoor)
    kept = {x, y, *structure.ancestors(x).tolist(), *structure.ancestors(y).tolist()}
    flow = nx.DiGraph()
    for node in kept:
        limit = {} if node in forbidden or node in (x, y) else {"capacity": 1}
        flow.add_edge(("in", node), ("out", node), **limit)
    for a, b in _moral_edges(backdoor, sorted(kept)):
        flow.add_edge(("out", a), ("in", b))
        flow.add_edge(("out", b), ("in", a))
    _, (reached, _) = nx.minimum_cut(flow, ("out", y), ("in", x))
    return {node for node in kept if ("in", node) in reached and ("out", node) not in reached}


def _moral_edges(adjacency: np.ndarray, nodes: list[int]) -> list[tuple[int, int]]:
    """Edges of the moral graph of a set of ancestors: parents of a common child are joined."""
    part = adjacency[np.ix_(nodes, nodes)].astype(int)
    joined = np.triu(part + part.T + part @ part.T, 1) > 0
    return [(nodes[i], nodes[j]) for i, j in np.argwhere(joined).tolist()]


def _named(nodes: set[int], dag: GaussianDag) -> tuple[str, ...]:
    return tuple(dag.names[node] for node in sorted(nodes))
