"""Square matrices that fill much of the memory, worked on in place and strip by strip.

The Gram matrix of 20,000 variables takes 3 GiB: there is no room for what an expression such as
``(gram + gram.T) / 2`` makes on its way. The results are the same to the last bit, except for
cross-products of many variables.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

__all__ = ["cross_products", "divide_by_norms", "strips", "symmetrise"]

#: Rows that are worked on at a time.
_ROWS = 256
#: Variables whose cross-products are left to one call. With 20,000, the routine that NumPy calls
#: for ``x.T @ x`` (OpenBLAS, on two cores) writes where it must not, and the process ends.
_MOST_AT_ONCE = 8192


def strips(size: int) -> Iterator[slice]:
    """Slices that cover so many rows."""
    for start in range(0, size, _ROWS):
        yield slice(start, min(start + _ROWS, size))


def cross_products(rows: np.ndarray) -> np.ndarray:
    """``rows.T @ rows``."""
    p = rows.shape[1]
    if p <= _MOST_AT_ONCE:
        return np.asarray(rows.T @ rows)
    products = np.empty((p, p))
    for part in strips(p):
        rest = slice(part.start, None)
        products[part, rest] = rows[:, part].T @ rows[:, rest]
        products[rest, part] = products[part, rest].T
    return products


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
