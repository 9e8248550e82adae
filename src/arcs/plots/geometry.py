"""The shape of an arrow: a line that stops where its head begins, and the head."""

from __future__ import annotations

import numpy as np

__all__ = ["arrow_head", "shortened"]


def arrow_head(path: np.ndarray, length: float, width: float) -> np.ndarray:
    """The triangle (tip and two corners) at the end of a Bezier path."""
    tip = path[-1]
    direction = _final_direction(path)
    normal = np.array([-direction[1], direction[0]])
    base = tip - length * direction
    return np.array([tip, base + width / 2 * normal, base - width / 2 * normal])


def shortened(path: np.ndarray, length: float) -> np.ndarray:
    """The path with its last `length` cut off, straight: the room of the arrow's head.

    Only the last piece is touched, its control point moved along with the end, so the direction
    at the end stays the same.
    """
    cut = np.array(path, dtype=float)
    span = float(np.linalg.norm(cut[-1] - cut[-4]))
    back = min(length, 0.9 * span) * _final_direction(path)
    cut[-1] -= back
    cut[-2] -= back / 2
    return cut


def _final_direction(path: np.ndarray) -> np.ndarray:
    """Unit vector in which the path arrives; control points may coincide with the end."""
    for earlier in path[-2::-1]:
        step = path[-1] - earlier
        size = float(np.linalg.norm(step))
        if size > 1e-6:
            return np.asarray(step / size)
    return np.array([0.0, -1.0])
