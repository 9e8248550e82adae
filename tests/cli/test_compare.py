import json

import numpy as np
import pytest

from arcs.cli.compare import agreement
from arcs.graphs import Pdag
from arcs.graphs.formats import write_graph
from arcs.metrics import compare
from arcs.results import FitResult


@pytest.fixture
def truth(simulated, tmp_path):
    write_graph(simulated.truth, tmp_path / "truth.json")
    return tmp_path / "truth.json"


def test_table_metrics_and_agreement(run, csv_file, truth):
    words = ("compare", csv_file, "-i", "target", "--methods", "threshold,pooled", "--truth", truth)
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    for text in ("method", "BIC", "against the truth", "SHD", "agreement"):
        assert text in result.stdout


def test_numbers_are_those_of_the_library(run, csv_file, truth, simulated):
    words = (
        "compare",
        csv_file,
        "-i",
        "target",
        "-m",
        "threshold,pooled",
        "--truth",
        truth,
        "--json",
    )
    answer = json.loads(run(*words, "--out", "results").stdout)
    for row in answer["methods"]:
        saved = FitResult.load(csv_file.parent / "results" / f"{row['method']}.json")
        counts = compare(saved.dag, simulated.truth, experimental=True)
        assert row["metrics"] == counts.to_dict()
        again = FitResult.from_structure("x", saved.dag.adjacency, simulated.data.statistics())
        # Also for the method that pooled all rows and has another BIC of its own.
        assert row["bic"] == pytest.approx(again.bic)
    pooled = FitResult.load(csv_file.parent / "results" / "pooled.json")
    assert pooled.bic != pytest.approx(answer["methods"][1]["bic"])
    assert answer["agreement"][0]["methods"] == ["threshold", "pooled"]


def test_a_failing_method_does_not_stop_the_others(run, csv_file):
    result = run("compare", csv_file, "-i", "target", "-m", "broken,threshold")
    assert result.exit_code == 1
    assert "broken failed: the other program crashed" in result.stderr
    assert "finished" in result.stdout


def test_interruption_ends_the_comparison(run, csv_file):
    words = ("compare", csv_file, "-i", "target", "-m", "stopped,threshold", "--json")
    result = run(*words)
    assert result.exit_code == 130
    assert [row["method"] for row in json.loads(result.stdout)["methods"]] == ["stopped"]


def test_unknown_methods_are_refused_before_any_run(run, csv_file):
    result = run("compare", csv_file, "-m", "threshold,nonsense")
    assert result.exit_code == 2
    assert "'nonsense'" in result.stderr


def test_agreement_counts(simulated):
    def with_class(directed, undirected):
        base = FitResult.from_structure("x", simulated.truth.adjacency, simulated.data.statistics())
        p = len(base.names)
        arrows, lines = np.zeros((p, p), bool), np.zeros((p, p), bool)
        for i, j in directed:
            arrows[i, j] = True
        for i, j in undirected:
            lines[i, j] = lines[j, i] = True
        return base.with_(cpdag=Pdag(arrows, lines, base.names))

    one = with_class([(0, 1), (1, 2)], [(3, 4), (5, 6)])
    two = with_class([(0, 1), (2, 1), (3, 4)], [(5, 6), (6, 7)])
    assert agreement(one, two) == (2, 3)
    assert agreement(one, one) == (4, 0)
