"""The records that search kernels take: where we are, what is known, and where to work.

What is being minimised is the engine's own record (see :mod:`arcs.kernels.order.engine`), which
never changes during a search. `State` is the current order and, per node, its column. `Workspace`
is memory of one chain, allocated once, so that no kernel allocates anything.
"""

from typing import Any, NamedTuple

import numpy as np

from arcs.kernels.bundles import apart, bundle
from arcs.kernels.jit import inlined

__all__ = [
    "EPSILON",
    "NOBODY",
    "ONE",
    "ZERO",
    "Candidates",
    "Journal",
    "Jump",
    "Memory",
    "Outcome",
    "Queue",
    "State",
    "Walk",
    "Workspace",
    "before",
    "copy_nodes",
    "new_state",
    "new_workspace",
]

#: Improvements below this many nats are ties.
EPSILON = 1e-7

#: Nobody (in place of a node), and small numbers. A plain -1 or 0 handed to a compiled function
#: would have it compiled once more for that very number.
NOBODY, ZERO, ONE = np.int64(-1), np.int64(0), np.int64(1)

#: Meaning of the entries of ``Workspace.counters``.
REINSERTIONS, SOLVES, STEPS, KEPT_STEPS, FLIPS, KEPT_FLIPS, UNCONVERGED, VERSIONS = range(8)

#: At most so many nodes jump together.
_MOST_LEADERS = 4
#: At most so many pairs are noted in a step.
_MOST_NOTED = 1024


class Candidates(NamedTuple):
    """Who may be a parent: all before position `limit`, with `plus`, without `minus` (or
    `NOBODY`)."""

    limit: int
    plus: int
    minus: int


class State(NamedTuple):
    """Order (parents first) and columns.

    Attributes
    ----------
    order, position : int64 (p,), a permutation and its inverse
    columns : the engine's columns, with at least ``count`` (p,), ``parents`` (p, m), required
        ones first, and ``score`` (p,), the node's term of the score
    derived : what the engine keeps up to date beside the columns, and can compute from them
    """

    order: np.ndarray
    position: np.ndarray
    columns: Any
    derived: Any


class Queue(NamedTuple):
    """Nodes that wait to be reinserted: a ring. Frozen nodes do not enter."""

    nodes: np.ndarray  # (p,) int64
    ends: np.ndarray  # (2,) int64: where the first stands, and how many there are
    queued: np.ndarray  # (p,) uint8
    frozen: np.ndarray  # (p,) uint8


class Journal(NamedTuple):
    """What a rejected move must put back."""

    columns: Any  # as they were
    version: np.ndarray  # (p,) int32, as they were
    order: np.ndarray  # (p,) int64, as it was
    is_saved: np.ndarray  # (p,) uint8
    nodes: np.ndarray  # (p,) int64, whose columns are saved
    size: np.ndarray  # (1,) int64, how many; -1: the journal is closed


class Memory(NamedTuple):
    """What is known from earlier tries."""

    version: np.ndarray  # (p,) int32, a new number whenever the node's column changes
    useless: np.ndarray  # (p, p) int32, [v, u]: the version of u's column that has no use for v
    floor: np.ndarray  # (p,) float64, the lowest that a node's score gets; NaN: not known yet
    futile: np.ndarray  # int64, signatures of pulls tried in vain; a power of two of slots
    signature: np.ndarray  # (1,) int64, of the pull being tried
    frozen: np.ndarray  # (1,) uint8, 1: what does not follow from columns alone is only noted
    failed: np.ndarray  # (p, p) uint8, [u, v]: u's column before the step was tried with v, in vain
    noted: np.ndarray  # (most, 2) int64, pairs (v, u): found out in this step
    n_noted: np.ndarray  # (1,) int64, how many


