"""The journal: what it undoes, and what it knows to be as before."""

import numpy as np
import pytest

from arcs.kernels.order.columns import commit_trial, solve_trial
from arcs.kernels.order.journal import (
    is_as_before,
    journal_close,
    journal_open,
    undo_with_order,
)
from arcs.kernels.order.records import NOBODY, Candidates


def shorten(chain, u):
    """Leave u no candidates."""
    nobody = Candidates(np.int64(0), NOBODY, NOBODY)
    solve_trial(chain.score.problem, chain.state, u, nobody, chain.work)
    commit_trial(chain.score.problem, chain.state, u, chain.work)


def with_parents(chain):
    return [int(u) for u in np.flatnonzero(chain.state.columns.count)]


@pytest.mark.parametrize("kind", ["l0", "mcp"])
def test_everything_comes_back(a_chain, contents, kind):
    chain = a_chain(kind, 1)
    before, versions = contents(chain.state), chain.work.memory.version.copy()
    journal_open(chain.state, chain.work.journal, True)
    for u in with_parents(chain):
        shorten(chain, u)
        shorten(chain, u)  # a column is saved once, as it was at first
    chain.state.order[:] = chain.state.order[::-1].copy()
    assert not is_as_before(chain.state, chain.work.journal)
    undo_with_order(chain.score.problem, chain.state, chain.work)
    assert contents(chain.state) == before
    np.testing.assert_array_equal(chain.work.memory.version, versions)
    assert chain.work.journal.size[0] == -1
    assert not chain.work.journal.is_saved.any()


def test_what_is_kept_is_new_unless_it_came_back(a_chain):
    chain = a_chain("l0", 1)
    first, second = with_parents(chain)[:2]
    versions = chain.work.memory.version.copy()
    journal_open(chain.state, chain.work.journal, True)
    shorten(chain, first)
    shorten(chain, second)
    present = Candidates(np.int64(chain.state.position[second]), NOBODY, NOBODY)
    solve_trial(chain.score.problem, chain.state, second, present, chain.work)
    commit_trial(chain.score.problem, chain.state, second, chain.work)
    journal_close(chain.state, chain.work)
    assert chain.work.memory.version[first] != versions[first]
    assert chain.work.memory.version[second] == versions[second]
