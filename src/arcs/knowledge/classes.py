"""Equivalence classes under background knowledge.

Knowledge splits Markov equivalence classes like experiments do: wherever only one direction of an
edge is allowed, its direction is known. The members of a class that agree with the knowledge are
drawn as a maximally oriented graph: the class's arrows and the known ones, closed under Meek's
(1995) four rules, which are complete for this purpose.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from arcs.graphs import Pdag
from arcs.graphs.equivalence import separating
from arcs.kernels.equivalence import (
    consistent_extension_kernel,
    oriented_cpdag_kernel,
    v_structure_kernel,
)

__all__ = ["admissible_member", "one_way", "restricted_class"]


def one_way(allowed: np.ndarray) -> np.ndarray:
    """Symmetric: pairs of nodes between which one direction is allowed, and the other is not.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.knowledge import one_way
    >>> one_way(np.array([[True, False], [True, True]])).astype(int).tolist()
    [[0, 1], [1, 0]]
    """
    return np.asarray(allowed != allowed.T)


def restricted_class(
    adjacency: np.ndarray,
    allowed: np.ndarray,
    targets: Sequence[Collection[int]] = ((),),
    names: Sequence[str] | None = None,
) -> Pdag:
    """What the data and the knowledge tell of a DAG's directions.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (p, p)
        A DAG that agrees with the knowledge.
    allowed : ndarray of bool, shape (p, p)
    targets : sequence of collections of int
        The targets of the experimental regimes.
    names : sequence of str, optional

    Returns
    -------
    Pdag
        An edge is directed if all equivalent DAGs that agree with the knowledge direct it so.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.knowledge import restricted_class
    >>> allowed = np.array([[True, True], [False, True]])  # not 1 -> 0
    >>> restricted_class(np.array([[False, True], [False, False]]), allowed).directed_edges()
    [(0, 1)]
    """
    known = one_way(allowed) | separating(targets, len(adjacency))
    directed, undirected = oriented_cpdag_kernel(np.ascontiguousarray(adjacency, dtype=bool), known)
    return Pdag(directed, undirected, names)


def admissible_member(
    directed: np.ndarray, undirected: np.ndarray, allowed: np.ndarray
) -> np.ndarray | None:
    """A DAG of the class of a completed PDAG all of whose edges are allowed, or None.

    The lines of which one direction is allowed are directed; Dor and Tarsi's algorithm directs the
    rest. The result is a member of the class if it has no v-structures beyond those of the class,
    whose edges are arrows already.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.knowledge import admissible_member
    >>> line = np.array([[False, True], [True, False]])
    >>> allowed = np.array([[True, False], [True, True]])  # not 0 -> 1
    >>> admissible_member(np.zeros((2, 2), dtype=bool), line, allowed).astype(int).tolist()
    [[0, 0], [1, 0]]
    """
    if (directed & ~allowed).any() or (undirected & ~allowed & ~allowed.T).any():
        return None
    forced = undirected & allowed & ~allowed.T
    lines = undirected & ~forced & ~forced.T
    member, found = consistent_extension_kernel(directed | forced, lines)
    if not found or (v_structure_kernel(member) & ~directed).any():
        return None
    return np.asarray(member)
