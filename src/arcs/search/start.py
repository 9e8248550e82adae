"""Where chains begin: an order, and random numbers of its own for each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arcs.errors import DataError
from arcs.graphs import Dag, Order, Pdag
from arcs.graphs.equivalence import consistent_extension, topological_order

__all__ = ["Start", "as_order", "make_starts"]


class Start(NamedTuple):
    """Where a chain begins, parents first, and its random numbers."""

    order: np.ndarray
    rng: np.random.Generator


def make_starts(
    count: int,
    seed: int | None,
    given: np.ndarray | None,
    p: int,
    required: np.ndarray | None = None,
) -> list[Start]:
    """`count` starts at the given order of `p` variables, or at random ones.

    Orders are changed as little as makes the required edges point forward.
    """
    streams = np.random.SeedSequence(seed).spawn(count)
    generators = [np.random.default_rng(stream) for stream in streams]
    orders = [rng.permutation(p) if given is None else given for rng in generators]
    if required is not None:
        orders = [o[topological_order(required[np.ix_(o, o)])] for o in orders]
    return [Start(order, rng) for order, rng in zip(orders, generators, strict=True)]


def as_order(init: Any, p: int) -> np.ndarray:
    """Nodes in an order that an order, a graph or a matrix describes, parents first."""
    if isinstance(init, Pdag):
        return np.asarray(topological_order(consistent_extension(init)))
    if isinstance(init, Dag):
        init = init.adjacency
    if isinstance(init, Order):
        init = init.nodes
    array = np.asarray(init)
    if array.shape == (p, p):
        return np.asarray(topological_order(array.astype(bool)))
    if array.shape != (p,) or not np.array_equal(np.sort(array), np.arange(p)):
        raise DataError(
            f"init must be an order of the {p} variables, a graph over them, a learner or its "
            f"name, got {init!r:.80}"
        )
    return array.astype(np.int64)
