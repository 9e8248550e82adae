"""Every method against the installable implementations of others: time and SHD in one run.

    python benchmarks/methods.py                     # Andes n = 400 and Pigs n = 600
    python benchmarks/methods.py --limit 600 --seeds 1000 1001
    python benchmarks/methods.py --xges xges-env/bin/python

Native learners are timed after a warm-up fit, so that compilation is not counted; a peer is timed
inside its own call, without imports and the start of its process. The last column is the time
divided by that of the native method on top of the group. A peer that does not finish within the
limit is stopped; its row says how many times longer it took at the least.

Methods with a price per edge have the same one within a group, *c* in 2 log L - c k log n: that of
the extended BIC with parameter 1/2, or 1 where an implementation knows no other. The default of
ARCS has the same while it searches and charges more in the end; the line ``final_ebic=1`` does
not. All estimates are compared with the truth as equivalence classes (CPDAGs).
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arcs.errors import ArcsError, PeerError
from arcs.graphs import Pdag
from arcs.graphs.equivalence import cpdag_of
from arcs.learners import learner
from arcs.learners.ges import extended_penalty
from arcs.metrics import evaluate
from arcs.simulate import OBSERVATIONAL_SETTINGS, Setting, Simulated, simulate_setting

SETTINGS = (("Andes", 400), ("Pigs", 600))
PACKAGES = ("arcs-bn", "causal-learn", "flopsearch", "ges", "pgmpy", "numpy", "numba")

#: The line of a method whose price per edge is that of the setting's extended BIC.
EXTENDED = "extended"
PGMPY = "pgmpy"
PGMPY_CODE = """
import sys, time
import numpy as np, pandas as pd
from pgmpy.causal_discovery import HillClimbSearch
rows = np.load(sys.argv[1])
search = HillClimbSearch("bic-g", tabu_length=0, max_indegree=2, return_type="dag",
                         show_progress=False)
start = time.perf_counter()
search.fit(pd.DataFrame(rows, columns=[f"x{j}" for j in range(rows.shape[1])]))
seconds = time.perf_counter() - start
adjacency = np.zeros((rows.shape[1],) * 2, bool)
for i, j in search.causal_graph_.edges():
    adjacency[int(i[1:]), int(j[1:])] = True
np.savez(sys.argv[2], adjacency=adjacency, seconds=seconds)
"""


@dataclass(frozen=True)
class Line:
    """One line of the table: what to call it, the learner, and its settings."""

    label: str
    learner: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def settings_for(self, data: Simulated) -> dict[str, Any]:
        """The settings, with the price per edge of these data filled in."""
        found = dict(self.settings)
        if found.get("penalty") == EXTENDED:
            found["penalty"] = extended_penalty(data.data.statistics())
        return found


def groups(xges: str | None) -> Iterator[tuple[Line, ...]]:
    """The native methods, each followed by its variants and by the peers."""
    price = {"penalty": EXTENDED}
    yield (
        Line("arcs", "arcs", {"random_state": 0}),
        Line("arcs, final_ebic=1", "arcs", {"random_state": 0, "final_ebic": 1.0}),
        Line("FLOP (flopsearch)", "peer-flop", {**price, "restarts": 20}),
        Line("BOSS (causal-learn)", "peer-boss", price),
        Line("GRaSP (causal-learn)", "peer-grasp", price),
    )
    yield (
        Line("ges", "ges", price),
        Line("ges, eager=False", "ges", {**price, "eager": False}),
        Line("GES (causal-learn)", "peer-ges", {**price, "implementation": "causal-learn"}),
        Line("GES (ges)", "peer-ges", {**price, "implementation": "ges"}),
        *_xges_lines(xges, price),
    )
    yield (
        Line("pc", "pc", {"alpha": 0.01}),
        Line("PC (causal-learn)", "peer-pc", {"alpha": 0.01}),
    )
    yield Line("hc", "hc", {"max_parents": 2}), Line("HC (pgmpy)", PGMPY)
    yield (Line("mmhc", "mmhc", {"max_parents": 2, "alpha": 0.01}),)
    yield (Line("cd", "cd"),)
    yield (Line("ga", "ga", {"random_state": 0}),)
    yield (Line("listen", "listen"),)


def _xges_lines(python: str | None, price: Mapping[str, Any]) -> Iterator[Line]:
    """XGES clashes with our requirements: it runs under an interpreter of its own."""
    if python is not None:
        settings = {**price, "python": python}
        yield Line("XGES-0 (xges)", "peer-xges", {**settings, "extended_search": False})
        yield Line("XGES (xges)", "peer-xges", settings)


# ---------------------------------------------------------------------- measuring
class Outcome(NamedTuple):
    """SHD and seconds of a line; or that it ran out of time, or what went wrong."""

    shd: float
    seconds: float
    late: bool = False
    failure: str = ""


def measure(line: Line, data: Simulated, limit: float) -> Outcome:
    """One fit."""
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimate, seconds, late = _fit(line, data, limit)
    except (ArcsError, subprocess.TimeoutExpired) as error:
        late = isinstance(error, subprocess.TimeoutExpired) or "time limit" in str(error)
        return Outcome(np.nan, limit, late, "" if late else str(error).splitlines()[0])
    spent = time.perf_counter() - start if seconds is None else seconds
    return Outcome(float(evaluate(estimate, data.truth).SHD), spent, late)


def _fit(line: Line, data: Simulated, limit: float) -> tuple[Pdag, float | None, bool]:
    """The class that a line finds, the seconds inside of a peer's call, whether it was stopped."""
    if line.learner == PGMPY:
        return *_pgmpy(data, limit), False
    result = learner(line.learner, time_limit=limit, **line.settings_for(data)).fit(data.data)
    return result.cpdag, result.timings.get("peer"), result.stopped == "time limit"


