"""Pictures of tutorials: axes and figures that a block of code leaves behind.

The functions of :mod:`arcs.plots` make figures that belong to nobody, not to ``pyplot``, so the
gallery has to look for them among the variables.
"""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

#: Where the gallery keeps the value of a block's last expression.
_LAST = "___"
_SHOWN: dict[int, Figure] = {}


def matplotlib_axes(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figures that were not there before this block."""
    names = block_vars["example_globals"]
    found = [figure_of(value) for value in [*names.values(), names.get(_LAST)]]
    paths = []
    for figure in dict.fromkeys(figure for figure in found if figure is not None):
        if id(figure) not in _SHOWN:
            _SHOWN[id(figure)] = figure  # kept, so that its number is not used again
            path = next(block_vars["image_path_iterator"])
            figure.savefig(path, dpi=110, bbox_inches="tight")
            paths.append(path)
    return str(figure_rst(paths, gallery_conf["src_dir"])) if paths else ""


def figure_of(value: Any) -> Figure | None:
    """The figure that a value is, or belongs to."""
    if isinstance(value, Axes):
        value = value.figure
    return value if isinstance(value, Figure) else None
