"""The levels of the Sachs cells: cells, cuts and targets as in the published table."""

import numpy as np
import pytest

from arcs.datasets import load_sachs_levels
from arcs.errors import SettingsError

#: The first rows of four experiments in the published table (1 low, 2 medium, 3 high).
PUBLISHED = {
    "CD3/CD28": "11113212212 11111212112 22112212211 22111212212 11113222112 11112212222 "
    "12112212211 11112222111 22113212222 11113222212 11112212212 21113212222",
    "CD3/CD28 + Akt inhibitor": "11112212111 12112212111 11113212211 11111212111 11112212111 "
    "11123212111 11111212211 11111212211 11113212211 11113211211",
    "CD3/CD28 + G06976": "33332221132 33321221133 33312331133 33333331132 33333331133 33322331132 "
    "33311331133 33321321133 33333331133 33321331132",
    "CD3/CD28 + U0126": "21112111211 31113221111 31112121111 31113212221 31123222111 31113121211 "
    "31113111222 31112111111 21111121111 31112121111",
}


@pytest.fixture(scope="module")
def cells():
    return load_sachs_levels()


def test_published_rows_are_found_again(cells):
    for condition, rows in PUBLISHED.items():
        expected = np.array([[int(digit) - 1 for digit in row] for row in rows.split()])
        found = cells.data.values[cells.conditions == condition][: len(expected)]
        np.testing.assert_array_equal(found, expected, err_msg=condition)


def test_600_cells_of_each_experiment_with_their_targets(cells):
    assert np.unique(cells.conditions, return_counts=True)[1].tolist() == [600] * 9
    counts = cells.data.interventions.mask.sum(axis=0)
    found = dict(zip(cells.data.names, counts.tolist(), strict=True))
    assert {k: v for k, v in found.items() if v} == {
        "mek": 600,
        "pip2": 600,
        "akt": 600,
        "pka": 600,
        "pkc": 1200,
    }


def test_targets_are_low_where_inhibited_and_high_where_activated(cells):
    names = cells.data.names
    pkc = cells.data.values[:, names.index("pkc")]
    assert set(pkc[cells.conditions == "CD3/CD28 + G06976"]) == {0.0}
    assert set(pkc[cells.conditions == "PMA"]) == {2.0}
    # and as measured, MEK is high where it is inhibited
    measured = load_sachs_levels(targets="measured")
    mek = measured.data.values[measured.conditions == "CD3/CD28 + U0126", names.index("mek")]
    assert (mek > 0).mean() > 0.9


def test_other_cuts_and_wrong_words():
    again = load_sachs_levels(cuts="quantiles-4")
    assert [len(levels) for levels in again.data.levels] == [4] * 11
    assert again.transform == "quantiles-4 levels, targets set"
    with pytest.raises(SettingsError, match="targets"):
        load_sachs_levels(targets="guessed")
