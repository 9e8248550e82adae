"""Random directed acyclic graphs.

All functions return a boolean matrix with `adjacency[i, j]` for the edge i → j, over labels in
random order: the position of a node says nothing about its place in the causal order.

- :func:`random_dag`: exactly `n_edges` edges, uniform over the pairs compatible with a random
  order; the random DAGs rDAG1 to rDAG6 of the paper's Section 5.1;
- :func:`erdos_renyi_dag`: every such pair independently;
- :func:`scale_free_dag`: preferential attachment [1]_;
- :func:`hub_dag`: a few nodes that drive a group each;
- :func:`bipartite_dag`: causes on one side, effects on the other.

None of them takes time or memory beyond the answer's p² bytes, so p = 5,000 is quick.

.. [1] A.-L. Barabási and R. Albert, Emergence of scaling in random networks, Science 286 (1999).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from arcs.errors import SettingsError

__all__ = [
    "bipartite_dag",
    "erdos_renyi_dag",
    "hub_dag",
    "index_of_pairs",
    "pairs_of_indices",
    "random_dag",
    "scale_free_dag",
]

RandomState = int | np.random.Generator | None


def random_dag(p: int, n_edges: int, random_state: RandomState = None) -> np.ndarray:
    """A DAG with exactly `n_edges` edges, uniform over pairs compatible with a random order.

    Parameters
    ----------
    p : int
        Number of nodes.
    n_edges : int
        Number of edges, between 0 and p(p - 1)/2.
    random_state : int, Generator or None
        Source of randomness.

    Returns
    -------
    ndarray of bool, shape (p, p)

    Examples
    --------
    >>> from arcs.simulate import random_dag
    >>> int(random_dag(10, 12, 0).sum())
    12
    """
    p = _count("p", p, at_least=1)
    n_edges = _count("n_edges", n_edges, at_least=0)
    n_pairs = p * (p - 1) // 2
    if n_edges > n_pairs:
        raise SettingsError(
            f"n_edges is {n_edges}, but a DAG on {p} nodes has at most {n_pairs} edges"
        )
    rng = np.random.default_rng(random_state)
    early, late = pairs_of_indices(rng.choice(n_pairs, size=n_edges, replace=False))
    return _with_random_labels(early, late, p, rng)


def erdos_renyi_dag(p: int, degree: float, random_state: RandomState = None) -> np.ndarray:
    """A DAG in which every pair compatible with a random order is an edge independently.

    Parameters
    ----------
    p : int
        Number of nodes.
    degree : float
        Expected number of neighbours (parents and children) of a node, at most p - 1; the
        expected number of edges is p · degree / 2.
    random_state : int, Generator or None
        Source of randomness.

    Examples
    --------
    >>> from arcs.simulate import erdos_renyi_dag
    >>> erdos_renyi_dag(10, 3.0, 0).shape
    (10, 10)
    """
    p = _count("p", p, at_least=1)
    if not 0 <= degree <= max(p - 1, 0):
        raise SettingsError(f"degree must be between 0 and p - 1 = {p - 1}, got {degree}")
    rng = np.random.default_rng(random_state)
    probability = degree / (p - 1) if p > 1 else 0.0
    # Independent pairs are the same as a binomial number of pairs chosen uniformly.
    return random_dag(p, int(rng.binomial(p * (p - 1) // 2, probability)), rng)


def scale_free_dag(
    p: int,
    edges_per_node: int = 2,
    random_state: RandomState = None,
    *,
    hubs: Literal["causes", "effects"] = "causes",
) -> np.ndarray:
    """A DAG whose degrees follow a power law, by preferential attachment.

    Nodes arrive one by one and join `edges_per_node` earlier nodes (all of them while there are
    fewer), chosen with probability proportional to their degree plus one.

    Parameters
    ----------
    p : int
        Number of nodes.
    edges_per_node : int
        Edges each new node brings, at least 1.
    random_state : int, Generator or None
        Source of randomness.
    hubs : {"causes", "effects"}
        Whether edges run from early to late nodes, so that hubs have many children, or back.

    Examples
    --------
    >>> from arcs.simulate import scale_free_dag
    >>> scale_free_dag(10, 2, 0).shape
    (10, 10)
    """
    p = _count("p", p, at_least=1)
    edges_per_node = _count("edges_per_node", edges_per_node, at_least=1)
    if hubs not in ("causes", "effects"):
        raise SettingsError(f"hubs must be 'causes' or 'effects', got {hubs!r}")
    rng = np.random.default_rng(random_state)
    old, new = _preferential_attachment(p, edges_per_node, rng)
    if hubs == "effects":
        old, new = new, old
    return _with_random_labels(old, new, p, rng)


def hub_dag(
    p: int, n_hubs: int, random_state: RandomState = None, *, n_extra_edges: int = 0
) -> np.ndarray:
    """A DAG of `n_hubs` groups of nearly equal size, each driven by one of its nodes.

    Parameters
    ----------
    p : int
        Number of nodes.
    n_hubs : int
        Number of hubs, between 1 and p; there are p - n_hubs edges from hubs to members.
    random_state : int, Generator or None
        Source of randomness.
    n_extra_edges : int
        Further edges, uniform over the remaining pairs compatible with an order in which hubs
        come first.

    Examples
    --------
    >>> from arcs.simulate import hub_dag
    >>> int(hub_dag(20, 2, 0).sum(axis=1).max()) > 3
    True
    """
    p = _count("p", p, at_least=1)
    n_hubs = _count("n_hubs", n_hubs, at_least=1, at_most=p)
    n_pairs = p * (p - 1) // 2
    n_extra = _count("n_extra_edges", n_extra_edges, at_least=0, at_most=n_pairs - (p - n_hubs))
    rng = np.random.default_rng(random_state)
    members = np.arange(n_hubs, p)
    own = index_of_pairs(members % n_hubs, members)  # increasing, because members are
    rank = rng.choice(n_pairs - own.size, size=n_extra, replace=False)
    # The rank-th pair that is not in `own` comes after as many of `own` as lie below it.
    extra = rank + np.searchsorted(own - np.arange(own.size), rank, side="right")
    early, late = pairs_of_indices(np.concatenate([own, extra]))
    return _with_random_labels(early, late, p, rng)


def bipartite_dag(
    n_causes: int, n_effects: int, n_edges: int, random_state: RandomState = None
) -> np.ndarray:
    """A DAG with exactly `n_edges` edges, all from a set of causes to a set of effects.

    Parameters
    ----------
    n_causes, n_effects : int
        Sizes of the two sides; p is their sum.
    n_edges : int
        Number of edges, at most n_causes · n_effects.
    random_state : int, Generator or None
        Source of randomness.

    Examples
    --------
    >>> from arcs.simulate import bipartite_dag
    >>> int(bipartite_dag(3, 4, 6, 0).sum())
    6
    """
    n_causes = _count("n_causes", n_causes, at_least=1)
    n_effects = _count("n_effects", n_effects, at_least=1)
    n_edges = _count("n_edges", n_edges, at_least=0, at_most=n_causes * n_effects)
    rng = np.random.default_rng(random_state)
    chosen = rng.choice(n_causes * n_effects, size=n_edges, replace=False)
    cause, effect = np.divmod(chosen, n_effects)
    return _with_random_labels(cause, n_causes + effect, n_causes + n_effects, rng)


def _preferential_attachment(
    p: int, edges_per_node: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Edges (earlier node, later node) of a preferential attachment process."""
    old: list[int] = []
    new: list[int] = []
    # Each node stands in the urn once for itself and once for every edge it has.
    urn = [0]
    for node in range(1, p):
        chosen: set[int] = set()
        wanted = min(edges_per_node, node)
        while len(chosen) < wanted:
            chosen.update(urn[k] for k in rng.integers(len(urn), size=wanted - len(chosen)))
        for target in sorted(chosen):
            old.append(target)
            new.append(node)
        urn.extend(sorted(chosen))
        urn.extend([node] * (wanted + 1))
    return np.array(old, dtype=np.int64), np.array(new, dtype=np.int64)


