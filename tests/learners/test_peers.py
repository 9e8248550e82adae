"""Adapters: conversion of the penalty and of graphs, failures, time limits, missing packages."""

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.errors import DataError, DataWarning, MissingDependencyError, PeerError, SettingsError
from arcs.learners import LEARNERS, learner
from arcs.learners.ges import GES
from arcs.learners.peers import PeerFlop, PeerGes, PeerGies, PeerXges
from arcs.learners.peers.adapters import ScoringPeer, pseudo_rows
from arcs.scores import GaussianBic
from arcs.simulate import sample

PEERS = sorted(name for name in LEARNERS if name.startswith("peer-"))
SCORING = [name for name in PEERS if issubclass(LEARNERS[name], ScoringPeer)]


def installed(name):
    return importlib.util.find_spec(LEARNERS[name].module) is not None


def peers(names):
    """Each name, skipped with a reason where the package is missing."""
    return [
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                not installed(name), reason=f"{LEARNERS[name].module} is not installed"
            ),
        )
        for name in names
    ]


def pair(strength, n=100):
    """Two columns with ``-n log(1 - r^2) = strength * log n`` exactly."""
    noise = np.random.default_rng(0).normal(size=(n, 2))
    basis, _ = np.linalg.qr(noise - noise.mean(axis=0))
    r = np.sqrt(1 - np.exp(-strength * np.log(n) / n))
    return basis @ np.array([[1.0, r], [0.0, np.sqrt(1 - r * r)]])


