"""Conditions that shift means beside regimes that change mechanisms: every policy, every kind."""

import numpy as np
import pandas as pd
import pytest

from arcs import ARCS
from arcs.confidence import bootstrap
from arcs.data import Dataset
from arcs.learners.arcs import Arcs
from arcs.metrics import evaluate
from arcs.simulate import random_dag, random_weights

P, REGIMES, ROWS = 10, 5, 80
POLICIES = ("common", "free", "sparse", "mixed", "auto")


def simulated(shifts, seed=3, *, crossing=True):
    """In each regime but the first one variable has more noise; plates shift these means."""
    rng = np.random.default_rng(seed)
    model = random_weights(random_dag(P, 10, seed), seed)
    regime = np.repeat(np.arange(REGIMES), ROWS)
    noise = rng.normal(size=(len(regime), P)) * np.sqrt(model.noise_variances)
    for r in range(1, REGIMES):
        noise[regime == r, r] *= 3
    plate = rng.integers(len(shifts), size=len(regime)) if crossing else regime
    values = (noise + shifts[plate]) @ np.linalg.inv(np.eye(P) - model.coefficients)
    frame = pd.DataFrame(values, columns=model.names)
    labels = ["" if r == 0 else model.names[r] for r in regime]
    return frame, labels, [f"plate {k}" for k in plate], model.adjacency


def few():
    """One variable in each plate but the first, none of them a target there."""
    shifts = np.zeros((REGIMES, P))
    shifts[np.arange(1, REGIMES), np.arange(1, REGIMES) + 4] = 2.5
    return shifts


def fitted(kind, frame, labels, **reading):
    if kind == "unknown":
        labels = [f"drug {label}" if label else "control" for label in labels]
    return ARCS(random_state=0, intervention_kind=kind).fit(frame, interventions=labels, **reading)


@pytest.mark.parametrize("kind", ["hard", "soft", "unknown"])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_kind_works_with_every_policy(kind, policy):
    frame, labels, plates, truth = simulated(few())
    reading = {"conditions": plates, "condition_policy": policy}
    result = fitted(kind, frame, labels, **reading).result_
    record = result.preparation["conditions"]
    assert record["policy"] == ("sparse" if policy == "auto" else policy)
    assert record["asked"] == policy
    if policy in ("sparse", "auto") and kind != "hard":
        found = {(label, name) for label, names in record["shifts"].items() for name in names}
        meant = {(f"plate {k}", frame.columns[k + 4]) for k in range(1, REGIMES)}
        assert meant <= found
        assert len(found) <= len(meant) + 2
        assert evaluate(result.dag, truth, True).FP <= 1
        assert {change.target for change in result.changes} >= set(frame.columns[1:REGIMES])


def test_regimes_as_conditions_of_soft_interventions():
    frame, labels, _, truth = simulated(few(), crossing=False)
    result = fitted("soft", frame, labels).result_
    record = result.preparation["conditions"]
    assert record["implied"]
    assert record["policy"] == "sparse"
    assert evaluate(result.dag, truth, True).SHD <= 2
    alike = fitted("soft", frame, labels, condition_policy="common").result_
    assert evaluate(alike.dag, truth, True).SHD > evaluate(result.dag, truth, True).SHD


def test_some_plates_shift_everything_and_some_a_little():
    shifts = few()
    shifts[3:] = np.random.default_rng(1).normal(0, 2, (REGIMES - 3, P))
    frame, labels, plates, truth = simulated(shifts)
    result = fitted("soft", frame, labels, conditions=plates).result_
    record = result.preparation["conditions"]
    assert record["policy"] == "mixed"
    assert {len(record["shifts"][f"plate {k}"]) for k in (3, 4)} == {P}
    assert evaluate(result.dag, truth, True).SHD <= 2


