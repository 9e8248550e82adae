import numpy as np
import pytest
import statsmodels.api as sm

from arcs.data import Dataset
from arcs.effects import CoefficientPrecision, effect_table, implied_precision
from arcs.errors import GraphError, SettingsError
from arcs.graphs import GaussianDag
from arcs.scores import fit_dag


def _numeric_variance(dag, precision, x, y):
    """Gradient of T[x, y] by central differences, times the block-diagonal covariance."""
    total = 0.0
    for v in range(dag.p):
        parents, gradient = dag.parents(v), []
        for i in parents:
            step, effects = 1e-5, []
            for sign in (1, -1):
                moved = dag.coefficients.copy()
                moved[i, v] += sign * step
                effects.append(np.linalg.inv(np.eye(dag.p) - moved)[x, y])
            gradient.append((effects[0] - effects[1]) / (2 * step))
        gradient = np.array(gradient)
        total += gradient @ precision.covariances[v] @ gradient
    return total


@pytest.mark.parametrize("seed", range(5))
def test_variances_are_those_of_a_numeric_gradient(seed, random_dag_model, refitted):
    fitted = refitted(random_dag_model(seed), 80, seed)
    table = effect_table(fitted.dag, fitted.precision)
    for x in range(6):
        for y in range(6):
            if x != y:
                expected = _numeric_variance(fitted.dag, fitted.precision, x, y)
                assert table.standard_errors[x, y] ** 2 == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_an_edge_without_detours_is_a_regression_coefficient(seed, random_dag_model):
    dag = random_dag_model(seed)
    rows = dag.sample(60, seed)
    fitted = fit_dag(dag.adjacency, Dataset.of(rows, names=dag.names).statistics())
    table = effect_table(fitted.dag, fitted.precision, level=0.9)
    compared = 0
    for v in range(dag.p):
        parents = dag.parents(v)
        if not parents.size:
            continue
        ols = sm.OLS(rows[:, v], sm.add_constant(rows[:, parents])).fit()
        np.testing.assert_allclose(fitted.precision.covariances[v], ols.cov_params()[1:, 1:])
        lower, upper = ols.conf_int(0.1)[1:].T
        for k, u in enumerate(parents):
            if not set(dag.descendants(u)) & set(parents):  # the edge is the only path
                compared += 1
                assert table.effects[u, v] == pytest.approx(ols.params[k + 1])
                assert table.standard_errors[u, v] == pytest.approx(ols.bse[k + 1])
                assert table.lower[u, v] == pytest.approx(lower[k])
                assert table.upper[u, v] == pytest.approx(upper[k])
    assert compared > 0


def test_standard_errors_are_those_of_repeated_experiments(random_dag_model, refitted):
    dag = random_dag_model(1, 5, 7)
    n = 200
    found = np.array([refitted(dag, n, seed).dag.total_effects() for seed in range(250)])
    spread = found.std(axis=0)
    expected = effect_table(dag, implied_precision(dag, n)).standard_errors
    there = expected > 0
    assert there.sum() > 7  # indirect effects, too
    np.testing.assert_allclose(spread[there], expected[there], rtol=0.25)


def test_standardised_effects_and_no_effect(random_dag_model):
    dag = random_dag_model(3)
    table = effect_table(dag, implied_precision(dag, 50))
    sd = np.sqrt(np.diag(dag.covariance()))
    unit = dag.rescaled(1 / sd)
    np.testing.assert_allclose(table.standardised, unit.total_effects())
    none = table.effects == 0
    assert none.any()
    assert (table.standard_errors[none] == 0).all()


def test_what_is_not_known_spoils_only_what_depends_on_it():
    dag = GaussianDag([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0]], np.ones(4))
    precision = implied_precision(dag, 40)
    unknown = CoefficientPrecision(
        (precision.covariances[0], np.full((1, 1), np.nan), *precision.covariances[2:]),
        precision.degrees,
    )
    errors = effect_table(dag, unknown).standard_errors
    assert np.isnan(errors[0, 1])
    assert np.isnan(errors[0, 2])
    assert errors[1, 2] > 0
    assert errors[3, 2] > 0
    assert errors[2, 3] == 0


def test_packing_and_levels(random_dag_model, refitted):
    fitted = refitted(random_dag_model(0), 50, 0)
    packed = fitted.precision.packed()
    back = CoefficientPrecision.unpacked(packed, fitted.precision.degrees, fitted.dag.adjacency)
    for mine, theirs in zip(fitted.precision.covariances, back.covariances, strict=True):
        np.testing.assert_allclose(mine, theirs)
    with pytest.raises(GraphError, match="entries of covariances"):
        CoefficientPrecision.unpacked(packed[:-1], back.degrees, np.zeros((6, 6)))
    with pytest.raises(SettingsError, match="level"):
        effect_table(fitted.dag, back, level=1.0)
