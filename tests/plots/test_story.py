"""The picture of the demo."""

import numpy as np
import pytest

from arcs import learner
from arcs.data import Dataset
from arcs.graphs import Pdag
from arcs.plots.story import Story, condition_means, plot_condition_means, plot_story


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    labels = np.repeat(["$control$", "drug"], 40)
    values = rng.normal(size=(80, 3))
    values[40:] += [0, 3, 0]
    return Dataset.from_array(values, ["a", "b", "c"], conditions=labels)


def test_means_are_measured_in_deviations_within_conditions(data):
    means, shares = condition_means(data)
    gap = means[1] - means[0]
    assert gap[1] == pytest.approx(3, abs=0.7)
    within = np.stack([data.values[:40].var(axis=0), data.values[40:].var(axis=0)]).mean(axis=0)
    np.testing.assert_allclose(shares, 1 - within / data.values.var(axis=0))


def test_names_are_not_formulas(data):
    ax = plot_condition_means(data)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["$control$", "drug"]
    assert not any(text.get_parse_math() for text in ax.get_yticklabels())
    ax.figure.canvas.draw()


def test_the_story_has_three_panels(data):
    found = learner("hc").fit(data)
    ignored = learner("hc").fit(data.with_conditions(None))
    empty = np.zeros((3, 3), dtype=bool)
    directed = empty.copy()
    directed[0, 1] = True
    figure = plot_story(
        Story(data, ignored, found, Pdag(directed, empty, data.names), "T", "S", "C")
    )
    figure.canvas.draw()
    texts = [text.get_text() for text in figure.texts]
    assert {"T", "S", "C"} <= set(texts)
    assert any(f"{found.n_edges} edges" in text for text in texts)
    assert len(figure.axes) == 4  # with the scale of colours
