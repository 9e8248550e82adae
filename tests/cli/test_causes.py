"""``arcs effect``, ``predict`` and ``design``, and what ``arcs fit`` prepares for them."""

import csv
import io
import json
from types import SimpleNamespace

import numpy as np
import pytest

from arcs.cli.confidence import AUTOMATIC, MOST_VALUES, MOST_VARIABLES, Resamples, processes
from arcs.cli.design import _headline
from arcs.results import FitResult


@pytest.fixture
def folder(run, csv_file, tmp_path):
    """A fit with a small bootstrap."""
    out = tmp_path / "fit"
    words = ("fit", csv_file, "-i", "target", "-m", "threshold", "--out", out, "--bootstrap", "4")
    assert run(*words).exit_code == 0
    return out


def test_effect(run, folder):
    found = FitResult.load(folder / "result.json")
    assert len(found.ensemble) == 4
    x, y = found.dag.named_edges()[0]
    text = run("effect", folder, x, y, "--adjustment").stdout
    assert str(found.effect(x, y)) in text
    assert str(found.adjustment_sets(x, y)) in text
    record = json.loads(run("effect", folder, x, y, "--json", "--level", "0.8").stdout)
    assert record["lower"] == pytest.approx(found.effect(x, y, 0.8).lower)
    everything = json.loads(run("effect", folder, x, "--json").stdout)["effects"]
    assert {row["from"] for row in everything} == {x}
    assert y in run("effect", folder, x).stdout
    last = found.names[int(found.dag.order().nodes[-1])]
    assert "no effect" in run("effect", folder, last).stdout
    wrong = run("effect", folder, x, "nobody")
    assert wrong.exit_code != 0
    assert "there is no variable 'nobody'" in wrong.stderr


def test_answers_fit_into_80_columns(run, folder):
    found = FitResult.load(folder / "result.json")
    x, y = found.dag.named_edges()[0]
    dose = ("--do", f"{x}=0,1,2")
    plan = ("design", "--max-size", "3", "--cost", f"{found.names[0]}=1000")
    for words in (("effect", x, y), ("effect", x), ("predict", *dose), ("design",), plan):
        text = run(words[0], folder, *words[1:]).stdout
        assert max(map(len, text.splitlines())) <= 80


def test_what_a_dose_does_not_change_is_printed_once(run, folder):
    found = FitResult.load(folder / "result.json")
    last = found.names[int(found.dag.order().nodes[-1])]
    doses, alike = run("predict", folder, "--do", f"{last}=0,1").stdout.split("the same in all")
    assert doses.count("do(") == 2
    assert len(alike.splitlines()) == 2 + len(found.names) - 1


def test_names_are_found_whatever_their_case(run, folder):
    name = FitResult.load(folder / "result.json").names[0]
    wrong = run("effect", folder, name.swapcase())
    assert f"did you mean '{name}'?" in wrong.stderr


def test_predict(run, folder, tmp_path):
    found = FitResult.load(folder / "result.json")
    a, b = found.names[:2]
    rows = json.loads(
        run("predict", folder, "--do", f"{a}=1", "--given", f"{b}=0.5", "--json").stdout
    )
    expected = found.prediction({a: 1.0}, {b: 0.5})
    np.testing.assert_allclose([row["mean"] for row in rows["variables"]], expected.mean[0])
    assert f"do({a}=2)" in run("predict", folder, "--do", f"{a}=0,2").stdout
    new = tmp_path / "new.csv"
    new.write_text(f"{a},{b},other\n1.0,,x\n0.5,2.0,y\n")
    done = run("predict", folder, "--data", new)
    table = list(csv.reader(io.StringIO(done.stdout)))
    assert tuple(table[0]) == found.names
    assert "no variables of the network: other" in done.stderr.replace("'", "")
    expected = found.prediction(given={a: 1.0}).mean[0]
    np.testing.assert_allclose([float(cell) for cell in table[1]], expected)
    out = tmp_path / "filled.csv"
    assert run("predict", folder, "--data", new, "--out", out).exit_code == 0
    assert out.read_text() == done.stdout
    for words in (
        ("--do", a),
        ("--do", f"{a}=x"),
        ("--out", out),
        ("--do", f"{a}=1", "--do", f"{a}=2"),
    ):
        assert run("predict", folder, *words).exit_code != 0


def test_design(run, folder):
    found = FitResult.load(folder / "result.json")
    rows = json.loads(run("design", folder, "--json", "-k", "3").stdout)["experiments"]
    assert rows == json.loads(json.dumps(found.experiment_table(3).rows()))
    text = run("design", folder)
    assert text.exit_code == 0
    assert run("design", folder, "--candidates", "nobody").exit_code != 0
    assert run("design", folder, "--cost", f"{found.names[0]}=0").exit_code != 0


