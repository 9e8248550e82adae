"""Data as real people have them: conditions, covariates, and what ignoring them costs.

    python benchmarks/real_data.py conditions            # 20 data sets per line, from seed 1000
    python benchmarks/real_data.py conditions --nodes 100
    python benchmarks/real_data.py soft                  # beside mechanisms that differ
    python benchmarks/real_data.py categories            # numbers beside categories, in batches
    python benchmarks/real_data.py clean                 # the paper's settings with conditions on
    python benchmarks/real_data.py tails                 # transforms
    python benchmarks/real_data.py large                 # many rows, min_r2
    python benchmarks/real_data.py latent --nodes 30     # hidden factors
    python benchmarks/real_data.py eigenvalues --nodes 30  # what tells a factor
    python benchmarks/real_data.py audit                 # how often clean data get advice
    python benchmarks/real_data.py noise                 # edges in pure noise
    python benchmarks/real_data.py few                   # what is found with few rows
    python benchmarks/real_data.py conditions --quick    # 3 data sets
    python benchmarks/real_data.py latent --nodes 100 --kinds 2 --ways "latent = auto"

Tables of mean SHD (directions compared directly where there are conditions or experiments, up to
equivalence otherwise), its standard error, and CPU seconds. The data are those of `messy_data.py`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import messy_data
import numpy as np
import pandas as pd
from messy_data import Messy

from arcs import ARCS
from arcs.data import Dataset
from arcs.data.conditions import Conditions
from arcs.learners.latent import factor_evidence
from arcs.metrics import evaluate
from arcs.results import FitResult
from arcs.simulate import EXPERIMENTAL_SETTINGS, simulate_setting

POLICIES = ("ignore", "free", "sparse", "mixed", "auto", "unknown")
KINDS = ("none", "batch", "few", "mixed", "unused", "hard", "hard+batch")
#: What every fit is told besides what a table compares: --effort and --time-limit.
SEARCH: dict[str, Any] = {}
#: The lines of a table that are asked for, all if none: --ways.
ONLY: set[str] = set()


@dataclass
class Line:
    """One line of a table: distances, seconds and remarks over data sets."""

    distances: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    remarks: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        values = np.array(self.distances)
        error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
        said = ", ".join(f"{word} {count}" for word, count in self.remarks.most_common() if count)
        return f"{values.mean():7.2f} {error:6.2f} {np.mean(self.seconds):8.2f}  {said}"


def timed(fit: Callable[[], FitResult]) -> tuple[FitResult, float]:
    """A fit and its CPU time."""
    start = time.process_time()
    return fit(), time.process_time() - start


def table(
    title: str,
    sets: Iterable[Messy],
    ways: dict[str, Callable[[Messy], FitResult]],
    remark: Callable[[FitResult], str],
    *,
    experimental: bool,
) -> dict[str, Line]:
    """Print the mean distance of every way to treat the data sets."""
    ways = {name: way for name, way in ways.items() if not ONLY or name in ONLY}
    lines = {name: Line() for name in ways}
    for data in sets:
        for name, way in ways.items():
            result, seconds = timed(lambda way=way, data=data: way(data))  # type: ignore[misc]
            lines[name].distances.append(evaluate(result.dag, data.truth, experimental).SHD)
            lines[name].seconds.append(seconds)
            lines[name].remarks[remark(result)] += 1
            lines[name].remarks["out of time"] += result.stopped == "time limit"
    print(f"\n{title}\n{'':24s} {'SHD':>7s} {'error':>6s} {'CPU s':>8s}")
    for name, line in lines.items():
        print(f"{name:24s} {line}", flush=True)
    return lines


def fit(values: np.ndarray, **reading: Any) -> FitResult:
    """The default fit."""
    given = {name: value for name, value in reading.items() if value is not None}
    return ARCS(random_state=0, **SEARCH).fit(values, **given).result_


def by_policy(policy: str) -> Callable[[Messy], FitResult]:
    """A fit by one policy for the conditions."""

    def way(data: Messy) -> FitResult:
        if policy == "ignore":
            return fit(data.values, interventions=data.mask, conditions="none")
        labels = list(data.labels)  # type: ignore[arg-type]
        if policy == "unknown":
            unknown = ARCS(random_state=0, intervention_kind="unknown", **SEARCH)
            return unknown.fit(data.values, interventions=labels).result_
        given = {"conditions": labels, "condition_policy": policy}
        return fit(data.values, interventions=data.mask, **given)

    return way


def chosen_policy(result: FitResult) -> str:
    """What was done about conditions."""
    return str(result.preparation.get("conditions", {}).get("policy", ""))


def conditions(options: argparse.Namespace) -> None:
    """Conditions of seven kinds of mischief, and covariates."""
    for kind in options.kinds or (*KINDS, "covariates"):
        if kind == "covariates":
            covariates(options)
            continue
        sets = (messy_data.conditions(kind, options.nodes, seed) for seed in options.seeds)
        ways = {policy: by_policy(policy) for policy in options.policies}
        title = f"{kind}, p = {options.nodes}, 9 x 60 rows"
        table(title, sets, ways, chosen_policy, experimental=True)


def soft(options: argparse.Namespace) -> None:
    """Noise that changes in known targets, beside means that shift: every policy, and the choice.

    Conditions are the regimes themselves, or plates that lie across them.
    """
    for crossing in (False, True):
        for kind in options.kinds or ("none", "few", "mixed", "batch"):
            sets = (
                messy_data.soft(kind, options.nodes, seed, crossing=crossing)
                for seed in options.seeds
            )
            ways = {policy: _beside_soft(policy) for policy in ("common", *POLICIES[1:5])}
            where = "plates across regimes" if crossing else "regimes"
            title = f"{kind}, {where}, p = {options.nodes}, 9 x 60 rows"
            table(title, sets, ways, chosen_policy, experimental=True)


def categories(options: argparse.Namespace) -> None:
    """Numbers beside categories, clean and in batches, up to equivalence."""
    for batches in (False, True):
        sets = (messy_data.categories(batches, options.nodes, seed) for seed in options.seeds)
        ways = {policy: _beside_categories(policy) for policy in ("ignore", "free", "auto")}
        title = f"{'batches' if batches else 'clean'}, p = {options.nodes}, 6 x 100 rows"
        table(title, sets, ways, chosen_policy, experimental=False)


def _beside_categories(policy: str) -> Callable[[Messy], FitResult]:
    def way(data: Messy) -> FitResult:
        conditions = None
        if policy != "ignore":
            conditions = Conditions.of_labels(list(data.labels), policy)  # type: ignore[arg-type]
        names = [f"x{j}" for j in range(len(data.truth))]
        given = {"levels": data.levels, "conditions": conditions, "constant": "isolate"}
        return (
            ARCS(random_state=0, **SEARCH).fit(Dataset(names, values=data.values, **given)).result_
        )

    return way


def _beside_soft(policy: str) -> Callable[[Messy], FitResult]:
    def way(data: Messy) -> FitResult:
        model = ARCS(random_state=0, intervention_kind="soft", **SEARCH)
        given = {"conditions": list(data.labels), "condition_policy": policy}  # type: ignore[arg-type]
        return model.fit(data.values, interventions=data.mask, **given).result_

    return way


def covariates(options: argparse.Namespace) -> None:
    """Three covariates that act on most variables."""
    sets = (messy_data.conditions("covariates", options.nodes, seed) for seed in options.seeds)
    ways = {
        "ignore": lambda data: fit(data.values),
        "adjust": lambda data: fit(data.values, adjust=data.covariates),
    }
    title = f"three covariates, p = {options.nodes}, 540 rows"
    table(title, sets, ways, lambda _: "", experimental=True)


TAILS = (
    *("gaussian", "t3 noise", "log-normal noise", "monotone", "outlying cells", "outlying rows"),
    *("scale mixture", "zeros"),
)


def tails(options: argparse.Namespace) -> None:
    """What tails and transforms do, and what the rule makes of them."""
    ways = {
        word: lambda data, word=word: fit(data.values, transform=word)
        for word in ("none", "normal-scores", "auto")
    }
    for kind in options.kinds or TAILS:
        more = {"zeros blank, log, em": _blank} if kind == "zeros" else {}
        for n in options.rows:
            sets = (messy_data.tails(kind, options.nodes, n, seed) for seed in options.seeds)
            title = f"{kind}, p = {options.nodes}, n = {n}"
            table(title, sets, ways | more, _scale, experimental=False)


def _blank(data: Messy) -> FitResult:
    """Zeros as cells that nobody saw, which is what they are here."""
    values = np.where(data.values == 0, np.nan, data.values)
    return fit(values, transform="log", missing="em")


def _scale(result: FitResult) -> str:
    return "scores" if "kinds" in result.preparation.get("transform", {}) else "raw"


LARGE = (
    *("right", "right, weak edges", "weak factor", "dense tiny effects", "coefficients vary"),
    "quadratic",
)


def large(options: argparse.Namespace) -> None:
    """9,000 rows, a model that is slightly wrong, and a least share of variance."""
    ways = {
        f"min_r2 = {share}": lambda data, share=share: (
            ARCS(random_state=0, min_r2=share, **SEARCH)
            .fit(data.values, conditions=list(data.labels))
            .result_
        )
        for share in options.shares
    }
    for kind in options.kinds or LARGE:
        sets = (messy_data.large(kind, options.nodes, seed) for seed in options.seeds)
        title = f"{kind}, p = {options.nodes}, 9 x 1,000 rows"
        table(title, sets, ways, lambda _: "", experimental=False)


def latent(options: argparse.Namespace) -> None:
    """Hidden factors that act on all variables; 1.5 p edges, 500 rows."""
    ways = {
        "nothing": lambda data: fit(data.values),
        "latent = auto": lambda data: (
            ARCS(random_state=0, latent="auto", **SEARCH).fit(data.values).result_
        ),
    }
    for k in map(int, options.kinds or (0, 1, 2, 3)):
        sets = (messy_data.factors(k, options.nodes, 500, seed) for seed in options.seeds)
        title = f"{k} factors, p = {options.nodes}, n = 500"
        table(title, sets, ways, _factors, experimental=False)


def _factors(result: FitResult) -> str:
    return str(result.preparation.get("latent", {}).get("factors", ""))


def eigenvalues(options: argparse.Namespace) -> None:
    """What tells a hidden factor: the leading eigenvalue does not, the quick look after a fit does.

    Graphs without a factor, sparse and dense, beside one factor of three strengths.
    """
    cases = {
        "no factor": (0, 0.6, 1.5),
        "no factor, dense": (0, 0.6, 3.0),
        "loadings 0.25": (1, 0.25, 1.5),
        "loadings 0.4": (1, 0.4, 1.5),
        "loadings 0.6": (1, 0.6, 1.5),
    }
    for name, (k, loading, density) in cases.items():
        found = []
        for seed in options.seeds:
            data = messy_data.factors(k, options.nodes, 500, seed, loading, density)
            leading = float(np.linalg.eigvalsh(np.corrcoef(data.values.T))[-1])
            graph = fit(data.values).dag.adjacency
            found.append((leading, factor_evidence(Dataset.of(data.values), graph)))
        low, middle, high = np.quantile(found, [0.0, 0.5, 1.0], axis=0)
        said = "; ".join(
            f"{what} {middle[c]:.1f} ({low[c]:.1f} to {high[c]:.1f})"
            for c, what in enumerate(("leading eigenvalue", "evidence"))
        )
        print(f"{name:18s} {said}", flush=True)


def clean(options: argparse.Namespace) -> None:
    """The paper's experiments: conditions by default must change nothing."""
    changed = Counter[str]()
    for setting in EXPERIMENTAL_SETTINGS:
        lines = {"none": Line(), "default": Line()}
        for seed in options.seeds:
            simulated = simulate_setting(setting, seed)
            data = simulated.data
            for name, dataset in (("none", data.with_conditions(None)), ("default", data)):
                result, seconds = timed(
                    lambda dataset=dataset: ARCS(random_state=0).fit(dataset).result_  # type: ignore[misc]
                )
                lines[name].distances.append(evaluate(result.dag, simulated.truth, True).SHD)
                lines[name].seconds.append(seconds)
                lines[name].remarks[chosen_policy(result)] += 1
        changed += lines["default"].remarks
        print(f"{setting.name:12s} without {lines['none']}")
        print(f"{'':12s} default {lines['default']}", flush=True)
    print("policies chosen:", dict(changed))


