import numpy as np
import pytest

from arcs.edge_rule import EdgeRule
from arcs.errors import SettingsError
from arcs.learners import learner
from arcs.penalties import Ebic, penalty
from arcs.simulate import random_dag, random_weights, sample


@pytest.mark.parametrize("rule", [EdgeRule(), EdgeRule(ebic=0.5), EdgeRule(level=1e-4)])
def test_a_record_gives_the_rule_back(rule):
    assert EdgeRule.from_record({"kind": "l0", "ebic": 1.0, **rule.record()}) == rule


def test_the_limit_is_what_a_price_means():
    for share in (0.0, 0.2):
        cost = float(Ebic(1.5, share).costs([80.0], 10)[0])
        limit = EdgeRule(ebic=1.5, least_share=share).limit(80, p=10, n_parents=2)
        assert 0.5 * 80 * np.log1p(limit**2 / 77) == pytest.approx(cost)
    assert EdgeRule(level=0.05).limit(1e6, p=10, n_parents=1) == pytest.approx(1.96, abs=1e-3)


@pytest.mark.parametrize(
    "settings", [{"lam": 4.0}, {"final_ebic": 2.0}, {"min_r2": 0.1}, {"penalty": "mcp"}]
)
def test_fits_tell_their_rule(settings):
    data = sample(random_weights(random_dag(5, 5, 0), 0), 100, 0).data
    rule = EdgeRule.from_record(learner("arcs", random_state=0, **settings).fit(data).penalty)
    assert rule.price == (4.0 if "lam" in settings else None)
    assert rule.ebic == settings.get("final_ebic", 1.5)
    assert rule.least_share == settings.get("min_r2", 0.0)


def test_other_records_mean_the_usual_rule():
    assert EdgeRule.from_record({}) == EdgeRule()
    assert EdgeRule.from_record(penalty("mcp", 0.3).describe()) == EdgeRule()
    with pytest.raises(SettingsError, match="between 0 and 1"):
        EdgeRule(level=0.0)
