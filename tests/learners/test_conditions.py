"""Learning when means differ between conditions."""

import numpy as np
import pandas as pd
import pytest

from arcs import ARCS, learner
from arcs.confidence import bootstrap
from arcs.data import Dataset
from arcs.errors import DataError, DataWarning
from arcs.knowledge import Knowledge
from arcs.metrics import evaluate
from arcs.results import FitResult
from arcs.simulate import random_dag, random_weights, sample_experiments

P, K, ROWS = 10, 5, 60
COMMON = {"condition_policy": "common"}


def simulated(kind, seed=3):
    """Rows under five conditions: means shift nowhere, everywhere, or for one variable each."""
    rng = np.random.default_rng(seed)
    model = random_weights(random_dag(P, 10, seed), seed)
    labels = np.repeat([f"c{k}" for k in range(K)], ROWS)
    noise = rng.normal(size=(K * ROWS, P))
    shifts = np.zeros((K, P))
    if kind == "batch":
        shifts[1:] = rng.normal(0, 1.5, (K - 1, P))
    if kind == "few":
        shifts[np.arange(1, K), rng.choice(P, K - 1, replace=False)] = 2.0
    total = np.linalg.inv(np.eye(P) - model.coefficients)
    values = (noise + np.repeat(shifts, ROWS, axis=0)) * np.sqrt(model.noise_variances) @ total
    return Dataset.from_array(values, model.names, conditions=labels), model.adjacency


def distance(result, truth):
    return evaluate(result.dag, truth, True).SHD


def test_without_shifts_the_fit_is_the_plain_one():
    data, _ = simulated("none")
    found = learner("arcs", random_state=0).fit(data)
    plain = learner("arcs", random_state=0).fit(data.values)
    assert found.preparation["conditions"]["policy"] == "common"
    np.testing.assert_array_equal(found.dag.coefficients, plain.dag.coefficients)
    assert found.score == plain.score


@pytest.mark.parametrize(("kind", "policy"), [("batch", "free"), ("few", "sparse")])
def test_the_cheapest_policy_is_chosen(kind, policy):
    data, truth = simulated(kind)
    found = learner("arcs", random_state=0).fit(data)
    record = found.preparation["conditions"]
    assert record["policy"] == policy
    assert record["totals"][policy] == min(record["totals"].values())
    ignored = learner("arcs", random_state=0).fit(data.with_conditions(None))
    assert distance(found, truth) < distance(ignored, truth)
    assert evaluate(found.dag, truth, True).FP == 0


def test_shifts_are_reported_and_direct_edges():
    data, _ = simulated("few")
    sparse = learner("arcs", random_state=0).fit(
        data.with_conditions(data.conditions.settled(None, "sparse"))
    )
    shifted = sparse.preparation["conditions"]["shifts"]
    assert set(shifted) == {f"c{k}" for k in range(1, K)}
    plain = learner("arcs", random_state=0).fit(data.with_conditions(None))
    assert sparse.cpdag.undirected.sum() <= plain.cpdag.undirected.sum()


def test_some_conditions_are_free_and_others_sparse():
    data, truth = simulated("few")
    values = data.values.copy()
    values[ROWS : 2 * ROWS] += np.random.default_rng(0).normal(0, 3, P)
    mixed = Dataset.from_array(values, data.names, conditions=list(np.repeat(range(K), ROWS)))
    found = learner("arcs", random_state=0).fit(mixed)
    assert found.preparation["conditions"]["policy"] == "mixed"
    assert len(found.preparation["conditions"]["shifts"]["1"]) == P
    assert distance(found, truth) <= 3


@pytest.mark.parametrize("name", ["arcs", "ges", "hc", "pc", "cd"])
def test_methods_with_knowledge_know_every_policy(name):
    data, _ = simulated("few")
    for policy in ("common", "free", "sparse", "mixed", "auto"):
        settled = data.with_conditions(data.conditions.settled(None, policy))
        found = learner(name, random_state=0).fit(settled)
        assert found.names == data.names
        assert len(found.order.nodes) == P
        if policy != "auto":
            assert found.preparation["conditions"]["policy"] == policy


