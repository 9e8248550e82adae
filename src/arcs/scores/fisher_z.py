"""Fisher's z test of conditional independence, shared by every method that tests.

Two jointly Gaussian variables a and b are independent given S exactly if their partial correlation
vanishes. With n_v rows that count for the node v in question,

    z = sqrt(n_v - |S| - 3) * atanh(r_ab.S)

is close to standard normal under independence (Fisher, 1924). PC, MMHC and the deletion of edges
(Algorithm 3 of the paper) use this one implementation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcs.data.gram import GramStatistics
from arcs.errors import SettingsError
from arcs.kernels.fisher_z import fisher_z_kernel
from arcs.lazily import Lazily
from arcs.settings import LEVEL

__all__ = ["critical_z", "fisher_z"]

special = Lazily("scipy.special")


def fisher_z(
    statistics: GramStatistics,
    node: int,
    a: int,
    b: int,
    given: Sequence[int] | np.ndarray = (),
) -> tuple[float, float]:
    """Test whether `a` and `b` are independent given the variables `given`.

    Parameters
    ----------
    statistics : GramStatistics
    node : int
        The rows that count for this node are used; for observational data, any node.
    a, b : int
        Two different variables.
    given : sequence of int
        The conditioning variables, without `a` and `b`.

    Returns
    -------
    z, p_value : float
        The statistic (with the sign of the partial correlation) and its two-sided p-value.
        Without degrees of freedom (``n <= len(given) + 3``), and where `given` determines a
        variable exactly, there is no evidence of dependence: ``(0, 1)``.
    """
    condition = np.asarray(given, dtype=np.int64).ravel()
    involved = [a, b, *condition.tolist()]
    if len(set(involved)) < len(involved):
        raise SettingsError(f"the variables of a test must differ from each other, got {involved}")
    if min([node, *involved]) < 0 or max([node, *involved]) >= statistics.p:
        raise SettingsError(
            f"variables are numbered 0 to {statistics.p - 1}, got {[node, *involved]}"
        )
    z, p_value = fisher_z_kernel(statistics.kernel, node, a, b, condition)
    return float(z), float(p_value)


def critical_z(alpha: float) -> float:
    """The ``|z|`` above which a two-sided test at level `alpha` rejects independence."""
    return float(-special.ndtri(LEVEL.check("alpha", alpha) / 2))
