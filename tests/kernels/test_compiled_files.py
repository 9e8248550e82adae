"""Compiled code on disk: whole, of the right sources and types, and compiled once by many."""

import os
import pickle
import subprocess
import sys
import threading
import time

import pytest

from arcs.kernels import compiled_files
from arcs.kernels.compiled_files import CompiledFiles


@pytest.fixture
def files(tmp_path):
    def make(stamp=b"stamp"):
        return CompiledFiles(str(tmp_path), "function-1.py311", stamp)

    return make


def saved(files, key, data):
    """Save as Numba does: after having looked in vain."""
    assert files.load(key) is None
    files.save(key, data)


def test_what_was_saved_is_found_by_others(files, tmp_path):
    saved(files(), ("int", 1), "code of int")
    saved(files(), ("float", 1), "code of float")
    assert files().load(("int", 1)) == "code of int"
    assert files().load(("float", 1)) == "code of float"
    assert sorted({name.rsplit(".", 1)[1] for name in os.listdir(tmp_path)}) == ["nbc"]


def test_two_that_compile_at_once_do_not_share_a_number(files):
    """Numba's index would lead one of them to the code of the other."""
    one, other = files(), files()
    assert one.load(("int", 1)) is None
    assert other.load(("float", 1)) is None
    one.save(("int", 1), "code of int")
    other.save(("float", 1), "code of float")
    assert files().load(("int", 1)) == "code of int"
    assert files().load(("float", 1)) == "code of float"


def test_code_of_other_sources_is_not_found_and_goes_away(files, tmp_path):
    saved(files(b"old"), "key", "old code")
    assert files(b"new").load("key") is None
    saved(files(b"newer"), "key", "new code")
    assert len([name for name in os.listdir(tmp_path) if name.endswith(".nbc")]) == 1
    assert files(b"newer").load("key") == "new code"


def test_a_file_of_another_key_is_not_believed(files, tmp_path):
    one = files()
    saved(one, "key", "code")
    os.rename(one.path("key"), one.path("other"))
    assert files().load("other") is None


@pytest.mark.parametrize("content", [b"", b"garbage", pickle.dumps(1), pickle.dumps((1, 2, 3, 4))])
def test_damaged_files_are_compiled_again(files, content):
    one = files()
    saved(one, "key", "code")
    with open(one.path("key"), "wb") as stream:
        stream.write(content)
    two = files()
    saved(two, "key", "code again")
    assert files().load("key") == "code again"


def test_a_full_disk_costs_nothing_but_time(files, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    one = files()
    assert one.load("key") is None
    monkeypatch.setattr(os, "replace", full)
    one.save("key", "code")
    monkeypatch.undo()
    assert files().load("key") is None


def test_the_second_waits_for_the_first(files, monkeypatch):
    one, other = files(), files()
    assert one.load("key") is None
    found = []
    waiting = threading.Thread(target=lambda: found.append(other.load("key")))
    waiting.start()
    time.sleep(0.2)
    assert found == []
    one.save("key", "code")
    waiting.join(30)
    assert found == ["code"]


def test_nobody_waits_for_ever(files, monkeypatch):
    monkeypatch.setattr(compiled_files, "PATIENCE", 0.2)
    one, other = files(), files()
    assert one.load("key") is None
    assert other.load("key") is None
    other.save("key", "code of the second")
    assert files().load("key") == "code of the second"


def test_the_lock_of_a_process_that_died_is_free(files, tmp_path, monkeypatch):
    script = (
        "import os, sys\n"
        "from arcs.kernels.compiled_files import CompiledFiles\n"
        "CompiledFiles(sys.argv[1], 'function-1.py311', b'stamp').load('key')\n"
        "os._exit(9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)])
    assert done.returncode == 9
    waits = []
    monkeypatch.setattr(compiled_files.time, "sleep", waits.append)
    assert files().load("key") is None
    assert waits == []


def test_processes_with_a_cold_cache_compile_once(tmp_path):
    """Four at a time; every function is compiled by one of them, and all get the same answer."""
    script = (
        "import numpy as np\n"
        "from arcs.kernels.equivalence import topological_order_kernel as kernel\n"
        "print(kernel(np.triu(np.ones((5, 5), bool), 1))[0].tolist(), end=' ')\n"
        "print(sum(kernel.stats.cache_misses.values()))\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    answers = [process.communicate(timeout=300)[0] for process in processes]
    assert sorted(answers) == ["[0, 1, 2, 3, 4] 0\n"] * 3 + ["[0, 1, 2, 3, 4] 1\n"]
    left = [name for _, _, names in os.walk(tmp_path) for name in names]
    assert left
    assert all(name.endswith(".nbc") for name in left)


def test_an_unwritable_cache_is_no_obstacle(tmp_path, monkeypatch):
    """No folder can be written to: the function is compiled in memory."""
    from numba.core import caching

    from arcs.kernels import jit
    from arcs.kernels.order.l0_solver import l0_score

    def nowhere(cls, *arguments):
        return None

    for locator in (
        *(caching.UserProvidedCacheLocator, caching.InTreeCacheLocator),
        *(caching.UserWideCacheLocator, caching.IPythonCacheLocator, caching.ZipCacheLocator),
    ):
        monkeypatch.setattr(locator, "from_function", classmethod(nowhere))
    given = (100.0, 0.5, 2.0, 3)
    assert jit.kernel(l0_score.py_func)(*given) == l0_score.py_func(*given)
