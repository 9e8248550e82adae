"""The folder that a fit leaves behind.

The result is written first: everything else is made from it, and can be made again
(``arcs report``). What cannot be written costs nothing but itself. If it is the result that cannot
be (the disk is full, the folder was deleted), all files go to a folder for temporary files instead:
the hours behind a fit are worth more than the place where it was meant to be.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from arcs.cli.failures import CommandError
from arcs.cli.outputs import edge_table, target_table, trace_table

if TYPE_CHECKING:
    from arcs.results import FitResult

__all__ = ["RESULT", "Bundle", "output_folder", "write_bundle"]

RESULT = "result.json"
_TARGETS = "targets.csv"


@dataclass(eq=False)
class Bundle:
    """The files of a result.

    Attributes
    ----------
    folder : Path
        Where they are.
    files : dict of str to Path
        Those that were written.
    failures : list of str
        Path and reason of those that were not.
    """

    folder: Path
    files: dict[str, Path] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def refuse_failures(self) -> None:
        """Raise an error that names whatever could not be written, and where the rest is."""
        if not self.failures:
            return
        advice = f"arcs report {self.folder} makes the page again"
        where = f"the result is in {self.folder / RESULT}; {advice}"
        lost = "the result could not be saved anywhere: make room, or choose another --out"
        raise CommandError(f"{'; '.join(self.failures)}; {where if self.files else lost}")


@contextlib.contextmanager
def output_folder(path: Path) -> Iterator[Path]:
    """Make the folder and make sure that it can be written to, before a long run.

    Folders that were made and are still empty in the end are removed again.
    """
    made = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
        except OSError as error:
            reason = error.strerror or str(error)
            raise CommandError(
                f"{path}: cannot write there ({reason}); choose another folder with --out"
            ) from error
        yield path
    finally:
        with contextlib.suppress(OSError):
            for folder in made:
                folder.rmdir()


def write_bundle(
    result: FitResult, folder: Path, *, title: str | None = None, only_result: bool = False
) -> Bundle:
    """Write all files, the result itself first; none is given up because of another.

    With `only_result` the others wait for a later call, unless there was no room where they belong.
    """
    bundle = Bundle(folder)
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)  # somebody may have deleted it meanwhile
    if not _write(bundle, RESULT, result.save):
        with contextlib.suppress(OSError):
            bundle.folder = Path(tempfile.mkdtemp(prefix="arcs-"))
            if not _write(bundle, RESULT, result.save):
                bundle.folder.rmdir()
                return bundle
    if only_result and bundle.folder == folder:
        return bundle
    for name, write in _writers(result, title).items():
        if not _write(bundle, name, write):
            # What an earlier fit left there would be taken for this one's.
            _remove(bundle.folder / name)
    if _TARGETS not in bundle.files:
        _remove(bundle.folder / _TARGETS)
    return bundle


def _writers(result: FitResult, title: str | None) -> dict[str, Callable[[Path], object]]:
    from arcs.report import graph_svg, write_report

    writers: dict[str, Callable[[Path], object]] = {
        "edges.csv": lambda path: _write_text(path, edge_table(result)),
        "trace.csv": lambda path: _write_text(path, trace_table(result)),
        _TARGETS: lambda path: _write_text(path, target_table(result)),
        "graph.graphml": result.export,
        "graph.dot": result.export,
        "graph.svg": lambda path: _write_text(path, _svg_file(graph_svg(result))),
        "report.html": lambda path: write_report(result, path, title=title),
    }
    if not result.changes_sought:
        del writers[_TARGETS]
    return writers


def _write(bundle: Bundle, name: str, write: Callable[[Path], object]) -> bool:
    """Write one file, or note down why not."""
    path = bundle.folder / name
    try:
        write(path)
    except OSError as error:
        bundle.failures.append(f"{error.filename or path}: {error.strerror or error}")
    except Exception as error:  # no defect in a picture may cost the rest
        bundle.failures.append(f"{path}: {type(error).__name__}: {error}")
    else:
        bundle.files[name] = path
    return name in bundle.files


def _write_text(path: Path, text: str) -> None:
    from arcs.files import write_atomically

    with write_atomically(path, errors="backslashreplace") as stream:
        stream.write(text)


def _svg_file(svg: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
