"""What learners work on, for every kind of table: scores of single edges, tests of independence.

Numbers come as Gram statistics, categories as rows (alone, or beside numbers). A method that asks
for :func:`scored` or :func:`independence_tests` does not know which: hill climbing, greedy
equivalence search, PC and max-min hill climbing are the same for all. Nothing of categories is
loaded for numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from arcs.data import GramStatistics
from arcs.errors import DataError, SettingsError
from arcs.lazily import Lazily
from arcs.scores import GaussianBic
from arcs.scores.fisher_z import critical_z
from arcs.settings import LEVEL, choice, number, setting

if TYPE_CHECKING:
    from arcs.data.categorical import CategoricalTable
    from arcs.data.mixed import MixedData
    from arcs.knowledge import Restrictions
    from arcs.scores.families import FamilyScore

__all__ = [
    "CategoryPrices",
    "Evidence",
    "IndependenceTests",
    "independence_tests",
    "refuse_priors",
    "rules_of",
    "score_of_categories",
    "scored",
]

special = Lazily("scipy.special")

#: What a learner is given.
Evidence: TypeAlias = "GramStatistics | CategoricalTable | MixedData"

_PRIORS = ("bdeu", "bds", "k2")
_ALL_PRIORS = (*_PRIORS, "ebdeu")
#: Tests of numbers per call of a compiled loop: some 50 ms. A test of categories goes through rows.
_TESTS = 500_000


@dataclass(frozen=True, kw_only=True)
class CategoryPrices:
    """What an edge costs in tables with categories; beside the settings of a learner.

    Parameters
    ----------
    discrete_score : {"bic", "ebic", "bdeu", "bds", "k2"}
        Tables of categories: the score (:mod:`arcs.scores.discrete`). Beside numbers "bic" or
        "ebic", of the degenerate Gaussian score (:mod:`arcs.scores.blocks`).
    equivalent_sample_size : float
        Rows that the prior of "bdeu" and "bds" is worth.
    """

    discrete_score: str = setting("bic", choice("bic", "ebic", *_PRIORS))
    equivalent_sample_size: float = setting(1.0, number(above=0))

    def family_score(
        self, table: CategoricalTable | MixedData, penalty: float | None, rules: dict[str, Any]
    ) -> FamilyScore:
        """The score of a table with categories, `penalty` times 1/2 log n per parameter.

        Without a penalty it is what the score says; a given one is all that the extended BIC asks.
        """
        from arcs.data.mixed import MixedData
        from arcs.scores.families import FamilyScore

        kind = self.discrete_score
        if penalty is not None and kind in _PRIORS and penalty != 1.0:
            raise SettingsError(
                f"penalty={penalty!r} is a price of the BIC, and discrete_score={kind!r} has none; "
                "leave one of them out"
            )
        gamma = 1.0 if kind == "ebic" and penalty is None else 0.0
        if isinstance(table, MixedData):
            return FamilyScore(self._beside_numbers(table, penalty, gamma, rules), table)
        from arcs.scores.discrete import score_of

        chosen = {
            "kind": "bic" if kind == "ebic" and penalty is not None else kind,
            "gamma": gamma,
            "sample_size": self.equivalent_sample_size,
            "factor": 1.0 if penalty is None else penalty,
        }
        return FamilyScore(score_of(table, chosen, **rules), table)

    def _beside_numbers(
        self, table: MixedData, penalty: float | None, gamma: float, rules: dict[str, Any]
    ) -> Any:
        from arcs.scores.mixed import mixed_score

        refuse_priors(self.discrete_score)
        if penalty is not None and penalty != 1.0:
            raise SettingsError(
                f"penalty={penalty!r}: numbers beside categories are priced by the BIC or the "
                "extended BIC as it is; leave it out (discrete_score chooses)"
            )
        return mixed_score(table, {"kind": "degenerate-gaussian", "gamma": gamma}, **rules)


def score_of_categories(discrete_score: str, *, beside_numbers: bool) -> str:
    """The score that a name stands for: "auto" is the extended BIC beside numbers, and BDeu with a
    price per edge for categories alone, by the networks in the guide to categories."""
    if discrete_score != "auto":
        return discrete_score
    return "ebic" if beside_numbers else "ebdeu"


def refuse_priors(discrete_score: str) -> None:
    """Refuse scores that there are for tables of categories alone."""
    if discrete_score in _ALL_PRIORS:
        raise SettingsError(
            f"discrete_score={discrete_score!r} is for tables of categories alone; numbers beside "
            "them are scored by 'ebic' or 'bic'"
        )


def rules_of(evidence: Evidence, known: Restrictions | None) -> dict[str, np.ndarray | None]:
    """Edges that are allowed and required: by knowledge, and none into a category that does not
    vary."""
    allowed, required = (None, None) if known is None else known
    if not isinstance(evidence, GramStatistics):
        allowed = evidence.allowed(allowed)
    return {"allowed": allowed, "required": required}


def scored(
    evidence: Evidence, penalty: float | None, prices: CategoryPrices, rules: dict[str, Any]
) -> GaussianBic | FamilyScore:
    """The score of graphs over the variables at hand, larger is better."""
    if isinstance(evidence, GramStatistics):
        return GaussianBic(evidence, 1.0 if penalty is None else penalty)
    return prices.family_score(evidence, penalty, rules)


@dataclass(frozen=True)
class IndependenceTests:
    """Tests of conditional independence at a level.

    Attributes
    ----------
    kernel : the rows as kernels test them
    critical : float
        The dependence above which independence is rejected.
    p_values : callable
        Dependences to p-values.
    per_call : int
        Tests that take some 50 ms.
    name : str
    """

    kernel: Any
    critical: float
    p_values: Callable[[np.ndarray], np.ndarray]
    per_call: int
    name: str


def independence_tests(evidence: Evidence, alpha: float) -> IndependenceTests:
    """Fisher's z of numbers, or the G test of categories."""
    if isinstance(evidence, GramStatistics):
        return IndependenceTests(evidence.kernel, critical_z(alpha), _of_z, _TESTS, "fisher-z")
    from arcs.data.mixed import MixedData

    if isinstance(evidence, MixedData):
        raise DataError(
            "there is no test of numbers beside categories here: take a method with a score "
            "('arcs', 'hc', 'ges'), or cut the numbers into levels with discretize"
        )
    from arcs.scores.g_test import rows_for_tests

    critical = -float(np.log(LEVEL.check("alpha", alpha)))
    per_call = max(_TESTS // max(evidence.n_rows, 1), 1)
    return IndependenceTests(rows_for_tests(evidence), critical, _of_logarithm, per_call, "g-test")


def _of_z(dependence: np.ndarray) -> np.ndarray:
    return np.asarray(special.erfc(dependence / np.sqrt(2)))


def _of_logarithm(dependence: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(-dependence))
