"""Several methods side by side, in Python."""

import numpy as np
import pytest

import arcs
from arcs.comparison import shared_and_differing
from arcs.errors import DataError, SettingsError
from arcs.graphs import Pdag
from arcs.learners import learner
from arcs.metrics import evaluate
from arcs.results import FitResult
from arcs.simulate import random_dag, random_weights, sample, sample_experiments


@pytest.fixture(scope="module")
def drawn():
    return sample(random_weights(random_dag(6, 7, 0), 0), 400, 0)


def test_figures_are_those_of_the_results(drawn):
    found = arcs.compare(drawn.data, ["hc", learner("ges")], truth=drawn.truth)
    assert list(found.results) == ["hc", "ges"]
    for row in found.table().rows():
        result = found[row["method"]]
        assert row["edges"] == result.n_edges
        assert row["BIC"] == pytest.approx(result.bic)
        assert row["SHD"] == evaluate(result.dag, drawn.truth).SHD
    assert list(found.to_frame()["method"]) == ["hc", "ges"]
    (pair,) = found.agreement().rows()
    assert pair["shared"] + pair["differing"] >= max(r.n_edges for r in found.results.values())
    assert "hc" in repr(found)
    assert "hc" in found._repr_html_()


def test_scores_are_computed_alike_for_those_who_ignore_interventions():
    model = random_weights(random_dag(5, 6, 1), 1)
    experiment = sample_experiments(model, "each", 20, 0, n_observational=50)
    with pytest.warns(arcs.errors.DataWarning, match="makes no use of interventions"):
        found = arcs.compare(experiment.data, ["ges"])
    alike = FitResult.from_structure("x", found["ges"].dag.adjacency, experiment.data.statistics())
    assert found.table()["BIC"] == [pytest.approx(alike.bic)]
    assert found["ges"].bic != pytest.approx(alike.bic)


def test_a_failure_does_not_stop_the_others(drawn):
    class Broken(type(learner("hc"))):
        def learn(self, statistics, watch):
            raise DataError("it broke")

    found = arcs.compare(drawn.data, [Broken(), "ges"])
    assert found.failures == {"hc": "it broke"}
    assert list(found.results) == ["ges"]
    assert "hc failed: it broke" in repr(found)


def test_unknown_methods_are_refused_before_anything_runs(drawn):
    with pytest.raises(SettingsError, match="no learner 'gess'"):
        arcs.compare(drawn.data, ["hc", "gess"], listener=pytest.fail)


def test_agreement_counts(drawn):
    def with_class(directed, undirected):
        base = FitResult.from_structure("x", drawn.truth.adjacency, drawn.data.statistics())
        arrows, lines = np.zeros((6, 6), bool), np.zeros((6, 6), bool)
        for i, j in directed:
            arrows[i, j] = True
        for i, j in undirected:
            lines[i, j] = lines[j, i] = True
        return base.with_(cpdag=Pdag(arrows, lines, base.names))

    one = with_class([(0, 1), (1, 2)], [(3, 4), (4, 5)])
    two = with_class([(0, 1), (2, 1), (3, 4)], [(4, 5), (2, 3)])
    assert shared_and_differing(one, two) == (2, 3)
    assert shared_and_differing(one, one) == (4, 0)
