"""What holds for every learner, whatever the data."""

import warnings

import numpy as np

from arcs.errors import DataWarning
from arcs.learners import learner


def test_the_callers_data_are_left_alone(own_learner, chain):
    values, mask = chain(), np.zeros((80, 4))
    mask[:10, 0] = 1
    before = values.copy(), mask.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        learner(own_learner, random_state=0).fit(values, interventions=mask)
    assert np.array_equal(values, before[0])
    assert np.array_equal(mask, before[1])


def test_a_mask_of_zeros_changes_nothing(experimental_learner, chain):
    model = learner(experimental_learner, random_state=0)
    plain, masked = model.fit(chain()), model.fit(chain(), interventions=np.zeros((80, 4)))
    assert np.array_equal(plain.dag.coefficients, masked.dag.coefficients)
