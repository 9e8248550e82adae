"""Soft interventions and unknown targets, end to end, against the known truth."""

import numpy as np
import pytest

from arcs import ARCS
from arcs.data import Dataset, Interventions
from arcs.errors import DataError, SettingsError
from arcs.knowledge import Knowledge
from arcs.learners import learner
from arcs.metrics import evaluate
from arcs.progress import Watch
from arcs.regimes import describe_changes
from arcs.results import FitResult
from arcs.simulate import random_dag, random_weights, sample_experiments

pytestmark = pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")


def narrow(kind, factor, seed, p=20, edges=30, regimes=8, rows=50):
    """One target per regime, among the nodes that have parents."""
    dag = random_weights(random_dag(p, edges, seed), seed)
    children = np.flatnonzero(dag.adjacency.any(axis=0))
    chosen = np.random.default_rng([seed, 7]).choice(children, regimes, replace=False)
    groups = [(int(v),) for v in chosen]
    return sample_experiments(dag, groups, rows, seed, n_observational=80, kind=kind, factor=factor)


def small(seed, factor=2.0):
    """Noisy targets in four regimes of ten variables."""
    return narrow("noise", factor, seed, p=10, edges=12, regimes=4)


def broad(kind, factor, seed, p=24):
    """Half of the nodes are targets of each of three regimes."""
    dag = random_weights(random_dag(p, 2 * p, seed), seed)
    rng = np.random.default_rng([seed, 7])
    groups = [tuple(rng.choice(p, p // 2, replace=False).tolist()) for _ in range(3)]
    return sample_experiments(dag, groups, 100, seed, n_observational=40, kind=kind, factor=factor)


def fit(data, kind, **settings):
    return learner("arcs", random_state=0, intervention_kind=kind, **settings).fit(data)


def pairs(simulated):
    design = simulated.data.interventions
    names = simulated.data.names
    return {(design.label(r), names[v]) for r, group in enumerate(design.targets) for v in group}


@pytest.mark.parametrize(("kind", "factor"), [("noise", 2.0), ("coefficients", 0.5)])
def test_soft_beats_hard_where_the_node_keeps_its_parents(kind, factor):
    sets = [broad(kind, factor, seed) for seed in range(20, 23)]
    distance = {
        how: np.mean([evaluate(fit(s.data, how).dag, s.truth).SHD for s in sets])
        for how in ("soft", "hard")
    }
    assert distance["soft"] < distance["hard"] - 2


def test_soft_estimates_the_noise_ratio():
    simulated = narrow("noise", 2.0, 3)
    result = fit(simulated.data, "soft")
    assert {(c.regime, c.target) for c in result.changes} == pairs(simulated)
    ratios = [c.variance_ratio for c in result.changes if c.kind == "noise"]
    assert len(ratios) >= 6
    assert 3 < np.median(ratios) < 5.3  # the variance is 4 times as large


def test_untargeted_nodes_are_as_with_hard_interventions():
    simulated = narrow("noise", 2.0, 4)
    data = simulated.data
    soft = fit(data, "soft")
    from arcs.scores import fit_dag

    hard = fit_dag(soft.dag.adjacency, data.statistics())
    free = ~data.interventions.regime_mask.any(axis=0)
    assert free.any()
    np.testing.assert_allclose(
        soft.dag.coefficients[:, free], hard.dag.coefficients[:, free], rtol=1e-8
    )
    np.testing.assert_allclose(
        soft.dag.noise_variances[free], hard.dag.noise_variances[free], rtol=1e-8
    )


def test_soft_coefficients_are_more_precise_than_hard_ones():
    """The rows of a regime with little noise count for more, those of a noisy one for less."""
    simulated = broad("noise", 0.5, 30)
    soft = fit(simulated.data, "soft")
    from arcs.scores import fit_dag

    hard = fit_dag(soft.dag.adjacency, simulated.data.statistics())
    edges = soft.dag.adjacency
    ratio = soft.dag.standard_errors[edges] / hard.dag.standard_errors[edges]
    assert np.median(ratio) < 0.8
    truth = simulated.truth.coefficients
    right = edges & simulated.truth.adjacency
    z = (soft.dag.coefficients - truth)[right] / soft.dag.standard_errors[right]
    assert 0.75 < z.std() < 1.3


@pytest.fixture(scope="module")
def unknown_fits():
    """Simulations and what was found without knowing their targets."""
    sets = {
        "hard": [narrow("hard", 1.0, seed) for seed in (40, 41)],
        "noise": [narrow("noise", 2.0, seed) for seed in (40, 41)],
    }
    return {kind: [(s, fit(s.data, "unknown")) for s in some] for kind, some in sets.items()}


@pytest.mark.parametrize(
    ("kind", "precision", "recall"), [("hard", 0.75, 0.7), ("noise", 0.9, 0.9)]
)
def test_unknown_finds_the_targets(unknown_fits, kind, precision, recall):
    assert_found(unknown_fits[kind], precision, recall)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "factor", "precision", "recall"), [("hard", 1.0, 0.85, 0.75), ("noise", 2.0, 0.9, 0.9)]
)
def test_unknown_finds_the_targets_on_average(kind, factor, precision, recall):
    sets = [narrow(kind, factor, seed, p=40, edges=80, regimes=10) for seed in range(60, 72)]
    assert_found([(s, fit(s.data, "unknown")) for s in sets], precision, recall)


def assert_found(fits, precision, recall):
    """Targets are found at these rates, and the graph is not noticeably worse than without."""
    found, right, true, with_regimes, without = 0, 0, 0, 0, 0
    for simulated, result in fits:
        flags = {(c.regime, c.target) for c in result.changes}
        found, true = found + len(flags), true + len(pairs(simulated))
        right += len(flags & pairs(simulated))
        with_regimes += evaluate(result.dag, simulated.truth).SHD
        pooled = Dataset.from_array(simulated.data.values, simulated.data.names)
        without += evaluate(fit(pooled, "hard").dag, simulated.truth).SHD
    assert right / found >= precision
    assert right / true >= recall
    assert with_regimes <= without + len(fits) / 4


def test_kinds_and_text_of_what_was_found(unknown_fits):
    simulated, result = unknown_fits["noise"][0]
    kinds = [c.kind for c in result.changes if (c.regime, c.target) in pairs(simulated)]
    assert kinds.count("noise") >= 6
    assert all(c.evidence > 0 and c.rows == 50 for c in result.changes)
    text = describe_changes(result.changes)
    assert "noise variance x" in text
    assert "evidence" in text
    # The targets that were found are what the equivalence class is computed with.
    targets = {v for group in result.targets for v in group}
    assert {result.names[v] for v in targets} == {c.target for c in result.changes}


def test_shifted_means_are_called_shifts_and_nothing_else_is(unknown_fits):
    named, wrong = [], []
    for seed in (40, 41):
        simulated = narrow("shift", 2.0, seed, p=12, edges=16, regimes=5)
        result = fit(simulated.data, "unknown")
        found = {(c.regime, c.target): c for c in result.changes}
        assert len(found.keys() & pairs(simulated)) >= 4
        named += [found[pair].kind == "shift" for pair in found.keys() & pairs(simulated)]
        sizes = [found[pair].shift for pair in found.keys() & pairs(simulated)]
        assert 1.0 < np.nanmedian(sizes) < 4.0
        truth = {
            e: simulated.truth.coefficients[e]
            for e in zip(*result.dag.adjacency.nonzero(), strict=True)
        }
        right = [e for e, b in truth.items() if b]
        z = [(result.dag.coefficients[e] - truth[e]) / result.dag.standard_errors[e] for e in right]
        assert np.std(z) < 1.6
    for kind in ("hard", "noise"):
        for _, result in unknown_fits[kind]:
            wrong += [c.kind == "shift" for c in result.changes]
    assert np.mean(named) >= 0.9
    assert np.mean(wrong) <= 0.1


def test_saved_and_loaded(unknown_fits, tmp_path):
    _, result = unknown_fits["hard"][0]
    assert any(np.isnan(c.variance_ratio) for c in result.changes)
    for name in ("r.json", "r.npz"):
        again = FitResult.load(result.save(tmp_path / name))
        assert len(again.changes) == len(result.changes)
        for one, other in zip(again.changes, result.changes, strict=True):
            assert one.to_dict() == pytest.approx(other.to_dict(), nan_ok=True)
        np.testing.assert_array_equal(again.dag.coefficients, result.dag.coefficients)


def test_rows_and_intervals_count_what_was_used(unknown_fits):
    _, result = unknown_fits["hard"][1]
    rows = np.array(result.n_per_node)
    for v, name in enumerate(result.names):
        apart = [c for c in result.changes if c.kind in ("coefficients", "set")]
        out = sum(c.rows for c in apart if c.target == name)
        assert rows[v] == result.n_rows - out
    assert (rows < result.n_rows).any()
    assert np.isfinite(result.edges()["interval_low"]).all()


def test_same_seed_same_answer_for_any_number_of_threads():
    data = small(45).data
    one, other = fit(data, "unknown"), fit(data, "unknown", n_jobs=2)
    np.testing.assert_array_equal(one.dag.coefficients, other.dag.coefficients)
    assert one.changes == other.changes
    assert one.score == other.score


def test_knowledge_is_obeyed_and_time_is_kept():
    simulated = small(46)
    u, v = np.argwhere(simulated.truth.adjacency)[0]
    names = simulated.data.names
    known = Knowledge(required=[(names[v], names[u])])
    result = fit(simulated.data, "unknown", knowledge=known)
    assert result.dag.adjacency[v, u]
    brief = fit(simulated.data, "unknown", time_limit=0.05)
    assert brief.stopped == "time limit"
    assert brief.n_edges > 0


def test_estimator_takes_labels_of_conditions():
    simulated = small(48, factor=3.0)
    labels = np.array(["", *"ABCD"])[simulated.data.interventions.regime]
    frame = pytest.importorskip("pandas").DataFrame(
        simulated.data.values, columns=list(simulated.data.names)
    )
    frame["condition"] = labels
    model = ARCS(intervention_kind="unknown", random_state=0)
    model.fit(frame, interventions="condition")
    assert {c.regime for c in model.changes_} <= set("ABCD")
    again = ARCS(intervention_kind="unknown", random_state=0)
    again.fit(simulated.data.values, interventions=labels)
    np.testing.assert_array_equal(model.adjacency_, again.adjacency_)
    assert model.result_.settings["intervention_kind"] == "unknown"


@pytest.mark.parametrize("penalty", ["mcp", "l0"])
def test_other_penalties_and_searches(penalty):
    data = small(49).data
    result = fit(data, "soft", penalty=penalty, search="anneal", n_iter=300)
    assert len(result.changes) == 4
    assert result.trace["iteration"][-1] == 300


def test_a_learner_provides_the_start():
    data = small(50).data
    assert fit(data, "soft", init="hc").n_edges > 5


@pytest.mark.parametrize("kind", ["soft", "unknown"])
def test_refusals(kind):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 3))
    with pytest.raises(DataError, match=f"intervention_kind='{kind}' needs interventions"):
        fit(values, kind)
    with pytest.raises(DataError, match=r"needs (interventions|rows)"):
        fit((np.eye(3), 30), kind)
    few = ["control"] * 28 + ["x1"] * 2
    with pytest.raises(DataError, match="regime 'x1' has 2 rows"):
        learner("arcs", intervention_kind=kind).fit(values, interventions=few)
    with pytest.raises(DataError, match="belong to one"):
        learner("arcs", intervention_kind=kind).fit(values, interventions=["x1"] * 30)
    with pytest.raises(SettingsError, match="cannot be resumed"):
        learner("arcs", intervention_kind=kind, checkpoint="here.npz")


def test_other_refusals():
    values = np.random.default_rng(0).normal(size=(40, 3))
    labelled = Dataset.from_array(values, interventions=list("AB") * 20, known_targets=False)
    assert isinstance(labelled.interventions, Interventions)
    with pytest.raises(DataError, match="choose intervention_kind='unknown'"):
        learner("arcs").fit(labelled)
    with pytest.raises(DataError, match="labels only"):
        fit(labelled, "soft")
    with pytest.raises(SettingsError, match="intervention_kind must be one of"):
        learner("arcs", intervention_kind="odd")
    with pytest.raises(DataError, match="not statistics"):
        learner("arcs", intervention_kind="soft").learn(labelled.statistics(), Watch())
