"""The regularised Cholesky score against numpy, brute force, rows, and independent solvers."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from arcs.data import Dataset, GramStatistics
from arcs.errors import SettingsError
from arcs.kernels.order.descent import column_gradient, descend
from arcs.kernels.order.records import Candidates
from arcs.kernels.proximal import LineSearch, proximal_gradient
from arcs.penalties import L0, L1, MCP, SCAD, Ebic
from arcs.scores.cholesky import CholeskyScore, state_adjacency

CONTINUOUS = {
    "l1": lambda n: L1(0.15 * np.sqrt(n)),
    "mcp": lambda n: MCP(0.15 * np.sqrt(n), 2.0),
    "mcp wide": lambda n: MCP(0.15 * np.sqrt(n), 20.0),
    "scad": lambda n: SCAD(0.15 * np.sqrt(n), 3.7),
}
each_penalty = pytest.mark.parametrize("kind", CONTINUOUS)


def statistics_of(values, mask=None):
    return Dataset.of(values, interventions=mask).statistics()


def column_objective(gram, n, penalty, column):
    """Written out: the diagonal entry comes first."""
    return (
        0.5 * column @ gram @ column
        - n * np.log(column[0])
        + float(penalty.value(column[1:]).sum())
    )


def dense_column(fit, v, candidates):
    """The fit's column over (v, candidates)."""
    column = np.zeros(1 + len(candidates))
    column[0] = fit.diagonal
    places = {c: i + 1 for i, c in enumerate(candidates)}
    for parent, weight in zip(fit.parents, fit.weights, strict=True):
        column[places[parent]] = weight
    return column


