"""The reference of the Python names: a page per module, a page per name, made from the code.

What is public is what a module lists in ``__all__``. A name that the package offers at its top is
documented there (``arcs.Dataset``) and listed, with a link, in its own module.
"""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

#: Modules of the reference, in the order in which a newcomer meets them.
MODULES = (
    *("arcs", "arcs.data", "arcs.graphs", "arcs.learners", "arcs.knowledge", "arcs.confidence"),
    "arcs.effects",
    *("arcs.metrics", "arcs.plots", "arcs.report", "arcs.datasets", "arcs.simulate"),
    *("arcs.penalties", "arcs.scores", "arcs.regimes", "arcs.progress", "arcs.errors"),
    "arcs.experiments",
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before Sphinx looks for sources."""
    app.connect("config-inited", write_pages)
    app.connect("missing-reference", resolve_alias)
    app.connect("autodoc-skip-member", skip_noise)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app: Sphinx, config: Config) -> None:
    """A page per module, and the list of them."""
    folder = Path(app.srcdir) / "reference" / "api"
    folder.mkdir(parents=True, exist_ok=True)
    current = {"index", *MODULES, *documented().values()}
    for page in folder.glob("*.rst"):
        if page.stem not in current:
            page.unlink()  # of a name that is gone
    for name in MODULES:
        write_if_new(folder / f"{name}.rst", module_page(name))
    entries = "\n".join(f"   {name}" for name in MODULES)
    rows = "\n".join(
        f"   * - :doc:`{name}`\n     - {summary(importlib.import_module(name))}" for name in MODULES
    )
    text = (
        f"{title('Python')}\n{INTRODUCTION}\n.. list-table::\n   :widths: 25 75\n\n{rows}\n\n"
        f".. toctree::\n   :hidden:\n\n{entries}\n"
    )
    write_if_new(folder / "index.rst", text)


INTRODUCTION = """
Everything that most people need can be imported from ``arcs`` itself. The other modules are rooms
of their own; every name has a page with an example that the test suite runs.
"""


def write_if_new(path: Path, text: str) -> None:
    """Leave a page alone that has not changed: Sphinx would read it again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def title(text: str) -> str:
    """A heading."""
    return f"{text}\n{'=' * len(text)}\n"


def summary(thing: Any) -> str:
    """The first sentence of a docstring, on one line."""
    lines = inspect.cleandoc(thing.__doc__ or "").split("\n\n")[0]
    return " ".join(lines.split())


def public_names(module: ModuleType) -> list[str]:
    """What the module offers, without its version."""
    return [name for name in module.__all__ if not name.startswith("__")]


def documented() -> dict[int, str]:
    """Where each public object has its page: identity -> full name."""
    homes: dict[int, str] = {}
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for name in public_names(module):
            homes.setdefault(id(getattr(module, name)), f"{module_name}.{name}")
    return homes


def module_page(module_name: str) -> str:
    """What the module is about, and its names by kind."""
    module = importlib.import_module(module_name)
    homes = documented()
    own: dict[str, list[str]] = {"Classes": [], "Functions": [], "Constants": []}
    elsewhere = []
    for name in sorted(public_names(module), key=str.lower):
        thing = getattr(module, name)
        if inspect.isclass(thing):
            kind = "Classes"
        else:
            kind = "Functions" if inspect.isroutine(thing) else "Constants"
        home = homes[id(thing)]
        if home == f"{module_name}.{name}":
            own[kind].append(name)
        else:
            elsewhere.append(f":obj:`{name} <{home}>`")
    parts = [title(module_name), f".. automodule:: {module_name}\n   :no-members:\n"]
    parts.append(f".. currentmodule:: {module_name}\n")
    if elsewhere:
        parts.append(f"Also here: {', '.join(elsewhere)}.\n")
    for kind in ("Classes", "Functions"):
        if own[kind]:
            names = "\n".join(f"   {name}" for name in own[kind])
            parts.append(
                f"{kind}\n{'-' * len(kind)}\n\n.. autosummary::\n   :toctree: .\n\n{names}\n"
            )
    if own["Constants"]:
        parts.append("Constants\n---------\n")
        parts += [f".. autodata:: {name}\n   :no-value:\n" for name in own["Constants"]]
    return "\n".join(parts)


def resolve_alias(
    app: Sphinx, env: BuildEnvironment, node: nodes.Element, content: nodes.Element
) -> nodes.Element | None:
    """Link ``arcs.data.Dataset`` or ``arcs.results.FitResult`` to the page the object has."""
    target = str(node.get("reftarget", ""))
    if node.get("refdomain") != "py" or not target.startswith("arcs."):
        return None
    module_name, _, attribute = target.rpartition(".")
    try:
        thing = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError):
        return None
    home = documented().get(id(thing))
    if home is None or home == target:
        return None
    python = env.domains["py"]
    return python.resolve_xref(
        env,
        node["refdoc"],
        app.builder,
        "obj",
        home,
        node,
        content,  # type: ignore[arg-type]
    )


def skip_noise(
    app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what says nothing: fields of named tuples, scikit-learn's own requests."""
    alias = (getattr(thing, "__doc__", None) or "").startswith("Alias for field number")
    request = name.startswith("set_") and name.endswith("_request")
    return True if alias or request else None
