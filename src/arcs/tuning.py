"""Algorithm 4: choosing (gamma, lambda) of a continuous penalty by BIC, given an order.

    BIC(theta) = 2 loss(L(theta)) + ||L(theta)||_0 log max(n, p)

over gamma in {2, 10, 50, 100} and 20 equally spaced lambdas in [0.1, 1] sqrt(n). Along each path
lambda falls and every column starts from its solution at the previous lambda. A path ends early
where a node would get as many parents as half of its rows: there the likelihood has no bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arcs.data.gram import GramStatistics
from arcs.errors import SettingsError
from arcs.kernels.order.search import resolve_all, solve_all
from arcs.penalties import PENALTIES, Penalty, Scalar, penalty
from arcs.progress import Watch
from arcs.scores.cholesky import CholeskyScore

__all__ = ["GAMMAS", "Tuned", "chosen", "lambda_grid", "tune"]

GAMMAS = (2.0, 10.0, 50.0, 100.0)
_COLUMNS = ("gamma", "lambda", "bic", "loss", "edges")


@dataclass(frozen=True, eq=False)
class Tuned:
    """The chosen penalty, and the whole table: gamma, lambda, bic, loss, edges."""

    penalty: Penalty
    table: dict[str, np.ndarray]


def lambda_grid(n: float, size: int = 20) -> np.ndarray:
    """`size` equally spaced values from sqrt(n) down to 0.1 sqrt(n)."""
    if size < 1:
        raise SettingsError(f"the lambda grid needs at least one value, got {size!r}")
    return np.asarray(np.linspace(1.0, 0.1, size) * np.sqrt(n))


def chosen(
    statistics: GramStatistics,
    order: np.ndarray,
    kind: str,
    lam: float | None = None,
    gamma: float | None = None,
    **grid: Any,
) -> Tuned:
    """The penalty of a kind; of `lam` and `gamma`, :func:`tune` chooses what is not given."""
    if lam is not None and (gamma is not None or not PENALTIES[kind].has_gamma):
        return Tuned(penalty(kind, lam, gamma), {})
    gammas = GAMMAS if gamma is None else (gamma,)
    lambdas = None if lam is None else (lam,)
    return tune(statistics, order, kind=kind, gammas=gammas, lambdas=lambdas, **grid)


def tune(
    statistics: GramStatistics,
    order: np.ndarray,
    *,
    kind: str = "mcp",
    gammas: Sequence[float] = GAMMAS,
    lambdas: Sequence[float] | np.ndarray | None = None,
    allowed: np.ndarray | None = None,
    required: np.ndarray | None = None,
    watch: Watch | None = None,
) -> Tuned:
    """Evaluate BIC over the grid for one order; the smallest wins.

    Parameters
    ----------
    statistics : GramStatistics
    order : array of int
        Parents first.
    kind : {"mcp", "l1", "scad"}
    gammas, lambdas : sequence of float
        The grid; one path per gamma (a single one for l1). Concavities that the penalty does not
        have are left out.
    allowed, required : ndarray, optional
        Background knowledge.
    watch : Watch, optional
        For progress and the time limit; what was evaluated by then decides.
    """
    watch = watch or Watch()
    grid = lambda_grid(statistics.n_rows) if lambdas is None else np.sort(lambdas)[::-1]
    family = PENALTIES[kind]
    paths = tuple(g for g in gammas if g > family.flattest) if family.has_gamma else (1.0,)
    if not paths:
        raise SettingsError(f"gamma of {kind} must be greater than {family.flattest}: {gammas!r}")
    known = {"allowed": allowed, "required": required}
    rows: list[tuple[float, ...]] = []
    for gamma in paths:
        path = [family(float(lam)).at(gamma) for lam in grid]
        for row in _path(statistics, order, path, known):
            rows.append(row)
            if not watch.tick("tune", len(rows), total=len(paths) * len(grid), edges=int(row[-1])):
                break
        if watch.expired():
            break
    table = np.array(rows)
    best = int(np.argmin(table[:, 2]))
    chosen = family(float(table[best, 1])).at(float(table[best, 0]))
    return Tuned(chosen, dict(zip(_COLUMNS, table.T, strict=True)))


def _path(
    statistics: GramStatistics,
    order: np.ndarray,
    penalties: Sequence[Scalar],
    known: Mapping[str, np.ndarray | None],
) -> Iterator[tuple[float, ...]]:
    """A line of the table for each penalty, every column warm started where the last one ended."""
    score = CholeskyScore(statistics, penalties[0], **known)  # type: ignore[arg-type]
    state, work = score.new_state(order)
    solve = solve_all
    for entry in penalties:
        value = float(solve(replace(score, penalty=entry).problem, state, work))
        solve = resolve_all
        if np.isinf(value):
            return  # some column is full: the rest of the path would only be denser
        columns = state.columns
        used = np.arange(columns.weight.shape[1]) < columns.count[:, None]
        loss = value - float(entry.value(columns.weight[used]).sum())
        edges = int(columns.count.sum())
        entries = edges + statistics.p
        bic = 2 * loss + entries * np.log(max(statistics.n_rows, statistics.p))
        yield entry.gamma, entry.lam, bic, loss, edges
