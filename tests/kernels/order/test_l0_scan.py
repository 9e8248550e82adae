"""Which places are looked at, and which candidates not again."""

import numpy as np
import pytest

from arcs.search import Chain


@pytest.mark.parametrize("seed", range(6))
def test_no_place_that_pays_is_ruled_out(a_chain, seed):
    """l0 looks at few places: the best is among them for every node, early in a search and late."""
    chain = a_chain("l0", 20 + seed, p=7, n=300)
    for _ in range(2):
        start = chain.snapshot()
        for v in range(7):
            chain.restore(start)
            rest = [u for u in chain.state.order if u != v]
            totals = [
                chain.score.total(np.array([*rest[:i], v, *rest[i:]])) - chain.score.offset
                for i in range(7)
            ]
            chain.descend([v], 1)
            assert chain.energy <= min(totals) + 1e-6
        chain.descend(list(range(7)), 1000)


def test_no_column_is_better_than_its_floor(searched):
    """The floor rules out places: it must not lie above what a node can come to."""
    work, columns = searched.work, searched.state.columns
    assert np.isfinite(work.memory.floor).sum() > 10
    solved = np.isfinite(work.memory.floor)
    assert np.all(work.memory.floor[solved] <= columns.score[solved] + 1e-6)


def test_a_candidate_that_is_called_useless_does_not_help_alone(searched, own_score):
    """A mark that outlived its column would show here: nearly every edge was useless once."""
    work, columns = searched.work, searched.state.columns
    marked = 0
    for v, u in np.argwhere(work.memory.useless == work.memory.version):
        parents = columns.parents[u, : columns.count[u]].tolist()
        if v != u and v not in parents:
            marked += 1
            gained = own_score(searched, u, [*parents, int(v)])
            assert gained >= own_score(searched, u, parents) - 1e-6
    assert marked > 20


def test_a_revived_chain_remembers_as_much(searched):
    work = searched.work
    known = work.memory.useless == work.memory.version
    revived = Chain(searched.score, np.arange(14), np.random.default_rng(1))
    revived.restore(searched.snapshot())
    np.testing.assert_array_equal(revived.work.memory.useless == revived.work.memory.version, known)
    assert known.any()
    assert not known.all()
