"""The picture of the demo."""

import numpy as np
import pytest

from arcs import learner
from arcs.data import Dataset
from arcs.graphs import Pdag
from arcs.plots.layout import layout_graph
from arcs.plots.story import (
    Story,
    condition_means,
    label_places,
    plot_condition_means,
    plot_story,
)


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


def test_labels_of_edges_touch_neither_nodes_nor_each_other():
    """a -> b -> c beside a -> c, whose middle lies at the node between: as in the demo."""
    graph = np.zeros((5, 5), dtype=bool)
    graph[[0, 1, 0, 3, 3], [1, 2, 2, 4, 2]] = True
    layout = layout_graph(graph, ["pip3", "plcg", "pip2", "pkc", "jnk"], boxed=[2, 3])
    places = label_places(layout, np.argwhere(graph))
    assert set(places) == {tuple(edge) for edge in np.argwhere(graph).tolist()}
    label = np.array([14.0, 7.0])
    for edge, point in places.items():
        assert (np.abs(point - layout.positions) >= layout.sizes / 2 + label).any(axis=1).all()
        others = np.array([other for name, other in places.items() if name != edge])
        assert (np.abs(point - others) >= 2 * label).any(axis=1).all()


def test_the_label_of_a_single_edge_stands_in_its_middle():
    graph = np.array([[0, 1], [0, 0]], dtype=bool)
    layout = layout_graph(graph, ["a", "b"])
    (place,) = label_places(layout, np.argwhere(graph)).values()
    np.testing.assert_allclose(place, layout.positions.mean(axis=0), atol=5)
