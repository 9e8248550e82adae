"""What a cluster is given to do, what travels, and what two workers make of it.

    python benchmarks/cluster.py            # the pieces, one by one, in this process
    python benchmarks/cluster.py --workers  # one and two worker processes of a real LocalCluster

The pieces are CPU seconds and bytes (of the pickles that Dask sends): from them follows how a
hundred workers would do, which no laptop can show. Wall times of workers mean something only on a
machine that has nothing else to do.
"""

from __future__ import annotations

import argparse
import pickle
import time
from typing import Any

import numpy as np

from arcs.confidence import bootstrap
from arcs.confidence.replicates import Replicate
from arcs.data import Dataset
from arcs.data.streaming import Gathering, StreamPlan
from arcs.learners import learner
from arcs.simulate import random_dag, random_weights, sample


def main() -> None:
    """Print the pieces, or what workers take."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--workers", action="store_true")
    if parser.parse_args().workers:
        print_workers()
        return
    print_passes()
    print_replicates()


def timed(work: Any, *arguments: Any) -> tuple[Any, float]:
    """The answer, and CPU seconds."""
    began = time.process_time()
    answer = work(*arguments)
    return answer, time.process_time() - began


def gathered(rows: np.ndarray) -> Gathering:
    """What one partition becomes."""
    gathering = Gathering(StreamPlan(tuple(f"x{j}" for j in range(rows.shape[1]))))
    gathering.add(rows, [])
    return gathering.without_rows()


def print_passes() -> None:
    """One partition of 20,000 rows, for several numbers of variables."""
    print("a pass: a partition of 20,000 rows")
    print(f"{'p':>6} {'rows MB':>8} {'CPU s':>7} {'sums MB':>8} {'merge CPU s':>12}")
    for p in (10, 100, 1000, 3000):
        rows = np.random.default_rng(0).normal(size=(20_000, p))
        one, seconds = timed(gathered, rows)
        other = gathered(rows[:10_000])
        _, merging = timed(one.merge, other)
        size = len(pickle.dumps(one)) / 1e6
        print(f"{p:6} {rows.nbytes / 1e6:8.1f} {seconds:7.2f} {size:8.2f} {merging:12.4f}")


def print_replicates() -> None:
    """What a bootstrap and several chains send, and what a replicate takes."""
    print("\nreplicates: n = 1,000 rows")
    print(f"{'p':>6} {'data MB':>8} {'sums MB':>8} {'task kB':>8} {'answer kB':>10} {'CPU s':>7}")
    for p in (20, 100, 300):
        drawn = sample(random_weights(random_dag(p, 2 * p, 0), 0), 1_000, 0).data
        dataset, model = Dataset.of(drawn), learner("arcs", patience=1, random_state=0)
        sums = dataset.without_rows()
        sums.statistics()
        task = Replicate(0, "resample 1", model, "resample", np.random.SeedSequence(0))
        task.run(dataset)  # compiles
        outcome, seconds = timed(task.run, dataset)
        sizes = [len(pickle.dumps(thing)) for thing in (dataset, sums, task, outcome)]
        print(
            f"{p:6} {sizes[0] / 1e6:8.2f} {sizes[1] / 1e6:8.2f} {sizes[2] / 1e3:8.1f} "
            f"{sizes[3] / 1e3:10.1f} {seconds:7.2f}"
        )


def print_workers() -> None:
    """Wall seconds of a pass over 40 partitions and of 40 resamples, by one and two workers."""
    import dask.array as da
    import dask.dataframe as dd
    import distributed

    drawn = sample(random_weights(random_dag(100, 200, 0), 0), 1_000, 0).data
    rows = da.random.default_rng(0).normal(size=(800_000, 100), chunks=(20_000, 100))
    table = dd.from_dask_array(rows, columns=[f"x{j}" for j in range(100)])
    print(f"{'workers':>8} {'pass s':>8} {'40 resamples s':>15}")
    for workers in (1, 2):
        options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0"}
        with (
            distributed.LocalCluster(silence_logs=60, **options) as cluster,
            distributed.Client(cluster) as client,
        ):
            Dataset.of(table.partitions[:2])  # so that workers have imported everything
            bootstrap(drawn, "arcs", 2 * workers, backend=client)
            began = time.perf_counter()
            Dataset.of(table)
            passed = time.perf_counter() - began
            bootstrap(drawn, "arcs", 40, backend=client)
            print(f"{workers:8} {passed:8.1f} {time.perf_counter() - began - passed:15.1f}")


if __name__ == "__main__":
    main()
