"""Regimes in which mechanisms differ: soft interventions, and targets that nobody wrote down.

- :mod:`arcs.regimes.kinds`: hard, soft and unknown interventions, as values
- :mod:`arcs.regimes.mechanism`: the likelihood of one node whose noise or coefficients differ
- :mod:`arcs.regimes.targets`: which regimes change which node, and how
- :mod:`arcs.regimes.alternation`: mechanisms and structure in turn
- :mod:`arcs.regimes.changes`: what is reported
"""

from arcs.regimes.changes import Change, describe_changes

__all__ = ["Change", "describe_changes"]
