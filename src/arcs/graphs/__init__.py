"""Graphs: orders, Gaussian DAGs, equivalence classes, causal effects and file formats.

Everywhere, entry ``[i, j]`` of a matrix belongs to the edge i -> j, and an :class:`Order` lists
parents first.
"""

from arcs.graphs.dag import GaussianDag
from arcs.graphs.discrete import DiscreteDag
from arcs.graphs.effects import fit_to_covariance, ida, joint_ida, possible_parent_sets
from arcs.graphs.ensemble import EdgeList, GraphEnsemble
from arcs.graphs.equivalence import (
    consistent_extension,
    count_members,
    cpdag_of,
    find_cycle,
    interventional_cpdag_of,
    iterate_members,
    meek_closure,
    members,
    topological_order,
)
from arcs.graphs.formats import (
    from_causallearn,
    from_networkx,
    from_pgmpy,
    graph_from_text,
    graph_to_text,
    read_graph,
    to_causallearn,
    to_networkx,
    to_pgmpy,
    write_graph,
)
from arcs.graphs.gaussian import GaussianMoments
from arcs.graphs.mixed import MixedDag
from arcs.graphs.order import Order
from arcs.graphs.pdag import Pdag
from arcs.graphs.structure import Dag

__all__ = [
    "Dag",
    "DiscreteDag",
    "EdgeList",
    "GaussianDag",
    "GaussianMoments",
    "GraphEnsemble",
    "MixedDag",
    "Order",
    "Pdag",
    "consistent_extension",
    "count_members",
    "cpdag_of",
    "find_cycle",
    "fit_to_covariance",
    "from_causallearn",
    "from_networkx",
    "from_pgmpy",
    "graph_from_text",
    "graph_to_text",
    "ida",
    "interventional_cpdag_of",
    "iterate_members",
    "joint_ida",
    "meek_closure",
    "members",
    "possible_parent_sets",
    "read_graph",
    "to_causallearn",
    "to_networkx",
    "to_pgmpy",
    "topological_order",
    "write_graph",
]
