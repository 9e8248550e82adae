"""Adjustment distances: how many causal effects an estimated graph gets wrong.

Edges matter differently for what one wants to do with a graph. For every ordered pair (i, j), a
graph implies a set of variables to adjust for when the effect of i on j is estimated; an
adjustment identification distance counts the pairs for which the set (or the claim that there is
no effect, or that it cannot be identified) taken from the estimate is wrong in the truth [1]_.
The sets are the parents of i (for DAGs this is the structural intervention distance, SID [2]_),
the ancestors, or the optimal adjustment set. The computation is that of the package `gadjid`.

.. [1] L. Henckel, T. Würtzen, S. Weichwald, Adjustment identification distance: a gadjid for
   causal structure learning, UAI 2024.
.. [2] J. Peters, P. Bühlmann, Structural intervention distance for evaluating causal graphs,
   Neural Computation 27 (2015).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from arcs.errors import GraphError, require
from arcs.graphs import Pdag
from arcs.graphs.equivalence import cpdag_of
from arcs.metrics.alignment import GraphLike, Marks, aligned

__all__ = ["AdjustmentDistances", "adjustment_distances"]


@dataclass(frozen=True)
class AdjustmentDistances:
    """Numbers of ordered pairs (of p(p - 1)) whose effect the estimate gets wrong.

    Attributes
    ----------
    parent_aid, ancestor_aid, oset_aid : int
        By the kind of adjustment set.
    sid : int or None
        Structural intervention distance; defined between DAGs only.
    n_pairs : int
        Number of ordered pairs, the maximum of each distance.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.metrics import adjustment_distances
    >>> forwards = np.array([[False, True], [False, False]])
    >>> adjustment_distances(forwards, forwards.T).parent_aid
    2
    """

    parent_aid: int
    ancestor_aid: int
    oset_aid: int
    sid: int | None
    n_pairs: int

    def to_dict(self) -> dict[str, int | None]:
        """All fields by name."""
        return asdict(self)


def adjustment_distances(
    estimate: GraphLike, truth: GraphLike, *, up_to_equivalence: bool = False
) -> AdjustmentDistances:
    """Adjustment identification distances from the true DAG (needs the extra `peers`).

    Parameters
    ----------
    estimate : GaussianDag, Pdag or ndarray of bool
        A DAG or a valid CPDAG; in a CPDAG an effect may also be wrongly claimed unidentifiable.
    truth : GaussianDag, Pdag without undirected edges, or ndarray of bool
        The true DAG. Nodes are matched by name if both graphs have names.
    up_to_equivalence : bool
        Compare the CPDAGs instead, which is fair to observational data.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.metrics import adjustment_distances
    >>> graph = np.array([[False, True], [False, False]])
    >>> adjustment_distances(graph, graph).parent_aid
    0
    """
    gadjid = require("gadjid", "peers", "adjustment distances")
    found, true = aligned(estimate, truth)
    if up_to_equivalence:
        found, true = found.cpdag(), true.cpdag()
    if not found.is_dag:
        _refuse_unless_cpdag(found)
    guess, target = _codes(found), _codes(true)
    both_dags = found.is_dag and true.is_dag

    def mistakes(name: str) -> int:
        measure = getattr(gadjid, name)
        return int(measure(target, guess, edge_direction="from row to column")[1])

    return AdjustmentDistances(
        parent_aid=mistakes("parent_aid"),
        ancestor_aid=mistakes("ancestor_aid"),
        oset_aid=mistakes("oset_aid"),
        sid=mistakes("sid") if both_dags else None,
        n_pairs=true.p * (true.p - 1),
    )


def _codes(marks: Marks) -> np.ndarray:
    """gadjid's matrix: 1 for a directed edge from row to column, 2 for an undirected one."""
    return marks.directed.astype(np.int8) + 2 * np.triu(marks.undirected).astype(np.int8)


def _refuse_unless_cpdag(marks: Marks) -> None:
    """Adjustment in a graph that stands for no equivalence class has no meaning."""
    graph = Pdag(marks.directed, marks.undirected)
    completed = cpdag_of(graph.consistent_dag())
    if not (completed.directed == graph.directed).all():
        raise GraphError(
            "the estimate is not the CPDAG of any DAG, so it implies no adjustment sets; "
            "turn it into a DAG with `consistent_dag()` first"
        )
