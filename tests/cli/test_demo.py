import base64

import pytest

from arcs.metrics import evaluate
from arcs.results import FitResult


def test_demo_writes_report_and_pictures(run, tmp_path):
    result = run("demo", "--out", "d")
    assert result.exit_code == 0, result.output
    for name in ("story.png", "story.svg", "graph.svg", "report.html", "result.json"):
        assert (tmp_path / "d" / name).stat().st_size > 1000
        if name not in ("result.json", "story.svg"):
            assert f"d/{name}" in result.stdout
    assert (tmp_path / "d" / "story.png").read_bytes().startswith(b"\x89PNG")
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_demo_compares_with_the_reference(run, tmp_path):
    from arcs.datasets import load_sachs

    text = run("demo", "--out", "d").stdout
    saved = FitResult.load(tmp_path / "d" / "result.json")
    assert saved.n_rows == 7466
    counts = evaluate(saved.dag, load_sachs().reference, experimental=True)
    text = " ".join(text.split())
    assert "17 edges that Sachs et al. found" in text
    assert "20 edges of the textbooks" in text
    assert f"(SHD {counts.SHD})" in text
    assert "Disputed" in text
    report = (tmp_path / "d" / "report.html").read_text()
    assert "17 edges that Sachs et al. found" in report
    assert "Disputed" in report
    picture = base64.b64encode((tmp_path / "d" / "story.svg").read_bytes()).decode()
    assert f'src="data:image/svg+xml;base64,{picture}"' in report


def test_demo_without_matplotlib_still_has_a_picture(run, monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    result = run("demo", "--out", "d")
    assert result.exit_code == 0
    assert "pip install 'arcs-bn[viz]'" in result.stderr
    assert (tmp_path / "d" / "graph.svg").exists()
    assert "story.png" not in result.stdout
    assert "data:image/svg+xml" not in (tmp_path / "d" / "report.html").read_text()


def test_interrupted_demo(run):
    assert run("demo", "--out", "d", "-m", "stopped").exit_code == 130


@pytest.mark.slow
def test_demo_with_the_real_learner(tmp_path):
    import subprocess
    import sys

    command = [sys.executable, "-m", "arcs", "demo", "--out", str(tmp_path / "d")]
    subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "d" / "result.json").is_file()
