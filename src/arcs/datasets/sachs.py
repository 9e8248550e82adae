"""The protein-signalling data of Sachs et al. (2005): 7,466 cells, 11 proteins, 9 experiments.

Phosphorylated proteins and lipids of human T cells were measured by flow cytometry in single
cells, under reagents that act on known molecules [1]_. It is the best-known real data set with
interventions for structure learning. The reagents and the molecules they act on:

============================ ===== ==================================================
condition                    cells target
============================ ===== ==================================================
CD3/CD28                     853   none (general stimulation)
CD3/CD28 + ICAM-2            902   none (general stimulation)
CD3/CD28 + Akt inhibitor     911   akt (inhibited)
CD3/CD28 + G06976            723   pkc (inhibited)
CD3/CD28 + psitectorigenin   810   pip2 (inhibited)
CD3/CD28 + U0126             799   mek (inhibited)
CD3/CD28 + LY294002          848   disputed: none, or pip3 through PI3K
PMA                          913   pkc (activated)
b2cAMP                       707   pka (activated)
============================ ===== ==================================================

LY294002 inhibits PI3K, which is not measured itself but turns PIP2 into PIP3. `pip3_target=True`
counts it as an intervention on pip3; by default its rows are treated as observational.

Two cautions. Inhibitors block a kinase's *activity*, while the *phosphorylated amount* is what
was measured: under U0126 phospho-MEK rises and its substrate ERK falls. So an intervention does
not set the measured value, but it does change the mechanism of its target, and that is all that
the exclusion of those rows from the target's own regression needs. And the last two conditions
lack the CD3/CD28 stimulation, so they differ from the others in more than their target. The data
set therefore carries its nine experiments as conditions, whose means may differ.

And a caution about the reference. It is itself what Sachs et al. learned from these cells after
discretising them, and it is disputed: no method that was published since finds it.

The values are fluorescence intensities between 1 and 9,058, close to log-normal; ARCS assumes
normal errors, so the loader takes logarithms unless told otherwise.

.. [1] K. Sachs, O. Perez, D. Pe'er, D. A. Lauffenburger, G. P. Nolan, Causal protein-signaling
   networks derived from multiparameter single-cell data, Science 308 (2005) 523-529.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal, NamedTuple

import numpy as np

from arcs.data import Dataset, Interventions
from arcs.errors import SettingsError
from arcs.graphs import Pdag

__all__ = [
    "SACHS_CONDITIONS",
    "SachsCondition",
    "SachsData",
    "load_sachs",
]

SOURCE = (
    "K. Sachs et al., Causal protein-signaling networks derived from multiparameter single-cell "
    "data, Science 308 (2005) 523-529; values as distributed with the causal discovery toolbox"
)
REFERENCE_SOURCE = (
    "the 17 edges of the network inferred by Sachs et al. (2005, Figure 3), as encoded in the "
    "Bayesian network repository (M. Scutari)"
)


class SachsCondition(NamedTuple):
    """One of the nine experiments.

    Examples
    --------
    >>> from arcs.datasets import SACHS_CONDITIONS
    >>> SACHS_CONDITIONS[5].target
    'mek'
    """

    name: str
    n_cells: int
    target: str | None
    effect: str


#: The experiments in the order of the rows.
SACHS_CONDITIONS: tuple[SachsCondition, ...] = (
    SachsCondition("CD3/CD28", 853, None, "general stimulation"),
    SachsCondition("CD3/CD28 + ICAM-2", 902, None, "general stimulation"),
    SachsCondition("CD3/CD28 + Akt inhibitor", 911, "akt", "inhibits Akt"),
    SachsCondition("CD3/CD28 + G06976", 723, "pkc", "inhibits PKC"),
    SachsCondition("CD3/CD28 + psitectorigenin", 810, "pip2", "inhibits PIP2"),
    SachsCondition("CD3/CD28 + U0126", 799, "mek", "inhibits MEK"),
    SachsCondition("CD3/CD28 + LY294002", 848, None, "inhibits PI3K (disputed: PIP3)"),
    SachsCondition("PMA", 913, "pkc", "activates PKC"),
    SachsCondition("b2cAMP", 707, "pka", "activates PKA"),
)

REFERENCE_EDGES = (
    ("pkc", "pka"),
    ("pkc", "raf"),
    ("pkc", "mek"),
    ("pkc", "jnk"),
    ("pkc", "p38"),
    ("pka", "raf"),
    ("pka", "mek"),
    ("pka", "erk"),
    ("pka", "akt"),
    ("pka", "jnk"),
    ("pka", "p38"),
    ("raf", "mek"),
    ("mek", "erk"),
    ("erk", "akt"),
    ("plcg", "pip2"),
    ("plcg", "pip3"),
    ("pip3", "pip2"),
)

#: What textbooks and reviews said before: Sachs et al. found one of these edges reversed
#: (pip3 -> plcg) and missed three.
TEXTBOOK_EDGES = (
    *(edge for edge in REFERENCE_EDGES if edge != ("plcg", "pip3")),
    ("pip3", "plcg"),
    ("pip2", "pkc"),
    ("plcg", "pkc"),
    ("pip3", "akt"),
)


@dataclass(frozen=True, eq=False)
class SachsData:
    """The Sachs data with everything that belongs to them.

    Attributes
    ----------
    data : Dataset
        Values, names of the proteins, interventions, and the nine experiments as conditions.
    conditions : ndarray of str, shape (n,)
        For each cell the name of its experiment (see `SACHS_CONDITIONS`).
    reference : Pdag
        The reference graph: a DAG of 17 directed edges over the same names.
    textbook : Pdag
        The 20 edges of the textbooks of the time, which the reference is one reversal and three
        edges away from.
    source, reference_source : str
        Where the data and the graph come from.
    transform : str
        "log" or "raw", or how the values were cut into levels.

    Examples
    --------
    >>> from arcs.datasets import load_sachs
    >>> load_sachs().reference.n_edges
    17
    """

    data: Dataset
    conditions: np.ndarray
    reference: Pdag
    textbook: Pdag
    source: str = SOURCE
    reference_source: str = REFERENCE_SOURCE
    transform: str = "log"

    def __repr__(self) -> str:
        n, p = self.conditions.size, len(self.data.names)
        return f"SachsData({n} cells, {p} proteins, {len(SACHS_CONDITIONS)} conditions)"


def load_sachs(pip3_target: bool = False, *, transform: Literal["log", "raw"] = "log") -> SachsData:
    """The protein-signalling data of Sachs et al., with interventions by name.

    Parameters
    ----------
    pip3_target : bool
        Count LY294002 as an intervention on pip3 (disputed) instead of none.
    transform : {"log", "raw"}
        Natural logarithm of the intensities (default), or the intensities as measured.

    Examples
    --------
    >>> sachs = load_sachs()
    >>> sachs
    SachsData(7466 cells, 11 proteins, 9 conditions)
    >>> sachs.reference.n_edges
    17
    """
    if transform not in ("log", "raw"):
        raise SettingsError(f"transform must be 'log' or 'raw', got {transform!r}")
    names, experiment, values = stored_table()
    conditions = np.array([condition.name for condition in SACHS_CONDITIONS])[experiment]
    conditions.flags.writeable = False
    targets = [targets_of(condition, pip3_target) for condition in SACHS_CONDITIONS]
    data = Dataset.from_array(
        np.log(values) if transform == "log" else values,
        names,
        interventions=Interventions.from_targets(targets, experiment, names),
        conditions=conditions,
        source="Sachs et al. (2005)",
    )
    graphs = (graph_of(REFERENCE_EDGES, names), graph_of(TEXTBOOK_EDGES, names))
    return SachsData(data, conditions, *graphs, transform=transform)


def stored_table() -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Names, number of the experiment (from 0) and intensities."""
    packed = files("arcs.datasets").joinpath("sachs.csv.gz").read_bytes()
    header, _, body = gzip.decompress(packed).decode("utf-8").partition("\n")
    table = np.loadtxt(io.StringIO(body), delimiter=",")
    return tuple(header.split(",")[1:]), table[:, 0].astype(np.int64) - 1, table[:, 1:]


def targets_of(condition: SachsCondition, pip3_target: bool) -> tuple[str, ...]:
    if pip3_target and condition.name.endswith("LY294002"):
        return ("pip3",)
    return () if condition.target is None else (condition.target,)


def graph_of(edges: Sequence[tuple[str, str]], names: tuple[str, ...]) -> Pdag:
    position = {name: k for k, name in enumerate(names)}
    directed = np.zeros((len(names), len(names)), dtype=bool)
    for cause, effect in edges:
        directed[position[cause], position[effect]] = True
    return Pdag(directed, np.zeros_like(directed), names)
