"""What real data show, and the option that deals with it."""

import warnings

import numpy as np
import pandas as pd
import pytest

from arcs import ARCS, learner
from arcs.data import Dataset, audit
from arcs.data.symptoms import dense_sentence, effective_rows
from arcs.errors import DataWarning
from arcs.knowledge import Knowledge

N, P = 200, 6


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(N, P)), columns=[f"g{j}" for j in range(P)])


def advice(data, **reading):
    return audit(data, **reading).advice


def test_clean_rows_get_no_advice(frame):
    rng = np.random.default_rng(1)
    frame = frame.assign(batch=rng.choice(["a", "b"], N), age=rng.normal(size=N))
    assert advice(frame, exclude=["batch", "age"]) == ()
    assert advice(frame, conditions="batch", exclude=["age"]) == ()


@pytest.mark.parametrize(("n", "p", "few"), [(20, 5, True), (40, 5, False)])
def test_columns_to_adjust_for_take_rows_too(n, p, few):
    given = np.random.default_rng(1).normal(size=(n, 16))
    rows = np.random.default_rng(0).normal(size=(n, p))
    told = [line for line in Dataset.of(rows, adjust=given).audit().advice if "too few" in line]
    assert bool(told) is few
    if few:
        assert f"{n} rows are too few for {p} variables and 16 columns to adjust for" in told[0]


@pytest.mark.parametrize(("n", "p", "few"), [(20, 200, True), (12, 40, True), (60, 200, False)])
def test_rows_that_are_too_few_are_told(n, p, few):
    rows = np.random.default_rng(0).normal(size=(n, p))
    told = [line for line in Dataset.of(rows).audit().advice if "too few" in line]
    assert bool(told) is few
    if few:
        assert f"{n} rows are too few for {p} variables" in told[0]


def test_a_batch_that_was_left_out_is_named_with_the_option(frame):
    batch = np.random.default_rng(1).choice(4, N)
    shifted = frame + np.random.default_rng(2).normal(size=(4, P))[batch]
    table = shifted.assign(batch=[f"b{k}" for k in batch])
    (line,) = advice(table, exclude=["batch"])
    assert line.startswith("'batch', which was left out, explains")
    assert "--adjust batch" in line
    with pytest.warns(DataWarning, match="--adjust batch"):
        ARCS(random_state=0).fit(table, exclude=["batch"])
    assert advice(table, adjust="batch") == ()


@pytest.mark.parametrize("suffix", ["", "_KO"])
def test_a_column_of_targets_that_was_left_out_is_no_covariate(frame, suffix):
    target = np.random.default_rng(1).choice(4, N)
    shifted = frame + np.random.default_rng(2).normal(size=(4, P))[target]
    labels = np.array(["control", *(f"{name}{suffix}" for name in ("g0", "G1", "g2"))])[target]
    (line,) = advice(shifted.assign(what=labels), exclude=["what"])
    option = f"-i what --target-suffix {suffix}" if suffix else "-i what"
    assert f"{option} (interventions='what')" in line
    assert "--adjust" not in line


@pytest.mark.parametrize(("name", "term"), [("Age", "Age"), ("batch", "'C(batch)'")])
def test_a_covariate_among_the_variables_is_named_if_it_explains_the_others(frame, name, term):
    given = np.random.default_rng(1).integers(4, size=N).astype(float)
    assert not any(
        "covariate by its name" in line for line in advice(frame.assign(**{name: given}))
    )
    moved = frame + np.outer(given, np.linspace(0.5, 1.5, P))
    (line,) = (line for line in advice(moved.assign(**{name: given})) if "covariate" in line)
    assert line.startswith(f"{name!r}, a covariate by its name, is among the variables")
    assert f"--adjust {term} " in line
    assert not any("covariate" in line for line in advice(moved.assign(akt=given)))


@pytest.mark.parametrize("kind", [int, float, str])
def test_numbers_that_are_names_of_batches(frame, kind):
    """Means that differ between plates 1 to 4 in no order: as a number the plate explains less."""
    plate = np.random.default_rng(1).integers(1, 5, N)
    moved = frame + np.array([[0.0], [2.0], [-2.0], [2.0], [-2.0]])[plate]
    entries = [kind(k) for k in plate]
    line, *_ = advice(moved.assign(plate_no=entries), exclude=["plate_no"])
    assert "--adjust 'C(plate_no)' (adjust=['C(plate_no)'])" in line
    named = [f"plate {k}" for k in plate]
    line, *_ = advice(moved.assign(plate_no=named), exclude=["plate_no"])
    assert "--adjust plate_no (adjust=['plate_no'])" in line
    slope = frame + np.outer(plate, np.ones(P))
    line, *_ = advice(slope.assign(dose=entries), exclude=["dose"])
    assert "(adjust=['dose'])" in line


