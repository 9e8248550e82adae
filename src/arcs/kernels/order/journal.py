"""The journal: what a move changed, so that a rejected one leaves no trace.

Columns save themselves on the first change while the journal is open (see
:mod:`arcs.kernels.order.columns`).
"""

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.columns import has_parent, put_column
from arcs.kernels.order.engine import refresh

__all__ = [
    "is_as_before",
    "is_as_saved",
    "journal_close",
    "journal_open",
    "journal_undo",
    "undo_with_order",
]


@inlined
def journal_open(state, journal, with_order):
    """From now on changes can be undone; the order is kept too unless the move undoes its own."""
    journal.size[0] = 0
    if with_order:
        for i in range(state.order.shape[0]):
            journal.order[i] = state.order[i]


@inlined
def is_as_saved(state, u, journal):
    """Whether u has the same parents as when it was saved."""
    same = state.columns.count[u] == journal.columns.count[u]
    if same:
        for i in range(journal.columns.count[u]):
            same = same and has_parent(state, u, journal.columns.parents[u, i])
    return same


@kernel
def is_as_before(state, journal):
    """Whether all nodes have the parents that they had when the journal was opened."""
    same = True
    for i in range(journal.size[0]):
        same = same and is_as_saved(state, journal.nodes[i], journal)
    return same


@kernel
def journal_close(state, work):
    """Keep what was done. Of columns that came back to what they were, all is known already."""
    journal = work.journal
    for i in range(journal.size[0]):
        u = journal.nodes[i]
        journal.is_saved[u] = 0
        if is_as_saved(state, u, journal):
            work.memory.version[u] = journal.version[u]
    journal.size[0] = -1


@kernel
def journal_undo(problem, state, work):
    """Put columns back as they were when the journal was opened."""
    journal = work.journal
    for i in range(journal.size[0]):
        u = journal.nodes[i]
        put_column(problem, journal.columns, state.columns, u)
        work.memory.version[u] = journal.version[u]
        refresh(problem, state, u)
    journal_close(state, work)


@kernel
def undo_with_order(problem, state, work):
    """Put columns and the order back as they were when the journal was opened."""
    for i in range(state.order.shape[0]):
        state.order[i] = work.journal.order[i]
        state.position[state.order[i]] = i
    journal_undo(problem, state, work)
