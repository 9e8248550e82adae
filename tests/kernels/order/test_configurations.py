"""A configuration counted by bits, levels with few rows aside, adds up to all of its rows."""

import numpy as np

from arcs.kernels.bundles import bundle
from arcs.kernels.order.configurations import count_configuration
from arcs.kernels.order.counts import new_count_scratch, number_cells, sort_rows
from arcs.kernels.order.pair_counts import FEW, gather
from arcs.scores.discrete import count_rows


def test_levels_with_many_rows_are_counted_and_all_are_in_the_sums():
    rng = np.random.default_rng(0)
    codes = np.column_stack(
        [rng.choice(4, 2000, p=[0.8, 0.18, 0.01, 0.01])]
        + [rng.integers(0, 3, 2000) for _ in range(9)]
    )
    rows = count_rows(codes, [5] + [3] * 9)
    packed, scratch = bundle(rows), bundle(new_count_scratch(rows))
    cells = number_cells(packed, 0, np.array([1, 0]), 1, scratch)
    sort_rows(packed, 0, cells * 5, scratch)
    own = codes[codes[:, 1] == 2]
    shares = np.bincount(own[:, 0], minlength=5)
    assert count_configuration(packed, 0, 2, 5, scratch) == -1  # four levels occur
    held = count_configuration(packed, 0, 2, 2, scratch)
    assert held == (shares > FEW).sum() == 2
    last = scratch.bit_counts.shape[0] - 1
    assert scratch.rows_with[:2].tolist() == shares[:2].tolist()
    assert scratch.rows_with[last] == len(own)
    for j in range(2, 10):
        place = slice(rows.first[j], rows.first[j] + 3)
        assert scratch.bit_counts[last, place].tolist() == np.bincount(own[:, j]).tolist()
        for level in range(2):
            found = scratch.bit_counts[level, place].tolist()
            assert found == np.bincount(own[own[:, 0] == level, j]).tolist()
    gather(scratch.pairs)
    assert scratch.pairs.parts[:, 0].sum() == shares[2:4].sum()
