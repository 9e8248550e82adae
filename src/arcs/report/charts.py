"""Small line charts as SVG text, so that the report needs no plotting library."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import escape

from arcs.plots.searches import bic_label, tuning_columns
from arcs.plots.style import METHOD_COLOURS, NEGATIVE, POSITIVE
from arcs.results import FitResult

__all__ = ["trace_chart", "tuning_chart"]

_WIDTH, _HEIGHT = 720.0, 260.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 74.0, 66.0, 26.0, 40.0
_MOST_POINTS = 800
_DASHES = ("", "6 3", "2 2", "8 2 2 2")


@dataclass(frozen=True, eq=False)
class _Line:
    """One curve; on the right axis (logarithmic) or on the left one."""

    label: str
    x: np.ndarray
    y: np.ndarray
    colour: str
    dash: str = ""
    width: float = 1.4
    right: bool = False


def trace_chart(trace: Mapping[str, np.ndarray]) -> str:
    """Score, best score and temperature against iterations; empty without a trace."""
    if "score" not in trace and "best" not in trace:
        return ""
    length = len(next(iter(trace.values())))
    steps = np.asarray(trace.get("iteration", np.arange(length)), dtype=float)
    lines = []
    if "score" in trace:
        lines.append(_Line("current", steps, trace["score"], POSITIVE.colour, width=0.9))
    if "best" in trace:
        lines.append(_Line("best", steps, trace["best"], "#111111", width=1.8))
    warm = np.asarray(trace.get("temperature", []), dtype=float)
    if warm.size and (warm > 0).any():
        shown = np.where(warm > 0, warm, np.nan)
        lines.append(_Line("temperature", steps, shown, NEGATIVE.colour, "6 3", right=True))
    return _chart(lines, "iteration", "score", "temperature")


def tuning_chart(result: FitResult) -> str:
    """BIC against lambda, one curve per gamma; empty without a tuning table."""
    columns = tuning_columns(result.tuning)
    if not {"lambda", "bic"} <= set(columns) or np.unique(columns["lambda"]).size < 2:
        return ""
    gammas = np.unique(columns["gamma"]) if "gamma" in columns else np.zeros(1)
    lines = []
    for k, gamma in enumerate(gammas):
        mine = columns["gamma"] == gamma if "gamma" in columns else slice(None)
        x, y = columns["lambda"][mine], columns["bic"][mine]
        order = np.argsort(x)
        label = f"gamma {gamma:.3g}" if gammas.size > 1 else "BIC"
        colour = METHOD_COLOURS[k % len(METHOD_COLOURS)]
        lines.append(_Line(label, x[order], y[order], colour, _DASHES[k % 4]))
    return _chart(lines, "lambda", bic_label(result), "")


def _chart(lines: Sequence[_Line], x_label: str, y_label: str, right_label: str) -> str:
    x_range = _range(np.concatenate([line.x for line in lines]))
    left = _range(np.concatenate([line.y for line in lines if not line.right]))
    warm = [line.y for line in lines if line.right]
    right = _range(np.log10(np.concatenate(warm))) if warm else None
    if x_range is None or left is None:
        return ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" '
        f'class="chart" role="img" font-size="11"><title>{escape(y_label)}</title>',
        *_axes(x_range, left, right, (x_label, y_label, right_label)),
    ]
    for line in lines:
        scale = right if line.right and right is not None else left
        values = np.log10(line.y) if line.right else np.asarray(line.y, dtype=float)
        parts.append(_polyline(line, values, x_range, scale))
    parts += [*_key(lines), "</svg>"]
    return "".join(parts)


def _range(values: np.ndarray) -> tuple[float, float] | None:
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite)]
    if not finite.size:
        return None
    low, high = float(finite.min()), float(finite.max())
    pad = 0.03 * (high - low) or max(abs(low) * 0.05, 0.5)
    return low - pad, high + pad


def _x(value: float | np.ndarray, span: tuple[float, float]) -> float | np.ndarray:
    return _LEFT + (value - span[0]) / (span[1] - span[0]) * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float | np.ndarray, span: tuple[float, float]) -> float | np.ndarray:
    return _HEIGHT - _BOTTOM - (value - span[0]) / (span[1] - span[0]) * (_HEIGHT - _TOP - _BOTTOM)


def _ticks(span: tuple[float, float], most: int) -> list[float]:
    """Round numbers inside the range."""
    rough = (span[1] - span[0]) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough)
    first = math.ceil(span[0] / step)
    return [k * step for k in range(first, math.floor(span[1] / step) + 1)]


def _axes(
    x_range: tuple[float, float],
    left: tuple[float, float],
    right: tuple[float, float] | None,
    labels: tuple[str, str, str],
) -> list[str]:
    floor, roof, far = _HEIGHT - _BOTTOM, _TOP, _WIDTH - _RIGHT
    middle = (floor + roof) / 2
    parts = [
        f'<rect x="{_LEFT}" y="{roof}" width="{far - _LEFT}" height="{floor - roof}" fill="none" '
        'stroke="#999999"/>',
        f'<text x="{(_LEFT + far) / 2}" y="{_HEIGHT - 6}" text-anchor="middle">'
        f"{escape(labels[0])}</text>",
        f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">'
        f"{escape(labels[1])}</text>",
    ]
    for tick in _ticks(x_range, 8):
        x = _x(tick, x_range)
        parts.append(f'<text x="{x:.1f}" y="{floor + 15}" text-anchor="middle">{tick:,g}</text>')
    for tick in _ticks(left, 5):
        y = _y(tick, left)
        parts.append(
            f'<line x1="{_LEFT}" x2="{far}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e6e6e6"/>'
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:,g}</text>'
        )
    if right is not None:
        parts.append(
            f'<text transform="translate({_WIDTH - 8} {middle}) rotate(-90)" '
            f'text-anchor="middle" fill="{NEGATIVE.colour}">{escape(labels[2])}</text>'
        )
        for tick in _ticks(right, 5):
            y = _y(tick, right)
            parts.append(f'<text x="{far + 6}" y="{y + 4:.1f}">{10**tick:.3g}</text>')
    return parts


def _polyline(
    line: _Line, values: np.ndarray, x_range: tuple[float, float], span: tuple[float, float]
) -> str:
    step = max(1, math.ceil(len(line.x) / _MOST_POINTS))
    keep = np.unique(np.append(np.arange(0, len(line.x), step), len(line.x) - 1))
    keep = keep[np.isfinite(values[keep])]
    pairs = zip(
        np.atleast_1d(_x(line.x[keep], x_range)),
        np.atleast_1d(_y(values[keep], span)),
        strict=True,
    )
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in pairs)
    dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
    return (
        f'<polyline points="{points}" fill="none" stroke="{line.colour}" '
        f'stroke-width="{line.width}"{dash}/>'
    )


def _key(lines: Sequence[_Line]) -> list[str]:
    parts = []
    for k, line in enumerate(lines[:6]):
        x = _LEFT + 105 * k
        dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
        parts.append(
            f'<line x1="{x}" x2="{x + 24}" y1="13" y2="13" stroke="{line.colour}" '
            f'stroke-width="2"{dash}/><text x="{x + 29}" y="17">{escape(line.label)}</text>'
        )
    return parts
