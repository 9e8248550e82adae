"""Tables as pure functions of the rows: means over data sets, the paper's figures beside them.

A mean is over the runs that came to their proper end. Runs that hit the time limit or failed are
counted and named below the table; they do not enter a mean. As a method that gives up on the hard
data sets only would look better than it is, the number of data sets stands in every line.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from arcs.experiments.cases import Case
from arcs.experiments.reported import REPORTED_METRICS, reported
from arcs.experiments.rows import METRICS, Row, current_rows
from arcs.experiments.studies import Study

__all__ = ["Line", "Table", "as_csv", "as_markdown", "as_matrix", "as_text", "make_table"]

#: Shown of ours and, beside it, of the paper.
_SHOWN = REPORTED_METRICS


@dataclass(frozen=True)
class Line:
    """One method in one setting.

    Attributes
    ----------
    case : Case
    method : str
    data_sets : int
        Runs that the means are over.
    means : mapping
        Mean of each metric, empty without runs.
    spread : float
        Standard error of the mean SHD; NaN with fewer than two runs.
    seconds : float
        Median time of a fit; NaN without runs.
    paper : mapping
        The paper's figures, empty if it has none.
    timeouts, errors : int
        Runs that are not in the means.
    problem : str
        The first error's message.
    """

    case: Case
    method: str
    data_sets: int = 0
    means: Mapping[str, float] = field(default_factory=dict)
    spread: float = math.nan
    seconds: float = math.nan
    paper: Mapping[str, float] = field(default_factory=dict)
    timeouts: int = 0
    errors: int = 0
    problem: str = ""


@dataclass(frozen=True)
class Table:
    """A study's lines, in the order of its cases and methods.

    Examples
    --------
    >>> from arcs.experiments import make_table, study
    >>> make_table(study("table1"), []).study.name
    'table1'
    """

    study: Study
    lines: tuple[Line, ...]

    def best(self, case: Case) -> frozenset[str]:
        """Methods with the smallest mean SHD in a setting, to the tenth; oracles do not compete."""
        means = {
            line.method: round(line.means["SHD"], 1)
            for line in self.lines
            if line.case == case and line.means and not line.method.startswith("oracle")
        }
        return frozenset(m for m, value in means.items() if value == min(means.values()))

    def notes(self) -> list[str]:
        """What the figures alone do not say."""
        most = max((line.data_sets for line in self.lines), default=0)
        found = [self.study.note] if self.study.note else []
        few = sorted({line.method for line in self.lines if 0 < line.data_sets < most})
        if few:
            found.append(
                f"Fewer than {most} data sets for {', '.join(few)}: see the column of data sets."
            )
        for line in self.lines:
            found.extend(_incidents(line))
        return found


def make_table(study: Study, rows: Iterable[Row]) -> Table:
    """The table of a study from any rows that contain its own.

    Examples
    --------
    >>> from arcs.experiments import make_table, study
    >>> len(make_table(study("table1"), []).lines) > 0
    True
    """
    by_cell: dict[tuple[str, str], list[Row]] = {}
    for row in current_rows(rows):
        by_cell.setdefault((row.case, row.method), []).append(row)
    paper = {} if study.paper_table is None else reported(study.paper_table)
    lines = []
    for case in study.cases:
        for method in study.methods:
            figures = paper.get((case.setting.name, case.setting.n, method), {})
            runs = by_cell.get((case.key, method), [])
            if runs or figures:
                lines.append(_line(case, method, runs, figures))
    return Table(study, tuple(lines))


def _line(case: Case, method: str, runs: Sequence[Row], paper: Mapping[str, float]) -> Line:
    done = [row for row in runs if row.ok]
    failed = [row for row in runs if row.status.startswith("error")]
    means = {name: _mean([getattr(row, name) for row in done]) for name in METRICS} if done else {}
    return Line(
        case=case,
        method=method,
        data_sets=len(done),
        means=means,
        spread=_standard_error([float(row.SHD or 0) for row in done]),
        seconds=_median([row.seconds for row in done if row.seconds is not None]),
        paper=paper,
        timeouts=sum(row.status == "timeout" for row in runs),
        errors=len(failed),
        problem=failed[0].status if failed else "",
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _standard_error(values: Sequence[float]) -> float:
    count = len(values)
    if count < 2:
        return math.nan
    centre = _mean(values)
    return math.sqrt(math.fsum((v - centre) ** 2 for v in values) / (count - 1) / count)


def _median(values: Sequence[float]) -> float:
    if not values:
        return math.nan
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _incidents(line: Line) -> list[str]:
    runs = line.data_sets + line.timeouts + line.errors
    where = f"{line.method} on {line.case.label}"
    found = []
    if line.timeouts:
        found.append(f"{where}: {line.timeouts} of {runs} runs reached the time limit.")
    if line.errors:
        found.append(f"{where}: {line.errors} of {runs} runs failed ({line.problem}).")
    return found


# ---------------------------------------------------------------------------- cells of the output
def _cell(name: str, value: float | None) -> str:
    if value is None or math.isnan(value):
        return "-"
    if name == "JI":
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def _seconds(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def _paper_cell(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if name == "JI" else f"{value:.0f}"


def _cells(line: Line) -> list[str]:
    """What stands in a line after the network's and the method's names."""
    ours = [_cell(name, line.means.get(name)) for name in _SHOWN]
    theirs = [_paper_cell(name, line.paper.get(name)) for name in _SHOWN]
    return [*ours, _seconds(line.seconds), str(line.data_sets), *theirs]


_HEADS = (*_SHOWN, "s", "sets", *_SHOWN)


def as_text(table: Table) -> str:
    """The table for a terminal; the best SHD of a setting has a star.

    Examples
    --------
    >>> from arcs.experiments import as_text, make_table, study
    >>> "Andes" in as_text(make_table(study("table1"), []))
    True
    """
    body: list[list[str]] = []
    for line in table.lines:
        star = "*" if line.method in table.best(line.case) else ""
        cells = _cells(line)
        cells[_SHOWN.index("SHD")] += star or " "
        body.append([line.method, *cells])
    heads = ["method", *_HEADS]
    heads[1 + _SHOWN.index("SHD")] += " "
    widths = [max(len(row[k]) for row in [heads, *body]) for k in range(len(heads))]
    left = widths[0] + sum(2 + w for w in widths[1 : len(_SHOWN) + 3])
    text = [table.study.title, "", " " * left + "  | the paper's", _justified(heads, widths)]
    previous = None
    for line, row in zip(table.lines, body, strict=True):
        if line.case != previous:
            text.append(line.case.label)
            previous = line.case
        text.append(_justified(row, widths))
    notes = ["* smallest mean SHD of the setting; s: median seconds of a fit", *table.notes()]
    return "\n".join([*text, "", *notes])


def _justified(cells: Sequence[str], widths: Sequence[int]) -> str:
    """First column to the left, the others to the right, a bar before the paper's figures."""
    parts = [cells[0].ljust(widths[0])]
    for k in range(1, len(cells)):
        parts.append(" |" if k == len(_SHOWN) + 3 else "")
        parts[-1] += "  " + cells[k].rjust(widths[k])
    return "".join(parts).rstrip()


