"""Tables of categories: known networks, the discretised cells of Sachs et al., mixed tables.

    python benchmarks/discrete.py networks --first 0 --seeds 3 --scores ebdeu-2 ebic bic bds
    python benchmarks/discrete.py networks --peer /path/to/python --rows 500 2000
    python benchmarks/discrete.py sachs
    python benchmarks/discrete.py mixed --seeds 20

`networks` draws rows from networks that come with pgmpy (the extra "peers"), with columns, levels
and rows shuffled, and prints per network and number of rows the mean over data sets of the SHD
between equivalence classes (pairs of nodes whose edge differs), of the BIC of what was found less
that of the true graph in nats (negative: better than the truth), and CPU seconds. Settings are
chosen on seeds below 100, reported are seeds from 1000 on. Peers are pyAgrum (`--peer`, a Python
that has it; greedy hill climbing and tabu search with BIC, and MIIC), pgmpy's hill climbing (BIC)
and causal-learn's GES (BDeu), each in a process of its own, given up after two minutes of CPU time
(nan); pyAgrum with one thread.
Other methods of the package (hc, ges, pc, mmhc) can be named among the peers.
`--out` appends each fit to a file as a line of JSON as soon as it is done.

`sachs` takes the bundled cells in three levels (arcs.datasets.sachs_levels) and fits with the known
targets: right, reversed and extra edges and the SHD to the 17 edges of the consensus, for a single
fit, for the average of 200 resamples above one half (the default), and above 0.85, which Sachs et
al. took; and single fits with measured targets and with other cuts, which show what decides.

`mixed` draws tables of both kinds of columns (:func:`arcs.simulate.mixed_table`, as many edges as
nodes; where nothing adds up, "configurations", a quarter more) and compares the degenerate Gaussian
score, the conditional Gaussian one, codes taken for numbers, and numbers cut into three levels: SHD
between classes and CPU seconds. The first lines are a study as people do them: genotypes, sex,
smoking and levels of expression. "Stuck" tells how often the true graph has a better score than
what was found, by the degenerate and by the conditional Gaussian score.
"""

from __future__ import annotations

import argparse
import gzip
import json
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from arcs.data import Dataset
from arcs.graphs import DiscreteDag, graph_from_text
from arcs.graphs.equivalence import cpdag_of
from arcs.learners import LEARNERS, learner
from arcs.scores.discrete import DiscreteScore, count_rows

NETWORKS = (
    "asia",
    "child",
    "insurance",
    "alarm",
    "hailfinder",
    "hepar2",
    "win95pts",
    "andes",
    "pigs",
    "munin1",
    "link",
)
#: CPU seconds after which a peer is given up.
PATIENCE = 120


def load(name: str) -> DiscreteDag:
    """A network with its own tables, from the files that come with pgmpy."""
    folder = files("pgmpy.utils").joinpath("example_models", f"{name}.bif.gz")
    return graph_from_text(gzip.decompress(folder.read_bytes()).decode(), "bif")


def shuffled(dag: DiscreteDag, n: int, seed: int) -> tuple[np.ndarray, list[int], np.ndarray]:
    """Rows of codes, numbers of levels, and the true adjacency; nothing gives the order away."""
    rng = np.random.default_rng(seed)
    codes = dag.sample(n, rng)
    order = rng.permutation(dag.p)
    sizes = [len(dag.levels[j]) for j in order]
    columns = [rng.permutation(size)[codes[:, j]] for j, size in zip(order, sizes, strict=True)]
    return np.stack(columns, axis=1), sizes, dag.adjacency[np.ix_(order, order)]


def distance(found: np.ndarray, truth: np.ndarray) -> int:
    """Pairs of nodes whose edge differs between the equivalence classes of two DAGs."""
    one = cpdag_of(found)
    return distance_of_classes(one.directed, one.undirected, truth)


def distance_of_classes(directed: np.ndarray, undirected: np.ndarray, truth: np.ndarray) -> int:
    """Pairs of nodes whose edge differs between a class and that of a DAG."""
    two = cpdag_of(truth)
    differ = (directed != two.directed) | (undirected != two.undirected)
    return int(np.triu(differ | differ.T, 1).sum())


def as_dataset(codes: np.ndarray, sizes: list[int]) -> Dataset:
    """The rows as a data set."""
    levels = tuple(tuple(f"s{k}" for k in range(size)) for size in sizes)
    names = [f"x{j}" for j in range(len(sizes))]
    values = codes.astype(float)
    return Dataset(names, values=values, levels=levels, constant="isolate")


