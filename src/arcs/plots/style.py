"""Colours and line styles, chosen once.

The colours are those of Okabe and Ito, which people with any kind of colour vision tell apart.
Since grey print loses them, every distinction made by colour is made by line style or shape, too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = [
    "INTERVENED_FILL",
    "KINDS",
    "METHOD_COLOURS",
    "NEGATIVE",
    "NODE_FILL",
    "NODE_LINE",
    "POSITIVE",
    "UNSIGNED",
    "EdgeStyle",
    "edge_opacity",
    "edge_width",
]


class EdgeStyle(NamedTuple):
    """How a kind of edge is drawn."""

    label: str
    colour: str
    #: Lengths of dashes and gaps in units of the line's width; empty for a solid line.
    dashes: tuple[float, ...] = ()


POSITIVE = EdgeStyle("positive", "#0072B2")
NEGATIVE = EdgeStyle("negative", "#D55E00", (4.0, 2.0))
UNSIGNED = EdgeStyle("edge", "#444444")

#: Edges of an estimate against a truth.
KINDS = {
    "correct": EdgeStyle("correct", "#222222"),
    "reversed": EdgeStyle("reversed", "#0072B2", (6.0, 2.0, 1.2, 2.0)),
    "extra": EdgeStyle("extra", "#D55E00", (4.0, 2.0)),
    "missing": EdgeStyle("missing", "#999999", (1.0, 1.6)),
}

NODE_FILL = "#FFFFFF"
NODE_LINE = "#333333"
INTERVENED_FILL = "#FFE9A8"
METHOD_COLOURS = (
    *("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999"),
)


def edge_opacity(confidence: float) -> float:
    """Opacity of an edge with that confidence; edges of unknown confidence are opaque."""
    if math.isnan(confidence):
        return 1.0
    return 0.2 + 0.8 * min(max(confidence, 0.0), 1.0)


def edge_width(strength: float) -> float:
    """Line width in points of an edge with that standardised coefficient."""
    return 0.8 + 3.2 * min(abs(strength), 1.0)
