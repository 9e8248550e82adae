"""Results in words."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.learners import learner
from arcs.summary import in_two_sentences, listed


@pytest.fixture(scope="module")
def chain():
    rng = np.random.default_rng(0)
    y = rng.normal(size=300)
    x = -2 * y + rng.normal(size=300)
    values = np.column_stack([x, y, rng.normal(size=300)])
    return learner("hc").fit(values, interventions=[""] * 200 + ["x1"] * 100)


def test_two_sentences(chain):
    text = in_two_sentences(chain)
    assert text == (
        "In 300 rows of 3 variables (1 of them set in experiments), hc found 1 direct link; the "
        "data tell the direction of all of them. The only one is x1 → x0 (negative); without any "
        "link: x2."
    )


def test_no_link():
    values = np.random.default_rng(0).normal(size=(50, 2))
    text = in_two_sentences(learner("hc", penalty=20.0).fit(values))
    assert "found no link between any two variables" in text


def test_a_summary_is_for_people(chain):
    text = chain.summary()
    assert max(map(len, text.splitlines())) < 80
    assert f"BIC {chain.bic:,.1f} (larger is better)" in text
    assert text.count("x1 → x0") == 2
    for word in ("nats", "kind", "l0", "lam", "final_level"):
        assert word not in text


def test_long_and_strange_names():
    names = ["a" * 200, "b\x1b[31m"]
    assert "\x1b" not in listed(names)
    assert len(listed(names)) < 40
    assert listed([str(i) for i in range(10)], 3) == "0, 1, 2 and 7 more"


def test_rows_that_were_left_out_are_told():
    values = np.random.default_rng(0).normal(size=(40, 3))
    values[:4, 1] = np.nan
    told = learner("hc").fit(Dataset.of(values, missing="drop")).summary()
    assert "4 of 40, with missing values, were left out" in told
    assert "left out" not in learner("hc").fit(Dataset.of(values[4:])).summary()
