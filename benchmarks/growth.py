"""How time, memory and accuracy grow with the number of variables.

    python benchmarks/growth.py                       # 200 to 2,000 variables
    python benchmarks/growth.py 3000 --limit 180 --progress 20
    python benchmarks/growth.py 200 500 --seeds 1000 1001 --rows growth.csv --figure growth.png
    python benchmarks/growth.py 20000 --observations 300 --jobs 2 --progress 60

Random DAGs with twice as many edges as nodes, 500 rows (``--observations``), columns in random
order; the default learner, one chain, from a random order, by one core (``--jobs``). The columns of
the table:

``seconds``, ``CPU``
    Wall clock and processor time of the whole fit, after compilation.
``solved``
    Processor time after which the best score was at most that of the true DAG (its parents, not
    only its order; both at the price of the search), or ``no``.
``excess``
    The best score minus that of the true DAG, in nats: below zero, the truth is not the optimum.
``MiB``
    Peak resident memory of a process that draws the data, fits and compares.
``end``
    Whether the search came to its own end or was stopped by the limit.

The exponent is the slope of a least-squares line through log CPU time against log p; fits that
were stopped do not count. With ``--rows`` every fit is appended to a file, and exponent and figure
are those of all fits in it.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import resource
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple, get_type_hints

import numpy as np
from truth import true_score

from arcs.learners import learner
from arcs.metrics import evaluate
from arcs.plots.style import METHOD_COLOURS
from arcs.progress import Progress
from arcs.simulate import Simulated, random_dag, random_weights, sample

EDGES_PER_NODE = 2
#: Nats by which equal scores may differ from rounding.
TIE = 1e-6


class Task(NamedTuple):
    """What to fit: size, data set, rows, cores, limit and seconds between reports."""

    p: int
    seed: int
    rows: int
    jobs: int
    limit: float | None
    every: float | None


class Growth(NamedTuple):
    """One fit. Seconds, nats, MiB."""

    p: int
    n: int
    seed: int
    seconds: float
    cpu: float
    solved: float
    shd: int
    excess: float
    memory: float
    stopped: str


class Listener:
    """Notes when the true DAG's score is reached, and reports from time to time."""

    def __init__(self, target: float, every: float | None) -> None:
        self.target = target
        self.every = every
        self.solved = np.nan
        self.last = 0.0
        self.begin = time.process_time()

    def __call__(self, event: Progress) -> None:
        excess = np.inf if event.best is None else event.best - self.target
        if np.isnan(self.solved) and excess <= TIE:
            self.solved = time.process_time() - self.begin
        if self.every is not None and event.elapsed - self.last >= self.every:
            self.last = event.elapsed
            sys.stderr.write(
                f"  [{event.elapsed:6.1f} s] {event.stage}: step {event.iteration}, "
                f"{event.edges} edges, {excess:+.1f} nats from the true DAG\n"
            )


def simulate(p: int, seed: int, rows: int) -> Simulated:
    """Data set number `seed` with p variables."""
    rng = np.random.default_rng([seed, p])
    return sample(random_weights(random_dag(p, EDGES_PER_NODE * p, rng), rng), rows, rng)


def measure(task: Task) -> Growth:
    """Draw a data set and fit it; to be called in a fresh process, for the sake of memory."""
    p, seed = task.p, task.seed
    learner("arcs", random_state=0).fit(simulate(20, 0, 500).data)
    simulated = simulate(p, seed, task.rows)
    data, graph = simulated.data, simulated.truth.adjacency
    truth = true_score(data.statistics(), simulated.truth)
    del simulated  # its coefficients, in gigabytes, are no part of the fit
    model = learner("arcs", random_state=seed, time_limit=task.limit, n_jobs=task.jobs)
    listener = Listener(truth, task.every)
    begin, used = time.perf_counter(), time.process_time()
    result = model.fit(data, listener=listener)
    used, spent = time.process_time() - used, time.perf_counter() - begin
    shd = int(evaluate(result.cpdag, graph).SHD)
    # Linux counts in KiB, macOS in bytes.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    excess = result.score - truth
    times = (spent, used, listener.solved)
    return Growth(p, task.rows, seed, *times, shd, excess, memory, result.stopped)


