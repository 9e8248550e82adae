"""Algorithms 1 and 2 of the paper in plain NumPy, as one writes them down from its text.

Nothing here uses the package: tests compare scores with it, and the benchmark takes it as the
yardstick. An iteration flips an interval of m nodes and solves the m columns that this changes
again by proximal gradient, warm-started from the column before. Only the direction of reading
differs from the paper: orders are parents first.
"""

from dataclasses import dataclass

import numpy as np


def mcp(x, lam, gamma):
    """The minimax concave penalty (eq. 10), summed."""
    a = np.abs(x)
    inside = lam * a - a**2 / (2 * gamma)
    return float(np.where(a < gamma * lam, inside, 0.5 * gamma * lam**2).sum())


def mcp_prox(x, step, lam, gamma):
    """Lemma 6 after its change of variables; ties go to zero."""
    scale, alpha = lam * gamma, step / gamma
    y = np.abs(x) / scale
    if alpha < 1:
        shrunk = np.where(y <= alpha, 0.0, np.where(y <= 1, (y - alpha) / (1 - alpha), y))
    else:
        shrunk = np.where(y <= np.sqrt(alpha), 0.0, y)
    return np.sign(x) * scale * shrunk


def unit_norm_gram(rows):
    """Gram matrix of centred columns of unit Euclidean norm."""
    centred = rows - rows.mean(axis=0)
    return (centred / np.linalg.norm(centred, axis=0)).T @ (
        centred / np.linalg.norm(centred, axis=0)
    )


def loss(gram, n, column):
    """The node's share of the Cholesky loss; the diagonal entry comes first (Lemma 3)."""
    return 0.5 * column @ gram @ column - n * np.log(column[0])


def gradient(gram, n, column):
    """Lemmas 4 and 5."""
    slope = gram @ column
    slope[0] -= n / column[0]
    return slope


def solve_column(gram, n, lam, gamma, start, *, step=1.0, shrink=0.8, tol=1e-3, max_iter=1000):
    """Algorithm 2 for one column."""
    column = start.copy()
    for _ in range(max_iter):
        slope, value = gradient(gram, n, column), loss(gram, n, column)
        t = step / np.linalg.norm(slope)
        while True:
            new = column - t * slope
            new[1:] = mcp_prox(new[1:], t, lam, gamma)
            moved = new - column
            if new[0] > 0:
                bound = value + slope @ moved + moved @ moved / (2 * t)
                if loss(gram, n, new) <= bound + 1e-12 * (1 + abs(value)):
                    break
            t *= shrink
        error = np.linalg.norm(moved) / max(1.0, np.linalg.norm(column))
        column = new
        if error <= tol:
            break
    return column


@dataclass
class Annealing:
    """Algorithm 1.

    Parameters
    ----------
    values : array of shape (n, p)
    mask : bool array of shape (n, p) or None
        Which variables were set in which rows; these rows do not count for them.
    lam, gamma : float
    tol, max_iter : of Algorithm 2
    """

    values: np.ndarray
    lam: float
    gamma: float
    mask: np.ndarray | None = None
    tol: float = 1e-3
    max_iter: int = 1000

    def __post_init__(self):
        n, p = self.values.shape
        if self.mask is None:
            shared = unit_norm_gram(self.values)
            self.grams, self.n = [shared] * p, np.full(p, n)
        else:
            counted = [self.values[~self.mask[:, v]] for v in range(p)]
            self.grams = [unit_norm_gram(rows) for rows in counted]
            self.n = np.array([len(rows) for rows in counted])

    def column(self, v, candidates, start=None):
        """Node v's column of L as a dense vector over all nodes, and its score."""
        p = self.values.shape[1]
        nodes = np.concatenate([[v], candidates]).astype(int)
        gram = self.grams[v][np.ix_(nodes, nodes)]
        first = np.ones(nodes.size) if start is None else start[nodes]
        found = solve_column(
            gram, self.n[v], self.lam, self.gamma, first, tol=self.tol, max_iter=self.max_iter
        )
        dense = np.zeros(p)
        dense[nodes] = found
        return dense, loss(gram, self.n[v], found) + mcp(found[1:], self.lam, self.gamma)

    def score(self, order):
        """f(P): the sum of all nodes' scores."""
        return sum(self.column(v, order[:i])[1] for i, v in enumerate(order))

    def value(self, v, column):
        """Score of a given column."""
        others = np.arange(column.size) != v
        nodes = np.append(v, np.flatnonzero((column != 0) & others))
        gram, used = self.grams[v][np.ix_(nodes, nodes)], column[nodes]
        return loss(gram, self.n[v], used) + mcp(used[1:], self.lam, self.gamma)

    def run(self, order, temperatures, m, rng, columns=None):
        """Anneal; return the best order, its score, and the score after every iteration.

        `columns` (one dense vector per node) saves the first solve.
        """
        order = np.array(order)
        if columns is None:
            place = np.argsort(order)
            columns = [self.column(v, order[: place[v]])[0] for v in range(order.size)]
        columns = list(columns)
        scores = np.array([self.value(v, column) for v, column in enumerate(columns)])
        best, best_score, trace = order.copy(), scores.sum(), []
        for temperature in temperatures:
            first = rng.integers(order.size - m + 1)
            proposal = order.copy()
            proposal[first : first + m] = proposal[first : first + m][::-1]
            changed = {
                proposal[i]: self.column(proposal[i], proposal[:i], columns[proposal[i]])
                for i in range(first, first + m)
            }
            rise = sum(score - scores[v] for v, (_, score) in changed.items())
            if rise <= 0 or (temperature > 0 and rng.random() < np.exp(-rise / temperature)):
                order = proposal
                for v, (column, score) in changed.items():
                    columns[v], scores[v] = column, score
                if scores.sum() < best_score:
                    best, best_score = order.copy(), scores.sum()
            trace.append(scores.sum())
        return best, best_score, np.array(trace)
