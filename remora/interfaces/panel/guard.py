"""Access control of the panel: a one-time key, a session cookie, form tokens and security headers.

Every page in a browser and every user of the machine can reach a local port. The first request must therefore
have a key that is printed once; the response sets a cookie that other sites cannot send. Every form has a
token of its session, and every response forbids scripts, styles and frames from other sites.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from html import escape
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "remora_panel"
_WELCOME = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Remora</title>'
    '<meta http-equiv="refresh" content="0; url={path}"></head>'
    '<body><p><a href="{path}">Remora</a></p></body></html>'
)
SESSIONS = 20  # browsers at the same time; a further one ends the oldest session
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Visit:
    """The session of one browser.

    Attributes:
        token: the token for its forms.
        language: the chosen language; empty for the machine's.
        said: messages for the next page, each with its kind.
        undo: the inverse of the last change; empty for none.
    """

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(24)
        self.language = ""
        self.said: list[tuple[str, str]] = []
        self.undo: dict[str, Any] = {}


class Guard:
    """ASGI middleware that passes authorized requests and answers others with 403."""

    def __init__(self, app: ASGIApp, key: str, names: Iterable[str]) -> None:
        self._app = app
        self._key = key
        self._names = frozenset(names)
        self._visits: dict[str, Visit] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on or reject it; add the security headers to the response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        request = Request(scope)
        refused = self._refused(request)
        if refused is not None:
            await refused(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)

    def _refused(self, request: Request) -> Response | None:
        if request.headers.get("host", "") not in self._names:
            return PlainTextResponse("Unknown host name.\n", 403)
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc not in self._names:
            return PlainTextResponse("Requests from other sites are refused.\n", 403)
        if request.headers.get("sec-fetch-site", "same-origin") == "cross-site" and request.method != "GET":
            return PlainTextResponse("Requests from other sites are refused.\n", 403)
        given = request.query_params.get("key", "")
        if given and self._key and hmac.compare_digest(given.encode(), self._key.encode()):
            self._key = ""  # the key is valid once
            return self._welcome(request)
        visit = self._visits.get(request.cookies.get(COOKIE, ""))
        if visit is None and not request.url.path.startswith("/static/"):
            return PlainTextResponse("Open the panel with the address that `remora panel` prints.\n", 403)
        request.scope.setdefault("state", {})["visit"] = visit
        return None

    def _welcome(self, request: Request) -> Response:
        name = secrets.token_urlsafe(32)
        self._visits[name] = Visit()
        while len(self._visits) > SESSIONS:
            del self._visits[next(iter(self._visits))]
        # A page, not a redirect: after a link from another site, a browser sends a strict cookie only with
        # requests from a page of the panel.
        answer = HTMLResponse(_WELCOME.format(path=escape(request.url.path)))
        answer.set_cookie(COOKIE, name, httponly=True, samesite="strict", path="/")
        return answer


def is_own(visit: Visit, given: str) -> bool:
    """Return whether a form's token is the session's."""
    return hmac.compare_digest(given.encode(), visit.token.encode())
