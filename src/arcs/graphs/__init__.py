"""Graphs: orders, Gaussian DAGs, equivalence classes, causal effects and file formats.

Everywhere, entry ``[i, j]`` of a matrix belongs to the edge i -> j, and an :class:`Order` lists
parents first.
"""

from arcs.graphs.dag import GaussianDag
from arcs.graphs.equivalence import (
    consistent_extension,
    cpdag_of,
    interventional_cpdag_of,
    meek_closure,
)
from arcs.graphs.gaussian import GaussianMoments
from arcs.graphs.order import Order
from arcs.graphs.pdag import Pdag
from arcs.graphs.topology import find_cycle, topological_order

__all__ = [
    "GaussianDag",
    "GaussianMoments",
    "Order",
    "Pdag",
    "consistent_extension",
    "cpdag_of",
    "find_cycle",
    "interventional_cpdag_of",
    "meek_closure",
    "topological_order",
]
