"""A record of what fits return, to the last bit.

    python tests/reference/fits.py            # compares: "identical", or what differs
    python tests/reference/fits.py --make     # writes fits.json anew

Changes to the house must not change answers: the record tells. It is made anew only by work that
means to change them, with the change in distance and score shown. Floats are written so that they
are read back exactly. Processors with other vector instructions add up in another order, and
where rounding decides between moves that are equally good a long search takes another way: the
record says on which kind of processor it was made, and elsewhere the test asks for less.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import binding
from threadpoolctl import threadpool_limits

from arcs import ARCS, learner
from arcs.knowledge import Knowledge
from arcs.results import FitResult
from arcs.simulate import (
    EXPERIMENTAL_SETTINGS,
    OBSERVATIONAL_SETTINGS,
    Simulated,
    random_dag,
    random_weights,
    sample,
    sample_experiments,
    simulate_setting,
)

#: On another kind of processor: how far scores may be apart, and the share of edges in common.
SCORES_AGREE, EDGES_AGREE = 1e-3, 0.9
#: The same for short walks: annealing and penalties that are not convex do not end in the optimum,
#: but where the way led, and rounding decides which way. Two processors were seen to differ by 0.4
#: percent in the score, and in a third of the edges.
WALKS = ("'search': 'anneal'", "'penalty': 'mcp'")
WALKS_AGREE, WALKS_EDGES = 1e-2, 0.5
RECORD = Path(__file__).with_name("fits.json")
LEARNERS = ("arcs", "cd", "ges", "gies", "hc", "pc", "mmhc", "ga", "listen")
PENALTIES: tuple[dict[str, Any], ...] = (
    {"penalty": "l0"},
    {"penalty": "l0", "lam": 6.0},
    {"penalty": "l0", "ebic": 0.5, "final_ebic": 1.25},
    {"penalty": "mcp", "gamma": 2.0, "lam": 1.5},
    {"penalty": "mcp"},
    {"penalty": "l1", "lam": 2.0},
    {"penalty": "scad", "gamma": 3.7, "lam": 1.5},
)
SEARCHES: tuple[dict[str, Any], ...] = (
    {"search": "anneal", "n_iter": 2000},
    {"search": "anneal", "n_iter": 500, "temperature": 5.0, "interval": 3, "penalty": "l1"},
    {"search": "none", "init": "ges"},
    {"search": "pulls", "n_iter": 50, "temperature": 0.0},
    {"n_chains": 3, "patience": 1},
    {"n_chains": 3, "patience": 1, "n_jobs": 2},
    {"max_parents": 2},
    {"max_parents": 2, "penalty": "mcp", "lam": 1.5, "gamma": 2.0},
    {"refine": 1e-3, "threshold": 0.05, "penalty": "mcp", "lam": 1.2, "gamma": 3.0},
    {"init": "cd"},
    {"init": "random", "penalty": "scad", "search": "anneal", "n_iter": 1000},
)


@cache
def observational(p: int = 20, edges: int = 30, n: int = 200, seed: int = 0) -> Simulated:
    """A random sparse model and rows from it."""
    return sample(random_weights(random_dag(p, edges, seed), seed), n, seed)


@cache
def experimental(kind: str = "hard", rows: int = 12, seed: int = 0) -> Simulated:
    """Twelve variables, each under intervention in some rows, beside observational ones."""
    model = random_weights(random_dag(12, 18, seed), seed)
    return sample_experiments(model, "each", rows, seed, n_observational=100, kind=kind, factor=3.0)


@cache
def setting(index: int, experimental_data: bool, seed: int) -> Simulated:
    """One of the paper's data sets."""
    group = EXPERIMENTAL_SETTINGS if experimental_data else OBSERVATIONAL_SETTINGS
    return simulate_setting(group[index], seed)


def holes(share: float = 0.03) -> np.ndarray:
    """Rows of which some cells are missing."""
    values = observational(n=300).data.values.copy()
    values[np.random.default_rng(5).random(values.shape) < share] = np.nan
    return values


def labels(simulated: Simulated) -> list[str]:
    """A condition per row, of which nobody knows what it changed."""
    design = simulated.data.interventions
    assert design is not None
    return [f"condition {r}" if design.targets[r] else "control" for r in design.regime]


def knowledge(names: tuple[str, ...]) -> Knowledge:
    """Statements of every kind, right or wrong."""
    return Knowledge(
        required=[(names[0], names[1])],
        forbidden=[(names[2], names[3]), (names[5], names[4])],
        tiers=[names[6:9], names[9:12]],
        roots=[names[12]],
    )


def arcs(data: Any, *, interventions: Any = None, missing: str = "error", **settings: Any) -> Any:
    """A fit through the estimator."""
    settings = {"random_state": 0, **settings}
    model = ARCS(**settings)
    if interventions is None and missing == "error":
        return model.fit(data).result_
    return model.fit(data, interventions=interventions, missing=missing).result_


def by(name: str, data: Any, **settings: Any) -> FitResult:
    """A fit through a learner."""
    return learner(name, random_state=0, **settings).fit(data)


