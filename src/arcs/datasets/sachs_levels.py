"""The cells of Sachs et al. in three levels, as they were published and analysed ever since.

Sachs et al. learned their network from 5,400 cells with levels low, medium and high, and most
analyses since (Eaton and Murphy, 2007; bnlearn's; sparsebn's) start from that table. It differs
from the measurements in three ways, which this module repeats on the bundled intensities:

1. *Cells*. Within each experiment, cells with any intensity more than three standard deviations
   from its mean are left out; of the others the first 600 are taken. (607 remain in the smallest
   experiment, hence 600.)
2. *Cuts*. Hartemink's information-preserving discretisation. The cuts are those of the published
   levels: `PUBLISHED_CUTS` separates all levels of 178 published rows of six experiments, which
   leave 2.5 per cent of the cells between the possible places of a cut at most (7 for MEK's upper
   one). The algorithm itself is not stable enough to find them again: with 20, 60 or 100 levels to
   begin with, it cuts elsewhere every time.
3. *Targets*. A reagent acts on a molecule's activity, and what was measured is its phosphorylated
   amount, which may even rise (MEK under U0126). In the published table the molecule that a reagent
   inhibits is low in all cells of that experiment; one that is activated is high in nearly all, and
   high nowhere else. Here it is low or high in all of them.

The last two decide together: the same search ends 8 edges from the accepted network, with measured
targets 20, and with targets set but the cells cut anew 15 (quantiles) to 22 (Hartemink's way). A
target's state is then what the experiment made of it, and stands for nothing else
(``benchmarks/discrete.py sachs``).

A caution: the accepted network was learned from these very levels, so that agreement with it shows
that a search works, not that the network is true.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from arcs.data import Dataset, Interventions
from arcs.data.discretize import discretized, parse_discretize
from arcs.datasets.sachs import (
    REFERENCE_EDGES,
    SACHS_CONDITIONS,
    TEXTBOOK_EDGES,
    SachsData,
    graph_of,
    stored_table,
    targets_of,
)
from arcs.errors import SettingsError

__all__ = ["PUBLISHED_CUTS", "load_sachs_levels"]

LEVELS = ("low", "medium", "high")

#: Intensities up to which a published level is low, and medium. PKA and PKC are nowhere high but
#: where they were activated.
PUBLISHED_CUTS: dict[str, tuple[float, float]] = {
    "raf": (54.0, 130.0),
    "mek": (25.3, 170.0),
    "plcg": (34.5, 80.0),
    "pip2": (246.0, 570.0),
    "pip3": (8.7, 24.1),
    "erk": (4.5, 29.5),
    "akt": (41.8, 215.0),
    "pka": (197.0, np.inf),
    "pkc": (6.6, np.inf),
    "p38": (47.6, 150.0),
    "jnk": (20.6, 175.0),
}


def load_sachs_levels(
    pip3_target: bool = False,
    *,
    cuts: str = "published",
    targets: Literal["set", "measured"] = "set",
) -> SachsData:
    """The cells of Sachs et al. in levels, with known targets and without conditions.

    Parameters
    ----------
    pip3_target : bool
        Count LY294002 as an inhibition of pip3.
    cuts : str
        "published" (default), or a way to cut the same cells anew: "hartemink-3", "quantiles-3",
        "width-3" (:mod:`arcs.data.discretize`).
    targets : {"set", "measured"}
        The level of a molecule in the experiment that acts on it: the lowest where it is inhibited
        and the highest where it is activated (default), or as measured.

    Examples
    --------
    >>> cells = load_sachs_levels()
    >>> cells.data
    Dataset(5400 rows, 11 columns, experimental, from Sachs et al. (2005), in levels)
    >>> cells.data.levels[0]
    ('low', 'medium', 'high')
    """
    if targets not in ("set", "measured"):
        raise SettingsError(f"targets must be 'set' or 'measured', got {targets!r}")
    names, experiment, values = stored_table()
    rows = published_cells(experiment, values)
    experiment, (codes, levels) = experiment[rows], _levels(values[rows], names, cuts)
    acted = [targets_of(condition, pip3_target) for condition in SACHS_CONDITIONS]
    if targets == "set":
        for k, condition in enumerate(SACHS_CONDITIONS):
            for name in acted[k]:
                j = names.index(name)
                high = condition.effect.startswith("activates")
                codes[experiment == k, j] = len(levels[j]) - 1 if high else 0
    data = Dataset(
        names,
        values=codes,
        levels=levels,
        interventions=Interventions.from_targets(acted, experiment, names),
        source="Sachs et al. (2005), in levels",
    )
    conditions = np.array([condition.name for condition in SACHS_CONDITIONS])[experiment]
    graphs = (graph_of(REFERENCE_EDGES, names), graph_of(TEXTBOOK_EDGES, names))
    return SachsData(data, conditions, *graphs, transform=f"{cuts} levels, targets {targets}")


def published_cells(experiment: np.ndarray, values: np.ndarray, count: int = 600) -> np.ndarray:
    """The first cells of each experiment without outliers, in the order of the table."""
    chosen = []
    for k in range(len(SACHS_CONDITIONS)):
        rows = np.flatnonzero(experiment == k)
        centred = np.abs(values[rows] - values[rows].mean(axis=0))
        usual = (centred <= 3 * values[rows].std(axis=0, ddof=1)).all(axis=1)
        chosen.append(rows[usual][:count])
    return np.concatenate(chosen)


def _levels(
    values: np.ndarray, names: tuple[str, ...], cuts: str
) -> tuple[np.ndarray, tuple[tuple[str, ...], ...]]:
    if cuts != "published":
        codes, found, _ = discretized(values, names, parse_discretize(cuts, names))
        return codes, tuple(found[name] for name in names)
    columns = [np.searchsorted(PUBLISHED_CUTS[name], values[:, j]) for j, name in enumerate(names)]
    return np.stack(columns, axis=1).astype(float), (LEVELS,) * len(names)
