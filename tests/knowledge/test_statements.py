"""What statements mean, and which of them contradict each other."""

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcs.errors import KnowledgeError
from arcs.graphs.equivalence import cpdag_of, find_cycle, members
from arcs.knowledge import Knowledge, Restrictions, admissible_member, restricted_class

NAMES = ("a", "b", "c", "d")


def allowed_edges(knowledge, names=NAMES):
    allowed = knowledge.resolve(names).allowed
    return {(names[i], names[j]) for i, j in np.argwhere(allowed)}


ALL = set(itertools.permutations(NAMES, 2))


def test_nothing_said_allows_everything():
    assert not Knowledge()
    assert allowed_edges(Knowledge()) == ALL
    assert not Knowledge().resolve(NAMES).required.any()


def test_forbidden_edges_only_in_their_direction():
    assert allowed_edges(Knowledge(forbidden=[("a", "b")])) == ALL - {("a", "b")}


def test_required_edges_forbid_whatever_would_close_a_cycle():
    known = Knowledge(required=[("a", "b"), ("b", "c")])
    required = known.resolve(NAMES).required
    assert np.argwhere(required).tolist() == [[0, 1], [1, 2]]
    assert allowed_edges(known) == ALL - {("b", "a"), ("c", "b"), ("c", "a")}


def test_tiers_forbid_the_way_back_and_leave_others_free():
    back = {("b", "a"), ("c", "a")}
    assert allowed_edges(Knowledge(tiers=[["a"], ["b", "c"]])) == ALL - back


def test_closed_tiers_have_no_edges_within():
    tiers = [["a", "b"], ["c", "d"]]
    back = {("c", "a"), ("c", "b"), ("d", "a"), ("d", "b")}
    first, second = {("a", "b"), ("b", "a")}, {("c", "d"), ("d", "c")}
    for within, gone in ((True, set()), (False, first | second), ([False, True], first)):
        known = Knowledge(tiers=tiers, edges_within_tiers=within)
        assert allowed_edges(known) == ALL - back - gone


def test_roots_and_leaves():
    known = Knowledge(roots=["a"], leaves=["d"])
    into_a = {(x, "a") for x in "bcd"}
    out_of_d = {("d", x) for x in "abc"}
    assert allowed_edges(known) == ALL - into_a - out_of_d


def test_columns_may_be_given_by_number():
    by_number = Knowledge(required=[(0, 1)], tiers=[[0, 1], [np.int64(3)]], roots=[2])
    by_name = Knowledge(required=[("a", "b")], tiers=[["a", "b"], ["d"]], roots=["c"])
    for mine, theirs in zip(by_number.resolve(NAMES), by_name.resolve(NAMES), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_is_frozen_hashable_and_equal_by_content():
    known = Knowledge(required=[["a", "b"], ("a", "b")], tiers=[["a"], ["b"]])
    assert known.required == (("a", "b"),)
    assert known == Knowledge(required=[("a", "b")], tiers=[("a",), ("b",)])
    assert hash(known) == hash(Knowledge(required=[("a", "b")], tiers=[("a",), ("b",)]))
    with pytest.raises(dataclasses.FrozenInstanceError):
        known.required = ()
    assert Knowledge(**known.to_dict()) == known


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "cycle: a -> b -> c -> a"),
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, "'a' -> 'b' is required, but that"),
        ({"required": [("b", "a")], "tiers": [["a"], ["b"]]}, "from tier 1 to tier 0"),
        (
            {"required": [("a", "b")], "tiers": [["a", "b"]], "edges_within_tiers": False},
            "tier 0 has no edges within",
        ),
        ({"required": [("a", "b")], "roots": ["b"]}, "'b' is a root"),
        ({"required": [("a", "b")], "leaves": ["a"]}, "'a' is a leaf"),
        ({"tiers": [["a"], ["b", "a"]]}, "'a' stands in tier 0 and in tier 1"),
        ({"required": [("a", "a")]}, "joins a variable to itself"),
        ({"required": ["ab"]}, "pairs"),
        ({"forbidden": [("a", 1.5)]}, "not 1.5"),
        ({"roots": "abc"}, "must be a list"),
        ({"tiers": [["a"], ["b"]], "edges_within_tiers": [True]}, "each of the 2 tiers"),
    ],
)
def test_contradictions_are_refused_up_front(statements, message):
    with pytest.raises(KnowledgeError, match=message):
        Knowledge(**statements)


