"""The operators of greedy equivalence search against brute force, and the laws of the search.

An operator leads from a class to the class of some member with one edge inserted, deleted or
turned; the operators are right if they lead to all of these classes and to no others, and their
gains are differences of scores.
"""

import itertools
from collections import defaultdict

import numpy as np
import pytest

from arcs.data import Dataset, Interventions
from arcs.graphs import find_cycle, interventional_cpdag_of
from arcs.graphs.equivalence import members
from arcs.kernels.cliques import clique_limit
from arcs.kernels.equivalence import neighbour_lists
from arcs.kernels.greedy_equivalence_rows import (
    ClassGraph,
    Rules,
    delete_row,
    empty_row,
    insert_row,
    turn_row,
)
from arcs.kernels.greedy_equivalence_steps import (
    DELETE,
    INSERT,
    TURN,
    after_operator,
    path_exists,
)
from arcs.learners.equivalence_search import (
    BACKWARD,
    FORWARD,
    TURNING,
    EquivalenceSearch,
    _separating,
)
from arcs.progress import Watch
from arcs.scores import GaussianBic
from arcs.simulate import random_dag, random_weights, sample, sample_experiments

DESIGNS = [((),), ((), (0,)), ((0,), (1, 2)), ((0, 1), (2, 3)), ((0,), (1,), (2,), (3,))]
KINDS = {INSERT: insert_row, DELETE: delete_row, TURN: turn_row}
PHASES = (FORWARD, BACKWARD, TURNING)
IN_TURN = tuple((phase,) for phase in PHASES)
EAGERLY = ((BACKWARD, TURNING, FORWARD),)
SEED = 20


def statistics_of(targets, p, rows=30):
    """Noise under a design: what the variables have to do with each other does not matter here."""
    rng = np.random.default_rng(SEED)
    names = tuple(f"x{j}" for j in range(p))
    design = Interventions(targets, np.repeat(np.arange(len(targets)), rows), names)
    values = rng.normal(size=(rows * len(targets), p)) @ rng.normal(size=(p, p))
    return Dataset.from_array(values, names=names, interventions=design).statistics()


def key_of(graph):
    return graph.directed.tobytes() + graph.undirected.tobytes()


def reached(pdag, kind, statistics, known):
    """Every class that a valid operator leads to, with the changes of 2 log L it announces."""
    p = pdag.p
    graph = ClassGraph(
        pdag.directed.copy(), pdag.undirected.copy(), pdag.skeleton, *neighbour_lists(pdag.skeleton)
    )
    found = defaultdict(list)
    for y in range(p):
        # Prices that make every operator at y an improvement.
        price = np.full(p, 1e5)
        if kind != DELETE:
            price[y] = -1e5
        rules = Rules(price, np.full(p, p), np.ones((p, p), dtype=bool))
        row = empty_row(1000, 1000, 5000)
        KINDS[kind](statistics.kernel, graph, rules, y, row)
        for k in range(row.size[0]):
            gain, x, c = row.gain[k], row.source[k], row.clique[k]
            clique = row.member[row.start[c] : row.start[c + 1]]
            if path_exists(graph, kind, x, y, clique, np.zeros(p, dtype=bool)):
                continue
            new, valid = after_operator(graph, known, kind, x, y, clique)
            assert valid
            paid = {INSERT: price[y], DELETE: -price[y], TURN: price[y] - price[x]}[kind]
            found[key_of(new)].append(gain + paid)
    return found


def one_edge_away(dag, kind):
    """All DAGs made from `dag` by one change of that kind."""
    for i, j in itertools.permutations(range(len(dag)), 2):
        if dag[i, j] == (kind == INSERT) or (kind == INSERT and dag[j, i]):
            continue
        changed = dag.copy()
        changed[i, j] = kind == INSERT
        changed[j, i] = kind == TURN
        if find_cycle(changed) is None:
            yield changed


def expected(pdag, dags, kind, targets, score):
    """Every other class one edge away from a member, with its change of 2 log L."""
    found = {}
    before = score.total(dags[0])
    for changed in itertools.chain.from_iterable(one_edge_away(dag, kind) for dag in dags):
        key = key_of(interventional_cpdag_of(changed, targets))
        if key not in found:
            found[key] = score.total(changed) - before
    found.pop(key_of(pdag), None)
    return found


