"""What a page can ask for: one function per action, called with the window and what was said."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arcs.app import answers, strength_answers
from arcs.app.choices import command_line, python_code
from arcs.app.samples import SAMPLES, write_sample
from arcs.app.tables import ROLES, levels_of, preview
from arcs.app.windows import Window
from arcs.app.works import begin, leftover_works, open_work, save_work
from arcs.data import Dataset
from arcs.data.policies import KEEP
from arcs.discrete_results import StrengthResult
from arcs.errors import ArcsError, DataError, SettingsError
from arcs.graphs.formats.files import FORMATS
from arcs.learners import LEARNERS, learner_names

__all__ = ["ACTIONS", "EXPORTS", "export", "report", "take_file"]

Said = Mapping[str, Any]

#: What can be downloaded: the edges as a table, every format of a graph, a picture.
EXPORTS = ("table", *FORMATS, "svg")


def state(window: Window, said: Said) -> dict[str, Any]:
    """Everything a page needs to begin."""
    remark = begin(window)
    return {
        **window.state(),
        "remark": remark,
        "leftover": leftover_works(window.folder.parent),
        "samples": {name: sample.about for name, sample in SAMPLES.items()},
        "roles": ROLES,
        "exports": EXPORTS,
        "methods": [name for name in learner_names() if not name.startswith("peer-")],
    }


# ---------------------------------------------------------------------- data
def take_file(window: Window, path: Path) -> dict[str, Any]:
    """A file that was uploaded."""
    window.take_table(path)
    return window.state()


def sample(window: Window, said: Said) -> dict[str, Any]:
    """One of the bundled data sets."""
    window.take_table(write_sample(str(said.get("name")), window.folder))
    return window.state()


def choose(window: Window, said: Said) -> dict[str, Any]:
    """Other roles, policies, method or settings; the audit of the data as they are then."""
    window.choose(said)
    return audit(window, {})


def audit(window: Window, said: Said) -> dict[str, Any]:
    """What a fit would say about the data as chosen, and what it would refuse."""
    from arcs.app.fits import failure_text

    told: dict[str, Any] = {"choices": window.choices.to_dict()}
    try:
        data = _looked_at(window)
        found = data.audit()
    except ArcsError as error:
        return {**told, "problems": [failure_text(error, window.folder)], "warnings": []}
    told["audit"] = answers.plain(found.to_dict())
    told["preview"] = preview(data) if window.choices.transforms() else {}
    told["levels"] = levels_of(data)
    problems = [failure_text(SettingsError(text), window.folder) for text in found.problems]
    return {
        **told,
        "problems": problems,
        "warnings": [*found.warnings, *found.design_warnings],
        "notes": list(found.notes),
    }


def _looked_at(window: Window) -> Dataset:
    """The data; where a fit would refuse holes, with them, so that the audit can count them."""
    try:
        return window.data()
    except DataError:
        if window.choices.missing != "error":
            raise
        return window.choices.read(window.needed_table(), missing=KEEP)


def settings(window: Window, said: Said) -> dict[str, Any]:
    """The settings of a method: name, default, what it may be, what it is about."""
    from arcs.settings import described_settings

    method = str(said.get("method", window.choices.method))
    if method not in LEARNERS:
        raise SettingsError(f"there is no method {method!r}")
    hidden = ("random_state", "knowledge", "checkpoint", "resume", "intervention_kind", "init")
    kind = LEARNERS[method]
    return {
        "about": (kind.__doc__ or "").strip().split("\n")[0],
        "settings": [
            {
                "name": entry.name,
                "default": answers.plain(entry.default),
                "allowed": entry.allowed,
                "about": _without_markup(entry.about),
            }
            for entry in described_settings(kind)
            if entry.name not in hidden
        ],
    }


def _without_markup(sentence: str) -> str:
    """A sentence of a docstring as people read it."""
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", sentence).replace("`", "")


# ---------------------------------------------------------------------- fitting
def fit(window: Window, said: Said) -> None:
    """Begin a fit with the given knowledge, from scratch or from the order of an earlier one."""
    knowledge = said.get("knowledge") or {}
    window.fit(knowledge, said.get("from"), str(said.get("said", ""))[:400])


def stop(window: Window, said: Said) -> None:
    """Stop what runs."""
    window.stop()


def bootstrap(window: Window, said: Said) -> None:
    """Resample behind the current fit."""
    window.bootstrap(int(said.get("resamples", 50)))


def show(window: Window, said: Said) -> dict[str, Any]:
    """Go to an entry of the history."""
    window.show(int(said["number"]))
    return graph(window, {})


# ---------------------------------------------------------------------- looking
def graph(window: Window, said: Said) -> dict[str, Any]:
    """The graph of a fit."""
    result = window.fit_number(said.get("number")).result
    told = answers.graph_answer(result)
    if isinstance(result, StrengthResult):
        told["graph"]["levels"] = strength_answers.levels_of(result)
    return told


def _data(window: Window) -> Any:
    """The data behind the current fit, or None where they are gone."""
    fit = window.fit_number()
    try:
        return answers.fitted_data(fit.result, window.data(fit.choices))
    except ArcsError:
        return None


def node(window: Window, said: Said) -> dict[str, Any]:
    """About a variable."""
    result = window.fit_number().result
    data = None if isinstance(result, StrengthResult) else _data(window)
    return answers.node_answer(result, int(said["node"]), data)


def edge(window: Window, said: Said) -> dict[str, Any]:
    """About an edge."""
    ends = int(said["source"]), int(said["target"])
    result = window.fit_number().result
    if isinstance(result, StrengthResult):
        return strength_answers.edge_answer(result, *ends)
    return answers.edge_answer(result, *ends, _data(window))


def effects(window: Window, said: Said) -> dict[str, Any]:
    """Total effects of a variable."""
    result = window.fit_number().result
    if isinstance(result, StrengthResult):
        return {"tables": strength_answers.effects_of(result, int(said["node"]))}
    return {"effects": answers.effects_of(result, int(said["node"]))}


def effect(window: Window, said: Said) -> dict[str, Any]:
    """One total effect, in words."""
    ends = int(said["source"]), int(said["target"])
    return answers.effect_answer(window.fit_number().result, *ends)


def what_if(window: Window, said: Said) -> dict[str, Any]:
    """Predictions under an intervention."""
    do = {str(name): value for name, value in dict(said.get("do") or {}).items()}
    result = window.fit_number().result
    if isinstance(result, StrengthResult):
        return strength_answers.what_if(result, do)
    return answers.what_if(result, {name: float(value) for name, value in do.items()})


def compare(window: Window, said: Said) -> dict[str, Any]:
    """Two entries of the history in one picture."""
    first, second = (window.fit_number(int(said[key])).result for key in ("first", "second"))
    return answers.difference(first, second)


# ---------------------------------------------------------------------- keeping
def recipe(window: Window, said: Said) -> dict[str, Any]:
    """The current fit, or what a fit would be now, as command line and as Python."""
    table = window.needed_table()
    if not window.fits:
        from arcs.app.choices import Start

        plain = (window.choices, table, Start(), 1)
        return {"command": command_line(*plain), "python": python_code(*plain)}
    number: int | None = window.fit_number().number
    chain = []
    while number is not None:
        chain.append(window.fit_number(number))
        number = chain[-1].start.number
    parts = [(fit.choices, table, fit.start, fit.number) for fit in reversed(chain)]
    return {
        "command": "\n".join(command_line(*part) for part in parts),
        "python": "\n\n".join(python_code(*part) for part in parts),
    }


def save(window: Window, said: Said) -> dict[str, Any]:
    """Write the work to a folder."""
    folder = _folder(said)
    return {"folder": str(folder), "files": save_work(window, folder)}


def open_(window: Window, said: Said) -> dict[str, Any]:
    """Take up a saved work."""
    remark = open_work(window, _folder(said))
    return {**window.state(), "remark": remark}


def _folder(said: Said) -> Path:
    given = str(said.get("folder", "")).strip()
    if not given:
        raise SettingsError("name a folder")
    return Path(given).expanduser().absolute()


def report(window: Window) -> str:
    """The report on the current fit."""
    from arcs.report import render_report

    return render_report(window.fit_number().result)


def export(window: Window, format: str) -> tuple[str, str]:
    """The current fit in one of the formats of :data:`EXPORTS`, and a name for the file."""
    from arcs.cli.outputs import edge_table
    from arcs.report import graph_svg

    result = window.fit_number().result
    if format == "table":
        return edge_table(result), "edges.csv"
    if format == "svg":
        return graph_svg(result, engine="layered"), "graph.svg"
    if format not in FORMATS:
        raise SettingsError(f"there is no format {format!r}; there are {', '.join(EXPORTS)}")
    path = window.folder / f"export{FORMATS[format].suffixes[0]}"
    result.export(path, format)
    return path.read_text(encoding="utf-8"), f"graph{FORMATS[format].suffixes[0]}"


ACTIONS: dict[str, Callable[[Window, Said], dict[str, Any] | None]] = {
    "state": state,
    "sample": sample,
    "choose": choose,
    "audit": audit,
    "settings": settings,
    "fit": fit,
    "stop": stop,
    "bootstrap": bootstrap,
    "show": show,
    "graph": graph,
    "node": node,
    "edge": edge,
    "effects": effects,
    "effect": effect,
    "what-if": what_if,
    "compare": compare,
    "recipe": recipe,
    "save": save,
    "open": open_,
}
