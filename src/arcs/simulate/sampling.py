"""Data from a Gaussian DAG: observational, or with experiments.

Rows are drawn from ``X_j = a_j + sum_i B[i, j] X_i + e_j`` with independent normal noise. In an
experiment on a set of targets

- a *hard* intervention cuts a target off from its parents and draws its value from a distribution
  of its own (the setting of Section 3.3 of the paper),
- a *noise* intervention multiplies the standard deviation of its noise by a factor,
- a *shift* moves its mean by so many standard deviations of its noise,
- a *coefficients* intervention multiplies what it inherits from its parents by a factor.

The intervention mask of the data names the targets in all four cases; what to make of the rows is
the learner's `intervention_kind`.

The columns come in random order by default, and the truth is relabelled with them: repository
networks list parents before children, and no learner may profit from that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from arcs.data import Dataset, Interventions
from arcs.errors import SettingsError
from arcs.graphs import GaussianDag
from arcs.graphs.gaussian import LinearSystem
from arcs.simulate.random_dags import RandomState

__all__ = ["Simulated", "sample", "sample_experiments"]

ValueLaw = tuple[float, float] | Callable[[np.random.Generator, int], np.ndarray]
Kind = Literal["hard", "noise", "shift", "coefficients"]


class InterventionLaw(TypedDict, total=False):
    """What interventions do, as keywords of :func:`sample_experiments`."""

    value: ValueLaw
    kind: Kind
    factor: float


@dataclass(frozen=True, eq=False)
class Simulated:
    """Simulated data and the model they come from.

    Attributes
    ----------
    data : Dataset
        The rows, with interventions if there were any.
    truth : GaussianDag
        The model, its nodes in the order of the columns of `data`.
    seed : int or None
        The seed, if the caller gave a number.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> drawn.truth.n_edges, drawn.data.n
    (8, 200)
    """

    data: Dataset
    truth: GaussianDag
    seed: int | None = None


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Target sets and, for each row, the number of its set."""

    targets: tuple[tuple[int, ...], ...]
    regime: np.ndarray

    def rows_by_target(self) -> dict[int, np.ndarray]:
        """For each node that is ever a target, the rows in which it is one."""
        collected: dict[int, list[np.ndarray]] = {}
        for number, group in enumerate(self.targets):
            rows = np.flatnonzero(self.regime == number)
            for target in group:
                collected.setdefault(target, []).append(rows)
        return {target: np.concatenate(parts) for target, parts in collected.items()}