def test_methods_without_knowledge_choose_between_common_and_free():
    data, _ = simulated("batch")
    found = learner("listen").fit(data)
    assert found.preparation["conditions"]["policy"] == "free"
    with pytest.raises(DataError, match="listen cannot keep conditions as roots"):
        learner("listen").fit(data.with_conditions(data.conditions.settled(None, "sparse")))


@pytest.mark.parametrize("policy", ["sparse", "mixed"])
def test_where_no_mean_differs_the_sentence_says_so(policy):
    data, _ = simulated("none")
    settled = data.with_conditions(data.conditions.settled(None, policy))
    found = learner("arcs", random_state=0).fit(settled)
    (said,) = found.preparation["sentences"]
    assert said.startswith("5 conditions: no mean is found to differ. ")


def test_one_condition_is_nothing_to_compare():
    values = simulated("none")[0].values
    with pytest.warns(DataWarning, match="all rows have the condition 'a': there is nothing"):
        found = learner("arcs", random_state=0).fit(values, conditions=["a"] * len(values))
    assert not found.preparation


def test_background_knowledge_and_conditions_together():
    data, _ = simulated("few")
    a, b = data.names[:2]
    known = Knowledge(forbidden=[(a, b), (b, a)])
    settled = data.with_conditions(data.conditions.settled(None, "sparse"))
    found = learner("arcs", random_state=0, knowledge=known).fit(settled)
    assert not found.dag.adjacency[[0, 1], [1, 0]].any()


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_interventions_imply_conditions_and_batches_are_taken_off():
    model = random_weights(random_dag(P, 10, 1), 1)
    data = sample_experiments(model, "each", 20, 1, n_observational=60, shuffle=False).data
    rng = np.random.default_rng(2)
    batches = rng.normal(0, 3, (len(data.interventions.targets), P))[data.interventions.regime]
    values, mask = data.values + batches, data.interventions.mask
    found = ARCS(random_state=0).fit(values, interventions=mask).result_
    with pytest.warns(DataWarning, match="leave out --conditions none"):
        ignored = ARCS(random_state=0).fit(values, interventions=mask, conditions="none").result_
    assert found.preparation["conditions"]["policy"] == "free"
    assert found.preparation["conditions"]["implied"]
    assert ignored.preparation == {}
    assert distance(found, model.adjacency) < distance(ignored, model.adjacency)


@pytest.mark.parametrize("kind", ["soft", "unknown"])
def test_mechanisms_that_change_take_free_means_off_too(kind):
    data, _ = simulated("batch")
    labels = [data.conditions.labels[k] for k in data.conditions.code]
    labels = ["control" if label == "c0" else label for label in labels]
    if kind == "soft":
        labels = [data.names[0] if label != "control" else "" for label in labels]
    reading = {"interventions": labels, "conditions": labels, "condition_policy": "free"}
    if kind == "soft":
        reading["conditions"] = ["c" if label == "" else label for label in labels]
    model = ARCS(random_state=0, intervention_kind=kind)
    found = model.fit(pd.DataFrame(data.values, columns=data.names), **reading).result_
    assert found.preparation["conditions"]["policy"] == "free"


def labelled_batches(seed=3):
    """The batches of `simulated` as labels of unknown regimes, the first being the control."""
    data, truth = simulated("batch", seed)
    labels = [data.conditions.labels[k] for k in data.conditions.code]
    return data.values, ["control" if label == "c0" else label for label in labels], truth


def test_unknown_regimes_that_shift_all_means_make_no_thicket():
    extra = []
    for seed in (3, 4, 5):
        values, labels, truth = labelled_batches(seed)
        found = ARCS(random_state=0, intervention_kind="unknown").fit(values, interventions=labels)
        extra.append(evaluate(found.result_.dag, truth, True).FP)
    assert sum(extra) <= 6
    kinds = [change.kind for change in found.result_.changes]
    assert kinds.count("shift") >= 0.5 * (K - 1) * P
    (said,) = found.result_.preparation["sentences"]
    assert said == "5 regimes: means differ where a mechanism is told to change."