def test_a_column_that_counts_the_rows_is_no_category(frame):
    numbered = audit(frame.assign(sample_id=np.arange(N) + 1000))
    assert numbered.discrete == ()
    (line,) = numbered.advice
    assert "'sample_id' counts the rows" in line


def test_a_code_for_missing_values_is_named(frame):
    coded = frame.assign(g3=frame["g3"].where(np.arange(N) % 40 > 0, -999))
    (line,) = advice(coded)
    assert line.startswith("5 rows hold values")
    assert "-999, 5 times, may be a code for a missing value" in line
    single = frame.assign(g3=frame["g3"].where(np.arange(N) > 0, -999))
    (line,) = advice(single)
    assert line.startswith("1 row holds values")
    assert "code" not in line


def test_who_says_what_a_covariate_is_hears_no_more_of_it(frame):
    given = np.random.default_rng(1).normal(size=N)
    moved = (frame + np.outer(given, np.linspace(0.5, 1.5, P))).assign(age=given)
    with pytest.warns(DataWarning, match="'age', a covariate by its name") as told:
        learner("hc").fit(moved)
    assert any("roots = ['age']" in str(line.message) for line in told)
    for label in ("age", P):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = learner("hc", knowledge=Knowledge(roots=[label])).fit(moved)
        assert not any("by its name" in str(line.message) for line in told)
        assert not found.dag.adjacency[:, P].any()


def test_means_that_differ_between_labels_taken_alike(frame):
    labels = np.random.default_rng(1).choice(["", "g0", "g1"], N)
    shifted = frame + 2.0 * (labels == "g1")[:, None]
    reading = {"interventions": list(labels), "conditions": "none"}
    (line,) = advice(shifted, **reading)
    assert "leave out --conditions none" in line
    assert advice(shifted, interventions=list(labels)) == ()


def test_shapes(frame):
    (line,) = advice(np.exp(frame))
    assert "--transform log" in line
    (line,) = advice(np.exp(frame) - 5)
    assert "--transform auto" in line
    assert advice(np.exp(frame), transform="log") == ()


def test_outlying_rows(frame):
    frame.loc[17, "g3"] = 40.0
    (line,) = advice(frame)
    assert line.startswith("1 row holds values more than 10 robust")
    assert "row 17, 'g3'" in line


def test_piles_of_one_value(frame):
    values = frame.to_numpy().copy()
    values[values < -0.6] = -0.6
    assert any(line.startswith("one value fills many rows") for line in advice(values))


def test_a_column_that_counts_rows(frame):
    found = advice(frame.assign(id=np.arange(N)))
    assert any("counts the rows: leave it out with --exclude id" in line for line in found)


def test_conditions_that_disagree_about_correlations():
    rng = np.random.default_rng(3)
    labels = np.repeat(["a", "b", "c", "d"], 300)
    alike = rng.normal(size=(1200, 8))
    assert effective_rows(Dataset.from_array(alike, conditions=labels))[0] > 500
    mixed = np.vstack(
        [rng.normal(size=(300, 8)) @ (np.eye(8) + 0.4 * rng.normal(size=(8, 8))) for _ in range(4)]
    )
    found = Dataset.from_array(mixed, conditions=labels)
    assert effective_rows(found)[0] < 100
    assert any("disagree about correlations" in line for line in found.audit().advice)


def test_a_fit_says_no_more_than_five_lines(frame):
    rng = np.random.default_rng(4)
    batches = {f"batch{k}": rng.choice(["u", "v", "w"], N) for k in range(7)}
    shifted = frame.copy()
    for labels in batches.values():
        shifted += pd.DataFrame({"u": rng.normal(size=P) * 3, "v": 0, "w": 1})[labels].to_numpy().T
    found = audit(shifted.assign(**batches), exclude=list(batches))
    assert len(found.advice) > 5
    with pytest.warns(DataWarning) as caught:
        found.warn()
    assert len(caught) == 5
    assert "arcs audit prints them all" in str(caught[-1].message)
    assert str(found).count("advice:") == len(found.advice)


def test_dense_graphs_get_a_sentence_with_three_options():
    assert dense_sentence(20, 20, {}) is None
    text = dense_sentence(70, 20, {})
    assert "3.5 per variable" in text
    assert text.count("--") == 4  # the first option names two
    assert "--adjust" not in dense_sentence(70, 20, {"adjusted": True})


def test_a_thicket_is_remarked_upon():
    rng = np.random.default_rng(5)
    batch = rng.integers(6, size=400)
    values = rng.normal(size=(400, 15)) + 2 * rng.normal(size=(6, 15))[batch]
    with pytest.warns(DataWarning, match="per variable"):
        found = ARCS(random_state=0, patience=1).fit(values).result_
    assert "Try first" in found.audit["dense"]
