"""Files appear whole or not at all."""

import os
import stat

import pytest

from arcs.files import write_atomically


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
