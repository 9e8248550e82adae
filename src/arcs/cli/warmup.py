"""``arcs warmup``: compile what a default fit needs, ahead of time."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from arcs.cli.console import output
from arcs.cli.progress import live_line

if TYPE_CHECKING:
    from arcs.kernels.compilation import Compilation
    from arcs.progress import Listener

__all__ = ["compile_categories", "compile_default_fit", "warmup"]


def warmup(
    discrete: Annotated[
        bool, typer.Option("--discrete", help="Also what tables with categories need.")
    ] = False,
) -> None:
    """Compile what a default fit needs, so that the first one does not have to wait.

    Compiled code is kept on disk; where it is there already, this takes a second or two. Two
    processes share the work where there are two cores.

    \b
    Examples:
      arcs warmup
      arcs warmup --discrete
    """
    with live_line("warmup") as listener, _search_elsewhere():
        compiled = compile_default_fit(listener)
        if discrete:
            compiled = compile_categories(listener)
    if compiled.count:
        output().print(f"Compiled in {compiled.seconds:.0f} seconds.")
    else:
        output().print("Everything was compiled already.")


@contextlib.contextmanager
def _search_elsewhere() -> Iterator[None]:
    """Meanwhile, another process compiles the moves of the search; whoever comes first to what
    both need compiles it, and the other one waits for the file."""
    program = "from arcs.cli.warmup import compile_search; compile_search()"
    if (os.cpu_count() or 1) < 2:
        yield
        return
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL) as other:
        try:
            yield
        except BaseException:
            other.kill()
            raise


def compile_search() -> None:
    """Compile the largest of the compiled functions, without running it."""
    import numpy as np
    from numba import typeof

    from arcs.data import Dataset
    from arcs.kernels.order.search import iterate
    from arcs.penalties import Ebic
    from arcs.scores.cholesky import CholeskyScore
    from arcs.search.chain import Chain

    rng = np.random.default_rng(0)
    statistics = Dataset.of(rng.normal(size=(20, 3))).statistics()
    chain = Chain(CholeskyScore(statistics, Ebic(0.5)), np.arange(3), rng)
    given = (chain.score.problem, chain.state, rng, np.arange(3), 1, 0.0, chain.work)
    iterate.compile(tuple(typeof(value) for value in given))


def compile_categories(listener: Listener | None = None) -> Compilation:
    """Run small fits of categories, alone and beside numbers; returns what they compiled."""
    from arcs.kernels.compilation import Compilation
    from arcs.learners import learner
    from arcs.simulate import mixed_table, random_dag, random_tables, sample_categories

    graph = random_dag(6, 6, 0)
    alone = sample_categories(random_tables(graph, 0), 100, 0)
    with Compilation() as compiled:
        for data in (alone, mixed_table(graph, 100, 0).data):
            learner("arcs", random_state=0).fit(data, listener=listener)
    return compiled


def compile_default_fit(listener: Listener | None = None) -> Compilation:
    """Run a small default fit, observational and with interventions; returns what it compiled."""
    from arcs.kernels.compilation import Compilation
    from arcs.learners import learner
    from arcs.simulate import random_dag, random_weights, sample, sample_experiments

    model = random_weights(random_dag(12, 18, 0), 0)
    with Compilation() as compiled:
        for simulated in (sample(model, 200, 0), sample_experiments(model, "each", 12, 0)):
            learner("arcs", random_state=0).fit(simulated.data, listener=listener)
    return compiled
