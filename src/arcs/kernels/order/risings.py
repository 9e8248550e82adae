"""Logarithms of rising factorials, ``log a (a + 1) ... (a + m - 1)``, for Dirichlet priors.

A family has one prior for all of its configurations and one for all of their cells, and small
counts recur, within a family and from one to the next: for counts below :data:`NEAR` they are made
once for each prior, all together, so that they can be looked up without asking whether they are
known. Larger counts hardly recur.
"""

import math
from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import inlined, kernel

__all__ = ["NEAR", "SAFE", "Risings", "far_rising", "new_risings", "rising", "room_for"]

#: Counts below this are looked up.
NEAR = 256
#: Priors that can be asked for by one user.
SAFE = 256
#: Priors that are remembered; a prime, so that they spread.
_PRIORS = 4093
#: Takes priors of different families to different rows.
_SPREAD = 1e6


class Risings(NamedTuple):
    """Rows of remembered logarithms, one for each prior."""

    prior: np.ndarray  # float64 (rows,), which prior a row is about; zero: none
    base: np.ndarray  # float64 (rows,), log of the gamma function there
    user: np.ndarray  # int64 (rows,), for whom a row was asked for last
    near: np.ndarray  # int64 (rows * NEAR,), those of the counts below NEAR


def new_risings() -> Risings:
    """Room for some priors: 8 MB, of which those are used that are needed."""
    rows = np.zeros(_PRIORS), np.zeros(_PRIORS), np.zeros(_PRIORS, np.int64)
    return Risings(*rows, np.zeros(_PRIORS * NEAR, np.int64))


@kernel
def _fill(risings, row, a, unit):
    """Give a row to a prior."""
    base = math.lgamma(a)
    risings.prior[row], risings.base[row] = a, base
    for m in range(NEAR):
        risings.near[row * NEAR + m] = np.int64(np.round((math.lgamma(a + m) - base) / unit))


@kernel
def room_for(risings, a, user, unit):
    """The row of a prior. It stays that until the same user has asked for SAFE others, or somebody
    else asks."""
    row = np.int64(_SPREAD / a) % _PRIORS
    for _ in range(SAFE):
        if risings.prior[row] == a or risings.user[row] != user:
            break
        row = (row + 1) % _PRIORS
    risings.user[row] = user
    if risings.prior[row] != a:
        _fill(risings, row, a, unit)
    return row


@kernel
def far_rising(risings, row, m, unit):
    """That of a count of NEAR or more."""
    whole = math.lgamma(risings.prior[row] + m)
    return np.int64(np.round((whole - risings.base[row]) / unit))


@inlined
def rising(risings, row, m, unit):
    """log of a (a + 1) ... (a + m - 1), in units, with the prior a of that row."""
    log = np.int64(0)
    if m < NEAR:
        log = risings.near[row * NEAR + m]
    else:
        log = far_rising(risings, row, m, unit)
    return log
