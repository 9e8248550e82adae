"""Running one or several chains, in threads: kernels release the interpreter's lock.

Workers that chains leave over help with the steps of each (:mod:`arcs.search.crew`). Each chain has
its own random numbers (``SeedSequence.spawn``) and the best result wins (ties: the
first chain), so the answer depends on the number of chains but not on the number of workers.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from arcs.kernels.order.records import EPSILON
from arcs.progress import Watch
from arcs.scores.cholesky import state_adjacency
from arcs.search.chain import Chain
from arcs.search.checkpoint import Checkpoint
from arcs.search.strategies import Strategy

__all__ = ["run_chains"]


def run_chains(
    chains: Sequence[Chain],
    strategy: Strategy,
    watch: Watch,
    *,
    workers: int = 1,
    checkpoint: Checkpoint | None = None,
) -> Chain:
    """Drive every chain to the end of its strategy (or of the time); return the best one."""
    reporter = _Reporter(chains, strategy, watch, checkpoint)
    for chain in chains:
        chain.workers = max(workers // len(chains), 1)
    if workers <= 1 or len(chains) == 1:
        for chain in chains:
            _drive(chain, strategy, reporter)
    else:
        with ThreadPoolExecutor(min(workers, len(chains))) as pool:
            for done in [pool.submit(_drive, chain, strategy, reporter) for chain in chains]:
                done.result()
    reporter.save()
    for chain in chains:
        chain.polish()
    least = min(chain.best_energy for chain in chains)
    return next(chain for chain in chains if chain.best_energy <= least + EPSILON)


def _drive(chain: Chain, strategy: Strategy, reporter: _Reporter) -> None:
    for iteration, total in strategy.slices(chain):
        if not reporter.report(chain, iteration, total):
            return


class _Reporter:
    """Forwards progress of all chains to one watch, one at a time."""

    def __init__(
        self,
        chains: Sequence[Chain],
        strategy: Strategy,
        watch: Watch,
        checkpoint: Checkpoint | None,
    ) -> None:
        self.chains = list(chains)
        self.strategy = strategy
        self.watch = watch
        self.checkpoint = checkpoint
        self.lock = threading.Lock()
        # A chain is photographed by its own thread, between two of its slices: never in motion.
        self.snapshots = [] if checkpoint is None else [chain.snapshot() for chain in chains]
        self.taken = [time.monotonic()] * len(self.chains)

    def report(self, chain: Chain, iteration: int, total: int | None) -> bool:
        """Tell the watch how far `chain` is; return whether to go on."""
        with self.lock:
            self._photograph(chain)
            return self.watch.tick(
                self.strategy.stage,
                iteration,
                total=total,
                score=chain.energy + chain.score.offset,
                best=min(c.best_energy for c in self.chains) + chain.score.offset,
                temperature=chain.temperature,
                edges=chain.edges,
                graph=lambda: state_adjacency(chain.best),
            )

    def _photograph(self, chain: Chain) -> None:
        if self.checkpoint is None:
            return
        i = self.chains.index(chain)
        if time.monotonic() - self.taken[i] >= self.checkpoint.every:
            self.snapshots[i] = chain.snapshot()
            self.taken[i] = time.monotonic()
            self.checkpoint.save(self.snapshots, self.watch.elapsed)

    def save(self) -> None:
        """Write the last state of all chains, when none is running."""
        if self.checkpoint is not None:
            last = [chain.snapshot() for chain in self.chains]
            self.checkpoint.save(last, self.watch.elapsed)
