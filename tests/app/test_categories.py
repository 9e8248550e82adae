"""Categories in the app: a role of columns, the same recipe, and answers in probabilities."""

import shlex

import numpy as np
import pytest
from typer.testing import CliRunner

from arcs.app import actions
from arcs.app.choices import Choices, Start, command_line, python_code
from arcs.app.strength_answers import edge_answer
from arcs.app.tables import ROLES, look_at, propose_roles
from arcs.app.windows import Windows
from arcs.app.works import open_work
from arcs.cli import app
from arcs.data import Dataset
from arcs.discrete_results import fitted_to
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


def test_names_with_commas_are_quoted_in_what_is_copied(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text('"a,b","say ""c""",d\n' + "x,y,0.5\nu,v,1.5\nx,v,2.5\nu,y,3.5\n")
    choices = Choices(roles={"a,b": "category", 'say "c"': "category", "d": "variable"})
    words = shlex.split(command_line(choices, look_at(path), Start(), 1))
    listed = words[words.index("--discrete") + 1]
    assert Dataset.of(path, discrete=listed).discrete == ("a,b", 'say "c"')


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


def test_columns_of_text_are_proposed_as_categories(patients, tmp_path):
    """Several of them describe the rows; a single one among numbers may group them."""
    proposed = propose_roles(look_at(patients))
    assert [proposed[name][0] for name in ("smoker", "cancer")] == ["category", "category"]
    assert proposed["grade"] == ("variable", "")
    path = tmp_path / "grouped.csv"
    path.write_text("x,drug\n" + "\n".join(f"{k * 0.7},{'ab'[k % 2]}" for k in range(40)))
    assert propose_roles(look_at(path))["drug"][0] == "condition"


def test_numbers_are_cut_with_a_preview(window, tmp_path, monkeypatch):
    """A way to cut is a scale: for single columns, or for all of them."""
    looked = window.needed_table()
    told = actions.choose(window, {"roles": {**ROLE, "grade": "variable"}, "transform": "width-2"})
    assert told["problems"] == []
    assert [level for level, _ in told["levels"]["grade"]] == ["<= 2", "> 2"]
    assert sum(rows for _, rows in told["levels"]["grade"]) == 400
    assert "'grade' is cut at 2" in told["notes"]
    every = window.choices.read(looked)
    one = window.choices.with_(transform="none", scales={"grade": "width-2"}, roles=ROLE)
    assert one.cuts() == {"grade": "width-2"}
    assert one.transforms() is None
    assert one.read(looked).levels == every.levels
    assert window.choices.with_(scales={"grade": "none"}).cuts() == {}
    # A scale for all variables is one for all numbers.
    scaled = window.choices.with_(transform="normal-scores")
    assert scaled.transforms() == {"grade": "normal-scores"}
    assert scaled.read(looked).discrete == ("smoker", "cancer")
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command_line(one, looked, Start(), 1))
    assert words[words.index("--discretize") + 1] == "width-2:grade"
    result = learner("arcs", random_state=0).fit(every)
    ran = CliRunner().invoke(app, [*words[1:], "--quiet", "--bootstrap", "0"])
    assert ran.exit_code == 0, ran.output
    assert FitResult.load(tmp_path / "fit-1" / "result.json").dag == result.dag


def test_a_folder_of_a_fit_with_categories_goes_on_as_it_was(window, patients, tmp_path):
    """What was a category there is one here, so that resamples and new fits are of the same."""
    model = learner("arcs", random_state=0)
    data = Choices(roles=ROLE, missing="drop").read(look_at(patients))
    (tmp_path / "out").mkdir()
    model.fit(data).save(tmp_path / "out" / "result.json")
    open_work(window, tmp_path / "out")
    assert window.choices.roles == ROLE
    window.choices = window.choices.with_(missing="drop")
    assert fitted(window).dag == model.fit(data).dag


def test_edges_of_causes_that_may_interact_have_no_table(tmp_path):
    rng = np.random.default_rng(1)
    sex, dose = rng.integers(0, 2, 300), rng.normal(size=300)
    values = np.column_stack([sex, dose, sex * dose + rng.normal(size=300)]).astype(float)
    data = Dataset(["sex", "dose", "effect"], values=values, levels=(("f", "m"), None, None))
    adjacency = np.zeros((3, 3), bool)
    adjacency[:2, 2] = True
    penalty = {"kind": "conditional-gaussian", "gamma": 0.0}
    told = edge_answer(fitted_to("by hand", adjacency, data, penalty=penalty), 1, 2)
    assert "table" not in told
    assert "on average only" in told["remark"]
