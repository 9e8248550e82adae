"""Hidden factors: EM against a direct likelihood, and what they do to a network."""

import time

import numpy as np
import pytest

from arcs import ARCS
from arcs.data import Dataset
from arcs.data.symptoms import factor_sentence
from arcs.errors import DataError, DataWarning, SettingsError
from arcs.learners.latent import factor_evidence, most_factors, regime_covariances
from arcs.metrics import evaluate
from arcs.regimes.factors import Factors, factor_start, pooled_correlation
from arcs.results import FitResult

P, N = 12, 400


def simulated(k, seed=0, mask=None):
    rng = np.random.default_rng(seed)
    coefficients = np.triu(rng.normal(0, 0.6, (P, P)) * (rng.random((P, P)) < 0.15), 1)
    loadings = rng.normal(0, 0.8, (k, P))
    noise = rng.normal(size=(N, P)) + rng.normal(size=(N, k)) @ loadings
    rows = np.zeros((N, P))
    for v in range(P):
        rows[:, v] = rows @ coefficients[:, v] + noise[:, v]
        if mask is not None:
            rows[mask[:, v], v] = rng.normal(size=int(mask[:, v].sum()))
    return rows, coefficients != 0


@pytest.fixture
def mask():
    found = np.zeros((N, P), dtype=bool)
    found[:80, 0] = found[80:160, 3] = True
    return found


def test_the_likelihood_is_that_of_the_implied_covariance():
    rows, truth = simulated(1)
    data, scale = regime_covariances(Dataset.from_array(rows))
    model = data.fitted(truth, factor_start(pooled_correlation(data), 1), 5)
    total = np.linalg.inv(np.eye(P) - model.coefficients)
    implied = total.T @ (np.diag(model.noise) + model.loadings.T @ model.loadings) @ total
    expected = (
        0.5
        * N
        * (np.linalg.slogdet(implied)[1] + np.trace(np.linalg.solve(implied, data.covariances[0])))
    )
    assert data.negative_log_likelihood(model) == pytest.approx(expected)
    np.testing.assert_allclose(scale, rows.std(axis=0))


def test_every_step_lowers_the_likelihoods_negative(mask):
    rows, truth = simulated(2, mask=mask)
    data, _ = regime_covariances(Dataset.from_array(rows, interventions=mask))
    model = factor_start(pooled_correlation(data), 2)
    values = []
    for _ in range(12):
        model = data.fitted(truth, model, 1)
        values.append(data.negative_log_likelihood(model))
    assert np.all(np.diff(values) < 1e-6)


def test_factors_are_the_conditional_expectation():
    rows, truth = simulated(1)
    data, _ = regime_covariances(Dataset.from_array(rows))
    model = data.fitted(truth, factor_start(pooled_correlation(data), 1), 5)
    weights, spread = data.weights(0, model)
    total = np.linalg.inv(np.eye(P) - model.coefficients)
    joint = total.T @ (np.diag(model.noise) + model.loadings.T @ model.loadings) @ total
    cross = model.loadings @ total
    np.testing.assert_allclose(weights.T, cross @ np.linalg.inv(joint), atol=1e-8)
    np.testing.assert_allclose(spread, 1 - cross @ np.linalg.inv(joint) @ cross.T, atol=1e-8)


def test_one_factor_is_found_and_its_thicket_goes_away(tmp_path):
    rows, truth = simulated(1)
    with pytest.warns(DataWarning, match="one hidden factor.*--latent auto"):
        plain = ARCS(random_state=0).fit(rows).result_
    found = ARCS(random_state=0, latent="auto").fit(rows).result_
    record = found.preparation["latent"]
    assert record["factors"] == 1
    assert record["evidence"] > 10
    assert len(record["scores"]) == N
    assert evaluate(found.dag, truth).FP < evaluate(plain.dag, truth).FP
    assert factor_evidence(Dataset.from_array(rows), plain.dag.adjacency) > 10
    again = FitResult.load(found.save(tmp_path / "result.json"))
    assert again.preparation["latent"]["loadings"] == record["loadings"]


