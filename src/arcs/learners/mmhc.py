"""Max-min hill climbing (Tsamardinos, Brown and Aliferis, 2006).

First the *max-min parents and children* of every node are found by conditional independence tests
(Fisher's z; of categories the G test). An edge is possible only if each of its nodes is a candidate
of the other (the symmetry correction). Then hill climbing directs and thins out these edges.

With experimental data, the candidates of a node come from the rows in which it was not set. If b is
no descendant of a, these rows are where a is independent of b given its parents; so of two nodes
without an edge at least one does not name the other, and the symmetry correction does the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arcs.kernels.max_min import max_min_candidates
from arcs.learners.base import Learned
from arcs.learners.evidence import Evidence, independence_tests
from arcs.learners.hc import HC
from arcs.progress import Watch
from arcs.settings import LEVEL, NONE, setting, whole

__all__ = ["MMHC"]


@dataclass(frozen=True, kw_only=True)
class MMHC(HC):
    """Max-min hill climbing.

    Parameters
    ----------
    alpha : float
        Level of the tests.
    max_condition_size : int or None
        Largest conditioning set; None for no limit. All subsets of the candidates are tried, so
        nodes with many neighbours take long without a limit.
    penalty, max_parents, tabu, patience, restarts, perturbations, allowed, discrete_score, \
equivalent_sample_size, random_state, time_limit
        As in :class:`~arcs.learners.hc.HC`.

    Notes
    -----
    `score` of the result is the total BIC (larger is better). When time is up during the tests,
    only edges between nodes whose candidates are known can occur.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> MMHC(alpha=0.01).fit(drawn.data).n_edges
    8
    """

    name: ClassVar[str] = "mmhc"
    tables: ClassVar[tuple[str, ...]] = ("categories",)

    alpha: float = setting(0.01, LEVEL)
    max_condition_size: int | None = setting(4, whole(0) | NONE)

    def learn(self, statistics: Evidence, watch: Watch) -> Learned:
        """Candidates, then hill climbing among them."""
        candidates = self._candidates(statistics, watch)
        return self._climb(self._search_among(candidates & candidates.T, statistics, watch))

    def _candidates(self, statistics: Evidence, watch: Watch) -> np.ndarray:
        """Row v: the max-min parents and children of v."""
        p = statistics.p
        found = np.zeros((p, p), dtype=bool)
        largest = p if self.max_condition_size is None else self.max_condition_size
        tests = independence_tests(statistics, self.alpha)
        for v in range(p):
            if not watch.tick("candidates", v, total=p):
                break
            found[v] = max_min_candidates(tests.kernel, v, tests.critical, largest)
        return found
