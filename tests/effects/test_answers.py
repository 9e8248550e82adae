"""What a result is asked, before and after it was saved, with and without a bootstrap."""

import json

import numpy as np
import pandas as pd
import pytest

from arcs.confidence import bootstrap
from arcs.edge_rule import EdgeRule
from arcs.effects import conditional, edge_power, effect_table, next_experiments
from arcs.errors import DataError, GraphError
from arcs.learners import learner
from arcs.results import FitResult
from arcs.scores import fit_dag
from arcs.simulate import random_dag, random_weights, sample


@pytest.fixture(scope="module")
def data():
    return sample(random_weights(random_dag(6, 7, 4), 4), 150, 4).data


@pytest.fixture(scope="module")
def result(data):
    return learner("arcs", random_state=0).fit(data)


@pytest.fixture(scope="module")
def told(data, result):
    return bootstrap(data, "arcs", 10, random_state=0).attach(result)


def test_precision_comes_back_from_files(data, result, tmp_path):
    expected = fit_dag(result.dag.adjacency, data.statistics()).precision
    for name in ("result.json", "result.npz"):
        read = FitResult.load(result.save(tmp_path / name))
        for mine, theirs in zip(read.precision.covariances, expected.covariances, strict=True):
            np.testing.assert_allclose(mine, theirs)
    bare = result.with_(moments=None)
    for mine, theirs in zip(bare.precision.covariances, expected.covariances, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0.5, atol=1e-3)


def test_one_effect(result, told):
    names = result.names
    x, y = result.dag.edges()[0]
    found = result.effect(names[x], names[y])
    table = effect_table(result.dag, result.precision)
    assert found.value == pytest.approx(table.effects[x, y])
    assert found.lower == pytest.approx(table.lower[x, y])
    assert found.over_bootstrap is None
    assert "no bootstrap was run" in str(found)
    more = told.effect(names[x], names[y], level=0.8)
    effects = told.ensemble.total_effects(x)[:, y]
    assert more.over_bootstrap.median == pytest.approx(np.median(effects))
    assert more.over_bootstrap.ancestor_share == np.mean(effects != 0)
    for words in ("given this graph", "open directions", "other graphs", "80%"):
        assert words in str(more)
    record = json.loads(json.dumps(more.to_dict()))
    assert record["bootstrap"]["graphs"] == 10
    low, high = record["class"]["lower"], record["class"]["upper"]
    assert low - 1e-9 <= record["value"] <= high + 1e-9
    with pytest.raises(GraphError, match="same node"):
        result.effect(0, 0)


def test_all_effects(result, told):
    frame = result.effects()
    table = effect_table(result.dag, result.precision)
    expected = (table.effects != 0).sum() - 6
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == expected
    assert (np.diff(frame["standardised"].abs()) <= 1e-12).all()
    for row in frame.to_dict("records"):
        at = result.names.index(row["from"]), result.names.index(row["to"])
        assert row["effect"] == table.effects[at]
        assert row["interval_low"] == table.lower[at]
    source = frame["from"].iloc[0]
    assert set(result.effects(source=source)["from"]) == {source}
    assert set(result.effects(target=source)["to"]) <= {source}
    shares = told.effects()
    assert shares["ancestor_share"].between(0, 1).all()
    assert (shares["bootstrap_low"] <= shares["bootstrap_high"]).all()


def test_predictions_samples_and_holes(result):
    names = result.names
    frame = result.predict({names[0]: 1.0}, {names[1]: 0.5})
    expected = conditional(result.dag, {0: 1.0}, {1: 0.5})
    np.testing.assert_allclose(frame["mean"], expected.mean)
    np.testing.assert_allclose(frame["sd"], expected.sd)
    assert frame["role"].tolist()[:2] == ["set", "seen"]
    doses = result.predict({names[0]: [0.0, 1.0]})
    assert len(doses) == 12
    drawn = result.sample(5, {names[0]: 1.0}, {names[1]: 0.5}, random_state=0)
    assert list(drawn.columns) == list(names)
    assert (drawn[names[0]] == 1.0).all()
    rows = result.sample(4, random_state=1)
    holes = rows.drop(columns=names[2])
    holes.iloc[0, 0] = np.nan
    filled = result.impute(holes)
    assert filled.notna().all().all()
    pd.testing.assert_series_equal(filled[names[3]], rows[names[3]])
    np.testing.assert_allclose(result.impute(rows.to_numpy()), rows)
    with pytest.raises(DataError, match="not variables of the network"):
        result.impute(rows.rename(columns={names[0]: "strange"}))


def test_plans(result, told):
    found = told.next_experiments(3)
    expected = next_experiments(told.cpdag, told.dag, told.ensemble, k=3)
    assert found["targets"].tolist() == [", ".join(one.targets) for one in expected]
    assert "doubts_settled" in found
    assert "doubts_settled" not in result.next_experiments(2) or result.cpdag.is_dag()
    x, y = result.dag.named_edges()[0]
    power = result.power(x, y, n=[50, 500])
    rule = EdgeRule(ebic=result.penalty["final_ebic"])
    assert power.rows_needed == edge_power(result.dag, x, y, rule=rule).rows_needed
    assert power.power[0] <= power.power[1]
    assert result.adjustment_sets(x, y).has_effect


def test_an_effect_that_open_directions_decide_begins_with_that():
    chain = np.zeros((3, 3))
    chain[0, 1], chain[1, 2] = 1.0, 1.0
    rows = np.random.default_rng(0).normal(size=(300, 3)) @ np.linalg.inv(np.eye(3) - chain)
    found = learner("hc").fit(pd.DataFrame(rows, columns=["a", "b", "c"]))
    answer = found.effect("a", "b")
    assert not answer.over_class.identified
    first = str(answer).splitlines()[0]
    low, high = answer.over_class.values[[0, -1]]
    assert first.startswith(f"total effect of a on b: open, {low:.4g} or {high:.4g}; in this graph")
    assert max(map(len, str(answer).splitlines())) <= 80
