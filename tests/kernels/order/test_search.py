"""Laws of the search: what moves carry, change, undo, and respect."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.order.records import KEPT_STEPS
from arcs.penalties import MCP
from arcs.progress import Watch
from arcs.scores.cholesky import CholeskyScore, state_adjacency
from arcs.search import Annealing, Chain, Pulls, run_chains

each_penalty = pytest.mark.parametrize(
    "kind", ["l0", "l0 fixed price", "mcp", "mcp wide", "l1", "scad"]
)


def recomputed(chain):
    """The objective at the state's columns, written out from Gram matrices."""
    score, columns = chain.score, chain.state.columns
    statistics = score.statistics
    total = 0.0
    for v, k in enumerate(columns.count):
        parents, n = columns.parents[v, :k], statistics.n[v]
        gram = statistics.sub_gram(v, np.append(parents, v))
        if score.is_l0:
            share = 1.0
            if k:
                share -= gram[-1, :-1] @ np.linalg.solve(gram[:-1, :-1], gram[:-1, -1])
            total += 0.5 * n * np.log(share) + score.edge_costs[v] * k
        else:
            column = np.append(columns.weight[v, :k], columns.diagonal[v])
            total += 0.5 * column @ gram @ column - n * np.log(column[-1])
            total += score.penalty.value(column[:-1]).sum()
    return total


def assert_consistent(chain):
    state = chain.state
    p = state.order.size
    assert sorted(state.order) == list(range(p))
    np.testing.assert_array_equal(state.order[state.position], np.arange(p))
    tails, heads = np.nonzero(state_adjacency(state))
    assert (state.position[tails] < state.position[heads]).all()
    assert chain.energy == pytest.approx(recomputed(chain), abs=1e-6)
    work = chain.work
    for leftover in (work.journal.is_saved, work.queue.queued, work.queue.frozen):
        assert not leftover.any()
    assert chain.score.is_l0 or not work.scratch.member.any()
    assert work.journal.size[0] == -1
    assert work.queue.ends[1] == 0


@each_penalty
@pytest.mark.parametrize("seed", range(3))
def test_the_energy_carried_is_the_energy_recomputed(a_chain, kind, seed):
    chain = a_chain(kind, seed)
    assert_consistent(chain)
    for temperature in (50.0, 5.0, 0.5, 0.0):
        chain.flips(np.full(400, temperature), 4)
        assert_consistent(chain)
    chain.steps(np.arange(8), 400, 2.0)
    assert_consistent(chain)
    chain.descend(list(range(8)), 1000)
    assert_consistent(chain)


@pytest.mark.parametrize("kind", ["l1", "mcp wide"])
@pytest.mark.parametrize("seed", range(3))
def test_where_columns_are_unique_the_order_alone_gives_the_energy(a_chain, kind, seed):
    chain = a_chain(kind, seed)
    for _ in range(4):
        chain.flips(np.full(200, 3.0), 4)
        assert chain.energy == pytest.approx(chain.score.total(chain.state.order), abs=1e-6)
        chain.steps(np.arange(8), 50, 1.0)
        assert chain.energy == pytest.approx(chain.score.total(chain.state.order), abs=1e-6)


@each_penalty
@pytest.mark.parametrize("strategy", [Annealing(1500, 5.0), Pulls()], ids=repr)
def test_the_result_is_never_worse_than_its_order_solved_from_nothing(a_chain, kind, strategy):
    for seed in range(3):
        chain = a_chain(kind, seed, n=40)
        best = run_chains([chain], strategy, Watch())
        assert best.best_energy == pytest.approx(best.best.columns.score.sum(), abs=1e-9)
        fresh = best.score.total(best.best.order) - best.score.offset
        assert best.best_energy <= fresh + 1e-6
        ended = best.best_energy + best.score.offset
        assert best.trace()["best"][-1] == pytest.approx(ended, abs=1e-9)


@each_penalty
def test_a_rejected_step_leaves_no_trace(a_chain, kind, contents):
    chain = a_chain(kind, 2)
    chain.descend(list(range(8)), 1000)
    rejected = 0
    for i in range(120):
        before, energy = contents(chain.state), chain.energy
        kept = chain.work.counters[KEPT_STEPS]
        # a single repair per step: most steps do not pay
        chain.steps(np.array([i % 8]), 1, 0.0)
        if chain.work.counters[KEPT_STEPS] == kept:
            rejected += 1
            assert contents(chain.state) == before
            assert chain.energy == pytest.approx(energy, abs=1e-9)
    assert rejected > 5