def in_own_process(task: Task) -> Growth:
    """:func:`measure` in a process of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(measure, task).result()


def exponent(rows: Sequence[Growth]) -> tuple[float, float]:
    """Slope and intercept of log CPU time against log p."""
    finished = [row for row in rows if row.stopped == "finished"]
    if len({row.p for row in finished}) < 2:
        return np.nan, np.nan
    x, y = np.log([(row.p, row.cpu) for row in finished]).T
    slope, intercept = np.polyfit(x, y, 1)
    return float(slope), float(intercept)


HEADER = (
    f"{'p':>5} {'n':>5} {'seed':>5} {'seconds':>8} {'CPU':>7} {'solved':>7} {'SHD':>4} "
    f"{'excess':>8} {'MiB':>6}  end"
)


def line(row: Growth) -> str:
    """One line of the table."""
    solved = "no" if np.isnan(row.solved) else f"{row.solved:.1f}"
    return (
        f"{row.p:5d} {row.n:5d} {row.seed:5d} {row.seconds:8.1f} {row.cpu:7.1f} {solved:>7} "
        f"{row.shd:4d} {row.excess:8.1f} {row.memory:6.0f}  {row.stopped}"
    )


def append(row: Growth, path: Path) -> None:
    """Add a fit to a file of fits."""
    new = not path.exists()
    with path.open("a", newline="") as stream:
        writer = csv.writer(stream)
        if new:
            writer.writerow(Growth._fields)
        writer.writerow(row)


def read(path: Path) -> list[Growth]:
    """All fits of a file."""
    kinds = get_type_hints(Growth)
    with path.open(newline="") as stream:
        return [
            Growth(**{name: kinds[name](text) for name, text in record.items()})
            for record in csv.DictReader(stream)
        ]


def draw(rows: Sequence[Growth], path: Path) -> None:
    """Time of whole fits and time to the true DAG's score against p, on logarithmic scales."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

    slope, intercept = exponent(rows)
    sizes = sorted({row.p for row in rows})
    figure, axes = plt.subplots(figsize=(6.0, 4.0), layout="constrained")
    whole, reached = METHOD_COLOURS[0], METHOD_COLOURS[5]
    finished = [row for row in rows if row.stopped == "finished"]
    stopped = [row for row in rows if row.stopped != "finished"]
    solved = [row for row in rows if not np.isnan(row.solved)]
    axes.plot(
        [r.p for r in finished], [r.cpu for r in finished], "o", color=whole, label="whole fit"
    )
    if stopped:
        axes.plot(
            *([r.p for r in stopped], [r.cpu for r in stopped], "^"),
            **{"color": whole, "fillstyle": "none", "label": "stopped by the time limit"},
        )
    axes.plot(
        *([r.p for r in solved], [r.solved for r in solved], "s"),
        **{"color": reached, "label": "as good as the true DAG"},
    )
    if not np.isnan(slope):
        ends = np.array([sizes[0], sizes[-1]], dtype=float)
        line_label = f"time ∝ p^{slope:.2f} (least squares)"
        axes.plot(ends, np.exp(intercept) * ends**slope, "--", color=whole, label=line_label)
    axes.set(xscale="log", yscale="log", xlabel="variables p", ylabel="processor seconds")
    observations = " or ".join(str(n) for n in sorted({row.n for row in rows}))
    axes.set_title(f"Random DAGs with {EDGES_PER_NODE}p edges, n = {observations}")
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)


def main() -> None:
    """Print the table, line by line, and the exponent."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("p", type=int, nargs="*", default=[200, 500, 1000, 2000])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1000])
    parser.add_argument("--observations", type=int, default=500, help="rows of the data")
    parser.add_argument("--jobs", type=int, default=1, help="cores of one fit")
    parser.add_argument("--limit", type=float, help="seconds per fit")
    parser.add_argument("--progress", type=float, metavar="SECONDS", help="report so often")
    parser.add_argument("--rows", type=Path, help="file to which the fits are appended")
    parser.add_argument("--figure", type=Path, help="where to draw the plot")
    options = parser.parse_args()
    print(HEADER)
    rows = []
    for p in options.p:
        for seed in options.seeds:
            given = (options.observations, options.jobs, options.limit, options.progress)
            rows.append(in_own_process(Task(p, seed, *given)))
            print(line(rows[-1]), flush=True)
            if options.rows is not None:
                append(rows[-1], options.rows)
    if options.rows is not None:
        rows = read(options.rows)
    if not np.isnan(exponent(rows)[0]):
        print(f"\ntime grows as p to the power of {exponent(rows)[0]:.2f}")
    if options.figure is not None:
        draw(rows, options.figure)


if __name__ == "__main__":
    main()
