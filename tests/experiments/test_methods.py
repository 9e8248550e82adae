"""What is run under which label."""

from __future__ import annotations

import dataclasses
import math

import pytest

from arcs.errors import SettingsError
from arcs.experiments import cases
from arcs.experiments.cases import CONTROLS, EXPERIMENTAL, HIGH_DIMENSIONAL, LOW_DIMENSIONAL
from arcs.experiments.methods import METHODS, Method, grid_label, method, methods_named
from arcs.experiments.studies import STUDIES
from arcs.experiments.tasks import Task, run_task
from arcs.learners import LEARNERS, learner

OBSERVATIONAL = HIGH_DIMENSIONAL[0]


@pytest.mark.parametrize("label", [label for label, m in METHODS.items() if m.grid_point is None])
def test_every_method_makes_a_learner(label):
    for case in (OBSERVATIONAL, EXPERIMENTAL[0]):
        settings = METHODS[label].settings_for(case)
        if settings.get("init") == "truth":
            settings["init"] = list(range(8))
        assert learner(METHODS[label].learner, **settings).name == METHODS[label].learner


def test_the_published_settings_depend_on_the_data():
    here, there = (METHODS["ARCS(GES)"].settings_for(c) for c in (OBSERVATIONAL, EXPERIMENTAL[0]))
    assert here["init"] == "ges"
    assert (here["refine"], there["refine"]) == (1e-5, 1e-3)
    # Section 5.4 has one level for its networks, with and without interventions.
    assert METHODS["ARCS(CD)"].settings_for(CONTROLS[0])["refine"] == 1e-3
    assert (here["n_iter"], here["interval"], here["temperature"]) == (10_000, 4, 1.0)
    assert METHODS["ARCS(RND)"].settings_for(EXPERIMENTAL[0])["temperature"] == 100.0
    assert METHODS["ARCS"].settings_for(OBSERVATIONAL) == {}
    assert METHODS["oracle MCP"].settings_for(OBSERVATIONAL)["search"] == "none"


def test_the_grid_is_the_papers():
    grid = [m.settings_for(OBSERVATIONAL) for m in METHODS.values() if m.grid_point is not None]
    assert len(grid) == 160
    root = math.sqrt(OBSERVATIONAL.setting.n)
    assert {s["gamma"] for s in grid} == {2, 10, 50, 100}
    lambdas = sorted({s["lam"] for s in grid})
    assert len(lambdas) == 20
    assert lambdas[0] == pytest.approx(0.1 * root)
    assert lambdas[-1] == pytest.approx(root)


def test_a_fingerprint_follows_the_settings_and_the_data():
    one = Method("x", "hc", {"max_parents": 2, "penalty": 1.0})
    same = Method("y", "hc", {"penalty": 1.0, "max_parents": 2})
    assert one.fingerprint(OBSERVATIONAL) == same.fingerprint(OBSERVATIONAL)
    other = dataclasses.replace(one, settings={"max_parents": 3, "penalty": 1.0})
    assert one.fingerprint(OBSERVATIONAL) != other.fingerprint(OBSERVATIONAL)
    # Whether a default is spelled out does not matter; what it is does.
    spelled = Method("z", "hc", {"max_parents": 2, "penalty": 1.0, "restarts": 0, "allowed": None})
    assert one.fingerprint(OBSERVATIONAL) == spelled.fingerprint(OBSERVATIONAL)
    arcs = METHODS["ARCS(CD)"]
    assert arcs.fingerprint(OBSERVATIONAL) != arcs.fingerprint(EXPERIMENTAL[0])


def test_a_fingerprint_follows_the_defaults(monkeypatch):
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Newer(LEARNERS["hc"]):
        patience: int = 99
        option: bool = False

    before = METHODS["HC"].fingerprint(OBSERVATIONAL)
    monkeypatch.setitem(LEARNERS, "hc", Newer)
    assert METHODS["HC"].fingerprint(OBSERVATIONAL) != before
    same = Method("HC", "hc", {"max_parents": 2, "patience": 15})
    assert same.fingerprint(OBSERVATIONAL) == before


def test_a_fingerprint_follows_the_defaults_of_the_start(monkeypatch):
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Newer(LEARNERS["ges"]):
        eager: bool = False

    before = {name: METHODS[name].fingerprint(OBSERVATIONAL) for name in ("ARCS(GES)", "ARCS(CD)")}
    monkeypatch.setitem(LEARNERS, "ges", Newer)
    assert METHODS["ARCS(GES)"].fingerprint(OBSERVATIONAL) != before["ARCS(GES)"]
    assert METHODS["ARCS(CD)"].fingerprint(OBSERVATIONAL) == before["ARCS(CD)"]


def test_every_study_names_known_methods():
    for study in STUDIES.values():
        assert [m.label for m in methods_named(study.methods)] == list(study.methods)


def test_labels_are_found_in_any_case_and_once():
    assert [m.label for m in methods_named(["arcs(ges)", "ges", "GES"])] == ["ARCS(GES)", "GES"]
    with pytest.raises(SettingsError, match=r"no method 'GESS'; did you mean 'GES'\?"):
        method("GESS")


def test_who_needs_more_rows_than_columns():
    assert not METHODS["FLOP"].applies(HIGH_DIMENSIONAL[0])
    assert METHODS["FLOP"].applies(LOW_DIMENSIONAL[0])
    assert METHODS["BOSS"].applies(HIGH_DIMENSIONAL[0])


@pytest.mark.parametrize("label", ["oracle l0", "oracle MCP"])
def test_an_oracle_never_reverses_an_edge(label):
    row = run_task(Task("Alarm-n185-experimental", 1000, label))
    assert row.status == "ok"
    assert row.R == 0
    assert row.TP > 35
    assert row.SHD <= 4


@pytest.mark.parametrize("start", ["CD", "GES"])
def test_points_of_a_grid_share_their_start_and_are_what_they_were(start):
    task = Task("Asia-n40-observational", 1000, grid_label(start, 1, 3))
    row = run_task(task)
    settings = method(task.method).settings_for(cases.case(task.case))
    assert settings["init"] == start.lower()
    found = learner("arcs", **settings, random_state=1000).fit(_data(task))
    assert row.score == pytest.approx(found.score, abs=1e-4)
    assert row.P == found.dag.adjacency.sum() > 0


def test_cpdags_are_judged_as_cpdags():
    # Of a class with undirected edges, a member would be right on some of them by chance.
    task = Task("Asia-n40-observational", 1000, "GES")
    row = run_task(task)
    found = learner("ges").fit(_data(task))
    assert found.cpdag.directed.sum() + found.cpdag.undirected.sum() // 2 == row.P


def _data(task):
    return cases.case(task.case).draw(task.seed).data


def test_a_fingerprint_ignores_what_the_search_does_not_look_at():
    def fingerprint(**settings):
        return Method("any", "arcs", settings).fingerprint(OBSERVATIONAL)

    annealing = {"penalty": "mcp", "search": "anneal", "n_iter": 100}
    assert fingerprint(**annealing, patience=7) == fingerprint(**annealing)
    for used in ({"patience": 7}, {"ebic": 0.3}, {"final_ebic": 1.1}):
        assert fingerprint(**used) != fingerprint()
    assert fingerprint(**annealing, interval=6) != fingerprint(**annealing)
    assert fingerprint(interval=6) == fingerprint()
    assert fingerprint(search="none", temperature=3.0) == fingerprint(search="none")
    assert fingerprint(temperature=3.0) != fingerprint()
