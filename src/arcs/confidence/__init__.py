"""How far a learned graph can be trusted.

- :func:`bootstrap`: which edges and directions come back when the data are drawn again;
- :func:`chain_agreement`: whether independent searches end at the same graph;
- :func:`stability_selection`: which edges are found in halves of the data, whatever the penalty.

Standard errors, intervals and p-values of coefficients are columns of ``result.edges()``.
"""

from arcs.confidence.bootstrap import Bootstrap, bootstrap, l1_threshold
from arcs.confidence.chains import Agreement, chain_agreement
from arcs.confidence.stability import Stability, stability_selection

__all__ = [
    "Agreement",
    "Bootstrap",
    "Stability",
    "bootstrap",
    "chain_agreement",
    "l1_threshold",
    "stability_selection",
]
