"""Figures about nodes, edges and interventions, against plain computations."""

import numpy as np
import pytest

from arcs.app.answers import (
    edge_answer,
    effect_answer,
    effects_of,
    fitted_data,
    node_answer,
    plain,
    what_if,
)
from arcs.app.choices import Choices
from arcs.app.tables import look_at, propose_roles
from arcs.errors import GraphError
from arcs.learners import learner
from arcs.scores import fit_dag


@pytest.fixture
def fitted(table):
    looked = look_at(table)
    roles = {name: role for name, (role, _) in propose_roles(looked).items()}
    data = Choices(roles=roles).read(looked)
    return learner("arcs", random_state=0).fit(data), data


def test_residuals_are_those_of_the_equation(fitted):
    result, data = fitted
    told = node_answer(result, 1, data)
    dag = result.dag
    expected = data.values[:, 1] - dag.intercepts[1] - data.values @ dag.coefficients[:, 1]
    assert told["residuals"]["y"] == pytest.approx(expected, abs=1e-5)
    assert sum(told["residuals"]["set"]) == 50
    assert told["equation"].startswith("b =")
    assert "residuals" not in node_answer(result, 1, None)


def test_bic_of_an_edge_removed_or_turned(fitted):
    from arcs.results import FitResult

    result, data = fitted
    told = edge_answer(result, 1, 2, data)
    for key, change in (("removed", {}), ("turned", {(2, 1): True})):
        adjacency = result.dag.adjacency.copy()
        adjacency[1, 2] = False
        for at, value in change.items():
            adjacency[at] = value
        other = FitResult.from_structure("other", adjacency, data.statistics())
        assert told[key] == pytest.approx(other.bic - result.bic)
    assert told["interval_low"] < told["coefficient"] < told["interval_high"]
    with pytest.raises(GraphError, match="no edge"):
        edge_answer(result, 3, 0, data)


def test_means_that_differ_between_conditions(tmp_path):
    rng = np.random.default_rng(3)
    code = np.arange(240) % 3
    x = rng.normal(size=240) + 3.0 * code
    y = 0.8 * x + rng.normal(size=240) - 4.0 * code
    path = tmp_path / "batches.csv"
    rows = [f"{a:.5f},{b:.5f},batch{c}" for a, b, c in zip(x, y, code, strict=True)]
    path.write_text("\n".join(["x,y,batch", *rows]))
    looked = look_at(path)
    roles = {name: role for name, (role, _) in propose_roles(looked).items()}
    assert roles["batch"] == "condition"
    data = Choices(roles=roles).read(looked)
    result = learner("arcs", random_state=0).fit(data)
    assert result.preparation["conditions"]["policy"] != "common"
    data = fitted_data(result, data)
    again = fit_dag(result.dag.adjacency, data.statistics())
    assert again.log_likelihood == pytest.approx(result.log_likelihood)
    residuals = np.array(node_answer(result, 1, data)["residuals"]["y"])
    assert [abs(residuals[code == k].mean()) < 0.05 for k in range(3)] == [True] * 3


def test_turning_an_edge_may_close_a_cycle(fitted):
    from arcs.results import FitResult

    _, data = fitted
    adjacency = np.zeros((4, 4), dtype=bool)
    adjacency[0, 1] = adjacency[1, 2] = adjacency[0, 2] = True
    result = FitResult.from_structure("chain", adjacency, data.statistics())
    told = edge_answer(result, 0, 2, data)
    assert told["turned_cycle"] is True
    assert "turned" not in told


def test_what_if_follows_the_equations(fitted):
    result, _ = fitted
    told = {row["node"]: row for row in what_if(result, {"a": 2.0})["rows"]}
    before = result.dag.mean()
    total = result.dag.total_effects()
    for k in range(4):
        expected = (2.0 - before[0]) * np.asarray(total)[0, k]
        assert told[k]["change"] == pytest.approx(expected, abs=1e-9)
        if k and expected:
            assert told[k]["low"] < told[k]["change"] < told[k]["high"]
    assert told[0]["set"]
    two = what_if(result, {"a": 2.0, "b": 0.0})["rows"]
    assert all(row["low"] is None for row in two)
    with pytest.raises(GraphError, match="choose a variable"):
        what_if(result, {})


def test_total_effects_are_ranked(fitted):
    result, _ = fitted
    effects = effects_of(result, 0)
    assert [row["target"] for row in effects] == sorted(
        (int(k) for k in result.dag.descendants(0)),
        key=lambda k: -abs(next(r["standardised"] for r in effects if r["target"] == k)),
    )


def test_an_effect_is_told_in_words(fitted):
    result, _ = fitted
    text = effect_answer(result, 0, 1)["text"]
    assert text == str(result.effect("a", "b"))
    assert "a" in text


def test_json_has_no_nan():
    assert plain({"a": np.array([1.0, np.nan]), "b": (np.int64(2), float("inf"))}) == {
        "a": [1.0, None],
        "b": [2, None],
    }