def test_coefficients_are_those_of_a_weighted_regression_with_the_shifted_plates():
    """By hand: rows weighted by the noise that the result tells, indicators as covariates."""
    frame, labels, plates, _ = simulated(few())
    result = fitted("soft", frame, labels, conditions=plates, condition_policy="sparse").result_
    record, checked = result.preparation["conditions"]["shifts"], 0
    changes = {change.target: change for change in result.changes}
    for v, name in enumerate(frame.columns):
        parents = np.flatnonzero(result.dag.adjacency[:, v])
        change = changes.get(name)
        if not parents.size or (change is not None and change.kind != "noise"):
            continue
        weights = np.ones(len(frame))
        if change is not None:
            weights[np.array(labels) == name] = 1 / change.variance_ratio
        shifted = [np.array(plates) == label for label, names in record.items() if name in names]
        columns = [np.ones(len(frame)), *frame.to_numpy()[:, parents].T, *shifted]
        root = np.sqrt(weights)
        design = np.column_stack(columns) * root[:, None]
        slopes = np.linalg.lstsq(design, frame[name].to_numpy() * root, rcond=None)[0]
        expected = slopes[1 : 1 + len(parents)]
        np.testing.assert_allclose(result.dag.coefficients[parents, v], expected, rtol=1e-4)
        checked += 1
    assert checked >= 4


def test_shifts_tell_directions_beside_soft_targets():
    """x -> y, nobody acts on either but the plates: a mean that is shifted alone is a cause's."""
    rng = np.random.default_rng(0)
    plate = np.repeat([0, 1], 300)
    other = rng.normal(size=600) * np.where(np.arange(600) % 3 == 0, 3, 1)
    x = rng.normal(size=600)
    y = x + 1.5 * plate + rng.normal(size=600)
    frame = pd.DataFrame({"x": x, "y": y, "other": other})
    labels = ["other" if i % 3 == 0 else "" for i in range(600)]
    reading = {"conditions": plate.astype(str), "condition_policy": "sparse"}
    result = fitted("soft", frame, labels, **reading).result_
    assert result.cpdag.directed[0, 1]
    without = fitted("soft", frame, labels, conditions="none").result_
    assert without.cpdag.undirected[0, 1]


def test_replicates_and_files_repeat_the_policy():
    frame, labels, plates, _ = simulated(few())
    data = Dataset.from_frame(frame, interventions=labels, conditions=plates)
    model = Arcs(random_state=0, intervention_kind="soft")
    result = model.fit(data)
    again = model.fit(data.decided(result.preparation))
    np.testing.assert_array_equal(again.dag.coefficients, result.dag.coefficients)
    drawn = bootstrap(data, model, n_resamples=5)
    strong = np.abs(result.dag.coefficients) > 0.5
    assert drawn.directed[strong].mean() > 0.7


@pytest.mark.parametrize("kind", ["soft", "unknown"])
def test_files_in_parts_give_the_same(kind, tmp_path):
    frame, labels, plates, _ = simulated(few())
    path = tmp_path / "cells.csv"
    frame.assign(target=labels, plate=plates, age=np.arange(len(frame)) % 7).to_csv(
        path, index=False
    )
    reading = {"interventions": "target", "conditions": "plate", "adjust": ["age"]}
    reading["known_targets"] = kind == "soft"
    model = Arcs(random_state=0, intervention_kind=kind)
    whole, parts = (
        model.fit(Dataset.from_file(path, in_memory=kept, **reading)) for kept in (True, False)
    )
    assert whole.preparation["conditions"]["policy"] == "sparse"
    np.testing.assert_array_equal(parts.dag.adjacency, whole.dag.adjacency)
    np.testing.assert_allclose(parts.dag.coefficients, whole.dag.coefficients, rtol=1e-6)


def test_one_plate_beside_free_ones_is_what_they_are_compared_to():
    """Two plates, one of them free: nothing is left of the other's indicator."""
    shifts = np.zeros((2, P))
    shifts[1] = np.random.default_rng(1).normal(0, 3, P)
    frame, labels, plates, _ = simulated(shifts)
    reading = {"conditions": plates, "condition_policy": "mixed"}
    result = fitted("soft", frame, labels, **reading).result_
    assert result.preparation["conditions"]["policy"] == "free"
    assert np.isfinite(result.dag.coefficients).all()
