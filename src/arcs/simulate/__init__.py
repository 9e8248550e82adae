"""Simulators: random DAGs, repository networks, parameters, data with and without experiments."""

from arcs.simulate.categories import (
    MixedTable,
    mixed_table,
    random_tables,
    sample_categories,
)
from arcs.simulate.random_dags import (
    bipartite_dag,
    erdos_renyi_dag,
    hub_dag,
    random_dag,
    scale_free_dag,
)
from arcs.simulate.repository import Network, network, network_names
from arcs.simulate.sampling import Simulated, sample, sample_experiments
from arcs.simulate.settings import (
    EXPERIMENTAL_SETTINGS,
    OBSERVATIONAL_SETTINGS,
    Setting,
    simulate_setting,
)
from arcs.simulate.weights import random_weights

__all__ = [
    "EXPERIMENTAL_SETTINGS",
    "OBSERVATIONAL_SETTINGS",
    "MixedTable",
    "Network",
    "Setting",
    "Simulated",
    "bipartite_dag",
    "erdos_renyi_dag",
    "hub_dag",
    "mixed_table",
    "network",
    "network_names",
    "random_dag",
    "random_tables",
    "random_weights",
    "sample",
    "sample_categories",
    "sample_experiments",
    "scale_free_dag",
    "simulate_setting",
]
