"""A real server in a process of its own, and tables to begin with."""

import json
import os
import re
import signal
import subprocess
import sys
from http.client import HTTPConnection
from urllib.parse import urlsplit

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra 'app' is not installed")
pytest.importorskip("uvicorn", reason="the extra 'app' is not installed")

WINDOW = "testwindow0"


class Server:
    """``arcs app`` in a process, with what a test asks it for."""

    def __init__(self, state, *arguments):
        self.state = state
        command = [sys.executable, "-m", "arcs", "app", "--no-browser", *map(str, arguments)]
        self.process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            cwd=state,
            env={**os.environ, "XDG_STATE_HOME": str(state), "NUMBA_NUM_THREADS": "1"},
        )
        line = self.process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + self.process.stderr.read()
        self.address = found.group(0)
        parts = urlsplit(self.address)
        self.host, self.port, self.secret = parts.hostname, parts.port, parts.path.strip("/")

    def request(self, method, path, body=None, headers=None):
        """Status, headers and body of one request; `path` is everything after the port."""
        connection = HTTPConnection(self.host, self.port, timeout=60)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), content

    def ask(self, action, window=WINDOW, **said):
        """What an action answers."""
        path = f"/{self.secret}/api/{window}/{action}"
        status, _, content = self.request("POST", path, json.dumps(said))
        return status, json.loads(content)

    def end(self, how=signal.SIGINT):
        """End the process and wait."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(60)
        self.process.stderr.close()
        return code


@pytest.fixture(scope="session")
def start(tmp_path_factory):
    """A function that starts a server; whatever still runs at the end is ended."""
    started = []

    def make(*arguments, state=None):
        server = Server(state or tmp_path_factory.mktemp("state"), *arguments)
        started.append(server)
        return server

    yield make
    for server in started:
        server.end()


@pytest.fixture(scope="session")
def server(start):
    return start()


@pytest.fixture
def table(tmp_path):
    """A chain a -> b -> c and a loose d, with a label column, an id and a constant."""
    return write_table(tmp_path / "cells.csv")


def write_table(path, n=200, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    target = np.where(np.arange(n) % 4 == 0, "b", "control")
    b = np.where(target == "b", rng.normal(size=n), 1.2 * a + 0.4 * rng.normal(size=n))
    c = -0.9 * b + 0.5 * rng.normal(size=n)
    d = rng.normal(size=n)
    lines = ["id,a,b,c,d,flat,target"]
    lines += [f"{i},{a[i]:.6f},{b[i]:.6f},{c[i]:.6f},{d[i]:.6f},1.0,{target[i]}" for i in range(n)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
