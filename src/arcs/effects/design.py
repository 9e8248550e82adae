"""Which experiment tells most about directions.

An experiment that sets the variables I shows, for every edge between I and the rest, which way it
points; Meek's rules then direct others (Hauser and Bühlmann, 2012, "Characterization and greedy
learning of interventional Markov equivalence classes of directed acyclic graphs"). What it shows
depends on the true graph, of which only the class is known. Two averages say what to expect:

*Over the class.* Members are equally likely beforehand. The members with the same answer of the
experiment are counted exactly (:mod:`arcs.graphs.orientations`), for each the edges that become
directed, and the expectation is taken. Sizes of classes left behind come along: the rule of Hauser
and Bühlmann (2014, "Two optimal strategies for active learning of causal models from interventional
data"; `opt.target` in pcalg) minimises the largest of them.

*Over bootstrap graphs.* Where replicates disagree about a direction, it is not known either, even
if each of them thinks it is. An edge i - j has the disagreement 2 min(s, 1 - s), s the share of
arrows i -> j among its occurrences (lines count half for each). For each replicate, the edges that
the experiment would direct in it (those at I, and what follows in its class) are added up with
their disagreements; the mean is the expected number of doubtful directions that are settled.

Experiments are ranked by the first per cost, then the second, then by the size of the effects of I
on other variables: a variable that moves others is worth setting.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arcs.errors import SettingsError
from arcs.graphs import Dag, GaussianDag, Pdag, count_members, meek_closure
from arcs.graphs.effects import joint_orientations
from arcs.graphs.ensemble import GraphEnsemble
from arcs.graphs.enumeration import with_arrows
from arcs.graphs.names import Node, node_index
from arcs.graphs.orientations import ChordalOrientations, undirected_components

__all__ = ["Experiment", "next_experiments", "possible_answers"]

#: Beyond so many ways to direct the edges at the targets, members are drawn instead of counted.
_MOST_WAYS = 3000
_DRAWS = 400
#: Sets are built from so many of the best smaller ones.
_BEAM = 30


@dataclass(frozen=True)
class Experiment:
    """Setting some variables, and what is to be expected of it.

    Attributes
    ----------
    targets : tuple of str
    expected_edges : float
        Expected number of edges whose direction becomes known, over the equivalence class.
    largest_class : int
    expected_class : float
        Members of the class that is left, at worst and on average.
    doubts_settled : float or None
        Expected number of directions that bootstrap graphs disagree about and that are settled;
        None without a bootstrap.
    effect : float
        Sum of the targets' absolute standardised effects on the other variables; in networks with
        categories, which have no such effects, the number of variables below them.
    cost : float
    exact : bool
        Whether members were counted, rather than drawn.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import next_experiments
    >>> next_experiments(dag.cpdag(), dag)[0].targets
    ('b',)
    """

    COLUMNS: ClassVar[tuple[str, ...]] = (
        *("targets", "expected_edges", "doubts_settled", "largest_class", "expected_class"),
        *("effect", "cost", "exact"),
    )

    targets: tuple[str, ...]
    expected_edges: float
    largest_class: int
    expected_class: float
    doubts_settled: float | None
    effect: float
    cost: float = 1.0
    exact: bool = True

    @property
    def rank(self) -> tuple[float, float, float]:
        """What experiments are compared by; larger is better."""
        doubts = 0.0 if self.doubts_settled is None else self.doubts_settled
        parts = (self.expected_edges, doubts, self.effect)
        first, second, third = (round(part / self.cost, 9) for part in parts)
        return first, second, third

    def to_dict(self) -> dict[str, Any]:
        """A row of a table."""
        row = {name: getattr(self, name) for name in self.COLUMNS}
        return {**row, "targets": ", ".join(self.targets)}


def next_experiments(
    pdag: Pdag,
    dag: Dag,
    ensemble: GraphEnsemble | None = None,
    *,
    k: int = 5,
    candidates: Collection[Node] | None = None,
    cost: Mapping[str, float] | Callable[[str], float] | None = None,
    max_size: int = 1,
) -> list[Experiment]:
    """The experiments that are expected to tell most, best first.

    Parameters
    ----------
    pdag : Pdag
        The equivalence class that is known so far.
    dag : Dag
        A member, for the sizes of effects.
    ensemble : GraphEnsemble, optional
        Bootstrap graphs.
    k : int
        How many to return at most. Those that tell nothing are left out.
    candidates : collection of int or str, optional
        What can be intervened on; everything by default.
    cost : mapping or callable, optional
        Cost of setting a variable by name, 1 where it is not given; that of a set is the sum.
    max_size : int
        Sets of up to so many variables, set in one experiment. Larger sets are built from the best
        smaller ones.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import next_experiments
    >>> [found.targets for found in next_experiments(dag.cpdag(), dag)]
    [('b',), ('a',), ('c',)]
    """
    for name, value in (("k", k), ("max_size", max_size)):
        if value < 1:
            raise SettingsError(f"{name} must be at least 1, got {value!r}")
    allowed = range(pdag.p) if candidates is None else candidates
    nodes = sorted({node_index(node, pdag.names) for node in allowed})
    design = _Design(pdag, dag, ensemble, cost)
    found = _judged(design, nodes, max_size)
    telling = [one for one in found if one.rank[:2] > (0.0, 0.0)]
    return sorted(telling, key=lambda one: (*one.rank, -len(one.targets)), reverse=True)[:k]


def _judged(design: _Design, nodes: list[int], max_size: int) -> list[Experiment]:
    """All single targets, and sets built of the best smaller ones."""
    found = design.experiments([(node,) for node in nodes])
    best = sorted(found, key=lambda one: one.rank, reverse=True)[:_BEAM]
    for _ in range(1, max_size):
        sets = {
            tuple(sorted((*design.indices(one), node)))
            for one in best
            for node in nodes
            if node not in design.indices(one) and any(design.rank_alone(node))
        }
        larger = design.experiments(sorted(sets))
        best = sorted(larger, key=lambda one: one.rank, reverse=True)[:_BEAM]
        found += best
    return found


def possible_answers(pdag: Pdag, targets: Sequence[int]) -> tuple[list[tuple[int, int]], bool]:
    """What an experiment on `targets` may show, in the parts of the class that it touches.

    Returns
    -------
    answers : list of (int, int)
        For each possible answer the number of edges that it directs, and of ways to direct the
        undirected components with a target that agree with it. (Draws, if these were drawn.)
    exact : bool

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import possible_answers
    >>> len(possible_answers(dag.cpdag(), [1]))
    2
    """
    return _answers(_parts(meek_closure(pdag)), targets)


def _parts(closed: Pdag) -> list[tuple[np.ndarray, Pdag]]:
    """The undirected components of a closed graph: their nodes, and the graph among them."""
    parts = []
    for nodes in undirected_components(closed.undirected):
        grid = np.ix_(nodes, nodes)
        parts.append((nodes, Pdag(closed.directed[grid], closed.undirected[grid])))
    return parts


def _answers(
    parts: list[tuple[np.ndarray, Pdag]], targets: Sequence[int]
) -> tuple[list[tuple[int, int]], bool]:
    answers, exact = [(0, 1)], True
    for nodes, part in parts:
        inside = np.flatnonzero(np.isin(nodes, list(targets))).tolist()
        if inside:
            here, counted = _answers_in(part, inside)
            answers = [(e + f, m * n) for e, m in answers for f, n in here]
            exact &= counted
    return answers, exact


def _answers_in(part: Pdag, targets: list[int]) -> tuple[list[tuple[int, int]], bool]:
    """The answers in one undirected component."""
    counts: dict[bytes, int] = {}
    arrows: dict[bytes, np.ndarray] = {}
    exact = True
    for number, (directed, count) in enumerate(_ways(part, targets)):
        if number == _MOST_WAYS and not part.directed.any():
            exact, counts = False, {}
            for drawn in _draws(part):
                _note(drawn, 1, part, targets, counts, arrows)
            break
        _note(directed, count, part, targets, counts, arrows)
    answers = []
    for key, count in counts.items():
        _, lines = with_arrows(part.directed, part.undirected, _pairs(arrows[key]))
        answers.append((int(part.undirected.sum() - lines.sum()) // 2, count))
    return answers, exact


def _ways(part: Pdag, targets: list[int]) -> Iterator[tuple[np.ndarray, int]]:
    """All ways to direct the edges at the targets, with the number of members of each."""
    for choice in joint_orientations(part, targets):
        yield choice.directed, count_members(choice)


def _draws(part: Pdag) -> Iterator[np.ndarray]:
    orientations, rng = ChordalOrientations(part.undirected), np.random.default_rng(0)
    for _ in range(_DRAWS):
        yield orientations.draw(rng)


def _note(
    directed: np.ndarray,
    count: int,
    part: Pdag,
    targets: list[int],
    counts: dict[bytes, int],
    arrows: dict[bytes, np.ndarray],
) -> None:
    """Add members to the answer that they give: directions between targets and the rest."""
    shown = directed & part.undirected & _cut(part.p, targets)
    key = shown.tobytes()
    counts[key] = counts.get(key, 0) + count
    arrows[key] = shown


def _pairs(arrows: np.ndarray) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in np.argwhere(arrows)]


def _cut(p: int, targets: Sequence[int]) -> np.ndarray:
    """Pairs of which one is a target and the other is not."""
    inside = np.isin(np.arange(p), list(targets))
    return np.asarray(inside[:, None] ^ inside[None, :])


class _Design:
    """All that is needed to judge experiments; what is asked twice is kept."""

    def __init__(
        self,
        pdag: Pdag,
        dag: Dag,
        ensemble: GraphEnsemble | None,
        cost: Mapping[str, float] | Callable[[str], float] | None,
    ) -> None:
        self.parts = _parts(meek_closure(pdag))
        self.names = pdag.names
        self.ensemble = ensemble
        self.size = count_members(pdag)
        self.effects = _reach(dag)
        self.costs = _costs(cost, pdag.names)
        self.doubts = None if ensemble is None else _disagreements(ensemble)
        self._alone: dict[int, Experiment] = {}

    def experiments(self, sets: Sequence[tuple[int, ...]]) -> list[Experiment]:
        """What is to be expected of setting each of these."""
        settled = self._settled(sets)
        return [self._experiment(*both) for both in zip(sets, settled, strict=True)]

    def _experiment(self, targets: tuple[int, ...], settled: float | None) -> Experiment:
        answers, exact = _answers(self.parts, targets)
        total = sum(count for _, count in answers)
        # Whole numbers, which may be larger than every float.
        left = [self.size * count // total for _, count in answers]
        found = Experiment(
            targets=tuple(self.names[node] for node in targets),
            expected_edges=sum(edges * count for edges, count in answers) / total,
            largest_class=max(left),
            expected_class=_mean(sum(n * n for n in left), self.size),
            doubts_settled=settled,
            effect=float(self.effects[list(targets)].sum()),
            cost=float(self.costs[list(targets)].sum()),
            exact=exact,
        )
        if len(targets) == 1:
            self._alone[targets[0]] = found
        return found

    def rank_alone(self, node: int) -> tuple[float, float]:
        """What setting a variable alone would tell."""
        if node not in self._alone:
            self.experiments([(node,)])
        return self._alone[node].rank[:2]

    def indices(self, one: Experiment) -> tuple[int, ...]:
        """The targets of an experiment as numbers."""
        return tuple(self.names.index(name) for name in one.targets)

    def _settled(self, sets: Sequence[tuple[int, ...]]) -> list[float] | list[None]:
        """Doubtful directions that each set settles, the mean over replicates."""
        if self.ensemble is None or self.doubts is None:
            return [None] * len(sets)
        cuts, totals = [_cut(len(self.names), targets) for targets in sets], [0.0] * len(sets)
        for b in range(len(self.ensemble)):
            adjacency = self.ensemble.adjacency(b)
            graph = self.ensemble.equivalence_class(b)
            for i, cut in enumerate(cuts):
                shown = adjacency & cut
                totals[i] += float(self.doubts[_directed(graph, shown)].sum())
        return [total / max(len(self.ensemble), 1) for total in totals]


def _directed(graph: Pdag, shown: np.ndarray) -> np.ndarray:
    """What is shown, and the lines of a class that it directs."""
    news = _pairs(shown & graph.undirected)
    if not news:
        return shown
    arrows, _ = with_arrows(graph.directed, graph.undirected, news)
    return np.asarray(shown | (arrows & ~graph.directed))


def _reach(dag: Dag) -> np.ndarray:
    """What setting each variable moves: the sum of its standardised effects, or where there are
    none the number of its descendants."""
    if not isinstance(dag, GaussianDag):
        return np.array([float(len(dag.descendants(node))) for node in range(dag.p)])
    sd = np.sqrt(np.diag(dag.covariance()))
    effects = np.abs(np.asarray(dag.total_effects()) * sd[:, None] / sd[None, :])
    return np.asarray(effects.sum(axis=1) - 1.0)


def _disagreements(ensemble: GraphEnsemble) -> np.ndarray:
    """2 min(s, 1 - s) for the shares s of the directions of every edge."""
    shares = ensemble.frequencies
    arrows = shares["directed"] + shares["undirected"] / 2
    either = arrows + arrows.T
    ratio = np.divide(arrows, either, out=np.zeros_like(arrows), where=either > 0)
    return np.asarray(2 * np.minimum(ratio, ratio.T))


def _costs(
    cost: Mapping[str, float] | Callable[[str], float] | None, names: tuple[str, ...]
) -> np.ndarray:
    if isinstance(cost, Mapping):
        for name in cost:
            node_index(name, names)
        values = np.array([float(cost.get(name, 1.0)) for name in names])
    else:
        values = np.array([1.0 if cost is None else float(cost(name)) for name in names])
    bad = np.flatnonzero(~(values > 0))
    if bad.size:
        raise SettingsError(f"costs must be positive; that of {names[bad[0]]!r} is not")
    return values


def _mean(total: int, size: int) -> float:
    """A mean of whole numbers, which may be larger than every float: then rounded down."""
    try:
        return total / size
    except OverflowError:
        return total // size
