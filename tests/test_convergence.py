"""Columns that cannot be solved to tolerance: a warning and a flag, never silence."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from typer.testing import CliRunner

from arcs import ARCS, FitResult, learner
from arcs.cli import app
from arcs.errors import DataError
from arcs.search import Chain

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


# ------------------------------------------------------------------------------- no minimum
@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning", "ignore:some columns did not")
@pytest.mark.parametrize("penalty", ["mcp", "l1", "scad"])
def test_columns_that_determine_each_other_need_a_penalty(linear_rows, penalty):
    values = linear_rows(80, 5, 0)
    values[:, 3] = -1e-8 * values[:, 1]
    model = ARCS(penalty=penalty, lam=0.0, random_state=0, time_limit=20)
    with pytest.raises(DataError, match=r"'x1', 'x3' determine each other.*lam of at least"):
        model.fit(values)
    assert model.set_params(lam=2.0).fit(values).result_.stopped == "finished"
    assert model.set_params(lam=0.0).fit(linear_rows(80, 5, 0)).result_.stopped == "finished"


def dense_with_holes(n, p, share, seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    values[rng.random(values.shape) < share] = np.nan
    return values


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
@pytest.mark.parametrize("seed", [0, 1])
def test_correlations_of_shared_rows_have_a_minimum_under_every_penalty(seed):
    values = dense_with_holes(44, 12, 0.2, seed)
    model = ARCS(penalty="mcp", random_state=0, time_limit=30).fit(values, missing="pairwise")
    assert model.result_.stopped == "finished"
    assert model.result_.converged


def test_a_search_ends_when_nothing_else_ends_it(linear_rows, monkeypatch):
    """Every pass finds something better: as if the score had no minimum."""
    monkeypatch.setattr(Chain, "steps", fall_for_ever)
    result = learner("arcs", random_state=0, final_ebic=1.5).fit(linear_rows(50, 4, 0))
    assert result.trace["iteration"][-1] >= 200 * 4


def fall_for_ever(chain, nodes, relax_limit, temperature):
    chain.best_energy -= 1.0
    return 1
