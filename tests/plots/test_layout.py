import importlib.util

import numpy as np
import pytest

from arcs.errors import MissingDependencyError, SettingsError
from arcs.plots.layout import layout_graph, shown_name
from arcs.simulate import network, random_dag

ENGINES = ["layered", "dot", "neato", "fdp"]


def overlaps(layout):
    """Number of pairs of node boxes that overlap."""
    gap = np.abs(layout.positions[:, None] - layout.positions[None])
    room = (layout.sizes[:, None] + layout.sizes[None]) / 2
    return int(((gap < room - 0.5).all(axis=2)).sum() - len(layout.sizes)) // 2


@pytest.mark.parametrize("engine", ENGINES)
def test_nodes_do_not_overlap_and_everything_is_inside(engine):
    net = network("alarm")
    layout = layout_graph(net.adjacency, net.names, engine=engine)
    assert overlaps(layout) == 0
    assert set(layout.paths) == {tuple(e) for e in np.argwhere(net.adjacency).tolist()}
    for points in (layout.positions, *layout.paths.values()):
        assert (points >= 0).all()
        assert (points <= [layout.width, layout.height]).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_paths_run_from_the_border_of_the_source_to_that_of_the_target(engine):
    adjacency = random_dag(15, 25, 0)
    layout = layout_graph(adjacency, [f"n{k}" for k in range(15)], engine=engine, boxed=[0, 1])
    for (i, j), path in layout.paths.items():
        assert len(path) % 3 == 1
        for node, end in ((i, path[0]), (j, path[-1])):
            offset = np.abs(end - layout.positions[node]) / (layout.sizes[node] / 2)
            reach = offset.max() if node in (0, 1) else np.hypot(*offset)
            assert reach == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("engine", ["layered", "dot"])
def test_layers_put_causes_above_effects(engine):
    adjacency = random_dag(20, 30, 3)
    layout = layout_graph(adjacency, [f"n{k}" for k in range(20)], engine=engine)
    for i, j in np.argwhere(adjacency):
        assert layout.positions[i, 1] > layout.positions[j, 1]


def test_large_graphs_have_the_shape_of_a_page():
    net = network("andes")
    layout = layout_graph(net.adjacency, net.names)
    assert overlaps(layout) == 0
    assert 0.4 < layout.width / layout.height < 2.5


@pytest.mark.parametrize("engine", ["layered", "dot"])
def test_graphs_with_cycles_can_be_drawn(engine):
    adjacency = np.roll(np.eye(4, dtype=bool), 1, axis=1)
    layout = layout_graph(adjacency, list("abcd"), engine=engine)
    assert overlaps(layout) == 0
    assert len(layout.paths) == 4


@pytest.mark.parametrize("p", [0, 1, 9])
def test_nodes_without_edges_stand_in_rows(p):
    layout = layout_graph(np.zeros((p, p), dtype=bool), [f"n{k}" for k in range(p)])
    assert layout.positions.shape == (p, 2)
    assert overlaps(layout) == 0
    assert layout.width > 0


def test_the_layout_is_the_same_every_time():
    net = network("alarm")
    first, second = (layout_graph(net.adjacency, net.names, engine="neato") for _ in range(2))
    np.testing.assert_array_equal(first.positions, second.positions)


def test_without_graphviz_layers_take_over(monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pygraphviz" else real(name)
    )
    net = network("asia")
    automatic = layout_graph(net.adjacency, net.names)
    plain = layout_graph(net.adjacency, net.names, engine="layered")
    np.testing.assert_array_equal(automatic.positions, plain.positions)


def test_a_missing_engine_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pygraphviz", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'arcs-bn\[viz\]'"):
        layout_graph(np.eye(2, k=1, dtype=bool), ["a", "b"], engine="dot")


def test_unknown_engine_is_refused():
    with pytest.raises(SettingsError, match="engine must be one of"):
        layout_graph(np.eye(2, k=1, dtype=bool), ["a", "b"], engine="circo")


def test_shown_names_are_short_and_printable():
    assert shown_name("raf") == "raf"
    assert shown_name("x\n\x00y") == "x  y"
    long = "a" * 30 + "END_OF_IT"
    assert len(shown_name(long)) == 24
    assert shown_name(long).endswith("D_OF_IT")
    assert shown_name("\n") == "?"
