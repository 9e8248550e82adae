"""A fit done again from its result: the same to the last bit, or said to be not."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from arcs.cli import app
from arcs.repeating import differences, same_learner
from arcs.results import FitResult


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Experiments with a column of labels, gaps, a constant column and one to leave out."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(80, 4)) @ (np.eye(4) + np.triu(rng.normal(size=(4, 4)), 1))
    labels = ["a" if k % 5 == 0 else "none" for k in range(80)]
    lines = ["a,b,c,d,id,same,target"]
    for k, (row, label) in enumerate(zip(values.tolist(), labels, strict=True)):
        cells = ["" if k == 7 and j == 1 else repr(x) for j, x in enumerate(row)]
        lines.append(",".join([*cells, f"row{k}", "1", label]))
    (tmp_path / "cells.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


READING = ("-i", "target", "--control", "none", "--exclude", "id", "--missing", "drop")
READING += ("--constant", "isolate", "--bootstrap", "0", "-q")


@pytest.mark.parametrize(
    "words",
    [
        ("--seed", "3"),
        ("--seed", "1", "--chains", "2", "--set", "penalty=mcp"),
        ("-m", "hc", "--set", "max_parents=2"),
        ("-m", "gies"),
        ("--intervention-kind", "soft"),
        ("--knowledge", "known.toml"),
    ],
)
def test_the_same_data_give_the_same(folder, words):
    (folder / "known.toml").write_text('forbidden = [["a", "b"]]\n')
    assert run("fit", "cells.csv", *READING, *words, "-o", "out").exit_code == 0
    again = run("repeat", "out", "cells.csv")
    assert again.exit_code == 0, again.output
    assert again.stdout == "the same, to the last bit\n"


@pytest.mark.parametrize(
    "words",
    [
        ("--discretize", "quantiles-2"),
        ("--discretize", "quantiles-2:a,b", "--set", "discrete_score=bic"),
        ("--discrete", "plate", "--knowledge", "known.toml"),
        ("--adjust", "plate"),
        ("--conditions", "plate", "--condition-policy", "free"),
        ("--transform", "normal-scores"),
        ("--latent", "1"),
    ],
)
def test_categories_covariates_conditions_and_factors_are_repeated(folder, words):
    (folder / "known.toml").write_text('forbidden = [["a", "b"]]\n')
    rows = np.loadtxt(folder / "cells.csv", delimiter=",", skiprows=1, usecols=(0, 2, 3))
    plates = ["one", "two", "three"] * 27
    lines = [
        ",".join([*map(repr, row), plate])
        for row, plate in zip(rows.tolist(), plates, strict=False)
    ]
    (folder / "plates.csv").write_text("\n".join(["a,b,c,plate", *lines]) + "\n")
    apart = () if "plate" in words else ("--exclude", "plate")
    done = run("fit", "plates.csv", *words, *apart, "--bootstrap", "0", "-q", "-o", "out")
    assert done.exit_code == 0, done.output
    again = run("repeat", "out", "plates.csv")
    assert again.stdout == "the same, to the last bit\n", again.output


def test_other_data_give_something_else(folder):
    run("fit", "cells.csv", *READING, "-o", "out")
    text = (folder / "cells.csv").read_text().splitlines()
    (folder / "other.csv").write_text("\n".join(text[:60]) + "\n")
    again = run("repeat", "out/result.json", "other.csv")
    assert again.exit_code == 1
    assert again.stdout.startswith("not the same:\n")
    assert "coefficients: by at most" in again.stdout
    answer = json.loads(run("repeat", "out", "other.csv", "--json").stdout)
    assert answer["same"] is False
    assert answer["versions"] == []


def test_a_start_that_was_a_graph_is_repeated(folder):
    from arcs.learners import learner

    values = np.random.default_rng(1).normal(size=(50, 4))
    start = learner("hc").fit(values).dag
    for init in (start, start.order(), np.triu(np.ones((4, 4), bool), 1), start.cpdag()):
        result = learner("arcs", init=init, search="none", random_state=0).fit(values)
        loaded = FitResult.load(result.save(folder / "result.json"))
        assert differences(loaded, same_learner(loaded).fit(values)) == []


@pytest.mark.parametrize(
    ("method", "settings"),
    [("arcs", {}), ("arcs", {"init": "ga"}), ("ga", {"generations": 20}), ("hc", {"restarts": 2})],
)
def test_a_fit_without_a_seed_is_repeated(folder, method, settings):
    """With 12 variables of pure noise another seed gives another order."""
    from arcs.learners import learner

    values = np.random.default_rng(1).normal(size=(30, 12))
    result, another = (learner(method, **settings).fit(values) for _ in range(2))
    assert result.seed != another.seed
    loaded = FitResult.load(result.save(folder / "result.json"))
    assert loaded.seed == loaded.settings["random_state"] == result.seed
    assert differences(loaded, same_learner(loaded).fit(values)) == []


@pytest.mark.parametrize("method", ["hc", "mmhc"])
def test_a_matrix_of_allowed_edges_is_repeated(folder, method):
    from arcs.learners import learner

    rng = np.random.default_rng(1)
    values = rng.normal(size=(60, 4)) @ (np.eye(4) + np.triu(np.ones((4, 4)), 1))
    allowed = np.tril(np.ones((4, 4), bool), -1)
    result = learner(method, allowed=allowed).fit(values)
    assert result.n_edges
    loaded = FitResult.load(result.save(folder / "result.json"))
    assert differences(loaded, same_learner(loaded).fit(values)) == []


def test_methods_without_random_numbers_draw_no_seed(folder):
    from arcs.learners import learner

    assert learner("hc").fit(np.random.default_rng(1).normal(size=(30, 3))).seed is None


def test_what_cannot_be_repeated_is_refused(folder):
    from arcs.errors import SettingsError
    from arcs.learners import learner

    result = learner("hc").fit(np.random.default_rng(1).normal(size=(50, 4)))
    with pytest.raises(SettingsError, match="no setting 'later' in this version"):
        same_learner(result.with_(settings={**result.settings, "later": 1}))
    with pytest.raises(SettingsError, match="no method 'bootstrap average of hc'"):
        same_learner(result.with_(method="bootstrap average of hc"))
    with pytest.raises(SettingsError, match="cannot be read back from the result"):
        same_learner(result.with_(settings={**result.settings, "max_parents": "x"}))


def test_versions_are_compared(folder):
    run("fit", "cells.csv", *READING, "-o", "out")
    result = FitResult.load("out/result.json")
    other = result.with_(versions={**result.versions, "numpy": "0.1"}, score=result.score + 1)
    other.save("other.json")
    again = run("repeat", "other.json", "cells.csv")
    assert again.exit_code == 1
    assert "score: by at most 1" in again.stdout
    assert "version of numpy 0.1 there" in again.stderr
