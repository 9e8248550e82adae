"""The paper's tables and figures, each by one command.

Data sets (:mod:`~arcs.experiments.cases`) times methods (:mod:`~arcs.experiments.methods`) give
tasks; a run of a task gives a row; rows are appended to a file and never computed twice; tables,
figures and the page of results are pure functions of the rows. The command line is
``arcs experiment``.

>>> from arcs.experiments import RowStore, make_table, as_text, study
>>> table = make_table(study("table1"), RowStore("results/rows.csv").rows())
>>> print(as_text(table))                                      # doctest: +SKIP
"""

from arcs.experiments.cases import CASES, FIRST_SEED, Case, case
from arcs.experiments.methods import METHODS, Method, method, methods_named
from arcs.experiments.reported import reported
from arcs.experiments.rows import Row, current_rows
from arcs.experiments.store import RowStore, write_parquet
from arcs.experiments.studies import FIGURES, STUDIES, TABLES, Study, study
from arcs.experiments.tables import Table, as_csv, as_markdown, as_text, make_table

__all__ = [
    "CASES",
    "FIGURES",
    "FIRST_SEED",
    "METHODS",
    "STUDIES",
    "TABLES",
    "Case",
    "Method",
    "Row",
    "RowStore",
    "Study",
    "Table",
    "as_csv",
    "as_markdown",
    "as_text",
    "case",
    "current_rows",
    "make_table",
    "method",
    "methods_named",
    "reported",
    "study",
    "write_parquet",
]
