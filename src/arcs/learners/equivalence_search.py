"""Greedy search over equivalence classes: the engine behind GES and GIES.

The state is a completed PDAG. Each phase applies, as long as the score improves, the best of all
valid operators of one kind: insertions, deletions or turns of one edge; or of several kinds, the
best of the first kind that has any. The score is that of a member DAG (for numbers the Gaussian
BIC), the same for all members of a class, also with experiments: edges that may be turned within a
class join nodes with the same excluded rows.

The operators at each node form a :class:`~arcs.kernels.greedy_equivalence_records.Row`, best first.
After a step only the rows whose surroundings changed are computed again. Insertions and turns must
not close a semi-directed path; that test is global, so it is put off until an operator is about to
be chosen. An operator found blocked is passed over for as long as the blocking path stays open.
The steps taken are exactly those of a search that looks at all operators every time.

*Background knowledge.* A class is admissible if some member has only allowed edges, among them all
required ones. The search begins with the class of the required edges, deletes none of these, and
takes only steps that lead to admissible classes. (Meek's orientations are not carried along: the
operators are those of the whole class, so that every member is a place to step from.) In the end
the class is restricted to the members that agree with the knowledge.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from arcs.data import GramStatistics
from arcs.graphs import Pdag
from arcs.graphs.equivalence import separating
from arcs.kernels.equivalence import neighbour_lists, oriented_cpdag_kernel
from arcs.kernels.greedy_equivalence_deletions import delete_row
from arcs.kernels.greedy_equivalence_insertions import insert_row
from arcs.kernels.greedy_equivalence_records import ClassGraph, Row, Rules, empty_row
from arcs.kernels.greedy_equivalence_steps import (
    DELETE,
    INSERT,
    TURN,
    after_operator,
    changes,
    path_exists,
)
from arcs.kernels.greedy_equivalence_turns import turn_row
from arcs.knowledge import admissible_member, one_way
from arcs.learners.evidence import Evidence
from arcs.progress import Watch
from arcs.scores import GaussianBic

if TYPE_CHECKING:
    from arcs.scores.families import FamilyScore

__all__ = ["BACKWARD", "FORWARD", "TURNING", "EquivalenceSearch", "Phase", "parent_caps"]


@dataclass(frozen=True)
class Phase:
    """A kind of operator: the phase's name, its number in the kernels, how its rows are found."""

    name: str
    kind: int
    write_row: Callable[..., None]


FORWARD = Phase("forward", INSERT, insert_row)
BACKWARD = Phase("backward", DELETE, delete_row)
TURNING = Phase("turning", TURN, turn_row)


def parent_caps(statistics: Evidence, max_parents: int | np.ndarray | None) -> np.ndarray:
    """The largest parent set to try for each node.

    A regression on k parents leaves n - k - 1 degrees of freedom; with hardly any left the
    likelihood is unbounded and the score means nothing. Half of the rows is where we stop.
    """
    caps = np.minimum(np.floor(statistics.n / 2), statistics.p - 1)
    if max_parents is not None:
        caps = np.minimum(caps, max_parents)
    return np.asarray(caps, dtype=np.int64)


class _Effect(NamedTuple):
    """What a step did: operator, nodes with other parents or neighbours, pairs closed to paths."""

    kind: int
    x: int
    y: int
    changed: np.ndarray
    closed: np.ndarray


