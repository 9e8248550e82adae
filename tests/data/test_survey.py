"""A look at every column of a file."""

import pytest

from arcs.data.survey import names_samples, survey

TABLE = """id,target,a,b,c,flat
r1,control,1.5,2,NA,1
r2,A_ko,2.5,,3,1
r3,"b_ko,a_KO",3.5,4,5,1
"""


@pytest.fixture
def facts(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    return survey(path)


def test_counts(facts):
    found = {column.name: column for column in facts.columns}
    assert facts.rows == 3
    assert (found["b"].missing, found["b"].numbers, found["b"].varies) == (1, 2, True)
    assert (found["flat"].numbers, found["flat"].varies) == (3, False)
    assert list(found["id"].texts) == ["r1", "r2", "r3"]
    assert [column.name for column in facts.text_columns()] == ["id", "target"]


def test_columns_that_name_columns(facts):
    assert facts.target_columns() == []
    assert [column.name for column in facts.target_columns("_KO")] == ["target"]


def test_columns_can_be_left_out(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    names = [column.name for column in survey(tmp_path / "t.csv", leave_out=["id", "a"]).columns]
    assert names == ["target", "b", "c", "flat"]


def test_decimal_commas(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1,5;2,5\n1,5;3,5\n")
    a, b = survey(tmp_path / "t.csv").columns
    assert (a.varies, b.varies) == (False, True)


@pytest.mark.parametrize(
    ("names", "samples"),
    [
        (["GSM1", "GSM2"], True),
        (["sample_1", "sample_2", "Sample-3"], True),
        (["TCGA-02-0001", "TCGA-02-0003"], True),
        (["akt", "mek", "erk"], False),
        (["BRCA1", "BRCA2", "TP53"], False),
        (["sample"], False),
    ],
)
def test_names_of_samples(names, samples):
    assert names_samples(names) == samples
