"""Files appear whole or not at all."""

import errno
import os
import stat
import threading

import numpy as np
import pytest

from arcs.confidence import bootstrap
from arcs.data import Dataset
from arcs.errors import FileFormatError, SettingsError
from arcs.files import ArchiveFormat, write_atomically
from arcs.graphs.formats import read_graph
from arcs.knowledge import read_knowledge
from arcs.results import FitResult


def test_text_and_bytes(tmp_path):
    path = tmp_path / "a.txt"
    with write_atomically(path) as stream:
        stream.write("größe\r\n")
        assert not path.exists()
    assert path.read_bytes() == "größe\r\n".encode()
    with write_atomically(str(path), "wb") as stream:
        stream.write(b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt(), RuntimeError()])
def test_a_failure_leaves_what_was_there(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_text("before")

    def write():
        with write_atomically(path) as stream:
            stream.write("half of it")
            raise error

    with pytest.raises(type(error)):
        write()
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_failed_first_write_leaves_nothing(tmp_path):
    def write():
        with write_atomically(tmp_path / "a.txt"):
            raise ValueError

    with pytest.raises(ValueError):
        write()
    assert os.listdir(tmp_path) == []


def test_permissions_are_those_of_an_ordinary_file(tmp_path):
    path, ordinary = tmp_path / "a.txt", tmp_path / "b.txt"
    with write_atomically(path):
        pass
    ordinary.write_text("")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)


def test_a_missing_directory_is_an_error(tmp_path):
    def write():
        with write_atomically(tmp_path / "nowhere" / "a.txt"):
            pass

    with pytest.raises(FileNotFoundError):
        write()


def test_errors_of_the_system_name_the_file(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    def write():
        with write_atomically(path) as stream:
            stream.write("some")

    with pytest.raises(OSError, match="No space left on device") as caught:
        write()
    assert caught.value.filename == str(path)
    assert caught.value.errno == errno.ENOSPC
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o027])
def test_the_umask_is_respected(tmp_path, umask):
    before = os.umask(umask)
    try:
        with write_atomically(tmp_path / "a.txt") as stream:
            stream.write("x")
            (part,) = os.listdir(tmp_path)
            assert stat.S_IMODE((tmp_path / part).stat().st_mode) == 0o666 & ~umask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o666 & ~umask


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.txt").write_text("before")
    (tmp_path / "link.txt").symlink_to("real.txt")
    with write_atomically(tmp_path / "link.txt") as stream:
        stream.write("after")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "after"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    path, seen = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: seen.append(path.read_text()))
    reader.start()
    with write_atomically(path) as stream:
        stream.write("through the pipe")
    reader.join()
    assert seen == ["through the pipe"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_name_as_long_as_the_file_system_allows(tmp_path):
    path = tmp_path / ("n" * 255)
    with write_atomically(path) as stream:
        stream.write("x")
    assert path.read_text() == "x"


# ------------------------------------------------------------------------------- archives
FORMAT = ArchiveFormat("arcs-test", version=3, title="test file")
HEADER = {"key": "k", "odd": [float("nan"), float("-inf"), "NaN"], "größe": {"a": None}}
ARRAYS = {
    "x/1": np.array([[1.5, np.nan], [np.inf, -0.0]]),
    "empty": np.zeros((0, 4), np.int32),
    "text": np.array("größe"),
    "bits": np.array([True, False]),
}


def test_a_binary_archive_keeps_everything(tmp_path):
    path = FORMAT.write_binary(tmp_path / "a.anything", HEADER, ARRAYS)
    header, arrays = FORMAT.read(path)
    assert repr(header) == repr({"format": "arcs-test", "version": 3, **HEADER})
    assert set(arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype


def test_a_text_archive_keeps_everything_but_shapes(tmp_path):
    path = FORMAT.write_text(tmp_path / "a.json", HEADER, ARRAYS)
    header, arrays = FORMAT.read(path)
    assert repr(header) == repr({"format": "arcs-test", "version": 3, **HEADER})
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array.ravel())
        assert arrays[name].dtype == array.dtype


def test_arrays_of_another_archive_are_noticed(tmp_path):
    """Each member is whole by itself: only the digest tells that they do not belong together."""
    path = FORMAT.write_binary(tmp_path / "a.npz", HEADER, ARRAYS)
    with np.load(path) as content:
        members = {name: content[name] for name in content.files}
    np.savez(path, **{**members, "bits": np.array([True, True])})
    with pytest.raises(FileFormatError, match="do not match their checksum"):
        FORMAT.read(path)


@pytest.mark.parametrize("version", [4, 4.0, "3", None, [3]])
def test_other_versions_are_refused(tmp_path, version):
    path = FORMAT.write_text(tmp_path / "a.json", {**HEADER, "version": version}, ARRAYS)
    with pytest.raises(FileFormatError, match="written by a newer version of ARCS"):
        FORMAT.read(path)


@pytest.mark.parametrize("text", ["", "[" * 100_000, "9" * 5000, '"text"', "null", "\\ud800", "{}"])
def test_texts_that_are_no_archives(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(FileFormatError, match=r"a\.json: .*not an ARCS test file"):
        FORMAT.read(tmp_path / "a.json")


def test_what_cannot_be_read_is_not_called_damaged(tmp_path):
    with pytest.raises(FileFormatError, match="there is no such file"):
        FORMAT.read(tmp_path / "a.json")
    with pytest.raises(FileFormatError, match=r"cannot be read \(Is a directory\)"):
        FORMAT.read(tmp_path)


IMPOSSIBLE = ("a\0b.json", "\ud800.json", "n" * 5000 + ".json")


@pytest.mark.parametrize("name", IMPOSSIBLE)
@pytest.mark.parametrize("read", [FitResult.load, read_graph, read_knowledge, Dataset.of])
def test_names_that_no_file_can_have_are_those_of_none(tmp_path, read, name):
    with pytest.raises(FileFormatError, match=r"there is no such file|File name too long"):
        read(f"{tmp_path}/{name}")


@pytest.mark.parametrize("read", [FitResult.load, read_graph, read_knowledge])
def test_folders_are_not_read(tmp_path, read):
    with pytest.raises(FileFormatError, match=r"cannot be read \(Is a directory\)"):
        read(tmp_path)


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_nothing_is_written_to_names_that_no_file_can_have(tmp_path, name):
    words = r"Invalid argument|File name too long"
    with pytest.raises(OSError, match=words), write_atomically(f"{tmp_path}/{name}"):
        pass
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no such folder/store.npz", "there is no folder"),
        (".", "is a folder"),
        ("a\0b", "checkpoint must be a path"),
    ],
)
def test_a_place_for_replicates_is_looked_at_before_they_are_drawn(path, message):
    with pytest.raises(SettingsError, match=message):
        bootstrap(np.zeros((0, 0)), "hc", 2, checkpoint=path)
