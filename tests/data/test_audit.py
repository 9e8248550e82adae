import json

import numpy as np
import pytest

from arcs.data import Dataset, audit
from arcs.data.audit import collinear_sets
from arcs.errors import DataWarning


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(60, 5))


def test_clean_data_have_nothing_to_tell(rows):
    found = audit(rows * [1e-12, 1, 1, 1, 1e12])
    assert (found.n, found.p, found.effective_n) == (60, 5, 60)
    assert found.problems == found.warnings == found.notes == ()
    assert found.smallest_scale == pytest.approx(1e-12 * rows[:, 0].std(), rel=1e-9)
    assert found.largest_scale == pytest.approx(1e12 * rows[:, 4].std(), rel=1e-9)
    assert set(found.to_dict()) == {
        *("n", "p", "effective_n", "fewer_rows_than_columns", "smallest_scale", "largest_scale")
    }


def test_duplicates_and_combinations_are_told_apart(rows):
    values = np.column_stack([rows, 3 - 2 * rows[:, 1], rows[:, 0] + rows[:, 2] - 4 * rows[:, 3]])
    found = audit(values)
    assert found.duplicates == (("x1", "x5"),)
    assert found.collinear == (("x0", "x2", "x3", "x6"),)
    assert len(found.warnings) == 2
    assert "{'x1', 'x5'} are copies" in found.warnings[0]
    with pytest.warns(DataWarning) as caught:
        found.warn()
    assert [str(w.message) for w in caught] == list(found.warnings)


def test_sets_against_ranks(rows):
    """Every set loses exactly one rank; what is outside of all sets is independent."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        base = rng.normal(size=(80, 6))
        extra = base @ (rng.normal(size=(6, 3)) * (rng.random((6, 3)) < 0.5))
        values = np.column_stack([base, extra + 1e-300])[:, rng.permutation(9)]
        values = values[:, values.std(axis=0) > 0]
        duplicates, combined = collinear_sets(np.corrcoef(values.T), 79)
        for group in [*duplicates, *combined]:
            part = values[:, group] - values[:, group].mean(axis=0)
            part /= np.linalg.norm(part, axis=0)
            expected = 1 if any(group is d for d in duplicates) else len(group) - 1
            assert np.linalg.matrix_rank(part, tol=1e-6) == expected
        lost = sum(len(d) - 1 for d in duplicates) + len(combined)
        rank = np.linalg.matrix_rank(values / np.linalg.norm(values, axis=0), tol=1e-6)
        assert values.shape[1] - lost == rank


def test_few_rows_are_noted_and_combinations_not_looked_for(rows):
    found = audit(np.vstack([rows[:3], rows[:1] + 1]))
    assert found.fewer_rows_than_columns
    assert found.notes == ("fewer rows (4) than columns (5): only sparse structure can be learned",)
    assert found.collinear == ()


@pytest.mark.parametrize(
    "column",
    [np.arange(60) // 2, np.arange(60) % 2 == 0, np.arange(60) % 7 * 0.3, np.arange(60) * 1000.0],
)
def test_discrete_columns(rows, column):
    values = rows.copy()
    values[:, 2] = column
    found = audit(values)
    assert found.discrete == ("x2",)
    assert len(found.warnings) == 1
    assert "looks discrete: 'x2' (1 of 5 columns)" in found.warnings[0]


def test_few_rows_do_not_look_discrete(rows):
    assert audit(rows[:6]).discrete == ()


def test_bad_data_are_described_not_refused(rows):
    values = rows.copy()
    values[:4, 1] = np.nan
    values[7, 3] = np.inf
    values[:, 2] = 5
    found = audit(values)
    assert found.missing == {"x1": 4, "x3": 1}
    assert found.constant == ("x2",)
    assert "Input contains NaN or infinity: 5 values in 2 of 5 columns" in found.problems[0]
    found = audit(values, missing="drop")
    assert found.rows_dropped == 5
    assert found.notes == ("5 of 60 rows with missing values were dropped",)
    assert found.problems[0].startswith("1 column is constant: 'x2'")
    found = audit(values, missing="drop", constant="isolate")
    assert found.problems == ()
    assert found.notes[-1] == "does not vary, kept isolated: 'x2'"
    assert "3 rows" in audit(rows[:2]).problems[0]


@pytest.mark.parametrize("missing", ["pairwise", "em"])
def test_effective_rows_are_stated(rows, missing):
    values = rows.copy()
    values[:20, 0] = np.nan
    found = audit(values, missing=missing)
    assert found.n == 60
    # Four of ten pairs share 40 rows, six share 60.
    assert found.effective_n == int(10 / (4 / 40 + 6 / 60))
    assert any("effective n 50" in note for note in found.notes)


def test_a_repair_is_stated(rows):
    rng = np.random.default_rng(3)
    common = rng.normal(size=60)
    values = np.column_stack([common, common, common]) + 0.1 * rng.normal(size=(60, 3))
    values[:20, 2] = np.nan
    values[20:40, 1] = np.nan
    values[40:, 0] = np.nan
    values[20:40, 2] *= -1
    assert "repaired, its smallest eigenvalue was -" in audit(values, missing="pairwise").notes[-1]


def test_experiments(rows):
    labels = ["a"] * 20 + ["zz"] * 10 + ["b"] * 30
    data = Dataset.from_array(rows, list("abcde"), interventions=labels, unmeasured="drop")
    found = data.audit()
    assert found.intervened == {"a": 20, "b": 30}
    assert found.unmeasured == {"zz": 10}
    assert found.effective_n == 30
    assert "were ignored (rows): 'zz' (10)" in found.notes[-1]
    everywhere = audit(rows, interventions=np.zeros(60, int))
    assert everywhere.never_observed == ("x0",)
    assert "no edge into it" in everywhere.design_warnings[0]


def test_targets_that_were_all_unmeasured_are_still_reported(rows):
    data = Dataset.from_array(rows, list("abcde"), interventions=["zz"] * 60, unmeasured="drop")
    assert data.interventions is None
    assert data.audit().unmeasured == {"zz": 60}


def test_streams_and_covariances_have_audits_too(rows, tmp_path):
    path = tmp_path / "rows.csv"
    values = np.column_stack([rows, np.arange(60) % 3, rows[:, 0]])
    names = [f"v{j}" for j in range(7)]
    np.savetxt(path, values, "%.17g", ",", header=",".join(names), comments="")
    streamed = Dataset.from_file(path, in_memory=False, chunk_rows=13).audit()
    whole = Dataset.from_file(path).audit()
    assert streamed.discrete == whole.discrete == ("v5",)
    assert streamed.duplicates == whole.duplicates == (("v0", "v6"),)
    from_matrix = audit((np.cov(values.T, ddof=0), 60))
    assert from_matrix.duplicates == (("x0", "x6"),)
    assert from_matrix.largest_scale == pytest.approx(whole.largest_scale)


def test_the_audit_is_plain_json_and_readable(rows):
    values = np.column_stack([rows, rows[:, 0]])
    found = audit(values, interventions=np.repeat([-1, 2], 30))
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert record["duplicates"] == [["x0", "x5"]]
    assert record["intervened"] == {"x2": 30}
    text = str(found)
    assert text.startswith("60 rows, 6 columns (effective number of rows 30)\nstandard deviations")
    assert "intervened: 'x2' (30)" in text
    assert "warning: {'x0', 'x5'} are copies" in text


def test_the_audit_is_computed_once(rows):
    data = Dataset.of(rows)
    assert data.audit() is data.audit()
