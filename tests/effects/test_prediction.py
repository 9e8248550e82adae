import numpy as np
import pandas as pd
import pytest
from pgmpy.factors.continuous import LinearGaussianCPD
from pgmpy.models import LinearGaussianBayesianNetwork

from arcs.effects import conditional, impute, predict, sample_given
from arcs.errors import DataError, GraphError
from arcs.graphs import GaussianDag


def _textbook(mean, sigma, at, values):
    """Conditional moments from the precision matrix of the others."""
    rest = [k for k in range(len(mean)) if k not in at]
    precision = np.linalg.inv(sigma)
    inner = np.linalg.inv(precision[np.ix_(rest, rest)])
    shift = -inner @ precision[np.ix_(rest, at)] @ (values - mean[at])
    return rest, mean[rest] + shift, inner


@pytest.mark.parametrize("seed", range(4))
def test_evidence_against_the_precision_matrix(seed, random_dag_model):
    dag = random_dag_model(seed)
    at, values = [1, 4], np.array([0.3, -2.0])
    found = conditional(dag, given={"v1": 0.3, "v4": -2.0})
    rest, mean, sigma = _textbook(dag.mean(), dag.covariance(), at, values)
    np.testing.assert_allclose(found.mean[rest], mean)
    np.testing.assert_allclose(found.covariance[np.ix_(rest, rest)], sigma, atol=1e-10)
    np.testing.assert_allclose(found.mean[at], values)
    assert (found.sd[at] == 0).all()


def test_evidence_against_pgmpy(random_dag_model):
    dag = random_dag_model(7)
    model = LinearGaussianBayesianNetwork(dag.named_edges())
    model.add_nodes_from(dag.names)
    for v, name in enumerate(dag.names):
        parents = dag.parents(v)
        beta = [dag.intercepts[v], *dag.coefficients[parents, v]]
        sd = float(np.sqrt(dag.noise_variances[v]))
        model.add_cpds(LinearGaussianCPD(name, beta, sd, [dag.names[k] for k in parents]))
    row = pd.DataFrame({"v0": [1.5], "v3": [-0.5]})
    theirs = model.predict(row).iloc[0]
    found = conditional(dag, given={"v0": 1.5, "v3": -0.5})
    for name, mean in theirs.items():
        assert found.mean[dag.names.index(name)] == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_doing_and_seeing_together_by_simulation(seed, random_dag_model):
    """Draw under the intervention, keep the rows that resemble the evidence."""
    dag = random_dag_model(seed, 5, 7)
    do, given = {"v2": 1.0}, {"v0": 0.5}
    rows = dag.sample(400_000, seed, do)
    kept = rows[np.abs(rows[:, 0] - 0.5) < 0.05]
    found = predict(dag, do, given)
    assert len(kept) > 2000
    np.testing.assert_allclose(found.mean[0], kept.mean(axis=0), atol=0.12)
    free = [1, 3, 4]
    np.testing.assert_allclose(found.sd[0, free], kept.std(axis=0)[free], rtol=0.08)
    inside = (kept[:, free] > found.lower[0, free]) & (kept[:, free] < found.upper[0, free])
    np.testing.assert_allclose(inside.mean(axis=0), 0.95, atol=0.02)


def test_seeing_is_not_doing():
    dag = GaussianDag([[0, 1.0], [0, 0]], [1, 1], ["cause", "effect"])
    assert predict(dag, given={"effect": 2.0}).mean[0, 0] == pytest.approx(1.0)
    assert predict(dag, do={"effect": 2.0}).mean[0, 0] == 0.0


def test_doses_and_rows():
    dag = GaussianDag([[0, 2.0], [0, 0]], [1, 1], ["dose", "y"])
    found = predict(dag, do={"dose": pd.Series([0, 1, 2], index=[5, 6, 7])}, given={})
    assert found.mean[:, 1].tolist() == [0.0, 2.0, 4.0]
    rows = found.rows()
    assert [row["situation"] for row in rows[::2]] == ["do(dose=0)", "do(dose=1)", "do(dose=2)"]
    assert rows[0]["role"] == "set"
    single = predict(dag, {"dose": (1.0, 0.5)})
    assert "situation" not in single.rows()[0]
    assert single.sd[0, 1] == pytest.approx(np.sqrt(1 + 4 * 0.25))
    with pytest.raises(GraphError, match="one length"):
        predict(dag, {"dose": [0, 1]}, {"y": [1, 2, 3]})


def test_contradictions_are_refused():
    dag = GaussianDag([[0, 2.0, 0], [0, 0, 0], [0, 0, 0]], [1, 1, 1], ["a", "b", "c"])
    with pytest.raises(GraphError, match="both set and seen"):
        conditional(dag, {"a": 1}, {"a": 1})
    with pytest.raises(GraphError, match="one number"):
        conditional(dag, given={"a": (1, 2)})
    with pytest.raises(GraphError, match="no node named"):
        conditional(dag, {"z": 1})


def test_draws_have_the_moments(random_dag_model):
    dag = random_dag_model(5)
    do, given = {"v1": 2.0}, {"v0": -1.0, "v3": 0.5}
    rows = sample_given(dag, 100_000, 0, do, given)
    found = conditional(dag, do, given)
    np.testing.assert_allclose(rows.mean(axis=0), found.mean, atol=0.03)
    np.testing.assert_allclose(np.cov(rows.T), found.covariance, atol=0.06)
    assert (rows[:, [0, 1, 3]] == [-1.0, 2.0, 0.5]).all()
    plain = sample_given(dag, 5, 1, do)
    np.testing.assert_array_equal(plain, dag.sample(5, 1, do))
    assert sample_given(dag, 0, 1, do, given).shape == (0, 6)
    with pytest.raises(GraphError, match="negative"):
        sample_given(dag, -1, 1, do, given)


def test_imputation_row_by_row(random_dag_model):
    rng = np.random.default_rng(3)
    dag = random_dag_model(6)
    rows = dag.sample(30, 0)
    holes = rng.random(rows.shape) < 0.3
    holes[0], holes[1] = True, False
    filled, sd = impute(dag, np.where(holes, np.nan, rows))
    np.testing.assert_array_equal(filled[~holes], rows[~holes])
    assert (sd[~holes] == 0).all()
    for k in range(30):
        seen = {name: rows[k, j] for j, name in enumerate(dag.names) if not holes[k, j]}
        expected = conditional(dag, given=seen)
        np.testing.assert_allclose(filled[k], expected.mean, atol=1e-9)
        np.testing.assert_allclose(sd[k], expected.sd, atol=1e-7)
    with pytest.raises(DataError, match="infinite"):
        impute(dag, np.full((1, 6), np.inf))
    with pytest.raises(DataError, match="shape"):
        impute(dag, np.zeros((2, 5)))
