"""Two searches that agree: when a second one, from another order, may end the first.

Where few variables depend on each other in many ways, a search is at its best within a few steps,
and spends the rest of its time on making sure. A second search, from another random order and with
other random numbers, makes surer in less time: local optima are many and different, and two
searches that end at the same score have hardly both missed a better one.

So when a search has tried half as many steps without a new best as there are nodes, a second one
follows. If it comes to the same best score, both go on in turn, and when together they have gone
without a new best for one and a half times as many steps as there are nodes, that is it. If it
finds something better, the two change places. If it does not get there soon, it was in vain, and
the first goes on as if there were no other.

How often that is wrong is what ``benchmarks/stopping.py`` measures; docs/method/search.md tells.
"""

from __future__ import annotations

from typing import Protocol

from arcs.search.chain import Chain

__all__ = ["FEWEST_WITHOUT", "has_agreed", "second_turn"]

#: From so many nodes on, a second search takes too long to get where the first one is.
FEWEST_WITHOUT = 200
#: In numbers of nodes: steps without a new best after which a second search follows, those of both
#: searches that are enough where they agree, and those that the second one may take.
_QUIET, _ENOUGH, _SOON = 0.5, 1.5, 3.0
#: Nats by which scores may differ that are the same.
_SAME = 1e-6


class Search(Protocol):
    """What drives a chain."""

    def slice(self, chain: Chain) -> None:
        """Do a bounded piece of work."""


def second_turn(chain: Chain, quiet: int, search: Search) -> bool:
    """Whether it was the second search's turn; if so, it did a piece of work.

    Parameters
    ----------
    chain : Chain
        A search that came to its first local optimum.
    quiet : int
        Steps that stand for a look at every node.
    search : Search
    """
    other = chain.second
    if other is None:
        if chain.progress["idle"] < _QUIET * quiet:
            return False
        other = chain.begin_second()
    elif _same(chain, other):
        if other.progress["idle"] > chain.progress["idle"]:
            return False
    elif chain.progress["idle"] < _QUIET * quiet or _is_late(other, quiet):
        return False
    search.slice(other)
    if other.best_energy < chain.best_energy - _SAME:
        chain.change_places()
    return True


def has_agreed(chain: Chain, quiet: int) -> bool:
    """Whether a second search came to the same, and both together have been quiet for long
    enough."""
    other = chain.second
    if other is None or not _same(chain, other):
        return False
    return bool(chain.progress["idle"] + other.progress["idle"] >= _ENOUGH * quiet)


def _same(chain: Chain, other: Chain) -> bool:
    return abs(chain.best_energy - other.best_energy) <= _SAME


def _is_late(other: Chain, quiet: int) -> bool:
    return bool(other.progress and other.progress["done"] >= _SOON * quiet)
