"""Maximum-likelihood coefficients of a given graph."""

import json

import numpy as np
import pytest

from arcs import ARCS, Knowledge, learner
from arcs.data import Dataset
from arcs.graphs.formats import graph_from_text, graph_to_text
from arcs.results import FitResult
from arcs.scores import fit_dag


def test_coefficients_and_errors_are_those_of_the_textbook(experiment):
    values, mask = experiment(80, 4, 0)
    adjacency = np.zeros((4, 4), dtype=bool)
    adjacency[[0, 1], 2] = adjacency[2, 3] = True
    fitted = fit_dag(adjacency, Dataset.of(values, interventions=mask).statistics()).dag
    for v in range(4):
        rows, parents = values[~mask[:, v]], np.flatnonzero(adjacency[:, v])
        design = np.column_stack([np.ones(len(rows)), rows[:, parents]])
        beta, *_ = np.linalg.lstsq(design, rows[:, v], rcond=None)
        residual = rows[:, v] - design @ beta
        spread = residual @ residual / (len(rows) - design.shape[1])
        errors = np.sqrt(spread * np.linalg.inv(design.T @ design).diagonal())
        np.testing.assert_allclose(fitted.coefficients[parents, v], beta[1:])
        np.testing.assert_allclose(fitted.standard_errors[parents, v], errors[1:])
        assert fitted.intercepts[v] == pytest.approx(beta[0])


@pytest.mark.parametrize("name", ["arcs", "hc"])
def test_a_required_edge_into_a_node_set_in_every_row(linear_rows, tmp_path, name):
    """The edge is there, its coefficient is zero and its standard error unknown, in every form."""
    values = linear_rows(60, 4, 0)
    mask = np.zeros(values.shape, dtype=bool)
    mask[:, 1] = True
    known = Knowledge(required=[("x0", "x1")])
    with pytest.warns(UserWarning, match="x1"):
        result = learner(name, knowledge=known, random_state=0).fit(values, interventions=mask)
    assert result.dag.adjacency[0, 1]
    assert result.dag.coefficients[0, 1] == 0.0
    assert np.isnan(result.dag.standard_errors[0, 1])
    assert np.isfinite([result.score, result.bic, result.log_likelihood]).all()
    for suffix in ("json", "npz"):
        again = FitResult.load(result.save(tmp_path / f"result.{suffix}"))
        assert again.dag == result.dag
        assert again.n_edges == result.n_edges
    (edge,) = (r for r in result.edge_table().rows() if (r["from"], r["to"]) == ("x0", "x1"))
    assert (edge["coefficient"], edge["standardised"]) == (0.0, 0.0)
    json.loads((tmp_path / "result.json").read_text(), parse_constant=pytest.fail)
    text = graph_to_text(result.dag, "graphml")
    np.testing.assert_array_equal(graph_from_text(text, "graphml").adjacency, result.dag.adjacency)


def test_an_edge_of_no_effect_is_an_edge():
    """Exactly uncorrelated columns, and an edge between them that knowledge requires."""
    model = ARCS(knowledge=Knowledge(required=[("x0", "x1")]), random_state=0)
    model.fit((np.eye(2), 80))
    assert model.adjacency_.tolist() == [[False, True], [False, False]]
    assert model.coef_[0, 1] == 0.0
    assert model.result_.dag.standard_errors[0, 1] > 0
