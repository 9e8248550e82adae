"""Large steps of one chain on several cores (see :mod:`arcs.kernels.order.rounds`).

A crew has one member per worker, each with a state and memory of its own, all alike between two
rounds. Whoever is free tries the next step of the round: kernels release the interpreter's lock.
Every step has random numbers of its own, drawn from the chain's, and outcomes are merged in the
order of the steps, so the answer is the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from arcs.kernels.bundles import bundle
from arcs.kernels.order.futile import note_futile
from arcs.kernels.order.records import EPSILON, VERSIONS, Memory, Outcome, State, Workspace
from arcs.kernels.order.rounds import (
    FUTILE,
    KEPT,
    NOTED,
    SIGNATURE,
    SIZE,
    attempt,
    follow,
    learn,
    merge,
    unlearn,
)
from arcs.kernels.order.search import copy_state
from arcs.search.chain import Chain

__all__ = ["STEPS_PER_ROUND", "Crew"]

#: Steps of a round. More of them keep workers busier, but fit together less often.
STEPS_PER_ROUND = 16


class Crew:
    """Workers that try the steps of a chain; to be used in a ``with`` statement.

    Parameters
    ----------
    chain : Chain
        One whose columns were solved.
    workers : int
    """

    def __init__(self, chain: Chain, workers: int) -> None:
        self.chain = chain
        self.members: list[tuple[State, Workspace]] = [(chain.state, chain.work)]
        for _ in range(min(workers, STEPS_PER_ROUND) - 1):
            state, work = chain.score.new_state(chain.state.order)
            copy_state(chain.score.problem, chain.state, state)
            _share(chain.work.memory, work.memory)
            self.members.append((state, work))
        for _, work in self.members:
            work.memory.frozen[:] = 1
            work.memory.n_noted[:] = 0
            work.memory.useless[
                :
            ] = -1  # what was found out on the way here is not of columns alone
        self.facts = np.zeros((STEPS_PER_ROUND, 5), np.int64)
        self.outcomes = [_new_outcome(chain, facts) for facts in self.facts]
        self.generators = [np.random.Generator(np.random.PCG64(0)) for _ in self.outcomes]
        self._pool = ThreadPoolExecutor(len(self.members)) if len(self.members) > 1 else None

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *reason: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def round(self, nodes: np.ndarray, relax_limit: int, temperature: float) -> int:
        """One step from each node, of at most `STEPS_PER_ROUND`; returns how many improved the
        score."""
        chain = self.chain
        _start_anew(self.generators[: nodes.size], chain.rng)
        steps = iter(list(zip(nodes.tolist(), self.generators, self.outcomes, strict=False)))
        settings = (relax_limit, temperature)
        if self._pool is None:
            self._work(steps, *self.members[0], *settings)
        else:
            jobs = [self._pool.submit(self._work, steps, *m, *settings) for m in self.members]
            for job in jobs:
                job.result()
        better = self._merge(nodes.size)
        self._take_notes(nodes.size)
        chain.energy = float(chain.state.columns.score.sum())
        chain.keep_best()
        return better

    def _work(
        self,
        steps: Iterator[tuple[int, np.random.Generator, Outcome]],
        state: State,
        work: Workspace,
        relax_limit: int,
        temperature: float,
    ) -> None:
        """Try steps until none is left (taking the next one of a list is safe in threads)."""
        problem = self.chain.score.problem
        for node, rng, outcome in steps:
            attempt(problem, state, rng, node, relax_limit, temperature, work, outcome)

    def _merge(self, count: int) -> int:
        """Do what fits together; returns how many steps improved the score."""
        chain, better = self.chain, 0
        problem, state, work = chain.score.problem, chain.state, chain.work
        changed = np.zeros(state.order.size, np.uint8)
        for i in np.flatnonzero(self.facts[:count, SIZE]).tolist():
            outcome = self.outcomes[i]
            if merge(problem, state, outcome, changed, work):
                better += int(outcome.change[0] < -EPSILON)
        idle = np.flatnonzero((self.facts[:count, KEPT] == 1) & (self.facts[:count, SIZE] == 0))
        if idle.size and not changed.any():
            # The same graph in another order: the last one as good as any.
            merge(problem, state, self.outcomes[idle[-1]], changed, work)
        for other, memory in self.members[1:]:
            follow(problem, state, other, changed, memory)
        noted = np.flatnonzero(self.facts[:count, NOTED]).tolist()
        for _, memory in self.members:
            unlearn(changed, memory.memory)
            for i in noted:
                learn(self.outcomes[i], changed, memory.memory)
        return better

    def _take_notes(self, count: int) -> None:
        """Everybody remembers what was tried in vain; the chain counts what everybody did."""
        facts, counters = self.facts[:count], self.chain.work.counters
        futile = facts[facts[:, FUTILE] == 1, SIGNATURE]
        for _, work in self.members:
            note_futile(work.memory, futile)
        for _, work in self.members[1:]:
            counters[:VERSIONS] += work.counters[:VERSIONS]
            work.counters[:VERSIONS] = 0


def _share(source: Memory, target: Memory) -> None:
    """Let a new member know what the chain knows."""
    target.futile[:] = source.futile
    target.floor[:] = source.floor
    target.failed[:] = source.failed


def _start_anew(generators: Sequence[np.random.Generator], source: np.random.Generator) -> None:
    """Give generators random states: much faster than to make new ones from seeds."""
    for generator, words in zip(
        generators, source.integers(0, 2**64, (len(generators), 2), np.uint64).tolist(), strict=True
    ):
        bits = generator.bit_generator
        bits.state = {
            **bits.state,
            "state": {**bits.state["state"], "state": words[0] << 64 | words[1]},
            "has_uint32": 0,
        }


def _new_outcome(chain: Chain, facts: np.ndarray) -> Outcome:
    """Room for what a step would change."""
    p, columns = chain.state.order.size, chain.state.columns
    empty = {name: np.zeros_like(values) for name, values in columns._asdict().items()}
    nodes, order = np.zeros((2, p), np.int64)
    noted = np.zeros_like(chain.work.memory.noted)
    return bundle(Outcome(columns._replace(**empty), nodes, order, noted, facts, np.zeros(1)))
