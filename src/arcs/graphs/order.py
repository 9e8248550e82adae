"""Orders of nodes: permutations that list parents before children."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcs.errors import GraphError
from arcs.graphs.names import check_names

__all__ = ["Order"]


class Order:
    """An immutable permutation of the nodes, parents first.

    Parameters
    ----------
    nodes : sequence of int
        A permutation of ``0 .. p-1``. Every node may have parents only among those before it.
    names : sequence of str, optional
        ``names[i]`` is the name of node i (not of position i).

    Notes
    -----
    The permutation of the ARCS paper is the reversal of this one.

    Examples
    --------
    >>> order = Order([2, 0, 1], ["a", "b", "c"])
    >>> order.nodes.tolist()
    [2, 0, 1]
    """

    __slots__ = ("_names", "_nodes", "_position")

    def __init__(self, nodes: Sequence[int] | ArrayLike, names: Sequence[str] | None = None):
        array = _checked_permutation(nodes, names)
        position = np.empty_like(array)
        position[array] = np.arange(array.size)
        array.flags.writeable = False
        position.flags.writeable = False
        self._nodes = array
        self._position = position
        self._names = check_names(names, array.size)

    @classmethod
    def random(
        cls,
        p: int,
        random_state: int | np.random.Generator | None = None,
        names: Sequence[str] | None = None,
    ) -> Order:
        """An order drawn uniformly from all permutations of `p` nodes."""
        return cls(np.random.default_rng(random_state).permutation(p), names)

    @property
    def nodes(self) -> NDArray[np.int64]:
        """The permutation (read-only): ``nodes[k]`` stands at position k."""
        return self._nodes

    @property
    def position(self) -> NDArray[np.int64]:
        """The inverse permutation (read-only): node i stands at ``position[i]``."""
        return self._position

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every node, by node index."""
        return self._names

    @property
    def p(self) -> int:
        """The number of nodes."""
        return int(self._nodes.size)

    def named(self) -> tuple[str, ...]:
        """The names of the nodes in the order's sequence."""
        return tuple(self._names[node] for node in self)

    def admits(self, adjacency: ArrayLike) -> bool:
        """Whether every edge i -> j of `adjacency` has i before j."""
        sources, targets = np.nonzero(np.asarray(adjacency))
        return bool(np.all(self._position[sources] < self._position[targets]))

    def __len__(self) -> int:
        return self.p

    def __iter__(self) -> Iterator[int]:
        return iter(self._nodes.tolist())

    def __getitem__(self, position: int) -> int:
        return int(self._nodes[position])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Order):
            return NotImplemented
        return self._names == other._names and np.array_equal(self._nodes, other._nodes)

    def __hash__(self) -> int:
        return hash((self._names, self._nodes.tobytes()))

    def __repr__(self) -> str:
        shown = self.named() if self.p <= 10 else (*self.named()[:10], "...")
        return f"Order({' < '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: unpickled arrays would be writable.
        return Order, (self._nodes, self._names)


def _checked_permutation(nodes: object, names: Sequence[str] | None) -> NDArray[np.int64]:
    array = np.array(list(nodes) if isinstance(nodes, Iterator) else nodes)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise GraphError("an order is a one-dimensional sequence of node indices (integers)")
    array = array.astype(np.int64)
    p = array.size
    outside = array[(array < 0) | (array >= p)]
    if outside.size:
        raise GraphError(f"an order of {p} nodes holds 0 to {p - 1}; found {outside[0]}")
    counts = np.bincount(array, minlength=p)
    if (counts != 1).any():
        twice = _labels(np.flatnonzero(counts > 1), names)
        absent = _labels(np.flatnonzero(counts == 0), names)
        raise GraphError(f"not a permutation: repeated {twice}; missing {absent}")
    return array


def _labels(nodes: NDArray[np.intp], names: Sequence[str] | None) -> str:
    labels = [str(i) if names is None or i >= len(names) else repr(names[i]) for i in nodes[:5]]
    return ", ".join(labels) + (", ..." if nodes.size > 5 else "")
