"""ARCS: learning Gaussian Bayesian networks (causal DAGs) from observational and experimental data.

The shortest way in is the estimator::

    from arcs import ARCS
    model = ARCS(random_state=0).fit(frame, interventions="condition")
    model.result_.save("result.json")

Everything else has a room of its own: :mod:`arcs.data`, :mod:`arcs.graphs`, :mod:`arcs.learners`,
:mod:`arcs.simulate`, :mod:`arcs.datasets`, :mod:`arcs.metrics`, :mod:`arcs.plots`,
:mod:`arcs.report`, :mod:`arcs.experiments`.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arcs.comparison import compare
    from arcs.data import Audit, Dataset, GramStatistics, Interventions, audit
    from arcs.errors import ArcsError
    from arcs.estimators import ARCS
    from arcs.graphs import GaussianDag, Order, Pdag
    from arcs.knowledge import Knowledge
    from arcs.learners import learner, learner_names
    from arcs.learners.cd import CD
    from arcs.learners.ga import GA
    from arcs.learners.ges import GES
    from arcs.learners.gies import GIES
    from arcs.learners.hc import HC
    from arcs.learners.listen import LISTEN
    from arcs.learners.mmhc import MMHC
    from arcs.learners.pc import PC
    from arcs.metrics import evaluate
    from arcs.results import FitResult

__version__ = "0.1.0"

#: Learners of our own; those of other packages are in :mod:`arcs.learners.peers`.
_LEARNERS = ("CD", "GA", "GES", "GIES", "HC", "LISTEN", "MMHC", "PC")
#: Public name -> module. Loaded on first use, so that ``import arcs`` is quick.
_HOMES = {
    "ARCS": "arcs.estimators",
    "ArcsError": "arcs.errors",
    "Audit": "arcs.data",
    "Dataset": "arcs.data",
    "FitResult": "arcs.results",
    "GaussianDag": "arcs.graphs",
    "GramStatistics": "arcs.data",
    "Interventions": "arcs.data",
    "Knowledge": "arcs.knowledge",
    "Order": "arcs.graphs",
    "Pdag": "arcs.graphs",
    "audit": "arcs.data",
    "compare": "arcs.comparison",
    "evaluate": "arcs.metrics",
    "learner": "arcs.learners",
    "learner_names": "arcs.learners",
    **{name: f"arcs.learners.{name.lower()}" for name in _LEARNERS},
}

__all__ = [
    "ARCS",
    "CD",
    "GA",
    "GES",
    "GIES",
    "HC",
    "LISTEN",
    "MMHC",
    "PC",
    "ArcsError",
    "Audit",
    "Dataset",
    "FitResult",
    "GaussianDag",
    "GramStatistics",
    "Interventions",
    "Knowledge",
    "Order",
    "Pdag",
    "__version__",
    "audit",
    "compare",
    "evaluate",
    "learner",
    "learner_names",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _rooms():
        return importlib.import_module(f"arcs.{name}")
    raise AttributeError(f"module 'arcs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_rooms()})


def _rooms() -> set[str]:
    """Modules that ``import arcs`` makes reachable, as in ``arcs.plots.plot_dag``."""
    return {module.name for module in pkgutil.iter_modules(__path__) if module.name[0] != "_"}
