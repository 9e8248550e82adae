"""Pipes are read once, and nobody waits for a writer who never comes."""

import os
import threading

import numpy as np
import pytest

from arcs.data import Dataset, pipes
from arcs.errors import FileFormatError

TEXT = "a,b\n" + "\n".join(f"{i},{i * i % 7}" for i in range(50)) + "\n"


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def fed(path, text, delay=0.0):
    def write():
        threading.Event().wait(delay)
        path.write_text(text)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize("delay", [0.0, 0.3])
def test_a_named_pipe_is_read_once(pipe, tmp_path, in_memory, delay):
    (tmp_path / "file.csv").write_text(TEXT)
    thread = fed(pipe, TEXT, delay)
    read = Dataset.from_file(pipe, in_memory=in_memory)
    thread.join()
    expected = Dataset.from_file(tmp_path / "file.csv", in_memory=in_memory)
    np.testing.assert_array_equal(read.statistics().gram(0), expected.statistics().gram(0))
    assert read.names == ("a", "b")
    assert read.source == str(pipe)


def test_a_pipe_without_a_writer_is_refused(pipe, monkeypatch):
    monkeypatch.setattr(pipes, "PATIENCE", 0.1)
    with pytest.raises(FileFormatError, match=r"nobody writes into this pipe \(waited 0\.1 s\)"):
        Dataset.from_file(pipe)


def test_a_pipe_with_nothing_in_it_is_an_empty_file(pipe):
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    fed(pipe, "").join()
    os.close(reader)
    reader, writer = os.pipe()
    os.close(writer)
    with pytest.raises(FileFormatError, match="the file is empty"):
        Dataset.from_file(f"/dev/fd/{reader}")
    os.close(reader)


def test_errors_in_a_pipe_name_it(pipe):
    thread = fed(pipe, TEXT + "x,y\n")
    with pytest.raises(Exception, match=rf"{pipe}, line 52: column 'a' holds 'x'"):
        Dataset.from_file(pipe)
    thread.join()


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_devices_are_refused(device):
    with pytest.raises(FileFormatError, match="this is a device, not a file"):
        Dataset.from_file(device)
