"""Algorithm 4: choosing (gamma, lambda) of a continuous penalty by BIC, given an order.

    BIC(theta) = 2 loss(L(theta)) + ||L(theta)||_0 log max(n, p)

over gamma in {2, 10, 50, 100} and 20 equally spaced lambdas in [0.1, 1] sqrt(n). Along each path
lambda falls and every column starts from its solution at the previous lambda. A path ends early
where a node would get as many parents as half of its rows: there the likelihood has no bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcs.data.gram import GramStatistics
from arcs.errors import SettingsError
from arcs.kernels.search import resolve_all, solve_all
from arcs.penalties import Penalty, penalty
from arcs.progress import Watch
from arcs.scores.cholesky import CholeskyScore

__all__ = ["GAMMAS", "Tuned", "lambda_grid", "tune"]

GAMMAS = (2.0, 10.0, 50.0, 100.0)


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
        The grid; one path per gamma (a single one for l1).
    allowed, required : ndarray, optional
        Background knowledge.
    watch : Watch, optional
        For progress and the time limit; what was evaluated by then decides.
    """
    watch = watch or Watch()
    grid = lambda_grid(statistics.n_rows) if lambdas is None else np.sort(lambdas)[::-1]
    paths = (1.0,) if kind == "l1" else tuple(g for g in gammas if kind != "scad" or g > 2)
    rows: list[tuple[float, ...]] = []
    total = len(paths) * len(grid)
    for gamma in paths:
        state, work = None, None
        for lam in grid:
            chosen = penalty(kind, float(lam), gamma)
            score = CholeskyScore(statistics, chosen, allowed=allowed, required=required)
            if state is None or work is None:
                state, work = score.new_state(order)
                value = float(solve_all(score.problem, state, work))
            else:
                value = float(resolve_all(score.problem, state, work))
            if np.isinf(value):
                break  # some column is full: the rest of the path would only be denser
            columns = state.columns
            used = np.arange(columns.weight.shape[1]) < columns.count[:, None]
            loss = value - float(chosen.value(columns.weight[used]).sum())
            edges = int(columns.count.sum())
            entries = edges + statistics.p
            bic = 2 * loss + entries * np.log(max(statistics.n_rows, statistics.p))
            rows.append((gamma, lam, bic, loss, edges))
            if not watch.tick("tune", len(rows), total=total, edges=edges):
                break
        if watch.expired():
            break
    table = np.array(rows)
    names = ("gamma", "lambda", "bic", "loss", "edges")
    best = int(np.argmin(table[:, 2]))
    chosen = penalty(kind, float(table[best, 1]), float(table[best, 0]))
    return Tuned(chosen, dict(zip(names, table.T, strict=True)))
