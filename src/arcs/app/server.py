"""The server: addresses, and the functions behind them.

Everything that a page asks for stands under ``/SECRET/api/WINDOW/``. Questions are answered from a
thread, so that reading a large file for one window does not keep the others waiting. What happens
by itself (progress of a fit, confidences that fill in) comes through one event stream per page.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from arcs.app import actions
from arcs.app.fits import failure_text
from arcs.app.guard import Guard, TooLarge, read_body
from arcs.app.windows import Window, Windows
from arcs.errors import ArcsError

__all__ = ["MOST_UPLOADED", "create_app"]

#: Bytes of an uploaded file, of any other request, and the seconds that each may take.
MOST_UPLOADED, _MOST_SAID = 512 * 2**20, 4 * 2**20
_UPLOAD_SECONDS, _SAY_SECONDS = 300.0, 20.0
#: Seconds between two signs of life on an event stream.
_HEARTBEAT = 5.0
_KINDS = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
}
#: A report is a page of its own: it may do nothing but run its own script, in a sandbox.
_REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:"
)


def create_app(windows: Windows, secret: str, hosts: list[str]) -> Guard:
    """The application behind its guard."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(_watch(windows))
        yield
        watching.cancel()
        windows.cancel_all()

    app = Starlette(routes=_routes(), lifespan=lifespan)
    app.state.windows = windows
    return Guard(app, secret, hosts)


def _routes() -> list[Route]:
    return [
        Route("/", _static),
        Route("/static/{name}", _static),
        Route("/api/{window}/events", _events),
        Route("/api/{window}/upload", _upload, methods=["PUT"]),
        Route("/api/{window}/report", _report),
        Route("/api/{window}/export/{format}", _export),
        Route("/api/{window}/{action}", _act, methods=["POST"]),
    ]


async def _watch(windows: Windows) -> None:
    """Cancel what runs for windows that are gone."""
    while True:
        await asyncio.sleep(1.0)
        windows.cancel_gone(time.monotonic())


# ---------------------------------------------------------------------- files of the page
async def _static(request: Request) -> Response:
    name = request.path_params.get("name", "index.html")
    suffix = Path(name).suffix
    for room in ("arcs.app.static", "arcs.report"):
        found = files(room).joinpath(name)
        if suffix in _KINDS and len(name) < 100 and found.is_file():
            return Response(found.read_bytes(), media_type=_KINDS[suffix])
    return PlainTextResponse("there is no such page\n", status_code=404)


# ---------------------------------------------------------------------- questions and answers
async def _answered(window: Window, function: Callable[..., Any], *arguments: Any) -> Response:
    """What a function answers, from a thread; refusals in the words of the command line."""
    try:
        answer = await asyncio.to_thread(function, window, *arguments)
    except (ArcsError, OSError, TypeError, ValueError) as error:
        return JSONResponse({"refused": failure_text(error, window.folder)}, status_code=400)
    except LookupError as error:
        return JSONResponse({"refused": f"there is no {error}"}, status_code=400)
    return JSONResponse({} if answer is None else answer)


def _window(request: Request) -> Window:
    windows: Windows = request.app.state.windows
    return windows[request.path_params["window"]]


async def _act(request: Request) -> Response:
    action = actions.ACTIONS.get(request.path_params["action"])
    if action is None:
        return JSONResponse({"refused": "there is no such action"}, status_code=404)
    try:
        window = _window(request)
        body = await read_body(request, _MOST_SAID, _SAY_SECONDS)
        said = json.loads(body) if body else {}
        if not isinstance(said, dict):
            raise ValueError("an action takes one JSON object")
    except TooLarge as error:
        return JSONResponse({"refused": str(error)}, status_code=413)
    except (ArcsError, ValueError, RecursionError) as error:
        return JSONResponse({"refused": str(error)}, status_code=400)
    return await _answered(window, action, said)


async def _upload(request: Request) -> Response:
    try:
        window = _window(request)
        path = window.folder / _file_name(request.query_params.get("name", ""))
        with path.open("wb") as stream:
            await read_body(request, MOST_UPLOADED, _UPLOAD_SECONDS, stream.write)
    except TooLarge as error:
        path.unlink(missing_ok=True)
        return JSONResponse({"refused": str(error)}, status_code=413)
    except ArcsError as error:
        return JSONResponse({"refused": str(error)}, status_code=400)
    return await _answered(window, actions.take_file, path)


def _file_name(given: str) -> str:
    """The name of an upload, without anything that could lead elsewhere."""
    name = "".join(c if c.isalnum() or c in "._- +" else "_" for c in given).strip(". ")
    return name[-120:] or "data.csv"


async def _report(request: Request) -> Response:
    try:
        text = await asyncio.to_thread(actions.report, _window(request))
    except ArcsError as error:
        return PlainTextResponse(f"{error}\n", status_code=400)
    return Response(
        text, media_type="text/html", headers={"content-security-policy": _REPORT_POLICY}
    )


async def _export(request: Request) -> Response:
    try:
        format = request.path_params["format"]
        text, name = await asyncio.to_thread(actions.export, _window(request), format)
    except ArcsError as error:
        return PlainTextResponse(f"{error}\n", status_code=400)
    disposition = f'attachment; filename="{name}"'
    return Response(
        text, media_type="application/octet-stream", headers={"content-disposition": disposition}
    )


# ---------------------------------------------------------------------- events
async def _events(request: Request) -> Response:
    try:
        window = _window(request)
    except ArcsError as error:
        return PlainTextResponse(f"{error}\n", status_code=400)
    return StreamingResponse(_stream(window), media_type="text/event-stream")


async def _stream(window: Window) -> AsyncIterator[str]:
    queue: asyncio.Queue[str] = asyncio.Queue()
    listener = (asyncio.get_running_loop(), queue)
    window.listeners.append(listener)
    window.gone_since = None
    try:
        yield "retry: 1000\nevent: hello\ndata: {}\n\n"
        while True:
            try:
                yield await asyncio.wait_for(queue.get(), _HEARTBEAT)
            except TimeoutError:
                yield ": still here\n\n"
    finally:
        window.listeners.remove(listener)
        if not window.listeners:
            window.gone_since = time.monotonic()
