"""Targets of interventions."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcs.errors import DataError, DataWarning
from arcs.learners import learner


def test_wrong_targets(fit, run, chain):
    frame = pd.DataFrame(chain(), columns=["alpha", "beta", "gamma", "delta"])
    labels = ["alpha"] * 40 + ["betta"] * 40
    with pytest.raises(DataError, match=r"'betta', in 40 rows, .* did you mean 'beta'"):
        fit(frame, interventions=labels)
    code, text = run(frame.assign(t=labels), "-i", "t")
    assert (code, "did you mean 'beta'" in text, "--drop-unmeasured" in text) == (1, True, True)
    with pytest.raises(DataError, match="range from 0 to 9, but the columns are numbered 0 to 3"):
        fit(chain(), interventions=[0, 9] * 40)
    with pytest.raises(DataError, match="describe 79 rows, the data have 80"):
        fit(frame, interventions=["alpha"] * 79)
    with pytest.raises(DataError, match=r"rows x 4 columns, got shape \(80, 3\)"):
        fit(frame, interventions=np.zeros((80, 3)))
    with pytest.raises(DataError, match="320 entries do not, the first in row 0"):
        fit(frame, interventions=np.full((80, 4), 0.5))
    with pytest.raises(DataError, match="control label 'c' does not occur; the labels are: 'alph"):
        fit(frame, interventions=["alpha"] * 80, control="c")
    code, text = run(frame.assign(t="alpha"), "-i", "t", "--control", "c")
    assert (code, "the labels are: 'alpha'" in text) == (1, True)


def test_unmeasured_targets_are_counted(fit, run, chain, saved):
    frame = pd.DataFrame(chain(), columns=list("abcd")).assign(t=["a"] * 20 + ["zz"] * 60)
    result = fit(frame, interventions="t", unmeasured="drop")
    assert result.audit["unmeasured"] == {"zz": 60}
    code, _ = run(frame, "-i", "t", "--drop-unmeasured")
    assert code == 0
    assert saved().audit["unmeasured"] == {"zz": 60}


@pytest.mark.parametrize("spared", [0, 2])
def test_a_variable_that_is_always_set_has_no_parents(
    experimental_learner, spared, chain, assert_sound
):
    mask = np.zeros((80, 4))
    mask[spared:, 1] = 1
    with pytest.warns(DataWarning, match="'x1' was intervened upon in .* no edge into it"):
        result = learner(experimental_learner, random_state=0).fit(chain(), interventions=mask)
    assert_sound(result)
    assert not result.dag.adjacency[:, 1].any()
    assert not (result.cpdag.undirected[1] | result.cpdag.directed[:, 1]).any()


def test_always_set_on_the_command_line(run, chain, saved):
    frame = pd.DataFrame(chain(), columns=list("abcd")).assign(t="b")
    code, text = run(frame, "-i", "t")
    assert code == 0
    assert "note: 'b' was intervened upon" in text
    assert not saved().dag.adjacency[:, 1].any()


def test_everything_always_set(chain, through_learner, assert_sound):
    with pytest.warns(DataWarning, match="'x0', 'x1', 'x2', 'x3' was intervened"):
        result = through_learner(chain(), interventions=np.ones((80, 4)))
    assert result.n_edges == 0
    assert_sound(result)


# --------------------------------------------------------------------------- missing values
def experiment_with_holes(values):
    """Half of the rows from an experiment on b; holes in three rows, one of them there."""
    frame = pd.DataFrame(values, columns=list("abcd")).assign(t=[""] * 40 + ["b"] * 40)
    frame.loc[[3, 5, 70], "c"] = [np.nan, np.inf, np.nan]
    return frame


def test_rows_with_holes_are_dropped_with_their_interventions(fit, run, chain, saved):
    frame = experiment_with_holes(chain())
    whole = frame.drop(index=[3, 5, 70])
    result, expected = fit(frame, interventions="t", missing="drop"), fit(whole, interventions="t")
    assert result.n_rows == 77
    assert result.audit["intervened"] == {"b": 39}
    assert result.audit["rows_dropped"] == 3
    np.testing.assert_array_equal(result.dag.coefficients, expected.dag.coefficients)
    assert result.cpdag == expected.cpdag
    code, _ = run(frame, "-i", "t", "--missing", "drop")
    assert code == 0
    assert saved().audit["intervened"] == {"b": 39}


@pytest.mark.parametrize("missing", ["pairwise", "em"])
def test_one_covariance_cannot_stand_for_several_regimes(fit, run, chain, missing):
    frame = experiment_with_holes(chain())
    message = f"missing='{missing}' takes all rows to follow one distribution, which interventions "
    remedy = "use {}, which keeps 77 of 80 rows"
    with pytest.raises(DataError, match=message) as caught:
        fit(frame, interventions="t", missing=missing)
    assert remedy.format("missing='drop'") in str(caught.value)
    code, text = run(frame, "-i", "t", "--missing", missing)
    assert code == 1
    assert remedy.format("--missing drop") in text
    assert not Path("out/result.json").exists()
