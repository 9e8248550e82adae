"""Statements about a graph, checked against each other as soon as they are made.

Five kinds of statements are understood:

required
    The edge a -> b is there. Its parent is part of every model and costs nothing.
forbidden
    The edge a -> b is not there (b -> a may be).
tiers
    Groups of variables in the order of time: nothing points from a later tier to an earlier one;
    within a tier edges may be forbidden as well. Variables in no tier are free.
roots, leaves
    Nothing points to a root; nothing leaves a leaf.

They contradict each other if a required edge is forbidden by another statement, or if required
edges form a cycle. Forbidden edges can never contradict themselves: the empty graph satisfies them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from arcs.errors import KnowledgeError, nearest_name
from arcs.graphs.topology import find_cycle, format_cycle

__all__ = ["Knowledge", "Label", "Pair", "Restrictions"]

Label = str | int
Pair = tuple[Label, Label]


class Restrictions(NamedTuple):
    """Knowledge about the columns of a data set.

    Attributes
    ----------
    allowed : ndarray of bool, shape (p, p)
        Whether the edge i -> j may be there. Edges that would close a cycle with required ones are
        not allowed.
    required : ndarray of bool, shape (p, p)
        Whether it must be there.

    Examples
    --------
    >>> from arcs import Knowledge
    >>> restrictions = Knowledge(forbidden=[("a", "b")]).resolve(["a", "b"])
    >>> restrictions.admits([[0, 1], [0, 0]])
    False
    """

    allowed: np.ndarray
    required: np.ndarray

    def admits(self, adjacency: np.ndarray) -> bool:
        """Whether a graph satisfies the knowledge."""
        matrix = np.asarray(adjacency, dtype=bool)
        return not (matrix & ~self.allowed).any() and not (self.required & ~matrix).any()


@dataclass(frozen=True)
class Knowledge:
    """What is known of the graph beforehand.

    Parameters
    ----------
    required, forbidden : iterable of pairs (a, b)
        Edges a -> b that must, or must not be there.
    tiers : iterable of iterables
        Groups of variables; no edge points from a later group to an earlier one.
    edges_within_tiers : bool or iterable of bool
        Whether variables of the same tier may be joined, for all tiers or for each one.
    roots, leaves : iterable
        Variables without parents, and without children.

    Notes
    -----
    Variables are given by name, or by column number. Statements that contradict each other raise a
    :class:`~arcs.errors.KnowledgeError` at once.

    Examples
    --------
    >>> known = Knowledge(required=[("smoking", "tar")], tiers=[["smoking"], ["tar", "cancer"]])
    >>> known.resolve(["cancer", "smoking", "tar"]).allowed.astype(int).tolist()
    [[0, 0, 1], [1, 0, 1], [1, 0, 0]]
    """

    required: tuple[Pair, ...] = ()
    forbidden: tuple[Pair, ...] = ()
    tiers: tuple[tuple[Label, ...], ...] = ()
    edges_within_tiers: bool | tuple[bool, ...] = True
    roots: tuple[Label, ...] = ()
    leaves: tuple[Label, ...] = ()

    def __init__(
        self,
        required: Iterable[Sequence[Label]] = (),
        forbidden: Iterable[Sequence[Label]] = (),
        tiers: Iterable[Iterable[Label]] = (),
        edges_within_tiers: bool | Iterable[bool] = True,
        roots: Iterable[Label] = (),
        leaves: Iterable[Label] = (),
    ) -> None:
        fields = {
            "required": _pairs(required, "required"),
            "forbidden": _pairs(forbidden, "forbidden"),
            "tiers": tuple(_labels(tier, f"tier {t}") for t, tier in enumerate(tiers)),
            "roots": _labels(roots, "roots"),
            "leaves": _labels(leaves, "leaves"),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        within = _within(edges_within_tiers, len(self.tiers))
        object.__setattr__(self, "edges_within_tiers", within)
        labels = self.labels()
        _Matrices(self, [_spelled(label) for label in labels], {a: k for k, a in enumerate(labels)})

    # ------------------------------------------------------------------ views
    def labels(self) -> tuple[Label, ...]:
        """Every variable that some statement names, in order of appearance."""
        found: dict[Label, None] = {}
        for group in (*self.required, *self.forbidden, *self.tiers, self.roots, self.leaves):
            found.update(dict.fromkeys(group))
        return tuple(found)

    def tier_allows_edges(self, tier: int) -> bool:
        """Whether variables of that tier may be joined."""
        within = self.edges_within_tiers
        return within if isinstance(within, bool) else within[tier]

    def __bool__(self) -> bool:
        """Whether anything is said at all."""
        return bool(self.labels())

    def to_dict(self) -> dict[str, Any]:
        """The statements that were made, as lists."""
        parts: dict[str, Any] = {
            "required": [list(pair) for pair in self.required],
            "forbidden": [list(pair) for pair in self.forbidden],
            "tiers": [list(tier) for tier in self.tiers],
            "roots": list(self.roots),
            "leaves": list(self.leaves),
        }
        said = {name: value for name, value in parts.items() if value}
        if self.tiers:
            within = self.edges_within_tiers
            said["edges_within_tiers"] = within if isinstance(within, bool) else list(within)
        return said

    # ------------------------------------------------------------------ what searches need
    def resolve(self, names: Sequence[str]) -> Restrictions:
        """The knowledge about columns of these names.

        Raises
        ------
        KnowledgeError
            If a statement names a variable that is not there, or contradicts another one.
        """
        index = {label: _position(label, names) for label in self.labels()}
        return _Matrices(self, list(names), index).restrictions()


class _Matrices:
    """The statements as matrices over numbered variables; refuses contradictions."""

    def __init__(self, said: Knowledge, names: list[str], index: dict[Label, int]) -> None:
        p = len(names)
        self.said, self.names, self.index = said, names, index
        self.forbidden = np.eye(p, dtype=bool)
        #: For every forbidden edge the number of the reason.
        self.reason = np.zeros((p, p), dtype=np.int64)
        self.reasons: list[str] = ["a variable cannot be its own parent"]
        self.required = np.zeros((p, p), dtype=bool)
        for a, b in said.forbidden:
            self._forbid([index[a]], [index[b]], "that edge is forbidden")
        self._add_tiers()
        for root in said.roots:
            self._forbid(range(p), [index[root]], f"{_spelled(root)!r} is a root")
        for leaf in said.leaves:
            self._forbid([index[leaf]], range(p), f"{_spelled(leaf)!r} is a leaf")
        for a, b in said.required:
            self.required[index[a], index[b]] = True
        self._refuse_contradictions()

    def _forbid(self, tails: Iterable[int], heads: Iterable[int], reason: str) -> None:
        grid = np.ix_(list(tails), list(heads))
        new = ~self.forbidden[grid]
        self.reasons.append(reason)
        self.reason[grid] = np.where(new, len(self.reasons) - 1, self.reason[grid])
        self.forbidden[grid] = True

    def _add_tiers(self) -> None:
        groups = [[self.index[label] for label in tier] for tier in self.said.tiers]
        home: dict[int, int] = {}
        for t, group in enumerate(groups):
            for node in group:
                if node in home:
                    raise KnowledgeError(
                        f"{self.names[node]!r} stands in tier {home[node]} and in tier {t}; a "
                        "variable belongs to one tier at most"
                    )
                home[node] = t
        for t, group in enumerate(groups):
            for earlier in range(t):
                why = f"it would point back from tier {t} to tier {earlier}"
                self._forbid(group, groups[earlier], why)
            if not self.said.tier_allows_edges(t):
                self._forbid(group, group, f"tier {t} has no edges within")

    def _refuse_contradictions(self) -> None:
        clash = np.argwhere(self.required & self.forbidden)
        if clash.size:
            i, j = clash[0]
            more = f" ({len(clash) - 1} further contradictions)" if len(clash) > 1 else ""
            raise KnowledgeError(
                f"the edge {self.names[i]!r} -> {self.names[j]!r} is required, but "
                f"{self.reasons[self.reason[i, j]]}{more}"
            )
        cycle = find_cycle(self.required)
        if cycle is not None:
            raise KnowledgeError(
                f"the required edges form a cycle: {format_cycle(cycle, self.names)}; leave one "
                "of them out"
            )

    def restrictions(self) -> Restrictions:
        reach = _reachability(self.required)
        return Restrictions(~self.forbidden & ~reach.T, self.required)


def _reachability(edges: np.ndarray) -> np.ndarray:
    """Which nodes a directed path leads to (edges of a DAG)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    reach = np.zeros_like(edges)
    graph = csr_array(edges)
    for node in np.flatnonzero(edges.any(axis=1)):
        found = breadth_first_order(graph, node, return_predecessors=False)
        reach[node, found[1:]] = True
    return reach