def as_markdown(table: Table) -> str:
    """The table for a page; the best SHD of a setting is bold.

    Examples
    --------
    >>> from arcs.experiments import as_markdown, make_table, study
    >>> as_markdown(make_table(study("table1"), [])).startswith("|")
    True
    """
    heads = ["network (p, s0, n)", "method", *_HEADS[: len(_SHOWN) + 2]]
    heads += [f"paper {name}" for name in _SHOWN]
    lines = [_piped(heads), _piped(["---", "---", *["--:"] * (len(heads) - 2)])]
    previous = None
    for line in table.lines:
        cells = _cells(line)
        if line.method in table.best(line.case):
            at = _SHOWN.index("SHD")
            cells[at] = f"**{cells[at]}**"
        name = "" if line.case == previous else line.case.label
        previous = line.case
        lines.append(_piped([name, line.method, *cells]))
    return "\n".join(lines)


def as_matrix(table: Table, metric: str = "SHD") -> str:
    """Means of one metric for a page: a line per setting, a column per method."""
    methods = [m for m in table.study.methods if any(m == x.method for x in table.lines)]
    values = {(line.case.key, line.method): line for line in table.lines}
    lines = [_piped([f"mean {metric}", *methods]), _piped(["---", *["--:"] * len(methods)])]
    for case in table.study.cases:
        here = [values.get((case.key, m)) for m in methods]
        cells = [_cell(metric, None if x is None else x.means.get(metric)) for x in here]
        if any(cell != "-" for cell in cells):
            kind = ", experimental" if case.setting.experimental else ""
            lines.append(_piped([case.label + kind, *cells]))
    return "\n".join(lines)


def _piped(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def as_csv(table: Table) -> str:
    """The table for machines, with all digits.

    Examples
    --------
    >>> from arcs.experiments import as_csv, make_table, study
    >>> isinstance(as_csv(make_table(study("table1"), [])), str)
    True
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    heads = ["network", "p", "s0", "n", "method", "data_sets", *METRICS, "SHD_standard_error"]
    heads += ["seconds", "timeouts", "errors", *(f"paper_{name}" for name in _SHOWN)]
    writer.writerow(heads)
    for line in table.lines:
        s = line.case.setting
        means = [line.means.get(name, "") for name in METRICS]
        spread = ["" if math.isnan(v) else v for v in (line.spread, line.seconds)]
        paper = [line.paper.get(name, "") for name in _SHOWN]
        counts = [line.timeouts, line.errors]
        start = [s.name, s.p, s.s0, s.n, line.method, line.data_sets]
        writer.writerow([*start, *means, *spread, *counts, *paper])
    return stream.getvalue()