def pairs_of_indices(index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs (early, late), early < late, that number `index` stands for.

    Pairs are counted column by column: (0,1), (0,2), (1,2), (0,3), ... so the pair of number k
    has late(late - 1)/2 <= k < late(late + 1)/2. Floating-point square roots decide this exactly
    for p up to 2**25, beyond any adjacency matrix that fits into memory.
    """
    index = np.asarray(index, dtype=np.int64)
    late = np.floor((1.0 + np.sqrt(1.0 + 8.0 * index)) / 2.0).astype(np.int64)
    return index - late * (late - 1) // 2, late


def index_of_pairs(early: np.ndarray, late: np.ndarray) -> np.ndarray:
    """The inverse of :func:`pairs_of_indices`."""
    number: np.ndarray = late * (late - 1) // 2 + early
    return number


def _with_random_labels(
    source: np.ndarray, target: np.ndarray, p: int, rng: np.random.Generator
) -> np.ndarray:
    label = rng.permutation(p)
    adjacency = np.zeros((p, p), dtype=bool)
    adjacency[label[source], label[target]] = True
    return adjacency


def _count(name: str, value: int, *, at_least: int, at_most: int | None = None) -> int:
    """`value` as an int, checked to be a whole number in range."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < at_least or (at_most is not None and value > at_most):
        limit = "" if at_most is None else f" and at most {at_most}"
        raise SettingsError(
            f"{name} must be a whole number of at least {at_least}{limit}, got {value!r}"
        )
    return int(value)
