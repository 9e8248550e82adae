"""The data sets of the experiments: a case and a seed determine one.

A case is a setting of the paper (:mod:`arcs.simulate.settings`), or one derived from it: another
sample size, the observational control of an experimental setting, or noise of equal variances. In
the latter the variables are *not* rescaled: that all noise terms have variance one is what LISTEN
assumes, and after rescaling they would not.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from arcs.errors import SettingsError, nearest_name
from arcs.graphs import GaussianDag
from arcs.simulate import (
    EXPERIMENTAL_SETTINGS,
    OBSERVATIONAL_SETTINGS,
    Setting,
    Simulated,
    network,
    random_dag,
    random_weights,
    sample,
    simulate_setting,
)

__all__ = [
    "CASES",
    "CONTROLS",
    "EQUAL_VARIANCES",
    "EXPERIMENTAL",
    "FIRST_SEED",
    "HIGH_DIMENSIONAL",
    "LOW_DIMENSIONAL",
    "SAMPLE_SIZES",
    "Case",
    "case",
    "cases_named",
]

#: Seeds below 100 served to choose settings of our own methods; results are reported on these.
FIRST_SEED = 1000


@dataclass(frozen=True)
class Case:
    """A kind of data set.

    Attributes
    ----------
    setting : Setting
        Graph, sample size and interventions.
    equal_variances : bool
        Noise of variance one everywhere, variables not rescaled.

    Examples
    --------
    >>> from arcs.experiments import CASES
    >>> CASES["Andes-n200-observational"].label
    'Andes (223, 338, 200)'
    """

    setting: Setting
    equal_variances: bool = False

    @property
    def key(self) -> str:
        """The name under which results are filed."""
        return self.setting.key + ("-equal" if self.equal_variances else "")

    @property
    def label(self) -> str:
        """The paper's way to write it: name (p, s0, n)."""
        s = self.setting
        return f"{s.name} ({s.p}, {s.s0}, {s.n})"

    @property
    def small(self) -> bool:
        """Whether this is one of the smaller networks of Section 5.4, which the paper refines at
        another level, with and without interventions."""
        return self.setting.p <= 50

    def draw(self, seed: int) -> Simulated:
        """Data set number `seed`."""
        if not self.equal_variances:
            return simulate_setting(self.setting, seed)
        name = zlib.crc32(self.key.encode())
        structure, rows = (np.random.default_rng([seed, name, purpose]) for purpose in (0, 1))
        model = _equal_variance_model(self.setting, structure)
        return replace(sample(model, self.setting.n, rows), seed=int(seed))


def _equal_variance_model(setting: Setting, rng: np.random.Generator) -> GaussianDag:
    if setting.network is None:
        return random_weights(random_dag(setting.p, setting.s0, rng), rng, unit_variance=False)
    return random_weights(network(setting.network, setting.copies), rng, unit_variance=False)


def _of_size(name: str, n: int) -> Case:
    like = next(s for s in OBSERVATIONAL_SETTINGS if s.name == name)
    return Case(replace(like, n=n))


#: Tables 1 and 3.
HIGH_DIMENSIONAL = tuple(Case(s) for s in OBSERVATIONAL_SETTINGS if s.n < s.p)
#: Tables 2 and 4.
LOW_DIMENSIONAL = tuple(Case(s) for s in OBSERVATIONAL_SETTINGS if s.n > s.p)
#: Table 5.
EXPERIMENTAL = tuple(Case(s) for s in EXPERIMENTAL_SETTINGS)
#: The same graphs and sample sizes as in Table 5 without interventions.
CONTROLS = tuple(Case(s.observational()) for s in EXPERIMENTAL_SETTINGS)
#: The boxplots by sample size.
SAMPLE_SIZES = (
    *(_of_size("Andes", n) for n in (200, 300, 400)),
    *(_of_size("Win95pts", n) for n in (200, 300, 400, 500)),
)
#: For LISTEN.
EQUAL_VARIANCES = tuple(Case(c.setting, equal_variances=True) for c in LOW_DIMENSIONAL)

#: Every case by its key.
CASES: Mapping[str, Case] = MappingProxyType(
    {
        c.key: c
        for group in (
            *(HIGH_DIMENSIONAL, LOW_DIMENSIONAL, EXPERIMENTAL, CONTROLS),
            *(SAMPLE_SIZES, EQUAL_VARIANCES),
        )
        for c in group
    }
)


def case(key: str) -> Case:
    """The case of that key.

    Examples
    --------
    >>> from arcs.experiments import case
    >>> case("Andes-n200-observational").setting.p
    223
    """
    if key not in CASES:
        raise SettingsError(
            f"there is no case {key!r}{nearest_name(key, CASES) or '.'} "
            "`arcs experiment list --cases` "
            "shows all of them"
        )
    return CASES[key]


def cases_named(words: list[str], among: tuple[Case, ...]) -> tuple[Case, ...]:
    """Those of the cases whose key or name is one of the words; an unknown word is refused."""
    for word in words:
        if not any(word in (c.key, c.setting.name) for c in among):
            known = ", ".join(c.key for c in among)
            raise SettingsError(f"there is no setting {word!r} here. Known: {known}")
    return tuple(c for c in among if not words or {c.key, c.setting.name} & set(words))
