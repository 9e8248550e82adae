"""Data sets are determined by case and seed, and have the paper's sizes."""

from __future__ import annotations

import numpy as np
import pytest

from arcs.errors import SettingsError
from arcs.experiments.cases import (
    CASES,
    CONTROLS,
    EQUAL_VARIANCES,
    EXPERIMENTAL,
    HIGH_DIMENSIONAL,
    LOW_DIMENSIONAL,
    SAMPLE_SIZES,
    case,
    cases_named,
)


def test_groups_are_disjoint_but_for_the_sample_sizes():
    groups = (HIGH_DIMENSIONAL, LOW_DIMENSIONAL, EXPERIMENTAL, CONTROLS, EQUAL_VARIANCES)
    keys = [c.key for group in groups for c in group]
    assert len(keys) == len(set(keys)) == 7 + 7 + 9 + 9 + 7
    assert len({c.key for c in SAMPLE_SIZES} - set(keys)) == 3
    assert len(CASES) == len(keys) + 3


def test_a_control_has_the_model_of_its_experiment_and_other_rows():
    experiment, control = EXPERIMENTAL[1].draw(1000), CONTROLS[1].draw(1000)
    assert control.data.interventions is None
    assert experiment.data.interventions is not None
    assert control.data.n == experiment.data.n
    names = experiment.truth.names
    place = [control.truth.names.index(name) for name in names]
    same = control.truth.coefficients[np.ix_(place, place)]
    assert np.array_equal(same, experiment.truth.coefficients)


def test_equal_variances_are_equal_and_seeded():
    hailfinder = EQUAL_VARIANCES[0]
    one, two, other = hailfinder.draw(1000), hailfinder.draw(1000), hailfinder.draw(1001)
    assert np.array_equal(one.truth.noise_variances, np.ones(224))
    assert one.truth.adjacency.sum() == 264
    assert one.data.n == 400
    assert np.array_equal(one.data.values, two.data.values)
    assert not np.array_equal(one.data.values, other.data.values)
    sizes = np.abs(one.truth.coefficients[one.truth.adjacency])
    assert sizes.min() >= 0.5
    assert sizes.max() <= 0.8
    assert one.seed == 1000


def test_equal_variances_of_a_random_dag_are_a_new_graph_for_every_seed():
    random_one = next(c for c in EQUAL_VARIANCES if c.setting.name == "rDAG1")
    first, second = random_one.draw(1), random_one.draw(2)
    assert first.truth.adjacency.sum() == second.truth.adjacency.sum() == 300
    assert not np.array_equal(first.truth.adjacency, second.truth.adjacency)


def test_cases_by_name_or_key():
    found = cases_named(["Asia", "Sachs-n55-experimental"], EXPERIMENTAL)
    assert [c.setting.name for c in found] == ["Asia", "Sachs"]
    assert cases_named([], EXPERIMENTAL) == EXPERIMENTAL
    with pytest.raises(SettingsError, match="no setting 'Andes' here"):
        cases_named(["Andes"], EXPERIMENTAL)
    with pytest.raises(SettingsError, match="did you mean 'Andes-n200-observational'"):
        case("Andes-n200-observatonal")
