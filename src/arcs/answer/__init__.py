"""From the best state of a search to the graph that is answered.

- :mod:`arcs.answer.finish`: the steps, in their order
- :mod:`arcs.answer.prune`: backward elimination at a price, or at a level that the data choose
- :mod:`arcs.answer.refine`: tests of single edges (Algorithm 3)
"""

from arcs.answer.finish import Finish
from arcs.answer.prune import Answer
from arcs.answer.refine import refine

__all__ = ["Answer", "Finish", "refine"]
