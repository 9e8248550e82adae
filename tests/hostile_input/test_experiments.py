"""Targets of interventions."""

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