def collider(n=400, seed=0):
    """a -> c <- b, c -> d: everything is directed in the class."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    x[:, 2] += x[:, 0] + x[:, 1]
    x[:, 3] = x[:, 2] + 0.7 * x[:, 3]
    return x


def test_all_seven_are_listed():
    known = ("boss", "flop", "ges", "gies", "grasp", "pc", "xges")
    assert [f"peer-{name}" for name in known] == PEERS


def test_listing_them_imports_no_peer():
    code = "import arcs.learners, sys; print([m for m in sys.modules if m.split('.')[0] in {}])"
    names = sorted({LEARNERS[name].module for name in PEERS} | {"ges"})
    found = subprocess.run(
        [sys.executable, "-c", code.format(names)], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("name", peers(SCORING))
def test_penalty_is_on_our_scale(name):
    """The edge is worth adding exactly if its gain exceeds c log n."""
    for factor, edges in ((0.9, 0), (1.1, 1)):
        result = learner(name, penalty=2.5).fit(pair(2.5 * factor))
        assert result.n_edges == edges
        assert result.penalty["c"] == 2.5


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_penalty_of_the_package_ges(factor):
    pytest.importorskip("ges")
    result = PeerGes(penalty=2.5, implementation="ges").fit(pair(2.5 * factor))
    assert result.n_edges == (factor > 1)


@pytest.mark.parametrize("name", peers(PEERS))
def test_directions_arrive_as_they_left(name):
    result = learner(name, random_state=1).fit(collider())
    assert result.cpdag.directed_edges() == [(0, 2), (1, 2), (2, 3)]
    assert result.cpdag.undirected_edges() == []
    assert 0 < result.timings["peer"] < result.timings["total"]
    assert result.timings["process"] > 0


@pytest.mark.parametrize("name", peers(["peer-flop", "peer-ges"]))
def test_undirected_edges_arrive(name):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    x[:, 1] += x[:, 0]
    x[:, 2] += x[:, 1]
    assert learner(name).fit(x).cpdag.undirected_edges() == [(0, 1), (1, 2)]


@pytest.mark.parametrize("name", peers(["peer-boss"]))
def test_the_seed_is_honoured(name):
    rows = np.random.default_rng(0).normal(size=(40, 8))
    rows[:, 4:] += rows[:, :4] @ np.random.default_rng(1).normal(size=(4, 4))
    first, second = (learner(name, penalty=0.5, random_state=5).fit(rows) for _ in range(2))
    np.testing.assert_array_equal(first.cpdag.directed, second.cpdag.directed)


@pytest.mark.parametrize("name", peers(["peer-gies"]))
def test_gies_uses_the_experiments(name):
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(300, 2))
    targets = np.repeat([-1, 0, 1], 100)
    natural = targets != 1
    rows[natural, 1] += rows[natural, 0]
    assert learner(name).fit(rows, interventions=targets).cpdag.directed_edges() == [(0, 1)]
    flipped = np.array([-1, 1, 0]).repeat(100)
    result = learner(name).fit(rows[:, ::-1], interventions=flipped)
    assert result.cpdag.directed_edges() == [(1, 0)]


@pytest.mark.parametrize("name", peers(["peer-ges"]))
def test_others_say_that_they_ignore_experiments(name):
    targets = np.repeat([-1, 0], 200)
    with pytest.warns(DataWarning, match="all 400 rows"):
        learner(name).fit(collider(), interventions=targets)


@pytest.mark.parametrize("name", peers(["peer-ges"]))
def test_a_covariance_is_as_good_as_rows(name):
    rows = collider()
    covariance = np.cov(rows.T, ddof=0)
    result = learner(name).fit((covariance, 400))
    assert result.cpdag.directed_edges() == [(0, 2), (1, 2), (2, 3)]


def test_pseudo_rows_have_the_covariance():
    statistics = Dataset.of((np.cov(collider().T, ddof=0), 30)).statistics()
    rows = pseudo_rows(statistics)
    assert rows.shape == (30, 4)
    np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(rows.T @ rows / 30, statistics.gram(0), atol=1e-10)


@pytest.mark.parametrize("name", peers(["peer-ges"]))
def test_too_few_rows_behind_a_covariance(name):
    with pytest.raises(DataError, match="4 rows and 4 columns"):
        learner(name).fit((np.eye(4), 4))


@pytest.mark.parametrize("name", peers(["peer-flop"]))
def test_flop_needs_more_rows_than_columns(name):
    with pytest.raises(PeerError, match="4 rows, 5 columns"):
        learner(name).fit(np.random.default_rng(0).normal(size=(4, 5)))


# ---------------------------------------------------------------- peers that misbehave
@pytest.fixture
def fake_flop(tmp_path, monkeypatch):
    """Put a flopsearch of our own in front of the real one, in this process and its children."""

    def write(body, package="flopsearch"):
        (tmp_path / f"{package}.py").write_text(body)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, package, raising=False)

    yield write
    for package in ("flopsearch", "xges"):
        sys.modules.pop(package, None)


def test_a_hanging_peer_is_stopped(fake_flop):
    fake_flop("import time\ndef flop(*a, **k):\n    time.sleep(3600)\n")
    with pytest.raises(PeerError, match=r"peer-flop did not finish within the time limit of 1 s"):
        PeerFlop(time_limit=1.0).fit(collider())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "def flop(*a, **k):\n    raise RuntimeError('no luck')\n",
            "failed: RuntimeError: no luck",
        ),
        ("import os\ndef flop(*a, **k):\n    os._exit(7)\n", r"crashed \(exit code 7\)"),
        ("def flop(*a, **k):\n    raise KeyboardInterrupt('stop')\n", "KeyboardInterrupt: stop"),
    ],
)
def test_a_failing_peer_is_reported(fake_flop, body, message):
    fake_flop(body)
    with pytest.raises(PeerError, match=message):
        PeerFlop().fit(collider())


def test_a_talkative_peer_is_silenced(fake_flop, capfd):
    fake_flop(
        "import numpy as np, sys, warnings\n"
        "def flop(x, c, restarts):\n"
        "    print('hello'); print('hello', file=sys.stderr); warnings.warn('hello')\n"
        "    return np.array([[0, 2, 0], [2, 0, 1], [0, 0, 0]])\n"
    )
    result = PeerFlop().fit(collider()[:, :3])
    assert capfd.readouterr() == ("", "")
    # 0 - 1 -> 2 is no class of DAGs but has an extension; it is returned as it is.
    assert result.cpdag.undirected_edges() == [(0, 1)]
    assert result.cpdag.directed_edges() == [(1, 2)]


def test_a_graph_that_no_dag_extends_is_mended(fake_flop):
    fake_flop(
        "import numpy as np\n"
        "def flop(x, c, restarts):\n"
        "    return np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])\n"
    )
    result = PeerFlop().fit(collider()[:, :3])
    assert result.cpdag.skeleton.sum() == 6


def test_flop_stops_itself_without_restarts(fake_flop):
    fake_flop(
        "import numpy as np\n"
        "def flop(x, c, timeout):\n"
        "    assert 1.0 < timeout < 9.0, timeout\n"
        "    return np.zeros((4, 4))\n"
    )
    assert PeerFlop(restarts=None, time_limit=10.0).fit(collider()).n_edges == 0


def test_xges_adapter(fake_flop):
    """A stand-in with the published interface: children and neighbours of each node."""
    fake_flop(
        "class XGES:\n"
        "    def __init__(self, alpha): assert alpha == 3.0\n"
        "    def fit(self, rows, extended_search): assert rows.shape == (400, 4)\n"
        "    def get_pdag(self):\n"
        "        self.children = [{2}, {2}, set(), set()]\n"
        "        self.neighbors = [set(), set(), set(), set()]\n"
        "        return self\n",
        package="xges",
    )
    result = PeerXges(penalty=3.0).fit(collider())
    assert result.cpdag.directed_edges() == [(0, 2), (1, 2)]


# ---------------------------------------------------------------- the real xges, elsewhere
@pytest.fixture
def real_xges():
    """Settings with which peer-xges runs the package; see CONTRIBUTING.md on how to provide it."""
    python = os.environ.get("ARCS_XGES_PYTHON")
    if python is None and not installed("peer-xges"):
        pytest.skip("needs xges, or ARCS_XGES_PYTHON: an interpreter that has it")
    return {"python": python}


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_penalty_and_directions_of_xges(real_xges, factor):
    assert PeerXges(penalty=2.5, **real_xges).fit(pair(2.5 * factor)).n_edges == (factor > 1)
    result = PeerXges(**real_xges).fit(collider())
    assert result.cpdag.directed_edges() == [(0, 2), (1, 2), (2, 3)]


@pytest.mark.parametrize("seed", range(10))
def test_eager_search_is_that_of_xges(real_xges, random_model, seed):
    """Ours ends where XGES-0 does; what their extended search adds is never a loss."""
    rng = np.random.default_rng([6, seed])
    data = sample(random_model(rng, largest=15), int(rng.integers(60, 600)), rng).data
    penalty = (1.0, 2.0, 3.0)[seed % 3]
    ours = GES(penalty=penalty).fit(data)
    plain, extended = (
        PeerXges(penalty=penalty, extended_search=further, **real_xges).fit(data)
        for further in (False, True)
    )
    total = GaussianBic(data.statistics(), penalty).total
    assert ours.score == pytest.approx(total(plain.dag.adjacency), rel=1e-10)
    assert ours.score <= total(extended.dag.adjacency) + 1e-6


def test_a_missing_package_gives_one_line(monkeypatch):
    for module in ("gies", "xges"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError, match=r"'gies': pip install 'arcs-bn\[peers\]'"):
        PeerGies().fit(collider())
    with pytest.raises(MissingDependencyError, match="pip install xges") as caught:
        PeerXges().fit(collider())
    assert "\n" not in str(caught.value)


def test_another_interpreter():
    """The package is looked for there, not here."""
    with pytest.raises(PeerError, match="cannot start"):
        PeerXges(python="/nowhere/python").fit(collider())


@pytest.mark.skipif(installed("peer-xges"), reason="xges is installed")
def test_another_interpreter_without_the_package():
    with pytest.raises(PeerError, match="No module named 'xges'"):
        PeerXges(python=sys.executable).fit(collider())


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("peer-flop", {"restarts": -1}, "restarts"),
        ("peer-flop", {"restarts": None}, "time_limit"),
        ("peer-boss", {"penalty": -1}, "penalty"),
        ("peer-grasp", {"depth": 0}, "depth"),
        ("peer-ges", {"implementation": "pcalg"}, "implementation"),
        ("peer-pc", {"alpha": 1}, "alpha"),
        ("peer-pc", {"max_condition_size": -1}, "max_condition_size"),
        ("peer-gies", {"time_limit": 0}, "time_limit"),
        ("peer-gies", {"colour": "red"}, "colour"),
    ],
)
def test_bad_settings(name, settings, message):
    with pytest.raises(SettingsError, match=message):
        learner(name, **settings)
