"""What engines that score whole families share."""

import numpy as np
import pytest

from arcs.kernels import asking
from arcs.kernels.order import blocks, discrete, engine  # noqa: F401  (they register themselves)
from arcs.kernels.order.family_engine import family_columns

ASKED = [name for name in engine.__all__ if name != "provide"]


@pytest.mark.parametrize("record", ["DiscreteProblem", "BlockProblem"])
@pytest.mark.parametrize("asked", ASKED)
def test_family_engines_provide_everything(record, asked):
    assert (record, f"arcs.kernels.order.engine.{asked}") in asking._PROVIDED


def test_columns_begin_empty():
    columns = family_columns(3, 2)
    assert columns.parents.shape == (3, 2)
    assert not np.any(columns.count)
    assert not np.any(columns.score)
