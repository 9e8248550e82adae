"""``arcs warmup``: compile what a default fit needs, ahead of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcs.cli.console import output
from arcs.cli.progress import live_line

if TYPE_CHECKING:
    from arcs.kernels.compilation import Compilation
    from arcs.progress import Listener

__all__ = ["compile_default_fit", "warmup"]


def warmup() -> None:
    """Compile what a default fit needs, so that the first one does not have to wait.

    Compiled code is kept on disk; where it is there already, this takes a second or two.

    \b
    Examples:
      arcs warmup
    """
    with live_line("warmup") as listener:
        compiled = compile_default_fit(listener)
    if compiled.count:
        output().print(f"{compiled.count} functions compiled in {compiled.seconds:.0f} seconds.")
    else:
        output().print("Everything was compiled already.")


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
