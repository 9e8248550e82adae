"""One small data set, observational and experimental."""

import pytest

from arcs.data import Dataset
from arcs.simulate import random_dag, random_weights, sample


@pytest.fixture(scope="session")
def simulated():
    return sample(random_weights(random_dag(6, 7, 4), 4), 120, 4)


@pytest.fixture(scope="session")
def experimental(simulated):
    """The same rows, the last 40 of which came from two experiments (of 30 and 10 rows)."""
    labels = [""] * 80 + [simulated.data.names[0]] * 30 + [simulated.data.names[1]] * 10
    return Dataset.from_array(
        simulated.data.values, simulated.data.names, interventions=labels, source="test"
    )
