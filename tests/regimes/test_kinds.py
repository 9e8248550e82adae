"""Kinds of interventions as values."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.errors import DataError, SettingsError
from arcs.penalties import MCP, Ebic
from arcs.progress import Watch
from arcs.regimes.kinds import KINDS, Hard, Soft, Unknown, regime_kind
from arcs.search import Fixed, Plan, Pulls, Start


@pytest.fixture(scope="module")
def mask_rows(experiment):
    values, _ = experiment(150, 4, 0)
    mask = np.zeros(values.shape, dtype=bool)
    mask[:30, 0] = mask[30:60, 2] = True
    return values, mask


def starts(count, p=4):
    return [Start(np.arange(p), np.random.default_rng(i)) for i in range(count)]


def test_words():
    assert tuple(KINDS) == ("hard", "soft", "unknown")
    for word, kind in KINDS.items():
        assert regime_kind(word) is kind
        assert kind.word == word
    with pytest.raises(SettingsError, match="intervention_kind must be one of hard, soft, unknown"):
        regime_kind("firm")


def test_hard_interventions_leave_rows_out_and_nothing_to_settle(mask_rows):
    values, mask = mask_rows
    data = Dataset.of(values, interventions=mask)
    statistics = Hard().statistics(data)
    np.testing.assert_array_equal(statistics.n, (~mask).sum(axis=0))
    plan, given = Plan(Ebic(1.0), Pulls(1)), starts(2)
    ground = Hard().settle(data, statistics, plan, given, Watch())
    assert ground.statistics is statistics
    assert ground.starts is given
    assert ground.strategy is plan.strategy
    assert ground.explain(np.zeros((4, 4), dtype=bool), 1.0) == ((), None)


def test_other_kinds_look_at_all_rows_and_settle_the_mechanisms(mask_rows):
    values, mask = mask_rows
    data = Dataset.of(values, interventions=mask)
    statistics = Soft().statistics(data)
    np.testing.assert_array_equal(statistics.n, len(values))
    plan = Plan(Ebic(1.0), Pulls(1))
    ground = Soft().settle(data, statistics, plan, starts(1), Watch())
    assert isinstance(ground.strategy, Fixed)
    assert len(ground.starts) == 1
    chain = plan.chains(ground.statistics, ground.starts)[0]
    assert ground.trace(chain)["iteration"].size > 0
    changes, fitted_to = ground.explain(np.zeros((4, 4), dtype=bool), 1.0)
    assert all(change.target in data.names for change in changes)
    assert fitted_to.p == 4


def test_statistics_alone_tell_nothing_of_regimes(mask_rows):
    values, mask = mask_rows
    statistics = Dataset.of(values, interventions=mask).pooled_statistics()
    plan = Plan(Ebic(1.0), Pulls(1))
    for kind in (Soft(), Unknown()):
        with pytest.raises(DataError, match="needs the rows of each regime"):
            kind.settle(None, statistics, plan, starts(1), Watch())


def test_a_plan_prices_edges_whatever_the_penalty():
    assert Plan(MCP(1.0), Pulls(3), ebic=0.7).edge_price == Ebic(0.7)
    assert Plan(Ebic(0.2), Pulls(3), ebic=0.7).edge_price == Ebic(0.2)
    assert Plan(Ebic(0.2), Pulls(3)).brief == Pulls(1)
    assert Plan(Ebic(0.2), Fixed()).brief == Fixed()
