"""Who may talk to the app: somebody who has the secret, through a page of ours, on this machine.

A server on loopback is reachable by every program and by every web page that the person has open.
Four things keep others out, all checked before anything else is looked at:

- the *secret*: every address, also those of scripts and of the event stream, begins with it;
- the *Host* header names this server: a foreign name that was made to resolve to 127.0.0.1 (DNS
  rebinding) is refused;
- the *Origin* header, where there is one, names this server, and the browser says that the request
  comes from there (``Sec-Fetch-Site``): requests of other pages are refused;
- bodies are bounded in size and in time.

Answers forbid the page to load anything from elsewhere, to be framed, and to be kept in a cache.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Iterable
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "TooLarge", "read_body"]

_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
#: A browser that says anything else speaks for another page.
_OWN_SITES = ("same-origin", "none")


class TooLarge(Exception):
    """A body is larger or slower than allowed; the text says what the limit is."""


class Guard:
    """Refuses requests that have not got the secret, or come from elsewhere.

    Parameters
    ----------
    app : ASGI application
        Sees paths without the secret.
    secret : str
    hosts : iterable of str
        Names of this server, with port, as browsers write them into ``Host``.
    """

    def __init__(self, app: ASGIApp, secret: str, hosts: Iterable[str]) -> None:
        self.app = app
        self.secret = secret
        self.hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refusal = self.refusal(scope) if scope["type"] == "http" else "only HTTP is spoken here"
        if refusal is not None:
            answer = PlainTextResponse(f"{refusal}\n", status_code=403)
            await answer(scope, receive, _with_headers(send))
            return
        prefix = f"/{self.secret}"
        inner = dict(scope)
        inner["path"] = scope["path"][len(prefix) :] or "/"
        inner["raw_path"] = inner["path"].encode()
        await self.app(inner, receive, _with_headers(send))

    def refusal(self, scope: Scope) -> str | None:
        """Why a request is refused, or None."""
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        if headers.get("host", "").lower() not in self.hosts:
            return "refused: the Host header does not name this server"
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{host}" for host in self.hosts}:
            return "refused: the request comes from another page (Origin)"
        if headers.get("sec-fetch-site", "none") not in _OWN_SITES:
            return "refused: the request comes from another page (Sec-Fetch-Site)"
        given = scope["path"].split("/", 2)[1]
        if not hmac.compare_digest(given.encode(), self.secret.encode()):
            return "refused: the address lacks the secret; open the one that arcs app has printed"
        return None


def _with_headers(send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            extra = [(k.encode(), v.encode()) for k, v in _HEADERS.items()]
            message["headers"] = [
                *message["headers"],
                *((name, value) for name, value in extra if name not in present),
            ]
        await send(message)

    return wrapped


async def read_body(request: Any, most: int, seconds: float, write: Any = None) -> bytes:
    """The body of a request, or nothing if `write` takes it piece by piece."""
    declared = int(request.headers.get("content-length") or 0)
    parts, size = [], 0
    if declared > most:
        raise TooLarge(_too_large(most))
    try:
        async with asyncio.timeout(seconds):
            async for piece in request.stream():
                size += len(piece)
                if size > most:
                    raise TooLarge(_too_large(most))
                if write is None:
                    parts.append(piece)
                else:
                    write(piece)
    except TimeoutError:
        raise TooLarge(f"the upload took longer than {seconds:g} seconds") from None
    return b"".join(parts)


def _too_large(most: int) -> str:
    return (
        f"that is more than {most / 2**20:,.0f} MB, the most that can be uploaded; give the path "
        "of the file on the command line instead: arcs app FILE"
    )
