"""The folder of a fit: the result first, each file for itself, nothing stale, nothing empty."""

import errno
import os
import stat
import sys
import tempfile

import numpy as np
import pytest

from arcs.cli import bundle as module
from arcs.cli.bundle import write_bundle
from arcs.results import FitResult

FILES = {"result.json", "edges.csv", "trace.csv", "graph.graphml", "graph.dot", "graph.svg"}
FILES |= {"report.html"}


@pytest.fixture
def result(simulated):
    return FitResult.from_structure("x", simulated.truth.adjacency, simulated.data.statistics())


@pytest.fixture
def spare(tmp_path, monkeypatch):
    """Where files for temporary use go."""
    folder = tmp_path / "spare"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def refused(*names):
    """An ``os.replace`` that fails for files of some names in the folder "out"."""
    real = os.replace

    def replace(source, target):
        if os.path.basename(target) in names and os.path.basename(os.path.dirname(target)) == "out":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(source))
        real(source, target)

    return replace


@pytest.mark.parametrize("name", sorted(FILES - {"result.json"}))
def test_what_cannot_be_written_costs_nothing_but_itself(
    run, csv_file, tmp_path, monkeypatch, name
):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("of an earlier fit")
    monkeypatch.setattr(os, "replace", refused(name))
    answer = run("fit", csv_file, "-i", "target", "-m", "threshold", "-o", "out")
    assert answer.exit_code == 1
    assert f"out/{name}: No space left on device; the result is in out/result.json" in answer.stderr
    assert "arcs report out makes the page again" in answer.stderr
    assert "edges" in answer.stdout
    assert set(os.listdir("out")) == FILES - {name}
    assert FitResult.load("out/result.json").n_edges > 0


def test_a_result_that_cannot_be_written_goes_elsewhere(
    run, csv_file, tmp_path, monkeypatch, spare
):
    monkeypatch.setattr(os, "replace", refused("result.json"))
    answer = run("fit", csv_file, "-i", "target", "-m", "threshold", "-o", "out")
    assert answer.exit_code == 1
    (made,) = spare.iterdir()
    assert f"out/result.json: No space left on device; the result is in {made}" in answer.stderr
    assert set(os.listdir(made)) == FILES
    assert FitResult.load(made / "result.json").n_edges > 0
    assert not os.path.exists("out")


def test_a_folder_that_was_deleted_is_made_again(result, tmp_path):
    bundle = write_bundle(result, tmp_path / "gone" / "deeper")
    assert bundle.failures == []
    assert set(os.listdir(tmp_path / "gone" / "deeper")) == FILES


def test_a_result_that_nobody_takes_is_said_to_be_lost(result, tmp_path, monkeypatch, spare):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fsync", full)
    bundle = write_bundle(result, tmp_path / "out")
    assert len(bundle.failures) == 2
    with pytest.raises(Exception, match="could not be saved anywhere: make room"):
        bundle.refuse_failures()
    assert list(spare.iterdir()) == []


def test_a_defect_in_a_picture_does_not_cost_the_rest(result, tmp_path, monkeypatch):
    import arcs.report

    def fall(*arguments):
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(arcs.report, "graph_svg", fall)
    bundle = write_bundle(result, tmp_path / "out")
    assert set(bundle.files) == FILES - {"graph.svg"}
    assert "graph.svg: ZeroDivisionError: of all things" in bundle.failures[0]


def test_targets_of_an_earlier_fit_do_not_stay(run, csv_file):
    run("fit", csv_file, "-i", "target", "-m", "threshold", "-o", "out")
    with open("out/targets.csv", "w") as file:
        file.write("stale")
    run("fit", csv_file, "-i", "target", "-m", "threshold", "-o", "out")
    assert set(os.listdir("out")) == FILES


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are characters")
def test_data_whose_file_has_a_name_that_is_no_text_are_reported(run, csv_file):
    name = os.fsdecode(b"c\xffells.csv")
    os.rename(csv_file, name)
    found = run("fit", name, "-i", "target", "-m", "threshold", "-o", "out")
    assert found.exit_code == 0, found.stderr
    assert set(os.listdir("out")) == FILES
    with open("out/report.html", encoding="utf-8") as page:
        assert "c\\udcffells.csv" in page.read()
    assert run("report", "out").exit_code == 0


@pytest.mark.parametrize(
    "words",
    [
        ["-m", "broken"],
        ["-i", "nonsense"],
        ["--missing", "perhaps"],
        ["-m", "threshold", "--set", "cut=x", "--set", "nonsense=3"],
    ],
)
def test_refused_fits_leave_no_folder(run, csv_file, words):
    assert run("fit", csv_file, *words, "-o", "made/for/this").exit_code != 0
    assert not os.path.exists("made")


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_written_files_respect_the_umask(result, tmp_path, umask):
    before = os.umask(umask)
    try:
        write_bundle(result, tmp_path / "out")
    finally:
        os.umask(before)
    modes = {stat.S_IMODE((tmp_path / "out" / name).stat().st_mode) for name in FILES}
    assert modes == {0o666 & ~umask}


def test_the_result_is_written_before_anything_is_drawn(result, tmp_path, monkeypatch):
    import arcs.report

    there = []

    def look(*arguments):
        there.append(os.listdir(tmp_path / "out"))
        return "<svg></svg>"

    monkeypatch.setattr(arcs.report, "graph_svg", look)
    write_bundle(result, tmp_path / "out")
    assert "result.json" in there[0]
    assert np.all(module.RESULT == "result.json")


def test_the_page_is_made_again(run, csv_file, tmp_path):
    run("fit", csv_file, "-i", "target", "-m", "threshold", "-o", "out")
    page = (tmp_path / "out" / "report.html").read_bytes()
    os.unlink("out/report.html")
    assert run("report", "out").exit_code == 0
    assert (tmp_path / "out" / "report.html").read_bytes() == page
    assert run("report", "out/result.json", "--out", "elsewhere.html").exit_code == 0
    assert (tmp_path / "elsewhere.html").read_bytes() == page