@dataclass(eq=False)
class _Candidates:
    """The operators of one kind: a row per node and how far each row has been passed over."""

    phase: Phase
    rows: list[Row]
    #: Rows that are out of date.
    dirty: np.ndarray
    #: Number of operators at the top of each row that are blocked by a path.
    passed: np.ndarray
    #: Gain of the first operator of each row that is not known to be blocked.
    best: np.ndarray
    #: For each row, the nodes on the paths that block the operators passed over.
    on_path: np.ndarray

    @classmethod
    def unknown(cls, phase: Phase, p: int) -> _Candidates:
        return cls(
            phase,
            [empty_row(0, 0, 0)] * p,
            np.ones(p, dtype=bool),
            np.zeros(p, np.int64),
            np.full(p, -np.inf),
            np.zeros((p, p), dtype=bool),
        )

    def put(self, y: int, row: Row) -> None:
        self.rows[y] = row
        self.dirty[y] = False
        self.restart(y)

    def restart(self, y: int) -> None:
        """Look at row y from its top again."""
        self.passed[y] = 0
        self.on_path[y] = False
        self._refresh(y)

    def skip(self, y: int) -> None:
        """Pass over the first operator left in row y."""
        self.passed[y] += 1
        self._refresh(y)

    def _refresh(self, y: int) -> None:
        gains = self.rows[y].gain
        at = self.passed[y]
        self.best[y] = gains[at] if at < len(gains) else -np.inf

    def absorb(self, effect: _Effect, graph: ClassGraph) -> None:
        """Account for a step that led to `graph`."""
        x, y, changed = effect.x, effect.y, effect.changed
        self.reopen(effect.closed)
        self.dirty |= changed
        self.dirty[[x, y]] = True
        if self.phase.kind == effect.kind == INSERT:
            self.dirty |= graph.undirected[x] & graph.undirected[y]  # a new clique to choose
            self.narrow(graph, x, y)
            return
        self.dirty |= graph.undirected[x] | graph.undirected[y]
        if self.phase.kind == TURN:  # what turning y -> x gains depends on the parents of x as well
            self.dirty |= graph.directed[:, changed].any(axis=1)

    def narrow(self, graph: ClassGraph, x: int, y: int) -> None:
        """Account for the new adjacency of x and y in the rows that are still up to date: at a
        neighbour of x, insertions from y must have x in their clique now, and vice versa."""
        for near, far in ((x, y), (y, x)):
            for node in np.flatnonzero(graph.undirected[near] & ~graph.adjacent[far] & ~self.dirty):
                row = self.rows[node]
                if (row.source == far).any():
                    self.put(int(node), _covered(row, far, near))

    def reopen(self, closed: np.ndarray) -> None:
        """Restart the rows with a blocking path that may have used one of the `closed` pairs."""
        if len(closed):
            used = (self.on_path[:, closed[:, 0]] & self.on_path[:, closed[:, 1]]).any(axis=1)
            for y in np.flatnonzero(used & (self.passed > 0)):
                self.restart(int(y))


