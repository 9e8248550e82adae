"""Scores of categorical networks: formulas, oracles, and laws."""

from itertools import combinations, permutations
from math import lgamma, log

import numpy as np
import pytest

from arcs.errors import DataError, SettingsError
from arcs.progress import Watch
from arcs.scores.cholesky import state_adjacency
from arcs.scores.discrete import DISCRETE_SCORES, DiscreteScore, count_rows
from arcs.search import Chain, Pulls, run_chains

LEVELS = (2, 3, 2, 4, 2)


@pytest.fixture(scope="module")
def codes():
    """A chain 0 -> 1 -> 2, a collider 0 -> 3 <- 4."""
    rng = np.random.default_rng(1)
    x = np.zeros((400, 5), int)
    x[:, 0] = rng.random(400) < 0.4
    x[:, 4] = rng.random(400) < 0.5
    x[:, 1] = np.where(rng.random(400) < 0.7, 2 * x[:, 0], rng.integers(0, 3, 400))
    x[:, 2] = np.where(rng.random(400) < 0.8, x[:, 1] > 0, rng.integers(0, 2, 400))
    both = 2 * x[:, 0] + x[:, 4]
    x[:, 3] = np.where(rng.random(400) < 0.6, both, rng.integers(0, 4, 400))
    return x


def by_hand(codes, kind, v, parents, sample_size=1.0, gamma=1.0):
    """The formulas as they stand in textbooks, in loops."""
    r, q = LEVELS[v], int(np.prod([LEVELS[c] for c in parents]))
    table = {}
    for row in codes:
        table.setdefault(tuple(row[list(parents)]), np.zeros(r))[row[v]] += 1
    if kind in ("bic", "ebic"):
        fit = sum(m * log(m / cell.sum()) for cell in table.values() for m in cell if m)
        toll = gamma * log(len(LEVELS)) * len(parents) if kind == "ebic" else 0.0
        return -fit + 0.5 * log(len(codes)) * (r - 1) * q + toll
    if kind == "ebdeu":
        return by_hand(codes, "bdeu", v, parents, sample_size) + len(parents) * np.log(5)
    a = {"bdeu": sample_size / q, "bds": sample_size / len(table), "k2": r}[kind]
    total = 0.0
    for cell in table.values():
        total += lgamma(a) - lgamma(a + cell.sum())
        total += sum(lgamma(a / r + m) - lgamma(a / r) for m in cell)
    return -total


@pytest.mark.parametrize("kind", DISCRETE_SCORES)
def test_terms_equal_the_formulas(codes, kind):
    score = DiscreteScore(count_rows(codes, LEVELS), kind, sample_size=2.0)
    for v in range(5):
        for size in range(4):
            for parents in combinations(sorted({*range(5)} - {v}), size):
                expected = by_hand(codes, kind, v, parents, sample_size=2.0)
                assert score.node(v, parents) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("kind", ["bdeu", "bds", "k2"])
def test_what_is_remembered_of_one_prior_is_not_taken_for_that_of_another(codes, kind):
    many = np.repeat(codes, 12, axis=0)  # counts beyond those that are remembered, too
    score = DiscreteScore(count_rows(many, LEVELS), kind, sample_size=3.7)
    families = [(v, parents) for v in range(5) for parents in _all_parents(v)]
    again = score.terms(families + families[::-1])
    assert again == again[::-1]
    expected = [by_hand(many, kind, v, parents, sample_size=3.7) for v, parents in families]
    assert again[: len(families)] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("kind", ["bdeu", "bds", "k2"])
@pytest.mark.parametrize("sample_size", [0.3, 2.0, 40.0])
def test_a_first_row_of_each_cell_is_lost_with_any_more_parents(codes, kind, sample_size):
    score = DiscreteScore(count_rows(codes, LEVELS), kind, sample_size=sample_size)
    for v in range(5):
        for parents in _all_parents(v):
            held = len(np.unique(codes[:, [*parents, v]], axis=0))
            for more in _all_parents(v):
                if {*parents} <= {*more}:
                    assert score.node(v, more) >= held * log(LEVELS[v]) - 1e-9


def test_a_copy_is_found_and_nothing_beside_it():
    codes = np.repeat(np.arange(4), 50)[:, None] * np.array([1, 1, 0])
    codes[:, 2] = np.random.default_rng(0).integers(0, 2, 200)
    score = DiscreteScore(count_rows(codes, (4, 4, 2)), "ebdeu")
    found = state_adjacency(search(score).best)
    assert found.sum() == found[0, 1] + found[1, 0] == 1


def _all_parents(v):
    others = sorted({*range(5)} - {v})
    return [parents for size in range(5) for parents in combinations(others, size)]


@pytest.mark.parametrize("kind", ["bic", "bdeu"])
def test_terms_equal_those_of_pybnesian(codes, kind):
    pandas = pytest.importorskip("pandas")
    oracles = pytest.importorskip("pybnesian", reason="PyBNesian is not installed")
    names = list("abcde")
    frame = pandas.DataFrame(codes.astype(str), columns=names).astype("category")
    network = oracles.DiscreteBN(names)
    oracle = oracles.BIC(frame) if kind == "bic" else oracles.BDe(frame, 10.0)
    score = DiscreteScore(count_rows(codes, LEVELS), kind, sample_size=10.0)
    for v in range(5):
        for size in range(3):
            for parents in combinations(sorted({*range(5)} - {v}), size):
                expected = -oracle.local_score(network, names[v], [names[u] for u in parents])
                assert score.node(v, parents) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("kind", ["bic", "bdeu", "k2"])