def test_without_factors_none_is_found():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(N, P))
    rows[:, 1] += rows[:, 0]
    found = ARCS(random_state=0, latent="auto").fit(rows).result_
    plain = ARCS(random_state=0).fit(rows).result_
    assert found.preparation["latent"]["factors"] == 0
    np.testing.assert_array_equal(found.dag.coefficients, plain.dag.coefficients)


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_the_quick_look_keeps_to_the_limits_of_the_fit(monkeypatch):
    """Its searches once went on for minutes after a fit of seconds, for edges nobody asked for."""
    rows, _ = simulated(1)
    graph = ARCS(random_state=0).fit(rows).result_.dag.adjacency
    for seconds in (0.0, 1e-6):
        assert factor_evidence(Dataset.from_array(rows), graph, seconds=seconds) == -np.inf
    told = []

    def listening(dataset, adjacency, **limits):
        told.append(limits)
        time.sleep(0.4)
        return 0.0

    monkeypatch.setattr("arcs.learners.latent.factor_evidence", listening)
    ARCS(random_state=0, min_r2=0.001, time_limit=50).fit(rows)
    spent = ARCS(random_state=0).fit(rows).result_.timings
    assert spent["total"] - sum(spent[lap] for lap in ("init", "search", "finish")) > 0.4
    assert told[0]["min_r2"] == 0.001
    assert 0 < told[0]["seconds"] < 50
    assert told[1] == {"min_r2": 0.0, "seconds": np.inf}


@pytest.mark.parametrize("edges", [0, 30])
def test_a_factor_earns_nothing_that_a_better_graph_would(edges):
    """Too few edges or too many: the data are clean, and no factor is suggested."""
    rows, truth = simulated(0, seed=3)
    graph = np.triu(np.ones((P, P), dtype=bool), 1) if edges else np.zeros((P, P), dtype=bool)
    assert factor_sentence(factor_evidence(Dataset.from_array(rows), graph)) is None
    assert factor_sentence(factor_evidence(Dataset.from_array(rows), truth)) is None


def test_superfluous_edges_go_and_others_stay():
    rows = np.random.default_rng(4).normal(size=(N, P))
    for v in range(1, P):
        rows[:, v] += 0.6 * rows[:, v - 1]
    data, _ = regime_covariances(Dataset.from_array(rows))
    nothing = Factors(np.zeros((P, P)), np.zeros((0, P)), np.ones(P))
    order = np.triu(np.ones((P, P), dtype=bool), 1)
    np.testing.assert_array_equal(data.pruned(order, nothing), np.eye(P, k=1, dtype=bool))


def test_with_hard_interventions(mask):
    rows, truth = simulated(1, mask=mask)
    found = ARCS(random_state=0, latent=1).fit(rows, interventions=mask).result_
    assert found.preparation["latent"]["factors"] == 1
    assert evaluate(found.dag, truth, True).SHD <= 8


def test_what_latent_cannot_do_is_refused():
    rows, _ = simulated(0)
    with pytest.raises(SettingsError, match="latent is for"):
        ARCS(latent=1, penalty="mcp").fit(rows)
    with pytest.raises(SettingsError, match="latent"):
        ARCS(latent="some").fit(rows)
    rows[0, 0] = np.nan
    with pytest.raises(DataError, match="complete rows"):
        ARCS(latent=1).fit(rows, missing="em")


def test_the_sentence_names_the_option():
    assert "--latent auto" in factor_sentence(100.0)
    assert factor_sentence(3.0) is None
    assert Factors(np.zeros((2, 2)), np.zeros((3, 2)), np.ones(2)).k == 3


def test_columns_that_do_not_vary_are_uncorrelated():
    rows, _ = simulated(3)
    rows[:, 2] = 1.0
    data, _ = regime_covariances(Dataset.from_array(rows, constant="isolate"))
    with np.errstate(all="raise"):
        correlation = pooled_correlation(data)
    assert np.isfinite(correlation).all()
    assert not correlation[2, [0, 1, 3]].any()


def test_more_factors_than_variables_can_tell_are_refused():
    """Entries of a covariance against loadings, up to rotation, and noise variances."""
    for p in range(1, 60):
        enough = [k for k in range(p + 1) if p * k - k * (k - 1) / 2 + p <= p * (p + 1) / 2]
        assert most_factors(p) == max(enough, default=0)
    rows, _ = simulated(1)
    with pytest.raises(DataError, match=f"can tell {most_factors(P)} hidden factors apart"):
        ARCS(random_state=0, latent=most_factors(P) + 1).fit(rows)


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_scores_are_free_of_what_was_adjusted_for():
    """The scores are the factors of rows without their covariates, by hand or by option."""
    rows, _ = simulated(1)
    age = np.random.default_rng(5).normal(size=N)
    slopes = np.random.default_rng(6).normal(size=P)
    model = ARCS(random_state=0, latent=1)
    found = model.fit(rows + np.outer(age, slopes), adjust=age[:, None]).result_
    scores = np.array(found.preparation["latent"]["scores"])[:, 0]
    assert abs(np.corrcoef(scores, age)[0, 1]) < 0.01
    plain = np.array(model.fit(rows).result_.preparation["latent"]["scores"])[:, 0]
    assert abs(np.corrcoef(scores, plain)[0, 1]) > 0.98
