"""``arcs app``: the page in a browser."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from arcs.cli.console import message
from arcs.cli.failures import CommandError

__all__ = ["window"]

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


Begin = Annotated[
    Path | None,
    typer.Argument(metavar="[DATA|RESULT]", help="A table, a saved result, or a folder with one."),
]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port (0: any that is free).")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address only.")]
Host = Annotated[
    str,
    typer.Option("--host", help="Address to listen on; others than this machine's need --i-know."),
]
IKnow = Annotated[
    bool,
    typer.Option(
        "--i-know",
        help="Let other machines in: whoever has the address can read and write files as you. "
        "Nothing is encrypted on the way.",
    ),
]


def window(
    start: Begin = None,
    port: Port = 0,
    no_browser: NoBrowser = False,
    host: Host = "127.0.0.1",
    i_know: IKnow = False,
) -> None:
    """Look at data, watch the search, argue with the graph, in a browser.

    The page is served on this machine only. Its address holds a secret, without which nothing is
    answered. Ctrl-C ends the server.

    \b
    Examples:
      arcs app
      arcs app cells.csv
      arcs app cells-arcs --no-browser --port 8000
    """
    from arcs.errors import require

    if host not in _LOOPBACK and not i_know:
        raise CommandError(
            f"--host {host} would let other machines in: whoever has the address could read and "
            "write files as you; say --i-know if that is meant"
        )
    if start is not None and not start.exists():
        raise CommandError(f"{start}: there is no such file or folder")
    for module in ("starlette", "uvicorn"):
        require(module, "app", "arcs app")
    from arcs.app.running import serve

    def announce(address: str) -> None:
        message(f"arcs app is at {address}\n(the address holds a secret; Ctrl-C ends it)")

    with contextlib.suppress(KeyboardInterrupt):  # the usual way to end it
        serve(start, host=host, port=port, browser=not no_browser, announce=announce)
