"""What is copied off the page does the same."""

import shlex
import subprocess

import numpy as np
import pytest
from typer.testing import CliRunner

from arcs.app.choices import Choices, Start, command_line, python_code
from arcs.app.tables import look_at, preview, propose_roles
from arcs.cli import app
from arcs.errors import SettingsError
from arcs.knowledge import Knowledge, read_knowledge
from arcs.learners import learner
from arcs.results import FitResult


@pytest.fixture
def chosen(table):
    looked = look_at(table)
    roles = {name: role for name, (role, _) in propose_roles(looked).items()}
    return looked, Choices(roles=roles, seed=3, settings={"max_parents": 2})


FRESH = Start()


def fitted(looked, choices, start=FRESH, order=None):
    settings = choices.learner_settings()
    if start.knowledge is not None:
        settings["knowledge"] = start.knowledge
    if order is not None:
        settings["init"] = order
    return learner(choices.method, **settings).fit(choices.read(looked))


def test_the_choices_are_what_is_read(chosen):
    looked, choices = chosen
    data = choices.read(looked)
    assert data.names == ("a", "b", "c", "d")
    assert data.interventions.rows_intervened.tolist() == [0, 50, 0, 0]


def test_the_command_line_fits_the_same_network(chosen, tmp_path, monkeypatch):
    looked, choices = chosen
    monkeypatch.chdir(tmp_path)
    first = fitted(looked, choices)
    known = Knowledge(forbidden=[("a", "b")])
    second = fitted(looked, choices, Start(1, known), first.order)
    texts = [command_line(choices, looked, s, k) for s, k in ((FRESH, 1), (Start(1, known), 2))]
    for text in texts:
        before, _, last = text.rpartition("\n")
        subprocess.run(["sh", "-e", "-c", before], check=True, timeout=60)
        ran = CliRunner().invoke(app, [*shlex.split(last)[1:], "--quiet"])
        assert ran.exit_code == 0, ran.output
    assert read_knowledge("knowledge-2.toml") == known
    for number, expected in ((1, first), (2, second)):
        found = FitResult.load(tmp_path / f"fit-{number}" / "result.json")
        assert np.array_equal(found.dag.coefficients, expected.dag.coefficients)
        assert found.order.nodes.tolist() == expected.order.nodes.tolist()
    assert not second.dag.adjacency[0, 1]


def test_the_python_code_fits_the_same_network(chosen, tmp_path, monkeypatch):
    looked, choices = chosen
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fit-1").mkdir()
    (tmp_path / "fit-2").mkdir()
    known = Knowledge(required=[("d", "c")])
    first = fitted(looked, choices)
    second = fitted(looked, choices, Start(1, known), first.order)
    for start, number in ((Start(), 1), (Start(1, known), 2)):
        exec(compile(python_code(choices, looked, start, number), "copied", "exec"), {})
    for number, expected in ((1, first), (2, second)):
        found = FitResult.load(tmp_path / f"fit-{number}" / "result.json")
        assert np.array_equal(found.dag.coefficients, expected.dag.coefficients)


def test_transforms_of_all_and_of_single_columns(chosen):
    looked, choices = chosen
    assert choices.transforms() is None
    ranks = choices.with_(transform="normal-scores")
    assert ranks.transforms() == "normal-scores"
    mixed = ranks.with_(scales={"a": "none", "target": "log"})
    assert mixed.transforms() == dict.fromkeys("bcd", "normal-scores")
    text = command_line(mixed, looked, FRESH, 1)
    assert "--transform normal-scores:b,c,d" in text.replace("'", "")
    ran = CliRunner().invoke(app, ["fit", "--help"])
    assert "--transform" in ran.output
    before, after = choices.read(looked), mixed.read(looked)
    assert np.array_equal(before.values[:, 0], after.values[:, 0])
    alike = np.flatnonzero(~before.interventions.mask[:, 1])  # ranks are taken within conditions
    order = alike[np.argsort(before.values[alike, 3])]
    assert np.all(np.diff(after.values[order, 3]) > 0)
    assert preview(after)["d"] != preview(before)["d"]
    assert sum(preview(after)["d"]) == 200


def test_hostile_names_stay_one_word(tmp_path):
    path = tmp_path / "it's; $(touch broken).csv"
    rows = [f"{k},{k * k % 7},{k % 3}" for k in range(9)]
    path.write_text("\n".join(["a,$(touch broken),c", *rows]))
    looked = look_at(path)
    choices = Choices(roles={"a": "variable", "$(touch broken)": "out", "c": "variable"})
    text = command_line(choices, looked, Start(), 1).replace("arcs fit", "printf '%s\\n'")
    printed = subprocess.run(["sh", "-c", text], capture_output=True, text=True, cwd=tmp_path)
    assert printed.stdout.splitlines()[0] == str(path)
    assert "$(touch broken)" in printed.stdout.splitlines()
    assert not (tmp_path / "broken").exists()


def test_unknown_choices_are_refused():
    with pytest.raises(SettingsError, match="'nonsense'"):
        Choices.from_dict({"nonsense": 1})
    two = Choices(roles={"x": "intervention", "y": "intervention"})
    with pytest.raises(SettingsError, match="2 columns"):
        two.reading()


def test_arcs_app_refuses_other_machines_unless_told(tmp_path):
    runner = CliRunner()
    refused = runner.invoke(app, ["app", "--host", "0.0.0.0"])
    assert refused.exit_code == 1
    assert "--i-know" in refused.output
    missing = runner.invoke(app, ["app", str(tmp_path / "nothing.csv")])
    assert missing.exit_code == 1
    assert "there is no such file" in missing.output
