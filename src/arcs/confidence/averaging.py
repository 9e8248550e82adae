"""From frequencies of edges to one acyclic graph: the average of many.

*Which edges.* Those with more confidence than a threshold. One half is the default: an edge that is
more often there than not. With half-samples it is 0.2: half of the rows miss edges that all of them
show, so that frequencies say less than what they are of; of pairs that are adjacent in a fifth of
such graphs most are true already (``benchmarks/averaging.py``). Scutari and Nagarajan (2013),
"Identifying significant edges in graphical models of molecular networks", choose it from the
confidences themselves: if every edge were certain, their distribution function F would be a step of
some height t on [0, 1); t is chosen to minimise the L1 distance

    integral over [0, 1] of |F(x) - t| dx,

and the threshold is the quantile of F at t. F being monotone, the minimiser is t = F(1/2), and so
the threshold is the largest confidence that does not exceed one half. (Numerical minimisers of the
same distance may end a hair above F(1/2), and then report the next larger confidence.)

*Which way.* Majorities may form a cycle. The kept edges are directed along the order of the nodes
that agrees most with the graphs: with w_ij how often i - j points from i to j (a line counts one
half), the order that maximises the sum of w_ij over kept edges with i before j. Only within a
strongly connected part of the majority's arrows is there anything to decide; there the best order
is found by dynamic programming over subsets if the part is small, and by reinsertions until none
improves if it is large. An edge that would have to point in a way that no graph and no class has is
left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arcs.errors import DataError, SettingsError
from arcs.graphs.topology import topological_order
from arcs.lazily import Lazily

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arcs.results import FitResult

sparse, csgraph = Lazily("scipy.sparse"), Lazily("scipy.sparse.csgraph")

__all__ = [
    "LEAST_CONFIDENCE",
    "agreement_order",
    "averaged_adjacency",
    "averaged_result",
    "chosen_threshold",
    "edge_confidence",
    "l1_threshold",
]

#: Edges with no more confidence than this are not among the candidates of averaged graphs.
LEAST_CONFIDENCE = 0.1
#: Edges with more confidence than this are in the averaged graph: of resamples, of half-samples.
THRESHOLD, HALVES_THRESHOLD = 0.5, 0.2
#: Strongly connected parts of up to so many nodes are ordered exactly.
_EXACT = 12


def l1_threshold(confidences: np.ndarray) -> float:
    """The largest of `confidences` that does not exceed 1/2; edges above it are significant.

    This is the L1 criterion of Scutari and Nagarajan (2013) solved exactly; see the module's
    documentation. Zero if all confidences are above one half.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.confidence import l1_threshold
    >>> l1_threshold(np.array([0.0, 0.1, 0.2, 0.9, 1.0]))
    0.2
    """
    values = np.asarray(confidences, dtype=float).ravel()
    return float(values[values <= 0.5].max(initial=0.0))


def edge_confidence(shares: Mapping[str, np.ndarray], n: int) -> np.ndarray:
    """Symmetric: in which share of `n` graphs i and j are adjacent."""
    adjacent = shares["directed"] + shares["directed"].T + shares["undirected"]
    # Whole numbers of graphs: 0.3 + 0.2 must not exceed one half.
    return np.asarray(np.rint(adjacent * n) / max(n, 1))


def chosen_threshold(threshold: float | str, confidence: np.ndarray, halves: bool = False) -> float:
    """A threshold as a number: as given, the usual one ("auto"), or by the L1 criterion."""
    if threshold == "auto":
        return HALVES_THRESHOLD if halves else THRESHOLD
    if threshold == "l1":
        return l1_threshold(confidence[np.triu_indices(len(confidence), 1)])
    if isinstance(threshold, str) or not 0 <= threshold < 1:
        raise SettingsError(
            f"threshold must be 'auto', 'l1' or a number from 0 to below 1, got {threshold!r}"
        )
    return float(threshold)


def averaged_adjacency(
    shares: Mapping[str, np.ndarray], n: int, threshold: float | str = "auto"
) -> np.ndarray:
    """The averaged graph of `n` graphs with these shares of edges ("dag", "directed", ...)."""
    confidence = edge_confidence(shares, n)
    kept = confidence > chosen_threshold(threshold, confidence)
    # Of equally frequent directions the one that the DAGs prefer.
    ways = shares["directed"] + shares["undirected"] / 2 + 1e-6 * shares["dag"]
    order = agreement_order(np.where(kept, ways, 0.0))
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    forward = position[:, None] < position[None, :]
    seen = (shares["dag"] > 0) | (shares["undirected"] > 0)
    return np.asarray(kept & forward & seen)


def agreement_order(weights: np.ndarray) -> np.ndarray:
    """An order that maximises the sum of ``weights[i, j]`` over i before j."""
    ways = np.asarray(weights, dtype=float)
    majority = (ways > ways.T) & (ways > 0)
    n_parts, part = csgraph.connected_components(sparse.csr_array(majority), connection="strong")
    between = np.zeros((n_parts, n_parts), dtype=bool)
    tails, heads = np.nonzero(majority)
    between[part[tails], part[heads]] = True
    np.fill_diagonal(between, False)
    order: list[int] = []
    for k in topological_order(between):
        nodes = np.flatnonzero(part == k)
        order += nodes[_best_order(ways[np.ix_(nodes, nodes)])].tolist()
    return np.array(order, dtype=np.int64)


def _best_order(ways: np.ndarray) -> np.ndarray:
    if len(ways) < 3:
        turned = len(ways) == 2 and ways[1, 0] > ways[0, 1]
        return np.arange(len(ways))[:: -1 if turned else 1]
    return _exact_order(ways) if len(ways) <= _EXACT else _improved_order(ways)


def _exact_order(ways: np.ndarray) -> np.ndarray:
    """Dynamic programming: the best sum of every subset, ordered as if it came first."""
    k = len(ways)
    best, last = np.full(1 << k, -np.inf), np.zeros(1 << k, dtype=np.int64)
    best[0] = 0.0
    for subset in range(1, 1 << k):
        members = [v for v in range(k) if subset >> v & 1]
        for v in members:
            before = [u for u in members if u != v]
            value = best[subset & ~(1 << v)] + ways[before, v].sum()
            if value > best[subset]:
                best[subset], last[subset] = value, v
    order, subset = [], (1 << k) - 1
    while subset:
        order.append(int(last[subset]))
        subset &= ~(1 << order[-1])
    return np.array(order[::-1])


def _improved_order(ways: np.ndarray) -> np.ndarray:
    """Reinsert nodes where they agree most, until nothing improves."""
    order = np.argsort(ways.sum(axis=0) - ways.sum(axis=1), kind="stable").tolist()
    improved = True
    while improved:
        improved = False
        for node in list(order):
            rest = [other for other in order if other != node]
            # At position k: arrows from those before, arrows to those after.
            gain = np.cumsum([0.0, *(ways[rest, node] - ways[node, rest])])
            now, best = order.index(node), int(np.argmax(gain))
            if gain[best] > gain[now] + 1e-12:
                order = [*rest[:best], node, *rest[best:]]
                improved = True
    return np.array(order)


def averaged_structure(result: FitResult, threshold: float | str) -> tuple[np.ndarray, float]:
    """The averaged graph of a result's ensemble, and the threshold as a number."""
    graphs = result.ensemble
    if graphs is None or not len(graphs):
        raise DataError(
            "there are no bootstrap graphs to average: run arcs.confidence.bootstrap(...) and "
            "attach it to the result, or fit with --bootstrap"
        )
    confidence = edge_confidence(graphs.frequencies, len(graphs))
    limit = chosen_threshold(threshold, confidence, graphs.halves)
    return averaged_adjacency(graphs.frequencies, len(graphs), limit), limit


def averaged_result(result: FitResult, threshold: float | str = "auto") -> FitResult:
    """The averaged graph of a result's ensemble, with coefficients fitted to its moments."""
    from arcs.results import FitResult

    adjacency, limit = averaged_structure(result, threshold)
    graphs, moments = result.ensemble, result.moments
    assert graphs is not None
    if moments is None or not moments.covers(adjacency):
        raise DataError(
            f"the result keeps what it takes to fit edges with confidence above "
            f"{LEAST_CONFIDENCE}, not above {limit:g}; Bootstrap.averaged_result(data, ...) fits "
            "them to the data"
        )
    return FitResult.from_structure(
        f"average of {len(graphs)} graphs by {result.method}",
        adjacency,
        moments,
        penalty=result.penalty,
        settings={**result.settings, "threshold": limit},
        seed=result.seed,
        audit=result.audit,
        source=result.source,
        edge_values={k: v for k, v in result.edge_values.items() if "confidence" in k},
        moments=moments,
        ensemble=graphs,
    )
