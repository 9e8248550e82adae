"""ARCS on tables with numbers and categories. Slow: another engine is compiled."""

import numpy as np
import pytest

from arcs import ARCS
from arcs.confidence import bootstrap
from arcs.data import Dataset
from arcs.data.mixed import MixedData
from arcs.discrete_results import MixedResult, fitted_to
from arcs.errors import DataError, SettingsError
from arcs.graphs import MixedDag
from arcs.learners import learner
from arcs.results import FitResult


@pytest.fixture(scope="module")
def data():
    """sex -> height -> weight -> heavy, as somebody would collect them."""
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 400)
    height = 165 + 13 * sex + 6 * rng.normal(size=400)
    weight = 0.9 * height - 85 + 8 * rng.normal(size=400)
    heavy = weight + 5 * rng.normal(size=400) > 75
    values = np.column_stack([sex, height, weight, heavy]).astype(float)
    levels = (("f", "m"), None, None, ("no", "yes"))
    return Dataset(["sex", "height", "weight", "heavy"], values=values, levels=levels)


def test_equations_are_least_squares(data):
    adjacency = np.zeros((4, 4), bool)
    adjacency[0, 1] = adjacency[2, 3] = True
    dag = MixedData.of(data).fit(adjacency)
    assert isinstance(dag, MixedDag)
    intercept, effect = dag.equations[1].ravel()
    means = [data.values[data.values[:, 0] == k, 1].mean() for k in (0, 1)]
    assert intercept == pytest.approx(means[0])
    assert effect == pytest.approx(means[1] - means[0])
    assert dag.table("heavy").columns == ("term", "P(no)", "P(yes)")
    assert dag.equations[3].sum(axis=1) == pytest.approx([1.0, 0.0])


@pytest.mark.slow
def test_a_mixed_table_from_fit_to_file(data, tmp_path):
    found = learner("arcs", random_state=0).fit(data)
    assert isinstance(found, MixedResult)
    skeleton = {frozenset(edge) for edge in found.dag.named_edges()}
    assert skeleton == {
        frozenset(p) for p in (("sex", "height"), ("height", "weight"), ("weight", "heavy"))
    }
    assert found.edge_table()["strength"][0] > 3
    assert found.log_likelihood > 0
    assert "Equations" in found.report(tmp_path / "r.html").read_text()
    loaded = FitResult.load(found.save(tmp_path / "r.json"))
    assert isinstance(loaded, MixedResult)
    assert loaded.dag == found.dag
    assert (
        loaded.prediction_table({"sex": "f"}).rows() == found.prediction_table({"sex": "f"}).rows()
    )
    again = bootstrap(data, learner("arcs"), 4, random_state=0).attach(found)
    assert again.averaged().n_edges >= 3
    assert learner("arcs", discrete_score="ebic").fit(data).dag == learner("arcs").fit(data).dag
    with pytest.raises(SettingsError, match="categories alone"):
        learner("arcs", discrete_score="bdeu").fit(data)


@pytest.mark.slow
def test_covariates_are_taken_out_of_numbers_and_indicators(data):
    rng = np.random.default_rng(1)
    batch = rng.integers(0, 2, len(data.values))
    shifted = np.asarray(data.values).copy()
    shifted[:, 1] += 40 * batch  # height and a number that has nothing to do with it
    other = rng.normal(size=len(batch)) + 3 * batch
    frame = {
        "sex": np.array(["f", "m"])[shifted[:, 0].astype(int)],
        "height": shifted[:, 1],
        "other": other,
        "batch": np.array(["a", "b"])[batch],
    }
    import pandas as pd

    table = pd.DataFrame(frame)
    plain = learner("arcs", random_state=0).fit(table.drop(columns="batch"), discrete="auto")
    adjusted = learner("arcs", random_state=0).fit(table, discrete=["sex"], adjust="batch")
    pairs = [{frozenset(edge) for edge in r.dag.named_edges()} for r in (plain, adjusted)]
    assert frozenset(("height", "other")) in pairs[0]
    assert pairs[1] == {frozenset(("sex", "height"))}


@pytest.mark.slow
def test_a_slope_that_hangs_on_a_category_is_found_by_the_conditional_score(tmp_path):
    """dose helps one sex only; the means of both are the same."""
    rng = np.random.default_rng(2)
    sex, dose = rng.integers(0, 2, 600), rng.normal(size=600)
    effect = np.where(sex == 1, 1.5, 0.0) * dose + rng.normal(size=600)
    values = np.column_stack([sex, dose, effect, rng.normal(size=600)])
    names, levels = ["sex", "dose", "effect", "other"], (("f", "m"), None, None, None)
    data = Dataset(names, values=values.astype(float), levels=levels)
    plain = learner("arcs", random_state=0).fit(data).dag.named_edges()
    assert {frozenset(edge) for edge in plain} == {frozenset(("dose", "effect"))}
    model = learner("arcs", random_state=0, mixed_score="conditional-gaussian")
    found = model.fit(data)
    assert set(found.dag.named_edges()) == {("sex", "effect"), ("dose", "effect")}
    assert found.penalty["kind"] == "conditional-gaussian"
    assert found.log_likelihood > 50
    assert found.bic > 0
    loaded = FitResult.load(found.save(tmp_path / "r.json"))
    assert loaded.dag == found.dag
    assert loaded.settings["mixed_score"] == "conditional-gaussian"
    again = bootstrap(data, model, 4, random_state=0).attach(found).averaged()
    assert again.edge_values["strength"][1, 2] == pytest.approx(found.edge_values["strength"][1, 2])


def test_equations_leave_covariates_out():
    """Batches move both; within a batch y follows x one to one."""
    rng = np.random.default_rng(3)
    batch, sex = rng.integers(0, 3, 3000), rng.integers(0, 2, 3000)
    x = rng.normal(size=3000) + 3 * batch + sex
    y = x + 5 * batch + rng.normal(size=3000)
    table = {"sex": np.where(sex, "m", "f"), "x": x, "y": y, "batch": batch.astype(str)}
    pandas = pytest.importorskip("pandas")
    data = Dataset.of(pandas.DataFrame(table), discrete=["sex"], adjust="batch")
    adjacency = np.zeros((3, 3), bool)
    adjacency[0, 1] = adjacency[1, 2] = True
    found = fitted_to("by hand", adjacency, data)
    assert found.dag.equations[2][1, 0] == pytest.approx(1.0, abs=0.06)
    assert found.dag.equations[1][1, 0] == pytest.approx(1.0, abs=0.1)
    told = {(row["variable"], row["level"]): row for row in found.prediction_table().rows()}
    assert told["y", ""]["value"] == pytest.approx(y.mean())
    assert told["x", ""]["value"] == pytest.approx(x.mean())


@pytest.mark.slow
def test_the_estimator_has_no_likelihood_of_mixed_rows(data):
    """Also where all columns are numbers to look at."""
    model = ARCS(random_state=0, search="none").fit(data)
    for ask in (model.score, model.score_samples, lambda rows: model.sample(3)):
        with pytest.raises(DataError, match="a network of numbers and categories tells"):
            ask(np.asarray(data.values))
    assert not hasattr(model, "coef_")
