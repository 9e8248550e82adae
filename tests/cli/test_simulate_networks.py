import json

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.graphs.formats import read_graph
from arcs.simulate import network, network_names


def test_observational_data_and_their_truth(run):
    result = run("simulate", "asia.csv", "--network", "asia", "-n", 5000, "--seed", 1)
    assert result.exit_code == 0, result.output
    data, truth = Dataset.from_file("asia.csv"), read_graph("asia-truth.json")
    assert data.names == truth.names
    assert set(truth.named_edges()) == {
        (network("asia").names[i], network("asia").names[j])
        for i, j in np.argwhere(network("asia").adjacency)
    }
    np.testing.assert_allclose(np.cov(data.values.T), truth.covariance(), atol=0.12)


def test_experiments_come_back_with_their_targets(run):
    words = ("--nodes", 6, "--edges", 7, "-n", 10, "--rows-per-target", 3, "--targets", "V2, V5")
    run("simulate", "toy.csv", *words)
    data = Dataset.from_file("toy.csv", interventions="intervention")
    counts = dict(zip(data.names, data.interventions.rows_intervened.tolist(), strict=True))
    assert counts == {"V1": 0, "V2": 3, "V3": 0, "V4": 0, "V5": 3, "V6": 0}
    assert data.n == 16
    assert read_graph("toy-truth.json").n_edges == 7


def test_same_seed_same_files(run, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run("simulate", f"{name}.csv", "--nodes", 5, "--seed", seed, "--truth", f"{name}.json")
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    assert (tmp_path / "a.json").read_text() == (tmp_path / "b.json").read_text()
    assert (tmp_path / "a.csv").read_text() != (tmp_path / "c.csv").read_text()


def test_gaussian_networks_keep_their_parameters(run):
    run("simulate", "e.csv", "--network", "ecoli70", "-n", 3, "--no-shuffle")
    assert read_graph("e-truth.json") == network("ecoli70").gaussian


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ((), 2, "either --network or --nodes"),
        (("--network", "asia", "--nodes", "3"), 2, "either --network or --nodes"),
        (("--network", "asai"), 2, "did you mean 'asia'"),
        (("--nodes", "3", "--edges", "9"), 2, "at most 3 edges"),
        (("--nodes", "3", "--targets", "V1"), 2, "--rows-per-target"),
    ],
)
def test_wrong_requests(run, words, code, text):
    result = run("simulate", "x.csv", *words)
    assert result.exit_code == code
    assert text in result.stderr


def test_networks_lists_all(run):
    result = run("networks")
    assert [line.split()[0] for line in result.stdout.splitlines()[1:]] == list(network_names())
    rows = {row["name"]: row for row in json.loads(run("networks", "--json").stdout)}
    assert (rows["pigs"]["nodes"], rows["pigs"]["edges"]) == (441, 592)
    assert rows["ecoli70"]["parameters"] == "gaussian"


def test_methods_lists_all(run):
    result = run("methods")
    assert "threshold" in result.stdout
    rows = {row["name"]: row for row in json.loads(run("methods", "--json").stdout)}
    assert rows["threshold"]["settings"]["cut"] == 0.3
    assert rows["pooled"]["uses_interventions"] is False


def test_methods_prints_what_can_be_set(run):
    text = run("methods", "mmhc").stdout
    assert "--set max_parents=null" in text
    assert "Largest number of parents of a node." in text
    assert "May be a whole number of at least 0, or None." in text
    (row,) = json.loads(run("methods", "hc", "--json").stdout)
    assert row["settings"]["patience"] == 15
    assert row["allowed"]["patience"] == "a whole number of at least 1"
    result = run("methods", "gess")
    assert result.exit_code == 2
    assert "'ges'" in result.stderr
