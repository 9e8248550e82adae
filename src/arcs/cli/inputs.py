"""What the commands read: data with their interventions, graphs, results, settings."""

from __future__ import annotations

import contextlib
import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from arcs.data import Dataset
    from arcs.data.pipes import Poured
    from arcs.graphs import Dag, Pdag
    from arcs.results import FitResult

__all__ = [
    "column_list",
    "method_completion",
    "network_completion",
    "parse_settings",
    "read_data",
    "read_result",
    "read_structure",
    "refuse_unknown_method",
]


def read_data(
    path: Path,
    interventions: str | None = None,
    *,
    command: str = "fit",
    exclude: Sequence[str] = (),
    delimiter: str | None = None,
    transpose: bool = False,
    target_suffix: str = "",
    **reading: Any,
) -> Dataset:
    """The data; `interventions` is a file, if there is one of that name, or a column.

    What the file has that cannot be used is told in one go, with a command that would work.
    """
    from arcs.cli.diagnosis import Given, explained
    from arcs.cli.transposition import transposed
    from arcs.errors import DataError

    turned = transposed(path, delimiter) if transpose else contextlib.nullcontext(path)
    with turned as file:
        separator = "," if transpose else delimiter
        names = column_list(exclude, file, separator)
        try:
            dataset = _read(file, interventions, names, separator, target_suffix, reading)
        except DataError as error:
            if reading.get("discrete") is not None:
                raise  # text is no trouble there, and the error says what is
            given = Given(
                command,
                path,
                file,
                interventions,
                target_suffix,
                separator,
                reading.get("missing", "error"),
                reading.get("constant", "error"),
                names,
                _other_options(reading, delimiter, transpose),
                _role_columns(reading),
            )
            raise explained(error, given) from error
    if transpose:
        dataset.source = f"{path} (transposed)"
    else:
        _doubt_orientation(dataset)
    return dataset


def column_list(given: Sequence[str], file: Path, delimiter: str | None) -> list[str]:
    """Names of columns, also several separated by commas; one that holds a comma may be quoted."""
    if not any("," in text for text in given):
        return list(given)
    known: Sequence[str] = ()
    if file.is_file():
        from arcs.data.readers import open_table

        known = open_table(file, delimiter).names
    lists = [[text] if text in known else next(csv.reader([text])) for text in given]
    return [name.strip() for names in lists for name in names if name.strip()]


def _read(
    path: Path,
    interventions: str | None,
    exclude: list[str],
    delimiter: str | None,
    suffix: str,
    policies: dict[str, Any],
) -> Dataset:
    from arcs.data import Dataset
    from arcs.data.policies import KEEP

    shape: dict[str, Any] = {"exclude": exclude, "delimiter": delimiter}
    if interventions is None or not _is_file(Path(interventions)):
        design: Any = interventions
        if interventions is not None and suffix:
            design = _without_suffix(_label_column(path, interventions, delimiter), suffix)
            shape["exclude"] = [*exclude, interventions]
        return Dataset.from_file(path, interventions=design, **shape, **policies)
    # The design has a line for every row, also for those that are dropped later.
    named = ("adjust", "conditions", "discrete")
    roles: dict[str, Any] = {name: policies.get(name) for name in named}
    plain = Dataset.from_file(path, missing=KEEP, **shape, **roles)
    design = _read_design(Path(interventions), plain)
    return Dataset.from_array(
        plain.values,
        plain.names,
        interventions=_without_suffix(design, suffix) if isinstance(design, list) else design,
        source=str(path),
        **{
            **policies,
            "adjust": plain.covariates,
            "conditions": plain.conditions or roles["conditions"],
            "levels": dict(zip(plain.names, plain.levels or (), strict=False)),
        },
    )


def _label_column(path: Path, column: str, delimiter: str | None) -> list[str]:
    from arcs.data.readers import column_position, open_table

    file = open_table(path, delimiter)
    at = column_position(file.names, column, path)
    return [text for _, texts in file.chunks([], [at]) for text in texts[0]]


def _without_suffix(labels: list[str], suffix: str) -> list[str]:
    """Targets without what is written behind their names, such as "_KO"."""
    return [
        ",".join(part.strip().removesuffix(suffix) for part in label.split(",")) for label in labels
    ]


def _other_options(reading: dict[str, Any], delimiter: str | None, transpose: bool) -> list[str]:
    """What was said about reading, to be said again."""
    words = ["--transpose"] if transpose else []
    spelled = {"control": "--control", "adjust": "--adjust", "conditions": "--conditions"}
    spelled |= {"discrete": "--discrete", "discretize": "--discretize"}
    for name, option in spelled.items():
        value = reading.get(name)
        if value is not None:
            words += [option, value if isinstance(value, str) else ",".join(value)]
    if reading.get("unmeasured") == "drop":
        words.append("--drop-unmeasured")
    if reading.get("known_targets") is False:
        words += ["--intervention-kind", "unknown"]
    return [*words, *(["--delimiter", delimiter] if delimiter is not None else [])]


def _role_columns(reading: dict[str, Any]) -> list[str]:
    """Columns that were named as covariates or conditions."""
    adjust = reading.get("adjust") or ""
    adjusted = re.split(r"[,+~ ]+", adjust) if isinstance(adjust, str) else adjust
    return [name for name in (*adjusted, reading.get("conditions")) if name and name != "none"]


