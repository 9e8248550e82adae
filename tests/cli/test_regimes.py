"""``arcs fit --intervention-kind``, with the real learner."""

import csv
import json

import pytest

from arcs.learners import LEARNERS
from arcs.learners.arcs import Arcs
from arcs.results import FitResult


@pytest.fixture(autouse=True)
def real_learner(quick_learners, monkeypatch):
    monkeypatch.setitem(LEARNERS, "arcs", Arcs)


@pytest.fixture
def conditions(csv_file):
    """The same data with conditions in place of targets; one has a dangerous name."""
    text = csv_file.read_text()
    text = text.replace(",smoke\n", ",=cmd()\n").replace(",bronc\n", ",<b>heat</b>\n")
    header, rest = text.split("\n", 1)
    csv_file.write_text(header.replace(",target", ",condition") + "\n" + rest)
    return csv_file


def test_unknown_targets_are_written_shown_and_reported(run, conditions):
    result = run(
        "fit", conditions, "-i", "condition", "--intervention-kind", "unknown", "-o", "out"
    )
    assert result.exit_code == 0, result.output
    folder = conditions.parent / "out"
    saved = FitResult.load(folder / "result.json")
    assert saved.settings["intervention_kind"] == "unknown"
    table = list(csv.DictReader((folder / "targets.csv").read_text().splitlines()))
    assert [row["target"] for row in table] == [change.target for change in saved.changes]
    assert {row["regime"] for row in table} <= {"'=cmd()", "<b>heat</b>"}
    assert f"changed mechanisms: {len(saved.changes) or 'none'}" in result.stdout
    page = (folder / "report.html").read_text()
    assert 'id="regimes-section"' in page
    assert "<b>heat</b>" not in page
    assert not (folder / "checkpoint.npz").exists()


def test_soft_targets_as_json(run, csv_file):
    words = ("-i", "target", "--intervention-kind", "soft", "--json", "-q")
    result = run("fit", csv_file, *words)
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert {change["target"] for change in summary["changes"]} == {"smoke", "bronc"}
    assert "targets.csv" in summary["files"]


def test_hard_interventions_have_no_table(run, csv_file):
    result = run("fit", csv_file, "-i", "target", "-o", "out")
    assert result.exit_code == 0, result.output
    assert not (csv_file.parent / "out" / "targets.csv").exists()
    assert "regimes-section" not in (csv_file.parent / "out" / "report.html").read_text()
    assert "changed mechanisms" not in result.stdout


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        (("--intervention-kind", "odd"), "none of hard, soft, unknown", 2),
        (("--intervention-kind", "soft"), "needs --interventions", 1),
        (("--intervention-kind", "soft", "--method", "ges"), "no such option", 2),
        (("--intervention-kind", "unknown", "--resume"), "cannot be resumed", 2),
    ],
)
def test_refusals(run, csv_file, words, message, code):
    result = run("fit", csv_file, "--exclude", "target", *words)
    assert result.exit_code == code
    assert message in " ".join(result.output.split())


def test_labels_that_are_no_columns_point_to_the_option(run, conditions):
    result = run("fit", conditions, "-i", "condition")
    assert result.exit_code == 1
    assert "--intervention-kind unknown finds them" in " ".join(result.output.split())
