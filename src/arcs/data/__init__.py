"""Data in: values, names, interventions, and the statistics everything else works on."""

from arcs.data.dataset import Dataset
from arcs.data.gram import GramStatistics
from arcs.data.interventions import Interventions

__all__ = ["Dataset", "GramStatistics", "Interventions"]
