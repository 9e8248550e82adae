"""Sampling: moments, the shuffle, hard and soft interventions."""

import numpy as np
import pytest

from arcs.errors import SettingsError
from arcs.graphs import GaussianDag
from arcs.simulate import network, random_dag, random_weights, sample, sample_experiments

P = 8


@pytest.fixture
def dag():
    weights = random_weights(random_dag(P, 14, 2), 3, noise_variance=(0.5, 1.5))
    return GaussianDag(
        weights.coefficients,
        weights.noise_variances,
        [f"n{k}" for k in range(P)],
        intercepts=np.linspace(-3, 4, P),
    )


def residuals(simulated):
    """What is left of the data when the truth's mechanisms are taken out."""
    truth, values = simulated.truth, simulated.data.values
    return values - truth.intercepts - values @ truth.coefficients


def test_moments_match_the_truth(dag):
    simulated = sample(dag, 40_000, 0)
    values, truth = simulated.data.values, simulated.truth
    np.testing.assert_allclose(np.cov(values.T), truth.covariance(), atol=0.05)
    means = np.linalg.solve((np.eye(P) - truth.coefficients).T, truth.intercepts)
    np.testing.assert_allclose(values.mean(axis=0), means, atol=0.04)


def test_truth_follows_the_shuffled_columns(dag):
    simulated = sample(dag, 20_000, 1)
    truth = simulated.truth
    assert simulated.data.names == truth.names
    assert truth.names != dag.names
    old = [dag.names.index(name) for name in truth.names]
    assert (truth.coefficients == dag.coefficients[np.ix_(old, old)]).all()
    left = residuals(simulated)
    # The residuals of the right labelling are independent with the right variances.
    np.testing.assert_allclose(np.cov(left.T), np.diag(truth.noise_variances), atol=0.05)


def test_shuffle_only_moves_columns(dag):
    plain = sample(dag, 50, 9, shuffle=False)
    mixed = sample(dag, 50, 9)
    assert plain.data.names == dag.names
    assert plain.truth is dag
    old = [dag.names.index(name) for name in mixed.data.names]
    assert (mixed.data.values == plain.data.values[:, old]).all()


def test_columns_are_in_random_order_by_default():
    # Parents come first in the repository's file; after sampling they must not.
    dag = random_weights(network("andes"), 0)
    assert np.triu(dag.adjacency).sum() == dag.n_edges
    forward = np.triu(sample(dag, 2, 0).truth.adjacency).sum() / dag.n_edges
    assert 0.3 < forward < 0.7


def test_seed_is_honoured_and_recorded(dag):
    one, two = sample(dag, 10, 4), sample(dag, 10, np.random.default_rng(4))
    assert (one.data.values == two.data.values).all()
    assert one.seed == 4
    assert two.seed is None
    assert (sample(dag, 10, 5).data.values[:, 0] != one.data.values[:, 0]).all()


def test_each_variable_is_set_in_its_own_block(dag):
    simulated = sample_experiments(dag, random_state=0)
    mask = simulated.data.interventions.mask
    assert mask.shape == (5 * P, P)
    assert (mask.sum(axis=1) == 1).all()
    assert (mask.sum(axis=0) == 5).all()
    blocks = mask.reshape(P, 5, P)
    assert (blocks == blocks[:, :1]).all()


def test_hard_interventions_cut_the_target_and_nothing_else(dag):
    simulated = sample_experiments(dag, "each", 4000, 1, value=(7.0, 0.1))
    mask, values = simulated.data.interventions.mask, simulated.data.values
    set_values = values[mask]
    assert abs(set_values.mean() - 7.0) < 0.01
    assert abs(set_values.std() - 0.1) < 0.01
    left = residuals(simulated)
    for j in range(P):
        untouched = left[~mask[:, j], j]
        variance = simulated.truth.noise_variances[j]
        assert abs(untouched.mean()) < 5 * np.sqrt(variance / untouched.size)
        assert abs(untouched.var() / variance - 1) < 0.06
        # A set value depends on nothing: no correlation with the target's parents.
        rows = mask[:, j]
        for i in np.flatnonzero(simulated.truth.adjacency[:, j]):
            assert abs(np.corrcoef(values[rows, i], values[rows, j])[0, 1]) < 0.07


def test_several_targets_per_block_by_name_and_position(dag):
    groups = [("n1", "n4"), 2, [], "n7", {0, 3, 5}]
    simulated = sample_experiments(dag, groups, [3, 4, 5, 6, 7], 0, n_observational=2)
    mask, names = simulated.data.interventions.mask, simulated.data.names
    expected = [set()] * 2 + [{"n1", "n4"}] * 3 + [{"n2"}] * 4 + [set()] * 5 + [{"n7"}] * 6
    expected += [{"n0", "n3", "n5"}] * 7
    found = [{names[j] for j in np.flatnonzero(row)} for row in mask]
    assert found == expected