# ---------------------------------------------------------------------------- Proposition 1
@pytest.mark.parametrize("penalty", [L1(0.0), MCP(0.0, 2.0), SCAD(0.0), L0(0.0)], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_without_penalty_the_minimiser_is_the_cholesky_factor(linear_rows, penalty, seed):
    """Proposition 1: L = C(A^-1) with A = G / n, for the order reversed as in the paper."""
    n, p = 120, 6
    statistics = statistics_of(linear_rows(n, p, seed))
    order = np.random.default_rng(seed).permutation(p)
    score = CholeskyScore(statistics, penalty)
    pi = order[::-1]
    expected = np.linalg.cholesky(np.linalg.inv(statistics.gram(0)[np.ix_(pi, pi)] / n))
    found = np.zeros((p, p))
    for j, v in enumerate(pi):
        fit = score.node(v, pi[j + 1 :])
        found[j:, j] = dense_column(fit, v, list(pi[j + 1 :]))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    gram = statistics.gram(0)[np.ix_(pi, pi)]
    loss = 0.5 * np.trace(expected.T @ gram @ expected) - n * np.log(np.diag(expected)).sum()
    assert score.total(order) == pytest.approx(loss, abs=1e-6)


# ---------------------------------------------------------------------------- Lemmas 4 and 5
@pytest.mark.parametrize("experimental", [False, True])
def test_gradient_against_finite_differences(linear_rows, experiment, experimental):
    values, mask = experiment(90, 7, 1)
    statistics = statistics_of(values, mask if experimental else None)
    score = CholeskyScore(statistics, MCP(1.0, 2.0))
    rng = np.random.default_rng(0)
    for v in range(3):
        _, work = score.new_state(np.arange(7))
        parents = np.array([u for u in range(7) if u != v])[:4]
        work.scratch.chosen[:4] = parents
        work.scratch.weight[:4] = rng.normal(size=4)
        work.scratch.diagonal[0] = d = 3.0
        found = np.empty(7)
        column_gradient(score.problem, v, 4, work.scratch, found)
        full = np.zeros(7)
        full[parents], full[v] = work.scratch.weight[:4], d
        gram = statistics.gram(v)
        for c in range(7):
            step = np.zeros(7)
            step[c] = 1e-5
            up, down = full + step, full - step
            numeric = (0.5 * up @ gram @ up - 0.5 * down @ gram @ down) / 2e-5
            assert found[c] == pytest.approx(numeric, abs=1e-7)


# ---------------------------------------------------------------------------- one column
@each_penalty
@pytest.mark.parametrize("seed", range(4))
def test_columns_are_stationary(experiment, kind, seed):
    """Every coordinate minimises the objective given the others, over a fine grid."""
    values, mask = experiment(100, 8, seed)
    statistics = statistics_of(values, mask)
    penalty = CONTINUOUS[kind](100)
    score = CholeskyScore(statistics, penalty)
    for v in (0, 5):
        candidates = [u for u in range(8) if u != v]
        n = statistics.n[v]
        gram = statistics.sub_gram(v, np.array([v, *candidates]))
        column = dense_column(score.node(v, candidates), v, candidates)
        best = column_objective(gram, n, penalty, column)
        grid = np.linspace(-3, 3, 241) * np.sqrt(n)
        for i in range(8):
            for value in [*grid, 0.0, *(column[i] + np.array([-1e-4, 1e-4]))]:
                if i == 0 and value <= 0:
                    continue
                other = column.copy()
                other[i] = value
                assert column_objective(gram, n, penalty, other) >= best - 1e-9


@each_penalty
@pytest.mark.parametrize("seed", range(3))
def test_columns_reach_the_optimum_of_a_search_over_signs_and_supports(linear_rows, kind, seed):
    """Brute force: the best of many starts of an independent optimiser, two candidates."""
    values = linear_rows(100, 3, seed, density=0.8)
    statistics = statistics_of(values)
    penalty = CONTINUOUS[kind](100)
    gram = statistics.gram(0)
    fit = CholeskyScore(statistics, penalty).node(0, [1, 2])
    grid = np.linspace(-30, 30, 601)
    a, b = np.meshgrid(grid, grid, indexing="ij")
    quadratic = 0.5 * (a**2 + b**2) + gram[1, 2] * a * b
    rho = penalty.value(grid)
    least = np.inf
    h = gram[0, 1] * a + gram[0, 2] * b
    d = 0.5 * (np.sqrt(h**2 + 400) - h)
    values = quadratic + h * d + 0.5 * d**2 - 100 * np.log(d) + rho[:, None] + rho[None, :]
    least = values.min()
    assert fit.score <= least + 1e-6
    assert fit.score == pytest.approx(least, abs=0.02)


@pytest.mark.parametrize("kind", ["l1", "mcp wide"])
@pytest.mark.parametrize("seed", range(4))
def test_both_solvers_agree_where_the_problem_is_convex(experiment, kind, seed):
    values, mask = experiment(200, 6, seed, density=0.3)
    statistics = statistics_of(values, mask)
    penalty = CONTINUOUS[kind](200)
    descent = CholeskyScore(statistics, penalty)
    proximal = CholeskyScore(statistics, penalty, solver="proximal_gradient", tolerance=1e-10)
    for v in range(6):
        if kind != "l1":
            assert np.linalg.eigvalsh(statistics.gram(v))[0] > 1 / penalty.gamma
        candidates = [u for u in range(6) if u != v]
        one, two = descent.node(v, candidates), proximal.node(v, candidates)
        assert two.converged
        np.testing.assert_allclose(
            dense_column(one, v, candidates), dense_column(two, v, candidates), atol=2e-4
        )
        assert one.score == pytest.approx(two.score, abs=1e-6)


@each_penalty
@pytest.mark.parametrize("seed", range(4))
def test_stationary_points_of_one_solver_are_those_of_the_other(experiment, kind, seed):
    """Where there are several, each solver stays where the other one stopped."""
    values, mask = experiment(200, 6, seed)
    statistics = statistics_of(values, mask)
    penalty = CONTINUOUS[kind](200)
    descent = CholeskyScore(statistics, penalty)
    proximal = CholeskyScore(statistics, penalty, solver="proximal_gradient", tolerance=1e-11)
    law = (penalty.kind, penalty.lam, penalty.gamma)
    free = np.array([1, 0, 0, 0, 0, 0], np.uint8)
    for v in range(6):
        candidates = [u for u in range(6) if u != v]
        gram = statistics.sub_gram(v, np.array([v, *candidates]))
        start = dense_column(descent.node(v, candidates), v, candidates)
        moved = start.copy()
        rule = LineSearch(1.0, 0.8, 1e-9, 1000)
        proximal_gradient(gram, statistics.n[v], law, moved, free, rule, np.empty((2, 6)))
        np.testing.assert_allclose(moved, start, atol=1e-4)
        stopped = proximal.node(v, candidates)
        k, work = stopped.parents.size, descent.new_state(np.arange(6))[1]
        work.scratch.chosen[:k], work.scratch.weight[:k] = stopped.parents, stopped.weights
        work.scratch.diagonal[0] = stopped.diagonal
        everybody = np.zeros(6, np.int64)
        k, score, converged = descend(
            descent.problem, everybody, v, Candidates(1, -1, -1), k, work.scratch
        )
        assert converged
        assert work.scratch.diagonal[0] == pytest.approx(stopped.diagonal, abs=1e-3)
        assert score == pytest.approx(stopped.score, abs=1e-5)
        assert sorted(work.scratch.chosen[:k]) == sorted(stopped.parents)


@pytest.mark.parametrize("kind", ["l1", "mcp wide"])
def test_with_the_diagonal_fixed_skglm_solves_the_same_problem(linear_rows, kind):
    """Given d: min_w 1/2 |X w + d x_v|^2 + sum rho(w), a penalised least-squares problem."""
    skglm = pytest.importorskip("skglm")
    from skglm.penalties import L1 as TheirL1
    from skglm.penalties import MCPenalty
    from skglm.solvers import AndersonCD

    n = 150
    values = linear_rows(n, 8, 3)
    unit = (values - values.mean(axis=0)) / np.linalg.norm(values - values.mean(axis=0), axis=0)
    penalty = CONTINUOUS[kind](n)
    fit = CholeskyScore(statistics_of(values), penalty).node(0, np.arange(1, 8))
    # skglm divides the squares by the number of rows; so do we with lambda, and rescale x and w
    # by sqrt(n) so that the concave penalties keep their concavity.
    lam = penalty.lam / np.sqrt(n)
    theirs = {
        "l1": TheirL1(lam),
        "mcp wide": MCPenalty(lam, 20.0),
    }[kind]
    model = skglm.GeneralizedLinearEstimator(
        skglm.datafits.Quadratic(),
        theirs,
        AndersonCD(tol=1e-12, fit_intercept=False, max_iter=500),
    )
    model.fit(unit[:, 1:] * np.sqrt(n), -fit.diagonal * unit[:, 0])
    found = dense_column(fit, 0, list(range(1, 8)))[1:]
    np.testing.assert_allclose(model.coef_ * np.sqrt(n), found, atol=1e-4)
    assert np.count_nonzero(found) not in (0, 7)


@each_penalty
def test_the_diagonal_is_optimal_given_the_weights(linear_rows, kind):
    statistics = statistics_of(linear_rows(80, 5, 2))
    penalty = CONTINUOUS[kind](80)
    fit = CholeskyScore(statistics, penalty).node(2, [0, 1, 3, 4])
    column = dense_column(fit, 2, [0, 1, 3, 4])
    gram = statistics.sub_gram(2, np.array([2, 0, 1, 3, 4]))

    def along(d):
        return column_objective(gram, 80, penalty, np.append(d, column[1:]))

    best = minimize_scalar(along, bounds=(1e-3, 100), method="bounded", options={"xatol": 1e-9})
    assert fit.diagonal == pytest.approx(best.x, abs=1e-4)


def test_the_reference_gives_the_same_score(reference, experiment):
    values, mask = experiment(120, 5, 4, density=0.3)
    lam, gamma = 0.2 * np.sqrt(120), 20.0
    ours = CholeskyScore(statistics_of(values, mask), MCP(lam, gamma))
    theirs = reference.Annealing(values, lam, gamma, mask, tol=1e-6, max_iter=3000)
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(5)
        assert ours.total(order) == pytest.approx(theirs.score(order), abs=1e-4)


def test_reference_operator_is_the_package_operator(reference):
    x = np.linspace(-4, 4, 81)
    for step in (0.3, 2.0, 7.0):
        np.testing.assert_allclose(
            reference.mcp_prox(x, step, 0.6, 2.0), MCP(0.6, 2.0).prox(x, step)
        )
    assert reference.mcp(x, 0.6, 2.0) == pytest.approx(MCP(0.6, 2.0).value(x).sum())


# ---------------------------------------------------------------------------- Lemma 3
@each_penalty
def test_experimental_score_is_the_penalised_likelihood_of_the_rows(experiment, kind):
    """Lemma 3, evaluated on rows: each node's density over the rows in which it was not set."""
    values, mask = experiment(110, 6, 5)
    penalty = CONTINUOUS[kind](110)
    score = CholeskyScore(statistics_of(values, mask), penalty)
    order = np.random.default_rng(5).permutation(6)
    total = 0.0
    for i, v in enumerate(order):
        fit = score.node(v, order[:i])
        rows = values[~mask[:, v]]
        unit = (rows - rows.mean(axis=0)) / np.linalg.norm(rows - rows.mean(axis=0), axis=0)
        noise = 1 / fit.diagonal**2
        residuals = unit[:, v] - unit[:, fit.parents] @ fit.coefficients
        minus_log_density = 0.5 * np.log(noise) + residuals**2 / (2 * noise)
        total += minus_log_density.sum() + penalty.value(fit.weights).sum()
    assert score.total(order) == pytest.approx(total, rel=1e-9)


def test_experimental_l0_score_is_the_profile_likelihood_of_the_rows(experiment):
    values, mask = experiment(110, 6, 6)
    score = CholeskyScore(statistics_of(values, mask), Ebic(1.0))
    order = np.random.default_rng(6).permutation(6)
    state = score.solve(order)
    total = 0.0
    for v in range(6):
        parents = np.flatnonzero(state_adjacency(state)[:, v])
        rows = values[~mask[:, v]]
        rows = rows - rows.mean(axis=0)
        beta = np.linalg.lstsq(rows[:, parents], rows[:, v], rcond=None)[0]
        residual = ((rows[:, v] - rows[:, parents] @ beta) ** 2).sum() / (rows[:, v] ** 2).sum()
        n = len(rows)
        price = 0.5 * np.log(n) + np.log(6)
        # profiling out d leaves n/2 (1 - log n) and n/2 log of the residual share
        total += 0.5 * n * (1 + np.log(residual) - np.log(n)) + price * len(parents)
    assert score.total(order) == pytest.approx(total, rel=1e-9)


# ---------------------------------------------------------------------------- invariances
PENALTIES = [*(make(150) for make in CONTINUOUS.values()), Ebic(1.0), L0(3.0)]


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_relabelling_nodes_changes_nothing(experiment, penalty):
    values, mask = experiment(150, 6, 7)
    rng = np.random.default_rng(7)
    order, labels = rng.permutation(6), rng.permutation(6)
    score = CholeskyScore(statistics_of(values, mask), penalty).total(order)
    renamed = CholeskyScore(statistics_of(values[:, labels], mask[:, labels]), penalty)
    assert renamed.total(np.argsort(labels)[order]) == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_units_change_nothing(linear_rows, penalty):
    values = linear_rows(150, 6, 8)
    other = values * 10.0 ** np.arange(-3, 3) + np.arange(6)
    order = np.random.default_rng(8).permutation(6)
    score = CholeskyScore(statistics_of(values), penalty).total(order)
    assert CholeskyScore(statistics_of(other), penalty).total(order) == pytest.approx(score)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_a_mask_of_zeros_is_observational(linear_rows, penalty):
    values = linear_rows(150, 6, 9)
    order = np.random.default_rng(9).permutation(6)
    plain = CholeskyScore(statistics_of(values), penalty).total(order)
    masked = CholeskyScore(statistics_of(values, np.zeros((150, 6))), penalty).total(order)
    assert masked == plain


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_a_covariance_and_its_rows_give_the_same_score(linear_rows, penalty):
    values = linear_rows(150, 6, 10)
    names = [f"x{j}" for j in range(6)]
    order = np.random.default_rng(10).permutation(6)
    rows = CholeskyScore(statistics_of(values), penalty)
    moments = CholeskyScore(
        GramStatistics.from_covariance(np.cov(values.T, bias=True), 150, names), penalty
    )
    assert moments.total(order) == pytest.approx(rows.total(order), rel=1e-12)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_a_total_is_the_sum_of_its_nodes(experiment, penalty):
    values, mask = experiment(150, 6, 11)
    score = CholeskyScore(statistics_of(values, mask), penalty)
    order = np.random.default_rng(11).permutation(6)
    parts = [score.node(v, order[:i]).score for i, v in enumerate(order)]
    assert score.total(order) == pytest.approx(sum(parts), rel=1e-10)


@pytest.mark.parametrize("solver", ["coordinate_descent", "proximal_gradient"])
def test_a_node_without_rows_costs_nothing(linear_rows, solver):
    values = linear_rows(60, 4, 12)
    mask = np.zeros((60, 4), dtype=bool)
    mask[:, 2] = True
    statistics = statistics_of(values, mask)
    assert statistics.n[2] == 0
    for penalty in (MCP(1.0, 2.0), Ebic(1.0)):
        fit = CholeskyScore(statistics, penalty, solver=solver).node(2, [0, 1, 3])
        assert fit.score == 0
        assert fit.parents.size == 0


# ---------------------------------------------------------------------------- the l0 column
def l0_value(gram, n, price, v, parents):
    inner = gram[np.ix_(parents, parents)]
    share = 1.0 - gram[v, parents] @ np.linalg.solve(inner, gram[parents, v]) if parents else 1.0
    return 0.5 * n * np.log(share) + price * len(parents)


def exhaustive(gram, n, price, v, candidates):
    sets = (list(s) for k in range(len(candidates) + 1) for s in combinations(candidates, k))
    return min(l0_value(gram, n, price, v, s) for s in sets)


def forward(gram, n, price, v, candidates):
    chosen, value = [], 0.0
    while True:
        rest = [c for c in candidates if c not in chosen]
        trials = [(l0_value(gram, n, price, v, [*chosen, c]), c) for c in rest]
        if not trials or min(trials)[0] >= value:
            return value
        value, best = min(trials)
        chosen.append(best)


@pytest.mark.parametrize(("n", "share"), [(60, 0.95), (300, 0.98)])
def test_l0_columns_are_nearly_always_the_best_of_all_subsets(linear_rows, n, share):
    """Never worse than forward selection, which finds the best subset far less often."""
    optimal, by_forward, cases = 0, 0, 0
    for seed in range(12):
        statistics = statistics_of(linear_rows(n, 9, seed, density=0.4))
        gram = statistics.gram(0)
        score = CholeskyScore(statistics, Ebic(0.5))
        price, constant = score.edge_costs[0], 0.5 * n * (1 - np.log(n))
        for v in range(9):
            candidates = [u for u in range(9) if u != v]
            found = score.node(v, candidates).score - constant
            best = exhaustive(gram, n, price, v, candidates)
            plain = forward(gram, n, price, v, candidates)
            assert best - 1e-8 <= found <= plain + 1e-8
            optimal += found <= best + 1e-8
            by_forward += plain <= best + 1e-8
            cases += 1
    assert optimal / cases >= share, f"{optimal} of {cases}, forward selection {by_forward}"
    assert optimal > by_forward


def test_l0_finds_parents_that_help_only_together():
    """A suppressor: each alone explains next to nothing, both together nearly everything."""
    rng = np.random.default_rng(0)
    a, noise = rng.normal(size=(2, 400))
    b = a + 0.3 * noise
    v = noise + 0.1 * rng.normal(size=400)
    statistics = statistics_of(np.column_stack([v, a, b]))
    score = CholeskyScore(statistics, Ebic(1.0))
    assert sorted(score.node(0, [1, 2]).parents) == [1, 2]


def test_l0_is_the_coefficients_of_least_squares(linear_rows):
    values = linear_rows(100, 6, 13)
    fit = CholeskyScore(statistics_of(values), Ebic(0.0)).node(3, [0, 1, 2, 4, 5])
    unit = values - values.mean(axis=0)
    unit = unit / np.linalg.norm(unit, axis=0)
    beta = np.linalg.lstsq(unit[:, fit.parents], unit[:, 3], rcond=None)[0]
    np.testing.assert_allclose(fit.coefficients, beta, atol=1e-9)
    residual = ((unit[:, 3] - unit[:, fit.parents] @ beta) ** 2).sum()
    assert fit.diagonal == pytest.approx(np.sqrt(100 / residual))


# ---------------------------------------------------------------------------- knowledge, bounds
@pytest.mark.parametrize("penalty", [MCP(1.5, 2.0), L1(1.5), Ebic(1.0)], ids=repr)
def test_required_parents_are_free_and_forbidden_ones_absent(linear_rows, penalty):
    values = linear_rows(150, 6, 14)
    statistics = statistics_of(values)
    required = np.zeros((6, 6), dtype=bool)
    required[4, 0] = True
    allowed = np.ones((6, 6), dtype=bool)
    allowed[[1, 2], 0] = False
    free = CholeskyScore(statistics, penalty).node(0, [1, 2, 3, 4, 5])
    fit = CholeskyScore(statistics, penalty, allowed=allowed, required=required).node(
        0, [1, 2, 3, 4, 5]
    )
    assert 4 in fit.parents
    assert not {1, 2} & set(fit.parents.tolist())
    assert {1, 2} & set(free.parents.tolist()), "the test needs something to forbid"
    column = dense_column(fit, 0, [4, 3, 5])
    gram = statistics.sub_gram(0, np.array([0, 4, 3, 5]))
    if isinstance(penalty, Ebic):
        share, price = 150 / fit.diagonal**2, CholeskyScore(statistics, Ebic(1.0)).edge_costs[0]
        expected = 75 * (1 - np.log(150) + np.log(share)) + price * (fit.parents.size - 1)
    else:
        expected = 0.5 * column @ gram @ column - 150 * np.log(column[0])
        expected += penalty.value(column[2:]).sum()
        # not penalised: the gradient at the required entry vanishes
        assert (gram @ column)[1] == pytest.approx(0, abs=1e-5)
    assert fit.score == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("penalty", [MCP(0.5, 2.0), Ebic(0.0)], ids=repr)
def test_the_number_of_parents_is_bounded(linear_rows, penalty):
    score = CholeskyScore(statistics_of(linear_rows(150, 8, 15)), penalty, max_parents=2)
    state = score.solve(np.arange(8))
    assert state.columns.count.max() == 2


def test_l0_never_takes_more_than_a_quarter_of_the_rows():
    values = np.random.default_rng(0).normal(size=(12, 10))
    score = CholeskyScore(statistics_of(values), L0(0.0))
    assert score.solve(np.arange(10)).columns.count.max() == 3


def test_collinear_columns_leave_everything_finite():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 4))
    values = np.column_stack([values, values[:, 0] + values[:, 1], values[:, 2]])
    for penalty in (Ebic(1.0), MCP(1.0, 2.0), L1(1.0)):
        score = CholeskyScore(statistics_of(values), penalty)
        state = score.solve(np.arange(6))
        assert all(np.isfinite(array).all() for array in state.columns)


def test_bad_settings_are_refused(linear_rows):
    statistics = statistics_of(linear_rows(30, 3, 0))
    with pytest.raises(SettingsError, match="solver must be one of"):
        CholeskyScore(statistics, solver="newton")
    with pytest.raises(SettingsError, match="max_parents must be a whole number of at least 1"):
        CholeskyScore(statistics, max_parents=0)


@pytest.mark.parametrize(
    ("p", "gamma", "share"), [(60, 1.0, 0.5), (600, 1.0, None), (600, 0.0, 0.75)]
)
def test_columns_of_very_many_candidates_are_not_grown_by_chance(p, gamma, share):
    n, names = 300, [f"x{j}" for j in range(p)]
    score = CholeskyScore(GramStatistics.from_covariance(np.eye(p), n, names), Ebic(gamma))
    price = float(score.edge_costs[0])
    lenient = -0.5 * n * np.log1p(-score.problem.lenient[0])
    if share is not None:
        assert lenient == pytest.approx(share * price)
    else:
        assert 0.5 * price < lenient < 0.75 * price
        assert p * 2.0 * norm.sf(np.sqrt(2.0 * lenient)) == pytest.approx(0.2)
