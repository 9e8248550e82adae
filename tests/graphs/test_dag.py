import itertools
import pickle

import networkx as nx
import numpy as np
import pytest

from arcs.errors import GraphError
from arcs.graphs import GaussianDag


@pytest.fixture
def diamond():
    """a -> b -> d, a -> c -> d, with known numbers."""
    coefficients = np.zeros((4, 4))
    coefficients[0, 1], coefficients[0, 2] = 2.0, -1.0
    coefficients[1, 3], coefficients[2, 3] = 0.5, 3.0
    return GaussianDag(coefficients, [1, 2, 3, 4], list("abcd"), intercepts=[1, 0, 0, -1])


def test_structure_of_a_diamond(diamond):
    assert diamond.n_edges == 4
    assert diamond.edges() == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert diamond.named_edges()[-1] == ("c", "d")
    assert diamond.parents("d") == ["b", "c"]
    assert diamond.parents(3).tolist() == [1, 2]
    assert diamond.children(0).tolist() == [1, 2]
    assert diamond.ancestors("d") == ["a", "b", "c"]
    assert diamond.descendants("b") == ["d"]
    assert diamond.markov_blanket("b") == ["a", "c", "d"]
    assert list(diamond.order()) == [0, 1, 2, 3]
    assert diamond.cpdag().directed_edges() == [(1, 3), (2, 3)]
    assert diamond.interventional_cpdag([[], ["a"]]).directed_edges() == diamond.edges()


def test_moments_of_a_diamond_by_hand(diamond):
    assert diamond.total_effect("a", "d") == pytest.approx(2 * 0.5 - 1 * 3)
    assert diamond.total_effect("d", "a") == 0.0
    assert diamond.total_effect("a", "a") == 1.0
    np.testing.assert_allclose(diamond.mean(), [1, 2, -1, -1 + 1 - 3])
    variance_d = (-2) ** 2 * 1 + 0.5**2 * 2 + 3**2 * 3 + 4
    assert diamond.covariance()[3, 3] == pytest.approx(variance_d)


def test_order_takes_the_smallest_index_first():
    dag = GaussianDag.from_adjacency([[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]])
    assert list(dag.order()) == [1, 0, 3, 2]


