"""Algorithm 4: BIC over the grid."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.errors import SettingsError
from arcs.penalties import L1, MCP, SCAD
from arcs.progress import Watch
from arcs.scores.cholesky import CholeskyScore
from arcs.tuning import GAMMAS, lambda_grid, tune


@pytest.fixture(scope="module")
def statistics(linear_rows):
    return Dataset.of(linear_rows(150, 8, 0, density=0.3)).statistics()


ORDER = np.random.default_rng(0).permutation(8)


def test_the_grid_is_the_papers(statistics):
    table = tune(statistics, ORDER).table
    assert set(table) == {"gamma", "lambda", "bic", "loss", "edges"}
    assert all(column.shape == (80,) for column in table.values())
    assert set(table["gamma"]) == {2, 10, 50, 100} == set(GAMMAS)
    for gamma in GAMMAS:
        lambdas = np.sort(table["lambda"][table["gamma"] == gamma])
        np.testing.assert_allclose(lambdas, np.linspace(0.1, 1, 20) * np.sqrt(150))


def test_every_line_is_the_bic_of_its_penalty(linear_rows, experiment):
    """Line by line: loss on the rows, nonzero entries of L, each column solved from nothing."""
    values, mask = experiment(120, 6, 1, density=0.3)
    statistics = Dataset.of(values, interventions=mask).statistics()
    order = np.random.default_rng(1).permutation(6)
    table = tune(statistics, order, gammas=(50.0, 100.0)).table
    for i in range(0, 40, 7):
        penalty = MCP(table["lambda"][i], table["gamma"][i])
        score = CholeskyScore(statistics, penalty)
        loss, entries = 0.0, 6
        for at, v in enumerate(order):
            fit = score.node(v, order[:at])
            rows = values[~mask[:, v]]
            rows = rows - rows.mean(axis=0)
            rows = rows / np.linalg.norm(rows, axis=0)
            column = rows[:, v] * fit.diagonal + rows[:, fit.parents] @ fit.weights
            loss += 0.5 * column @ column - len(rows) * np.log(fit.diagonal)
            entries += fit.parents.size
        assert table["edges"][i] == entries - 6
        assert table["loss"][i] == pytest.approx(loss, abs=1e-4)
        assert table["bic"][i] == pytest.approx(2 * loss + entries * np.log(120), abs=1e-3)


def test_the_smallest_bic_is_chosen(statistics):
    tuned = tune(statistics, ORDER)
    best = np.argmin(tuned.table["bic"])
    assert tuned.penalty == MCP(tuned.table["lambda"][best], tuned.table["gamma"][best])
    assert 0 < best < 79


def test_wide_data_are_charged_by_the_number_of_columns():
    values = np.random.default_rng(0).normal(size=(20, 40))
    statistics = Dataset.of(values).statistics()
    table = tune(statistics, np.arange(40), gammas=(2.0,)).table
    expected = 2 * table["loss"] + (table["edges"] + 40) * np.log(40)
    np.testing.assert_allclose(table["bic"], expected)


def test_the_largest_lambda_empties_the_graph_and_edges_come_as_it_falls(statistics):
    table = tune(statistics, ORDER).table
    assert (table["edges"][table["lambda"] >= np.sqrt(150) - 1e-9] == 0).all()
    for gamma in (50.0, 100.0):
        edges = table["edges"][table["gamma"] == gamma]
        assert edges[-1] > 5


def test_the_path_ends_where_a_cold_start_ends_for_a_convex_penalty(statistics):
    table = tune(statistics, ORDER, kind="l1").table
    assert table["gamma"].shape == (20,)
    for i in (3, 10, 19):
        penalty = L1(table["lambda"][i])
        state = CholeskyScore(statistics, penalty).solve(ORDER)
        assert table["edges"][i] == state.columns.count.sum()
        loss = state.columns.score.sum() - sum(
            penalty.value(state.columns.weight[v, :k]).sum()
            for v, k in enumerate(state.columns.count)
        )
        assert table["loss"][i] == pytest.approx(loss, abs=1e-5)


def test_a_denser_order_is_no_reason_to_fail_and_the_table_depends_on_the_order(statistics):
    one, two = (tune(statistics, order).table["bic"] for order in (ORDER, ORDER[::-1]))
    assert not np.allclose(one, two)


def test_scad_leaves_out_the_concavity_it_does_not_have(statistics):
    tuned = tune(statistics, ORDER, kind="scad")
    assert set(tuned.table["gamma"]) == {10, 50, 100}
    assert isinstance(tuned.penalty, SCAD)


def test_a_grid_of_ones_own(statistics):
    tuned = tune(statistics, ORDER, gammas=(5.0,), lambdas=[1.0, 3.0, 2.0])
    np.testing.assert_array_equal(tuned.table["lambda"], [3, 2, 1])
    assert tuned.penalty.gamma == 5


def test_what_was_evaluated_in_time_decides(statistics):
    events = []
    tuned = tune(statistics, ORDER, watch=Watch(1e-9, events.append))
    assert tuned.table["bic"].size == 1
    assert [(event.stage, event.iteration, event.total) for event in events] == [("tune", 1, 80)]
    assert tuned.penalty == MCP(np.sqrt(150), 2.0)


def test_lambda_grids():
    np.testing.assert_allclose(lambda_grid(100, 4), [10, 7, 4, 1])
    np.testing.assert_allclose(lambda_grid(100, 1), [10])
    with pytest.raises(SettingsError, match="at least one value"):
        lambda_grid(100, 0)


def test_knowledge_is_honoured(statistics):
    allowed = np.zeros((8, 8), dtype=bool)
    allowed[ORDER[0], ORDER[1]] = True
    table = tune(statistics, ORDER, allowed=allowed, gammas=(2.0,)).table
    assert table["edges"].max() <= 1
    required = np.zeros((8, 8), dtype=bool)
    required[ORDER[0], ORDER[1:]] = True
    table = tune(statistics, ORDER, required=required, gammas=(2.0,)).table
    assert table["edges"].min() == 7
