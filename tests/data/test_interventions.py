import numpy as np
import pandas as pd
import polars as pl
import pytest

from arcs.data import Dataset, Interventions
from arcs.errors import DataError, DataWarning, SettingsError

NAMES = ("a", "b", "c")
ROWS = np.random.default_rng(0).normal(size=(6, 3))
MASK = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 0, 0], [1, 0, 1]], bool)


@pytest.mark.parametrize(
    "encoding",
    [
        MASK,
        MASK.astype(float),
        MASK.tolist(),
        pd.DataFrame(MASK, columns=NAMES),
        pl.DataFrame({"c": MASK[:, 2], "b": MASK[:, 1], "a": MASK[:, 0]}),
        ["control", "a", "a,c", "b", "", " c , a "],
        [None, "a", "a,c", "b", float("nan"), "c,a"],
        np.array(["none", "a", "a,c", "b", "None", "c,a"]),
        [[], ["a"], ["a", "c"], ["b"], (), {"c", "a"}],
        [[], [0], [0, 2], [1], [], [2, 0]],
        ([[], ["a"], ["a", "c"], ["b"]], [0, 1, 2, 3, 0, 2]),
        {"targets": [(), 0, (0, 2), "b"], "index": np.array([0, 1, 2, 3, 0, 2])},
        Interventions.from_targets([[], [1], [1, 3], [2]], [1, 2, 3, 4, 1, 3], NAMES, first=1),
    ],
)
def test_every_encoding_is_understood(encoding):
    data = Dataset.of(ROWS, names=NAMES, interventions=encoding)
    np.testing.assert_array_equal(data.interventions.mask, MASK)
    assert data.interventions.targets == ((), (0,), (1,), (0, 2))
    assert data.interventions.rows_intervened.tolist() == [3, 1, 2]
    assert data.interventions.label(3) == "a,c"
    assert data.interventions.label(0) == "control"


def test_positions_without_names():
    design = Dataset.of(ROWS, interventions=np.array([-1, 0, 1, 2, 2, -1])).interventions
    assert design.mask.argmax(axis=1).tolist() == [0, 0, 1, 2, 2, 0]
    assert design.mask.sum() == 4
    with pytest.raises(DataError, match="range from -1 to 3, but the columns are numbered 0 to 2"):
        Dataset.of(ROWS, interventions=[-1, 0, 1, 2, 3, 0])


def test_taking_rows_keeps_the_design():
    design = Interventions.from_mask(MASK, NAMES)
    part = design.take(np.array([2, 2, 5, 0]))
    np.testing.assert_array_equal(part.mask, MASK[[2, 2, 5, 0]])
    assert part.targets == ((), (0, 2))
    assert part != design
    assert design == Interventions.from_mask(MASK.astype(int), NAMES)


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        (
            ["a"] * 5 + ["bb"],
            r"target 'bb', in 1 rows, is not a column of the data; did you mean 'b",
        ),
        (["a,zz"] + ["a"] * 5, r"'zz' \(in label 'a,zz'\)"),
        (["a"] * 5, "describe 5 rows, the data have 6"),
        (np.ones((6, 2)), r"must be rows x 3 columns, got shape \(6, 2\)"),
        (np.full((6, 3), 2), r"18 entries do not, the first in row 0, column 'a': 2"),
        (np.full((6, 3), np.nan), "must hold 0 and 1; 18 entries"),
        (pd.DataFrame(MASK, columns=list("abz")), "columns that the data do not: 'z'"),
        (([["a"], ["c"]], [0, 1, 2, 0, 0, 0]), "row 2 has regime 2, but there are only 2"),
        (([["a"], [3]], [0] * 6), "target 3 is out of range: there are 3 columns, numbered from 0"),
        (([["a"], ["q"]], [0] * 6), "target 'q' is not a column"),
        (([["a"]], [0.5] * 6), "index must be integer"),
        ({"mask": MASK}, "needs the keys 'targets' and 'index', got 'mask'"),
        ("a", "names a column, but an array has no named columns"),
        (7, "not understood: 7"),
        (Interventions.from_mask(MASK, ("x", "y", "z")), "made for other columns"),
        ([["a"], ["b"], [9], [], [], []], "target 9 is out of range"),
    ],
)
def test_wrong_designs_are_refused_with_both_figures(encoding, message):
    with pytest.raises(DataError, match=message):
        Dataset.of(ROWS, names=NAMES, interventions=encoding)


def test_control_labels():
    labels = ["ctrl", "a", "a", "b", "ctrl", "b"]
    design = Dataset.of(ROWS, names=NAMES, interventions=labels, control="ctrl").interventions
    assert design.mask[:, 0].tolist() == [False, True, True, False, False, False]
    with pytest.raises(DataError, match="control label 'x' does not occur; the labels are: 'ctrl'"):
        Dataset.of(ROWS, names=NAMES, interventions=labels, control="x")
    with pytest.raises(DataError, match="target 'ctrl', in 2 rows"):
        Dataset.of(ROWS, names=NAMES, interventions=labels)
    with pytest.raises(DataError, match="control='x' was given, but no interventions"):
        Dataset.of(ROWS, control="x")


def test_unmeasured_targets_are_dropped_on_request_and_counted():
    labels = ["a", "zz", "zz", "a,yy", "b", ""]
    data = Dataset.of(ROWS, names=NAMES, interventions=labels, unmeasured="drop")
    assert data.unmeasured == {"zz": 2, "yy": 1}
    assert data.interventions.rows_intervened.tolist() == [2, 1, 0]
    with pytest.raises(SettingsError, match="unmeasured must be one of 'error', 'drop'"):
        Dataset.of(ROWS, names=NAMES, interventions=labels, unmeasured="ignore")


def test_a_column_called_control_is_a_target():
    design = Interventions.from_labels(["control", ""], ("control", "b"))
    assert design.mask.tolist() == [[True, False], [False, False]]


def test_case_does_not_matter_where_it_tells_nothing_apart():
    with pytest.warns(DataWarning, match="'AKT' is taken for 'akt'"):
        design = Interventions.from_labels(["", "AKT", "akt,Mek"], ["akt", "Mek"])
    assert design.mask.tolist() == [[False, False], [True, False], [True, True]]
    with pytest.raises(DataError, match="'AKT'"):
        Interventions.from_labels(["AKT"], ["akt", "Akt"])
