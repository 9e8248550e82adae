"""The Sachs data: order of the experiments, targets by name, reference graph."""

import numpy as np
import pytest

from arcs import learner
from arcs.datasets import SACHS_CONDITIONS, load_sachs
from arcs.errors import SettingsError
from arcs.metrics import evaluate
from arcs.simulate import network

SIZES = [853, 902, 911, 723, 810, 799, 848, 913, 707]
TARGETS = {
    "CD3/CD28": set(),
    "CD3/CD28 + ICAM-2": set(),
    "CD3/CD28 + Akt inhibitor": {"akt"},
    "CD3/CD28 + G06976": {"pkc"},
    "CD3/CD28 + psitectorigenin": {"pip2"},
    "CD3/CD28 + U0126": {"mek"},
    "CD3/CD28 + LY294002": set(),
    "PMA": {"pkc"},
    "b2cAMP": {"pka"},
}


@pytest.fixture(scope="module")
def sachs():
    return load_sachs()


def column(sachs, protein, condition):
    rows = sachs.conditions == condition
    return sachs.data.values[rows, sachs.data.names.index(protein)]


def targets_by_condition(sachs):
    mask, names = sachs.data.interventions.mask, sachs.data.names
    found = {}
    for condition in dict.fromkeys(sachs.conditions.tolist()):
        rows = mask[sachs.conditions == condition]
        assert (rows == rows[0]).all()
        found[condition] = {names[j] for j in np.flatnonzero(rows[0])}
    return found


def test_shape_names_and_sizes(sachs):
    assert sachs.data.values.shape == (7466, 11)
    expected = {"raf", "mek", "plcg", "pip2", "pip3", "erk", "akt", "pka", "pkc", "p38", "jnk"}
    assert set(sachs.data.names) == expected
    names, counts = np.unique(sachs.conditions, return_counts=True)
    by_name = dict(zip(names.tolist(), counts.tolist(), strict=True))
    assert [by_name[c.name] for c in SACHS_CONDITIONS] == SIZES
    assert [c.n_cells for c in SACHS_CONDITIONS] == SIZES
    # Each experiment is one run of rows.
    assert (sachs.conditions[1:] != sachs.conditions[:-1]).sum() == 8


def test_targets_by_name(sachs):
    assert targets_by_condition(sachs) == TARGETS
    counts = dict(
        zip(sachs.data.names, sachs.data.interventions.mask.sum(axis=0).tolist(), strict=True)
    )
    assert counts["pkc"] == 723 + 913
    assert counts["akt"] == 911
    assert counts["pip3"] == 0


def test_switch_of_the_disputed_target():
    disputed = targets_by_condition(load_sachs(pip3_target=True))
    assert disputed == {**TARGETS, "CD3/CD28 + LY294002": {"pip3"}}


def test_first_cell_as_published():
    raw = load_sachs(transform="raw").data
    first = dict(zip(raw.names, raw.values[0].tolist(), strict=True))
    assert first["raf"] == 26.4
    assert first["mek"] == 13.2
    assert first["pka"] == 414.0
    assert first["jnk"] == 40.0
    assert raw.values.min() == 1.0
    assert raw.values.max() == 9058.0


def test_logarithms_by_default(sachs):
    raw = load_sachs(transform="raw")
    assert raw.transform == "raw"
    np.testing.assert_allclose(np.exp(sachs.data.values), raw.data.values)
    with pytest.raises(SettingsError, match="transform"):
        load_sachs(transform="sqrt")


def test_distribution_changes_where_the_sizes_say(sachs):
    # The likeliest change of a normal law within 200 rows of each boundary is at the boundary.
    values = sachs.data.values
    for boundary in np.cumsum(SIZES)[:-1]:
        window = values[boundary - 200 : boundary + 200]
        splits = np.arange(150, 251)
        fit = [
            sum(
                -0.5 * len(part) * np.linalg.slogdet(np.cov(part.T))[1]
                for part in (window[:split], window[split:])
            )
            for split in splits
        ]
        assert abs(splits[int(np.argmax(fit))] - 200) <= 2, boundary


def test_reagents_have_their_known_effects(sachs):
    base = "CD3/CD28"

    def shift(protein, condition):
        return np.median(column(sachs, protein, condition)) - np.median(
            column(sachs, protein, base)
        )

    # Psitectorigenin depletes PIP2, by more than a factor of ten.
    assert shift("pip2", "CD3/CD28 + psitectorigenin") < -np.log(10)
    # U0126 blocks MEK's activity: ERK falls although phospho-MEK accumulates.
    assert shift("erk", "CD3/CD28 + U0126") < -np.log(4)
    assert shift("mek", "CD3/CD28 + U0126") > np.log(10)
    # G06976 moves PKC; the Akt inhibitor moves Akt a little.
    assert shift("pkc", "CD3/CD28 + G06976") > np.log(5)
    assert abs(shift("akt", "CD3/CD28 + Akt inhibitor")) > 0.1
    # Nowhere else does PIP2 collapse, nor ERK.
    for condition in TARGETS:
        if condition != "CD3/CD28 + psitectorigenin":
            assert shift("pip2", condition) > -np.log(2)
        if condition != "CD3/CD28 + U0126":
            assert shift("erk", condition) > -np.log(2)


def test_reference_is_the_network_of_the_repository(sachs):
    reference, repository = sachs.reference, network("sachs")
    assert reference.is_dag()
    assert reference.n_edges == 17
    assert reference.names == sachs.data.names
    ours = {(reference.names[i], reference.names[j]) for i, j in np.argwhere(reference.directed)}
    theirs = {
        (repository.names[i].lower(), repository.names[j].lower())
        for i, j in np.argwhere(repository.adjacency)
    }
    assert ours == theirs
    assert "17 edges" in sachs.reference_source
    assert "Science 308" in sachs.source


def test_conditions_are_read_only(sachs):
    with pytest.raises(ValueError, match="read-only"):
        sachs.conditions[0] = "other"
    assert repr(sachs) == "SachsData(7466 cells, 11 proteins, 9 conditions)"


def test_the_textbook_differs_by_one_reversal_and_three_edges():
    sachs = load_sachs()
    counts = evaluate(sachs.reference, sachs.textbook, True)
    assert sachs.textbook.n_edges == 20
    assert sachs.textbook.is_dag()
    assert (counts.TP, counts.R, counts.FP, counts.M) == (16, 1, 0, 3)


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_sachs_by_the_rule_of_the_program():
    """The policy is chosen by the data alone; at most 12 edges, at most 12 away from the 17."""
    sachs = load_sachs()
    found = learner("arcs", random_state=0).fit(sachs.data)
    assert found.preparation["conditions"]["asked"] == "auto"
    assert found.n_edges <= 12
    assert evaluate(found.dag, sachs.reference, True).SHD <= 12
