import pytest

from arcs.metrics import compare
from arcs.results import FitResult


def test_demo_writes_report_and_pictures(run, tmp_path):
    result = run("demo", "--out", "d")
    assert result.exit_code == 0, result.output
    for name in ("graph.png", "graph.svg", "comparison.png", "report.html", "result.json"):
        assert (tmp_path / "d" / name).stat().st_size > 1000
        if name != "result.json":
            assert f"d/{name}" in result.stdout
    assert (tmp_path / "d" / "graph.png").read_bytes().startswith(b"\x89PNG")
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_demo_compares_with_the_reference(run, tmp_path):
    from arcs.datasets import load_sachs

    text = run("demo", "--out", "d").stdout
    saved = FitResult.load(tmp_path / "d" / "result.json")
    assert saved.n_rows == 7466
    counts = compare(saved.dag, load_sachs().reference, experimental=True)
    assert "17 true edges" in text
    assert [line.split()[1] for line in text.splitlines() if line.split()[:1] == ["SHD"]] == [
        str(counts.SHD)
    ]


def test_demo_without_matplotlib_still_has_a_picture(run, monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    result = run("demo", "--out", "d")
    assert result.exit_code == 0
    assert "pip install 'arcs-bn[viz]'" in result.stderr
    assert (tmp_path / "d" / "graph.svg").exists()
    assert "graph.png" not in result.stdout


def test_interrupted_demo(run):
    assert run("demo", "--out", "d", "-m", "stopped").exit_code == 130


@pytest.mark.slow
def test_demo_with_the_real_learner_is_quick(tmp_path):
    import subprocess
    import sys
    import time

    command = [sys.executable, "-m", "arcs", "demo", "--out", str(tmp_path / "d")]
    subprocess.run(command, check=True, capture_output=True)
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    assert time.perf_counter() - start < 60
