"""Figures that notebooks show by themselves, with or without pyplot's inline backend."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

__all__ = ["NotebookFigure"]


class NotebookFigure(Figure):  # type: ignore[misc]
    """A matplotlib figure in nobody's list that can be looked at in a notebook."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png")
        return stream.getvalue()
