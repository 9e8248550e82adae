"""Random DAGs: exact counts, acyclicity, uniformity, speed of the index arithmetic."""

from itertools import combinations

import numpy as np
import pytest

from arcs.errors import SettingsError
from arcs.graphs.equivalence import topological_order
from arcs.simulate import bipartite_dag, erdos_renyi_dag, hub_dag, random_dag, scale_free_dag
from arcs.simulate.random_dags import index_of_pairs, pairs_of_indices

MAKERS = {
    "random": lambda seed: random_dag(40, 90, seed),
    "erdos_renyi": lambda seed: erdos_renyi_dag(40, 4.0, seed),
    "scale_free": lambda seed: scale_free_dag(40, 3, seed),
    "scale_free_effects": lambda seed: scale_free_dag(40, 3, seed, hubs="effects"),
    "hub": lambda seed: hub_dag(40, 4, seed, n_extra_edges=20),
    "bipartite": lambda seed: bipartite_dag(15, 25, 60, seed),
}


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_contract_of_all_random_dags(kind):
    adjacency = MAKERS[kind](3)
    assert adjacency.dtype == bool
    assert adjacency.shape == (40, 40)
    topological_order(adjacency)  # raises if there is a cycle
    assert (MAKERS[kind](3) == adjacency).all()
    assert (MAKERS[kind](4) != adjacency).any()
    generator = np.random.default_rng(3)
    assert (MAKERS[kind](generator) == adjacency).all()


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_labels_say_nothing_about_the_order(kind):
    # Edges should run up and down the labels equally often.
    ups = downs = 0
    for seed in range(60):
        adjacency = MAKERS[kind](seed)
        ups += np.triu(adjacency).sum()
        downs += np.tril(adjacency).sum()
    assert abs(ups - downs) / (ups + downs) < 0.1


@pytest.mark.parametrize(("p", "edges"), [(1, 0), (2, 1), (5, 10), (20, 0), (300, 600)])
def test_exact_number_of_edges(p, edges):
    assert random_dag(p, edges, 0).sum() == edges


def test_random_dag_is_uniform_over_pairs_and_orders():
    # For p = 3 and one edge each of the 6 ordered pairs has probability 1/6.
    counts = sum(random_dag(3, 1, seed).astype(int) for seed in range(3000))
    off = counts[~np.eye(3, dtype=bool)]
    assert off.sum() == 3000
    assert abs(off - 500).max() < 5 * np.sqrt(3000 * 5 / 36)


def test_pair_numbers_are_a_bijection():
    pairs = list(combinations(range(7), 2))
    early, late = pairs_of_indices(np.arange(len(pairs)))
    assert set(zip(early.tolist(), late.tolist(), strict=True)) == set(pairs)
    assert (index_of_pairs(early, late) == np.arange(len(pairs))).all()


def test_pair_numbers_at_the_boundaries_of_large_columns():
    # Square roots of large numbers round; the first and last pair of a column must survive.
    late = np.concatenate([np.arange(1, 3000), np.arange(2**25 - 3000, 2**25)])
    for early in (np.zeros_like(late), late - 1):
        again = pairs_of_indices(index_of_pairs(early, late))
        assert (again[0] == early).all()
        assert (again[1] == late).all()


def test_erdos_renyi_has_the_expected_degree():
    edges = [erdos_renyi_dag(60, 5.0, seed).sum() for seed in range(200)]
    expected, deviation = 60 * 5 / 2, np.sqrt(60 * 5 / 2 * (1 - 5 / 59))
    assert abs(np.mean(edges) - expected) < 4 * deviation / np.sqrt(200)
    assert 0.75 < np.std(edges) / deviation < 1.25
    assert erdos_renyi_dag(1, 0.0, 0).shape == (1, 1)
    assert erdos_renyi_dag(6, 5.0, 0).sum() == 15


def test_scale_free_counts_and_hubs():
    p, m = 400, 2
    causes = scale_free_dag(p, m, 1)
    assert causes.sum() == m * p - m * (m + 1) // 2
    # Every node but the first m has exactly m parents; children are unequal.
    assert sorted(causes.sum(axis=0))[m:] == [m] * (p - m)
    assert causes.sum(axis=1).max() > 20
    effects = scale_free_dag(p, m, 1, hubs="effects")
    assert (effects == causes.T).all()
    uniform = random_dag(p, int(causes.sum()), 1)
    assert causes.sum(axis=1).max() > 2 * uniform.sum(axis=1).max()


def test_hubs_drive_groups_of_equal_size():
    adjacency = hub_dag(43, 4, 2)
    assert adjacency.sum() == 39
    children = np.sort(adjacency.sum(axis=1))[::-1]
    assert children.tolist() == [10, 10, 10, 9] + [0] * 39
    assert (np.sort(adjacency.sum(axis=0)) == [0] * 4 + [1] * 39).all()


def test_extra_edges_of_hubs_are_new_and_can_fill_the_graph():
    assert hub_dag(20, 3, 1, n_extra_edges=50).sum() == 17 + 50
    full = hub_dag(8, 2, 1, n_extra_edges=28 - 6)
    assert full.sum() == 28
    topological_order(full)


def test_bipartite_runs_from_causes_to_effects():
    adjacency = bipartite_dag(5, 9, 45, 0)
    assert adjacency.sum() == 45
    assert sorted(adjacency.sum(axis=1)) == [0] * 9 + [9] * 5
    sparse = bipartite_dag(5, 9, 12, 0)
    assert sparse.sum() == 12
    assert not (sparse.any(axis=0) & sparse.any(axis=1)).any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random_dag(5, 11), "at most 10 edges"),
        (lambda: random_dag(0, 0), "p must be"),
        (lambda: random_dag(5, -1), "n_edges must be"),
        (lambda: random_dag(5, 2.0), "n_edges must be"),
        (lambda: erdos_renyi_dag(5, 4.5), "degree must be between"),
        (lambda: scale_free_dag(5, 0), "edges_per_node"),
        (lambda: scale_free_dag(5, 2, hubs="both"), "hubs must be"),
        (lambda: hub_dag(5, 6), "n_hubs must be"),
        (lambda: hub_dag(5, 1, n_extra_edges=7), "at most 6"),
        (lambda: bipartite_dag(2, 3, 7), "at most 6"),
    ],
)
def test_impossible_graphs_are_refused(call, message):
    with pytest.raises(SettingsError, match=message):
        call()
