"""A table as people have it: genes, batches, age and sex, and missing values."""

import numpy as np
import pandas as pd
import pytest

from arcs import ARCS
from arcs.errors import DataWarning
from arcs.metrics import evaluate

P, ROWS, EDGES = 54, 300, 56


@pytest.fixture(scope="module")
def table():
    """54 genes with 56 edges, 300 rows, 4 batches, age, sex, 3 percent missing values."""
    rng = np.random.default_rng(11)
    coefficients = np.zeros((P, P))
    pairs = np.argwhere(np.triu(np.ones((P, P)), 1))
    for i, j in pairs[rng.choice(len(pairs), EDGES, replace=False)]:
        coefficients[i, j] = rng.uniform(0.4, 0.9) * rng.choice([-1, 1])
    batch, age = rng.integers(4, size=ROWS), rng.uniform(20, 80, ROWS)
    sex = rng.integers(2, size=ROWS)
    effects = rng.normal(size=(4, P))[batch] + np.outer((age - 50) / 17, rng.normal(0, 0.5, P))
    effects += np.outer(sex, rng.normal(0, 0.7, P))
    rows = (rng.normal(size=(ROWS, P)) + effects) @ np.linalg.inv(np.eye(P) - coefficients)
    rows[rng.random(rows.shape) < 0.03] = np.nan
    frame = pd.DataFrame(rows, columns=[f"gene{j}" for j in range(P)])
    frame = frame.assign(batch=[f"b{k}" for k in batch], age=age, sex=np.where(sex, "f", "m"))
    return frame, coefficients != 0


@pytest.mark.parametrize("missing", ["em", "pairwise"])
def test_adjusting_leaves_the_network(table, missing):
    frame, truth = table
    found = ARCS(random_state=0).fit(frame, adjust="batch,age,sex", missing=missing).result_
    assert evaluate(found.dag, truth).FP <= 3
    assert evaluate(found.dag, truth).SHD <= 6


def test_batches_as_conditions(table):
    frame, truth = table
    model = ARCS(random_state=0).fit(frame, adjust="age + sex", conditions="batch", missing="em")
    assert model.result_.preparation["conditions"]["policy"] == "free"
    assert evaluate(model.result_.dag, truth).FP <= 3


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_without_it_the_network_is_a_thicket(table):
    frame, truth = table
    model = ARCS(random_state=0, patience=1)
    with pytest.warns(DataWarning, match="'batch', which was left out.*--adjust batch"):
        found = model.fit(frame, exclude=["batch", "age", "sex"], missing="em").result_
    assert evaluate(found.dag, truth).FP > 30
