"""Missing values, constants, collinear columns, scales."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcs.data import Dataset
from arcs.errors import DataError, DataWarning
from arcs.learners import learner


# --------------------------------------------------------------------------- missing values
@pytest.fixture
def holes(chain):
    values = chain()
    values[3, 1], values[5, 1], values[7, 3] = np.nan, np.nan, np.inf
    return values


def test_missing_values_are_refused_by_column_and_count(
    run, through_learner, through_estimator, holes
):
    message = r"3 values in 2 of 4 columns: 'x1' \(2\), 'x3' \(1\) .*missing='drop'"
    with pytest.raises(DataError, match=message):
        through_learner(holes)
    frame = pd.DataFrame(holes, columns=list("abcd"))
    with pytest.raises(DataError, match=r"'b' \(2\), 'd' \(1\)"):
        through_estimator(frame)
    with pytest.raises(DataError, match=message):
        through_estimator(holes)
    code, text = run(holes)
    assert code == 1
    assert "missing in 2 columns: 'x1' (2), 'x3' (1)" in text
    assert "--missing drop, pairwise or em" in text
    assert not Path("out/result.json").exists()


@pytest.mark.parametrize("missing", ["drop", "pairwise", "em"])
def test_missing_values_on_request(
    fit, run, missing, chain, through_learner, saved, assert_sound, holes
):
    result = fit(holes, missing=missing)
    assert_sound(result)
    assert result.cpdag == through_learner(chain()).cpdag or missing == "drop"
    assert result.audit["missing"] == {"x1": 2, "x3": 1}
    assert result.audit["effective_n"] in (77, 78)
    code, _ = run(holes, "--missing", missing)
    assert code == 0
    assert saved().audit == fit(holes, missing=missing).audit
    code, text = run(holes, "--missing", "guess")
    assert code == 2
    assert "missing must be one of 'error', 'drop', 'pairwise', 'em', 'level'; got 'guess'" in text


# --------------------------------------------------------------------------- constants
@pytest.fixture
def flat(chain):
    values = chain()
    values[:, 2] = 3.25
    return values


def test_constant_columns(fit, run, saved, assert_sound, flat):
    with pytest.raises(DataError, match="1 column is constant: 'x2'"):
        fit(flat)
    code, text = run(flat)
    assert (code, "'x2'" in text, "--constant isolate" in text) == (1, True, True)
    code, _ = run(flat, "--constant", "isolate")
    assert code == 0
    for result in (fit(flat, constant="isolate"), saved()):
        assert_sound(result)
        assert result.n_edges >= 1
        assert not result.dag.adjacency[2].any()
        assert not result.dag.adjacency[:, 2].any()
        assert result.audit["constant"] == ["x2"]
        assert result.dag.intercepts[2] == pytest.approx(3.25)
        assert result.dag.noise_variances[2] < 1e-12


def test_constant_unless_intervened(fit, run, chain, assert_sound):
    values = chain()
    values[20:, 2] = 0.5
    targets = np.array([2] * 20 + [-1] * 60)
    message = "column 'x2' constant within the rows in which it is not intervened upon"
    with pytest.raises(DataError, match=message):
        fit(values, interventions=targets)
    frame = pd.DataFrame(values, columns=list("abcd")).assign(t=["c"] * 20 + [""] * 60)
    code, text = run(frame, "-i", "t")
    assert code == 1
    assert "column 'c' constant within the rows" in text
    result = fit(values, interventions=targets, constant="isolate")
    assert not result.dag.adjacency[:, 2].any()
    assert_sound(result)


def test_a_dropped_constant_is_isolated_for_every_learner(own_learner, assert_sound, flat):
    result = learner(own_learner, random_state=0).fit(Dataset.of(flat, constant="isolate"))
    assert_sound(result)
    assert not result.dag.adjacency[2].any()
    assert not result.dag.adjacency[:, 2].any()
    assert result.dag.adjacency[0, 1] or result.dag.adjacency[1, 0]


# --------------------------------------------------------------------------- collinear columns
@pytest.fixture
def copies(chain):
    values = chain()
    return np.column_stack([values, 5 - 3 * values[:, 0], values[:, 1] + values[:, 3]])


def test_copies_and_combinations(own_learner, assert_sound, copies):
    model = learner(own_learner, random_state=0)
    with pytest.warns(DataWarning) as caught:
        first = model.fit(copies)
    texts = [str(warning.message) for warning in caught]
    assert sum("{'x0', 'x4'} are copies of each other" in text for text in texts) == 1
    assert sum("{'x1', 'x3', 'x5'} are exactly collinear" in text for text in texts) == 1
    assert_sound(first)
    assert first.n_edges > 0
    assert np.abs(first.dag.coefficients).max() < 1e3
    with pytest.warns(DataWarning):
        again = model.fit(copies)
    assert np.array_equal(first.dag.coefficients, again.dag.coefficients)


def test_copies_on_the_command_line(run, saved, copies):
    code, text = run(copies)
    assert code == 0
    assert "note: {'x0', 'x4'} are copies" in text
    assert saved().audit["collinear"] == [["x1", "x3", "x5"]]


# --------------------------------------------------------------------------- scales
def test_scales_do_not_matter(unitless_learner, chain, assert_sound):
    values = chain(100, 5, seed=3)
    model = learner(unitless_learner, random_state=0)
    plain = model.fit(values)
    exact = 2.0 ** np.array([-40, 40, 0, -20, 20])  # 1e-12 to 1e12, without rounding
    scaled = model.fit(values * exact)
    assert np.array_equal(plain.dag.adjacency, scaled.dag.adjacency)
    expected = plain.dag.coefficients * exact / exact[:, None]
    np.testing.assert_allclose(scaled.dag.coefficients, expected, rtol=1e-9)
    # Rounding may break ties between equivalent graphs, and nothing else.
    rounded = model.fit(values * [1e-12, 1e12, 1.0, 1e-6, 1e6])
    assert_sound(rounded)
    assert rounded.cpdag == plain.cpdag


def test_units_of_listen(chain, assert_sound):
    assert_sound(learner("listen").fit(chain() * [1e-12, 1e12, 1.0, 1e-6]))


def test_scales_on_the_command_line(run, chain, saved):
    values = chain(100, 5, seed=3)
    run(values)
    plain = saved()
    code, _ = run(values * [1e-12, 1e12, 1.0, 1e-6, 1e6])
    assert code == 0
    assert saved().cpdag == plain.cpdag
