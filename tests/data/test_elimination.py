"""Columns regressed out of the statistics: against regressions on the rows themselves."""

import numpy as np
import pandas as pd
import pytest

from arcs import ARCS, learner
from arcs.confidence import bootstrap
from arcs.data import Dataset, elimination
from arcs.scores import fit_dag

P, N = 5, 90


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    batch = rng.integers(3, size=N)
    age = rng.normal(size=N)
    values = (
        rng.normal(size=(N, P)) + rng.normal(size=(3, P))[batch] + np.outer(age, rng.normal(size=P))
    )
    values[:, 1] += 0.8 * values[:, 0]
    target = rng.choice(["", "", "x1", "x2"], size=N)
    frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(P)])
    return frame.assign(batch=[f"b{k}" for k in batch], age=age, target=target)


def covariates(rows):
    dummies = np.column_stack([rows["batch"] == level for level in ("b1", "b2")]).astype(float)
    return np.column_stack([np.ones(len(rows)), dummies, rows["age"]])


def residuals(values, z):
    return values - z @ np.linalg.lstsq(z, values, rcond=None)[0]


def correlations(values):
    scaled = values / np.linalg.norm(values, axis=0)
    return scaled.T @ scaled


def test_statistics_are_those_of_residuals_per_pattern(rows):
    data = Dataset.of(rows, interventions="target", adjust="batch + age", conditions="none")
    statistics = data.statistics()
    values, z = rows[list(data.names)].to_numpy(), covariates(rows)
    for v, name in enumerate(data.names):
        keep = (rows["target"] != name).to_numpy()
        left = residuals(values[keep], z[keep])
        np.testing.assert_allclose(statistics.gram(v), correlations(left), atol=1e-10)
        np.testing.assert_allclose(statistics.norm(v), np.linalg.norm(left, axis=0), rtol=1e-9)
        assert statistics.n[v] == keep.sum() - 3


def test_correction_rows_and_dense_matrices_are_the_same(rows, monkeypatch):
    reading = {"interventions": "target", "adjust": "batch + age", "conditions": "none"}
    dense = Dataset.of(rows, **reading).statistics()
    monkeypatch.setattr(elimination, "_DENSE", 0)
    thin = Dataset.of(rows, **reading).statistics()
    assert thin.kernel.rows.size
    assert not dense.kernel.rows.size
    for v in range(P):
        np.testing.assert_allclose(thin.gram(v), dense.gram(v), atol=1e-10)


def test_coefficients_and_errors_are_those_of_the_full_regression(rows):
    data = Dataset.of(rows, adjust="batch + age", exclude=["target"])
    adjacency = np.zeros((P, P), dtype=bool)
    adjacency[[0, 2], 1] = True
    fitted = fit_dag(adjacency, data.statistics()).dag
    values = rows[list(data.names)].to_numpy()
    design = np.column_stack([values[:, [0, 2]], covariates(rows)])
    beta, rss = np.linalg.lstsq(design, values[:, 1], rcond=None)[:2]
    variance = rss[0] / (N - design.shape[1]) * np.linalg.inv(design.T @ design)
    np.testing.assert_allclose(fitted.coefficients[[0, 2], 1], beta[:2], rtol=1e-9)
    errors = np.sqrt(np.diag(variance)[:2])
    np.testing.assert_allclose(fitted.standard_errors[[0, 2], 1], errors, rtol=1e-9)


def test_a_file_in_chunks_is_the_same(rows, tmp_path):
    rows.to_csv(tmp_path / "rows.csv", index=False)
    reading = {"interventions": "target", "adjust": "batch + age"}
    whole = Dataset.from_file(tmp_path / "rows.csv", **reading)
    parts = Dataset.from_file(tmp_path / "rows.csv", in_memory=False, chunk_rows=17, **reading)
    assert parts.values is None
    for v in range(P):
        np.testing.assert_allclose(
            parts.statistics().gram(v), whole.statistics().gram(v), atol=1e-10
        )
    found = [learner("arcs", random_state=0).fit(data) for data in (whole, parts)]
    np.testing.assert_array_equal(found[0].dag.adjacency, found[1].dag.adjacency)
    assert found[0].preparation["adjust"]["r2"] == pytest.approx(
        found[1].preparation["adjust"]["r2"]
    )


@pytest.mark.parametrize("missing", ["drop", "pairwise", "em"])
def test_missing_values_and_covariates(rows, missing):
    values = rows[[f"x{j}" for j in range(P)]].to_numpy().copy()
    values[5, 0] = np.nan
    covariate = {"batch": rows["batch"], "age": rows["age"]}
    data = Dataset.from_array(values, adjust=covariate, missing=missing)
    keep = np.arange(N) != 5
    close = correlations(residuals(values[keep], covariates(rows)[keep]))
    np.testing.assert_allclose(data.statistics().gram(0), close, atol=0.03)
    if missing == "drop":
        np.testing.assert_allclose(data.statistics().gram(0), close, atol=1e-10)


@pytest.mark.parametrize("name", ["arcs", "cd", "ges", "gies", "hc", "pc", "mmhc", "ga", "listen"])
def test_every_method_adjusts(rows, name):
    frame = rows.drop(columns="target")
    by_hand = residuals(frame[[f"x{j}" for j in range(P)]].to_numpy(), covariates(rows))
    settings = {"random_state": 0}
    found = learner(name, **settings).fit(frame, adjust="batch + age")
    expected = learner(name, **settings).fit(by_hand)
    assert found.dag.adjacency.sum() <= expected.dag.adjacency.sum() + 1
    assert found.preparation["adjust"]["terms"] == ["batch", "age"]
    assert set(found.preparation["adjust"]["partial_r2"]) == {"batch", "age"}


def test_partial_shares_are_those_of_nested_regressions(rows):
    found = ARCS(random_state=0).fit(rows, adjust="batch + age", exclude=["target"]).result_
    z = covariates(rows)
    y = rows["x3"].to_numpy()
    rss = [np.sum(residuals(y, part) ** 2) for part in (z, z[:, [0, 3]], z[:, :3], z[:, :1])]
    shares = found.preparation["adjust"]
    assert shares["partial_r2"]["batch"]["x3"] == pytest.approx(1 - rss[0] / rss[1], abs=1e-5)
    assert shares["partial_r2"]["age"]["x3"] == pytest.approx(1 - rss[0] / rss[2], abs=1e-5)
    assert shares["r2"]["x3"] == pytest.approx(1 - rss[0] / rss[3], abs=1e-5)


def test_replicates_adjust_again_even_without_a_level(rows):
    frame = rows.drop(columns="target")
    rare = frame["batch"].to_numpy().copy()
    rare[:] = "b1"
    rare[:40], rare[0] = "b0", "b2"  # one row: most replicates do not have it
    data = Dataset.of(frame.assign(batch=rare), adjust="batch + age")
    found = bootstrap(data, "hc", n_resamples=10)
    assert found.n_resamples == 10
    without = data.take(np.arange(1, N))
    assert without.statistics().n[0] == N - 1 - 2


def test_scoring_new_rows_is_refused_after_an_adjustment(rows):
    frame = rows.drop(columns="target")
    model = ARCS(random_state=0).fit(frame, adjust="batch + age")
    with pytest.raises(ValueError, match="adjusted for covariates"):
        model.score(frame[[f"x{j}" for j in range(P)]])
