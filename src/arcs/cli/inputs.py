"""What the commands read: data with their interventions, graphs, results, settings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from arcs.data import Dataset
    from arcs.graphs import GaussianDag, Pdag
    from arcs.results import FitResult

__all__ = [
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
    control: str | None = None,
    exclude: Sequence[str] = (),
    delimiter: str | None = None,
    drop_unmeasured: bool = False,
    missing: str = "error",
    drop_constant: bool = False,
    known_targets: bool = True,
) -> Dataset:
    """The data; `interventions` is a file, if there is one of that name, or a column."""
    from arcs.data import Dataset
    from arcs.data.policies import KEEP

    shape: dict[str, Any] = {"exclude": exclude, "delimiter": delimiter}
    policies: dict[str, Any] = {
        "control": control,
        "unmeasured": "drop" if drop_unmeasured else "error",
        "constant": "drop" if drop_constant else "error",
        "missing": missing,
        "known_targets": known_targets,
    }
    if interventions is None or not Path(interventions).is_file():
        return Dataset.from_file(path, interventions=interventions, **shape, **policies)
    # The design has a line for every row, also for those that are dropped later.
    plain = Dataset.from_file(path, missing=KEEP, **shape)
    return Dataset.from_array(
        plain.values,
        plain.names,
        interventions=_read_design(Path(interventions), plain),
        source=str(path),
        **policies,
    )


def _read_design(path: Path, data: Dataset) -> Any:
    """One label per line, or a table of 0 and 1 with columns named as in the data."""
    from arcs.errors import FileFormatError

    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path}: not UTF-8 text ({error.reason})") from None
    mask = _mask(path, lines, data)
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


def _mask(path: Path, lines: list[str], data: Dataset) -> Any:
    """The design as a mask, or None if the first line does not name columns of the data only."""
    import numpy as np

    from arcs.data.delimited import DelimitedFile
    from arcs.data.interventions import Interventions
    from arcs.errors import FileFormatError

    if len(lines) < 2 or lines[1].strip('0123456789.,;|\t "') != "" or not lines[1].strip():
        return None
    table = DelimitedFile.open(path)
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
    source: str, format: str | None = None
) -> tuple[GaussianDag | Pdag, FitResult | None]:
    """A graph from a result, a graph file, or the repository (``network:NAME``).

    The result itself comes along if there is one.
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

    return read_graph(path, format), None


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
    from arcs.data.interventions import nearest_name
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