@pytest.mark.parametrize("seed", range(5))
def test_covariance_and_effects_equal_dense_formulas(seed, random_model):
    model = random_model(np.random.default_rng(seed), 12, 30)
    inverse = np.linalg.inv(np.eye(12) - model.coefficients)
    np.testing.assert_allclose(model.total_effects(), inverse, atol=1e-10)
    covariance = inverse.T @ np.diag(model.noise_variances) @ inverse
    np.testing.assert_allclose(model.covariance(), covariance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.mean(), model.intercepts @ inverse, atol=1e-10)
    for i, j in [(0, 5), (3, 3), (11, 2), (7, 8)]:
        assert model.total_effect(i, j) == pytest.approx(inverse[i, j], abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_order_and_relations_equal_networkx(seed, random_dag):
    adjacency = random_dag(np.random.default_rng(seed), 15, 25)
    dag = GaussianDag.from_adjacency(adjacency)
    graph = nx.from_numpy_array(adjacency.astype(int), create_using=nx.DiGraph)
    assert list(dag.order()) == list(nx.lexicographical_topological_sort(graph))
    assert dag.order().admits(adjacency)
    for node in range(15):
        assert set(dag.ancestors(node).tolist()) == nx.ancestors(graph, node)
        assert set(dag.descendants(node).tolist()) == nx.descendants(graph, node)
        others = [n for n in range(15) if n != node]
        blanket = set(dag.markov_blanket(node).tolist())
        outside = [n for n in others if n not in blanket]
        assert not outside or dag.is_d_separated(node, outside, blanket)
        for member in blanket:
            assert not dag.is_d_separated(node, member, blanket - {member})


def test_d_separation_is_zero_partial_covariance(random_model, rng):
    model = random_model(rng, 6, 7)
    covariance = model.covariance()
    for i, j in itertools.combinations(range(6), 2):
        for k in [n for n in range(6) if n not in (i, j)]:
            block = np.linalg.inv(covariance[np.ix_([i, j, k], [i, j, k])])
            assert model.is_d_separated(i, j, k) == (abs(block[0, 1]) < 1e-9)


def test_d_separation_refuses_overlapping_sets(diamond):
    assert diamond.is_d_separated("b", "c", ["a"])
    assert not diamond.is_d_separated("b", "c", ["a", "d"])
    with pytest.raises(GraphError, match="disjoint"):
        diamond.is_d_separated("b", "c", ["b"])
    with pytest.raises(GraphError, match="at least one"):
        diamond.is_d_separated([], "c")


def test_samples_have_the_implied_moments(diamond):
    data = diamond.sample(200_000, random_state=1)
    assert data.shape == (200_000, 4)
    np.testing.assert_allclose(data.mean(axis=0), diamond.mean(), atol=0.06)
    np.testing.assert_allclose(np.cov(data.T), diamond.covariance(), atol=0.35)
    np.testing.assert_array_equal(data[:10], diamond.sample(200_000, 1)[:10])


def test_samples_under_interventions_follow_do(diamond):
    change = {"b": 5.0, 2: (1.0, 0.5)}
    truth = diamond.do(change)
    data = diamond.sample(200_000, 7, change)
    assert (data[:, 1] == 5.0).all()
    np.testing.assert_allclose(data.mean(axis=0), truth.mean, atol=0.05)
    np.testing.assert_allclose(np.cov(data.T), truth.covariance, atol=0.1)
    assert truth.mean.tolist() == [1.0, 5.0, 1.0, -1 + 2.5 + 3]
    assert truth.covariance[0, 2] == truth.covariance[0, 3] == truth.covariance[1, 1] == 0.0
    assert truth.covariance[2, 2] == 0.25


def test_intervening_on_a_sink_leaves_the_rest_alone(diamond):
    plain = diamond.sample(50, 3)
    changed = diamond.sample(50, 3, {"d": lambda rng, n: rng.uniform(10, 11, n)})
    np.testing.assert_array_equal(plain[:, :3], changed[:, :3])
    assert ((changed[:, 3] >= 10) & (changed[:, 3] <= 11)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"z": 1.0}, "no node named 'z'"),
        ({"a": np.nan}, "'a' must be a finite value"),
        ({"a": (0.0, -1.0)}, "'a' has the negative sd -1"),
        ({"a": (0.0, 1.0, 2.0)}, "'a' must be"),
        ({"a": "high"}, "'a' must be"),
        ({"a": 1.0, 0: 2.0}, "'a' is intervened upon twice"),
        ({"a": lambda rng, n: np.zeros(n + 1)}, "shape"),
    ],
)
def test_bad_interventions_are_refused(diamond, change, message):
    with pytest.raises(GraphError, match=message):
        diamond.sample(5, 0, change)


def test_do_cannot_use_functions(diamond):
    with pytest.raises(GraphError, match="sample"):
        diamond.do({"a": lambda rng, n: np.zeros(n)})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [1, 1, 1], list("abc")), "a -> b -> c -> a"),
        (([[1.0]], [1], ["me"]), "me -> me"),
        (([[0, np.nan], [0, 0]], [1, 1]), r"coefficients has 1 .* first at \[0, 1\]"),
        (([[0, np.inf], [0, 0]], [1, 1]), "not finite"),
        (([[0, 1], [0, 0]], [1, 0], ["a", "b"]), "1 are not, the first is 0 of 'b'"),
        (([[0, 1], [0, 0]], [1, np.nan]), "noise_variances"),
        (([[0, 1], [0, 0]], [1]), r"shape \(2,\)"),
        (([[0, 1]], [1]), "square"),
        (([["x", "y"], ["z", "w"]], [1, 1]), "must be numbers"),
        (([[0, 1], [0, 0]], [1, 1], ["a", "a"]), "distinct"),
    ],
)
def test_refuses_bad_models(arguments, message):
    with pytest.raises(GraphError, match=message):
        GaussianDag(*arguments)


