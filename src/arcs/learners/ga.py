"""GA: a genetic algorithm over orders with lasso regressions inside (GADAG).

The method of Champion, Picheny and Vignes (2018) [1]_, known from the R package ``GADAG``. A
population of orders of the nodes evolves: parents are drawn by fitness, pairs of them exchange the
places of a random set of positions, children are mutated by an exchange of two nodes and take their
parents' places, and the best order ever seen replaces the worst. The fitness of an order is its
l1-penalised squared error (:mod:`arcs.kernels.ga`). Small coefficients of the best order are cut.

Choices
-------
Columns are standardised, so that the penalty and the threshold have one meaning for all of them
(``GADAG`` takes the columns as they come). Crossover and mutation probabilities, threshold and the
entropy at which a population counts as uniform are those of the R package. Its population of 10 is
uniform, and the search over, after a few dozen generations; here the default is as large as the
package's manual recommends (five orders per node), with a bound for the sake of time. The R package
cuts coefficients *below* 0.1, and so all negative ones; here the absolute value decides. The
penalty, which the R package leaves to the user, is by default

    lam = 2 sqrt(2 log(p) / n),

twice the size that the products of p columns of pure noise with a residual reach.

Each node's error is taken over the rows in which it was not set, so experimental data can be used.

.. [1] M. Champion, V. Picheny, M. Vignes, Inferring large graphs using l1-penalized likelihood,
   Statistics and Computing 28 (2018).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arcs.data import GramStatistics
from arcs.graphs import Order
from arcs.kernels.ga import breed, entropy, evaluate, start_regressions
from arcs.learners.base import Learned, Learner
from arcs.progress import Watch
from arcs.settings import NONE, number, setting, whole

__all__ = ["GA"]

#: Largest population that is chosen without being asked for.
_MOST_ORDERS = 100
#: Equally good orders are told apart by their age, not by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class GA(Learner):
    """Genetic search over orders.

    Parameters
    ----------
    lam : float, optional
        Penalty on the absolute coefficients between standardised columns; by default
        ``2 sqrt(2 log(p) / n)``.
    threshold : float
        Coefficients (between standardised columns) of at most this size are no edges.
    population : int, optional
        Number of orders; by default five per node, at least 10 and at most 100.
    generations : int
        Largest number of generations.
    crossover, mutation : float
        Probabilities that a drawn parent is crossed, and that a child is mutated.
    min_entropy : float
        The search ends when the population's entropy falls below this value.
    tolerance : float
        Largest change of a coefficient at the end of the inner descent.

    Notes
    -----
    The score of the result is minus the fitness, so larger is better.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> GA(random_state=0, generations=50).fit(drawn.data).n_edges > 0
    True
    """

    name: ClassVar[str] = "ga"

    lam: float | None = setting(None, number(above=0) | NONE)
    threshold: float = setting(0.1, number(0))
    population: int | None = setting(None, whole(2) | NONE)
    generations: int = setting(2000, whole(0))
    crossover: float = setting(0.25, number(0, most=1))
    mutation: float = setting(0.05, number(0, most=1))
    min_entropy: float = setting(1e-6, number(0))
    tolerance: float = setting(1e-6, number(above=0))

    @property
    def needs_seed(self) -> bool:
        """Evolution is random."""
        return True

    def learn(self, statistics: GramStatistics, watch: Watch) -> Learned:
        """Let a population evolve and read the graph off its best order."""
        search = _Evolution(statistics, self)
        search.run(watch)
        coefficients = search.best_coefficients()
        return Learned(
            graph=np.abs(coefficients) > self.threshold,
            order=Order(search.best, statistics.names),
            score=-search.best_fitness,
            penalty={"kind": "l1", "lambda": search.lam, "threshold": self.threshold},
            trace=search.trace(),
            edge_values={"standardised_coefficient": coefficients},
            converged=search.uniform,
        )


class _Evolution:
    """A population of orders, and the best order it ever held."""

    def __init__(self, statistics: GramStatistics, settings: GA) -> None:
        p = statistics.p
        self.statistics = statistics
        self.settings = settings
        self.lam = settings.lam if settings.lam is not None else _universal(statistics)
        self.rng = np.random.default_rng(settings.random_state)
        size = settings.population or min(max(10, 5 * p), _MOST_ORDERS)
        self.orders = np.stack([self.rng.permutation(p) for _ in range(size)])
        self.regressions = start_regressions(statistics.kernel)
        self.fitness = np.full(size, np.inf)
        self.best, self.best_fitness = self.orders[0].copy(), np.inf
        self.uniform = False
        self.records: list[tuple[float, ...]] = []

    def run(self, watch: Watch) -> None:
        """Evolve until the population is uniform, or for all generations."""
        self._place(np.arange(len(self.orders)), self.orders, watch)
        for generation in range(self.settings.generations + 1):
            diversity = entropy(self.orders)
            self.uniform = diversity < self.settings.min_entropy
            self._record(generation, diversity)
            go_on = watch.tick(
                "generations",
                generation,
                total=self.settings.generations,
                score=-float(self.fitness.min()),
                best=-self.best_fitness,
            )
            if self.uniform or not go_on or generation == self.settings.generations:
                return
            self._next_generation(watch)

    def _next_generation(self, watch: Watch) -> None:
        settings = self.settings
        children, places = breed(
            self.orders, self.fitness, settings.crossover, settings.mutation, self.rng
        )
        self._place(places, children, watch)
        worst = int(np.argmax(self.fitness))
        self.orders[worst], self.fitness[worst] = self.best, self.best_fitness

    def _place(self, places: np.ndarray, children: np.ndarray, watch: Watch) -> None:
        """Evaluate children and put them into the population, while there is time."""
        for place, child in zip(places, children, strict=True):
            fitness = self._evaluate(child)
            self.orders[place], self.fitness[place] = child, fitness
            if fitness < self.best_fitness and not self._is_tie(fitness):
                self.best, self.best_fitness = child.copy(), fitness
            if watch.expired():
                return

    def _is_tie(self, fitness: float) -> bool:
        """Whether rounding alone may tell `fitness` from the best."""
        return math.isclose(fitness, self.best_fitness, rel_tol=_ROUNDING)

    def _evaluate(self, order: np.ndarray) -> float:
        kernel, tolerance = self.statistics.kernel, self.settings.tolerance
        return float(evaluate(kernel, order, self.lam, tolerance, self.regressions))

    def best_coefficients(self) -> np.ndarray:
        """``[i, j]`` is the coefficient of i in the regression of j under the best order."""
        # From nothing: a run's rounding errors have added up in the regressions.
        self.regressions = start_regressions(self.statistics.kernel)
        self.best_fitness = self._evaluate(self.best)
        return np.asarray(self.regressions.coefficients.T.copy())

    def _record(self, generation: int, diversity: float) -> None:
        known = self.fitness[np.isfinite(self.fitness)]
        self.records.append(
            (generation, -self.best_fitness, -known.min(), -known.mean(), diversity)
        )

    def trace(self) -> dict[str, np.ndarray]:
        names = ("iteration", "best", "score", "mean", "entropy")
        columns = np.array(self.records).T
        return dict(zip(names, columns, strict=True))


def _universal(statistics: GramStatistics) -> float:
    rows = max(float(statistics.n.max(initial=1.0)), 1.0)
    return float(2 * np.sqrt(2 * np.log(max(statistics.p, 2)) / rows))
