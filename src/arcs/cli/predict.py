"""``arcs predict``: what a network expects under interventions and given evidence."""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcs.cli import options
from arcs.cli.assignments import levels_by_name, numbers_by_name, values_by_name
from arcs.cli.console import message, output, print_json, safe
from arcs.cli.inputs import read_result
from arcs.cli.scales import scale_note

if TYPE_CHECKING:
    import numpy as np

    from arcs.results import FitResult
    from arcs.tables import Table

__all__ = ["predict"]


def predict(
    result: options.ResultPath,
    do: Annotated[
        list[str],
        typer.Option("--do", metavar="X=VALUE", help="A variable that is set (repeatable)."),
    ] = [],  # noqa: B006
    given: Annotated[
        list[str],
        typer.Option("--given", metavar="Z=VALUE", help="A variable that is seen (repeatable)."),
    ] = [],  # noqa: B006
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="Rows whose missing values are filled in."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where the rows go, as CSV.")
    ] = None,
    level: options.Level = 0.95,
    json_: options.Json = False,
) -> None:
    """Print mean, standard deviation and interval of every variable; of categories,
    probabilities of their levels.

    Several values separated by commas are a dose or a time course. With --data, every row of a
    table is the evidence instead: what is missing in it (also whole columns) is filled in, and the
    rows are written as CSV.

    \b
    Examples:
      arcs predict cells-arcs --do mek=2
      arcs predict cells-arcs --do mek=0,1,2 --given pka=1
      arcs predict cells-arcs --data new.csv --out filled.csv
      arcs predict patients-arcs --do smoker=no --given sex=f
    """
    from arcs.graphs import DiscreteDag, MixedDag

    found = read_result(result)
    if isinstance(found.dag, DiscreteDag | MixedDag):
        _categories(found, do, given, data, out, json_)
        return
    if data is not None:
        rows = _filled(found, data, do, given)
        _write_rows(found.names, rows, out)
        return
    if out is not None:
        raise typer.BadParameter("is for rows of --data", param_hint="--out")
    set_to: Any = values_by_name(do, found.names, "--do")
    seen: Any = values_by_name(given, found.names, "--given")
    answer = found.prediction(set_to, seen, level)
    if json_:
        print_json({"level": level, "variables": answer.rows()})
    else:
        _print_situations(answer.to_table())
        note = scale_note(found)
        if note:
            message(note)


def _print_situations(table: Table) -> None:
    """The table; of several situations, what is the same in all of them only once."""
    from arcs.tables import Table

    rows = table.rows()
    same: set[str] = set()
    if "situation" in table.columns:
        told: dict[str, set[tuple[float, float]]] = {}
        for row in rows:
            told.setdefault(row["variable"], set()).add((row["mean"], row["sd"]))
        same = {name for name, figures in told.items() if len(figures) == 1}
    kept = [row for row in rows if row["variable"] not in same]
    if kept:
        shown = Table({name: [row[name] for row in kept] for name in table.columns})
        output().print(safe(shown.to_text(len(kept))), soft_wrap=True)
    if same:
        first = [row for row in rows if row["situation"] == rows[0]["situation"]]
        once = [row for row in first if row["variable"] in same]
        columns = [name for name in table.columns if name != "situation"]
        output().print("the same in all situations:")
        alike = Table({name: [row[name] for row in once] for name in columns})
        output().print(safe(alike.to_text(len(once))), soft_wrap=True)


def _categories(
    found: Any, do: list[str], given: list[str], data: Path | None, out: Path | None, as_json: bool
) -> None:
    """Probabilities of levels, or rows with their most probable ones."""
    from arcs.graphs import MixedDag

    set_to = levels_by_name(do, found.names, "--do")
    seen = levels_by_name(given, found.names, "--given")
    if data is not None:
        if set_to or seen:
            raise typer.BadParameter("rows of --data are the evidence", param_hint="--do, --given")
        if isinstance(found.dag, MixedDag):
            found.impute(data)  # which says why not
        columns = found.dag.decoded(found.completed(_texts(data, found.names)))
        _write_columns(columns, out)
        return
    table = found.prediction_table(*(_several(found, part) for part in (set_to, seen)))
    if as_json:
        print_json({"variables": table.rows()})
    else:
        output().print(safe(table.to_text(len(table))), soft_wrap=True)


def _several(found: Any, values: Mapping[str, str]) -> dict[str, Any]:
    """Levels and numbers by name; what is no level itself but a list is several of them."""
    known = {name: own or () for name, own in zip(found.names, found.network.levels, strict=True)}
    parts = {name: [part.strip() for part in text.split(",")] for name, text in values.items()}
    return {
        name: parts[name] if text not in known[name] and len(parts[name]) > 1 else text
        for name, text in values.items()
    }


def _texts(path: Path, names: tuple[str, ...]) -> dict[str, list[str]]:
    """Columns of a file that are variables, as text."""
    from arcs.data.readers import open_table

    file = open_table(path)
    at = [j for j, name in enumerate(file.names) if name in names]
    if len(at) < len(file.names):
        message(f"note: {len(file.names) - len(at)} columns are no variables of the network")
    parts = [texts for _, texts in file.chunks([], at)]
    return {file.names[j]: [t for texts in parts for t in texts[k]] for k, j in enumerate(at)}


def _filled(result: FitResult, path: Path, do: list[str], given: list[str]) -> np.ndarray:
    """The rows of a file in the order of the variables, with what was missing."""
    import numpy as np

    from arcs.data import Dataset
    from arcs.data.checks import describe_columns
    from arcs.data.policies import KEEP
    from arcs.data.readers import open_table
    from arcs.effects import impute

    columns = open_table(path).names
    strange = [name for name in columns if name not in result.names]
    if strange:
        message(f"note: no variables of the network: {describe_columns(strange)}")
    table = Dataset.from_file(path, exclude=strange, missing=KEEP, constant="drop")
    rows = np.full((table.n, len(result.names)), np.nan)
    if table.values is not None:
        rows[:, [result.names.index(name) for name in table.names]] = table.values
    set_to: Any = numbers_by_name(do, result.names, "--do")
    for name, value in numbers_by_name(given, result.names, "--given").items():
        rows[:, result.names.index(name)] = value
    return impute(result.dag, rows, set_to)[0]


def _write_rows(names: tuple[str, ...], rows: np.ndarray, out: Path | None) -> None:
    texts = ([repr(float(value)) for value in column] for column in rows.T)
    _write_columns(dict(zip(names, texts, strict=True)), out)


def _write_columns(columns: Mapping[str, Sequence[str]], out: Path | None) -> None:
    from arcs.files import write_atomically

    rows = list(zip(*columns.values(), strict=True))

    def write(stream: Any) -> None:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)

    if out is None:
        write(sys.stdout)
        return
    with write_atomically(out) as stream:
        write(stream)
    message(f"{len(rows)} rows in {out}")