def audit(options: argparse.Namespace) -> None:
    """How often clean Gaussian data get a line of advice: fewer than 2 of 100.

    Before the fit, with a batch and an age that do nothing, and after it: graphs of one to two
    edges per variable.
    """
    spoken = Counter[str]()
    count = 10 * len(options.seeds)
    for seed in range(options.first_seed, options.first_seed + count):
        rng = np.random.default_rng([seed, 5])
        p, n = int(rng.choice([10, 20, 50])), int(rng.choice([50, 100, 200, 500, 1000]))
        system = messy_data.random_system(p, int(rng.choice([1, 1.5, 2]) * p), rng)
        rows = messy_data.linear(system, messy_data.noise_of(n, p, rng))
        labels = [f"c{k}" for k in rng.integers(4, size=n)]
        frame = pd.DataFrame(rows).assign(batch=labels, age=rng.normal(size=n))
        frame.columns = [str(name) for name in frame.columns]
        for lines in (
            Dataset.of(frame, exclude=["batch", "age"]).audit().advice,
            Dataset.of(frame, conditions="batch", exclude=["age"]).audit().advice,
            _after(rows),
        ):
            spoken["data sets"] += 1
            spoken["with a line"] += bool(lines)
            spoken.update(" ".join(line.split()[:4]) for line in lines)
    print(dict(spoken))


