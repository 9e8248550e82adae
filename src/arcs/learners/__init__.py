"""Every method behind one protocol, found by name."""

from __future__ import annotations

from typing import Any

from arcs.data.interventions import nearest_name
from arcs.errors import SettingsError
from arcs.learners.arcs import Arcs
from arcs.learners.base import Learned, Learner
from arcs.learners.cd import CD
from arcs.learners.ga import GA
from arcs.learners.ges import GES
from arcs.learners.gies import GIES
from arcs.learners.hc import HC
from arcs.learners.listen import LISTEN
from arcs.learners.mmhc import MMHC
from arcs.learners.pc import PC
from arcs.learners.peers import PeerBoss, PeerFlop, PeerGes, PeerGies, PeerGrasp, PeerPc, PeerXges

__all__ = ["LEARNERS", "Learned", "Learner", "learner", "learner_names"]

#: The only place where a method is looked up by a string.
LEARNERS: dict[str, type[Learner]] = {
    Arcs.name: Arcs,
    CD.name: CD,
    GA.name: GA,
    GES.name: GES,
    GIES.name: GIES,
    HC.name: HC,
    LISTEN.name: LISTEN,
    PC.name: PC,
    MMHC.name: MMHC,
    PeerBoss.name: PeerBoss,
    PeerFlop.name: PeerFlop,
    PeerGes.name: PeerGes,
    PeerGies.name: PeerGies,
    PeerGrasp.name: PeerGrasp,
    PeerPc.name: PeerPc,
    PeerXges.name: PeerXges,
}


def learner_names() -> tuple[str, ...]:
    """Names that :func:`learner` understands."""
    return tuple(sorted(LEARNERS))


def learner(name: str, **settings: Any) -> Learner:
    """The learner of that name with the given settings."""
    if name not in LEARNERS:
        raise SettingsError(
            f"there is no learner {name!r}{nearest_name(name, LEARNERS)} Known: "
            f"{', '.join(learner_names())}"
        )
    try:
        return LEARNERS[name](**settings)
    except TypeError as error:
        raise SettingsError(f"learner {name!r}: {error}") from None
