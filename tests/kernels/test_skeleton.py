"""The tests of a level of PC, against one test at a time."""

import itertools

import numpy as np
import pytest

from arcs.kernels.fisher_z import fisher_z_kernel
from arcs.kernels.skeleton import collider_triples, examine_neighbours, new_record
from arcs.kernels.subsets import first_subset


@pytest.mark.parametrize("budget", [1, 10**6])
@pytest.mark.parametrize("size", [0, 1, 2])
def test_every_set_of_a_level_is_tried(gram_statistics, size, budget):
    statistics, x, critical = gram_statistics(seed=4), 1, 2.0
    neighbours = np.array([0, 2, 4, 5])
    record, positions = new_record(6), first_subset(size)
    while not examine_neighbours(
        statistics.kernel, x, neighbours, positions, critical, budget, record
    ):
        pass
    for y in neighbours.tolist():
        others = [c for c in neighbours.tolist() if c != y]
        tests = {
            given: abs(fisher_z_kernel(statistics.kernel, x, x, y, np.array(given, np.int64))[0])
            for given in itertools.combinations(others, size)
        }
        assert record.weakest[x, y] == record.weakest[y, x]
        assert record.weakest[x, y] == pytest.approx(min(tests.values()), abs=1e-9)
        assert record.removed[x, y] == record.removed[y, x] == (min(tests.values()) <= critical)
        separating = {c for given, z in tests.items() if z <= critical for c in given}
        assert {c for c in range(6) if int(record.separators[x, y, 0]) >> c & 1} == separating


def test_colliders_are_triples_whose_middle_separates_nobody():
    """0 - 2 - 1 and 0 - 3 - 1: 3 is in a separating set, 2 is not."""
    adjacency = np.zeros((4, 4), dtype=bool)
    for a, c in ((0, 2), (1, 2), (0, 3), (1, 3)):
        adjacency[a, c] = adjacency[c, a] = True
    record = new_record(4)
    assert len(collider_triples(adjacency, record)) == 0  # nobody was separated yet
    record.removed[0, 1] = record.removed[1, 0] = True
    record.separators[0, 1, 0] = record.separators[1, 0, 0] = 1 << 3
    assert collider_triples(adjacency, record).tolist() == [[0, 2, 1]]
