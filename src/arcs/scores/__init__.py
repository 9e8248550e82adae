"""Scores of nodes, orders and graphs."""

from arcs.scores.bic import GaussianBic
from arcs.scores.least_squares import FittedDag, fit_dag

__all__ = ["FittedDag", "GaussianBic", "fit_dag"]
