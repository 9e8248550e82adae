"""Short lists of relatives, and whoever else would help."""

from itertools import combinations

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.order.beyond import look_beyond
from arcs.kernels.order.parent_set import join, open_candidates, rebuild
from arcs.kernels.order.records import NOBODY, Candidates
from arcs.penalties import Ebic
from arcs.scores import nearest
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Chain, Pulls


@pytest.fixture
def listed(experiment, monkeypatch):
    """A function ``(seed)``: a chain whose lists hold at most two nodes, before the search."""

    def make(seed, p=12, most=2):
        monkeypatch.setattr(nearest, "_MANY", 0)
        monkeypatch.setattr(nearest, "_MOST", most)
        values, mask = experiment(150, p, seed, density=0.35)
        score = CholeskyScore(Dataset.of(values, interventions=mask).statistics(), Ebic(0.7))
        assert score.problem.near_start.size == p + 1
        rng = np.random.default_rng(seed)
        return Chain(score, rng.permutation(p), rng)

    return make


def partial(gram, v, c, parents):
    """Squared partial correlation of v and c given the parents."""
    nodes = [v, c, *parents]
    precision = np.linalg.inv(gram[np.ix_(nodes, nodes)])
    return precision[0, 1] ** 2 / (precision[0, 0] * precision[1, 1])


@pytest.mark.parametrize("seed", range(3))
def test_everybody_joins_who_would_help(listed, seed):
    """Twice: the second answer comes from memory."""
    chain = listed(seed)
    problem, scratch, p = chain.score.problem, chain.work.scratch, 12
    for v, size in ((0, 0), (3, 1), (5, 2), (7, 3)):
        threshold = problem.lenient[v]
        gram = chain.score.statistics.gram(v)
        for parents in list(combinations([u for u in range(p) if u != v], size))[:20]:
            limit = np.int64(8)
            open_ = [u for u in chain.state.order[:8] if u != v and u not in parents]
            helpful = {u for u in open_ if partial(gram, v, u, parents) > threshold}
            for _ in range(2):
                scratch.chosen[:size] = parents
                rebuild(problem, v, size, scratch)
                candidates = Candidates(limit, NOBODY, NOBODY)
                open_candidates(problem, chain.state.position, v, candidates, scratch)
                look_beyond(problem, chain.state.position, v, candidates, threshold, size, scratch)
                on_list = set(scratch.nodes[: scratch.size[0]].tolist())
                # Of whom the parents leave little is not asked for: see the module's text.
                missed = helpful - on_list
                assert all(1 - partial_r2(gram, u, parents) < 0.5 for u in missed)


def partial_r2(gram, c, parents):
    """The share of c that the parents explain."""
    if not parents:
        return 0.0
    rows = list(parents)
    inner = np.linalg.solve(gram[np.ix_(rows, rows)], gram[rows, c])
    return float(gram[c, rows] @ inner)


@pytest.mark.parametrize("seed", range(4))
def test_short_lists_find_as_good_an_order(listed, seed):
    scores = []
    for most in (2, 11):
        chain = listed(seed, most=most)
        for _ in Pulls().slices(chain):
            pass
        chain.polish()
        scores.append(chain.best_energy)
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)


def test_carried_scores_are_those_of_columns_solved_anew(listed, own_score):
    chain = listed(1)
    for _ in Pulls(n_iter=40).slices(chain):
        pass
    columns = chain.state.columns
    for v in range(12):
        parents = columns.parents[v, : columns.count[v]].tolist()
        assert columns.score[v] == pytest.approx(own_score(chain, v, parents), abs=1e-8)


def test_the_nearest_come_first(listed):
    problem = listed(2, most=3).score.problem
    for v in range(12):
        near = problem.near[problem.near_start[v] : problem.near_start[v + 1]]
        row = problem.stats.grams[problem.stats.base[problem.stats.pattern[v]], v]
        size = np.abs(np.delete(row, v))
        assert v not in near
        assert np.abs(row[near]).tolist() == sorted(size, reverse=True)[: near.size]


@pytest.mark.parametrize("seed", range(6))
def test_who_helps_does_not_hang_on_who_had_joined(listed, seed):
    """What is remembered for a set is true for every list, also where others had joined before."""
    v, parents = 5, [2, 7]
    asked = []
    for joined_before in (False, True):
        chain = listed(seed)
        problem, scratch = chain.score.problem, chain.work.scratch
        everybody = Candidates(np.int64(12), NOBODY, NOBODY)
        threshold = problem.lenient[v]
        if joined_before:
            scratch.chosen[:2] = parents
            rebuild(problem, v, 2, scratch)
            for c in range(12):
                if c != v and c not in scratch.nodes[: scratch.size[0]]:
                    join(problem, v, c, 2, scratch)
            nobody = Candidates(np.int64(0), NOBODY, NOBODY)
            look_beyond(problem, chain.state.position, v, nobody, threshold, 2, scratch)
        scratch.chosen[:2] = parents
        rebuild(problem, v, 2, scratch)
        open_candidates(problem, chain.state.position, v, everybody, scratch)
        look_beyond(problem, chain.state.position, v, everybody, threshold, 2, scratch)
        asked.append(sorted(scratch.nodes[: scratch.size[0]].tolist()))
    assert asked[0] == asked[1]
