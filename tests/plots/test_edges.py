import numpy as np
import pytest

from arcs.graphs import GaussianDag
from arcs.plots import edge_rows, intervened_nodes, standardised_coefficients


def test_standardised_coefficients_do_not_depend_on_units():
    dag = GaussianDag([[0, 2.0, 1.0], [0, 0, -0.5], [0, 0, 0]], [1.0, 2.0, 0.5])
    rescaled = dag.rescaled([10.0, 0.1, 3.0])
    np.testing.assert_allclose(standardised_coefficients(dag), standardised_coefficients(rescaled))


def test_standardised_coefficient_of_a_single_edge_is_the_correlation():
    dag = GaussianDag([[0, 2.0], [0, 0]], [1.0, 5.0])
    covariance = dag.covariance()
    correlation = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert standardised_coefficients(dag)[0, 1] == pytest.approx(correlation)


def test_rows_cover_all_edges_strongest_first(experimental):
    rows = edge_rows(experimental)
    assert sorted((r.source, r.target) for r in rows) == experimental.dag.edges()
    sizes = [abs(r.strength) for r in rows]
    assert sizes == sorted(sizes, reverse=True)
    for row in rows:
        assert row.coefficient == experimental.dag.coefficients[row.source, row.target]
        assert row.reversible == experimental.cpdag.undirected[row.source, row.target]
    assert any(r.reversible for r in rows) != all(r.reversible for r in rows)


def test_rows_carry_further_values(observational):
    p = len(observational.names)
    result = observational.with_(edge_values={"confidence": np.arange(p * p).reshape(p, p) / 64})
    for row in edge_rows(result):
        assert row.values["confidence"] == (row.source * p + row.target) / 64


def test_intervened_nodes(experimental, observational):
    names = [experimental.names[k] for k in intervened_nodes(experimental)]
    assert sorted(names) == ["Akt", "Mek", "PKC"]
    assert intervened_nodes(observational) == ()
