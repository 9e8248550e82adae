"""One search over orders: its state, its random numbers, its trace.

A chain works in slices of fixed size, so that neither the clock nor an interruption can influence
what it finds: the same seed gives the same answer, also when the chain was stopped and revived from
a snapshot in between.
"""

from __future__ import annotations

import json
from typing import Any, Protocol

import numpy as np

from arcs.graphs.equivalence import topological_order
from arcs.kernels.bundles import bundle
from arcs.kernels.order.records import EPSILON, State, Walk, Workspace
from arcs.kernels.order.reinsertion import relax
from arcs.kernels.order.search import (
    anneal,
    copy_state,
    iterate,
    polish_all,
    refresh_all,
    solve_all,
)

__all__ = ["Chain", "OrderScore"]

#: In a snapshot, what the names of arrays of a second search begin with.
_SECOND = "second/"


class OrderScore(Protocol):
    """What a chain needs of a score, whatever kind of columns it is for."""

    @property
    def offset(self) -> float:
        """What is added to sums of columns when they are reported."""

    @property
    def problem(self) -> Any:
        """The problem as arrays, of a kind that some engine knows."""

    def new_state(self, order: np.ndarray) -> tuple[State, Workspace]:
        """Empty columns for an order, and memory for the search."""


class Chain:
    """A search in progress.

    Parameters
    ----------
    score : OrderScore
    order : array of int
        Where to start, parents first.
    rng : numpy.random.Generator
    """

    def __init__(self, score: OrderScore, order: np.ndarray, rng: np.random.Generator) -> None:
        self.score: Any = score  # those who make an answer of its kind know more of it
        self.rng = rng
        # The memory that comes with the first is let go before there is another.
        self.best = score.new_state(order)[0]
        self.state, self.work = score.new_state(order)
        self.energy = 0.0
        self.best_energy = np.inf
        self.converged = True
        self.workers = 1
        self.second: Chain | None = None
        self.progress: dict[str, Any] = {}
        self._trace: list[tuple[float, ...]] = []

    # ------------------------------------------------------------------ work
    def solve(self) -> None:
        """Solve all columns of the starting order."""
        self.energy = float(solve_all(self.score.problem, self.state, self.work))
        self.keep_best()

    def descend(self, queue: list[int], limit: int) -> list[int]:
        """Reinsert queued nodes, and those they change; at most `limit`. Returns who is left."""
        waiting = self.work.queue
        waiting.nodes[: len(queue)] = queue
        waiting.ends[:] = 0, len(queue)
        waiting.queued[queue] = 1
        relax(self.score.problem, self.state, limit, self.work)
        self.energy = float(self.state.columns.score.sum())
        self.keep_best()
        head, left = (int(end) for end in waiting.ends)
        waiting.ends[:] = 0
        waiting.queued[:] = 0
        return [int(v) for v in np.roll(waiting.nodes, -head)[:left]]

    def begin_second(self) -> Chain:
        """A search like this one, from a random order, with random numbers of its own."""
        # Drawn, not spawned: a revived chain knows the state of its random numbers alone.
        rng = np.random.default_rng(int(self.rng.integers(2**63)))
        order = rng.permutation(self.state.order.size)
        required = self.score.required
        if required is not None:
            order = order[topological_order(np.asarray(required)[np.ix_(order, order)])]
        self.second = Chain(self.score, order, rng)
        return self.second

    def change_places(self) -> None:
        """Go on where the second search is, and it here."""
        other = self.second
        assert other is not None
        for name in ("rng", "best", "state", "work", "energy", "best_energy", "progress"):
            mine, theirs = getattr(self, name), getattr(other, name)
            setattr(self, name, theirs)
            setattr(other, name, mine)

    def steps(self, nodes: np.ndarray, relax_limit: int, temperature: float) -> int:
        """One large step (pull or relocation) per node; returns how many improved the score."""
        better, energy = iterate(
            self.score.problem, self.state, self.rng, nodes, relax_limit, temperature, self.work
        )
        self.energy = float(energy)
        self.keep_best()
        return int(better)

    def flips(self, temperatures: np.ndarray, length: int) -> np.ndarray:
        """Interval flips, one per temperature; returns the score after each."""
        energies = np.array([self.energy, self.best_energy])
        walk = bundle(Walk(temperatures, np.empty(temperatures.size), energies))
        anneal(self.score.problem, self.state, self.best, self.rng, walk, length, self.work)
        self.energy, self.best_energy = (float(energy) for energy in energies)
        return walk.scores

    def keep_best(self) -> None:
        """Remember the current state if it is the best so far.

        Equivalent graphs tie, and the walk passes many of them: the first one counts, not the one
        that rounding favours, which would be another after a change of units.
        """
        if self.energy < self.best_energy - EPSILON:
            self.best_energy = self.energy
            copy_state(self.score.problem, self.state, self.best)

    def polish(self) -> None:
        """Solve the best state's columns once more, and keep what is better.

        Under a penalty that is not convex a column can have several local minima, and which one a
        warm start finds depends on the way that led to it: so each is solved from where it is and
        from nothing. Whether all of them converged is what :attr:`converged` says; columns that
        were only tried on the way do not matter.
        """
        before = self.best_energy
        self.converged = int(polish_all(self.score.problem, self.best, self.work)) == 0
        energy = float(self.best.columns.score.sum())
        if energy < before - EPSILON:
            self.best_energy = energy
            iteration, score, _, *rest = self._trace[-1]
            self._trace.append((iteration, score, energy, *rest))

    # ------------------------------------------------------------------ views
    @property
    def steps_done(self) -> int:
        """Large steps so far, those of a second search included."""
        chains = [self] if self.second is None else [self, self.second]
        return sum(int(chain.progress.get("done", 0)) for chain in chains)

    @property
    def edges(self) -> int:
        """Edges of the current state."""
        return int(self.state.columns.count.sum())

    @property
    def temperature(self) -> float | None:
        """The last temperature, if any."""
        return self._trace[-1][3] or None if self._trace else None

    def record(self, iteration: int, temperature: float, score: float | None = None) -> None:
        """Append a line to the trace."""
        energy = self.energy if score is None else score
        self._trace.append((iteration, energy, self.best_energy, temperature, self.edges))

    def trace(self) -> dict[str, np.ndarray]:
        """The trace as columns."""
        names = ("iteration", "score", "best", "temperature", "edges")
        table = np.array(self._trace, dtype=float).reshape(-1, len(names))
        columns = dict(zip(names, table.T, strict=True))
        for name in ("score", "best"):
            columns[name] = columns[name] + self.score.offset
        return columns

    # ------------------------------------------------------------------ snapshots
    def snapshot(self) -> dict[str, np.ndarray]:
        """Everything needed to go on from here, as plain arrays."""
        arrays: dict[str, np.ndarray] = {}
        for name, state in (("state", self.state), ("best", self.best)):
            arrays[f"{name}/order"] = state.order.copy()
            for column, values in state.columns._asdict().items():
                arrays[f"{name}/{column}"] = values.copy()
        arrays["energies"] = np.array([self.energy, self.best_energy])
        arrays["counters"] = self.work.counters.copy()
        memory = self.work.memory
        arrays["floor"] = memory.floor.copy()
        arrays["futile"] = memory.futile.copy()
        arrays["useless"] = np.packbits(memory.useless == memory.version)
        if memory.frozen[0]:
            arrays["failed"] = np.packbits(memory.failed)
        arrays["trace"] = np.array(self._trace, dtype=float).reshape(-1, 5)
        if self.second is not None:
            theirs = self.second.snapshot().items()
            arrays |= {f"{_SECOND}{name}": array for name, array in theirs}
        generator = json.dumps(self.rng.bit_generator.state)
        arrays["rng"] = np.array(generator)
        arrays["progress"] = np.array(json.dumps(self.progress))
        return arrays

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go back to where :meth:`snapshot` was taken."""
        for name, state in (("state", self.state), ("best", self.best)):
            _restore_state(state, name, arrays)
            refresh_all(self.score.problem, state)
        self.energy, self.best_energy = (float(x) for x in arrays["energies"])
        self.work.counters[:] = arrays["counters"]
        self.work.memory.floor[:] = arrays["floor"]
        self.work.memory.futile[:] = arrays["futile"]
        self._restore_useless(arrays["useless"])
        if "failed" in arrays:
            failed = self.work.memory.failed
            failed[:] = np.unpackbits(arrays["failed"], count=failed.size).reshape(failed.shape)
        self._trace = [tuple(row) for row in arrays["trace"].tolist()]
        self.rng.bit_generator.state = json.loads(str(arrays["rng"]))
        self.progress = json.loads(str(arrays["progress"]))
        theirs = {n.removeprefix(_SECOND): a for n, a in arrays.items() if n.startswith(_SECOND)}
        if theirs:
            self.begin_second().restore(theirs)

    def _restore_useless(self, packed: np.ndarray) -> None:
        """What the columns are known to have no use for, as far as it was known."""
        known = self.work.memory.useless
        bits = np.unpackbits(packed, count=known.size).reshape(known.shape)
        self.work.memory.version[:] = 0
        known[:] = np.where(bits, 0, -1)


def _restore_state(state: State, name: str, arrays: dict[str, np.ndarray]) -> None:
    state.order[:] = arrays[f"{name}/order"]
    state.position[state.order] = np.arange(state.order.size)
    for column, values in state.columns._asdict().items():
        values[:] = arrays[f"{name}/{column}"]
