"""How many experiments until every direction is known.

    python benchmarks/design.py
    python benchmarks/design.py --sets 20

A true graph is drawn from its equivalence class with equal probabilities; experiments on single
variables follow each other, each showing the directions at its target and what Meek's rules make of
them, until the class is one graph. Which variable is next is decided by

- ours: the largest expected number of edges that become directed (`arcs.effects.next_experiments`);
- worst case: the smallest class that may be left at worst (the rule of Hauser and Bühlmann, 2014,
  and of `opt.target` in pcalg);
- random: any variable with an undirected edge.

Kinds of classes: trees, random graphs filled in until they are chordal, and the CPDAGs of random
DAGs. Mean number of experiments, with the standard error of the mean; seeds from 1000 on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import networkx as nx
import numpy as np

from arcs.effects.design import possible_answers
from arcs.graphs import Pdag, cpdag_of
from arcs.graphs.enumeration import with_arrows
from arcs.graphs.orientations import ChordalOrientations
from arcs.simulate import random_dag

Rule = Callable[[Pdag, list[int], np.random.Generator], int]


def tree(rng: np.random.Generator) -> Pdag:
    """A random tree of 20 nodes."""
    graph = nx.from_prufer_sequence(rng.integers(20, size=18).tolist())
    return undirected(graph)


def chordal(rng: np.random.Generator) -> Pdag:
    """A random graph of 16 nodes, 20 edges before it is filled in."""
    graph = nx.gnm_random_graph(16, 20, seed=int(rng.integers(2**31)))
    return undirected(nx.complete_to_chordal_graph(graph)[0])


def sparse(rng: np.random.Generator) -> Pdag:
    """The class of a random DAG of 40 nodes and 40 edges."""
    return cpdag_of(random_dag(40, 40, rng))


def undirected(graph: nx.Graph) -> Pdag:
    """All edges without direction."""
    lines = nx.to_numpy_array(graph, dtype=bool, nodelist=sorted(graph))
    return Pdag(np.zeros_like(lines), lines)


def ours(pdag: Pdag, nodes: list[int], _: np.random.Generator) -> int:
    """The largest expected number of directed edges."""

    def expected(node: int) -> float:
        answers, _ = possible_answers(pdag, [node])
        return sum(edges * count for edges, count in answers) / sum(count for _, count in answers)

    return max(nodes, key=expected)


def worst_case(pdag: Pdag, nodes: list[int], _: np.random.Generator) -> int:
    """The smallest share of the class that may be left at worst."""

    def largest(node: int) -> float:
        counts = [count for _, count in possible_answers(pdag, [node])[0]]
        return max(counts) / sum(counts)

    return min(nodes, key=largest)


def at_random(_: Pdag, nodes: list[int], rng: np.random.Generator) -> int:
    """Any of them."""
    return int(rng.choice(nodes))


RULES: dict[str, Rule] = {"ours": ours, "worst case": worst_case, "random": at_random}
KINDS = {"trees, 20 nodes": tree, "chordal, 16 nodes": chordal, "CPDAGs, 40 nodes": sparse}


def experiments(pdag: Pdag, truth: np.ndarray, rule: Rule, rng: np.random.Generator) -> int:
    """Experiments until the class is one graph."""
    number = 0
    while pdag.undirected.any():
        node = rule(pdag, np.flatnonzero(pdag.undirected.any(axis=0)).tolist(), rng)
        lines = np.flatnonzero(pdag.undirected[node]).tolist()
        arrows = [(node, k) if truth[node, k] else (k, node) for k in lines]
        pdag = Pdag(*with_arrows(pdag.directed, pdag.undirected, arrows))
        number += 1
    return number


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=100, help="graphs per line")
    parser.add_argument("--first-seed", type=int, default=1000)
    options = parser.parse_args()
    print(f"{'':<20}" + "".join(f"{name:>16}" for name in RULES))
    for kind, make in KINDS.items():
        found = []
        for seed in range(options.first_seed, options.first_seed + options.sets):
            rng = np.random.default_rng(seed)
            pdag = make(rng)
            truth = pdag.directed | ChordalOrientations(pdag.undirected).draw(rng)
            found.append([experiments(pdag, truth, rule, rng) for rule in RULES.values()])
        mean = np.mean(found, axis=0)
        error = np.std(found, axis=0) / np.sqrt(len(found))
        cells = [f"{m:.2f} ± {e:.2f}" for m, e in zip(mean, error, strict=True)]
        print(f"{kind:<20}" + "".join(f"{cell:>16}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