@pytest.mark.filterwarnings("ignore:looks discrete")
def test_a_column_that_varies_between_unknown_regimes_only():
    values, labels, _ = labelled_batches()
    code = np.unique(labels, return_inverse=True)[1]
    values = np.column_stack([values, np.array([0.3, 1.0, -1.0, 2.0, 0.5])[code]])
    found = ARCS(random_state=0, intervention_kind="unknown").fit(values, interventions=labels)
    assert np.isfinite(found.result_.dag.coefficients).all()


@pytest.mark.parametrize("kind", ["soft", "unknown"])
@pytest.mark.parametrize(("policy", "taken"), [("auto", "free"), ("common", "common")])
def test_batches_beside_mechanisms_that_change(kind, policy, taken):
    """Plates shift all means, regimes change one variable's noise: both are told."""
    values, plates, truth = labelled_batches()
    rows = np.array(values)
    regime = np.arange(len(rows)) % 3 == 0
    names = [f"x{j}" for j in range(P)]
    rows[regime, 4] += np.random.default_rng(1).normal(0, 3, int(regime.sum()))
    word = "drug" if kind == "unknown" else "x4"
    reading = {"interventions": [word if one else "control" for one in regime]}
    reading |= {"conditions": plates, "condition_policy": policy}
    frame = pd.DataFrame(rows, columns=names)
    found = ARCS(random_state=0, intervention_kind=kind).fit(frame, **reading).result_
    assert found.preparation["conditions"]["policy"] == taken
    if taken == "free":
        assert evaluate(found.dag, truth, True).FP <= 3
        assert "x4" in {change.target for change in found.changes}


def test_known_soft_targets_and_batches_choose_free_means():
    data, truth = simulated("batch")
    labels = [data.names[0] if data.conditions.code[i] == 1 else "" for i in range(data.n)]
    plain = pd.DataFrame(data.values, columns=data.names)
    reading = {"interventions": labels, "conditions": data.conditions.code.astype(str).tolist()}
    found = ARCS(random_state=0, intervention_kind="soft").fit(plain, **reading).result_
    assert found.preparation["conditions"]["policy"] == "free"
    alike = ARCS(random_state=0, intervention_kind="soft").fit(plain, **reading | COMMON).result_
    extra, before = (evaluate(result.dag, truth, True).FP for result in (found, alike))
    assert extra <= 1 < before


def test_the_decision_is_kept_in_files_and_repeated(tmp_path):
    data, _ = simulated("batch")
    found = learner("arcs", random_state=0).fit(data)
    again = FitResult.load(found.save(tmp_path / "result.json"))
    assert dict(again.preparation) == dict(found.preparation)
    decided = data.decided(again.preparation)
    assert decided.conditions.policy == "free"
    repeated = learner("arcs", random_state=0).fit(decided)
    np.testing.assert_array_equal(repeated.dag.coefficients, found.dag.coefficients)


def test_replicates_follow_the_policy():
    data, _ = simulated("batch")
    decided = data.with_conditions(data.conditions.settled(None, "free"))
    free = bootstrap(decided, "hc", n_resamples=5)
    common = bootstrap(data.with_conditions(None), "hc", n_resamples=5)
    assert free.dag.sum() < common.dag.sum()


@pytest.mark.parametrize("role", ["adjust", "conditions"])
def test_a_level_that_a_replicate_does_not_see_does_no_harm(role):
    """Two rows of 60: one replicate in seven has none of them, and has a coefficient less."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 4))
    values[:, 1] += values[:, 0]
    frame = pytest.importorskip("pandas").DataFrame(values, columns=list("abcd"))
    frame["batch"] = ["rare", "rare", *["x", "y"] * 29]
    found = bootstrap(Dataset.of(frame, **{role: "batch"}), "hc", n_resamples=25)
    assert found.n_failed == 0
    assert found.confidence[0, 1] == 1.0


def test_a_condition_with_one_row_is_no_reason_to_fail():
    data, _ = simulated("none")
    labels = np.repeat([f"c{k}" for k in range(K)], ROWS)
    labels[7] = "alone"
    alone = Dataset.from_array(data.values, data.names, conditions=labels)
    found = learner("arcs", random_state=0).fit(alone)
    plain = learner("arcs", random_state=0).fit(data.with_conditions(None))
    assert found.preparation["conditions"]["policy"] == "common"
    np.testing.assert_array_equal(found.dag.coefficients, plain.dag.coefficients)
