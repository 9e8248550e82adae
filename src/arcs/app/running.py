"""Starting and ending the server."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from arcs.app.server import create_app
from arcs.app.windows import Windows
from arcs.app.works import keep_aside

__all__ = ["names_of", "serve"]

#: Hosts that stand for every address of this machine.
_EVERYWHERE = ("0.0.0.0", "::")
#: Seconds that an open page may keep the server from ending.
_PATIENCE = 1


def serve(
    path: Path | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool = True,
    announce: Callable[[str], None] = lambda address: None,
) -> None:
    """Run the app until it is interrupted.

    Parameters
    ----------
    path : Path, optional
        A table, a saved result, or a folder of either kind, to begin with.
    host, port
        Where to listen; port 0 takes any that is free.
    browser : bool
        Open the page in a browser.
    announce : callable
        Called with the address, which holds the secret, once the server listens.
    """
    secret = secrets.token_urlsafe(24).replace("-", "a").replace("_", "b")
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix=f"{os.getpid()}-", dir=_works()) as folder:
        windows = Windows(Path(folder), path, keep_aside)
        app = create_app(windows, secret, [f"{name}:{port}" for name in names_of(host)])
        # No access log: it would write the secret down.
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=_PATIENCE,
        )
        server = uvicorn.Server(config)
        shown = socket.getfqdn() if host in _EVERYWHERE else host
        address = f"http://{_bracketed(shown)}:{port}/{secret}/"
        announce(address)
        threading.Thread(target=_warm_up, daemon=True).start()
        if browser:
            threading.Timer(0.5, webbrowser.open, [address]).start()
        server.run(sockets=[listening])


def names_of(host: str) -> set[str]:
    """What browsers may call a server that listens on `host`."""
    names = {"127.0.0.1", "localhost", "::1", host}
    if host in _EVERYWHERE:
        names |= {socket.gethostname(), socket.getfqdn()}
        with contextlib.suppress(OSError):
            names |= {str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None)}
    return {_bracketed(name) for name in names}


def _bracketed(name: str) -> str:
    """An address of IPv6 stands in brackets."""
    return f"[{name}]" if ":" in name else name


def _works() -> Path:
    """Where servers keep uploads and works while they run; theirs are removed when they end.

    One that is killed leaves its folder behind, and the next one offers what is in it.
    """
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    folder = Path(state) / "arcs" / "app"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((host, port))
    listening.listen(128)  # from here on whoever was told the address gets an answer
    return listening


def _warm_up() -> None:
    """Load compiled kernels while the person is still looking for the file."""
    import warnings

    import numpy as np

    from arcs.learners import learner

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = np.random.default_rng(0).normal(size=(40, 4))
        learner("arcs", random_state=0).fit(rows)