@dataclass(eq=False)
class EquivalenceSearch:
    """A greedy search over equivalence classes, from the empty graph.

    Parameters
    ----------
    statistics : GramStatistics, CategoricalTable or MixedData
        Target sets that separate the ends of an edge give it a direction.
    penalty : float
        The factor c in 2 log L - c k log n of numbers.
    max_parents : int or array of int, optional
        Parent sets larger than this are not tried.
    allowed : ndarray of bool, shape (p, p), optional
        ``allowed[i, j]``: whether a member of the class may have the edge i -> j.
    required : ndarray of bool, shape (p, p), optional
        Edges that it must have; the reverse of each is not allowed.
    stage : str
        Prefix of the stages reported to the watch.
    scored : GaussianBic or FamilyScore, optional
        The score; the Gaussian BIC by default.

    Attributes
    ----------
    graph : ClassGraph
        The present class.
    score : float
        Its score.
    history : list of (phase number, score, edges)
        One entry per step.
    timings : dict
        Seconds spent in each part of the plan.
    cycled : bool
        Whether it came back to an earlier class, and so ended: where columns nearly determine each
        other, rounding lets steps round a circle all seem to improve.
    """

    statistics: Evidence
    penalty: float = 1.0
    max_parents: int | np.ndarray | None = None
    allowed: np.ndarray | None = None
    required: np.ndarray | None = None
    stage: str = "ges"
    scored: GaussianBic | FamilyScore | None = None
    graph: ClassGraph = field(init=False)
    score: float = field(init=False)
    history: list[tuple[int, float, int]] = field(init=False, default_factory=list)
    timings: dict[str, float] = field(init=False, default_factory=dict)
    cycled: bool = field(init=False, default=False)
    _visited: set[bytes] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        p = self.statistics.p
        scored = self.scored or GaussianBic(cast(GramStatistics, self.statistics), self.penalty)
        self._kernel = scored.kernel
        self._known = separating(self.statistics.targets, p)
        allowed = np.ones((p, p), dtype=bool) if self.allowed is None else self.allowed
        required = np.zeros((p, p), dtype=bool) if self.required is None else self.required
        # What is required may be, also where a category that does not vary is isolated otherwise.
        self._allowed = np.ascontiguousarray(allowed | required, dtype=bool)
        self._stays = required | required.T
        self._choosy = bool(one_way(self._allowed).any())
        self._rules = Rules(
            self.penalty * np.log(np.maximum(self.statistics.n, 1.0)),
            parent_caps(self.statistics, self.max_parents),
            self._allowed | self._allowed.T,
        )
        dag = np.ascontiguousarray(required, dtype=bool)
        directed, undirected = oriented_cpdag_kernel(dag, self._known)
        start, near = neighbour_lists(self._stays)
        self.graph = ClassGraph(directed, undirected, self._stays.copy(), start, near)
        self.score = scored.total(required)
        self._buffer = empty_row(4 * p, 4 * p, 4 * p)
        self._visit()

    @property
    def n_edges(self) -> int:
        """Edges of the present class."""
        return len(self.graph.near) // 2

    def pdag(self) -> Pdag:
        """The present class, or those of its members that agree with the knowledge."""
        directed, undirected = self.graph.directed, self.graph.undirected
        if self._choosy:
            member = admissible_member(directed, undirected, self._allowed)
            assert member is not None  # no step leads to a class without
            known = self._known | one_way(self._allowed)
            directed, undirected = oriented_cpdag_kernel(member, known)
        return Pdag(directed, undirected, self.statistics.names)

    # ------------------------------------------------------------------ running
    def run(self, plan: Sequence[Sequence[Phase]], watch: Watch, *, iterate: bool) -> bool:
        """Go through a plan (again and again until it changes nothing, if `iterate`).

        Each part of the plan is run by :meth:`climb`. Returns whether the search came to its end,
        rather than to that of its time.
        """
        while True:
            before = len(self.history)
            for phases in plan:
                name, began = "+".join(phase.name for phase in phases), watch.elapsed
                finished = self.climb(phases, watch)
                self.timings[name] = self.timings.get(name, 0.0) + watch.elapsed - began
                if not finished:
                    return False
            # A single part has ended where none of its operators improves: nothing to repeat.
            if not iterate or len(plan) == 1 or len(self.history) == before or self.cycled:
                return True

    def climb(self, phases: Sequence[Phase], watch: Watch) -> bool:
        """Apply operators until none improves: the best one of the first kind that has any.

        Returns False if out of time.
        """
        pools = [_Candidates.unknown(phase, self.statistics.p) for phase in phases]
        while True:
            for pool in pools:
                if not self._update(pool, watch):
                    return False
                y = self._choose(pool)
                if y >= 0:
                    self._absorb(self._step(pool, y), pools)
                    break
            stage = f"{self.stage} {pool.phase.name}"
            go_on = watch.tick(stage, len(self.history), score=self.score, edges=self.n_edges)
            if y < 0 or self.cycled or not go_on:
                return go_on

    # ------------------------------------------------------------------ one step
    def _update(self, pool: _Candidates, watch: Watch) -> bool:
        """Compute the dirty rows again; False if out of time."""
        for y in np.flatnonzero(pool.dirty):
            pool.put(int(y), self._row(pool.phase, int(y)))
            if watch.expired():
                return False
        return True

    def _row(self, phase: Phase, y: int) -> Row:
        """The operators at y, best first."""
        while True:
            row = self._buffer
            row.size[:] = 0
            phase.write_row(self._kernel, self.graph, self._rules, y, row)
            operators, cliques, members = (int(count) for count in row.size[:3])
            room = len(row.gain), len(row.start) - 1, len(row.member)
            if operators <= room[0] and cliques <= room[1] and members <= room[2]:
                break
            self._buffer = empty_row(
                max(2 * operators, room[0]), max(2 * cliques, room[1]), max(2 * members, room[2])
            )
        order = np.argsort(-row.gain[:operators], kind="stable")
        if phase.kind == DELETE:
            order = order[~self._stays[row.source[order], y]]
        return Row(
            row.gain[order],
            row.source[order],
            row.clique[order],
            row.start[: cliques + 1].copy(),
            row.member[:members].copy(),
            row.size.copy(),
        )

    def _choose(self, pool: _Candidates) -> int:
        """The row whose first remaining operator is the best valid one; -1 if there is none."""
        while True:
            y = int(np.argmax(pool.best))
            if pool.best[y] == -np.inf:
                return -1
            x, clique = _operator(pool.rows[y], pool.passed[y])
            kind = pool.phase.kind
            blocked = path_exists(self.graph, kind, x, y, clique, pool.on_path[y])
            if not blocked and (not self._choosy or self._admits(kind, x, y, clique)):
                return y
            pool.skip(y)

    def _admits(self, kind: int, x: int, y: int, clique: np.ndarray) -> bool:
        """Whether the class after an operator has a member that agrees with the knowledge."""
        if kind != DELETE:
            # The arrows of new v-structures at y: most verdicts need to look no further.
            tails = self.graph.directed[:, y].copy()
            tails[clique] = True
            tails &= ~self.graph.adjacent[x]
            tails[[x, y]] = tails.any(), False
            if (tails & ~self._allowed[:, y]).any():
                return False
        new, valid = after_operator(self.graph, self._known, kind, x, y, clique)
        return valid and admissible_member(new.directed, new.undirected, self._allowed) is not None

    def _step(self, pool: _Candidates, y: int) -> _Effect:
        """Apply the first remaining operator of row y."""
        kind = pool.phase.kind
        x, clique = _operator(pool.rows[y], pool.passed[y])
        new, valid = after_operator(self.graph, self._known, kind, x, y, clique)
        if not valid:  # the operators' validity conditions rule this out
            raise AssertionError(f"operator {kind} at {x}, {y}, {clique} has no member DAG")
        effect = _Effect(kind, x, y, *changes(self.graph, new))
        self.score += float(pool.best[y])
        self.graph = new
        self.history.append((kind, self.score, self.n_edges))
        self._visit()
        return effect

    def _visit(self) -> None:
        """Note where the search is, and whether it has been there before."""
        marks = np.packbits((self.graph.directed, self.graph.undirected)).tobytes()
        digest = hashlib.blake2b(marks, digest_size=16).digest()
        self.cycled |= digest in self._visited
        self._visited.add(digest)

    def _absorb(self, effect: _Effect, pools: Sequence[_Candidates]) -> None:
        for pool in pools:
            pool.absorb(effect, self.graph)
            if self._choosy:  # any step may make others admissible
                for y in np.flatnonzero(pool.passed > 0):
                    pool.restart(int(y))


def _operator(row: Row, at: int) -> tuple[int, np.ndarray]:
    """The other end and the clique of operator `at` of a row."""
    clique = row.clique[at]
    return int(row.source[at]), row.member[row.start[clique] : row.start[clique + 1]]


def _covered(row: Row, source: int, node: int) -> Row:
    """The row without operators from `source` that do not have `node` in their clique."""
    holders = np.zeros(len(row.start) - 1, dtype=bool)
    holders[np.searchsorted(row.start, np.flatnonzero(row.member == node), side="right") - 1] = True
    keep = (row.source != source) | holders[row.clique]
    return row._replace(gain=row.gain[keep], source=row.source[keep], clique=row.clique[keep])
