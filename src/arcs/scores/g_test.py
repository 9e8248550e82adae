"""The G test of conditional independence of categories, in the place of Fisher's z.

See :mod:`arcs.kernels.g_test` for the formula and its degrees of freedom. With experiments, the
rows that count for a node are those in which it was not set, as for numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcs.data.categorical import CategoricalTable
from arcs.kernels.bundles import bundle
from arcs.kernels.fisher_z import prepare_condition
from arcs.kernels.g_test import CountedRows, counted_rows, g_statistic, log_tail
from arcs.kernels.order.counts import new_count_scratch
from arcs.scores.discrete import DiscreteScore, rows_of_table

__all__ = ["g_test", "rows_for_tests"]


def rows_for_tests(table: CategoricalTable) -> CountedRows:
    """The rows of a table as kernels test them."""
    rows = rows_of_table(table)
    problem = DiscreteScore(rows, "bic").problem
    return bundle(counted_rows(rows, problem.entropy, problem.unit, new_count_scratch(rows)))


def g_test(
    rows: CountedRows, node: int, a: int, b: int, given: Sequence[int] | np.ndarray = ()
) -> tuple[float, int, float]:
    """Test whether `a` and `b` are independent given the variables `given`.

    Parameters
    ----------
    rows : CountedRows
        See :func:`rows_for_tests`.
    node : int
        The rows that count for this node are used; for observational data, any node.
    a, b : int
        Two different variables.
    given : sequence of int
        The conditioning variables, without `a` and `b`.

    Returns
    -------
    g : float
        The statistic.
    degrees : int
        Its degrees of freedom; without any there is no evidence of dependence.
    p_value : float
    """
    condition = np.asarray(given, dtype=np.int64).ravel()
    prepared = prepare_condition(rows, node, a, condition, len(condition))
    g, degrees = g_statistic(rows, node, a, b, prepared.configurations)
    p_value = float(np.exp(log_tail(g, float(degrees)))) if degrees > 0 else 1.0
    return float(g), int(degrees), p_value