def fit_arcs(
    codes: np.ndarray, sizes: list[int], score: str, seed: int
) -> tuple[np.ndarray, float]:
    """What ARCS finds with a score, or another method of the package, and CPU seconds."""
    kind, _, size = score.partition("-")
    prior = {"equivalent_sample_size": float(size)} if size else {}
    if kind in LEARNERS:
        model = learner(kind, random_state=seed)
    else:
        model = learner("arcs", random_state=seed, discrete_score=kind, **prior)
    data, start = as_dataset(codes, sizes), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = model.fit(data).dag.adjacency
    return found, time.process_time() - start


LIMIT = f"""
import resource
resource.setrlimit(resource.RLIMIT_CPU, ({PATIENCE}, {PATIENCE + 5}))
"""

PYAGRUM = """
import json, sys, time
import pyagrum as gum
path, method, sizes = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
names = [f"x{j}" for j in range(len(sizes))]
template = gum.BayesNet()
for name, size in zip(names, sizes):
    template.add(gum.RangeVariable(name, name, 0, size - 1))
start = time.process_time()
learner = gum.BNLearner(path, template)
learner.setNumberOfThreads(1)  # several wait for each other by spinning
learner.useScoreBIC()
getattr(learner, {"greedy": "useGreedyHillClimbing", "tabu": "useLocalSearchWithTabuList",
                  "miic": "useMIIC"}[method])()
dag = learner.learnDAG()
seconds = time.process_time() - start
print(json.dumps({"edges": sorted(dag.arcs()), "seconds": seconds}))
"""

OTHERS = """
import json, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
path, method = sys.argv[1], sys.argv[2]
codes = np.loadtxt(path, delimiter=",", skiprows=1, dtype=int)
if method == "pgmpy":
    import pandas as pd
    from pgmpy.estimators import HillClimbSearch
    names = [f"x{j}" for j in range(codes.shape[1])]
    rows = pd.DataFrame(codes, columns=names).astype("category")
    start = time.process_time()
    found = HillClimbSearch(rows).estimate(scoring_method="bic-d", show_progress=False)
    edges = sorted((int(a[1:]), int(b[1:])) for a, b in found.edges())
else:
    from causallearn.search.ScoreBased.GES import ges
    start = time.process_time()
    marks = ges(codes, score_func="local_score_BDeu")["G"].graph
    # marks[i, j] = -1 and marks[j, i] = 1: i -> j; an undirected edge goes both ways
    edges = [(int(i), int(j)) for i, j in np.argwhere(marks == -1)]
print(json.dumps({"edges": edges, "seconds": time.process_time() - start}))
"""


