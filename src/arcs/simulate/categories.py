"""Simulators of categories: random tables for a graph, and tables with both kinds of columns.

Rows of a random table are drawn from a Dirichlet distribution with the given concentration: small
ones make strong dependence. In mixed tables a node is a number or a category, see
:func:`mixed_table`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arcs.data import Dataset
from arcs.data.interventions import Interventions
from arcs.errors import SettingsError
from arcs.graphs import DiscreteDag
from arcs.graphs.topology import topological_order
from arcs.simulate.random_dags import RandomState
from arcs.simulate.repository import Network

__all__ = ["MixedTable", "mixed_table", "random_tables", "sample_categories"]


def random_tables(
    adjacency: np.ndarray | Network,
    random_state: RandomState = None,
    *,
    levels: int | tuple[int, int] = (2, 4),
    concentration: float = 0.5,
    names: Sequence[str] | None = None,
) -> DiscreteDag:
    """A network of categories with random tables on the given graph.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (p, p), or Network
    random_state : int, Generator or None
    levels : int or (int, int)
        Levels of every node, or the bounds (both included) they are drawn from.
    concentration : float
        Of the Dirichlet distribution of each row of a table.
    names : sequence of str, optional
        By default those of the network if it is one, else V1, ..., Vp.

    Examples
    --------
    >>> from arcs.simulate import network, random_tables
    >>> random_tables(network("asia"), 0, levels=2).n_parameters
    18
    """
    if isinstance(adjacency, Network):
        names = adjacency.names if names is None else names
        adjacency = adjacency.adjacency
    arrows = np.asarray(adjacency, dtype=bool)
    low, high = (levels, levels) if isinstance(levels, int) else levels
    if not 2 <= low <= high or not concentration > 0:
        raise SettingsError("levels must be at least 2, and the concentration positive")
    rng = np.random.default_rng(random_state)
    sizes = rng.integers(low, high + 1, size=len(arrows))
    tables = []
    for j in range(len(arrows)):
        shape = sizes[np.flatnonzero(arrows[:, j])].tolist()
        tables.append(rng.dirichlet(np.full(sizes[j], concentration), size=shape))
    labels = [f"V{j + 1}" for j in range(len(arrows))] if names is None else names
    return DiscreteDag(arrows, [[f"s{k}" for k in range(size)] for size in sizes], tables, labels)


def sample_categories(
    dag: DiscreteDag,
    n: int,
    random_state: RandomState = None,
    *,
    rows_per_target: int = 0,
) -> Dataset:
    """`n` rows drawn from a network, and so many more for each of its nodes, set at random.

    Examples
    --------
    >>> from arcs.simulate import network, random_tables, sample_categories
    >>> sample_categories(random_tables(network("asia"), 0), 20, 0, rows_per_target=5).n
    60
    """
    rng = np.random.default_rng(random_state)
    parts, mask = [dag.sample(n, rng)], [np.zeros((n, dag.p), dtype=bool)]
    for node in range(dag.p if rows_per_target else 0):
        for level in rng.integers(len(dag.levels[node]), size=rows_per_target).tolist():
            parts.append(dag.sample(1, rng, {node: dag.levels[node][level]}))
            mask.append(np.arange(dag.p)[None, :] == node)
    values = np.concatenate(parts).astype(float)
    values.setflags(write=False)
    design = None
    if rows_per_target:
        design = Interventions.from_mask(np.concatenate(mask), dag.names)
    return Dataset(
        dag.names,
        values=values,
        levels=dag.levels,
        interventions=design,
        constant="isolate",
        source="simulated",
    )


class MixedTable(NamedTuple):
    """Rows with both kinds of columns, and the graph that they came from.

    Examples
    --------
    >>> from arcs.simulate import mixed_table, random_dag
    >>> data, adjacency = mixed_table(random_dag(6, 6, 0), 100, 0)
    >>> data.n, int(adjacency.sum())
    (100, 6)
    """

    data: Dataset
    adjacency: np.ndarray


def mixed_table(
    adjacency: np.ndarray,
    n: int,
    random_state: RandomState = None,
    *,
    interacting: bool | str = False,
    share: float = 0.5,
) -> MixedTable:
    """Draw rows in which a `share` of the nodes, at random, are categories of 2 to 4 levels.

    A number is the sum of what its parents contribute (a slope of 0.5 to 1 either way, or an effect
    for each level, with standard deviation about 1) and Gaussian noise; a category is drawn with
    log-odds of its levels that are such sums, doubled. `interacting`: each level of a node's first
    categorical parent has slopes of its own; with ``"configurations"`` nothing adds up: each
    configuration of a node's categorical parents has an effect and slopes of its own.

    Examples
    --------
    >>> from arcs.simulate import mixed_table, random_dag
    >>> drawn = mixed_table(random_dag(6, 6, 0), 100, 0)
    >>> len(drawn.data.discrete)
    3
    """
    if interacting not in (True, False, "configurations"):
        raise SettingsError(
            f'interacting must be True, False or "configurations", got {interacting!r}'
        )
    rng = np.random.default_rng(random_state)
    arrows = np.asarray(adjacency, dtype=bool)
    p = len(arrows)
    sizes = np.zeros(p, dtype=np.int64)
    chosen = rng.choice(p, round(share * p), replace=False)
    sizes[chosen] = rng.integers(2, 5, size=len(chosen))
    values = np.zeros((n, p))
    for j in topological_order(arrows).tolist():
        outputs = max(int(sizes[j]), 1)
        total = _contributions(
            rng, values, np.flatnonzero(arrows[:, j]), sizes, outputs, interacting
        )
        if sizes[j]:
            values[:, j] = np.argmax(2 * total + rng.gumbel(size=(n, outputs)), axis=1)
        else:
            total = total[:, 0] + rng.normal(size=n)
            values[:, j] = (total - total.mean()) / total.std()
    values.setflags(write=False)
    levels = tuple(tuple(f"s{k}" for k in range(size)) if size else None for size in sizes)
    names = [f"V{j + 1}" for j in range(p)]
    known = levels if any(own is not None for own in levels) else None
    data = Dataset(names, values=values, levels=known, constant="isolate", source="simulated")
    return MixedTable(data, arrows)


def _contributions(
    rng: np.random.Generator,
    values: np.ndarray,
    parents: np.ndarray,
    sizes: np.ndarray,
    outputs: int,
    interacting: bool | str,
) -> np.ndarray:
    """What the parents add to each output of a node."""
    n = len(values)
    total = np.zeros((n, outputs))
    together = interacting == "configurations"
    switches = [u for u in parents.tolist() if sizes[u]] if interacting else []
    at, groups = np.zeros(n, dtype=int), 1
    for u in switches if together else switches[:1]:
        at, groups = at * int(sizes[u]) + values[:, u].astype(int), groups * int(sizes[u])
    if together and switches:
        total += rng.normal(size=(groups, outputs))[at]
    for u in parents.tolist():
        if sizes[u] and together:
            continue
        if sizes[u]:
            effects = rng.normal(size=(int(sizes[u]), outputs))
            total += effects[values[:, u].astype(int)]
        else:
            slopes = rng.uniform(0.5, 1.0, (groups, outputs)) * rng.choice(
                [-1, 1], (groups, outputs)
            )
            total += values[:, u, None] * slopes[at]
    return total
