"""Search over orders: moves live in the kernels, strategies and chains here."""

from arcs.search.chain import Chain
from arcs.search.checkpoint import Checkpoint, fingerprint
from arcs.search.plan import Plan
from arcs.search.run import run_chains
from arcs.search.schedules import geometric, temperatures
from arcs.search.start import Start
from arcs.search.strategies import Annealing, Fixed, Pulls, Strategy

__all__ = [
    "Annealing",
    "Chain",
    "Checkpoint",
    "Fixed",
    "Plan",
    "Pulls",
    "Start",
    "Strategy",
    "fingerprint",
    "geometric",
    "run_chains",
    "temperatures",
]
