import json

import pytest

from arcs.graphs import GaussianDag
from arcs.graphs.formats import write_graph
from arcs.metrics import evaluate


@pytest.fixture
def files(simulated, tmp_path):
    truth = simulated.truth
    estimate = GaussianDag.from_adjacency(truth.adjacency.T, truth.names)
    write_graph(truth, tmp_path / "truth.graphml")
    write_graph(estimate, tmp_path / "estimate.dot")
    return estimate, truth


@pytest.mark.parametrize("flag", ["--experimental", "--observational"])
def test_counts_are_those_of_the_metrics(run, files, flag):
    result = run("evaluate", "estimate.dot", "truth.graphml", flag, "--json")
    answer = json.loads(result.stdout)
    assert answer.pop("experimental") == (flag == "--experimental")
    assert answer == evaluate(*files, flag == "--experimental").to_dict()


def test_printed_counts(run, files):
    result = run("evaluate", "estimate.dot", "network:asia", "--experimental")
    assert result.exit_code == 0
    assert "8 true edges; directions compared directly" in result.stdout
    shd = next(line.split() for line in result.stdout.splitlines() if "SHD" in line)
    assert shd[1] == "8"


def test_results_know_whether_they_are_experimental(run, files, csv_file):
    assert run("fit", csv_file, "-i", "target", "-q").exit_code == 0
    answer = json.loads(run("evaluate", "cells-arcs", "truth.graphml", "--json").stdout)
    assert answer["experimental"] is True
    answer = json.loads(run("evaluate", "estimate.dot", "truth.graphml", "--json").stdout)
    assert answer["experimental"] is False


def test_graphs_over_other_nodes_are_refused(run, files):
    result = run("evaluate", "estimate.dot", "network:cancer")
    assert result.exit_code == 1
    assert "nodes" in result.stderr
