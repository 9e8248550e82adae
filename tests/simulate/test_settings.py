"""The paper's settings: counts, independence of seeds, agreement with the reported tables."""

import numpy as np
import pytest

from arcs.simulate import (
    EXPERIMENTAL_SETTINGS,
    OBSERVATIONAL_SETTINGS,
    random_weights,
    simulate_setting,
)

ALL = OBSERVATIONAL_SETTINGS + EXPERIMENTAL_SETTINGS


def test_numbers_of_settings():
    assert len(OBSERVATIONAL_SETTINGS) == 14
    assert len(EXPERIMENTAL_SETTINGS) == 9
    assert len({setting.key for setting in ALL}) == 23
    assert all(s.n == 5 * s.p and s.experimental for s in EXPERIMENTAL_SETTINGS)
    for few, many in zip(OBSERVATIONAL_SETTINGS[::2], OBSERVATIONAL_SETTINGS[1::2], strict=True):
        assert few.name == many.name
        assert few.n < few.p < many.n


@pytest.mark.parametrize("setting", ALL, ids=lambda s: s.key)
def test_simulated_data_fit_the_setting(setting):
    simulated = simulate_setting(setting, 3)
    assert simulated.seed == 3
    assert simulated.data.values.shape == (setting.n, setting.p)
    assert simulated.truth.n_edges == setting.s0
    assert simulated.data.names == simulated.truth.names
    np.testing.assert_allclose(np.diag(simulated.truth.covariance()), 1.0)
    if setting.experimental:
        assert (simulated.data.interventions.mask.sum(axis=0) == 5).all()
    else:
        assert simulated.data.interventions is None


def test_seeds_and_settings_have_streams_of_their_own():
    asia, sachs = EXPERIMENTAL_SETTINGS[:2]
    one, again, other = (simulate_setting(asia, seed) for seed in (0, 0, 1))
    assert (one.data.values == again.data.values).all()
    assert one.truth.names == again.truth.names
    assert not np.isin(one.data.values, other.data.values).any()
    assert not np.isin(one.data.values, simulate_setting(sachs, 0).data.values).any()
    few, many = OBSERVATIONAL_SETTINGS[-2:]
    assert (
        simulate_setting(few, 0).truth.adjacency != simulate_setting(many, 0).truth.adjacency
    ).any()


def test_control_without_interventions_shares_the_model():
    setting = next(s for s in EXPERIMENTAL_SETTINGS if s.name == "rDAG5")
    treated = simulate_setting(setting, 2)
    control = simulate_setting(setting.observational(), 2)
    at = [control.truth.names.index(name) for name in treated.truth.names]
    assert control.data.interventions is None
    assert (control.truth.coefficients[np.ix_(at, at)] == treated.truth.coefficients).all()
    assert not np.isin(control.data.values, treated.data.values).any()


def test_random_graphs_differ_between_seeds():
    setting = next(s for s in EXPERIMENTAL_SETTINGS if s.name == "rDAG3")
    graphs = []
    for seed in range(4):
        truth = simulate_setting(setting, seed).truth
        at = np.argsort([int(name[1:]) for name in truth.names])
        graphs.append(truth.adjacency[np.ix_(at, at)])
    assert len({graph.tobytes() for graph in graphs}) == 4
    assert random_weights(graphs[0], 0).n_edges == 20
