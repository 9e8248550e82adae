"""Search over orders: moves live in the kernels, strategies and chains here."""

from arcs.search.chain import Chain
from arcs.search.checkpoint import Checkpoint, fingerprint
from arcs.search.run import run_chains
from arcs.search.schedules import geometric, temperatures
from arcs.search.strategies import Annealing, Fixed, Pulls, Strategy

__all__ = [
    "Annealing",
    "Chain",
    "Checkpoint",
    "Fixed",
    "Pulls",
    "Strategy",
    "fingerprint",
    "geometric",
    "run_chains",
    "temperatures",
]