def test_finds_the_cycle_inside_a_large_graph(random_dag, rng):
    adjacency = random_dag(rng, 60, 150)
    order = list(GaussianDag.from_adjacency(adjacency).order())
    path = nx.shortest_path(
        nx.from_numpy_array(adjacency.astype(int), create_using=nx.DiGraph),
        *next(
            (i, j) for i in order for j in reversed(order) if i != j and _joined(adjacency, i, j)
        ),
    )
    adjacency[path[-1], path[0]] = True
    with pytest.raises(GraphError, match="directed cycle") as error:
        GaussianDag.from_adjacency(adjacency, [f"n{i}" for i in range(60)])
    named = str(error.value).split(": ")[1].split(" -> ")
    nodes = [int(name[1:]) for name in named]
    assert nodes[0] == nodes[-1]
    assert all(adjacency[i, j] for i, j in itertools.pairwise(nodes))


def _joined(adjacency, i, j):
    return j in GaussianDag.from_adjacency(adjacency).descendants(i)


def test_standard_errors_are_kept_on_edges_only():
    dag = GaussianDag([[0, 1], [0, 0]], [1, 1], standard_errors=[[9, 0.1], [9, 9]])
    assert dag.standard_errors.tolist() == [[0, 0.1], [0, 0]]
    assert GaussianDag([[0, 1], [0, 0]], [1, 1]).standard_errors is None
    with pytest.raises(GraphError, match="standard errors"):
        GaussianDag([[0, 1], [0, 0]], [1, 1], standard_errors=[[0, -1], [0, 0]])
    with pytest.raises(GraphError, match="shape"):
        GaussianDag([[0, 1], [0, 0]], [1, 1], standard_errors=[0, 1])


def test_standard_errors_of_edges_alone_are_listed_as_the_edges_are(rng):
    adjacency = np.triu(rng.random((6, 6)) < 0.6, 1)
    errors = np.where(adjacency, rng.random((6, 6)), 0.0)
    whole = GaussianDag(adjacency.astype(float), np.ones(6), standard_errors=errors)
    listed = GaussianDag(
        adjacency.astype(float),
        np.ones(6),
        standard_errors=[errors[i, j] for i, j in whole.edges()],
    )
    assert listed == whole
    np.testing.assert_array_equal(listed.standard_errors, errors)
    assert not listed.standard_errors.flags.writeable


def test_an_array_is_copied_unless_it_was_given_up():
    coefficients = np.array([[0.0, 0.5], [0.0, 0.0]])
    dag = GaussianDag(coefficients, [1, 1])
    coefficients[0, 1] = 7.0
    assert dag.coefficients[0, 1] == 0.5
    view = coefficients[:]
    view.flags.writeable = False  # of an array that can still be written to
    assert not np.shares_memory(GaussianDag(view, [1, 1]).coefficients, coefficients)
    coefficients.flags.writeable = False
    assert GaussianDag(coefficients, [1, 1]).coefficients is coefficients


def test_is_immutable(diamond):
    for dag in (diamond, pickle.loads(pickle.dumps(diamond))):  # noqa: S301
        assert dag == diamond
        for array in (dag.coefficients, dag.noise_variances, dag.intercepts, dag.adjacency):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1
        with pytest.raises(AttributeError):
            dag.names = ("x",)


def test_does_not_alias_the_input():
    coefficients = np.array([[0.0, 1.0], [0.0, 0.0]])
    dag = GaussianDag(coefficients, [1, 1])
    coefficients[1, 0] = 1.0
    assert dag.edges() == [(0, 1)]


