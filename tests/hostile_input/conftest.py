"""The table of behaviours for input that real people have: see ``README.md`` beside this file.

Each case goes three ways: through a learner, through the estimator and through the command line.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import arcs
from arcs.cli import app
from arcs.data import Dataset
from arcs.learners import LEARNERS, learner
from arcs.results import FitResult

#: Learners of the package itself; those of others run in processes of their own.
OWN = sorted(
    name
    for name, kind in LEARNERS.items()
    if kind.__module__.startswith("arcs.learners.") and "peers" not in kind.__module__
)


def _chain(n=80, p=4, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p))
    for j in range(1, p):
        values[:, j] += 1.2 * values[:, j - 1]
    return values


def _through_learner(data, **options):
    return learner("hc").fit(Dataset.of(data, **options))


def _through_estimator(data, **options):
    design = {key: options.pop(key) for key in ("interventions", "control") if key in options}
    if options:
        data, design = Dataset.of(data, **options, **design), {}
    return arcs.ARCS(random_state=0).fit(data, **design).result_


def _assert_sound(result):
    dag = result.dag
    position = np.argsort(result.order.nodes)
    sources, targets = np.nonzero(dag.adjacency)
    assert (position[sources] < position[targets]).all()
    for array in (dag.coefficients, dag.noise_variances, dag.intercepts):
        assert np.isfinite(array).all()
    assert np.isfinite([result.score, result.bic, result.log_likelihood]).all()


@pytest.fixture
def chain():
    """A function ``(n, p, seed) -> rows`` of x0 -> x1 -> ... with strong edges."""
    return _chain


@pytest.fixture
def assert_sound():
    """A function that checks a result: an acyclic graph with finite numbers."""
    return _assert_sound


@pytest.fixture(params=OWN)
def own_learner(request):
    """The name of each learner of the package."""
    return request.param


@pytest.fixture(params=[name for name in OWN if LEARNERS[name].uses_interventions])
def experimental_learner(request):
    """The name of each learner that uses interventions."""
    return request.param


@pytest.fixture(params=[name for name in OWN if name != "listen"])
def unitless_learner(request):
    """The same without LISTEN, which takes all noise to be of one variance: that has units."""
    return request.param


@pytest.fixture
def through_learner():
    """A function ``(data, **options) -> FitResult``."""
    return _through_learner


@pytest.fixture
def through_estimator():
    """The same by the estimator."""
    return _through_estimator


@pytest.fixture(params=[_through_learner, _through_estimator], ids=["learner", "estimator"])
def fit(request):
    """One after the other."""
    return request.param


@pytest.fixture
def run(tmp_path, monkeypatch):
    """``arcs fit`` on a frame, an array or the content of a file; (exit code, all it printed)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")

    def invoke(data, *words, name="data.csv", method="hc"):
        path = tmp_path / name
        if isinstance(data, np.ndarray):
            data = pd.DataFrame(data, columns=[f"x{j}" for j in range(data.shape[1])])
        if isinstance(data, pd.DataFrame):
            data.to_csv(path, index=False)
        else:
            path.write_bytes(data if isinstance(data, bytes) else data.encode())
        words = ["fit", str(path), "-m", method, "-o", "out", *words]
        answer = CliRunner().invoke(app, words)
        assert answer.exception is None or isinstance(answer.exception, SystemExit)
        text = " ".join((answer.stdout + answer.stderr).split())
        assert "internal error" not in text
        return answer.exit_code, text

    return invoke


@pytest.fixture
def saved():
    """A function that reads the result which the command line wrote."""
    return lambda: FitResult.load(Path("out/result.json"))
