"""The paper's tables and figures as lists of cases and methods."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from arcs.errors import SettingsError, nearest_name
from arcs.experiments.cases import (
    CONTROLS,
    EQUAL_VARIANCES,
    EXPERIMENTAL,
    HIGH_DIMENSIONAL,
    LOW_DIMENSIONAL,
    SAMPLE_SIZES,
    Case,
)
from arcs.experiments.methods import GRID_GAMMAS, GRID_LAMBDAS, grid_label

__all__ = ["DATA_SETS", "FIGURES", "STUDIES", "TABLES", "Study", "study"]

#: Data sets per setting in the paper.
DATA_SETS = 20


@dataclass(frozen=True)
class Study:
    """One table or figure.

    Attributes
    ----------
    name : str
        What the command line calls it.
    title : str
        Its caption.
    cases : tuple of Case
        In the order of the table.
    methods : tuple of str
        Labels of the methods, the paper's first.
    paper_table : int or None
        Number of the table in the paper; None for a figure.
    note : str
        What else a reader should know.

    Examples
    --------
    >>> from arcs.experiments import study
    >>> len(study("table1").cases)
    7
    """

    name: str
    title: str
    cases: tuple[Case, ...]
    methods: tuple[str, ...]
    paper_table: int | None = None
    note: str = ""


_OURS = ("ARCS", "FLOP", "BOSS", "oracle MCP", "oracle l0")
_STARTS = ("CD", "ARCS(CD)", "GES", "ARCS(GES)")
_OTHERS = ("HC", "PC", "MMHC", "GA", "ARCS(GES)")

TABLES: tuple[Study, ...] = (
    Study(
        "table1",
        "ARCS and its initial estimates, observational data, n < p",
        HIGH_DIMENSIONAL,
        (*_STARTS, *_OURS),
        1,
        note="FLOP needs more rows than columns.",
    ),
    Study(
        "table2",
        "ARCS and its initial estimates, observational data, n > p",
        LOW_DIMENSIONAL,
        (*_STARTS, *_OURS),
        2,
    ),
    Study(
        "table3",
        "ARCS and other methods, observational data, n < p",
        HIGH_DIMENSIONAL,
        (*_OTHERS, "ARCS"),
        3,
    ),
    Study(
        "table4",
        "ARCS and other methods, observational data, n > p",
        LOW_DIMENSIONAL,
        (*_OTHERS, "ARCS"),
        4,
    ),
    Study(
        "table5",
        "Experimental data, five rows per variable under intervention",
        EXPERIMENTAL,
        ("CD", "ARCS(CD)", "GIES", "ARCS(GIES)", "ARCS(RND)", "ARCS", "oracle MCP", "oracle l0"),
        5,
    ),
)

_GRID = tuple(
    grid_label(start, i, k)
    for start, i, k in itertools.product(
        ("CD", "GES"), range(len(GRID_GAMMAS)), range(len(GRID_LAMBDAS))
    )
)

FIGURES: tuple[Study, ...] = (
    Study(
        "sample-size",
        "SHD by sample size, observational data",
        SAMPLE_SIZES,
        (*_STARTS, "ARCS"),
    ),
    Study(
        "interventions",
        "Experimental against observational data of the same size",
        (*EXPERIMENTAL, *CONTROLS),
        ("ARCS(CD)", "ARCS"),
        note="In both cases directions are judged by the rule of the case: up to equivalence for "
        "observational data, directly for experimental data.",
    ),
    Study(
        "bic",
        "The BIC's choice among all points of the grid of (gamma, lambda)",
        tuple(c for c in SAMPLE_SIZES if c.key.startswith(("Andes-n200", "Andes-n400"))),
        ("ARCS(CD)", "ARCS(GES)", *_GRID),
    ),
    Study(
        "random-start",
        "A random start against the start from CD, experimental data",
        EXPERIMENTAL,
        ("ARCS(RND)", "ARCS(CD)", "ARCS"),
    ),
    Study(
        "listen",
        "LISTEN on data that meet its assumption: noise of equal variances",
        EQUAL_VARIANCES,
        ("LISTEN", "ARCS(GES)", "ARCS"),
    ),
    Study(
        "penalties",
        "MCP against l1, from the same start",
        (*HIGH_DIMENSIONAL, *LOW_DIMENSIONAL),
        ("ARCS(GES)", "ARCS(GES) l1"),
    ),
)

#: Every study by its name.
STUDIES: Mapping[str, Study] = MappingProxyType({s.name: s for s in (*TABLES, *FIGURES)})


def study(name: str) -> Study:
    """The study of that name.

    Examples
    --------
    >>> from arcs.experiments import study
    >>> study("table5").title
    'Experimental data, five rows per variable under intervention'
    """
    if name not in STUDIES:
        raise SettingsError(
            f"there is no experiment {name!r}{nearest_name(name, STUDIES) or '.'} Known: "
            f"{', '.join(STUDIES)}"
        )
    return STUDIES[name]
