"""Keeping a work: a folder with every fit, what was said, and how to do it again.

::

    work.json          choices, history, where the data came from and their fingerprint
    commands.sh        the fits as shell commands, in order
    commands.py        the last one as Python
    fit-1/, fit-2/     what ``arcs fit`` writes: result.json, edges.csv, report.html, ...
    knowledge-2.toml   what was known in fit 2
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arcs.app.choices import Choices, Start, command_line, python_code
from arcs.app.fits import failure_text
from arcs.app.tables import Table, look_at
from arcs.app.windows import Fit, Window
from arcs.cli.bundle import output_folder, write_bundle
from arcs.discrete_results import StrengthResult
from arcs.errors import ArcsError, FileFormatError
from arcs.files import write_atomically
from arcs.knowledge import Knowledge
from arcs.knowledge.files import write_knowledge
from arcs.results import FitResult

__all__ = ["begin", "keep_aside", "leftover_works", "open_work", "save_work"]

_FORMAT, _VERSION = "arcs-app-work", 1
#: Where a window keeps what must survive the death of the server.
_ASIDE = "work"
#: Graphviz, which draws graph.svg, is not made for several threads.
_DRAWING = threading.Lock()


def save_work(window: Window, folder: Path) -> list[str]:
    """Write everything; returns the names of the files."""
    table = window.needed_table()
    window.fit_number()  # refuses a work without a fit
    with output_folder(folder), _DRAWING:
        for fit in window.fits:
            write_bundle(fit.result, folder / f"fit-{fit.number}").refuse_failures()
            if fit.start.knowledge is not None:
                write_knowledge(fit.start.knowledge, folder / f"knowledge-{fit.number}.toml")
    texts = {
        "commands.sh": "#!/bin/sh\nset -e\n" + "\n".join(_commands(window, table)) + "\n",
        "commands.py": python_code(*_recipe(window.fit_number(), table)) + "\n",
        "work.json": json.dumps(_record(window, table), indent=1) + "\n",
    }
    for name, text in texts.items():
        with write_atomically(folder / name) as stream:
            stream.write(text)
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def _recipe(fit: Fit, table: Table) -> tuple[Choices, Table, Start, int]:
    return fit.choices, table, fit.start, fit.number


def _commands(window: Window, table: Table) -> list[str]:
    return [command_line(*_recipe(fit, table)) for fit in window.fits]


def _record(window: Window, table: Table) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "data": {
            "path": str(table.path),
            "title": table.title,
            "sha256": _fingerprint(table.path),
        },
        "current": window.current,
        "fits": [
            {
                "number": fit.number,
                "from": fit.start.number,
                "said": fit.said,
                "knowledge": fit.start.knowledge is not None,
                "choices": fit.choices.to_dict(),
            }
            for fit in window.fits
        ],
    }


def begin(window: Window) -> str:
    """Take up what the server was started with, once; returns a remark, or nothing."""
    path, window.first = window.first, None
    if path is None:
        return ""
    try:
        if path.is_dir() or path.suffix in (".json", ".npz"):
            return open_work(window, path)
        window.take_table(path.absolute())
    except (ArcsError, OSError) as error:
        return failure_text(error)
    return ""


def keep_aside(window: Window) -> None:
    """Write what a server that is killed would lose; the next one offers it."""
    folder = window.folder / _ASIDE
    folder.mkdir(exist_ok=True)
    for fit in window.fits:
        target = folder / f"fit-{fit.number}"
        if not (target / "result.json").exists():
            target.mkdir(exist_ok=True)
            fit.result.save(target / "result.json")
            if fit.start.knowledge is not None:
                write_knowledge(fit.start.knowledge, folder / f"knowledge-{fit.number}.toml")
    with write_atomically(folder / "work.json") as stream:
        stream.write(json.dumps(_record(window, window.needed_table()), indent=1))


def leftover_works(here: Path) -> list[dict[str, Any]]:
    """What servers that were killed left behind, beside the folder of this one; latest first."""
    found = []
    for record in here.parent.glob(f"*/*/{_ASIDE}/work.json"):
        if record.is_relative_to(here) or _alive(record.parents[2].name):
            continue
        try:
            content = _read_record(record)
        except FileFormatError:
            continue
        told = {"title": content["data"]["title"], "fits": len(content["fits"])}
        found.append((record.stat().st_mtime, {**told, "folder": str(record.parent)}))
    return [told for _, told in sorted(found, key=lambda pair: -pair[0])[:3]]


def _alive(folder: str) -> bool:
    """Whether the process that a folder is named after still runs."""
    number = folder.partition("-")[0]
    if not number.isdigit():
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def open_work(window: Window, folder: Path) -> str:
    """Take up a saved work, or a folder that ``arcs fit`` wrote; returns a remark, or nothing."""
    if not (folder / "work.json").exists():
        return _open_result(window, folder)
    record = _read_record(folder / "work.json")
    fits = [_read_fit(folder, entry) for entry in record["fits"]]
    path = Path(record["data"]["path"])
    remark, table = "", None
    if not path.exists():
        remark = f"the data are no longer at {path}: the graphs can be looked at, not fitted again"
    else:
        table = look_at(path, record["data"]["title"])
        if _fingerprint(path) != record["data"]["sha256"]:
            remark = f"{path} has changed since: a new fit will not be of the same data"
    with window.lock:
        window.cancel()
        window.table, window.fits, window.current = table, fits, record["current"]
        window.choices = window.fit_number().choices
        window._data = None
    return remark


def _open_result(window: Window, folder: Path) -> str:
    from arcs.cli.inputs import read_result

    result = read_result(folder)
    source = Path(result.source)
    with window.lock:
        window.cancel()
        if source.is_file():
            window.take_table(source)
        else:
            window.table = None
        settings = result.settings
        if isinstance(result, StrengthResult):
            window.choices = window.choices.with_(roles=_roles(result, window.choices.roles))
        choices = window.choices.with_(method=result.method, seed=result.seed or 0)
        known = settings.get("knowledge")
        start = Start(None, Knowledge(**known) if known else None)
        window.fits, window.current = [Fit(1, result, choices, start, "opened")], 1
    return "" if window.table else "the data of this result are not here: it can be looked at only"


def _roles(result: StrengthResult, proposed: Mapping[str, str]) -> dict[str, str]:
    """Roles of columns as they must have been in a fit with categories.

    What was cut into levels is proposed as a number: the way is not known any more.
    """
    levels: Any = result.dag
    kinds = dict(zip(result.names, levels.levels, strict=True))
    cut = result.preparation.get("discretize", {}).get("cuts", {})
    return {
        name: ("category" if kinds[name] and name not in cut else "variable")
        if name in kinds
        else ("out" if role in ("variable", "category") else role)
        for name, role in proposed.items()
    }


def _read_record(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{path}: damaged or not a saved work ({error})") from None
    if not isinstance(record, dict) or record.get("format") != _FORMAT:
        raise FileFormatError(f"{path}: not a saved work of arcs app")
    if record.get("version", 0) > _VERSION:
        raise FileFormatError(f"{path}: written by a newer version of ARCS; upgrade arcs-bn")
    return record


def _read_fit(folder: Path, entry: dict[str, Any]) -> Fit:
    from arcs.knowledge import read_knowledge

    number = int(entry["number"])
    known = read_knowledge(folder / f"knowledge-{number}.toml") if entry["knowledge"] else None
    result = FitResult.load(folder / f"fit-{number}" / "result.json")
    start = Start(entry["from"], known)
    return Fit(number, result, Choices.from_dict(entry["choices"]), start, str(entry["said"]))


def _fingerprint(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
