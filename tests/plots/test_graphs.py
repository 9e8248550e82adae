import matplotlib
import matplotlib.pyplot
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, FancyBboxPatch, PathPatch, Polygon

from arcs.errors import DataError, GraphError
from arcs.graphs import GaussianDag, Pdag
from arcs.metrics import evaluate
from arcs.plots import edge_kinds, plot_comparison, plot_cpdag, plot_dag
from arcs.plots.style import NEGATIVE, POSITIVE
from arcs.simulate import random_dag


def lines(ax):
    return [patch for patch in ax.patches if isinstance(patch, PathPatch)]


def heads(ax):
    return [patch for patch in ax.patches if type(patch) is Polygon]


def test_dag_has_a_line_and_a_head_for_every_edge(experimental):
    ax = plot_dag(experimental)
    assert len(lines(ax)) == len(heads(ax)) == experimental.n_edges
    assert {text.get_text() for text in ax.texts} == set(experimental.names)


def test_heads_are_hollow_where_the_direction_is_open(experimental):
    ax = plot_dag(experimental)
    hollow = [
        head for head in heads(ax) if matplotlib.colors.to_hex(head.get_facecolor()) == "#ffffff"
    ]
    assert 0 < len(hollow) == np.triu(experimental.cpdag.undirected).sum() < experimental.n_edges
    assert "direction open" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_width_is_strength_and_sign_is_colour_and_style(experimental):
    strengths = sorted(experimental.edge_table()["standardised"], key=abs)
    drawn = lines(plot_dag(experimental))
    widths = [line.get_linewidth() for line in drawn]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]
    for strength, line in zip(strengths, drawn, strict=True):
        style = POSITIVE if strength > 0 else NEGATIVE
        assert matplotlib.colors.to_hex(line.get_edgecolor()).upper() == style.colour
        assert (line.get_linestyle() == "-") == (strength > 0)
    assert {strength > 0 for strength in strengths} == {True, False}


def test_intervened_nodes_are_boxes(experimental, observational):
    patches = plot_dag(experimental).patches
    assert sum(isinstance(patch, FancyBboxPatch) for patch in patches) == 3
    assert sum(isinstance(patch, Ellipse) for patch in patches) == 8
    assert not any(isinstance(patch, FancyBboxPatch) for patch in plot_dag(observational).patches)


def test_weak_edges_can_be_left_out(experimental):
    strengths = sorted(map(abs, experimental.edge_table()["standardised"]))
    ax = plot_dag(experimental, min_strength=strengths[5])
    assert len(lines(ax)) == experimental.n_edges - 5


def test_given_axes_are_used_and_nothing_is_shown(experimental, monkeypatch):
    monkeypatch.setattr(matplotlib.pyplot, "show", lambda *a, **k: pytest.fail("show was called"))
    before = matplotlib.pyplot.get_fignums()
    small, large = (Figure(figsize=size).add_subplot() for size in ((2, 2), (12, 12)))
    assert plot_dag(experimental, small) is small
    plot_dag(experimental, large)
    assert small.texts[0].get_fontsize() < large.texts[0].get_fontsize()
    plot_dag(experimental)
    assert matplotlib.pyplot.get_fignums() == before


def test_names_are_not_formulas(tmp_path):
    dag = GaussianDag([[0, 1.0], [0, 0]], [1, 1], [r"$\frac", "<b>_x^2$"])
    ax = plot_comparison(dag, dag)
    ax.figure.savefig(tmp_path / "names.svg")
    assert {text.get_text() for text in ax.texts} == set(dag.names)


def test_cpdag_has_heads_only_where_the_direction_is_known(observational):
    ax = plot_cpdag(observational)
    assert observational.cpdag.undirected_edges()
    assert len(lines(ax)) == observational.cpdag.n_edges
    assert len(heads(ax)) == len(observational.cpdag.directed_edges())


def test_cpdag_that_is_no_completion_of_the_dag_is_drawn_as_it_is(observational):
    p = len(observational.names)
    other = Pdag(np.zeros((p, p)), np.eye(p, k=1) + np.eye(p, k=-1), observational.names)
    ax = plot_cpdag(observational.with_(cpdag=other))
    assert len(lines(ax)) == p - 1
    assert not heads(ax)


@pytest.mark.parametrize("experimental_rule", [True, False])
@pytest.mark.parametrize("seed", range(15))
def test_kinds_of_edges_are_those_that_the_metrics_count(seed, experimental_rule):
    rng = np.random.default_rng(seed)
    names = [f"n{k}" for k in range(7)]
    found = GaussianDag.from_adjacency(random_dag(7, 9, rng), names)
    true = GaussianDag.from_adjacency(random_dag(7, 9, rng), names).relabel(rng.permutation(7))
    kinds = list(edge_kinds(found, true, experimental=experimental_rule).values())
    counts = evaluate(found, true, experimental_rule)
    assert kinds.count("correct") == counts.TP
    assert kinds.count("reversed") == counts.R
    assert kinds.count("extra") == counts.FP
    assert kinds.count("missing") == counts.M


def test_comparison_draws_all_kinds(experimental):
    truth = GaussianDag.from_adjacency(experimental.dag.adjacency.T, experimental.names)
    ax = plot_comparison(experimental, truth)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "reversed (17)" in labels
    assert "correct (0)" in labels
    assert "intervened upon" in labels


def test_comparison_refuses_other_nodes_and_open_truths(observational):
    with pytest.raises(DataError, match="different nodes"):
        plot_comparison(observational, GaussianDag.from_adjacency(np.zeros((8, 8))))
    with pytest.raises(GraphError, match="must be a DAG"):
        plot_comparison(observational, observational.cpdag)