def fit_peer(
    python: str, method: str, codes: np.ndarray, sizes: list[int]
) -> tuple[np.ndarray, float] | None:
    """What a peer finds, and CPU seconds, in a process of its own; None if it takes too long."""
    script = OTHERS if method in ("pgmpy", "causal-learn") else PYAGRUM
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "codes.csv")
        header = ",".join(f"x{j}" for j in range(len(sizes)))
        np.savetxt(path, codes, fmt="%d", delimiter=",", header=header, comments="")
        words = [python, "-c", LIMIT + script, str(path), method, json.dumps(sizes)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == -signal.SIGXCPU:
        return None
    if done.returncode:
        raise SystemExit(done.stderr)
    answer = json.loads(done.stdout.splitlines()[-1])
    adjacency = np.zeros((len(sizes), len(sizes)), dtype=bool)
    for i, j in answer["edges"]:
        adjacency[i, j] = True
    return adjacency, answer["seconds"]


def one_fit(
    way: str, codes: np.ndarray, sizes: list[int], truth: np.ndarray, given: argparse.Namespace
) -> tuple[float, float, float]:
    """SHD, nats above the truth and CPU seconds of one method on one data set."""
    if way in given.scores or way in LEARNERS:
        found: tuple[np.ndarray, float] | None = fit_arcs(codes, sizes, way, 0)
    else:
        mine = way in ("pgmpy", "causal-learn")
        found = fit_peer(sys.executable if mine else given.peer, way, codes, sizes)
    if found is None:
        return np.nan, np.nan, np.nan
    adjacency, seconds = found
    judge = DiscreteScore(count_rows(codes, sizes), "bic")
    both = adjacency & adjacency.T
    if both.any():  # a class: compared as it is, and not scored
        return distance_of_classes(adjacency & ~both, both, truth), np.nan, seconds
    return distance(adjacency, truth), judge.total(adjacency) - judge.total(truth), seconds


def networks(given: argparse.Namespace) -> None:
    """SHD, nats above the truth, CPU seconds."""
    ways = [*given.scores, *given.peers]
    print(f"{'network':<12}{'n':>6}  " + "".join(f"{way:>24}" for way in ways), flush=True)
    asia = shuffled(load("asia"), 200, 0)
    fit_arcs(*asia[:2], "bic", 0)  # compiles, or reads what was compiled
    for name in given.networks:
        dag = load(name)
        for n in given.rows:
            rows: dict[str, list[tuple[float, ...]]] = {way: [] for way in ways}
            for seed in range(given.first, given.first + given.seeds):
                codes, sizes, truth = shuffled(dag, n, seed)
                for way in ways:
                    rows[way].append(one_fit(way, codes, sizes, truth, given))
                    if given.out:
                        with Path(given.out).open("a") as file:
                            print(json.dumps([name, n, seed, way, *rows[way][-1]]), file=file)
            cells = []
            for way in ways:
                shd, above, seconds = np.mean(rows[way], axis=0)
                cells.append(f"{shd:8.1f}{above:9.1f}{seconds:7.2f}")
            print(f"{name:<12}{n:>6}  " + "".join(cells), flush=True)


def told(found: np.ndarray, truth: np.ndarray) -> str:
    """Right, reversed, extra and missing edges in words."""
    right, turned = int((found & truth).sum()), int((found & truth.T).sum())
    extra, missing = int(found.sum()) - right - turned, int(truth.sum()) - right - turned
    figures = f"right {right:2} reversed {turned} extra {extra:2} missing {missing:2}"
    return f"{figures}  SHD {turned + extra + missing}"


def sachs(given: argparse.Namespace) -> None:
    """Right, reversed, extra edges and SHD to the consensus; single fits and averages."""
    from arcs.confidence import bootstrap
    from arcs.datasets import load_sachs_levels

    cells = load_sachs_levels()
    truth = cells.reference.directed
    for score in given.scores:
        model = learner("arcs", random_state=0, discrete_score=score)
        print(f"{score:<6}{'single':<24}{told(model.fit(cells.data).dag.adjacency, truth)}")
        if given.resamples:
            again = bootstrap(cells.data, model, given.resamples, random_state=0, n_jobs=1)
            for share in (0.5, 0.85):
                print(f"{score:<6}{f'average > {share}':<24}{told(again.averaged(share), truth)}")
        for cuts in ("published", "hartemink-3", "quantiles-3"):
            for targets in ("set", "measured"):
                other = load_sachs_levels(cuts=cuts, targets=targets).data
                words = f"{cuts}, {targets}"
                print(f"{score:<6}{words:<24}{told(model.fit(other).dag.adjacency, truth)}")


def fit_mixed(data: Dataset, truth: np.ndarray, seed: int) -> list[float]:
    """SHD between classes and CPU seconds of a mixed table, as it is (by both scores), as numbers,
    and cut; and whether the true graph has a better score than what was found (by both scores)."""
    from arcs.data.discretize import cut_columns
    from arcs.data.mixed import MixedData
    from arcs.scores.mixed import mixed_score

    values = np.asarray(data.values)
    cut, kinds, _ = cut_columns(values, data.names, data.levels, "quantiles-3")
    numbers = Dataset(data.names, values=values, constant="isolate")
    levels = Dataset(data.names, values=cut, levels=kinds, constant="isolate")
    row: list[float] = []
    stuck: list[bool] = []
    ways: list[tuple[Dataset, dict[str, Any]]] = [
        (data, {}),
        (data, {"mixed_score": "conditional-gaussian"}),
        (numbers, {}),
        (levels, {"discrete_score": "ebic"}),
    ]
    for each, settings in ways:
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = learner("arcs", random_state=seed, **settings).fit(each)
        row += [distance(result.dag.adjacency, truth), time.process_time() - start]
        if each is data:
            score = mixed_score(MixedData.of(data), result.penalty)
            above = score.total(result.dag.adjacency) - score.total(truth)
            stuck.append(above > 1e-6)
    return [*row, *stuck]


def mixed(given: argparse.Namespace) -> None:
    """Degenerate and conditional Gaussian, codes taken for numbers, and numbers cut into levels."""
    from arcs.simulate import mixed_table, random_dag

    def line(name: str, n: int, rows: list[list[float]]) -> None:
        figures = np.array(rows, dtype=float)
        cells = figures[:, :8].mean(axis=0).reshape(-1, 2)
        told = "".join(f"{shd:12.1f}{seconds:8.2f}" for shd, seconds in cells)
        stuck = "".join(f"{count:5.0f}" for count in figures[:, 8:].sum(axis=0))
        print(f"{name:<26}{n:>6}{told}{stuck}", flush=True)

    heads = ("degenerate", "conditional", "codes", "cut")
    print(f"{'table':<26}{'n':>6}" + "".join(f"{head:>20}" for head in heads) + "     stuck")
    seeds = range(given.first, given.first + given.seeds)
    fit_mixed(*cohort(100, 0), 0)  # compiles, or reads what was compiled
    for n in given.rows if "study" in given.tables else ():
        drawn = [cohort(n, seed) for seed in seeds]
        line("genotypes, sex, expression", n, [fit_mixed(*d, 0) for d in drawn])
    kinds = {"additive": False, "interacting": True, "configurations": "configurations"}
    for kind, interacting in kinds.items():
        for p in given.sizes if kind in given.tables else ():
            edges = 5 * p // 4 if kind == "configurations" else p
            for n in given.rows:
                rows = []
                for seed in seeds:
                    dag = random_dag(p, edges, seed)
                    table = mixed_table(dag, n, seed, interacting=interacting)
                    rows.append(fit_mixed(table.data, table.adjacency, seed))
                line(f"{kind}, p={p}", n, rows)


def cohort(n: int, seed: int) -> tuple[Dataset, np.ndarray]:
    """What a study of gene expression has: 15 genotypes, sex, smoking, and 25 levels of expression.

    Genotypes (0, 1 or 2 rare alleles, Hardy-Weinberg, shares 0.1 to 0.5) and sex have no causes;
    smoking is rarer in women; a gene has a genotype for a cause (dominant, recessive or additive,
    like those that are known) with probability 0.6, other genes among earlier ones (0.8 on
    average), and sex or smoking (0.15 each), all in standard deviations of its noise.
    """
    rng = np.random.default_rng(seed)
    snps, genes = 15, 25
    p, names = snps + 2 + genes, [f"rs{k}" for k in range(snps)] + ["sex", "smokes"]
    names += [f"gene{k}" for k in range(genes)]
    columns = [rng.binomial(2, rng.uniform(0.1, 0.5), n) for _ in range(snps)]
    sex = rng.integers(0, 2, n)
    smokes = (rng.random(n) < np.where(sex == 1, 0.45, 0.2)).astype(int)
    columns += [sex, smokes]
    truth = np.zeros((p, p), dtype=bool)
    truth[snps, snps + 1] = True
    dosage = (lambda g: g, lambda g: g > 0, lambda g: g == 2)
    for k in range(genes):
        j, value = snps + 2 + k, rng.normal(size=n)
        if rng.random() < 0.6:
            i, shape = int(rng.integers(snps)), dosage[int(rng.integers(3))]
            value += rng.uniform(0.4, 1.0) * rng.choice([-1, 1]) * shape(columns[i])
            truth[i, j] = True
        for i in rng.permutation(k)[: rng.poisson(0.8)] + snps + 2:
            value += rng.uniform(0.3, 0.7) * rng.choice([-1, 1]) * columns[i]
            truth[i, j] = True
        for i in (snps, snps + 1):
            if rng.random() < 0.15:
                value += rng.uniform(0.4, 1.0) * rng.choice([-1, 1]) * columns[i]
                truth[i, j] = True
        columns.append(value)
    levels = [("aa", "ab", "bb")] * snps + [("f", "m"), ("no", "yes")] + [None] * genes
    order = rng.permutation(p)
    data = Dataset(
        [names[j] for j in order],
        values=np.column_stack([columns[j] for j in order]).astype(float),
        levels=tuple(levels[j] for j in order),
        constant="isolate",
    )
    return data, truth[np.ix_(order, order)]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("networks")
    one.add_argument("--networks", nargs="+", default=NETWORKS)
    one.add_argument("--rows", nargs="+", type=int, default=[500, 2000])
    one.add_argument("--first", type=int, default=1000)
    one.add_argument("--seeds", type=int, default=5)
    one.add_argument("--scores", nargs="*", default=["ebdeu"])
    one.add_argument("--peer", help="a Python with pyAgrum")
    one.add_argument(
        "--peers", nargs="*", help="of greedy, tabu, miic, pgmpy, causal-learn, hc, ges, ..."
    )
    one.add_argument("--out", help="file to append each fit to")
    one.set_defaults(run=networks)
    two = commands.add_parser("sachs")
    two.add_argument("--scores", nargs="+", default=["ebdeu", "ebic", "bic", "bdeu"])
    two.add_argument("--resamples", type=int, default=200)
    two.set_defaults(run=sachs)
    three = commands.add_parser("mixed")
    tables = ["study", "additive", "interacting", "configurations"]
    three.add_argument("--tables", nargs="+", default=tables)
    three.add_argument("--sizes", nargs="+", type=int, default=[20, 50])
    three.add_argument("--rows", nargs="+", type=int, default=[500, 2000])
    three.add_argument("--first", type=int, default=1000)
    three.add_argument("--seeds", type=int, default=20)
    three.set_defaults(run=mixed)
    given = parser.parse_args()
    if "peers" in given and given.peers is None:
        given.peers = ["greedy", "tabu", "miic"] if given.peer else []
    given.run(given)


if __name__ == "__main__":
    main()
