"""Every single operation on files fails in turn, as on a full or broken disk.

After each failure whatever exists is whole, nothing temporary is left, the message names the file
and the reason, and the next run (with ``--resume`` where there is a checkpoint) ends with the same
answer as a run that nothing had happened to.
"""

import errno
import json
import os
import pathlib
import shutil
import tempfile
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from arcs.cli import app
from arcs.confidence import bootstrap
from arcs.confidence.store import OutcomeStore
from arcs.data import Dataset
from arcs.errors import FileFormatError, FileWarning
from arcs.graphs.formats import read_graph
from arcs.learners import learner
from arcs.results import FitResult
from arcs.search import checkpoint

WORDS = ["fit", "data.csv", "-o", "out", "--chains", "2", "--seed", "3", "--bootstrap", "0"]


class Disk:
    """Counts opening, writing, flushing and renaming; the operation of one number fails."""

    def __init__(self, monkeypatch, smallest=1500):
        self.fatal, self.seen, self.smallest = None, [], smallest
        self._open, self._fsync, self._replace = pathlib.Path.open, os.fsync, os.replace
        monkeypatch.setattr(pathlib.Path, "open", self.open)
        monkeypatch.setattr(os, "fsync", self.fsync)
        monkeypatch.setattr(os, "replace", self.replace)

    @property
    def open(self):
        disk = self

        def opened(path, mode="r", *arguments, **how):
            if "x" not in mode:
                return disk._open(path, mode, *arguments, **how)
            disk.step("open", path)
            return Stream(disk._open(path, mode, *arguments, **how), disk, path)

        return opened

    def fsync(self, descriptor):
        self.step("fsync", descriptor)
        self._fsync(descriptor)

    def replace(self, source, target):
        self.step("replace", target)
        self._replace(source, target)

    def step(self, kind, path):
        self.seen.append(kind)
        if len(self.seen) - 1 == self.fatal:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Stream:
    """A file whose writing and flushing are counted."""

    def __init__(self, stream, disk, path):
        self.stream, self.disk, self.path = stream, disk, path

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return self.stream.__exit__(*error)

    def write(self, content):
        # Not every one of the thousands of pieces in which a large archive is written.
        if len(content) > self.disk.smallest:
            self.disk.step("write", self.path)
        return self.stream.write(content)

    def flush(self):
        self.disk.step("flush", self.path)
        self.stream.flush()

    def __getattr__(self, name):
        return getattr(self.stream, name)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spare"))
    (tmp_path / "spare").mkdir()
    rng = np.random.default_rng(1)
    values = rng.normal(size=(60, 4)) @ (np.eye(4) + np.triu(rng.normal(size=(4, 4)), 1))
    np.savetxt("data.csv", values, delimiter=",", header="a,b,c,d", comments="")
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, [*WORDS, *words])


def answer(folder):
    """The result without what the clock says."""
    content = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    for name in ("timings", "digest"):
        del content[name]
    content["settings"].pop("checkpoint", None)
    return content


READERS = {
    "result.json": FitResult.load,
    "edges.csv": read_graph,
    "graph.dot": read_graph,
    "graph.graphml": read_graph,
    "graph.svg": ElementTree.parse,
    "trace.csv": lambda path: path.read_text().rindex("\n"),
    "report.html": lambda path: path.read_text(encoding="utf-8").rindex("</html>"),
    "checkpoint.npz": lambda path: checkpoint.CHECKPOINT.read(path),
}


def check_whole(folder):
    for name in os.listdir(folder) if folder.exists() else ():
        READERS[name](folder / name)


def test_every_operation_fails_in_turn(place, monkeypatch):
    disk = Disk(monkeypatch)
    assert run().exit_code == 0
    expected, number = answer(place / "out"), len(disk.seen)
    assert {"open", "write", "flush", "fsync", "replace"} <= set(disk.seen)
    assert number > 35
    for fatal in range(number):
        for name in os.listdir("out") if os.path.exists("out") else ():
            os.unlink(f"out/{name}")
        disk.fatal, disk.seen = fatal, []
        found = run()
        kind = disk.seen[fatal]
        disk.fatal = None
        assert "No space left on device" in found.stderr, (fatal, kind)
        assert "internal error" not in found.stderr
        check_whole(place / "out")
        for made in (place / "spare").iterdir():
            check_whole(made)
            assert answer(made) == expected
            for name in os.listdir(made):
                os.unlink(made / name)
            made.rmdir()
        again = run(*(["--resume"] if os.path.exists("out/checkpoint.npz") else []))
        assert again.exit_code == 0, (fatal, kind, again.stderr)
        assert answer(place / "out") == expected, (fatal, kind)
        assert set(os.listdir("out")) == set(READERS) - {"checkpoint.npz"}