class Jump(NamedTuple):
    """Who jumps over whom."""

    leaders: np.ndarray  # (4,) int64, those who jump, or are relocated
    chosen: np.ndarray  # (p,) int64, the children that they jump
    mark: np.ndarray  # (p,) uint8
    children: np.ndarray  # (p,) int64
    parents: np.ndarray  # (p,) int64
    path: np.ndarray  # (p,) int64
    front: np.ndarray  # (p,) int64, those who come first when the order is sorted again
    back: np.ndarray  # (p,) int64, those who come last


class Workspace(NamedTuple):
    """Memory of one chain. Trial columns wait here for a decision."""

    scratch: Any  # the engine's, where a column is being solved
    trial: Any  # columns
    tried: np.ndarray  # (p,) uint8, whether the trial column differs from the present one
    journal: Journal
    memory: Memory
    queue: Queue
    jump: Jump
    counters: np.ndarray  # (8,) int64: what was done, for traces and tests


class Outcome(NamedTuple):
    """What a large step would change."""

    columns: Any  # of the nodes below
    nodes: np.ndarray  # (p,) int64, whose parents would be others
    order: np.ndarray  # (p,) int64
    noted: np.ndarray  # (most, 2) int64, pairs (v, u): u's column has no use for v
    facts: np.ndarray  # (5,) int64: see :mod:`arcs.kernels.order.rounds`
    change: np.ndarray  # (1,) float64, of the score


class Walk(NamedTuple):
    """A slice of annealing."""

    temperatures: np.ndarray  # (iterations,) float64
    scores: np.ndarray  # (iterations,) float64, receives the score after each
    energies: np.ndarray  # (2,) float64, of the present state and of the best one


@inlined
def before(limit):
    """Candidates: all before a position."""
    return Candidates(limit, NOBODY, NOBODY)


@inlined
def copy_nodes(source, target, k):
    """Copy the first k nodes of a list."""
    for t in range(k):
        target[t] = source[t]


def new_state(order: np.ndarray, columns: NamedTuple, derived: NamedTuple) -> State:
    """A state with empty columns; scores are filled in by the first solve."""
    p = order.size
    position = np.empty(p, np.int64)
    position[order] = np.arange(p)
    own = apart(State(order.astype(np.int64), position, columns, ()))
    return bundle(own._replace(derived=derived))


def new_workspace(
    p: int, scratch: NamedTuple, trial: NamedTuple, saved: NamedTuple, remembers: bool
) -> Workspace:
    """Memory for a search; `remembers`: whether useless candidates are (needs p x p numbers)."""
    work = Workspace(
        scratch=(),
        trial=trial,
        tried=np.zeros(p, np.uint8),
        journal=Journal(
            columns=saved,
            version=np.zeros(p, np.int32),
            order=np.zeros(p, np.int64),
            is_saved=np.zeros(p, np.uint8),
            nodes=np.zeros(p, np.int64),
            size=np.full(1, -1, np.int64),
        ),
        memory=Memory(
            version=np.zeros(p, np.int32),
            useless=np.full((p if remembers else 0, p), -1, np.int32),
            floor=np.full(p, np.nan),
            futile=np.zeros(1 << (32 * p).bit_length(), np.int64),
            signature=np.zeros(1, np.int64),
            frozen=np.zeros(1, np.uint8),
            failed=np.zeros((p if remembers else 0, p), np.uint8),
            noted=np.zeros((_MOST_NOTED, 2), np.int64),
            n_noted=np.zeros(1, np.int64),
        ),
        queue=Queue(
            nodes=np.zeros(p, np.int64),
            ends=np.zeros(2, np.int64),
            queued=np.zeros(p, np.uint8),
            frozen=np.zeros(p, np.uint8),
        ),
        jump=Jump(
            np.zeros(_MOST_LEADERS, np.int64),
            np.zeros(p, np.int64),
            np.zeros(p, np.uint8),
            *(np.zeros(p, np.int64) for _ in range(5)),
        ),
        counters=np.zeros(8, np.int64),
    )
    # Engines may share what is in the scratch between chains.
    return bundle(apart(work)._replace(scratch=scratch))