@each_penalty
def test_steps_at_temperature_zero_never_go_uphill(a_chain, kind):
    chain = a_chain(kind, 4)
    energies = [chain.energy]
    for i in range(40):
        chain.steps(np.array([i % 8]), 400, 0.0)
        energies.append(chain.energy)
    # ties are kept: they walk along plateaus
    assert (np.diff(energies) <= 1e-6).all()


@each_penalty
@pytest.mark.parametrize("temperature", [0.5, 20.0])
def test_the_best_state_seen_is_kept(a_chain, kind, temperature):
    chain = a_chain(kind, 6)
    seen = [chain.energy]
    for _ in range(10):
        seen += chain.flips(np.full(100, temperature), 4).tolist()
        assert chain.best_energy == pytest.approx(min(seen), abs=1e-6)
        assert chain.best.columns.score.sum() == pytest.approx(chain.best_energy, abs=1e-6)
    if temperature > 1:
        assert seen[-1] > chain.best_energy + 1, "the chain should have left its best state"


@each_penalty
def test_no_move_contradicts_knowledge(a_chain, kind):
    p = 8
    required = np.zeros((p, p), dtype=bool)
    required[0, 5] = required[5, 2] = required[7, 1] = True
    allowed = np.random.default_rng(0).random((p, p)) < 0.7
    allowed |= required
    allowed[3, :] = False  # a leaf
    order = np.array([0, 7, 5, 1, 2, 3, 4, 6])
    knowledge = {"allowed": allowed, "required": required, "order": order}
    chain = a_chain(kind, 9, **knowledge)

    def check():
        adjacency = state_adjacency(chain.state)
        assert adjacency[required].all()
        assert not adjacency[~allowed].any()
        tails, heads = np.nonzero(required)
        assert (chain.state.position[tails] < chain.state.position[heads]).all()

    check()
    for _ in range(40):
        chain.flips(np.full(20, 1e6), 4)
        check()
        chain.descend(list(range(p)), 3)
        check()
        chain.steps(np.random.default_rng(1).permutation(p), 30, 1e6)
        check()
    # required parents are free of charge: the written-out objective does not charge them either
    if not chain.score.is_l0:
        free = sum(
            float(chain.score.penalty.value(w))
            for v, k in enumerate(chain.state.columns.count)
            for u, w in zip(
                chain.state.columns.parents[v, :k], chain.state.columns.weight[v, :k], strict=True
            )
            if required[u, v]
        )
    else:
        _, heads = np.nonzero(required)
        free = chain.score.edge_costs[heads].sum()
    assert chain.energy == pytest.approx(recomputed(chain) - free, abs=1e-6)


@each_penalty
def test_a_complete_required_order_allows_no_other(a_chain, kind):
    p = 5
    order = np.array([3, 1, 4, 0, 2])
    required = np.zeros((p, p), dtype=bool)
    required[order[:-1], order[1:]] = True
    chain = a_chain(kind, 10, p=p, order=order, required=required)
    chain.flips(np.full(200, 1e6), 3)
    chain.steps(np.arange(p), 50, 1e6)
    chain.descend(list(range(p)), 50)
    np.testing.assert_array_equal(chain.state.order, order)


def test_annealing_is_as_good_as_the_plain_reference(reference, linear_rows):
    values = linear_rows(80, 6, 11, density=0.3)
    lam, gamma = 0.2 * np.sqrt(80), 20.0
    plain = reference.Annealing(values, lam, gamma, tol=1e-4, max_iter=200)
    start = np.arange(6)
    temperatures = np.geomspace(5, 0.1, 120)
    best, best_score, trace = plain.run(start, temperatures, 3, np.random.default_rng(0))
    score = CholeskyScore(Dataset.of(values).statistics(), MCP(lam, gamma))
    assert score.total(best) == pytest.approx(best_score, abs=0.1)
    assert best_score <= trace.min() + 1e-9
    chain = Chain(score, start, np.random.default_rng(0))
    found = run_chains([chain], Annealing(3000, 5.0, 3), Watch())
    assert found.best_energy <= score.total(best) + 1e-6
