"""The simulated data sets of the paper: 14 observational and 9 experimental settings.

Section 5.3 of the paper uses seven graphs with two sample sizes each, one below and one above the
number of variables; Section 5.4 uses nine smaller graphs with n = 5p rows, five per variable under
intervention. Every setting is repeated with 20 data sets; here a data set is a setting and a seed.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace

import numpy as np

from arcs.simulate.random_dags import random_dag
from arcs.simulate.repository import Network, network
from arcs.simulate.sampling import Simulated, sample, sample_experiments
from arcs.simulate.weights import random_weights

__all__ = [
    "EXPERIMENTAL_SETTINGS",
    "OBSERVATIONAL_SETTINGS",
    "Setting",
    "simulate_setting",
]


@dataclass(frozen=True)
class Setting:
    """One line of the paper's tables.

    Attributes
    ----------
    name : str
        The paper's name, such as "Hailfinder" or "rDAG1".
    network : str or None
        Name in the repository; None for a random DAG.
    copies : int
        Number of disjoint copies of the network.
    p, s0, n : int
        Numbers of nodes, edges and rows.
    experimental : bool
        Whether the rows come in p blocks with one variable under intervention in each.

    Examples
    --------
    >>> from arcs.simulate import OBSERVATIONAL_SETTINGS
    >>> OBSERVATIONAL_SETTINGS[0].key
    'Hailfinder-n200-observational'
    """

    name: str
    network: str | None
    copies: int
    p: int
    s0: int
    n: int
    experimental: bool = False

    @property
    def key(self) -> str:
        """A name that tells all settings apart, fit for file names."""
        kind = "experimental" if self.experimental else "observational"
        return f"{self.name}-n{self.n}-{kind}"

    def observational(self) -> Setting:
        """The same graphs and sample size without interventions (the control of Section 5.4)."""
        return replace(self, experimental=False)


def _with_sizes(
    name: str, network_name: str | None, copies: int, p: int, s0: int, sizes: tuple[int, int]
) -> tuple[Setting, Setting]:
    few, many = sizes
    setting = Setting(name, network_name, copies, p, s0, few)
    return setting, replace(setting, n=many)


#: Tables 1 to 4: n < p and n > p for each graph.
OBSERVATIONAL_SETTINGS: tuple[Setting, ...] = (
    *_with_sizes("Hailfinder", "hailfinder", 4, 224, 264, (200, 400)),
    *_with_sizes("Andes", "andes", 1, 223, 338, (200, 400)),
    *_with_sizes("Hepar2", "hepar2", 4, 280, 492, (200, 400)),
    *_with_sizes("Win95pts", "win95pts", 4, 304, 448, (200, 500)),
    *_with_sizes("Pigs", "pigs", 1, 441, 592, (200, 600)),
    *_with_sizes("rDAG1", None, 1, 300, 300, (240, 450)),
    *_with_sizes("rDAG2", None, 1, 300, 600, (240, 600)),
)

#: Table 5: five rows for every variable under intervention.
EXPERIMENTAL_SETTINGS: tuple[Setting, ...] = (
    Setting("Asia", "asia", 1, 8, 8, 40, experimental=True),
    Setting("Sachs", "sachs", 1, 11, 17, 55, experimental=True),
    Setting("Insurance", "insurance", 1, 27, 52, 135, experimental=True),
    Setting("Alarm", "alarm", 1, 37, 46, 185, experimental=True),
    Setting("Barley", "barley", 1, 48, 84, 240, experimental=True),
    Setting("rDAG3", None, 1, 20, 20, 100, experimental=True),
    Setting("rDAG4", None, 1, 20, 40, 100, experimental=True),
    Setting("rDAG5", None, 1, 50, 50, 250, experimental=True),
    Setting("rDAG6", None, 1, 50, 100, 250, experimental=True),
)


def simulate_setting(setting: Setting, seed: int) -> Simulated:
    """Draw data set number `seed` of a setting: graph (if random), weights and rows.

    Graph, weights and rows have random streams of their own, all determined by the seed, the
    name and the sample size. A setting and its observational control therefore share the model
    (up to the order of the columns) and differ in the rows only.

    Examples
    --------
    >>> from arcs.simulate import EXPERIMENTAL_SETTINGS, simulate_setting
    >>> simulate_setting(EXPERIMENTAL_SETTINGS[0], 0).data.p == EXPERIMENTAL_SETTINGS[0].p
    True
    """
    name = zlib.crc32(setting.name.encode())
    graph, weights = (np.random.default_rng([seed, name, setting.n, purpose]) for purpose in (0, 1))
    rows = np.random.default_rng([seed, name, setting.n, 2, int(setting.experimental)])
    structure: np.ndarray | Network
    if setting.network is None:
        structure = random_dag(setting.p, setting.s0, graph)
    else:
        structure = network(setting.network, setting.copies)
    model = random_weights(structure, weights)
    if setting.experimental:
        simulated = sample_experiments(model, "each", setting.n // setting.p, rows)
    else:
        simulated = sample(model, setting.n, rows)
    return replace(simulated, seed=int(seed))
