"""The flip: an interval of the order is reversed (the paper's proposal)."""

from arcs.kernels.jit import inlined
from arcs.kernels.order.columns import commit_trial, has_parent, solve_trial
from arcs.kernels.order.engine import gains
from arcs.kernels.order.records import before

__all__ = ["flip", "flip_is_legal", "reverse_interval"]


@inlined
def flip_is_legal(problem, state, start, length):
    """Whether reversing the interval keeps required edges pointing forward."""
    if problem.required.shape[0] == 0:
        return True
    for i in range(start, start + length):
        for j in range(i + 1, start + length):
            if problem.required[state.order[i], state.order[j]] != 0:
                return False
    return True


@inlined
def reverse_interval(state, start, length):
    """Reverse ``order[start : start + length]``, columns untouched."""
    stop = start + length
    for i in range(length // 2):
        a, b = start + i, stop - 1 - i
        state.order[a], state.order[b] = state.order[b], state.order[a]
    for i in range(start, stop):
        state.position[state.order[i]] = i


@inlined
def flip(problem, state, start, length, work):
    """Reverse ``order[start : start + length]`` and update the columns that this changes."""
    stop = start + length
    reverse_interval(state, start, length)
    for i in range(start, stop):
        u = state.order[i]
        stale = False
        for j in range(i + 1, stop):
            if has_parent(state, u, state.order[j]):
                stale = True
                break
        if not stale:
            for j in range(start, i):
                if gains(problem, state, u, state.order[j], work):
                    stale = True
                    break
        if stale:
            _refresh_with_gained(problem, state, u, work)


@inlined
def _refresh_with_gained(problem, state, u, work):
    """Re-solve u, some of whose candidates are new."""
    lost = False
    for t in range(state.columns.count[u]):
        if state.position[state.columns.parents[u, t]] > state.position[u]:
            lost = True
    present = state.columns.score[u]
    score = solve_trial(problem, state, u, before(state.position[u]), work)
    # New candidates cannot make an optimal column worse; a heuristic one is kept if it was better.
    if lost or score < present:
        commit_trial(problem, state, u, work)
    else:
        work.tried[u] = 0
