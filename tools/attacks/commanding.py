"""The command line, in this process: fit, look at it, repeat it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["command"]


def command(case: dict[str, Any], folder: Path) -> tuple[str, str]:
    """``arcs fit`` of the case's table, and what can be done with the folder that it writes."""
    from attacks.making import make_data

    file = {**case, "container": "csv", "design": None, "roles": None}
    path, options = make_data(file, folder)
    words = [*_reading(options), *_settings(case), "--bootstrap", "2", "--time-limit", "5"]
    out = folder / "out"
    code, text = _arcs("fit", path, "-o", str(out), *words)
    if code:
        # Resamples that all fail do not cost the fit.
        if out.exists() and not (out / "result.json").exists():
            from attacks.checking import Broken

            raise Broken("a refused fit leaves a folder behind")
        return "refused", text[:80]
    _follow(out, path)
    return "graph", "by command"


def _follow(out: Path, path: str) -> None:
    """Everything that is done with a folder."""
    from arcs.results import FitResult
    from attacks.checking import Broken, check_result

    result = FitResult.load(out / "result.json")
    check_result(result)
    first, last = result.names[0], result.names[-1]
    code, text = _arcs("repeat", str(out), path)
    if result.stopped == "finished" and (code or "the same" not in text):
        raise Broken(f"repeat: {text[:100]}")
    for words in (("show", str(out)), ("report", str(out), "-o", str(out / "again.html"))):
        code, text = _arcs(*words)
        if code:
            raise Broken(f"{words[0]}: {text[:100]}")
    # These may be refused: a graph without that path, a name that looks like an option.
    _arcs("effect", str(out), first, last)
    _arcs("predict", str(out), "--do", f"{first}=1")
    _arcs("design", str(out))
    _arcs("convert", str(out / "graph.graphml"), str(out / "graph.txt"), "--to", "dagitty")
    _arcs("audit", path)


def _reading(options: dict[str, Any]) -> list[str]:
    words = []
    for name in ("missing", "constant", "discretize"):
        if options.get(name) is not None:
            words += [f"--{name}", str(options[name])]
    wish = options.get("discrete")
    if wish is not None:
        listed = wish if isinstance(wish, str) else ",".join(map(str, np.ravel(list(_each(wish)))))
        words += ["--discrete", listed]
    return words


def _each(wish: Any) -> Any:
    return wish if hasattr(wish, "__iter__") else [wish]


def _settings(case: dict[str, Any]) -> list[str]:
    from dataclasses import fields

    from arcs.learners import LEARNERS

    known = {field.name for field in fields(LEARNERS[case["method"]])}
    words = ["-m", case["method"]]
    for name, value in case["settings"].items():
        if name in known and name not in ("time_limit", "random_state"):
            text = value if isinstance(value, str) else json.dumps(value)
            words += ["--set", f"{name}={text}"]
    return words


def _arcs(*words: str) -> tuple[int, str]:
    """Exit code and what was printed; a defect is raised."""
    from typer.testing import CliRunner

    from arcs.cli import app
    from attacks.checking import Broken

    with warnings.catch_warnings():
        # The command prints warnings about data; all others are still errors.
        found = CliRunner().invoke(app, list(words))
    text = found.stdout + found.stderr
    if "internal error" in text or "Traceback" in text or found.exit_code not in (0, 1, 2):
        raise Broken(f"arcs {words[0]}: exit code {found.exit_code}, {text[-200:]}")
    return found.exit_code, text
