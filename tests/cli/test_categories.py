"""Tables of categories on the command line: look, fit, ask, hand on."""

import json

import numpy as np
import pandas as pd
import pytest

from arcs.learners import LEARNERS
from arcs.learners.arcs import Arcs


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    smoker = rng.random(300) < 0.5
    cough = smoker ^ (rng.random(300) < 0.1)
    words = {"smoker": np.where(smoker, "yes", "no"), "cough": np.where(cough, "often", "never")}
    path = tmp_path_factory.mktemp("data") / "patients.csv"
    pd.DataFrame(words).to_csv(path, index=False)
    return path


@pytest.fixture(autouse=True)
def real_method(run, monkeypatch):
    """The package's own method, which the quick ones of the other tests stand for."""
    monkeypatch.setitem(LEARNERS, "arcs", Arcs)


@pytest.fixture
def fitted(run, table, tmp_path):
    folder = tmp_path / "fitted"
    words = ("--discrete", "auto", "--bootstrap", "2", "--out", str(folder), "--json")
    outcome = run("fit", str(table), *words)
    assert outcome.exit_code == 0, outcome.output
    assert json.loads(outcome.stdout)["n_edges"] == 1
    return folder


def test_a_table_of_text_is_refused_with_what_would_work(run, table):
    outcome = run("fit", str(table))
    assert outcome.exit_code == 1
    assert "--discrete auto" in outcome.output


def test_levels_are_shown_beforehand(run, table):
    outcome = run("audit", str(table), "--discrete", "auto")
    assert "often" in outcome.stdout


def test_questions_and_files(run, table, fitted, tmp_path):
    told = run("predict", str(fitted), "--do", "smoker=yes", "--json")
    rows = json.loads(told.stdout)["variables"]
    assert {row["role"] for row in rows} == {"set", ""}
    assert "do(smoker)" in run("effect", str(fitted), "smoker", "cough").stdout
    below = [
        json.loads(run("effect", str(fitted), name, "--json").stdout)["effects"]
        for name in ("smoker", "cough")
    ]
    assert sorted(map(len, below)) == [0, 1]  # either way round
    assert "which way the edges between smoker" in run("effect", str(fitted), "smoker").output
    sets = json.loads(
        run("effect", str(fitted), "smoker", "cough", "--adjustment", "--json").stdout
    )
    assert set(sets) == {"probabilities", "adjustment"}
    assert "variables below the one that is set" in run("design", str(fitted)).stdout
    assert run("convert", str(fitted), str(tmp_path / "net.bif")).exit_code == 0
    assert "probability" in (tmp_path / "net.bif").read_text()
    new = tmp_path / "new.csv"
    new.write_text("smoker\nyes\n")
    filled = run("predict", str(fitted), "--data", str(new), "--out", str(tmp_path / "f.csv"))
    assert filled.exit_code == 0, filled.output
    assert (tmp_path / "f.csv").read_text() == "smoker,cough\nyes,often\n"
    assert run("repeat", str(fitted), str(table)).exit_code == 0
    assert "strength (log odds)" in run("show", str(fitted)).stdout


def test_methods_side_by_side(run, table):
    words = ("--discrete", "auto", "--methods", "arcs,cd", "--json")
    outcome = run("compare", str(table), *words)
    assert outcome.exit_code == 1  # of one method
    found, refused = json.loads(outcome.stdout)["methods"]
    assert found["edges"] == 1
    assert found["bic"] < 0
    assert "works on columns of numbers" in refused["failure"]


def test_what_is_wrong_is_said_in_options(run, table, fitted):
    other = run("fit", str(table), "--discrete", "auto", "--method", "cd")
    assert "works on columns of numbers" in other.output
    assert "do(smoker=no)" in run("predict", str(fitted), "--do", "smoker=no,yes").stdout
    wrong = run("predict", str(fitted), "--do", "smoker=maybe")
    assert wrong.exit_code == 1
    assert "its levels are 'no', 'yes'" in wrong.output
