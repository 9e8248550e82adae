"""``--adjust`` and ``--conditions``."""

import json

import numpy as np
import pandas as pd
import pytest

from arcs.results import FitResult


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Four genes in three batches, age and sex, and a value that is missing."""
    rng = np.random.default_rng(11)
    batch = rng.integers(3, size=80)
    rows = rng.normal(size=(80, 4)) + rng.normal(size=(3, 4))[batch]
    rows[3, 2] = np.nan
    frame = pd.DataFrame(rows, columns=[f"gene{j}" for j in range(4)])
    frame = frame.assign(batch=[f"b{k}" for k in batch], age=rng.uniform(20, 80, 80))
    path = tmp_path_factory.mktemp("adjust") / "genes.csv"
    frame.assign(sex=rng.choice(["f", "m"], size=80)).to_csv(path, index=False)
    return path


def test_covariates_are_reported(table, run, tmp_path):
    folder = tmp_path / "out"
    outcome = run(
        "fit", str(table), "--adjust", "batch,age,sex", "--missing", "em", "--out", str(folder)
    )
    assert outcome.exit_code == 0, outcome.output
    assert "Adjusted for batch + age + sex (4 degrees of freedom)" in " ".join(
        outcome.output.split()
    )
    result = FitResult.load(folder / "result.json")
    assert set(result.preparation["adjust"]["partial_r2"]) == {"batch", "age", "sex"}
    assert "partial R² of batch" in (folder / "report.html").read_text(encoding="utf-8")


def test_conditions_with_a_policy(table, run, tmp_path):
    folder = tmp_path / "out"
    arguments = ["--conditions", "batch", "--condition-policy", "free", "--adjust", "age + sex"]
    outcome = run("fit", str(table), *arguments, "--missing", "em", "--out", str(folder), "--json")
    assert outcome.exit_code == 0, outcome.output
    assert json.loads(outcome.stdout)["preparation"]["conditions"]["policy"] == "free"


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--adjust", "batsh"], 1, "did you mean 'batch'"),
        (["--conditions", "nowhere"], 1, "there is no column 'nowhere'"),
        (["--conditions", "batch", "--condition-policy", "x"], 2, "policy must be one of"),
    ],
)
def test_what_does_not_exist_is_refused(table, run, tmp_path, options, code, message):
    options = [*options, "--missing", "drop", "--exclude", "age", "--exclude", "sex"]
    outcome = run("fit", str(table), *options, "--out", str(tmp_path / "out"))
    assert outcome.exit_code == code
    assert message in " ".join(outcome.output.split())
