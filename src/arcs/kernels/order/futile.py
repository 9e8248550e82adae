"""What was tried in vain is remembered, and not tried again while the graph around it is the same.

A signature is a number for what is about to be tried: who jumps in which order, over whom, whether
they are held, and the parents of all these and of their children. Nodes farther away may change the
outcome too; this is the bet that they do not.
"""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.draws import DESCENDANT
from arcs.kernels.order.records import EPSILON, NOBODY, ZERO, Memory

__all__ = ["is_futile", "note_futile", "remember_as_futile", "sign", "was_in_vain"]

#: Steps that rise by so many temperatures would be kept with a probability of exp(-4).
_HOPELESS = 4.0


@inlined
def _mix(a, b):
    """A well-scrambled number for an ordered pair of small ones."""
    x = (a + 1) * -7046029254386353131 + (b + 1) * -4658895280553007687
    x = (x ^ (x >> 32)) * -7723592293110705685
    return x ^ (x >> 29)


@kernel
def sign(state, jump, n_leaders, held):
    """The signature of what is about to be tried."""
    mark = jump.mark
    total = _mix(-1 - n_leaders, ZERO + held)
    for t in range(n_leaders):
        total += _mix(jump.leaders[t], -2 - t)
    for u in range(state.order.shape[0]):
        moved = mark[u] > DESCENDANT
        if moved:
            total += _mix(u, NOBODY)
        touched = moved
        for t in range(state.columns.count[u]):
            touched = touched or mark[state.columns.parents[u, t]] > DESCENDANT
        if touched:
            for t in range(state.columns.count[u]):
                total += _mix(u, state.columns.parents[u, t])
    return total


@inlined
def _slot(memory):
    """Where the present signature would be remembered."""
    return memory.signature[0] & (memory.futile.shape[0] - 1)


@inlined
def is_futile(memory):
    """Whether what has the present signature was tried in vain."""
    return memory.futile[_slot(memory)] == memory.signature[0]


@inlined
def was_in_vain(before, after, temperature):
    """Whether a step neither paid nor might be kept next time."""
    return abs(after - before) <= EPSILON or after > before + _HOPELESS * temperature


@inlined
def remember_as_futile(before, after, temperature, memory):
    """Remember the pull just tried if it was in vain.

    A later one may take its place: forgetting costs no more than another try.
    """
    if was_in_vain(before, after, temperature):
        memory.futile[_slot(memory)] = memory.signature[0]


def note_futile(memory: Memory, signatures: np.ndarray) -> None:
    """Remember what has these signatures as futile, the last of those that meet in a place."""
    memory.futile[signatures & (memory.futile.size - 1)] = signatures
