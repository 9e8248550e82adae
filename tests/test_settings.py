"""What settings may be: every learner's, one by one, before anything runs."""

import dataclasses
import math

import numpy as np
import pytest

import arcs
from arcs.errors import SettingsError
from arcs.learners import LEARNERS, learner, learner_names
from arcs.settings import (
    FLAG,
    LEVEL,
    NONE,
    PATH,
    SECONDS,
    SEED,
    check_settings,
    choice,
    described_settings,
    number,
    numbers_of,
    setting,
    whole,
)


# --------------------------------------------------------------------------- rules
@pytest.mark.parametrize(
    ("rule", "given", "plain"),
    [
        (whole(1), np.int32(4), 4),
        (whole(0, 3), 3, 3),
        (number(0), 1, 1.0),
        (number(0), np.float32(0.5), 0.5),
        (number(above=0, below=1), 0.25, 0.25),
        (number(0, most=1), 1, 1.0),
        (choice("a", "b"), "b", "b"),
        (FLAG, np.True_, True),
        (LEVEL, 0.01, 0.01),
        (SECONDS, 2, 2.0),
        (SEED, 10**30, 10**30),
        (PATH, "x.npz", "x.npz"),
        (numbers_of(number(above=0)), [3, 2.5], (3.0, 2.5)),
        (numbers_of(number(0)), np.arange(2), (0.0, 1.0)),
        (number(0) | choice("adaptive"), "adaptive", "adaptive"),
        (whole(1) | NONE, None, None),
    ],
)
def test_values_in_their_plain_form(rule, given, plain):
    found = rule.check("it", given)
    assert found == plain
    assert type(found) is type(plain)


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        *((whole(1), value) for value in (0, 1.0, 2.9, "1", True, None, 10**30, math.nan)),
        *((number(0), value) for value in (-1, "x", True, None, [1], math.nan, math.inf, 10**30)),
        *((number(above=0), value) for value in (0, 0.0, 1e300)),
        *((LEVEL, value) for value in (0, 1, 1.5, "0.5", math.nan)),
        *((FLAG, value) for value in (0, 1, "true", None)),
        *((SEED, value) for value in (-1, 1.5, True, "0", [1], 2**200)),
        *((SECONDS, value) for value in (0, -1, "x", math.inf)),
        *((numbers_of(number(0)), value) for value in ([], "123", [1, -1], [[1]], 3, [math.nan])),
        (choice("a", "b"), "c"),
        (choice("a", "b"), ["a"]),
        *((PATH, value) for value in (3, "", "a\0b", "\ud800.npz", b"bytes")),
    ],
)
def test_what_is_not_allowed_is_named(rule, value):
    with pytest.raises(SettingsError, match="size must be ") as caught:
        rule.check("size", value)
    assert rule.words in str(caught.value)


def test_a_number_of_five_thousand_digits_is_no_reason_to_fail():
    with pytest.raises(SettingsError, match="more than 38 digits"):
        whole(1).check("size", 10**5000)


@pytest.mark.parametrize("value", [1e300, 10**30, -(10**30)])
def test_what_is_merely_too_large_is_told_the_limit(value):
    with pytest.raises(SettingsError, match=r"got .*\(settings are at most 1e\+12\)$"):
        (number(-5) | whole(1) | NONE).check("size", value)


def test_ranges_in_words():
    assert whole(2).words == "a whole number of at least 2"
    assert whole(2, 5).words == "a whole number from 2 to 5"
    assert number(above=1).words == "a number above 1"
    assert number(0, most=1).words == "a number from 0 to 1"
    assert (number(0) | choice("adaptive")).words == "a number of at least 0, or 'adaptive'"


@dataclasses.dataclass(frozen=True)
class Example:
    """An example.

    Parameters
    ----------
    size : int
        How many there are. More is better.
    low, high : float
        Bounds of a
        range.

    Notes
    -----
    size : nothing to do with it
    """

    size: int = setting(3, whole(1))
    low: float = setting(0, number(0))
    high: float = setting(1, number(0))
    free: object = None


def test_a_dataclass_is_checked_and_described():
    example = Example(low=2)
    check_settings(example)
    assert type(example.low) is float
    with pytest.raises(SettingsError, match=r"size must be a whole number of at least 1, got 2\.5"):
        check_settings(Example(size=2.5))
    described = {entry.name: entry for entry in described_settings(Example)}
    assert described["size"].about == "How many there are."
    assert described["high"].about == "Bounds of a range."
    assert (described["free"].default, described["free"].about) == (None, "")


# --------------------------------------------------------------------------- learners
every_learner = pytest.mark.parametrize("name", learner_names())


@every_learner
def test_every_setting_is_declared_and_explained(name):
    for entry in dataclasses.fields(LEARNERS[name]):
        assert "rule" in entry.metadata, entry.name
    for entry in described_settings(LEARNERS[name]):
        assert entry.about, entry.name


@every_learner
def test_defaults_are_allowed(name):
    made = learner(name)
    for entry in dataclasses.fields(made):
        assert getattr(made, entry.name) == entry.default


@every_learner
def test_no_setting_takes_just_anything(name):
    strange = object()
    for entry in dataclasses.fields(LEARNERS[name]):
        if entry.name not in ("init", "allowed"):
            with pytest.raises(SettingsError, match=f"{entry.name} must be"):
                learner(name, **{entry.name: strange})