def sample(
    dag: GaussianDag, n: int, random_state: RandomState = None, *, shuffle: bool = True
) -> Simulated:
    """Draw `n` independent rows from the model.

    Parameters
    ----------
    dag : GaussianDag
        The model.
    n : int
        Number of rows.
    random_state : int, Generator or None
        Source of randomness.
    shuffle : bool
        Put the columns in random order (the default; see the module's text).

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> sample(random_weights(network("asia"), 0), 200, 0).data
    Dataset(200 rows, 8 columns, observational, from simulation)
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise SettingsError(f"n must be a whole number of at least 1, got {n!r}")
    rng = np.random.default_rng(random_state)
    state = _exogenous(dag, int(n), rng)
    LinearSystem.from_coefficients(dag.coefficients).propagate(state)
    return _packed(dag, state, None, shuffle, rng, random_state)


def sample_experiments(
    dag: GaussianDag,
    targets: Literal["each"] | Sequence[Any] = "each",
    rows_per_target: int | Sequence[int] = 5,
    random_state: RandomState = None,
    *,
    n_observational: int = 0,
    shuffle: bool = True,
    **law: Unpack[InterventionLaw],
) -> Simulated:
    """Draw blocks of rows, one per set of intervention targets.

    With the defaults this is Section 5.4 of the paper: p blocks of 5 rows, one variable under
    intervention in each, its value drawn from N(0, 1).

    Parameters
    ----------
    dag : GaussianDag
        The model.
    targets : "each" or sequence
        "each" for one block per variable; otherwise one entry per block: a position, a name, or
        a collection of them. An empty collection is a block without intervention.
    rows_per_target : int or sequence of int
        Rows of each block.
    random_state : int, Generator or None
        Source of randomness.
    n_observational : int
        Rows without intervention, placed before the blocks.
    value : (mean, standard deviation) or callable
        Law of the values of hard interventions: normal, or a function `value(rng, size)`.
    kind : {"hard", "noise", "shift", "coefficients"}
        Kind of intervention.
    factor : float
        For the soft kinds: factor of the noise's standard deviation or of the coefficients, or
        the shift in units of that standard deviation.
    shuffle : bool
        Put the columns in random order; the truth and the targets are relabelled with them.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample_experiments
    >>> model = random_weights(network("asia"), 0)
    >>> drawn = sample_experiments(model, [("smoke",), ("lung",)], 20, 0, n_observational=60)
    >>> drawn.data.n
    100
    """
    value, kind, factor = _law(**law)
    if kind not in ("hard", "noise", "shift", "coefficients"):
        raise SettingsError(
            f"kind must be 'hard', 'noise', 'shift' or 'coefficients', got {kind!r}"
        )
    if not np.isfinite(factor) or (kind == "noise" and factor <= 0):
        raise SettingsError(f"factor must be finite, and positive for the noise, got {factor!r}")
    blocks = _blocks(dag, targets, rows_per_target, n_observational)
    rng = np.random.default_rng(random_state)
    rows = blocks.rows_by_target()
    state = _exogenous(dag, blocks.regime.size, rng, rows, factor if kind == "noise" else 1.0)
    if kind == "hard":
        for target in sorted(rows):
            state[target, rows[target]] = _drawn_values(value, rows[target].size, rng)
    if kind == "shift":
        for target in sorted(rows):
            state[target, rows[target]] += factor * np.sqrt(dag.noise_variances[target])
    # Noise and shifts leave the inheritance alone; a hard intervention cuts it.
    inheritance = {"hard": 0.0, "noise": 1.0, "shift": 1.0, "coefficients": factor}[kind]
    damping = {target: (where, inheritance) for target, where in rows.items()}
    LinearSystem.from_coefficients(dag.coefficients).propagate(state, damping)
    return _packed(dag, state, blocks, shuffle, rng, random_state)


def _law(
    value: ValueLaw = (0.0, 1.0), kind: Kind = "hard", factor: float = 2.0
) -> tuple[ValueLaw, Kind, float]:
    """What is not said of a law."""
    return value, kind, factor


def _exogenous(
    dag: GaussianDag,
    n: int,
    rng: np.random.Generator,
    rows: dict[int, np.ndarray] | None = None,
    noise_factor: float = 1.0,
) -> np.ndarray:
    """Intercepts plus noise, shape (p, n); in `rows` the noise is multiplied by the factor."""
    state = rng.standard_normal((dag.p, n))
    state *= np.sqrt(dag.noise_variances)[:, None]
    if noise_factor != 1.0:
        for target, where in (rows or {}).items():
            state[target, where] *= noise_factor
    state += dag.intercepts[:, None]
    return state


def _drawn_values(value: ValueLaw, size: int, rng: np.random.Generator) -> np.ndarray:
    if callable(value):
        drawn = np.asarray(value(rng, size), dtype=float)
        if drawn.shape != (size,):
            raise SettingsError(
                f"value(rng, {size}) must return {size} numbers, got shape {drawn.shape}"
            )
        return drawn
    mean, deviation = value
    if not (np.isfinite(mean) and np.isfinite(deviation) and deviation >= 0):
        raise SettingsError(f"value must be (mean, standard deviation >= 0), got {value!r}")
    return rng.normal(mean, deviation, size)


def _blocks(
    dag: GaussianDag,
    targets: Literal["each"] | Sequence[Any],
    rows_per_target: int | Sequence[int],
    n_observational: int,
) -> _Blocks:
    groups: list[tuple[int, ...]]
    if isinstance(targets, str):
        if targets != "each":
            raise SettingsError(f"targets must be 'each' or a list of targets, got {targets!r}")
        groups = [(j,) for j in range(dag.p)]
    else:
        positions = {name: j for j, name in enumerate(dag.names)}
        groups = [_target_set(group, dag.p, positions) for group in targets]
    sizes = _block_sizes(rows_per_target, len(groups))
    if n_observational < 0:
        raise SettingsError(f"n_observational must not be negative, got {n_observational}")
    if n_observational:
        groups, sizes = [(), *groups], [int(n_observational), *sizes]
    if sum(sizes) == 0:
        raise SettingsError("there are no rows to draw: no targets and n_observational = 0")
    return _Blocks(tuple(groups), np.repeat(np.arange(len(groups)), sizes))


def _block_sizes(rows_per_target: int | Sequence[int], n_blocks: int) -> list[int]:
    sizes = np.asarray(rows_per_target)
    if sizes.ndim == 0:
        sizes = np.full(n_blocks, sizes)
    if sizes.shape != (n_blocks,):
        raise SettingsError(f"rows_per_target has {sizes.size} entries for {n_blocks} target sets")
    if n_blocks and (sizes.dtype.kind not in "iu" or sizes.min() < 1):
        raise SettingsError(f"rows_per_target must be at least 1 everywhere, got {sizes.tolist()}")
    return [int(size) for size in sizes]


def _target_set(group: Any, p: int, positions: dict[str, int]) -> tuple[int, ...]:
    members = [group] if isinstance(group, str | int | np.integer) else list(group)
    found = []
    for member in members:
        if isinstance(member, str):
            if member not in positions:
                raise SettingsError(f"intervention target {member!r} is not a node of the model")
            found.append(positions[member])
        elif 0 <= member < p:
            found.append(int(member))
        else:
            raise SettingsError(f"intervention target {member} is out of range for {p} nodes")
    return tuple(sorted(set(found)))


def _packed(
    dag: GaussianDag,
    state: np.ndarray,
    blocks: _Blocks | None,
    shuffle: bool,
    rng: np.random.Generator,
    random_state: RandomState,
) -> Simulated:
    """The rows as a data set, with columns, truth and targets relabelled together."""
    old = rng.permutation(dag.p) if shuffle else np.arange(dag.p)
    truth = dag.relabel(old) if shuffle else dag
    interventions = None
    if blocks is not None and any(blocks.targets):
        new = np.empty(dag.p, dtype=np.int64)
        new[old] = np.arange(dag.p)
        groups = tuple(tuple(int(new[t]) for t in group) for group in blocks.targets)
        interventions = Interventions(groups, blocks.regime, tuple(truth.names))
    data = Dataset.from_array(
        state[old].T, truth.names, interventions=interventions, source="simulation"
    )
    seed = int(random_state) if isinstance(random_state, int | np.integer) else None
    return Simulated(data, truth, seed)
