"""What the others would gain or lose if a node stood elsewhere.

Slots are places in the order without the node v that is moved. Trial columns of the nodes that v
passes are left in the workspace: ``work.tried[u]`` tells whose column would change.
"""

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.columns import has_parent, solve_trial
from arcs.kernels.order.engine import gains, remembers_useless
from arcs.kernels.order.records import EPSILON, NOBODY, Candidates

__all__ = [
    "change_of_others",
    "crossing",
    "other_at",
    "slot_limit",
    "try_gaining",
    "try_losing",
]

#: Nats that a column has to gain by another candidate.
_GAIN = EPSILON * 1e-3


@inlined
def _is_useless(work, v, u):
    """Whether u's column is known to have no use for v."""
    memory = work.memory
    if memory.useless[v, u] == memory.version[u]:
        return True
    return memory.frozen[0] != 0 and memory.failed[u, v] != 0 and work.journal.is_saved[u] == 0


@inlined
def _note(memory, v, u):
    """u's column, as it was before the step, was tried with v, in vain."""
    at = memory.n_noted[0]
    if at < memory.noted.shape[0]:
        memory.noted[at, 0], memory.noted[at, 1] = v, u
        memory.n_noted[0] += 1
        memory.failed[u, v] = 1


@inlined
def _remember_useless(work, v, u, tried):
    """Remember that u's column has no use for v; `tried`: that does not follow from the column
    alone, but v was tried."""
    memory = work.memory
    if tried and memory.frozen[0] != 0 and work.journal.is_saved[u] == 0:
        _note(memory, v, u)
    else:
        memory.useless[v, u] = memory.version[u]


@kernel
def try_gaining(problem, state, v, low, work):
    """Trial columns, with v as a candidate, of the nodes before v.

    Returns the position of the first of those who would gain if v stood before it, or of v.
    """
    first = state.position[v]
    for i in range(state.position[v] - 1, low - 1, -1):
        u = state.order[i]
        work.tried[u] = 0
        if remembers_useless(problem) and _is_useless(work, v, u):
            continue
        promising = gains(problem, state, u, v, work)
        if promising:
            score = solve_trial(problem, state, u, Candidates(i, v, NOBODY), work)
            if score >= state.columns.score[u] - _GAIN:
                work.tried[u] = 0
        if work.tried[u] != 0:
            first = i
        elif remembers_useless(problem):
            _remember_useless(work, v, u, promising)
    return first


@kernel
def try_losing(problem, state, v, high, spare, work):
    """Trial columns, without v, of the children of v, as far as v can afford to move.

    Returns the last slot at which what the others lose is at most `spare`.
    """
    lost = 0.0
    for i in range(state.position[v] + 1, high + 1):
        u = state.order[i]
        work.tried[u] = 0
        if has_parent(state, u, v):
            score = solve_trial(problem, state, u, Candidates(i, NOBODY, v), work)
            lost += score - state.columns.score[u]
            if lost > spare:
                return i - 1
    return high


@inlined
def slot_limit(slot, here):
    """Positions before this limit are the candidates of a node (now at `here`) put at `slot`."""
    return slot if slot <= here else slot + 1


@inlined
def other_at(state, slot, here):
    """The node at `slot` of the order without the node that stands at `here`."""
    return state.order[slot] if slot < here else state.order[slot + 1]


@inlined
def crossing(state, c, slot, here, work):
    """Change of c's score when v, coming from the left, moves past c at `slot`."""
    change = 0.0
    if work.tried[c] != 0:
        change = work.trial.score[c] - state.columns.score[c]
        if slot < here:
            change = -change
    return change


@inlined
def change_of_others(state, here, slot, work):
    """Change of the other nodes' total score if the node at `here` moved to `slot`."""
    change = 0.0
    first, last = (slot, here) if slot < here else (here + 1, slot + 1)
    for i in range(first, last):
        u = state.order[i]
        if work.tried[u] != 0:
            change += work.trial.score[u] - state.columns.score[u]
    return change
