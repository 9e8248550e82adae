"""Worker processes that are killed: an error names the task, nothing hangs, the rest is kept."""

import _posixsubprocess
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

import arcs
from arcs.cli import app
from arcs.confidence import bootstrap, chain_agreement, stability_selection
from arcs.confidence.replicates import drawn_rows
from arcs.data import Dataset
from arcs.errors import PeerError, WorkerError
from arcs.learners import LEARNERS, learner
from arcs.learners.hc import HC
from arcs.results import FitResult


def seed_of(dataset, draw, index, random_state=0):
    """The seed that the learner of a replicate gets."""
    stream = np.random.SeedSequence(random_state).spawn(index + 1)[index]
    rng = np.random.default_rng(stream)
    drawn_rows(dataset, draw, rng)
    return int(rng.integers(2**31 - 1))


def cursed(fatal_seed, curse):
    """HC that is killed in other processes, with one seed, while the file `curse` exists.

    A class of a function is sent by value to processes that cannot import this file.
    """
    home = os.getpid()

    @dataclass(frozen=True, kw_only=True)
    class Cursed(HC):
        name: ClassVar[str] = "cursed"

        def learn(self, statistics, watch):
            if self.random_state == fatal_seed and os.getpid() != home and curse.exists():
                os.kill(os.getpid(), signal.SIGKILL)
            return HC.learn(self, statistics, watch)

    return Cursed


@pytest.fixture
def dataset(chain):
    return Dataset.of(chain(60, 4))


@pytest.fixture
def curse(tmp_path):
    path = tmp_path / "curse"
    path.touch()
    return path


# --------------------------------------------------------------------------- replicates
def test_bootstrap_names_the_resample_and_keeps_the_others(dataset, curse, tmp_path):
    model = cursed(seed_of(dataset, "resample", 2), curse)()
    path = tmp_path / "resamples.npz"
    with pytest.raises(WorkerError) as caught:
        bootstrap(dataset, model, 6, n_jobs=2, checkpoint=path)
    assert caught.value.lost == ("resample 3 of 6",)
    assert str(caught.value).startswith(
        "1 of 6 tasks was lost with its worker (killed, or out of memory): resample 3 of 6. "
        f"The other resamples (5) are in {path}: resume=True runs what is missing."
    )
    partial = caught.value.partial
    assert (partial.n_resamples, partial.n_failed) == (5, 1)
    curse.unlink()
    seen = []
    resumed = bootstrap(dataset, model, 6, checkpoint=path, resume=True, listener=seen.append)
    assert [event.iteration for event in seen] == [6]
    whole = bootstrap(dataset, model, 6)
    for name in ("dag", "directed", "undirected"):
        np.testing.assert_array_equal(getattr(resumed, name), getattr(whole, name))
        lost = 6 * getattr(whole, name) - 5 * getattr(partial, name)
        assert set(np.rint(lost).ravel()) <= {0.0, 1.0}
        np.testing.assert_allclose(lost, np.rint(lost), atol=1e-9)


def test_chains_name_the_chain(dataset, curse):
    model = cursed(seed_of(dataset, "all", 1), curse)()
    with pytest.raises(
        WorkerError, match=r"chain 2 of 2\. The other chains \(1\) are in"
    ) as caught:
        chain_agreement(dataset, 2, model, n_jobs=2)
    assert caught.value.partial.n_chains == 1


def test_stability_names_half_and_penalty(dataset, curse):
    model = cursed(seed_of(dataset, "half", 1), curse)()
    with pytest.raises(WorkerError) as caught:
        stability_selection(
            dataset, [1.0], learner=model, setting="penalty", n_resamples=2, n_jobs=2
        )
    assert caught.value.lost == ("half 2 of 2 with penalty=1",)
    # The average number of selected edges is over the halves that there are.
    partial = caught.value.partial
    assert partial.q == pytest.approx(np.triu(partial.path[0]).sum())
    assert partial.path.max() == 1.0


def test_command_line_names_the_resample_and_resumes(
    dataset, curse, run, saved, monkeypatch, tmp_path
):
    monkeypatch.setitem(LEARNERS, "cursed", cursed(seed_of(dataset, "resample", 1), curse))
    code, text = run(dataset.values, "--bootstrap", "4", "--jobs", "2", method="cursed")
    assert code == 1
    assert text == (
        "arcs: 1 of 4 tasks was lost with its worker (killed, or out of memory): resample 2 of 4. "
        "The other resamples (3) are in out/bootstrap.npz: --resume runs what is missing. "
        "Fewer processes (--jobs) need less memory."
    )
    assert "confidence" not in saved().edge_values
    assert all(not name.startswith(".") for name in os.listdir("out"))
    curse.unlink()
    code, _ = run(dataset.values, "--bootstrap", "4", "--resume", method="cursed")
    assert code == 0
    expected = bootstrap(dataset, "hc", 4).confidence
    np.testing.assert_allclose(saved().edge_values["confidence"], expected)
    assert not (tmp_path / "out" / "bootstrap.npz").exists()


# --------------------------------------------------------------------------- fits
def test_the_estimator_starts_no_process_that_could_be_killed(chain, monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError("a process was started")

    monkeypatch.setattr(os, "fork", refuse)
    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)
    monkeypatch.setattr(_posixsubprocess, "fork_exec", refuse)
    model = arcs.ARCS(n_chains=3, n_jobs=2, random_state=0).fit(chain())
    assert model.result_.n_edges > 0


@pytest.fixture
def killed_peer(tmp_path, monkeypatch):
    """A package of that name which is killed when it is called, in front of the real one."""
    folder = tmp_path / "packages"
    folder.mkdir()
    text = "import os\ndef flop(*a, **k):\n    os.kill(os.getpid(), 9)\n"
    (folder / "flopsearch.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "flopsearch", raising=False)
    yield "peer-flop"
    sys.modules.pop("flopsearch", None)


def test_a_killed_peer_is_named(killed_peer, chain, run, tmp_path):
    message = r"peer-flop crashed \(killed by signal 9\)"
    with pytest.raises(PeerError, match=message):
        learner(killed_peer).fit(chain())
    with pytest.raises(PeerError, match=message):
        arcs.ARCS(init=killed_peer, random_state=0).fit(chain())
    code, text = run(chain(), method=killed_peer)
    assert code == 1
    assert text == "arcs: peer-flop crashed (killed by signal 9): without a message"
    assert not os.path.exists("out")
    words = ["compare", "data.csv", "-m", f"{killed_peer},hc", "-o", "both"]
    answer = CliRunner().invoke(app, words)
    assert answer.exit_code == 1
    assert "peer-flop failed: peer-flop crashed (killed by signal 9)" in answer.stderr
    assert sorted(os.listdir("both")) == ["hc.json", "report.html"]
    assert FitResult.load(tmp_path / "both" / "hc.json").n_edges > 0