def _doubt_orientation(dataset: Dataset) -> None:
    """Warn about tables that seem to have their variables in rows."""
    import warnings

    from arcs.data.survey import names_samples
    from arcs.errors import DataWarning

    if dataset.p > 5 * dataset.n and names_samples(dataset.names):
        warnings.warn(
            f"{dataset.p:,} columns but only {dataset.n:,} rows, and the columns look like samples "
            f"({dataset.names[0]!r}, ...): if variables are in rows, use --transpose",
            DataWarning,
            stacklevel=2,
        )


def _is_file(path: Path) -> bool:
    """Whether there is something to read: a file, or a pipe."""
    try:
        return path.exists() and not path.is_dir()
    except OSError:  # too long for a path: a column's name
        return False


def _read_design(path: Path, data: Dataset) -> Any:
    """One label per line, or a table of 0 and 1 with columns named as in the data."""
    from arcs.data.pipes import once_only
    from arcs.errors import FileFormatError

    content = once_only(path)
    try:
        with path.open("rb") if content is None else content.open() as stream:
            lines = stream.read().decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path}: not UTF-8 text ({error.reason})") from None
    mask = _mask(path, content, lines, data)
    if mask is not None:
        return mask
    labels = [line.strip().strip('"') for line in lines]
    while len(labels) > data.n and not labels[-1]:
        labels.pop()
    if len(labels) == data.n + 1:
        return labels[1:]  # the first line is a heading
    if len(labels) != data.n:
        raise FileFormatError(
            f"{path}: {len(labels)} lines of intervention labels for {data.n} rows of data; give "
            "one label per row (blank or 'control' for none), or a 0/1 table with column names"
        )
    return labels


def _mask(path: Path, content: Poured | None, lines: list[str], data: Dataset) -> Any:
    """The design as a mask, or None if the first line does not name columns of the data only."""
    import numpy as np

    from arcs.data.delimited import DelimitedFile
    from arcs.data.interventions import Interventions
    from arcs.errors import FileFormatError

    if len(lines) < 2 or lines[1].strip('0123456789.,;|\t "') != "" or not lines[1].strip():
        return None
    table = DelimitedFile.open(path, content=content)
    unknown = [name for name in table.names if name not in data.names]
    if unknown:
        raise FileFormatError(
            f"{path}: {len(unknown)} columns of the table of interventions are not columns of the "
            f"data, such as {unknown[0]!r}"
        )
    blocks = [block for block, _ in table.chunks(range(len(table.names)))]
    mask = np.zeros((sum(map(len, blocks)), data.p))
    mask[:, [data.names.index(name) for name in table.names]] = np.concatenate(blocks)
    return Interventions.from_mask(mask, data.names)


def read_result(path: Path) -> FitResult:
    """A saved result; a folder stands for the ``result.json`` in it."""
    from arcs.results import FitResult

    return FitResult.load(path / "result.json" if path.is_dir() else path)


def read_structure(
    source: str, format: str | None = None, nodes: str | None = None
) -> tuple[Dag | Pdag, FitResult | None]:
    """A graph from a result, a graph file, or the repository (``network:NAME``).

    The result itself comes along if there is one. `nodes` are the names of all nodes, or a file
    that has them in its header, for graph files that do not list nodes without edges.
    """
    if source.startswith("network:"):
        from arcs.graphs import GaussianDag
        from arcs.simulate import network

        found = network(source.removeprefix("network:"))
        return found.gaussian or GaussianDag.from_adjacency(found.adjacency, found.names), None
    path = Path(source)
    if path.is_dir() or (format is None and _is_result(path)):
        result = read_result(path)
        return result.dag, result
    from arcs.graphs.formats import read_graph

    return read_graph(path, format, names=None if nodes is None else _node_names(nodes)), None


def _node_names(given: str) -> list[str]:
    """Names separated by commas, or the header of a file; of one column, all of its lines."""
    if not Path(given).is_file():
        return [name.strip() for name in given.split(",") if name.strip()]
    from arcs.data.readers import open_table

    names = open_table(Path(given)).names
    if len(names) > 1:
        return list(names)
    lines = Path(given).read_text(encoding="utf-8-sig").splitlines()
    return [line.strip() for line in lines if line.strip()]


def _is_result(path: Path) -> bool:
    if path.suffix == ".npz":
        return True
    if path.suffix != ".json" or not path.is_file():
        return False
    try:
        header = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return isinstance(header, dict) and header.get("format") == "arcs-fit-result"


def parse_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """``--set key=value``: numbers, true, false, null and lists as in JSON, otherwise text."""
    settings = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.isidentifier():
            raise typer.BadParameter(f"{pair!r} is not of the form KEY=VALUE", param_hint="--set")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        settings[key] = tuple(value) if isinstance(value, list) else value
    return settings


def refuse_unknown_method(name: str, option: str) -> None:
    """A usage error for a method that does not exist."""
    from arcs.errors import nearest_name
    from arcs.learners import learner_names

    known = learner_names()
    if name not in known:
        near = nearest_name(name, known)
        raise typer.BadParameter(
            f"there is no method {name!r}{near or '.'} Known: {', '.join(known)}.",
            param_hint=option,
        )


def method_completion(incomplete: str) -> list[str]:
    """Names of learners that begin so, for the shell."""
    from arcs.learners import learner_names

    return [name for name in learner_names() if name.startswith(incomplete)]


def network_completion(incomplete: str) -> list[str]:
    """Names of networks that begin so, for the shell."""
    from arcs.simulate import network_names

    return [name for name in network_names() if name.startswith(incomplete)]
