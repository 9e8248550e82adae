"""Where a search over orders may begin: at random, at an order, or at what another method finds.

An initialiser is not a kind of its own: it is a learner, whose graph is sorted topologically.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.learners.base import Learner
from arcs.progress import Watch
from arcs.search.start import as_order
from arcs.settings import Rule

__all__ = ["INIT", "initial_order", "is_random"]


def is_random(init: Any) -> bool:
    """Whether every chain begins at an order of its own."""
    return isinstance(init, str) and init == "random"


def _accept(init: Any) -> Any:
    """Names have to be those of learners; all else shows when the variables are known."""
    if isinstance(init, str) and not is_random(init):
        _named(init)
    return init


#: What a setting may be that says where a search begins.
INIT = Rule("'random', an order, a graph, or a learner or its name", _accept)


def initial_order(
    learner: Learner,
    init: Any,
    dataset: Dataset | None,
    statistics: GramStatistics,
    watch: Watch,
) -> np.ndarray | None:
    """The order that `init` stands for, parents first, or None for random ones.

    A learner by name gets the seed of the one that asks, and any learner its background knowledge
    unless it has its own.
    """
    if is_random(init):
        return None
    if isinstance(init, str):
        init = _named(init, random_state=learner.random_state)
    if isinstance(init, Learner):
        if init.uses_knowledge and init.knowledge is None:
            init = replace(init, knowledge=learner.knowledge)
        if dataset is None:
            init = init.learn(statistics, watch).graph
        else:
            own = init.statistics(dataset) if learner.excludes_rows else statistics
            init = init.learn_from(dataset, own, watch).graph
    return as_order(init, statistics.p)


def _named(name: str, **settings: Any) -> Learner:
    from arcs.learners import learner  # which knows all learners, those that ask here among them

    return learner(name, **settings)