def test_contradictions_between_names_and_numbers_are_found_when_resolved():
    known = Knowledge(required=[("a", "b"), (1, 0)])
    with pytest.raises(KnowledgeError, match="a -> b -> a"):
        known.resolve(NAMES)


def test_unknown_variables_are_named_with_the_nearest():
    with pytest.raises(KnowledgeError, match=r"'hart'.*did you mean 'heart'"):
        Knowledge(roots=["hart"]).resolve(["heart", "lung"])
    with pytest.raises(KnowledgeError, match="column 7, but there are 4"):
        Knowledge(roots=[7]).resolve(NAMES)


# ---------------------------------------------------------------------- against brute force
@st.composite
def dags_and_allowed(draw, p=4):
    order = draw(st.permutations(range(p)))
    dag, allowed = np.zeros((p, p), bool), ~np.eye(p, dtype=bool)
    for i, j in itertools.combinations(range(p), 2):
        dag[order[i], order[j]] = draw(st.booleans())
    for i, j in itertools.permutations(range(p), 2):
        allowed[i, j] = draw(st.integers(0, 4)) > 0
    return dag, allowed


@given(dags_and_allowed())
@settings(max_examples=300, deadline=None)
def test_admissible_member_is_found_exactly_if_there_is_one(case):
    dag, allowed = case
    pdag = cpdag_of(dag)
    agreeing = [m for m in members(pdag) if not (np.asarray(m) & ~allowed).any()]
    found = admissible_member(pdag.directed, pdag.undirected, allowed)
    assert (found is not None) == bool(agreeing)
    if found is not None:
        assert any(np.array_equal(found, m) for m in agreeing)


@given(dags_and_allowed())
@settings(max_examples=300, deadline=None)
def test_restricted_class_is_what_agreeing_members_have_in_common(case):
    dag, allowed = case
    allowed = allowed | dag
    restricted = restricted_class(dag, allowed)
    agreeing = [np.asarray(m) for m in members(cpdag_of(dag)) if not (m & ~allowed).any()]
    common = np.logical_and.reduce(agreeing)
    np.testing.assert_array_equal(restricted.directed, common)
    np.testing.assert_array_equal(restricted.skeleton, dag | dag.T)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_resolved_matrices_admit_exactly_the_graphs_that_satisfy_the_statements(data):
    pairs = st.tuples(st.sampled_from("abc"), st.sampled_from("abc")).filter(lambda e: e[0] != e[1])
    required = data.draw(st.lists(pairs, max_size=2))
    forbidden = data.draw(st.lists(pairs, max_size=3))
    root = data.draw(st.sampled_from(["", "a"]))
    try:
        known = Knowledge(required, forbidden, roots=[root] if root else [])
    except KnowledgeError:
        known = None
    satisfying = 0
    for bits in itertools.product([False, True], repeat=6):
        graph = np.zeros((3, 3), bool)
        graph[~np.eye(3, dtype=bool)] = bits
        edges = {("abc"[i], "abc"[j]) for i, j in np.argwhere(graph)}
        if find_cycle(graph) is not None:
            continue
        good = set(required) <= edges and not edges & set(forbidden)
        good &= not (root and any(b == root for _, b in edges))
        satisfying += good
        if known is not None:
            assert known.resolve(["a", "b", "c"]).admits(graph) == good
    assert (known is not None) == (satisfying > 0)


def test_admits_looks_at_both_matrices():
    known = Restrictions(np.ones((2, 2), bool), np.array([[False, True], [False, False]]))
    assert known.admits(np.array([[0, 1], [0, 0]]))
    assert not known.admits(np.zeros((2, 2)))
