"""GIES: greedy interventional equivalence search (Hauser and Buehlmann, 2012).

GES carried over to experiments. A node's score uses only the rows in which the node was not set, so
that observational and experimental rows are pooled; and the classes are finer: an edge has a
direction as soon as some experiment sets one of its ends and not the other. Insertions, deletions
and turns go on until none of them improves the score. Turns are no luxury here: an edge that
entered with the wrong direction cannot be mended by insertions and deletions alone.

The operators, their validity and the order in which they are tried are those of
:mod:`arcs.learners.ges`; only what counts as known about directions, and as rows, differs. Without
experiments this is GES.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arcs.learners.ges import GES

__all__ = ["GIES"]


@dataclass(frozen=True, kw_only=True)
class GIES(GES):
    """Greedy interventional equivalence search with the Gaussian BIC, or a score of categories.

    The settings are those of :class:`~arcs.learners.ges.GES`. An edge into v costs c log n_v, with
    n_v the number of rows in which v was not set, and parent sets of v stop at half of n_v.
    ``GIES(eager=False)`` is the search as Hauser and Buehlmann published it.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample_experiments
    >>> drawn = sample_experiments(random_weights(network("asia"), 0), "each", 50, 0)
    >>> result = GIES().fit(drawn.data)
    >>> len(result.cpdag.undirected_edges())  # experiments on every node settle every direction
    0
    """

    name: ClassVar[str] = "gies"
    uses_interventions: ClassVar[bool] = True
