"""Structure metrics: the paper's counts, the usual others, adjustment distances, likelihood."""

from arcs.metrics.adjustment import AdjustmentDistances, adjustment_distances
from arcs.metrics.evaluation import Evaluation, evaluate
from arcs.metrics.likelihood import held_out_log_likelihood

__all__ = [
    "AdjustmentDistances",
    "Evaluation",
    "adjustment_distances",
    "evaluate",
    "held_out_log_likelihood",
]