def _after(rows: np.ndarray) -> list[str]:
    """What is said once the graph is known."""
    said = fit(rows).audit
    return [str(said[word]) for word in ("dense", "factor") if word in said]


def noise(options: argparse.Namespace) -> None:
    """Edges found in rows of pure noise: where rows are too few, chance explains everything."""
    counts = (10, 15, 20, 30, 40, 60, 100)
    print("p".rjust(5), *(f"n={n}".rjust(7) for n in counts))
    for p in (10, 30, 100, 300):
        line = []
        for n in counts:
            rows = (
                np.random.default_rng([seed, p, n]).normal(size=(n, p)) for seed in options.seeds
            )
            line.append(np.mean([fit(values).n_edges for values in rows]))
        print(f"{p:5d}", *(f"{edges:7.1f}" for edges in line), flush=True)


def few(options: argparse.Namespace) -> None:
    """What is found with few rows: p edges, weak (0.3 to 0.8) or strong (0.8 to 1.5)."""
    for p, n in ((50, 20), (50, 30), (200, 20), (200, 30), (200, 40), (200, 60)):
        for low, high in ((0.3, 0.8), (0.8, 1.5)):
            found = []
            for seed in options.seeds:
                rng = np.random.default_rng([seed, p, n, 9])
                system = messy_data.random_system(p, p, rng, low, high)
                result = fit(messy_data.linear(system, messy_data.noise_of(n, p, rng)))
                joined, true = (a | a.T for a in (result.dag.adjacency, system != 0))
                distance = evaluate(result.dag, system != 0, False).SHD
                found.append([distance, (joined & true).sum() / 2, (joined & ~true).sum() / 2])
            shd, right, wrong = np.mean(found, axis=0)
            told = f"SHD {shd:6.1f}, edges found {right:6.1f}, false {wrong:5.1f}"
            print(f"p = {p:3d}, n = {n}, coefficients {low} to {high}: {told}", flush=True)


COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "conditions": conditions,
    "soft": soft,
    "categories": categories,
    "clean": clean,
    "tails": tails,
    "large": large,
    "latent": latent,
    "eigenvalues": eigenvalues,
    "audit": audit,
    "noise": noise,
    "few": few,
}


def main() -> None:
    """Run one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=list(COMMANDS))
    parser.add_argument("--nodes", type=int, default=20)
    parser.add_argument("--rows", nargs="+", type=int, default=(100, 500, 5000), help="tails")
    parser.add_argument("--kinds", nargs="+", help="only these tables")
    parser.add_argument(
        "--shares", nargs="+", type=float, default=(0.0, 0.002, 0.005, 0.01), help="large: min_r2"
    )
    parser.add_argument("--policies", nargs="+", choices=POLICIES, default=POLICIES[:5])
    parser.add_argument("--ways", nargs="+", default=(), help="only these lines of each table")
    parser.add_argument("--sets", type=int, default=20, help="data sets per line")
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--quick", action="store_true", help="3 data sets")
    parser.add_argument("--effort", choices=("quick", "normal", "thorough"), default="normal")
    parser.add_argument("--time-limit", type=float, help="seconds, of one fit, by the clock")
    options = parser.parse_args()
    SEARCH.update(effort=options.effort, time_limit=options.time_limit)
    ONLY.update(options.ways)
    sets = 3 if options.quick else options.sets
    options.seeds = range(options.first_seed, options.first_seed + sets)
    warnings.simplefilter("ignore")
    COMMANDS[options.table](options)


if __name__ == "__main__":
    main()