def check_class(pdag, dags, targets, statistics):
    score = GaussianBic(statistics, penalty=0.0)
    known = _separating(targets, pdag.p)
    for kind in KINDS:
        want = expected(pdag, dags, kind, targets, score)
        got = reached(pdag, kind, statistics, known)
        assert got.keys() == want.keys()
        for key, gains in got.items():
            np.testing.assert_allclose(gains, want[key], atol=1e-6)


def random_dag_matrix(rng, p):
    density = rng.uniform(0.3, 0.9)
    order = rng.permutation(p)
    return np.triu(rng.random((p, p)) < density, 1)[np.ix_(order, order)]


@pytest.mark.parametrize("targets", DESIGNS)
def test_operators_on_four_nodes(targets):
    """On some of the classes of four nodes; the slow test below takes all of them."""
    check_all_classes(targets, step=6)


@pytest.mark.slow
@pytest.mark.parametrize("targets", DESIGNS)
def test_operators_on_all_classes_of_four_nodes(targets):
    check_all_classes(targets, step=1)


def check_all_classes(targets, step):
    classes = defaultdict(list)
    pairs = list(itertools.combinations(range(4), 2))
    for states in itertools.product(range(3), repeat=len(pairs)):
        dag = np.zeros((4, 4), dtype=bool)
        for (i, j), state in zip(pairs, states, strict=True):
            dag[i, j], dag[j, i] = state == 1, state == 2
        if find_cycle(dag) is None:
            classes[interventional_cpdag_of(dag, targets)].append(dag)
    statistics = statistics_of(targets, 4)
    for pdag, dags in list(classes.items())[::step]:
        check_class(pdag, dags, targets, statistics)


@pytest.mark.parametrize("targets", [((),), ((), (0, 1), (2,))])
@pytest.mark.parametrize(("p", "repeats"), [(6, 12), pytest.param(7, 150, marks=pytest.mark.slow)])
def test_operators_on_random_classes(targets, p, repeats):
    rng = np.random.default_rng(SEED)
    statistics = statistics_of(targets, p)
    for _ in range(repeats):
        pdag = interventional_cpdag_of(random_dag_matrix(rng, p), targets)
        check_class(pdag, members(pdag), targets, statistics)


# ---------------------------------------------------------------------- laws of the search


class ForgetfulSearch(EquivalenceSearch):
    """Computes all rows anew after every step."""

    def _absorb(self, effect, pools):
        for pool in pools:
            pool.dirty[:] = True


def simulated_statistics(seed, experimental, p=30, edges=60):
    model = random_weights(random_dag(p, edges, seed), seed)
    if experimental:
        targets = [[j] for j in range(0, p, 4)]
        drawn = sample_experiments(model, targets, 10, seed, n_observational=60)
    else:
        drawn = sample(model, 120, seed)
    return drawn.data.statistics()


