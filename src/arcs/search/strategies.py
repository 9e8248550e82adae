"""Strategies: how a chain is driven, slice by slice.

- :class:`Annealing`: Algorithm 1, interval flips under a temperature schedule.
- :class:`Pulls`: iterated local search. Greedy reinsertion to a local optimum, then passes over all
  nodes in random order, one large step each and more for those that look misplaced (see
  :mod:`arcs.kernels.order.pulls`), kept by the Metropolis rule at a constant temperature. Scores
  are log posteriors in nats, so at temperature 1 the walk visits local optima with about their
  posterior probability; ties are always kept. It stops when `patience` passes in a row found no
  new best, or sooner if the best was found soon (see :class:`Pulls`) or if a second search agrees
  (:mod:`arcs.search.agreement`).
- :class:`Fixed`: no search, the starting order is scored as it is.

A strategy is a frozen setting; what changes while it runs is in the chain, so that it can be
interrupted between any two slices and resumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcs.errors import SettingsError
from arcs.kernels.order.records import EPSILON, State
from arcs.search.agreement import FEWEST_WITHOUT, has_agreed, second_turn
from arcs.search.chain import Chain
from arcs.search.crew import STEPS_PER_ROUND, Crew
from arcs.search.schedules import Schedule, temperatures
from arcs.settings import NONE, number, whole

__all__ = ["PATIENCE", "Annealing", "Fixed", "Pulls", "Strategy", "nodes_of_a_pass", "shortened"]

#: The patience that an effort stands for.
PATIENCE = {"quick": 1, "normal": 4, "thorough": 12}
#: Flips, reinsertions and large steps per slice: some milliseconds of work.
_FLIPS_PER_SLICE = 250
_REINSERTIONS_PER_SLICE = 200
_STEPS_PER_SLICE = 8
#: How often nodes with at most one child are tried, and those that head triangles; the last so
#: that dense graphs do not make a pass endless.
_PASSES_PER_TRY = 3
_TRIES_PER_TRIANGLE = 3
_MOST_EXTRA_TRIES = 12
#: Passes, and reinsertions per node, after which a search ends in any case. Searches come to rest
#: after some dozens of passes. Where columns determine each other and almost nothing is charged for
#: an entry, the score has no minimum and falls for ever.
_MOST_PASSES = 200
_MOST_REINSERTIONS = 200
#: With fewer nodes than this, the search goes on as long as with so many.
_FEWEST_NODES = 50
#: From so many nodes on, steps are tried in rounds.
FEWEST_IN_ROUNDS = 300


@dataclass(frozen=True)
class Fixed:
    """Score the starting order and leave it."""

    stage = "score"

    def slices(self, chain: Chain) -> Iterator[tuple[int, int | None]]:
        """Run; yield ``(iteration, total)`` after each slice."""
        if not chain.progress:
            chain.solve()
            chain.progress = {"done": 1}
            chain.record(0, 0.0)
        yield 1, 1


@dataclass(frozen=True)
class Annealing:
    """Algorithm 1 of the paper.

    Parameters
    ----------
    n_iter : int
        Number of flips.
    temperature : float, sequence or callable
        Start of the geometric schedule, or any schedule.
    interval : int
        Length m of the flipped interval.
    """

    n_iter: int = 10_000
    temperature: Schedule = 1.0
    interval: int = 4

    stage = "anneal"

    def __post_init__(self) -> None:
        whole(0).check("n_iter", self.n_iter)
        whole(2).check("interval", self.interval)

    def slices(self, chain: Chain) -> Iterator[tuple[int, int | None]]:
        """Run; yield ``(iteration, total)`` after each slice."""
        length = min(self.interval, chain.state.order.size)
        if not chain.progress:
            chain.solve()
            chain.progress = {"done": 0}
            start = self._temperatures(0, 1)
            chain.record(0, float(start[0]) if start.size else 0.0)
        while chain.progress["done"] < self.n_iter and length > 1:
            first = chain.progress["done"]
            part = self._temperatures(first, first + _FLIPS_PER_SLICE)
            scores = chain.flips(part, length)
            chain.progress["done"] = first + part.size
            chain.record(first + part.size, float(part[-1]), float(scores[-1]))
            yield first + part.size, self.n_iter

    def _temperatures(self, first: int, last: int) -> np.ndarray:
        return temperatures(self.temperature, self.n_iter, first=first, last=last)


def shortened(interval: int, p: int) -> int:
    """The length of flipped intervals of `p` variables; only the default fits every number."""
    if interval > max(p, Annealing.interval):
        raise SettingsError(
            f"interval must be from 2 to the number of variables ({p}), got {interval}"
        )
    return max(min(interval, p), 2)


@dataclass(frozen=True)
class Pulls:
    """Iterated local search with pulls and relocations.

    Parameters
    ----------
    patience : int
        Passes over all nodes without a new best after which the search stops. With p nodes and the
        best found after t steps, ``2 p + t patience / 2`` steps without a new best are enough: in
        graphs where the search finds its best at once, passes are long and find nothing more. Who
        is more patient than usual (4) waits longer there as well, ``(p + t) patience / 2`` steps.
    n_iter : int, optional
        Upper bound on the number of large steps; unlimited by default.
    relax_limit : int
        Upper bound on the reinsertions that repair one step.
    temperature : float
        Steps that raise the score by d are kept with probability exp(-d / temperature).
    agreement : bool
        Whether a second search that comes to the same best score may end the first
        (:mod:`arcs.search.agreement`); of l0 columns, and with fewer than 200 nodes.
    """

    patience: int = 4
    n_iter: int | None = None
    relax_limit: int = 400
    temperature: float = 1.0
    agreement: bool = False

    stage = "search"

    def __post_init__(self) -> None:
        whole(1).check("patience", self.patience)
        (whole(0) | NONE).check("n_iter", self.n_iter)
        number(0).check("temperature", self.temperature)

    def slices(self, chain: Chain) -> Iterator[tuple[int, int | None]]:
        """Run; yield ``(iteration, total)`` after each slice."""
        while not chain.progress or chain.progress["queue"]:
            self.slice(chain)
            yield 0, self.n_iter
        with Crew(chain, chain.workers) if _goes_in_rounds(chain) else nullcontext() as crew:
            while not self._finished(chain):
                if not (self._may_agree(chain) and second_turn(chain, _quiet(chain), self)):
                    self.slice(chain, crew)
                yield chain.steps_done, self.n_iter

    def slice(self, chain: Chain, crew: Crew | None = None) -> None:
        """Do a bounded piece of work."""
        if not chain.progress:
            chain.solve()
            chain.record(0, self.temperature)
            queue = chain.rng.permutation(chain.state.order.size).tolist()
            chain.progress = {"queue": queue, "done": 0, "idle": 0, "at": 0, "nodes": []}
        elif chain.progress["queue"]:
            self._descend(chain)
        else:
            self._try_steps(chain, crew)

    def _may_agree(self, chain: Chain) -> bool:
        """Whether a second search is worth its time, and its score comparable."""
        is_l0 = getattr(chain.score, "is_l0", False)
        return self.agreement and is_l0 and chain.state.order.size < FEWEST_WITHOUT

    def _descend(self, chain: Chain) -> None:
        progress, size = chain.progress, _REINSERTIONS_PER_SLICE
        progress["queue"] = chain.descend(progress["queue"], size)
        progress["reinserted"] = progress.get("reinserted", 0) + size
        if progress["reinserted"] >= _MOST_REINSERTIONS * chain.state.order.size:
            progress["queue"] = []
        chain.record(0, self.temperature)

    def _finished(self, chain: Chain) -> bool:
        progress, p = chain.progress, chain.state.order.size
        if self.n_iter is not None and progress["done"] >= self.n_iter:
            return True
        if self._may_agree(chain) and has_agreed(chain, _quiet(chain)):
            return True
        size = max(len(progress["nodes"]), p)
        finished = progress["idle"] >= self._enough(progress, p)
        return p < 2 or finished or progress["done"] >= _MOST_PASSES * size

    def _enough(self, progress: dict[str, Any], p: int) -> float:
        """Steps in a row without a new best after which the search stops.

        They are `patience` passes, or fewer where the best was found soon: two for every node (more
        for a patience of more than 4), and as many as led to it, times half the patience.
        """
        passes = self.patience * max(len(progress["nodes"]), p)
        found = progress["done"] - progress["idle"]
        usual = max(self.patience, PATIENCE["normal"])
        soon = 0.5 * usual * max(p, _FEWEST_NODES) + 0.5 * self.patience * found
        return float(min(passes, soon))

    def _try_steps(self, chain: Chain, crew: Crew | None) -> None:
        progress = chain.progress
        if progress["at"] >= len(progress["nodes"]):
            progress["nodes"] = chain.rng.permutation(nodes_of_a_pass(chain)).tolist()
            progress["at"] = 0
        size = _STEPS_PER_SLICE if crew is None else STEPS_PER_ROUND
        if self.n_iter is not None:
            size = min(size, self.n_iter - progress["done"])
        nodes = np.array(progress["nodes"][progress["at"] : progress["at"] + size], dtype=np.int64)
        before = chain.best_energy
        steps = chain.steps if crew is None else crew.round
        better = steps(nodes, self.relax_limit, self.temperature)
        improved = better > 0 if self.temperature == 0 else chain.best_energy < before - EPSILON
        progress["at"] += nodes.size
        progress["done"] += nodes.size
        progress["idle"] = 0 if improved else progress["idle"] + nodes.size
        if improved or progress["at"] >= len(progress["nodes"]):
            chain.record(chain.steps_done, self.temperature)


def _quiet(chain: Chain) -> int:
    """Steps that stand for a look at every node."""
    return max(chain.state.order.size, _FEWEST_NODES)


def _goes_in_rounds(chain: Chain) -> bool:
    """Whether steps are tried in rounds: where there is room for several that do not meet."""
    is_l0 = getattr(chain.score, "is_l0", False)
    return bool(is_l0 and chain.state.order.size >= FEWEST_IN_ROUNDS)


def nodes_of_a_pass(chain: Chain) -> np.ndarray:
    """The nodes that a pass tries, some more than once.

    What a pull does depends on the children chosen. With at most one child there is nothing to
    choose, and every third pass tries the node; others are tried log2 c times, rounded up, for c
    children, and three times more for each triangle x -> y -> z, x -> z that they head. A node that
    stands before its parents has them for children, and needs edges among them to explain that they
    depend on each other given the node: triangles are where mistakes are.
    """
    children, headed = _children_and_triangles(chain.state)
    tries = np.ceil(np.log2(np.maximum(children, 1))).astype(np.int64)
    tries += np.minimum(_TRIES_PER_TRIANGLE * headed, _MOST_EXTRA_TRIES)
    turn = chain.rng.integers(_PASSES_PER_TRY, size=tries.size) == 0
    return np.repeat(np.arange(tries.size), np.where(children <= 1, turn, tries))


def _children_and_triangles(state: State) -> tuple[np.ndarray, np.ndarray]:
    """Of every node, the number of its children and of the triangles that it heads."""
    columns = state.columns
    parents = [set(row[:k].tolist()) for row, k in zip(columns.parents, columns.count, strict=True)]
    children = np.zeros(len(parents), dtype=np.int64)
    headed = np.zeros(len(parents), dtype=np.int64)
    for of_z in parents:
        for y in of_z:
            children[y] += 1
            for x in of_z & parents[y]:
                headed[x] += 1
    return children, headed


Strategy = Annealing | Pulls | Fixed
