"""What tests of searches share."""

import numpy as np
import pytest


@pytest.fixture
def same():
    """Asserts that two fits are the same to the last bit, and came about in the same way."""

    def check(one, other):
        np.testing.assert_array_equal(one.dag.coefficients, other.dag.coefficients)
        np.testing.assert_array_equal(one.order.nodes, other.order.nodes)
        assert one.score == other.score
        for name in one.trace:
            np.testing.assert_array_equal(one.trace[name], other.trace[name])

    return check
