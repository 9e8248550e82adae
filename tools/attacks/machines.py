"""What happens to machines: workers that are killed, caches nobody can write to, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["break_machine"]


def break_machine(case: dict[str, Any], folder: Path) -> str:
    """Run the fault of the case; what must hold afterwards is checked here."""
    rng = np.random.default_rng(case["seed"])
    rows = rng.normal(size=(60, 4)) @ (np.eye(4) + np.triu(rng.normal(size=(4, 4)), 1))
    _FAULTS[case["fault"]](rows, folder)
    return case["fault"]


def _deadly(curse: Path) -> Any:
    """Hill climbing that kills its own process in other places, once."""
    from dataclasses import dataclass
    from typing import ClassVar

    from arcs.learners.hc import HC

    home = os.getpid()

    @dataclass(frozen=True, kw_only=True)
    class Deadly(HC):
        name: ClassVar[str] = "deadly"

        def learn(self, statistics: Any, watch: Any) -> Any:
            if os.getpid() != home and curse.exists():
                curse.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
            return HC.learn(self, statistics, watch)

    return Deadly()


def _killed_cluster_worker(rows: np.ndarray, folder: Path) -> None:
    """A Dask worker dies; the cluster gives its task to another, and the answer is the same."""
    import warnings

    import distributed

    from arcs.confidence import bootstrap

    (folder / "curse").touch()
    where = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Dask, about sockets of those that died
        with (
            distributed.LocalCluster(silence_logs=60, **where) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            found = bootstrap(rows, _deadly(folder / "curse"), 6, backend=client)
    _check_resamples(found, rows, folder)


def _killed_process(rows: np.ndarray, folder: Path) -> None:
    """A process of this machine dies: its task is named, and the next run does what is missing."""
    from arcs.confidence import bootstrap
    from arcs.errors import WorkerError
    from attacks.checking import Broken

    (folder / "curse").touch()
    model, path = _deadly(folder / "curse"), folder / "resamples.npz"
    try:
        bootstrap(rows, model, 6, n_jobs=2, checkpoint=path)
    except WorkerError as error:
        if len(error.lost) != 1:
            raise Broken(f"one process died and {len(error.lost)} tasks are lost") from None
    else:
        raise Broken("a killed process was not noticed")
    _check_resamples(bootstrap(rows, model, 6, checkpoint=path, resume=True), rows, folder)


def _check_resamples(found: Any, rows: np.ndarray, folder: Path) -> None:
    from arcs.confidence import bootstrap
    from attacks.checking import Broken

    if (folder / "curse").exists():
        raise Broken("nobody was killed")
    if not np.array_equal(found.confidence, bootstrap(rows, "hc", 6).confidence):
        raise Broken("resamples after a death are others")


_FIT = (
    "import sys, numpy as np\n"
    "from arcs.learners import learner\n"
    "rows = np.load(sys.argv[1])\n"
    "print(repr(learner('hc', random_state=0).fit(rows).score))\n"
)


def _unwritable_cache(rows: np.ndarray, folder: Path) -> None:
    """Compiled code can be kept nowhere: everything works, after a while."""
    from arcs.learners import learner
    from attacks.checking import Broken

    np.save(folder / "rows.npy", rows)
    (folder / "file").touch()
    home = str(folder / "file" / "no folder")
    environment = {**os.environ, "NUMBA_CACHE_DIR": home, "HOME": home, "XDG_CACHE_HOME": home}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _FIT, str(folder / "rows.npy")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
    )
    if done.returncode or done.stdout.strip() != repr(
        learner("hc", random_state=0).fit(rows).score
    ):
        raise Broken(f"with an unwritable cache: {done.returncode}, {done.stderr[-150:]}")


def _signals(rows: np.ndarray, folder: Path) -> None:
    """SIGTERM in the middle of a long fit keeps the best so far, which can be read."""
    from arcs.results import FitResult
    from attacks.checking import Broken, check_result

    table = np.hstack([rows, np.random.default_rng(0).normal(size=(len(rows), 20))])
    head = ",".join(f"v{k}" for k in range(table.shape[1]))
    np.savetxt(folder / "data.csv", table, delimiter=",", header=head, comments="")
    words = ["fit", "data.csv", "-o", "out", "--bootstrap", "0", "--set", "search=anneal"]
    words += ["--set", "n_iter=100000000"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "arcs", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 200
    while not (folder / "out" / "checkpoint.npz").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    words_of_it = process.communicate(timeout=60)[1]
    if process.returncode != 130 or not (folder / "out" / "result.json").exists():
        raise Broken(f"after SIGTERM: {process.returncode}, {words_of_it[-150:]}")
    result = FitResult.load(folder / "out" / "result.json")
    check_result(result)
    if result.stopped == "finished":
        raise Broken("a fit that was stopped says that it finished")


_FAULTS = {
    "killed cluster worker": _killed_cluster_worker,
    "killed process": _killed_process,
    "unwritable cache": _unwritable_cache,
    "signals": _signals,
}
