"""Rows of categories, alone and beside numbers."""

import numpy as np
import pytest

from arcs.errors import SettingsError
from arcs.simulate import mixed_table


def test_each_configuration_has_an_effect_of_its_own():
    """Two coins and their exclusive or, so to speak: margins say little, configurations all."""
    dag = np.zeros((3, 3), dtype=bool)
    dag[[0, 1], 2] = True
    for seed in range(20):
        drawn = mixed_table(dag, 4000, seed, interacting="configurations", share=2 / 3)
        values, levels = np.asarray(drawn.data.values), drawn.data.levels
        if levels[2] is None and levels[0] is not None and levels[1] is not None:
            break
    at = values[:, 0] * 10 + values[:, 1]
    means = {k: values[at == k, 2].mean() for k in np.unique(at)}
    additive = np.column_stack([np.eye(5)[values[:, j].astype(int)] for j in (0, 1)])
    fitted = additive @ np.linalg.lstsq(additive, values[:, 2], rcond=None)[0]
    whole = np.array([means[k] for k in at])
    assert np.var(values[:, 2] - whole) < 0.95 * np.var(values[:, 2] - fitted)
    with pytest.raises(SettingsError, match="interacting must be"):
        mixed_table(dag, 10, 0, interacting="some")
