"""Real data that ship with the package."""

from arcs.datasets.sachs import SACHS_CONDITIONS, SachsCondition, SachsData, load_sachs
from arcs.datasets.sachs_levels import load_sachs_levels

__all__ = [
    "SACHS_CONDITIONS",
    "SachsCondition",
    "SachsData",
    "load_sachs",
    "load_sachs_levels",
]
