import csv
import json
import os
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from arcs.cli.fit import default_folder
from arcs.graphs.formats import read_graph
from arcs.results import FitResult

FILES = {
    *("result.json", "edges.csv", "graph.graphml", "graph.dot", "graph.svg"),
    *("trace.csv", "report.html"),
}


def test_everything_is_written_and_agrees(run, csv_file):
    result = run("fit", csv_file, "--interventions", "target", "--set", "cut=0.2")
    assert result.exit_code == 0, result.output
    folder = csv_file.parent / "cells-arcs"
    assert {entry.name for entry in folder.iterdir()} == FILES
    saved = FitResult.load(folder / "result.json")
    assert saved.method == "arcs"
    assert saved.settings["cut"] == 0.2
    assert sorted(saved.names[k] for group in saved.targets for k in group) == ["bronc", "smoke"]
    for name in ("graph.graphml", "graph.dot", "edges.csv"):
        graph = read_graph(folder / name, names=saved.names)
        np.testing.assert_array_equal(graph.coefficients, saved.dag.coefficients)
    ElementTree.parse(folder / "graph.svg")
    assert "<!doctype html>" in (folder / "report.html").read_text()
    rows = list(csv.reader((folder / "trace.csv").read_text().splitlines()))
    assert rows == [["iteration", "best"], ["0", "3.0"], ["1", "2.0"], ["2", ""]]


def test_summary_is_short_and_readable(run, csv_file):
    words = ("--top", 2, "--set", "cut=0.4", "--bootstrap", 0)
    result = run("fit", csv_file, "-i", "target", *words)
    lines = result.stdout.splitlines()
    assert len(lines) < 20
    assert max(map(len, lines)) <= 80
    assert "In 160 rows of 8 variables (2 of them set in experiments)" in result.stdout
    assert "smoke, bronc" in result.stdout
    assert "arcs, seed 0" in result.stdout
    assert sum(line.endswith(("identified", "open")) for line in lines) == 2
    assert "cells-arcs/" in result.stdout
    assert "\x1b" not in result.stdout
    assert result.stderr == ""


def test_json_for_machines(run, csv_file):
    result = run("fit", csv_file, "-i", "target", "--json", "--out", "there", "--seed", 3)
    summary = json.loads(result.stdout)
    assert summary["seed"] == 3
    assert summary["rows"] == 160
    assert set(summary["files"]) == FILES
    assert all(os.path.exists(path) for path in summary["files"].values())
    assert len(summary["edges"]) == summary["n_edges"] > 0


def test_quiet_prints_nothing(run, csv_file):
    result = run("fit", csv_file, "-i", "target", "-m", "pooled", "--quiet")
    assert result.exit_code == 0
    assert result.output == ""


def test_warnings_about_data_are_notes(run, csv_file):
    result = run("fit", csv_file, "-i", "target", "-m", "pooled")
    assert result.exit_code == 0
    assert "note: pooled makes no use of interventions" in result.stderr


def test_control_and_exclude(run, csv_file):
    text = csv_file.read_text().replace(",control\n", ",resting\n")
    csv_file.write_text(text)
    refused = run("fit", csv_file, "-i", "target")
    assert refused.exit_code == 1
    assert "'resting'" in refused.stderr
    result = run(
        "fit", csv_file, "-i", "target", "--control", "resting", "--exclude", "xray", "--json"
    )
    assert json.loads(result.stdout)["variables"] == 7
    assert sorted(json.loads(result.stdout)["intervened"]) == ["bronc", "smoke"]


def test_interrupted_fits_are_saved(run, csv_file):
    result = run("fit", csv_file, "-i", "target", "-m", "stopped")
    assert result.exit_code == 130
    saved = FitResult.load(csv_file.parent / "cells-arcs" / "result.json")
    assert saved.stopped == "interrupted"
    assert "interrupted after" in result.stdout
    assert "(this is the best network so far)" in result.stdout
    assert "best network so far is saved" in result.stderr


def test_the_folder_is_tried_before_the_run(run, csv_file, tmp_path, quick_learners):
    (tmp_path / "taken").write_text("a file")
    result = run("fit", csv_file, "-i", "target", "--out", "taken/below")
    assert result.exit_code == 1
    assert "cannot write there" in result.stderr
    assert "--out" in result.stderr
    assert quick_learners == []


def test_options_reach_the_learner(run, csv_file, quick_learners):
    words = ("--init", "ges", "--jobs", 2, "--chains", 3, "--time-limit", 9.5, "--seed", 4)
    words += ("--effort", "thorough")
    assert run("fit", csv_file, "-i", "target", *words).exit_code == 0
    (used,) = quick_learners
    assert (used.init, used.n_jobs, used.n_chains) == ("ges", 2, 3)
    assert used.effort == "thorough"
    assert (used.time_limit, used.random_state) == (9.5, 4)
    assert os.fspath(used.checkpoint).startswith("cells-arcs")
    assert used.resume is False


def test_resume_needs_a_checkpoint(run, csv_file, quick_learners):
    words = ("fit", csv_file, "-i", "target", "--resume")
    refused = run(*words)
    assert refused.exit_code == 1
    assert "leave out --resume" in refused.stderr
    assert quick_learners == []
    checkpoint = csv_file.parent / "cells-arcs" / "checkpoint.npz"
    checkpoint.parent.mkdir()
    checkpoint.write_bytes(b"")
    assert run(*words).exit_code == 0
    assert quick_learners[0].resume is True
    assert not checkpoint.exists()  # the run has finished


@pytest.mark.parametrize(
    "words",
    [("--init", "ges"), ("--jobs", "2"), ("--chains", "2"), ("--effort", "quick"), ("--resume",)],
)
def test_options_that_a_method_lacks_are_refused(run, csv_file, words):
    result = run("fit", csv_file, "-i", "target", "-m", "threshold", *words)
    assert result.exit_code == 2
    assert words[0] in result.stderr
    assert "'threshold'" in result.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("-m", "treshold"), "did you mean 'threshold'?"),
        (("--set", "cut"), "KEY=VALUE"),
        (("--set", "nonsense=1"), "nonsense"),
        (("--time-limit", "-1"), "positive"),
    ],
)
def test_wrong_settings_are_usage_errors(run, csv_file, words, text):
    result = run("fit", csv_file, "-i", "target", *words)
    assert result.exit_code == 2
    assert text in result.stderr
    assert "Traceback" not in result.stderr


def test_default_folder():
    from pathlib import Path

    assert default_folder(Path("/data/cells.csv.gz")) == Path("cells-arcs")
    assert default_folder(Path(".hidden")) == Path("data-arcs")
