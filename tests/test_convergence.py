"""Columns that cannot be solved to tolerance: a warning and a flag, never silence."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from typer.testing import CliRunner

from arcs import ARCS, FitResult, learner
from arcs.cli import app

#: Almost no penalty on almost equal columns: coordinate descent creeps.
CREEPING = {"penalty": "l1", "lam": 0.001, "search": "none", "random_state": 0}


@pytest.fixture
def values():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 1)) + 1e-4 * rng.normal(size=(60, 6))


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_the_learner_warns_and_marks_the_result(values):
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        result = learner("arcs", **CREEPING).fit(values)
    assert not result.converged
    assert np.isfinite(result.dag.coefficients).all()


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_the_estimator_warns(values):
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        model = ARCS(**CREEPING).fit(values)
    assert not model.result_.converged


def test_the_command_line_writes_the_flag(values, tmp_path):
    pd.DataFrame(values, columns=list("abcdef")).to_csv(tmp_path / "data.csv", index=False)
    words = ["fit", str(tmp_path / "data.csv"), "--out", str(tmp_path / "out")]
    for name in ("penalty", "lam", "search"):
        words += ["--set", f"{name}={CREEPING[name]}"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = CliRunner().invoke(app, words)
    assert answer.exit_code == 0, answer.output
    assert not FitResult.load(tmp_path / "out" / "result.json").converged


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_an_easy_problem_converges(values):
    result = learner("arcs", **{**CREEPING, "lam": 3.0}).fit(
        np.random.default_rng(1).normal(size=(60, 6))
    )
    assert result.converged
