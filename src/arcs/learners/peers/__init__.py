"""Adapters for methods that others publish (the extra `peers`), behind the same protocol.

No peer is imported here: each runs in a process of its own (:mod:`arcs.learners.peers.process`),
where it can be stopped at the time limit, print what it likes, and crash.
"""

from arcs.learners.peers.adapters import (
    Peer,
    PeerBoss,
    PeerFlop,
    PeerGes,
    PeerGies,
    PeerGrasp,
    PeerPc,
    PeerXges,
)

__all__ = [
    "Peer",
    "PeerBoss",
    "PeerFlop",
    "PeerGes",
    "PeerGies",
    "PeerGrasp",
    "PeerPc",
    "PeerXges",
]
