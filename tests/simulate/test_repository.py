"""Repository networks: counts, names, copies, Gaussian parameters."""

import numpy as np
import pytest

from arcs.errors import ArcsError, SettingsError
from arcs.graphs.equivalence import topological_order
from arcs.simulate import network, network_names

# Nodes and arcs as listed by the Bayesian network repository.
REPOSITORY_COUNTS = {
    "alarm": (37, 46),
    "andes": (223, 338),
    "arth150": (107, 150),
    "asia": (8, 8),
    "barley": (48, 84),
    "cancer": (5, 4),
    "child": (20, 25),
    "diabetes": (413, 602),
    "earthquake": (5, 4),
    "ecoli70": (46, 70),
    "hailfinder": (56, 66),
    "hepar2": (70, 123),
    "insurance": (27, 52),
    "link": (724, 1125),
    "magic-irri": (64, 102),
    "magic-niab": (44, 66),
    "mildew": (35, 46),
    "munin": (1041, 1397),
    "munin1": (186, 273),
    "munin2": (1003, 1244),
    "munin3": (1041, 1306),
    "munin4": (1038, 1388),
    "pathfinder": (109, 195),
    "pigs": (441, 592),
    "sachs": (11, 17),
    "survey": (6, 6),
    "water": (32, 66),
    "win95pts": (76, 112),
}
PAPER_COUNTS = [
    ("hailfinder", 4, 224, 264),
    ("andes", 1, 223, 338),
    ("hepar2", 4, 280, 492),
    ("win95pts", 4, 304, 448),
    ("pigs", 1, 441, 592),
]


def test_all_networks_are_there():
    assert set(network_names()) == set(REPOSITORY_COUNTS)
    assert network_names(gaussian=True) == ("arth150", "ecoli70", "magic-irri", "magic-niab")
    assert len(network_names(gaussian=False)) == 24


@pytest.mark.parametrize("name", sorted(REPOSITORY_COUNTS))
def test_counts_names_and_acyclicity(name):
    found = network(name)
    assert (found.p, found.n_edges) == REPOSITORY_COUNTS[name]
    assert len(set(found.names)) == found.p
    assert sorted(topological_order(found.adjacency)) == list(range(found.p))
    assert "Scutari" in found.source
    assert not found.adjacency.flags.writeable


@pytest.mark.parametrize(("name", "copies", "p", "edges"), PAPER_COUNTS)
def test_copies_of_the_paper(name, copies, p, edges):
    found = network(name, copies)
    assert (found.p, found.n_edges) == (p, edges)
    single = network(name)
    for copy in range(copies):
        block = slice(copy * single.p, (copy + 1) * single.p)
        assert (found.adjacency[block, block] == single.adjacency).all()
    if copies > 1:
        assert found.names[0] == f"{single.names[0]}_1"
        assert found.names[-1] == f"{single.names[-1]}_{copies}"
    assert len(set(found.names)) == p


def test_asia_has_the_textbook_edges():
    asia = network("Asia")
    edges = {(asia.names[i], asia.names[j]) for i, j in np.argwhere(asia.adjacency)}
    assert edges == {
        ("asia", "tub"),
        ("smoke", "lung"),
        ("smoke", "bronc"),
        ("lung", "either"),
        ("tub", "either"),
        ("either", "xray"),
        ("either", "dysp"),
        ("bronc", "dysp"),
    }


def test_gaussian_network_has_its_published_parameters():
    ecoli = network("ecoli70", copies=2).gaussian
    assert ecoli.names[0] == "aceB_1"
    position = {name: k for k, name in enumerate(ecoli.names)}
    ibp = position["ibpB_2"]
    assert ecoli.coefficients[position["eutG_2"], ibp] == 1.4471
    assert ecoli.coefficients[position["yceP_2"], ibp] == 0.1249
    assert ecoli.coefficients[position["eutG_1"], ibp] == 0.0
    assert ecoli.intercepts[ibp] == -0.4227
    assert ecoli.noise_variances[ibp] == 0.4609
    assert network("asia").gaussian is None


def test_gaussian_noise_is_stored_as_a_variance():
    # Allele counts 0 or 2 of nearly inbred lines with mean 2q have variance 4q(1 - q).
    niab = network("magic-niab").gaussian
    roots = [k for k in range(niab.p) if niab.names[k].startswith("G")]
    roots = [k for k in roots if not niab.adjacency[:, k].any()]
    assert len(roots) >= 5
    q = niab.intercepts[roots] / 2
    ratio = niab.noise_variances[roots] / (4 * q * (1 - q))
    assert (abs(ratio - 1) < 0.12).all()


def test_gaussian_adjacency_agrees_with_coefficients():
    for name in network_names(gaussian=True):
        found = network(name)
        assert (found.gaussian.adjacency == found.adjacency).all()


def test_unknown_name_suggests_the_nearest():
    with pytest.raises(SettingsError, match="did you mean 'hailfinder'"):
        network("hailfindr")
    with pytest.raises(ArcsError, match="known: alarm, andes"):
        network("")


@pytest.mark.parametrize("copies", [0, -1, 1.5, True])
def test_bad_copies_are_refused(copies):
    with pytest.raises(SettingsError, match="copies"):
        network("asia", copies)


def test_repr_is_short():
    assert repr(network("asia", 2)) == "Network('asia', copies=2: 16 nodes, 16 edges)"