@pytest.mark.parametrize("plan", [IN_TURN, EAGERLY])
@pytest.mark.parametrize("experimental", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_old_rows_are_as_good_as_new(seed, experimental, plan):
    """Keeping rows and passing over blocked operators does not change a single step."""
    statistics = simulated_statistics(seed, experimental)
    searches = [cls(statistics) for cls in (EquivalenceSearch, ForgetfulSearch)]
    for search in searches:
        assert search.run(plan, Watch(), iterate=True)
    kept, forgetful = searches
    assert len(kept.history) > 60
    assert {kind for kind, _, _ in kept.history} >= {INSERT, DELETE}
    np.testing.assert_allclose(kept.history, forgetful.history, rtol=1e-12)
    assert kept.pdag() == forgetful.pdag()


@pytest.mark.parametrize("experimental", [False, True])
@pytest.mark.parametrize("penalty", [1.0, 3.0])
def test_carried_score_is_the_score_of_the_graph(experimental, penalty):
    statistics = simulated_statistics(7, experimental)
    search = EquivalenceSearch(statistics, penalty)
    score = GaussianBic(statistics, penalty)
    for phase in PHASES:
        search.climb([phase], Watch())
        dag = search.pdag().consistent_dag()
        assert search.score == pytest.approx(score.total(dag), abs=1e-6)
        assert search.pdag() == interventional_cpdag_of(
            dag, statistics.targets, names=statistics.names
        )
    scores = np.array([value for _, value, _ in search.history])
    assert np.all(np.diff(scores) > 0)


def test_eager_search_prefers_deletions_to_turns_to_insertions():
    """No deletion or turn improves a class that is left by an insertion; none at all the last."""
    statistics = simulated_statistics(2, experimental=False)
    search = EquivalenceSearch(statistics, penalty=1.0)
    states = [search.graph]
    watch = Watch(listener=lambda event: states.append(search.graph))
    assert search.run(EAGERLY, watch, iterate=False)
    kinds = [kind for kind, _, _ in search.history]
    assert INSERT in kinds[kinds.index(DELETE) :]
    assert INSERT in kinds[kinds.index(TURN) :]

    def has_improvement(graph, plan):
        fresh = EquivalenceSearch(statistics, penalty=1.0)
        fresh.graph = graph
        fresh.run(plan, Watch(), iterate=False)
        return bool(fresh.history)

    for before, kind in list(zip(states, kinds, strict=False))[5::5]:
        assert has_improvement(before, ((BACKWARD,), (TURNING,))) == (kind != INSERT)
    assert not has_improvement(search.graph, IN_TURN)


def test_edges_that_are_not_allowed_never_enter():
    statistics = simulated_statistics(3, experimental=False)
    free = EquivalenceSearch(statistics)
    free.run(IN_TURN, Watch(), iterate=True)
    rng = np.random.default_rng(SEED)
    forbidden = rng.random((statistics.p, statistics.p)) < 0.3
    forbidden |= forbidden.T
    assert (free.graph.adjacent & forbidden).any()
    bound = EquivalenceSearch(statistics, allowed=~forbidden)
    bound.run(IN_TURN, Watch(), iterate=True)
    assert bound.n_edges > 20
    assert not (bound.graph.adjacent & forbidden).any()


def test_rows_that_do_not_fit_are_counted_and_made_room_for():
    statistics = simulated_statistics(1, experimental=False)
    search = EquivalenceSearch(statistics)
    search.climb([FORWARD], Watch())
    tight = EquivalenceSearch(statistics)
    tight._buffer = empty_row(1, 1, 1)
    tight.climb([FORWARD], Watch())
    assert tight.history == search.history
    assert len(tight._buffer.gain) > 1


@pytest.mark.parametrize("p", [5, 10, 100])
def test_clique_limit(p):
    """Among the nodes of a path there are no cliques but its nodes and edges; among nodes that are
    all adjacent, there are too many of them."""
    path = np.abs(np.subtract.outer(np.arange(p), np.arange(p))) == 1
    assert clique_limit(path, np.arange(p), p, p) == (p if p <= 13 else 2)
    saturated = ~np.eye(p, dtype=bool)
    largest = {5: 5, 10: 10, 100: 2}[p]  # 1 + 100 + 4950 cliques; those of three are 161700 more
    assert clique_limit(saturated, np.arange(p), p, p) == largest
    assert clique_limit(saturated, np.arange(p), p, 4) == min(4, largest)
    assert clique_limit(saturated, np.arange(p), p, 0) == 0


def test_many_cliques_are_cut_short():
    """A saturated class of 20 nodes has 2^19 cliques at each node; only small ones are tried."""
    p = 20
    statistics = statistics_of(((),), p + 1, rows=100)
    skeleton = np.zeros((p + 1, p + 1), dtype=bool)
    skeleton[:p, :p] = ~np.eye(p, dtype=bool)
    graph = ClassGraph(np.zeros_like(skeleton), skeleton, skeleton, *neighbour_lists(skeleton))
    rules = Rules(np.full(p + 1, -1e5), np.full(p + 1, p), np.ones_like(skeleton))
    row = empty_row(0, 10_000, 0)
    insert_row(statistics.kernel, graph, rules, 0, row)
    sizes = np.diff(row.start[: row.size[1] + 1])
    assert len(sizes) == 1 + 19 + 171 + 969 + 3876  # cliques of up to 4 of 19 neighbours
    assert sizes.max() == 4
