"""Structure metrics: the paper's counts, the usual others, adjustment distances, likelihood."""

from arcs.metrics.adjustment import AdjustmentDistances, adjustment_distances
from arcs.metrics.comparison import Comparison, compare
from arcs.metrics.likelihood import held_out_log_likelihood

__all__ = [
    "AdjustmentDistances",
    "Comparison",
    "adjustment_distances",
    "compare",
    "held_out_log_likelihood",
]
