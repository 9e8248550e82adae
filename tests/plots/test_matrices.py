import numpy as np

from arcs.plots import plot_adjacency


def test_marks_stand_above_the_diagonal_in_the_learned_order(experimental):
    ax = plot_adjacency(experimental)
    order = experimental.order.nodes
    strengths = experimental.dag.standardised_coefficients()[np.ix_(order, order)]
    seen = np.zeros_like(strengths)
    for collection, sign in zip(ax.collections, (1, -1), strict=True):
        for column, row in np.asarray(collection.get_offsets()).astype(int):
            assert row < column
            seen[row, column] = sign
    np.testing.assert_array_equal(seen, np.sign(strengths))


def test_area_grows_with_strength(experimental):
    positive = plot_adjacency(experimental).collections[0]
    order = experimental.order.nodes
    strengths = experimental.dag.standardised_coefficients()[np.ix_(order, order)]
    columns, rows = np.asarray(positive.get_offsets()).astype(int).T
    ranks = np.argsort(strengths[rows, columns])
    assert (np.diff(positive.get_sizes()[ranks]) > 0).all()


def test_names_are_in_the_learned_order_and_intervened_ones_marked(experimental):
    ax = plot_adjacency(experimental)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert [label.removesuffix(" *") for label in labels] == list(experimental.order.named())
    marked = {label.removesuffix(" *") for label in labels if label.endswith(" *")}
    assert marked == {"PKC", "Mek", "Akt"}
