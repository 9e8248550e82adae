"""Data in: values, names, interventions, and the statistics everything else works on."""

from arcs.data.audit import Audit, audit
from arcs.data.dataset import Dataset
from arcs.data.gram import GramStatistics
from arcs.data.interventions import Interventions

__all__ = ["Audit", "Dataset", "GramStatistics", "Interventions", "audit"]
