"""Rows of categories, alone and beside numbers."""

import numpy as np
import pytest

from arcs.errors import SettingsError
from arcs.simulate import mixed_table


def shares_left(interacting):
    """Of a number with two categorical causes: what the means of their configurations leave of its
    variance, relative to what the sum of two effects leaves; for several tables."""
    dag = np.zeros((3, 3), dtype=bool)
    dag[[0, 1], 2] = True
    for seed in range(20):
        drawn = mixed_table(dag, 4000, seed, interacting=interacting, share=2 / 3)
        values, levels = np.asarray(drawn.data.values), drawn.data.levels
        if levels[2] is None:
            one, two = (values[:, j].astype(int) for j in (0, 1))
            y, whole = values[:, 2], np.eye(25)[5 * one + two]
            sums = np.hstack([np.eye(5)[one], np.eye(5)[two]])
            left = [np.var(y - x @ np.linalg.lstsq(x, y, rcond=None)[0]) for x in (whole, sums)]
            yield left[0] / left[1]


def test_configurations_have_effects_of_their_own_only_if_asked():
    assert min(shares_left(False)) > 0.98
    assert min(shares_left(True)) > 0.98  # there are no slopes that could interact
    assert min(shares_left("configurations")) < 0.9
    with pytest.raises(SettingsError, match="interacting must be"):
        mixed_table(np.zeros((2, 2)), 10, 0, interacting="some")