def test_a_plan_in_words():
    row = {"targets": "a", "expected_edges": 1.0, "doubts_settled": None, "cost": 1.0}
    assert _headline(row).endswith("setting a: 1 direction on average")
    assert "at the cost of 3" in _headline(row | {"cost": 3.0})
    doubtful = _headline(row | {"expected_edges": 0.0, "doubts_settled": 0.32})
    assert "would settle 0.32 directions" in " ".join(doubtful.split())


def test_the_scale_is_told(run, csv_file, tmp_path):
    out = tmp_path / "scores"
    words = ("-i", "target", "-m", "threshold", "--transform", "normal-scores", "-b", "0")
    assert run("fit", csv_file, *words, "--out", out).exit_code == 0
    name = FitResult.load(out / "result.json").names[0]
    for asked in (("effect", out, name), ("predict", out, "--do", f"{name}=1")):
        assert "scale of the fit: normal scores of" in run(*asked).stderr
        assert "scale of the fit" not in run(*asked, "--json").stderr


def test_a_quick_fit_brings_confidence(run, csv_file, tmp_path):
    words = ("fit", csv_file, "-i", "target", "-m", "threshold", "--out")
    done = run(*words, tmp_path / "auto")
    assert "25 resamples" in done.stderr
    found = FitResult.load(tmp_path / "auto" / "result.json")
    assert len(found.ensemble) == 25
    assert found.averaged().n_edges > 0
    run(*words, tmp_path / "none", "--bootstrap", "0")
    assert FitResult.load(tmp_path / "none" / "result.json").ensemble is None
    wrong = run(*words, tmp_path / "wrong", "--bootstrap", "some")
    assert "neither a number" in wrong.stderr


def test_long_work_is_shared_between_cores(folder):
    found = FitResult.load(folder / "result.json")
    assert processes(found.with_(timings={"total": 0.1}), 100) == 1
    assert processes(found.with_(timings={"total": 1.0}), 100) == -1
    assert processes(found.with_(timings={}), 100) == 1


def test_clusters_are_a_column(run, csv_file, tmp_path):
    lines = csv_file.read_text().splitlines()
    labelled = [lines[0] + ",plate"] + [f"{row},p{k // 5}" for k, row in enumerate(lines[1:])]
    path = tmp_path / "plates.csv"
    path.write_text("\n".join(labelled) + "\n")
    words = ("fit", path, "-i", "target", "-m", "threshold", "-b", "3", "--out", tmp_path / "fit")
    done = run(*words, "--cluster", "plate")
    assert done.exit_code == 0, done.stderr
    found = FitResult.load(tmp_path / "fit" / "result.json")
    assert "plate" not in found.names
    assert len(found.ensemble) == 3
    assert run(*words, "--cluster", "plat").exit_code != 0


@pytest.mark.parametrize(
    ("size", "settings", "method", "edges", "drawn"),
    [
        ((MOST_VARIABLES, 100), {}, "arcs", 20, True),
        ((MOST_VARIABLES + 1, 100), {}, "arcs", 20, False),
        ((10, MOST_VALUES // 10), {}, "arcs", 20, True),
        ((10, MOST_VALUES // 10 + 1), {}, "arcs", 20, False),
        ((10, 100), {}, "arcs", 31, False),
        ((10, 100), {}, "arcs", 0, False),
        ((10, 100), {}, "ga", 9, False),
        ((10, 100), {}, "peer-pc", 9, False),
        ((20, 100), {"latent": "auto"}, "arcs", 9, True),
        ((21, 100), {"latent": 1}, "arcs", 9, False),
        ((21, 100), {"intervention_kind": "unknown"}, "arcs", 9, False),
        ((21, 100), {"intervention_kind": "hard", "latent": None}, "arcs", 9, True),
    ],
)
@pytest.mark.parametrize("seconds", [0.0, 1e6])
def test_whether_there_are_confidences_is_for_the_data_to_say(
    size, settings, method, edges, drawn, seconds
):
    """The same files on every machine: no clock has a say."""
    p, n = size
    dataset = SimpleNamespace(p=p, n=n, values=object())
    result = SimpleNamespace(
        method=method,
        settings=settings,
        n_edges=edges,
        stopped="finished",
        timings={"total": seconds},
    )
    number = Resamples.parse("auto", None).number(result, dataset, quiet=True)
    assert number == (AUTOMATIC if drawn else 0)
    assert Resamples.parse("auto", 60.0).number(result, dataset, quiet=True) == 0