def test_mask_is_relabelled_with_the_columns(dag):
    plain = sample_experiments(dag, random_state=3, shuffle=False)
    mixed = sample_experiments(dag, random_state=3)
    old = [dag.names.index(name) for name in mixed.data.names]
    assert old != list(range(P))
    assert (mixed.data.interventions.mask == plain.data.interventions.mask[:, old]).all()
    assert (mixed.data.values == plain.data.values[:, old]).all()


def test_value_may_be_any_distribution(dag):
    simulated = sample_experiments(
        dag, ["n3"], 200, 0, value=lambda rng, size: rng.choice([-5.0, 5.0], size)
    )
    column = simulated.data.names.index("n3")
    assert set(simulated.data.values[:, column]) == {-5.0, 5.0}


def test_noise_intervention_keeps_the_parents(dag):
    target = int(np.argmax(dag.adjacency.sum(axis=0)))
    simulated = sample_experiments(
        dag, [target], 20_000, 0, kind="noise", factor=3.0, shuffle=False
    )
    left = residuals(simulated)
    expected = dag.noise_variances.copy()
    expected[target] *= 9.0
    np.testing.assert_allclose(np.cov(left.T), np.diag(expected), atol=0.25)
    assert abs(left[:, target].var() / expected[target] - 1) < 0.05
    assert simulated.data.interventions.mask[:, target].all()


def test_shift_moves_the_mean_alone(dag):
    target = int(np.flatnonzero(dag.adjacency.any(axis=0))[0])
    given = {"rows_per_target": 20, "random_state": 0, "shuffle": False}
    shifted = sample_experiments(dag, [target], kind="shift", factor=1.5, **given).data.values
    plain = sample_experiments(dag, [()], **given).data.values
    moved = (shifted - plain).mean(axis=0)
    assert moved[target] == pytest.approx(1.5 * np.sqrt(dag.noise_variances[target]))
    np.testing.assert_allclose(shifted - plain, np.tile(moved, (20, 1)), atol=1e-12)


def test_coefficients_intervention_scales_what_is_inherited(dag):
    target = int(np.argmax(dag.adjacency.sum(axis=0)))
    simulated = sample_experiments(
        dag, [target], 20_000, 0, kind="coefficients", factor=-0.5, shuffle=False
    )
    values = simulated.data.values
    parents = np.flatnonzero(dag.adjacency[:, target])
    design = np.column_stack([values[:, parents], np.ones(len(values))])
    fitted = np.linalg.lstsq(design, values[:, target], rcond=None)[0]
    expected = -0.5 * dag.coefficients[parents, target]
    np.testing.assert_allclose(fitted[:-1], expected, atol=0.03)
    assert abs(fitted[-1] - dag.intercepts[target]) < 0.1


def test_observational_rows_alone_have_no_interventions(dag):
    assert sample(dag, 5, 0).data.interventions is None
    simulated = sample_experiments(dag, [], n_observational=5, random_state=0)
    assert simulated.data.interventions is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"targets": "all"}, "targets must be 'each'"),
        ({"targets": ["nobody"]}, "'nobody' is not a node"),
        ({"targets": [P]}, "out of range"),
        ({"targets": [-1]}, "out of range"),
        ({"targets": []}, "no rows"),
        ({"targets": [0, 1], "rows_per_target": [1, 2, 3]}, "3 entries for 2"),
        ({"rows_per_target": 0}, "at least 1"),
        ({"rows_per_target": 2.5}, "at least 1"),
        ({"n_observational": -1}, "n_observational"),
        ({"kind": "soft"}, "kind must be"),
        ({"kind": "noise", "factor": 0.0}, "factor"),
        ({"value": (0.0, -1.0)}, "value must be"),
        ({"value": lambda rng, size: rng.normal(size=2 * size)}, "must return"),
    ],
)
def test_impossible_experiments_are_refused(dag, options, message):
    with pytest.raises(SettingsError, match=message):
        sample_experiments(dag, random_state=0, **options)


@pytest.mark.parametrize("n", [0, -3, 2.0, True])
def test_bad_sample_size_is_refused(dag, n):
    with pytest.raises(SettingsError, match="n must be"):
        sample(dag, n)


def test_a_large_sparse_model():
    dag = random_weights(random_dag(2000, 4000, 0), 0)
    simulated = sample(dag, 200, 0)
    assert simulated.data.values.shape == (200, 2000)
    assert abs(simulated.data.values.var() - 1) < 0.02
