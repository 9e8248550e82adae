"""Small models with known changes."""

import numpy as np
import pytest

from arcs.data import Dataset, Interventions


@pytest.fixture
def chain_regimes():
    """``(kind, rows, seed) -> (values, regime)``: x0 -> x1 -> x2, x1 changed in regime 1."""

    def make(kind="noise", rows=60, seed=0, factor=3.0):
        rng = np.random.default_rng(seed)
        regime = np.repeat([0, 1, 2], rows)
        changed = regime == 1
        x0 = rng.normal(size=regime.size)
        noise = rng.normal(size=regime.size) * 0.6
        slope = np.full(regime.size, 1.0)
        if kind == "noise":
            noise[changed] *= factor
        elif kind == "coefficients":
            slope[changed] = -factor
        elif kind == "set":
            slope[changed] = 0.0
            noise[changed] = rng.normal(size=changed.sum()) * factor
        x1 = slope * x0 + noise + np.where(changed & (kind == "shift"), factor, 0.0)
        x2 = 0.8 * x1 + rng.normal(size=regime.size)
        return np.column_stack([x0 + 5.0, x1 - 2.0, x2 + 100.0]), regime

    return make


@pytest.fixture
def labelled():
    """``(values, regime) -> Dataset`` whose regimes are called control, A, B, ..."""

    def make(values, regime, names=None, **options):
        labels = np.array(["control", "A", "B", "C", "D"])[regime]
        names = names or [f"x{j}" for j in range(values.shape[1])]
        design = Interventions.from_regimes(labels, names)
        return Dataset.from_array(values, names, interventions=design, **options)

    return make
