"""What tests of several rooms share: small linear models and the plain reference."""

import importlib.util
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.regression import residual_variance
from arcs.penalties import Ebic
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Chain, Pulls

# Started in the background of a shell, a run ignores Ctrl-C, and so would what its tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


def _linear_rows(n=150, p=6, seed=0, density=0.5):
    """Rows of a random linear Gaussian model, columns in random order."""
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 0.9, (p, p)) * rng.choice([-1, 1], (p, p))
    weights = np.triu(weights * (rng.random((p, p)) < density), 1)
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return values[:, rng.permutation(p)]


@pytest.fixture(scope="session")
def linear_rows():
    """A function ``(n, p, seed, density) -> rows``."""
    return _linear_rows


@pytest.fixture(scope="session")
def experiment():
    """A function ``(n, p, seed) -> (rows, mask)``: each variable is set in a tenth of the rows."""

    def make(n=150, p=6, seed=0, density=0.5):
        rng = np.random.default_rng([seed, 1])
        values = _linear_rows(n, p, seed, density).copy()
        mask = np.zeros((n, p), dtype=bool)
        for j in range(p):
            mask[rng.choice(n, max(n // 10, 1), replace=False), j] = True
        values[mask] = rng.normal(size=mask.sum())
        return values, mask

    return make


@pytest.fixture(scope="session")
def reference():
    """The module ``tests/reference/annealing.py``."""
    path = Path(__file__).parent / "reference" / "annealing.py"
    spec = importlib.util.spec_from_file_location("annealing_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


#: Chromium without a screen and without talking to anybody.
BROWSER_FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--window-size=1200,1000", "--disable-dev-shm-usage"),
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A headless Chromium; skipped with a reason where there is none."""
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no browser: install the packages chromium and chromium-driver")
    options = selenium.ChromeOptions()
    options.binary_location = chromium
    for flag in (*BROWSER_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    session = selenium.Chrome(options=options, service=selenium.ChromeService(driver))
    yield session
    session.quit()


@pytest.fixture
def searched(experiment):
    """A chain that has searched for a while."""
    values, mask = experiment(120, 14, 3)
    score = CholeskyScore(Dataset.of(values, interventions=mask).statistics(), Ebic(1.0))
    chain = Chain(score, np.arange(14), np.random.default_rng(0))
    for _ in Pulls(patience=1, n_iter=60).slices(chain):
        pass
    return chain


@pytest.fixture(scope="session")
def with_parents():
    """A function ``(chain, parents)`` that makes these the parents, and nobody else."""

    def make(chain, parents):
        columns = chain.state.columns
        columns.count[:] = 0
        for node, of_node in parents.items():
            columns.count[node] = len(of_node)
            columns.parents[node, : len(of_node)] = of_node

    return make


@pytest.fixture(scope="session")
def own_score():
    """A function ``(chain, v, parents)``: the score of one node, from its definition."""

    def make(chain, v, parents):
        k = len(parents)
        statistics = chain.score.statistics
        share = residual_variance(
            statistics.kernel,
            v,
            np.array(parents, dtype=np.int64),
            k,
            np.zeros((k + 1, k + 1)),
            np.zeros(k + 1),
        )
        return statistics.n[v] / 2 * np.log(share) + chain.score.edge_costs[v] * k

    return make
