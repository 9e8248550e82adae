"""Categories in the app: a role of columns, the same recipe, and answers in probabilities."""

import shlex

import numpy as np
import pytest
from typer.testing import CliRunner

from arcs.app import actions
from arcs.app.choices import Choices, Start, command_line, python_code
from arcs.app.tables import ROLES, look_at
from arcs.app.windows import Windows
from arcs.cli import app
from arcs.errors import GraphError
from arcs.learners import learner
from arcs.results import FitResult

ROLE = {"smoker": "category", "cancer": "category", "grade": "category"}


@pytest.fixture
def patients(tmp_path):
    """smoker -> cancer -> grade (of small numbers), and a hole."""
    rng = np.random.default_rng(0)
    smoker = rng.random(400) < 0.4
    cancer = np.where(smoker, rng.random(400) < 0.7, rng.random(400) < 0.1)
    grade = 1 + (rng.random(400) < np.where(cancer, 0.8, 0.1)) + (rng.random(400) < 0.2)
    words = np.array(["no", "yes"])
    rows = zip(words[smoker.astype(int)], words[cancer.astype(int)], grade, strict=True)
    lines = ["smoker,cancer,grade", *(f"{a},{b},{c}" for a, b, c in rows)]
    lines[7] = "," + lines[7].partition(",")[2]
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def window(tmp_path, patients):
    window = Windows(tmp_path / "1-server")["abcdefgh"]
    window.tell = lambda kind, content: None
    window.take_table(patients)
    window.choices = window.choices.with_(roles=ROLE, missing="level")
    return window


def fitted(window):
    actions.fit(window, {})
    window.job._thread.join(300)
    return window.fit_number().result


def test_the_role_is_offered_and_read(patients):
    assert "category" in ROLES
    looked = look_at(patients)
    data = Choices(roles=ROLE, missing="level").read(looked)
    assert [len(own) for own in data.levels] == [3, 2, 3]  # the hole is a level
    numbers = Choices(roles={**ROLE, "grade": "variable"}, missing="drop").read(looked)
    assert [own is None for own in numbers.levels] == [False, False, True]


def test_what_is_copied_off_the_page_does_the_same(patients, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    looked, choices = look_at(patients), Choices(roles=ROLE, missing="drop")
    expected = learner("arcs", random_state=0).fit(choices.read(looked))
    text = command_line(choices, looked, Start(), 1)
    assert "--discrete smoker,cancer,grade" in text
    ran = CliRunner().invoke(app, [*shlex.split(text)[1:], "--quiet", "--bootstrap", "0"])
    assert ran.exit_code == 0, ran.output
    assert FitResult.load(tmp_path / "fit-1" / "result.json").dag == expected.dag
    (tmp_path / "fit-2").mkdir()
    exec(compile(python_code(choices, looked, Start(), 2), "copied", "exec"), {})
    assert FitResult.load(tmp_path / "fit-2" / "result.json").dag == expected.dag


def test_answers_are_probabilities(window):
    result = fitted(window)
    names, dag = list(result.names), result.dag
    graph = actions.graph(window, {})["graph"]
    assert graph["levels"][names.index("cancer")] == ["no", "yes"]
    source, target = np.argwhere(dag.adjacency)[0].tolist()
    about = actions.node(window, {"node": target})
    assert about["equation"].startswith(f"P({names[target]}")
    assert "residuals" not in about
    told = actions.edge(window, {"source": source, "target": target})
    row = next(
        row
        for row in result.edge_table().rows()
        if (row["from"], row["to"]) == (names[source], names[target])
    )
    assert told["nats"] == pytest.approx(row["strength"])
    assert "coefficient" not in told or told["coefficient"] is not None
    level, *shares = told["table"]["rows"][0]
    expected = result.probability(target, do={source: level})
    assert shares == pytest.approx(list(expected.values()))
    effects = actions.effects(window, {"node": source})["tables"]
    assert target in [table["target"] for table in effects]
    then = actions.what_if(window, {"do": {names[source]: level}})["shares"]
    moved = [row for row in then if row["node"] == target]
    assert [row["after"] for row in moved] == pytest.approx(list(expected.values()))
    assert [row["before"] for row in moved] == pytest.approx(
        list(result.probability(target).values())
    )
    with pytest.raises(GraphError, match="no edge"):
        actions.edge(window, {"source": target, "target": source})
    with pytest.raises(GraphError, match="choose a variable"):
        actions.what_if(window, {})
    assert "P(" in actions.report(window)