def test_every_operation_on_a_store_of_replicates_fails_in_turn(place, monkeypatch):
    def replicates(number, **how):
        return bootstrap("data.csv", "hc", number, random_state=1, checkpoint="store.npz", **how)

    expected = replicates(4).directed
    os.unlink("store.npz")
    disk = Disk(monkeypatch, smallest=0)
    replicates(2)
    earlier, number = pathlib.Path("store.npz").read_bytes(), len(disk.seen)
    assert {"open", "write", "flush", "fsync", "replace"} <= set(disk.seen)
    for fatal in range(number):
        pathlib.Path("store.npz").write_bytes(earlier)
        disk.fatal, disk.seen = fatal, []
        with pytest.warns(FileWarning, match="No space left on device"):
            found = replicates(4, resume=True)
        disk.fatal = None
        np.testing.assert_array_equal(found.directed, expected)
        # What is there is what was there before, or all of it.
        assert set(os.listdir()) == {"data.csv", "spare", "store.npz"}, fatal
        np.testing.assert_array_equal(replicates(4, resume=True).directed, expected)


def test_a_disk_that_stays_full_still_gives_the_answer_on_the_screen(place, monkeypatch):
    disk = Disk(monkeypatch)
    disk.step = lambda kind, path: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full"))
    found = run()
    assert found.exit_code == 1
    assert "out/result.json: No space left on device" in found.stderr
    assert "the result could not be saved anywhere" in found.stderr
    assert "edges" in found.stdout
    assert os.listdir(place) == ["data.csv"] or set(os.listdir(place)) == {"data.csv", "spare"}


@pytest.mark.parametrize(
    ("keeper", "words"),
    [(checkpoint.Checkpoint, ()), (OutcomeStore, ("--bootstrap", "3"))],
)
def test_a_folder_deleted_meanwhile_costs_nothing_but_the_checkpoint(
    place, monkeypatch, keeper, words
):
    assert run(*words).exit_code == 0
    expected, save = answer(place / "out"), keeper.save

    def without_folder(self, *arguments):
        shutil.rmtree("out", ignore_errors=True)
        save(self, *arguments)

    monkeypatch.setattr(keeper, "save", without_folder)
    found = run(*words)
    assert found.exit_code == 0, found.stderr
    assert "cannot be written (No such file or directory); the work goes on" in found.stderr
    assert answer(place / "out") == expected
    check_whole(place / "out")


# ------------------------------------------------------------------------------- memory
def no_memory(*arguments, **settings):
    raise MemoryError


@pytest.mark.parametrize(
    "where",
    [
        "arcs.data.dataset.Dataset.statistics",
        "arcs.data.accumulate.GramAccumulator.add",
        "arcs.scores.cholesky.CholeskyScore.new_state",
        "arcs.results.FitResult.from_structure",
    ],
)
def test_no_memory_for_statistics_and_states(place, monkeypatch, where):
    assert run().exit_code == 0
    expected = answer(place / "out")
    with monkeypatch.context() as scarce:
        scarce.setattr(where, no_memory)
        found = run("-o", "other")
    assert found.exit_code == 1
    assert found.stderr.startswith("arcs: out of memory; try fewer columns")
    check_whole(place / "other")
    assert run("-o", "other").exit_code == 0
    assert answer(place / "other") == expected


def test_no_memory_in_the_middle_leaves_the_data_and_the_next_fit_alone(monkeypatch):
    values = np.random.default_rng(0).normal(size=(50, 4))
    before = values.copy()
    data = Dataset.of(values)
    model = learner("arcs", random_state=0)
    expected = model.fit(data)
    from arcs.scores.cholesky import CholeskyScore

    calls, real = [], CholeskyScore.new_state

    def second_fails(self, *arguments):
        calls.append(None)
        if len(calls) == 2:
            raise MemoryError
        return real(self, *arguments)

    with monkeypatch.context() as scarce:
        scarce.setattr(CholeskyScore, "new_state", second_fails)
        with pytest.raises(MemoryError):
            model.fit(data)
    again = model.fit(data)
    np.testing.assert_array_equal(values, before)
    np.testing.assert_array_equal(again.dag.coefficients, expected.dag.coefficients)
    assert again.score == expected.score


def test_a_read_error_in_the_data_is_named(place, monkeypatch):
    def broken(path, *arguments, **how):
        if path.name == "data.csv":
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return real(path, *arguments, **how)

    real = pathlib.Path.open
    monkeypatch.setattr(pathlib.Path, "open", broken)
    found = run()
    assert found.exit_code == 1
    assert found.stderr == "arcs: data.csv: Input/output error\n"
    assert not os.path.exists("out")
    with pytest.raises((OSError, FileFormatError), match="Input/output error"):
        learner("hc").fit("data.csv")
