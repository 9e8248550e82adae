"""Candidates against a plain Python version of the published algorithm."""

import itertools

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.max_min import max_min_candidates
from arcs.scores.fisher_z import critical_z, fisher_z


def association(statistics, target, x, given_sets):
    return min(abs(fisher_z(statistics, target, target, x, given)[0]) for given in given_sets)


def subsets(items, largest):
    for size in range(min(largest, len(items)) + 1):
        yield from itertools.combinations(items, size)


def plain_max_min(statistics, target, alpha, largest):
    """The published algorithm, word by word."""
    critical, chosen = critical_z(alpha), []
    while True:
        open_ = [x for x in range(statistics.p) if x != target and x not in chosen]
        scored = [
            (association(statistics, target, x, list(subsets(chosen, largest))), x) for x in open_
        ]
        if not scored or max(scored)[0] <= critical:
            break
        chosen.append(max(scored)[1])
    for x in list(chosen):
        others = sorted(y for y in chosen if y != x)
        if association(statistics, target, x, list(subsets(others, largest))) <= critical:
            chosen.remove(x)
    return set(chosen)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("largest", [2, 8])
def test_candidates_equal_plain_python(linear_rows, seed, largest):
    rows = linear_rows(200, 8, seed, 0.35)
    targets = None if seed % 2 else np.random.default_rng(seed).integers(-1, 8, size=len(rows))
    statistics = Dataset.of(rows, interventions=targets).statistics()
    for v in range(8):
        found = max_min_candidates(statistics.kernel, v, critical_z(0.05), largest)
        assert set(np.flatnonzero(found)) == plain_max_min(statistics, v, 0.05, largest)
