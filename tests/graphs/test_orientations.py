import math

import networkx as nx
import numpy as np
import pytest

from arcs.graphs import Pdag
from arcs.graphs.enumeration import members
from arcs.graphs.orientations import ChordalOrientations


def _lines(graph):
    return nx.to_numpy_array(graph, dtype=bool, nodelist=sorted(graph))


def _random_chordal(rng, p, edges):
    """Any graph, filled in until it is chordal."""
    graph = nx.gnm_random_graph(p, edges, seed=int(rng.integers(2**31)))
    filled, _ = nx.complete_to_chordal_graph(graph)
    return _lines(filled)


@pytest.mark.parametrize("seed", range(40))
def test_count_is_the_length_of_the_list(seed):
    rng = np.random.default_rng(seed)
    lines = _random_chordal(rng, int(rng.integers(2, 9)), int(rng.integers(1, 13)))
    listed = members(Pdag(np.zeros_like(lines), lines))
    assert ChordalOrientations(lines).count() == len(listed)


def test_closed_forms():
    for p in (2, 5, 30):
        assert ChordalOrientations(_lines(nx.path_graph(p))).count() == p
        assert ChordalOrientations(_lines(nx.star_graph(p))).count() == p + 1
        assert ChordalOrientations(_lines(nx.complete_graph(p))).count() == math.factorial(p)
    # Two cliques of 4 that share 2 nodes: orders of either, less those of the shared pair.
    two = nx.compose(nx.complete_graph([0, 1, 2, 3]), nx.complete_graph([2, 3, 4, 5]))
    assert ChordalOrientations(_lines(two)).count() == 2 * 24 * 2 - 2 * 2 * 2


def test_large_classes_are_counted():
    """He, Jia and Yu's sum over sources would visit exponentially many subgraphs here."""
    power = nx.power(nx.path_graph(60), 6)
    lines = _lines(power)
    assert ChordalOrientations(lines).count() > 10**5
    assert ChordalOrientations(np.zeros((3, 3), dtype=bool)).count() == 1


@pytest.mark.parametrize("seed", range(4))
def test_draws_are_members_and_equally_likely(seed):
    rng = np.random.default_rng(seed)
    lines = _random_chordal(rng, 6, 6)
    listed = {dag.tobytes(): 0 for dag in members(Pdag(np.zeros_like(lines), lines))}
    orientations, n = ChordalOrientations(lines), 2000
    for _ in range(n):
        listed[orientations.draw(rng).tobytes()] += 1  # a KeyError would not be a member
    counts = np.array(list(listed.values()))
    expected = n / len(counts)
    chi2 = ((counts - expected) ** 2 / expected).sum()
    assert chi2 < len(counts) - 1 + 5 * math.sqrt(2 * len(counts))