def cases() -> Iterator[tuple[str, Callable[[], FitResult]]]:
    """All fits of the record, by name."""
    plain, hard = observational().data, experimental().data
    for name in LEARNERS:
        yield f"learner {name}", lambda name=name: by(name, plain)
        yield f"learner {name}, wide", lambda name=name: by(name, observational(40, 40, 30, 1).data)
        yield f"learner {name}, hard", lambda name=name: by(name, hard)
    for settings in (*PENALTIES, *SEARCHES):
        yield f"arcs {settings}", lambda settings=settings: arcs(plain, **settings)
    for settings in (*PENALTIES[:4], {"final_ebic": 1.0}, {"search": "anneal", "n_iter": 800}):
        yield f"arcs, hard {settings}", lambda settings=settings: arcs(hard, **settings)
    for kind in ("hard", "noise"):
        data = experimental(kind)
        yield (
            f"arcs, soft, {kind} changes",
            lambda data=data: arcs(data.data, intervention_kind="soft"),
        )
        yield (
            f"arcs, unknown, {kind} changes",
            lambda data=data: arcs(
                data.data.values,
                interventions=labels(data),
                intervention_kind="unknown",
            ),
        )
    for name in ("arcs", "ges", "gies", "hc", "pc", "cd"):
        known = knowledge(plain.names)
        yield f"knowledge {name}", lambda name=name, known=known: by(name, plain, knowledge=known)
    for policy in ("drop", "pairwise", "em"):
        yield f"missing {policy}", lambda policy=policy: arcs(holes(), missing=policy)
    yield (
        "covariance",
        lambda: arcs((np.cov(plain.values.T), plain.n)),
    )
    yield "not centred", lambda: arcs(plain.values, center=False)
    for init in ("ges", "random"):
        yield f"paper, {init}", lambda init=init: _paper(setting(0, True, 7).data, init, True)
        yield f"paper, observational, {init}", lambda init=init: _paper(plain, init, False)
    for seed in (1, 2, 3):
        yield f"seed {seed}", lambda seed=seed: arcs(plain, random_state=seed)
    for index in range(len(EXPERIMENTAL_SETTINGS)):
        yield (
            f"paper's setting {EXPERIMENTAL_SETTINGS[index].key}",
            lambda index=index: arcs(setting(index, True, 11).data),
        )
    for index in (0, 2, 11):
        yield (
            f"paper's setting {OBSERVATIONAL_SETTINGS[index].key}",
            lambda index=index: arcs(setting(index, False, 11).data, patience=1),
        )


def _paper(data: Any, init: str, experimental_data: bool) -> FitResult:
    model = ARCS.paper(init, experimental=experimental_data, n_iter=1500, random_state=0)
    return model.fit(data).result_


def outcome(result: FitResult) -> dict[str, Any]:
    """What a user computes: graph, order, score, coefficients."""
    dag = result.dag
    rows, columns = np.nonzero(dag.adjacency)
    return {
        "edges": [[int(i), int(j)] for i, j in zip(rows, columns, strict=True)],
        "undirected": np.argwhere(np.triu(result.cpdag.undirected)).tolist(),
        "order": [int(v) for v in result.order.nodes],
        "score": float(result.score),
        "coefficients": [float(b) for b in dag.coefficients[rows, columns]],
        "noise_variances": [float(v) for v in dag.noise_variances],
        "changes": [[str(c.target), str(c.regime), str(c.kind)] for c in result.changes],
    }


def run(case: Callable[[], FitResult]) -> dict[str, Any]:
    """The outcome of a case; what it warns about is not of interest here.

    Matrices are multiplied by one thread: more of them add up in another order.
    """
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return outcome(case())


def processor() -> str:
    """The kind of processor, which decides how kernels add up."""
    features = binding.get_host_cpu_features().flatten().split(",")
    return " ".join(sorted(name for name in features if name.startswith(("+avx", "+fma", "+neon"))))


def read() -> tuple[str, dict[str, Any]]:
    """The processor on which the record was made, and the outcome of every case."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    return record["processor"], record["fits"]


def write(found: dict[str, Any]) -> None:
    """Make the record anew, one line for each case."""
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items()]
    header = f'{{"processor": {json.dumps(processor())},\n"fits": {{\n'
    RECORD.write_text(header + ",\n".join(lines) + "\n}}\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Compare with the record, or make it."""
    found = {name: run(case) for name, case in cases()}
    if "--make" in arguments:
        write(found)
        sys.stdout.write(f"{len(found)} fits recorded\n")
        return 0
    made_on, record = read()
    if made_on != processor():
        sys.stdout.write("another kind of processor: searches may differ by rounding\n")
    differing = sorted(name for name in record | found if record.get(name) != found.get(name))
    for name in differing:
        parts = [k for k, v in (record.get(name) or {}).items() if found.get(name, {}).get(k) != v]
        sys.stdout.write(f"differs: {name}: {', '.join(parts) or 'not in both'}\n")
    sys.stdout.write(f"{len(found)} fits: {'different' if differing else 'identical'}\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
