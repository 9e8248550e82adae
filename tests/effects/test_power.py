import numpy as np
import pytest

from arcs.edge_rule import EdgeRule
from arcs.effects import edge_power
from arcs.errors import GraphError, SettingsError
from arcs.graphs import GaussianDag


def _dag(size):
    weights = np.zeros((4, 4))
    weights[0, 2], weights[1, 2], weights[0, 1] = size, 0.7, 0.6
    return GaussianDag(weights, [1.0, 0.5, 2.0, 1.0], ["a", "b", "c", "d"])


@pytest.mark.parametrize(("size", "n", "ebic"), [(0.5, 60, 1.5), (0.3, 150, 1.0), (0.3, 400, 1.5)])
def test_power_is_how_often_the_edge_pays_its_price(size, n, ebic):
    dag = _dag(size)
    price = 0.5 * np.log(n) + ebic * np.log(4)
    seen = 0
    for seed in range(1000):
        rows = dag.sample(n, seed)
        rows = rows - rows.mean(axis=0)
        with_, without = (
            np.linalg.lstsq(rows[:, at], rows[:, 2], rcond=None)[1][0] for at in ([0, 1], [1])
        )
        seen += 0.5 * n * np.log(without / with_) > price
    found = edge_power(dag, "a", "c", n=n, rule=EdgeRule(ebic=ebic))
    assert found.power[0] == pytest.approx(seen / 1000, abs=0.05)


def test_rows_needed_are_the_fewest():
    found = edge_power(_dag(0.4), "a", "c")
    assert found.rows_needed is not None
    around = (found.rows_needed - 1, found.rows_needed)
    before, after = edge_power(_dag(0.4), "a", "c", n=around).power
    assert before < 0.8 <= after
    assert "rows to see it" in str(found)
    strong = edge_power(_dag(0.4), "a", "c", size=4.0)
    assert strong.rows_needed < found.rows_needed
    assert strong.partial_r2 > found.partial_r2


def test_a_level_in_place_of_a_price():
    lenient = edge_power(_dag(0.4), "a", "c", rule=EdgeRule(level=0.05)).rows_needed
    assert lenient < edge_power(_dag(0.4), "a", "c", rule=EdgeRule(level=1e-6)).rows_needed


def test_power_rises_with_rows_also_far_out():
    power = edge_power(_dag(0.4), "a", "c", n=tuple(4**k for k in range(2, 15))).power
    assert np.isfinite(power).all()
    assert (np.diff(power) >= -1e-9).all()
    assert power[-1] == 1.0


def test_edges_that_are_not_there():
    with pytest.raises(GraphError, match="no parent"):
        edge_power(_dag(0.4), "d", "c")
    assert edge_power(_dag(0.4), "d", "c", size=0.5).rows_needed > 10
    assert edge_power(_dag(0.4), "d", "c", size=0.0).rows_needed is None
    with pytest.raises(GraphError, match="no parent"):
        edge_power(_dag(0.4), "c", "c")
    with pytest.raises(SettingsError, match="wanted"):
        edge_power(_dag(0.4), "a", "c", wanted=1.5)
