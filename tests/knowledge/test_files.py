"""Knowledge in files: what is written is read back."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcs.errors import FileFormatError, KnowledgeError
from arcs.knowledge import Knowledge, read_knowledge, write_knowledge

FULL = Knowledge(
    required=[("age", "income")],
    forbidden=[("income", "sex"), ("sex", "age")],
    tiers=[["age", "sex"], ["income"], ["savings", "debt"]],
    edges_within_tiers=[False, True, True],
    roots=["age"],
    leaves=["debt"],
)
HOSTILE = ["=1+1", "a,b", 'quo"te', "line\nbreak", "back\\slash", "'quoted'", "ünï", "\x7f", "#x"]


@pytest.mark.parametrize("ending", ["toml", "csv"])
def test_round_trip(tmp_path, ending):
    path = write_knowledge(FULL, tmp_path / f"known.{ending}")
    assert read_knowledge(path) == FULL


@pytest.mark.parametrize("ending", ["toml", "csv"])
def test_hostile_names_come_back_as_they_were(tmp_path, ending):
    known = Knowledge(required=[(HOSTILE[0], name) for name in HOSTILE[1:]], roots=[HOSTILE[0]])
    assert read_knowledge(write_knowledge(known, tmp_path / f"k.{ending}")) == known


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=2, max_size=4, unique=True))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_toml_keeps_any_text(tmp_path, names):
    names = [name.encode("utf-8", "ignore").decode() for name in names]
    names = [name for name in dict.fromkeys(names) if name.strip()]
    known = Knowledge(tiers=[[name] for name in names])
    assert read_knowledge(write_knowledge(known, tmp_path / "k.toml")) == known


def test_column_numbers_need_toml(tmp_path):
    known = Knowledge(required=[(0, 3)])
    assert read_knowledge(write_knowledge(known, tmp_path / "k.toml")) == known
    for ending in ("csv", "txt"):
        with pytest.raises(KnowledgeError, match="column 0"):
            write_knowledge(known, tmp_path / f"k.{ending}")
        assert not (tmp_path / f"k.{ending}").exists()


def test_tetrad_round_trip_of_what_it_knows(tmp_path):
    known = Knowledge(FULL.required, FULL.forbidden, FULL.tiers, FULL.edges_within_tiers)
    path = write_knowledge(known, tmp_path / "known.txt")
    assert path.read_text().startswith("/knowledge\naddtemporal\n1* age sex\n2 income\n")
    assert read_knowledge(path) == known


def test_tetrad_spells_roots_and_leaves_out(tmp_path):
    names = ["age", "sex", "income", "savings", "debt"]
    with pytest.raises(KnowledgeError, match="roots and leaves"):
        write_knowledge(FULL, tmp_path / "known.txt")
    read = read_knowledge(write_knowledge(FULL, tmp_path / "known.txt", names=names))
    for mine, theirs in zip(read.resolve(names), FULL.resolve(names), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_file_as_tetrad_writes_it(tmp_path):
    path = tmp_path / "knowledge.txt"
    path.write_text(
        "/knowledge\n\naddtemporal\n\n1*-  x1 x2\n2  x3\n3  x4\n\n// a comment\n"
        "forbiddirect\n\nx3 x4\n\nrequiredirect\n\nx1 x3\n"
    )
    known = read_knowledge(path)
    assert known.tiers == (("x1", "x2"), ("x3",), ("x4",))
    assert known.edges_within_tiers == (False, True, True)
    assert known.required == (("x1", "x3"),)
    # The minus sign: tier 1 causes nothing beyond tier 2.
    assert set(known.forbidden) == {("x3", "x4"), ("x1", "x4"), ("x2", "x4")}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("k.toml", "required = [", "not TOML"),
        ("k.toml", 'requires = [["a", "b"]]', "'requires' is not one of"),
        ("k.toml", 'roots = "a"', "must be a list"),
        ("k.csv", "from,to\na,b\n", "no column 'kind'"),
        ("k.csv", "", "no column 'from'"),
        ("k.csv", "from,to,kind\na,b,wanted\n", "line 2: kind 'wanted'"),
        ("k.csv", "from,to,kind\na,,required\n", "line 2: a required edge needs"),
        ("k.csv", "from,to,kind\na,first,tier\n", "line 2: 'first' is not the number"),
        ("k.csv", "from,to,kind\na,0,tier\nb,0,closed tier\n", "line 3: tier 0 is closed in some"),
        ("k.txt", "addtemporal\n", "line 1: the file must begin with /knowledge"),
        ("k.txt", "", "the file is empty"),
        ("k.txt", "/knowledge\nforbiddengroup\n", "line 2: 'forbiddengroup'"),
        ("k.txt", "/knowledge\nforbiddirect\na b c\n", "line 3: an edge is two names, not 3"),
        ("k.txt", "/knowledge\naddtemporal\nfirst a\n", "line 3: a tier begins with its number"),
        ("k.txt", "/knowledge\naddtemporal\n1 a\n1 b\n", "line 4: tier 1 is there already"),
    ],
)
def test_bad_files_are_refused_with_the_line(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(FileFormatError, match=f"{name}.*{message}"):
        read_knowledge(tmp_path / name)


def test_contradictions_in_files_name_the_file(tmp_path):
    (tmp_path / "k.csv").write_text("from,to,kind\na,b,required\nb,a,required\n")
    with pytest.raises(KnowledgeError, match=r"k\.csv: .*a -> b -> a"):
        read_knowledge(tmp_path / "k.csv")


def test_other_failures(tmp_path):
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_knowledge(tmp_path / "absent.toml")
    (tmp_path / "k.csv").write_bytes(b"from,to,kind\n\xff,b,required\n")
    with pytest.raises(FileFormatError, match="not UTF-8"):
        read_knowledge(tmp_path / "k.csv")
    with pytest.raises(KnowledgeError, match="format must be one of"):
        write_knowledge(FULL, tmp_path / "k", "yaml")


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("toml", "required = " + "[" * 5000),
        ("toml", "tiers = [[" + "[" * 900 + "]" * 900 + "]]"),
        ("toml", f"required = [[{'9' * 5000}, 1]]"),
        ("csv", f"from,to,kind\na,{'9' * 5000},tier\n"),
        ("txt", f"/knowledge\naddtemporal\n{'9' * 5000} a b\n"),
    ],
)
def test_deep_nesting_and_endless_numbers_are_refused(tmp_path, ending, text):
    path = tmp_path / f"k.{ending}"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=rf"k\.{ending}: "):
        read_knowledge(path)
