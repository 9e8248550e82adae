"""No benchmark: simulated data as real people have them, with known truth.

Random DAGs with coefficients of 0.3 to 0.8 in size and noise variances of 0.5 to 1.5, and on top of
them what makes real data ugly: means that differ between conditions, covariates, hidden factors,
tails, and models that are slightly wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

__all__ = [
    "Messy",
    "categories",
    "conditions",
    "factors",
    "large",
    "linear",
    "random_system",
    "soft",
    "tails",
]


@dataclass(frozen=True, eq=False)
class Messy:
    """Rows and the truth behind them.

    Attributes
    ----------
    values : ndarray of shape (n, p)
    truth : ndarray of bool, shape (p, p)
    labels : ndarray of str, optional
        The condition of each row.
    mask : ndarray of bool, optional
        Which values were set.
    covariates : ndarray, optional
    levels : tuple, optional
        Of each column of categories its levels, None of the others.
    """

    values: np.ndarray
    truth: np.ndarray
    labels: np.ndarray | None = None
    mask: np.ndarray | None = None
    covariates: np.ndarray | None = field(default=None)
    levels: tuple[tuple[str, ...] | None, ...] | None = None


def random_system(
    p: int, edges: int, rng: np.random.Generator, low: float = 0.3, high: float = 0.8
) -> np.ndarray:
    """Coefficients of a random DAG, nodes in random order: entry (i, j) is i -> j."""
    pairs = np.argwhere(np.triu(np.ones((p, p)), 1))
    coefficients = np.zeros((p, p))
    for i, j in pairs[rng.choice(len(pairs), edges, replace=False)]:
        coefficients[i, j] = rng.uniform(low, high) * rng.choice([-1, 1])
    shuffled = rng.permutation(p)
    return coefficients[np.ix_(shuffled, shuffled)]


def order_of(coefficients: np.ndarray) -> list[int]:
    """A topological order."""
    left, order = set(range(len(coefficients))), []
    while left:
        ready = [v for v in sorted(left) if not any(coefficients[u, v] for u in left)]
        order += ready
        left -= set(ready)
    return order


def linear(
    coefficients: np.ndarray, noise: np.ndarray, mask: np.ndarray | None = None
) -> np.ndarray:
    """Rows of the linear system; where `mask` says so, a value is its noise alone."""
    rows = np.zeros_like(noise)
    for v in order_of(coefficients):
        rows[:, v] = noise[:, v]
        free = slice(None) if mask is None else ~mask[:, v]
        rows[free, v] += rows[free] @ coefficients[:, v]
    return rows


def noise_of(n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    """Gaussian noise of unequal variances."""
    return rng.normal(size=(n, p)) * np.sqrt(rng.uniform(0.5, 1.5, p))


def conditions(kind: str, p: int, seed: int, rows: int = 60, groups: int = 8) -> Messy:
    """A control and eight conditions; `kind` says what they do.

    "none"; "batch": all means shift; "few": two (of 30 or fewer) or four variables each; "mixed":
    half and half; "hard": so many are set; "unused": the same, but nobody says which; "hard+batch";
    "covariates": three act on most variables.
    """
    if kind == "unused":
        return replace(conditions("hard", p, seed, rows, groups), mask=None)
    rng = np.random.default_rng([seed, p, 1])
    coefficients = random_system(p, p, rng)
    code = np.repeat(np.arange(groups + 1), rows)
    noise, some = noise_of(len(code), p, rng), 2 if p <= 30 else 4
    shifts, mask = np.zeros((groups + 1, p)), np.zeros((len(code), p), dtype=bool)
    batches = {"batch": groups, "hard+batch": groups, "mixed": groups // 2}.get(kind, 0)
    shifts[1 : batches + 1] = rng.normal(size=(batches, p))
    for r in range(1 + batches if kind == "mixed" else 1, groups + 1):
        chosen = rng.choice(p, some, replace=False)
        amount = rng.choice([-1, 1], some) * rng.uniform(1, 2, some)
        if kind in ("few", "mixed", "hard", "hard+batch"):
            shifts[r, chosen] += amount
        if kind.startswith("hard"):
            mask[np.ix_(code == r, chosen)] = True
    effects, covariates = shifts[code], None
    if kind == "covariates":
        covariates = rng.normal(size=(len(code), 3))
        effects = covariates @ (rng.normal(0, 0.7, (3, p)) * (rng.random((3, p)) < 0.7))
    labels = np.array(["control", *(f"c{r}" for r in range(1, groups + 1))])[code]
    values = linear(coefficients, noise + effects, mask)
    return Messy(values, coefficients != 0, labels, mask if mask.any() else None, covariates)


def soft(kind: str, p: int, seed: int, *, crossing: bool, rows: int = 60, groups: int = 8) -> Messy:
    """A control and eight regimes in each of which the noise of one variable is three times as
    large, and conditions that shift means: the regimes, or (`crossing`) plates across them.

    "none"; "batch": all means shift; "few": two variables each, targets of the regimes excepted;
    "mixed": half and half.
    """
    rng = np.random.default_rng([seed, p, 7])
    coefficients = random_system(p, p, rng)
    code = np.repeat(np.arange(groups + 1), rows)
    noise, mask = noise_of(len(code), p, rng), np.zeros((len(code), p), dtype=bool)
    targets = rng.choice(p, groups, replace=False)
    for r in range(1, groups + 1):
        mask[code == r, targets[r - 1]] = True
    plates = rng.integers(groups + 1, size=len(code)) if crossing else code
    batches = {"batch": groups, "mixed": groups // 2}.get(kind, 0)
    shifts = np.zeros((groups + 1, p))
    shifts[1 : batches + 1] = rng.normal(size=(batches, p))
    for r in range(batches + 1, groups + 1) if kind != "none" else ():
        chosen = rng.choice(np.delete(np.arange(p), targets[r - 1]), 2, replace=False)
        shifts[r, chosen] = rng.choice([-1, 1], 2) * rng.uniform(1, 2, 2)
    values = linear(coefficients, noise * np.where(mask, 3, 1) + shifts[plates])
    labels = np.array([f"c{r}" for r in range(groups + 1)])[plates]
    return Messy(values, coefficients != 0, labels, mask)


def factors(k: int, p: int, n: int, seed: int, loading: float = 0.6, density: float = 1.5) -> Messy:
    """`k` hidden factors that act on all variables of a DAG with so many edges per variable."""
    rng = np.random.default_rng([seed, p, 2])
    coefficients = random_system(p, int(density * p), rng)
    hidden = rng.normal(size=(n, k)) @ rng.normal(0, loading, (k, p))
    return Messy(linear(coefficients, noise_of(n, p, rng) + hidden), coefficients != 0)


def tails(kind: str, p: int, n: int, seed: int) -> Messy:
    """Noise, variables or rows that are not Gaussian; see the table of the benchmark."""
    rng = np.random.default_rng([seed, p, n, 3])
    coefficients = random_system(p, int(1.5 * p), rng)
    scale, noise = np.sqrt(rng.uniform(0.5, 1.5, p)), rng.normal(size=(n, p))
    if kind == "t3 noise":
        noise = rng.standard_t(3, (n, p)) / np.sqrt(3)
    if kind == "log-normal noise":
        noise = (np.exp(noise) - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e)
    rows = linear(coefficients, noise * scale)
    spread = rows.std(axis=0)
    if kind in ("monotone", "zeros"):
        rows = np.exp(rows / spread)
    if kind == "zeros":
        rows[rng.random(rows.shape) < 0.2] = 0
    if kind == "outlying cells":
        rows += (rng.random(rows.shape) < 0.01) * rng.normal(size=rows.shape) * 8 * spread
    if kind == "outlying rows":
        rows[rng.random(n) < 0.01] *= 8
    if kind == "scale mixture":
        rows *= np.sqrt(3 / rng.chisquare(3, (n, 1)))
    return Messy(rows, coefficients != 0)


def large(kind: str, p: int, seed: int, rows: int = 1000, groups: int = 9) -> Messy:
    """Nine conditions of 1,000 rows, 1.5 p edges, and a model that is right or slightly wrong."""
    rng = np.random.default_rng([seed, p, 4])
    low, high = (0.1, 0.4) if kind == "right, weak edges" else (0.3, 0.8)
    coefficients = random_system(p, int(1.5 * p), rng, low, high)
    noise = noise_of(groups * rows, p, rng)
    place = np.argsort(order_of(coefficients))
    later = place[:, None] < place[None, :]
    tiny = later & (coefficients == 0)
    code = np.repeat(np.arange(groups), rows)
    if kind == "weak factor":
        noise += rng.normal(size=(len(noise), 1)) @ rng.normal(0, 0.25, (1, p))
    system = coefficients + (
        tiny * rng.normal(0, 0.03, (p, p)) if kind == "dense tiny effects" else 0.0
    )
    values = linear(system, noise)
    if kind == "coefficients vary":
        for r in range(groups):
            own = coefficients + later * rng.normal(0, 0.1, (p, p))
            values[code == r] = linear(own, noise[code == r])
    if kind == "quadratic":
        values = _quadratic(coefficients, noise)
    return Messy(values, coefficients != 0, np.array([f"c{r}" for r in range(groups)])[code])


def _quadratic(coefficients: np.ndarray, noise: np.ndarray) -> np.ndarray:
    rows = np.zeros_like(noise)
    for v in order_of(coefficients):
        rows[:, v] = noise[:, v] + rows @ coefficients[:, v]
        for u in np.flatnonzero(coefficients[:, v]):
            unit = (rows[:, u] - rows[:, u].mean()) / rows[:, u].std()
            rows[:, v] += 0.3 * coefficients[u, v] * (unit**2 - 1)
    return rows


def categories(batches: bool, p: int, seed: int) -> Messy:
    """Numbers beside categories (half of each), 600 rows in six plates; `batches` move the means of
    all numbers by two of their standard deviations."""
    from arcs.simulate import mixed_table, random_dag

    drawn, rng = mixed_table(random_dag(p, p, seed), 600, seed), np.random.default_rng([seed, 6])
    plate, values = rng.integers(6, size=600), np.array(drawn.data.values)
    levels = drawn.data.levels
    for j, own in enumerate(levels or ()):
        if batches and own is None:
            values[:, j] += rng.normal(0, 2 * values[:, j].std(), 6)[plate]
    labels = np.array([f"plate {k}" for k in plate])
    return Messy(values, drawn.adjacency, labels, levels=levels)
