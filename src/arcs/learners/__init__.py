"""Every method behind one protocol, found by name."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from typing import Any

from arcs.errors import SettingsError, nearest_name
from arcs.learners.base import Learned, Learner
from arcs.settings import refuse_unknown

__all__ = ["LEARNERS", "Learned", "Learner", "learner", "learner_names"]


class _Registry(MutableMapping[str, type[Learner]]):
    """Learners by name; a method's module is loaded when somebody asks for it."""

    def __init__(self, homes: dict[str, str]) -> None:
        self._kinds: dict[str, str | type[Learner]] = dict(homes)

    def __getitem__(self, name: str) -> type[Learner]:
        kind = self._kinds[name]
        if isinstance(kind, str):
            module, _, attribute = kind.rpartition(".")
            kind = getattr(importlib.import_module(f"arcs.learners.{module}"), attribute)
            self._kinds[name] = kind
        return kind

    def __setitem__(self, name: str, kind: type[Learner]) -> None:
        self._kinds[name] = kind

    def __delitem__(self, name: str) -> None:
        del self._kinds[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)


#: The only place where a method is looked up by a string.
LEARNERS = _Registry(
    {
        "arcs": "arcs.Arcs",
        "cd": "cd.CD",
        "ga": "ga.GA",
        "ges": "ges.GES",
        "gies": "gies.GIES",
        "hc": "hc.HC",
        "listen": "listen.LISTEN",
        "mmhc": "mmhc.MMHC",
        "pc": "pc.PC",
        "peer-boss": "peers.PeerBoss",
        "peer-flop": "peers.PeerFlop",
        "peer-ges": "peers.PeerGes",
        "peer-gies": "peers.PeerGies",
        "peer-grasp": "peers.PeerGrasp",
        "peer-pc": "peers.PeerPc",
        "peer-xges": "peers.PeerXges",
    }
)


def learner_names() -> tuple[str, ...]:
    """Names that :func:`learner` understands.

    Examples
    --------
    >>> from arcs.learners import learner_names
    >>> learner_names()[:5]
    ('arcs', 'cd', 'ga', 'ges', 'gies')
    """
    return tuple(sorted(LEARNERS))


def learner(name: str, **settings: Any) -> Learner:
    """The learner of that name with the given settings.

    Examples
    --------
    >>> from arcs.learners import learner
    >>> learner("pc", alpha=0.001).alpha
    0.001
    """
    if name not in LEARNERS:
        raise SettingsError(
            f"there is no learner {name!r}{nearest_name(name, LEARNERS) or '.'} Known: "
            f"{', '.join(learner_names())}"
        )
    refuse_unknown(LEARNERS[name], list(settings), f"learner {name!r}")
    return LEARNERS[name](**settings)
