"""Square matrices that fill much of the memory, worked on in place and strip by strip.

The Gram matrix of 20,000 variables takes 3 GiB: there is no room for what an expression such as
``(gram + gram.T) / 2`` makes on its way. The results are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

__all__ = ["divide_by_norms", "strips", "symmetrise"]

#: Rows that are worked on at a time.
_ROWS = 256


def strips(size: int) -> Iterator[slice]:
    """Slices that cover so many rows."""
    for start in range(0, size, _ROWS):
        yield slice(start, min(start + _ROWS, size))


def divide_by_norms(gram: np.ndarray, norms: np.ndarray) -> None:
    """Divide entry (a, b) by ``norms[a] norms[b]``."""
    for part in strips(len(gram)):
        gram[part] /= np.outer(norms[part], norms)


def symmetrise(gram: np.ndarray) -> None:
    """Put the mean of entries (a, b) and (b, a) into both places."""
    for part in strips(len(gram)):
        rest = slice(part.start, None)
        gram[part, rest] = (gram[part, rest] + gram[rest, part].T) / 2
        gram[rest, part] = gram[part, rest].T
