"""The three bundles of arrays that every search kernel takes: what to solve, where we are, and
where to scribble.

- `Problem` never changes during a search: statistics, penalty, background knowledge.
- `State` is the current order and, per node, its column: parents, coefficients, score.
- `Workspace` is scratch memory, allocated once, so that no kernel allocates anything.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.statistics import Stats

__all__ = [
    "L0",
    "L1",
    "MCP",
    "SCAD",
    "Columns",
    "Problem",
    "Scratch",
    "State",
    "Workspace",
    "new_state",
    "new_workspace",
]

L0, L1, MCP, SCAD = 0, 1, 2, 3

#: Nobody (in place of a node), and zero. A plain -1 or 0 handed to a compiled function would have
#: it compiled once more for that very number.
NOBODY, ZERO = np.int64(-1), np.int64(0)

#: Meaning of the entries of ``Workspace.counters``.
(
    REINSERTIONS,
    SOLVES,
    STEPS,
    KEPT_STEPS,
    FLIPS,
    KEPT_FLIPS,
    QUEUE_HEAD,
    UNCONVERGED,
    VERSIONS,
) = range(9)


class Problem(NamedTuple):
    """What is being minimised.

    Attributes
    ----------
    stats : Stats
    kind : int, one of L0, L1, MCP, SCAD
    cost : float64 (p,), l0 only: penalty per parent of each node, in nats
    strict, lenient : float64 (p,), l0 only: thresholds on the squared partial correlation
    lam, gamma : float64, of the continuous penalties
    max_parents : int64 (p,)
    allowed : uint8 (p, p) or (0, 0) without knowledge; [i, j] whether i -> j may be an edge
    required : uint8 (p, p) or (0, 0) without knowledge; [i, j] whether i -> j must be an edge
    tolerance : float64, relative, of the continuous column solver
    """

    stats: Stats
    kind: int
    cost: np.ndarray
    strict: np.ndarray
    lenient: np.ndarray
    lam: float
    gamma: float
    max_parents: np.ndarray
    allowed: np.ndarray
    required: np.ndarray
    tolerance: float


class Columns(NamedTuple):
    """One column per node.

    Attributes
    ----------
    count : int64 (p,), number of parents
    parents : int64 (p, m), required parents first
    weight : float64 (p, m), continuous penalties: off-diagonal entries of the column of L;
        l0: (p, 0)
    diagonal : float64 (p,), continuous penalties: diagonal entry of the column of L;
        l0: residual variance share
    score : float64 (p,), the node's term of the score
    """

    count: np.ndarray
    parents: np.ndarray
    weight: np.ndarray
    diagonal: np.ndarray
    score: np.ndarray


class State(NamedTuple):
    """Order (parents first) and columns.

    Attributes
    ----------
    order, position : int64 (p,), a permutation and its inverse
    columns : Columns
    factor : float64 (p, m (m + 1) / 2), l0: packed Cholesky factor of the parents' Gram matrix
    solved : float64 (p, m), l0: factor^-1 G[parents, node]
    """

    order: np.ndarray
    position: np.ndarray
    columns: Columns
    factor: np.ndarray
    solved: np.ndarray


class Scratch(NamedTuple):
    """Where a column is being solved."""

    pivots: np.ndarray  # (m + 1, p) eliminated rows
    covariance: np.ndarray  # (p,) partial covariances with the node, or gradient
    variance: np.ndarray  # (p,) partial variances
    open: np.ndarray  # (p,) 1 for candidates, 0 for others
    row: np.ndarray  # (p,)
    small: np.ndarray  # (m + 1, m + 1)
    inverse: np.ndarray  # (m + 1, m + 1)
    vector: np.ndarray  # (m + 1,)
    chosen: np.ndarray  # (m + 1,) int64, the parents being collected
    copy: np.ndarray  # (m + 1,) int64
    weight: np.ndarray  # (m + 1,) weights of the chosen parents
    member: np.ndarray  # (p,) uint8


class Workspace(NamedTuple):
    """Scratch memory of one chain. Trial columns wait here for a decision, and the journal keeps
    what a rejected move must put back."""

    scratch: Scratch
    trial: Columns
    tried: np.ndarray  # (p,) uint8, whether the trial column differs from the present one
    saved: Columns
    is_saved: np.ndarray  # (p,) uint8
    saved_nodes: np.ndarray  # (p,) int64
    saved_size: np.ndarray  # (1,) int64; -1: the journal is closed
    saved_order: np.ndarray  # (p,) int64
    version: np.ndarray  # (p,) int32, a new number whenever the node's column changes
    saved_version: np.ndarray  # (p,) int32
    useless: np.ndarray  # (p, p) int32, [v, u]: the version of u's column that has no use for v
    floor: np.ndarray  # (p,) float64, l0: the lowest that a node's score gets; NaN: not known yet
    queue: np.ndarray  # (p,) int64, ring buffer
    queued: np.ndarray  # (p,) uint8
    frozen: np.ndarray  # (p,) uint8
    mark: np.ndarray  # (p,) uint8
    list_a: np.ndarray  # (p,) int64
    list_b: np.ndarray  # (p,) int64
    chosen: np.ndarray  # (p,) int64, the children being pulled in front
    members: np.ndarray  # (4,) int64, the nodes that jump or are relocated
    futile: np.ndarray  # int64, signatures of pulls tried in vain; a power of two of slots
    signature: np.ndarray  # (1,) int64, of the pull being tried
    counters: np.ndarray  # (9,) int64: what was done, for traces and tests


def _new_columns(p: int, m: int, factored: bool) -> Columns:
    return Columns(
        count=np.zeros(p, np.int64),
        parents=np.zeros((p, m), np.int64),
        weight=np.zeros((p, 0 if factored else m)),
        diagonal=np.ones(p),
        score=np.zeros(p),
    )


def new_state(order: np.ndarray, m: int, factored: bool) -> State:
    """A state with empty columns; scores are filled in by the first solve."""
    p = order.size
    position = np.empty(p, np.int64)
    position[order] = np.arange(p)
    return State(
        order=order.astype(np.int64).copy(),
        position=position,
        columns=_new_columns(p, m, factored),
        factor=np.zeros((p, m * (m + 1) // 2 if factored else 0)),
        solved=np.zeros((p, m if factored else 0)),
    )


def new_workspace(p: int, m: int, factored: bool) -> Workspace:
    """Scratch memory for columns of at most `m` parents."""
    scratch = Scratch(
        pivots=np.zeros((m + 1, p) if factored else (1, p)),
        covariance=np.zeros(p),
        variance=np.zeros(p),
        open=np.zeros(p),
        row=np.zeros(p),
        small=np.zeros((m + 1, m + 1)),
        inverse=np.zeros((m + 1, m + 1) if factored else (1, 1)),
        vector=np.zeros(m + 1),
        chosen=np.zeros(m + 1, np.int64),
        copy=np.zeros(m + 1, np.int64),
        weight=np.zeros(m + 1),
        member=np.zeros(p, np.uint8),
    )
    flags = ("tried", "is_saved", "queued", "frozen", "mark")
    lists = ("saved_nodes", "saved_order", "queue", "list_a", "list_b", "chosen")
    return Workspace(
        scratch=scratch,
        trial=_new_columns(p, m, factored),
        saved=_new_columns(p, m, factored),
        saved_size=np.full(1, -1, np.int64),
        members=np.zeros(4, np.int64),
        futile=np.zeros(1 << (32 * p).bit_length(), np.int64),
        signature=np.zeros(1, np.int64),
        counters=np.zeros(9, np.int64),
        version=np.zeros(p, np.int32),
        saved_version=np.zeros(p, np.int32),
        useless=np.full((p if factored else 0, p), -1, np.int32),
        floor=np.full(p, np.nan),
        **{name: np.zeros(p, np.uint8) for name in flags},
        **{name: np.zeros(p, np.int64) for name in lists},
    )