def _pgmpy(data: Simulated, limit: float) -> tuple[Pdag, float]:
    """Hill climbing of pgmpy, for which there is no adapter, in a process that can be stopped."""
    with tempfile.TemporaryDirectory() as folder:
        rows, found = Path(folder, "rows.npy"), Path(folder, "found.npz")
        np.save(rows, np.asarray(data.data.values))
        command = [sys.executable, "-c", PGMPY_CODE, str(rows), str(found)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if "Error" in line]
            raise PeerError(said[-1] if said else f"exit code {done.returncode}")
        with np.load(found, allow_pickle=False) as saved:
            return cpdag_of(saved["adjacency"], data.truth.names), float(saved["seconds"])


def mean(line: Line, sets: Sequence[Simulated], limit: float) -> Outcome:
    """Mean over data sets; no further ones after the first that did not end well."""
    outcomes = []
    for data in sets:
        outcomes.append(measure(line, data, limit))
        if outcomes[-1].late or outcomes[-1].failure:
            return outcomes[-1]
    shd, seconds = np.mean([outcome[:2] for outcome in outcomes], axis=0)
    return Outcome(float(shd), float(seconds))


# ---------------------------------------------------------------------- the table
HEADER = f"| {'method':22s} | {'SHD':>6s} | {'seconds':>13s} | {'ratio':>14s} |"


def row(line: Line, outcome: Outcome, unit: float) -> str:
    """One row of the table, at most 80 characters wide."""
    if outcome.failure:
        return f"| {line.label:22s} | failed: {outcome.failure[:42]} |"
    ratio = outcome.seconds / unit
    shd = "" if np.isnan(outcome.shd) else f"{outcome.shd:.1f}"
    seconds, times = f"{outcome.seconds:.2f}", f"{ratio:.1f}"
    if outcome.late:
        seconds, times = f"more than {outcome.seconds:.0f}", f"at least {ratio:.0f}"
    return f"| {line.label:22s} | {shd:>6s} | {seconds:>13s} | {times:>14s} |"


def describe(xges: str | None) -> str:
    """Machine and versions, for the record."""
    found = [f"{name} {version(name)}" for name in PACKAGES]
    if xges is not None:
        code = "from importlib.metadata import version; print('xges', version('xges'))"
        command = [xges, "-c", code]
        found.append(
            subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        )
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {', '.join(found)}"


def setting(name: str, n: int) -> Setting:
    """The paper's setting of that name and size."""
    return next(s for s in OBSERVATIONAL_SETTINGS if (s.name, s.n) == (name, n))


def main() -> None:
    """Print one table per setting."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=float, default=120.0, help="seconds per fit")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1000, 1001, 1002])
    parser.add_argument("--xges", default=os.environ.get("ARCS_XGES_PYTHON"), metavar="PYTHON")
    options = parser.parse_args()
    lines = list(groups(options.xges))
    warm = simulate_setting(setting("Andes", 400), 0)
    for line in (line for group in lines for line in group):
        if line.learner != PGMPY and not line.learner.startswith("peer-"):
            measure(line, warm, options.limit)
    print(describe(options.xges))
    for name, n in SETTINGS:
        sets = [simulate_setting(setting(name, n), seed) for seed in options.seeds]
        print(f"\n{name}, n = {n}: {len(sets)} data sets, limit {options.limit:.0f} s")
        print(f"\n{HEADER}\n|{'-' * 24}|{'-' * 7}:|{'-' * 14}:|{'-' * 15}:|")
        for group in lines:
            unit = 0.0
            for line in group:
                outcome = mean(line, sets, options.limit)
                unit = unit or outcome.seconds
                print(row(line, outcome, unit), flush=True)


if __name__ == "__main__":
    main()