def test_equality(diamond, random_model, rng):
    model = random_model(rng, 5, 6)
    assert model == model.relabel(range(5))
    assert hash(model) == hash(model.relabel(range(5)))
    assert model != diamond
    plain = GaussianDag(model.coefficients, model.noise_variances, intercepts=model.intercepts)
    assert model != plain
    assert (model == "model") is False


def test_relabelling_permutes_everything(random_model, rng):
    model = random_model(rng, 7, 10)
    permutation = rng.permutation(7)
    turned = model.relabel(permutation)
    grid = np.ix_(permutation, permutation)
    np.testing.assert_allclose(turned.covariance(), model.covariance()[grid])
    np.testing.assert_allclose(turned.mean(), model.mean()[permutation])
    assert turned.names == tuple(model.names[i] for i in permutation)
    assert turned.relabel(np.argsort(permutation)) == model
    with pytest.raises(GraphError, match="permutation"):
        model.relabel([0, 1])


def test_rescaling_gives_the_model_of_scaled_variables(random_model, rng):
    model = random_model(rng, 7, 10)
    unit = model.rescaled(1 / np.sqrt(np.diag(model.covariance())))
    np.testing.assert_allclose(np.diag(unit.covariance()), 1.0)
    scales = rng.uniform(0.5, 3, 7)
    scaled = model.rescaled(scales)
    np.testing.assert_allclose(scaled.covariance(), model.covariance() * np.outer(scales, scales))
    np.testing.assert_allclose(scaled.mean(), model.mean() * scales)
    with pytest.raises(GraphError, match="'x1' is -1"):
        model.rescaled([1, -1, 1, 1, 1, 1, 1])


def test_nodes_are_checked(diamond):
    for bad in (4, -1):
        with pytest.raises(GraphError, match="numbered 0 to 3"):
            diamond.parents(bad)
    with pytest.raises(GraphError, match="index or a name"):
        diamond.parents(1.5)
    with pytest.raises(GraphError, match="no node named 'e'; the nodes are 'a', 'b'"):
        diamond.parents("e")
    with pytest.raises(GraphError, match="negative"):
        diamond.sample(-1)


def test_an_empty_graph_works():
    dag = GaussianDag(np.zeros((0, 0)), [])
    assert dag.sample(3, 0).shape == (3, 0)
    assert dag.cpdag().n_edges == 0
    assert dag.covariance().shape == (0, 0)


def test_nodes_length_and_membership(diamond):
    assert diamond.nodes == diamond.names == tuple(diamond) == ("a", "b", "c", "d")
    assert len(diamond) == 4
    assert "a" in diamond
    assert 3 in diamond
    assert "e" not in diamond
    assert 4 not in diamond
    assert -1 not in diamond
    assert None not in diamond


def test_total_effects_have_names(diamond):
    effects = diamond.total_effects()
    for i, source in enumerate(diamond.nodes):
        for target in diamond.nodes:
            assert effects[source, target] == pytest.approx(diamond.total_effect(i, target))


def test_notebooks_show_the_edges():
    page = GaussianDag([[0, 0.5], [0, 0]], [1, 1], ["<rain>", "wet"])._repr_html_()
    assert "2 nodes, 1 edges" in page
    assert "&lt;rain&gt;" in page
    assert "<rain>" not in page
    assert "0.5" in page


def test_standardised_coefficients_do_not_depend_on_units():
    dag = GaussianDag([[0, 2.0, 1.0], [0, 0, -0.5], [0, 0, 0]], [1.0, 2.0, 0.5])
    rescaled = dag.rescaled([10.0, 0.1, 3.0])
    np.testing.assert_allclose(
        dag.standardised_coefficients(), rescaled.standardised_coefficients()
    )


def test_standardised_coefficient_of_a_single_edge_is_the_correlation():
    dag = GaussianDag([[0, 2.0], [0, 0]], [1.0, 5.0])
    covariance = dag.covariance()
    correlation = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert dag.standardised_coefficients()[0, 1] == pytest.approx(correlation)