def test_terms_equal_those_of_pgmpy(codes, kind):
    pandas = pytest.importorskip("pandas")
    oracles = pytest.importorskip("pgmpy.structure_score")
    frame = pandas.DataFrame(codes, columns=list("abcde")).astype("category")
    oracle = {
        "bic": lambda: oracles.BIC(frame),
        "bdeu": lambda: oracles.BDeu(frame, equivalent_sample_size=10),
        "k2": lambda: oracles.K2(frame),
    }[kind]()
    score = DiscreteScore(count_rows(codes, LEVELS), kind, sample_size=10.0)
    for v, parents in ((0, ()), (1, (0,)), (3, (0, 4)), (2, (0, 1, 3))):
        expected = -oracle.local_score("abcde"[v], tuple("abcde"[c] for c in parents))
        assert score.node(v, parents) == pytest.approx(expected, abs=1e-8)


def test_rows_in_which_a_node_was_set_do_not_count_for_it(codes):
    was_set = np.zeros(codes.shape, bool)
    was_set[:150, 1] = True
    score = DiscreteScore(count_rows(codes, LEVELS, was_set=was_set), "bic")
    assert score.node(1, (0,)) == pytest.approx(by_hand(codes[150:], "bic", 1, (0,)), abs=1e-8)
    assert score.node(2, (1,)) == pytest.approx(by_hand(codes, "bic", 2, (1,)), abs=1e-8)


@pytest.mark.parametrize("kind", ["bic", "ebic", "bdeu", "ebdeu"])
@pytest.mark.parametrize("sample_size", [1.0, 2.0, 10.0])
def test_a_covered_edge_scores_the_same_either_way(codes, kind, sample_size):
    # Equivalent graphs differ by reversals of edges u -> v where v's other parents are u's.
    score = DiscreteScore(count_rows(codes, LEVELS), kind, sample_size=sample_size)
    for u, v in combinations(range(5), 2):
        for shared in _all_parents(u):
            if v not in shared:
                one = score.node(u, shared) + score.node(v, (*shared, u))
                other = score.node(v, shared) + score.node(u, (*shared, v))
                assert one == pytest.approx(other, abs=1e-8)


@pytest.mark.parametrize("kind", DISCRETE_SCORES)
def test_order_of_rows_columns_parents_and_levels_does_not_show(codes, kind):
    rng = np.random.default_rng(0)
    score = DiscreteScore(count_rows(codes, LEVELS), kind)
    columns = rng.permutation(5)
    renamed = np.stack([rng.permutation(r)[x] for r, x in zip(LEVELS, codes.T, strict=True)], 1)
    shuffled = renamed[rng.permutation(len(codes))][:, columns]
    other = DiscreteScore(count_rows(shuffled, np.array(LEVELS)[columns]), kind)
    place = np.argsort(columns)
    for parents in permutations((0, 2, 4)):
        assert other.node(place[3], place[list(parents)]) == score.node(3, (4, 0, 2))


def search(score, seed=0):
    rng = np.random.default_rng(seed)
    chain = Chain(score, rng.permutation(score.p), rng)
    return run_chains([chain], Pulls(4, None, temperature=1.0), Watch(None, None), workers=1)


def best_by_enumeration(score):
    """The best DAG, through the best family of every node in every order."""
    p = score.p
    terms = {
        (v, parents): score.node(v, parents)
        for v in range(p)
        for size in range(p)
        for parents in combinations(sorted({*range(p)} - {v}), size)
    }
    totals = []
    for order in permutations(range(p)):
        total = 0.0
        for i, v in enumerate(order):
            before = set(order[:i])
            total += min(t for (u, s), t in terms.items() if u == v and before.issuperset(s))
        totals.append(total)
    return min(totals)


@pytest.mark.parametrize("kind", DISCRETE_SCORES)
def test_the_search_finds_the_optimum(codes, kind):
    score = DiscreteScore(count_rows(codes, LEVELS), kind)
    best = search(score)
    assert best.best_energy == pytest.approx(best_by_enumeration(score), abs=1e-6)
    assert score.total(state_adjacency(best.best)) == pytest.approx(best.best_energy, abs=1e-9)


def test_knowledge_and_bounds_are_obeyed(codes):
    allowed, required = np.ones((5, 5), bool), np.zeros((5, 5), bool)
    allowed[0, 1] = allowed[1, 0] = False
    required[2, 4] = True
    rows = count_rows(codes, LEVELS)
    known = DiscreteScore(rows, "bic", allowed=allowed, required=required)
    adjacency = state_adjacency(search(known).best)
    assert adjacency[2, 4]
    assert not adjacency[0, 1]
    assert not adjacency[1, 0]
    narrow = state_adjacency(search(DiscreteScore(rows, "bic", max_parents=1)).best)
    assert narrow.sum(axis=0).max() == 1


def test_what_cannot_be_scored_is_refused(codes):
    with pytest.raises(SettingsError, match="one of bic, ebic"):
        DiscreteScore(count_rows(codes, LEVELS), "aic")
    with pytest.raises(DataError, match="from 0"):
        count_rows(codes, (2, 3, 2, 3, 2))
    with pytest.raises(DataError, match="256 levels"):
        count_rows(codes, (2, 3, 2, 256, 2))