@every_learner
def test_unknown_settings_come_with_a_list_of_the_known(name):
    with pytest.raises(SettingsError, match=r"no setting 'time_limt'.*'time_limit'.*random_state"):
        learner(name, time_limt=1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_parents": 2.9}, "max_parents must be a whole number"),
        ({"penalty": "scad", "max_parents": 3.7}, "max_parents must be a whole number"),
        ({"penalty": "mcp", "max_parents": 1.5}, "max_parents must be a whole number"),
        ({"max_parents": 10**30}, "max_parents must be a whole number"),
        ({"time_limit": "x"}, "time_limit must be a positive number of seconds"),
        ({"ebic": None}, "ebic must be a number"),
        ({"ebic": math.inf}, "ebic must be a number"),
        ({"ebic": 10**30}, "ebic must be a number"),
        ({"patience": math.nan}, "patience must be a whole number"),
        ({"patience": math.inf}, "patience must be a whole number"),
        ({"n_chains": 1.5}, "n_chains must be a whole number"),
        ({"random_state": -1}, "random_state must be a whole number of at least 0"),
        ({"temperature": [1.0, 0.5]}, "temperature must be a number with search='pulls'"),
        ({"temperature": 1e300}, "temperature must be a number"),
        ({"temperature": "hot"}, "temperature must be a number"),
        ({"penalty": "scad", "gamma": 2}, "gamma of SCAD must be a number above 2"),
        ({"penalty": "mcp", "gamma": 1, "lam": None}, "gamma must be a number above 1"),
        ({"gamma": 3.0}, "the penalty l0 has no gamma"),
        ({"penalty": "l1", "gamma": 3.0}, "the penalty l1 has no gamma"),
        ({"penalty": "mcp", "ebic": 0.5}, "ebic=0.5 is a price for penalty='l0' without lam"),
        ({"penalty": "l1", "final_ebic": 2.0}, "final_ebic=2.0 is a price for penalty='l0'"),
        ({"lam": 3.0, "ebic": 2.0}, "ebic=2.0 is a price for penalty='l0' without lam"),
        ({"n_jobs": 0}, "n_jobs must be a whole number of at least 1, or"),
        ({"n_jobs": -2}, "n_jobs must be"),
        ({"resume": True}, "resume needs a checkpoint"),
        ({"checkpoint": "no such folder/c.npz"}, "checkpoint: there is no folder 'no such folder'"),
        ({"checkpoint": "."}, "checkpoint: '.' is a folder"),
        ({"checkpoint": "a\0b"}, "checkpoint must be a path"),
        ({"init": "gess"}, "no learner 'gess'.*'ges'"),
    ],
)
def test_settings_of_arcs_are_refused_before_anything_runs(settings, message):
    with pytest.raises(SettingsError, match=message):
        learner("arcs", **settings)
    with pytest.raises(SettingsError, match=message):
        arcs.ARCS(**settings).fit(np.zeros((0, 0)))  # not even the data are looked at


@pytest.mark.parametrize("name", ["hc", "mmhc"])
def test_an_infinite_price_is_refused(name):
    with pytest.raises(SettingsError, match="penalty must be a number of at least 0, got inf"):
        learner(name, penalty=math.inf)


def test_a_price_that_nothing_pays_leaves_no_edge(linear_rows):
    result = arcs.ARCS(ebic=1e9, random_state=0).fit(linear_rows(60, 5, 0)).result_
    assert result.n_edges == 0
    assert math.isfinite(result.score)


def test_the_price_of_changes_may_be_set_with_any_penalty():
    for settings in ({"penalty": "mcp", "lam": 1.0, "gamma": 2.0}, {"lam": 3.0}):
        assert learner("arcs", ebic=2.0, intervention_kind="unknown", **settings).ebic == 2.0


# --------------------------------------------------------------------------- two faces
def test_generators_are_seeds_for_every_face(linear_rows):
    rows = linear_rows(80, 6, 0)
    for make in (np.random.default_rng, np.random.RandomState):
        first, second = (learner("arcs", random_state=make(5)) for _ in range(2))
        assert first == second
        assert isinstance(first.random_state, int)
        one = arcs.ARCS(random_state=make(5)).fit(rows)
        np.testing.assert_array_equal(one.adjacency_, first.fit(rows).dag.adjacency)
    shared = np.random.default_rng(5)
    seeds = {learner("ga", random_state=shared).random_state for _ in range(3)}
    assert len(seeds) == 3


def test_both_faces_take_statistics(linear_rows):
    rows = linear_rows(80, 6, 0)
    statistics = arcs.Dataset.of(rows).statistics()
    plain, given = arcs.ARCS(random_state=0).fit(rows), arcs.ARCS(random_state=0).fit(statistics)
    np.testing.assert_array_equal(plain.coef_, given.coef_)
    assert given.n_features_in_ == 6
    ges = learner("ges")
    np.testing.assert_array_equal(
        ges.fit(rows).dag.coefficients, ges.fit(statistics).dag.coefficients
    )


def test_learners_and_rooms_are_at_hand():
    for name in ("cd", "ga", "ges", "gies", "hc", "listen", "mmhc", "pc"):
        assert getattr(arcs, name.upper()) is LEARNERS[name]
    for room in ("plots", "simulate", "datasets", "learners", "knowledge"):
        assert getattr(arcs, room).__name__ == f"arcs.{room}"
        assert room in dir(arcs)
    with pytest.raises(AttributeError, match="no attribute 'plot'"):
        arcs.plot  # noqa: B018
