"""The page of results: a pure function of the rows, but for the pictures it writes.

Every study with rows gets a section: the command, a summary, the table or figure, and what a reader
has to know. The page is Markdown; figures are PNG files in a folder beside it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from arcs.errors import DataError
from arcs.experiments.cases import FIRST_SEED
from arcs.experiments.figures import bic_percentiles, draw
from arcs.experiments.rows import Row, current_rows
from arcs.experiments.studies import FIGURES, TABLES, Study
from arcs.experiments.tables import Table, as_markdown, as_matrix, make_table
from arcs.files import write_atomically

__all__ = ["Summary", "summarise", "write_report"]


@dataclass(frozen=True)
class Summary:
    """One method over all settings of a table.

    Attributes
    ----------
    method : str
    settings : int
        Settings with at least one run.
    shd : float
        Sum over these settings of the mean SHD.
    compared : int
        Settings with runs of ours and a figure of the paper.
    ours, paper : float
        Sums of the mean SHDs over the settings in both.
    not_worse : int
        Settings in which our mean, rounded as the paper's is, does not exceed the paper's.
    seconds : float
        Largest of the settings' median times.
    """

    method: str
    settings: int
    shd: float
    compared: int
    ours: float
    paper: float
    not_worse: int
    seconds: float


def summarise(table: Table) -> list[Summary]:
    """Every method with runs, over all settings of the table."""
    found = []
    for method in table.study.methods:
        lines = [line for line in table.lines if line.method == method and line.data_sets]
        if not lines:
            continue
        both = [(line.means["SHD"], line.paper["SHD"]) for line in lines if line.paper]
        found.append(
            Summary(
                method=method,
                settings=len(lines),
                shd=sum(line.means["SHD"] for line in lines),
                compared=len(both),
                ours=sum(ours for ours, _ in both),
                paper=sum(paper for _, paper in both),
                not_worse=sum(ours < paper + 0.5 for ours, paper in both),
                seconds=max(line.seconds for line in lines),
            )
        )
    return found


def write_report(
    rows: Iterable[Row],
    path: str | os.PathLike[str],
    *,
    figures: str | os.PathLike[str] | None = None,
    machine: str = "",
    store: str = "results/rows.csv",
) -> Path:
    """Write the page.

    Parameters
    ----------
    rows : iterable of Row
        All rows there are.
    path : path
        The Markdown file.
    figures : path, optional
        Folder of the pictures; ``figures`` beside the page by default.
    machine : str
        What the times were measured on.
    store : str
        How the page refers to the file of rows.
    """
    page = Path(path)
    folder = Path(figures) if figures is not None else page.parent / "figures"
    kept = current_rows(rows)
    parts = [_opening(kept, machine, store), _headlines(kept)]
    parts += [_table_section(make_table(s, kept)) for s in TABLES if _has_rows(s, kept)]
    drawn = [_figure_section(s, kept, page, folder) for s in FIGURES if _has_rows(s, kept)]
    parts += [section for section in drawn if section is not None]
    page.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(page) as stream:
        stream.write("\n\n".join(parts) + "\n")
    return page


def _has_rows(study: Study, rows: Sequence[Row]) -> bool:
    keys = {case.key for case in study.cases}
    return any(row.ok and row.case in keys and row.method in study.methods for row in rows)


def _opening(rows: Sequence[Row], machine: str, store: str) -> str:
    hours = sum(row.seconds or 0.0 for row in rows) / 3600
    versions = sorted({row.versions for row in rows})
    seeds = sorted({row.seed for row in rows})
    span = f"{seeds[0]} to {seeds[-1]}" if seeds else "none yet"
    where = f" ({machine}, one core per fit)" if machine else ""
    lines = [
        "# Results",
        "",
        "This page is made by `arcs experiment report` from the rows in "
        f"`{store}`, one row per setting, data set and method. Anybody can make the rows again:",
        "",
        "<!-- not run: it takes hours -->",
        "```console",
        "$ arcs experiment run table1  # only what is missing is run; --quick for 3 data sets",
        "$ arcs experiment table table1",
        "$ arcs experiment report",
        "```",
        "",
        f"Data sets are drawn as in the paper's Section 5.1 with seeds {span}; seeds below 100 "
        f"were used to choose settings, reported seeds start at {FIRST_SEED}. Columns are in "
        "random order. P, TP, R and FP are estimated, correct, reversed and extra edges; SHD is "
        "the structural Hamming distance (smaller is better), JI the Jaccard index (larger is "
        "better), all as the paper defines them and as means over data sets. *s* is the median "
        "time of a fit in seconds, *sets* the number of data sets. ARCS with a start in brackets "
        "is the published method; ARCS alone is this package's default, from a random order. "
        "Oracle lines are given the true order. The best SHD of a setting is bold.",
        "",
        f"{len(rows)} runs, {hours:.1f} hours of fitting{where}; {'; '.join(versions)}.",
    ]
    return "\n".join(lines)


def _headlines(rows: Sequence[Row]) -> str:
    """What the tables say, in three sentences."""
    by_name = {s.name: make_table(s, rows) for s in TABLES}
    observational, experimental = ("table1", "table2"), ("table5",)
    lines = ["## In short", ""]
    for method, names, data in (
        ("ARCS(GES)", observational, "observational"),
        ("ARCS(CD)", experimental, "experimental"),
    ):
        parts = [x for n in names for x in summarise(by_name[n]) if x.method == method]
        compared, good = sum(x.compared for x in parts), sum(x.not_worse for x in parts)
        if compared:
            lines.append(
                f"- {method}, the published method, on {data} data: mean SHD at or below the "
                f"paper's in {good} of {compared} settings (sum of mean SHDs "
                f"{sum(x.ours for x in parts):.0f}; the paper's "
                f"{sum(x.paper for x in parts):.0f})."
            )
    best, settings = 0, 0
    for name in (*observational, *experimental):
        ours = [x.case for x in by_name[name].lines if x.method == "ARCS" and x.data_sets]
        settings += len(ours)
        best += sum("ARCS" in by_name[name].best(case) for case in ours)
    if settings:
        lines.append(
            f"- ARCS as this package runs it by default, from a random order: the smallest mean "
            f"SHD of all methods in {best} of {settings} settings of Tables 1, 2 and 5."
        )
    return "\n".join(lines) if len(lines) > 2 else "## In short\n\nNo run of ARCS yet."


def _table_section(table: Table) -> str:
    study = table.study
    parts = [
        f"## Table {study.paper_table}: {study.title}",
        f"`arcs experiment run {study.name}`",
        _summary_text(summarise(table)),
        as_markdown(table),
    ]
    notes = table.notes()
    if notes:
        parts.append("\n".join(f"- {note}" for note in notes))
    return "\n\n".join(parts)


def _summary_text(found: Sequence[Summary]) -> str:
    names = ("method", "settings", "sum of SHD", "same settings: ours", "paper's", "at or below")
    lines = [f"| {' | '.join(names)} | largest s |", "| --- | --: | --: | --: | --: | --: | --: |"]
    for line in found:
        beside = ["-", "-", "-"]
        if line.compared:
            beside = [f"{line.ours:.0f}", f"{line.paper:.0f}"]
            beside.append(f"{line.not_worse} of {line.compared}")
        start = [line.method, str(line.settings), f"{line.shd:.1f}"]
        lines.append(f"| {' | '.join([*start, *beside, f'{line.seconds:.2f}'])} |")
    return "\n".join(lines)


def _figure_section(study: Study, rows: Sequence[Row], page: Path, folder: Path) -> str | None:
    """The section of a figure, or None while a part that it needs has not been run."""
    try:
        figure = draw(study.name, rows)
    except DataError:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / f"{study.name}.png"
    with write_atomically(picture, "wb") as stream:
        # Without the software's name in it, the same rows give the same file.
        figure.savefig(stream, format="png", dpi=110, metadata={"Software": None})
    link = os.path.relpath(picture, page.parent).replace(os.sep, "/")
    parts = [f"## {study.title}", f"`arcs experiment run {study.name}`"]
    parts.append(f"![{study.title}]({link})")
    if study.name == "bic":
        parts.append(_percentile_text(rows))
    else:
        parts.append(as_matrix(make_table(study, rows)))
    if study.note:
        parts.append(study.note)
    return "\n\n".join(parts)


def _percentile_text(rows: Sequence[Row]) -> str:
    found = [
        f"{value:.0f} for ARCS({start}) with n = {case.setting.n}"
        for case, start, value in bic_percentiles(rows)
    ]
    return (
        "Percentile of the BIC's choice among the SHDs of all points of the grid (smaller is "
        f"better; the paper has 14 to 16 for CD and 3 to 16 for GES): {', '.join(found)}."
    )