def _position(label: Label, names: Sequence[str]) -> int:
    if isinstance(label, str):
        if label not in names:
            raise KnowledgeError(
                f"the knowledge names {label!r}, which is not a variable of the data"
                f"{nearest_name(label, names)}"
            )
        return list(names).index(label)
    if not 0 <= label < len(names):
        raise KnowledgeError(
            f"the knowledge names column {label}, but there are {len(names)} columns, numbered "
            "from 0"
        )
    return label


def _spelled(label: Label) -> str:
    return label if isinstance(label, str) else f"column {label}"


def _label(value: Any, where: str) -> Label:
    if isinstance(value, str) and value.strip():
        return str(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_):
        return int(value)
    raise KnowledgeError(f"{where}: a variable is a name or a column number, not {value!r}")


def _labels(values: Any, where: str) -> tuple[Label, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise KnowledgeError(f"{where} must be a list of variables, not {values!r}")
    return tuple(dict.fromkeys(_label(value, where) for value in values))


def _pairs(values: Any, where: str) -> tuple[Pair, ...]:
    pairs: dict[Pair, None] = {}
    for value in values:
        ends = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else ()
        if len(ends) != 2:
            raise KnowledgeError(f"{where} must list pairs (from, to), not {value!r}")
        a, b = (_label(end, where) for end in ends)
        if a == b:
            raise KnowledgeError(f"{where}: the edge {a!r} -> {b!r} joins a variable to itself")
        pairs[a, b] = None
    return tuple(pairs)


def _within(value: Any, n_tiers: int) -> bool | tuple[bool, ...]:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    flags = tuple(value) if isinstance(value, Iterable) else ()
    if len(flags) != n_tiers or not all(isinstance(flag, bool | np.bool_) for flag in flags):
        raise KnowledgeError(
            f"edges_within_tiers must be True, False, or one of them for each of the {n_tiers} "
            f"tiers, got {value!r}"
        )
    first = {bool(flag) for flag in flags}
    return first.pop() if len(first) == 1 else tuple(bool(flag) for flag in flags)
