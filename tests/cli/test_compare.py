import json
import os
import signal

import pytest

from arcs.graphs.formats import write_graph
from arcs.metrics import evaluate
from arcs.results import FitResult


@pytest.fixture
def truth(simulated, tmp_path):
    write_graph(simulated.truth, tmp_path / "truth.json")
    return tmp_path / "truth.json"


def test_table_metrics_and_agreement(run, csv_file, truth):
    words = ("compare", csv_file, "-i", "target", "--methods", "threshold,pooled", "--truth", truth)
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    for text in ("method", "BIC", "against the truth", "SHD", "agreement"):
        assert text in result.stdout


def test_numbers_are_those_of_the_library(run, csv_file, truth, simulated):
    words = (
        "compare",
        csv_file,
        "-i",
        "target",
        "-m",
        "threshold,pooled",
        "--truth",
        truth,
        "--json",
    )
    answer = json.loads(run(*words, "--out", "results").stdout)
    for row in answer["methods"]:
        saved = FitResult.load(csv_file.parent / "results" / f"{row['method']}.json")
        counts = evaluate(saved.dag, simulated.truth, experimental=True)
        assert row["metrics"] == counts.to_dict()
        again = FitResult.from_structure("x", saved.dag.adjacency, simulated.data.statistics())
        # Also for the method that pooled all rows and has another BIC of its own.
        assert row["bic"] == pytest.approx(again.bic)
    pooled = FitResult.load(csv_file.parent / "results" / "pooled.json")
    assert pooled.bic != pytest.approx(answer["methods"][1]["bic"])
    assert answer["agreement"][0]["methods"] == ["threshold", "pooled"]


def test_a_failing_method_does_not_stop_the_others(run, csv_file):
    result = run("compare", csv_file, "-i", "target", "-m", "broken,threshold")
    assert result.exit_code == 1
    assert "broken failed: the other program crashed" in result.stderr
    assert "finished" in result.stdout


def test_interruption_ends_the_comparison(run, csv_file):
    words = ("compare", csv_file, "-i", "target", "-m", "stopped,threshold", "--json")
    result = run(*words)
    assert result.exit_code == 130
    assert [row["method"] for row in json.loads(result.stdout)["methods"]] == ["stopped"]


def test_methods_at_a_time_give_the_same_and_a_killed_one_costs_only_itself(
    run, csv_file, monkeypatch
):
    from dataclasses import dataclass
    from typing import ClassVar

    from arcs import comparison
    from arcs.learners import LEARNERS
    from arcs.learners.hc import HC

    @dataclass(frozen=True, kw_only=True)
    class Deadly(HC):
        name: ClassVar[str] = "deadly"

    monkeypatch.setitem(LEARNERS, "deadly", Deadly)
    alone = comparison.run_method

    def run_or_die(work, method):
        if method.name == "deadly":
            os.kill(os.getpid(), signal.SIGKILL)
        return alone(work, method)

    words = ("compare", csv_file, "-i", "target", "--json", "-m")
    one = json.loads(run(*words, "hc,ges").stdout)
    monkeypatch.setattr(comparison, "run_method", run_or_die)
    answer = run(*words, "hc,deadly,ges", "--jobs", "2")
    assert answer.exit_code == 1, answer.output
    two = json.loads(answer.stdout)
    assert [row["method"] for row in two["methods"]] == ["hc", "deadly", "ges"]
    assert two["methods"][1] == {"method": "deadly", "failure": "killed, or out of memory"}
    for row in (*one["methods"], *two["methods"]):
        row.pop("seconds", None)
    assert [two["methods"][0], two["methods"][2]] == one["methods"]
    assert one["agreement"] == two["agreement"]


def test_unknown_methods_are_refused_before_any_run(run, csv_file):
    result = run("compare", csv_file, "-m", "threshold,nonsense")
    assert result.exit_code == 2
    assert "'nonsense'" in result.stderr
