"""Every method against the installable implementations of others: time and SHD in one run.

    python benchmarks/methods.py                     # Andes n = 400 and Pigs n = 600
    python benchmarks/methods.py --limit 600 --seeds 1000 1001

Each native learner is timed after a warm-up fit (compilation is not counted); a peer inside
its own call. The last column is the peer's time divided by that of the native method.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np

from arcs.errors import ArcsError
from arcs.learners import learner
from arcs.metrics import compare
from arcs.simulate import OBSERVATIONAL_SETTINGS, Setting, Simulated, simulate_setting

#: Native method with its settings, and the peers it is measured against.
METHODS: list[tuple[str, dict[str, object], list[tuple[str, dict[str, object]]]]] = [
    (
        "arcs",
        {"random_state": 0},
        [("peer-flop", {"penalty": 3.0, "restarts": 20}), ("peer-boss", {}), ("peer-grasp", {})],
    ),
    (
        "ges",
        {},
        [
            ("peer-ges", {"implementation": "causal-learn"}),
            ("peer-ges", {"implementation": "ges"}),
        ],
    ),
    ("pc", {"alpha": 0.01}, [("peer-pc", {"alpha": 0.01})]),
    ("hc", {"max_parents": 2}, []),
    ("mmhc", {"max_parents": 2, "alpha": 0.01}, []),
    ("cd", {}, []),
    ("ga", {"random_state": 0}, []),
    ("listen", {}, []),
]
SETTINGS = [("Andes", 400), ("Pigs", 600)]


def setting(name: str, n: int) -> Setting:
    """The paper's setting of that name and size."""
    return next(s for s in OBSERVATIONAL_SETTINGS if (s.name, s.n) == (name, n))


def measure(
    name: str, settings: dict[str, object], data: Simulated, limit: float
) -> tuple[float, float]:
    """SHD and seconds of one fit; NaN if it failed or ran out of time."""
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = learner(name, time_limit=limit, **settings).fit(data.data)
    except ArcsError as error:
        print(f"    {name}: {str(error).splitlines()[0][:90]}")
        return float("nan"), float("nan")
    seconds = result.timings.get("peer", time.perf_counter() - start)
    graph = result.dag if name == "arcs" else result.cpdag
    return float(compare(graph, data.truth).SHD), float(seconds)


def mean(name: str, settings: dict[str, object], sets: list[Simulated], limit: float) -> np.ndarray:
    """Mean SHD and seconds over data sets."""
    return np.mean([measure(name, settings, data, limit) for data in sets], axis=0)


def main() -> None:
    """Print one table per setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds per fit")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1000])
    options = parser.parse_args()
    warm = simulate_setting(setting("Andes", 400), 0)
    for name, settings, _ in METHODS:
        measure(name, settings, warm, options.limit)
    for name, n in SETTINGS:
        sets = [simulate_setting(setting(name, n), seed) for seed in options.seeds]
        print(f"\n{name} n = {n}, {len(sets)} data sets")
        print(f"{'method':28s} {'SHD':>7s} {'seconds':>9s} {'ratio':>8s}")
        for native, settings, peers in METHODS:
            shd, seconds = mean(native, settings, sets, options.limit)
            print(f"{native:28s} {shd:7.1f} {seconds:9.2f} {1:8.1f}", flush=True)
            for peer, changes in peers:
                other, spent = mean(peer, changes, sets, options.limit)
                label = f"  {peer} {changes.get('implementation', '')}"
                print(f"{label:28s} {other:7.1f} {spent:9.2f} {spent / seconds:8.1f}", flush=True)


if __name__ == "__main__":
    main()
