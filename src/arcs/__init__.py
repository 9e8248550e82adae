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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arcs.data import Audit, Dataset, GramStatistics, Interventions, audit
    from arcs.errors import ArcsError
    from arcs.estimators import ARCS
    from arcs.graphs import GaussianDag, Order, Pdag
    from arcs.knowledge import Knowledge
    from arcs.learners import learner, learner_names
    from arcs.metrics import compare
    from arcs.results import FitResult

__version__ = "0.1.0"

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
    "compare": "arcs.metrics",
    "learner": "arcs.learners",
    "learner_names": "arcs.learners",
}

__all__ = [
    "ARCS",
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
    "learner",
    "learner_names",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'arcs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
