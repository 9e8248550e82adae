"""Numbers beside categories, with means that differ between conditions."""

import numpy as np
import pandas as pd
import pytest

from arcs import ARCS
from arcs.confidence import bootstrap
from arcs.data import Dataset
from arcs.errors import DataError, SettingsError
from arcs.learners import learner
from arcs.regimes.shifts import ShiftPrices
from arcs.results import FitResult
from arcs.scores.blocks import Blocks


def table(n=300, batches=5, shift=3.0, seed=0):
    """sex -> a -> b, c, stage; batches move the means of a, b and c, and shares of stages."""
    rng = np.random.default_rng(seed)
    batch = rng.integers(batches, size=n)
    moved = shift * rng.normal(size=(batches, 3))[batch]
    sex = rng.integers(2, size=n)
    a = sex + rng.normal(size=n)
    b = a + rng.normal(size=n)
    c = rng.normal(size=n)
    stage = np.digitize(b + 0.5 * rng.normal(size=n), [-1.0, 1.5])
    return pd.DataFrame(
        {
            "a": a + moved[:, 0],
            "b": b + moved[:, 1],
            "c": c + moved[:, 2],
            "sex": np.array(["f", "m"])[sex],
            "stage": np.array(["I", "II", "III"])[stage],
            "batch": [f"plate{k}" for k in batch],
        }
    )


def links(result):
    return {frozenset(edge[:2]) for edge in result.dag.named_edges()}


TRUE = {frozenset(pair) for pair in (("sex", "a"), ("a", "b"), ("b", "stage"))}


def test_batches_get_means_of_their_own_as_a_covariate_would():
    rows = table()
    found = ARCS(random_state=0).fit(rows, discrete="auto", conditions="batch").result_
    assert links(found) == TRUE
    assert found.preparation["conditions"]["policy"] == "free"
    assert "every condition has means of its own" in found.preparation["sentences"][0]
    adjusted = ARCS(random_state=0).fit(rows, discrete="auto", adjust=["batch"]).result_
    np.testing.assert_array_equal(found.dag.adjacency, adjusted.dag.adjacency)
    assert found.score == pytest.approx(adjusted.score, rel=1e-9)
    for one, other in zip(found.dag.equations, adjusted.dag.equations, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8)
    alike = ARCS(random_state=0).fit(
        rows, discrete="auto", conditions="batch", condition_policy="common"
    )
    assert links(alike.result_) != TRUE


def test_where_nothing_differs_nothing_changes(tmp_path):
    rows = table(shift=0.0)
    plain = ARCS(random_state=0).fit(rows.drop(columns="batch"), discrete="auto").result_
    found = ARCS(random_state=0).fit(rows, discrete="auto", conditions="batch").result_
    assert found.preparation["conditions"]["policy"] == "common"
    np.testing.assert_array_equal(found.dag.adjacency, plain.dag.adjacency)
    assert found.score == plain.score
    again = FitResult.load(found.save(tmp_path / "result.json"))
    assert again.preparation == found.preparation


def test_nats_by_least_squares():
    """The chain rule over indicators against determinants of residual covariances."""
    rows = table()
    data = Dataset.of(rows, discrete="auto", conditions="batch")
    blocks = Blocks.of(data)
    prices = ShiftPrices(blocks.columns)
    adjacency = np.zeros((5, 5), dtype=bool)
    adjacency[0, 1] = adjacency[1, 4] = adjacency[3, 4] = True
    values, n = blocks.columns.values, len(rows)
    dummies = pd.get_dummies(rows["batch"]).to_numpy(dtype=float)
    count = dummies.sum(axis=0)

    owner = np.repeat(np.arange(5), blocks.size)

    def direct(means):
        total = 0.0
        for v in range(5):
            own, parents = values[:, owner == v], values[:, adjacency[owner, v]]
            design = np.hstack([means, parents])
            left = own - design @ np.linalg.lstsq(design, own, rcond=None)[0]
            total += 0.5 * n * np.linalg.slogdet(left.T @ left / n)[1]
        return total

    wide, everything = blocks.expanded(adjacency), prices.everything()
    assert prices.nats(wide, ~everything) == pytest.approx(direct(np.ones((n, 1))), rel=1e-9)
    each = 0.5 * np.log(count + 7.0)
    shifts = values.shape[1] * (each.sum() - each.max())
    assert prices.nats(wide, everything) == pytest.approx(direct(dummies) + shifts, rel=1e-9)


@pytest.mark.parametrize("method", ["hc", "ges"])
def test_other_methods_take_the_same_means_off(method):
    rows = table()
    found = learner(method, random_state=0).fit(rows, discrete="auto", conditions="batch")
    assert found.preparation["conditions"]["policy"] == "free"
    assert links(found) == TRUE


def test_experiments_imply_conditions():
    rows = table().rename(columns={"batch": "target"})
    rows["target"] = np.where(rows["target"] == "plate0", "c", "control")
    shifted = rows["target"] == "c"
    rows.loc[shifted, ["a", "b"]] += 4.0
    found = ARCS(random_state=0).fit(rows, discrete="auto", interventions="target").result_
    record = found.preparation["conditions"]
    assert record["implied"]
    alike = ARCS(random_state=0).fit(
        rows, discrete="auto", interventions="target", conditions="none"
    )
    assert "conditions" not in alike.result_.preparation


def test_the_policy_of_resamples_is_that_of_all_rows(monkeypatch):
    rows = Dataset.of(table(), discrete="auto", conditions="batch")
    asked = []
    original = ShiftPrices.__init__

    def counted(self, dataset):
        asked.append(dataset.n)
        original(self, dataset)

    monkeypatch.setattr(ShiftPrices, "__init__", counted)
    again = bootstrap(rows, learner("arcs", random_state=0), 5, random_state=0, n_jobs=1)
    assert len(asked) == 1
    pairs = np.argwhere(again.averaged())
    assert {frozenset(again.names[k] for k in pair) for pair in pairs.tolist()} == TRUE


def test_what_conditions_determine_and_what_is_not_looked_for():
    rows = table()
    rows["site"] = np.where(rows["batch"].isin(["plate0", "plate1"]), "north", "south")
    model = ARCS(random_state=0)
    with pytest.raises(DataError, match="do not vary within conditions: 'site'"):
        model.fit(rows, discrete="auto", conditions="batch", condition_policy="free")
    found = model.fit(rows, discrete="auto", conditions="batch").result_
    assert found.preparation["conditions"]["policy"] == "common"
    with pytest.raises(SettingsError, match="single means are not looked for"):
        model.fit(rows, discrete="auto", conditions="batch", condition_policy="sparse")
    other = ARCS(random_state=0, mixed_score="conditional-gaussian")
    with pytest.raises(SettingsError, match="no columns for categories"):
        other.fit(rows, discrete="auto", conditions="batch")
    with pytest.raises(DataError, match="categories have no means"):
        model.fit(rows[["sex", "stage", "batch"]], discrete="auto", conditions="batch")


def test_a_search_is_not_resumed_with_other_covariates(tmp_path):
    rows, path = table(), tmp_path / "search.npz"
    given = {"discrete": "auto", "adjust": ["batch"]}
    model = learner("arcs", random_state=0, checkpoint=path)
    model.fit(rows, listener=lambda event: event.iteration < 3, **given)
    again = learner("arcs", random_state=0, checkpoint=path, resume=True)
    assert again.fit(rows, **given).stopped == "finished"
    model.fit(rows, listener=lambda event: event.iteration < 3, **given)
    with pytest.raises(SettingsError, match="other data"):
        again.fit(rows.assign(batch=rows["batch"].to_numpy()[::-1]), **given)
