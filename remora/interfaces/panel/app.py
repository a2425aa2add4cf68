"""Server of the panel: its projects, its application and its end.

The routes come from the tables of pages and actions, the responses are JSON or HTML.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote

import uvicorn
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from remora.app.project.locate import KnownProject, known_projects
from remora.core.clock import Clock
from remora.core.errors import HTTP_STATUS, InvalidInput, NotFound, RemoraError
from remora.interfaces.panel import actions, pages
from remora.interfaces.panel.guard import Guard, is_own
from remora.interfaces.panel.view import CARDS, Asked, Done, View
from remora.interfaces.present import SHORT_ID, dumps, error_document
from remora.interfaces.words import LANGUAGES, Words, language_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from remora.app.memory import Memory

HOST = "127.0.0.1"
LOCAL = ("127.0.0.1", "localhost")
ENDING = 2  # seconds that open requests get to finish
MOST_OPEN = 8  # memories
MOST_BYTES = 4_000_000  # of a form
LIVE_SECONDS = 2.0
YEARS = 10 * 366 * 86_400  # seconds; lifetime of a permanent cookie

Page = Callable[[Asked], View]
Action = Callable[[Asked], Done | View]


class Projects:
    """The memories of a data folder, of which up to MOST_OPEN stay open. Thread-safe.

    Args:
        environ: the environment that names the data folder.
        opener: opens the memory of a folder.
        first: the memory that is shown first.
    """

    def __init__(self, environ: Mapping[str, str], opener: Callable[[str], Memory], first: Memory) -> None:
        self._environ = environ
        self._opener = opener
        self._lock = threading.Lock()
        self.first = first.home.name
        self._own = KnownProject(self.first, str(first.root), first.root.name)
        self._roots: dict[str, str] = {}
        self._open: dict[str, Memory] = {self.first: first}

    def known(self) -> list[KnownProject]:
        """Return all known projects, including the first."""
        found = known_projects(self._environ)
        self._roots.update((one.key, one.root) for one in found)
        return found if any(one.key == self.first for one in found) else [self._own, *found]

    def memory(self, key: str) -> Memory:
        """Return the memory of a project.

        Raises:
            NotFound: the project is unknown, or its folder does not exist.
        """
        with self._lock:
            if key not in self._open:
                self.known()
                root = self._roots.get(key, "")  # also of a project deleted since: opening it reports that
                if not root:
                    raise NotFound(
                        f"unknown project {key!r}", hint="Choose a project at the top of the page."
                    )
                self._open[key] = self._opener(root)
                if len(self._open) > MOST_OPEN:
                    oldest = next(one for one in self._open if one not in (self.first, key))
                    self._open.pop(oldest).close()
            return self._open[key]

    def close(self) -> None:
        """Close every memory."""
        with self._lock:
            for memory in self._open.values():
                with suppress(Exception):
                    memory.close()
            self._open = {}


class Panel:
    """Answer requests from the tables of pages and actions.

    Args:
        projects: the projects of the panel.
        environ: the environment that sets the default language.
        clock: the source of the current time.
    """

    def __init__(self, projects: Projects, environ: Mapping[str, str], clock: Clock) -> None:
        self.projects = projects
        self._environ = environ
        self._clock = clock
        self._templates = Environment(
            loader=PackageLoader("remora.interfaces.panel"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["short"] = lambda value: str(value)[:SHORT_ID]

    def routes(self) -> list[Route | Mount]:
        """Return the routes of all pages and actions."""
        found: list[Route | Mount] = [Mount("/static", StaticFiles(packages=[(__package__, "static")]))]
        found += [Route("/", self._home), Route("/language", self._language, methods=["POST"])]
        found += [Route("/teach", self._teach)]
        found += [Route("/{project}/said/live", self._live), Route("/{project}/ask/stream", self._stream)]
        for path, page in pages.PAGES:
            found.append(Route(f"/{{project}}/{path}", partial(self._answered, answer=page, form={})))
        for path, action in actions.ACTIONS:
            done = partial(self._action, action=action)
            found.append(Route(f"/{{project}}/{path}", done, methods=["POST"]))
        return found

    # Responses

    async def _action(self, request: Request, action: Action) -> Response:
        form = await self._form(request)
        if isinstance(form, Response):
            return form
        return await run_in_threadpool(self._answered, request, action, form)

    async def _form(self, request: Request) -> dict[str, list[str]] | Response:
        """Return the fields of a form, or an error response if it is too large or of another session."""
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > MOST_BYTES:
                return self.failed(request, InvalidInput(f"a form has at most {MOST_BYTES:,} bytes"), 413)
        form = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
        if not is_own(request.state.visit, form.get("token", [""])[0]):
            return self.failed(request, InvalidInput("the form belongs to another session"), 403)
        return form

    def _asked(self, request: Request, form: Mapping[str, list[str]]) -> Asked:
        key = self._key(request)
        return Asked(
            self.projects.memory(key),
            key,
            self._words(request),
            request.state.visit,
            dict(request.query_params),
            {name: str(value) for name, value in request.path_params.items()},
            form,
            self._clock.now(),
        )

    def _key(self, request: Request) -> str:
        return str(request.path_params.get("project", self.projects.first))

    def _words(self, request: Request) -> Words:
        return Words(language_of(self._environ, request.state.visit.language))

    def _answered(self, request: Request, answer: Page | Action, form: Mapping[str, list[str]]) -> Response:
        try:
            asked = self._asked(request, form)
            found = answer(asked)
        except RemoraError as error:
            return self.failed(request, error)
        if isinstance(found, Done):
            went = RedirectResponse(f"/{asked.project}/{found.path}", 303)
            if found.cookie:
                went.set_cookie(found.cookie, "1", YEARS, httponly=True, samesite="strict")
            return went
        if _wants_json(request):
            return Response(dumps(found.document), found.status, media_type="application/json")
        return self._shown(request, found.template, {"asked": asked, **found.more}, found.status)

    def failed(self, request: Request, error: RemoraError, status: int = 0) -> Response:
        """Return an error with its hint, as JSON or as a page."""
        document = error_document(error)
        status = status or HTTP_STATUS.get(type(error), 500)
        if _wants_json(request):
            return Response(dumps(document), status, media_type="application/json")
        return self._shown(request, "error.html", {"error": document["error"], "asked": None}, status)

    def _shown(self, request: Request, template: str, more: Mapping[str, Any], status: int) -> Response:
        visit = request.state.visit
        said, visit.said = visit.said, []
        page = {
            "said": said,
            "path": request.url.path,
            "projects": self.projects.known(),
            "languages": LANGUAGES,
            "first_visit": CARDS not in request.cookies,
        }
        return HTMLResponse(self._rendered(request, template, {**page, **more}), status)

    def _rendered(self, request: Request, template: str, more: Mapping[str, Any]) -> str:
        key = self._key(request)
        return self._templates.get_template(template).render(
            t=self._words(request),
            now=self._clock.now(),
            visit=request.state.visit,
            here=f"/{quote(key)}",
            project=key,
            **more,
        )

    # Routes without a project

    def _home(self, request: Request) -> Response:
        key = request.query_params.get("project", self.projects.first)
        return RedirectResponse(f"/{quote(key)}/", 303)

    def _teach(self, request: Request) -> Response:
        name = quote(request.query_params.get("file", ""))
        return RedirectResponse(f"/{quote(self.projects.first)}/teach?file={name}", 303)

    async def _language(self, request: Request) -> Response:
        form = await self._form(request)
        if isinstance(form, Response):
            return form
        chosen = form.get("language", [""])[0]
        if chosen in LANGUAGES:
            request.state.visit.language = chosen
        back = form.get("back", ["/"])[0]
        return RedirectResponse(back if back.startswith("/") and not back.startswith("//") else "/", 303)

    # Event streams

    async def _live(self, request: Request) -> Response:
        """Stream the newest injections, again after each change."""

        async def lines() -> AsyncIterator[str]:
            known = ""
            while not await request.is_disconnected():
                try:
                    view = await run_in_threadpool(lambda: pages.said(self._asked(request, {})))
                except RemoraError:
                    return  # the browser reconnects
                text = self._rendered(request, "said_list.html", view.more)
                if text != known:
                    known = text
                    yield _event("said", text)
                await asyncio.sleep(LIVE_SECONDS)

        return StreamingResponse(lines(), media_type="text/event-stream")

    async def _stream(self, request: Request) -> Response:
        """Stream the passages about a question, then the model's answer."""

        async def lines() -> AsyncIterator[str]:
            steps: tuple[tuple[str, Page], ...] = (("passages", pages.passages), ("answer", pages.answer))
            for name, step in steps:
                try:
                    view = await run_in_threadpool(lambda step: step(self._asked(request, {})), step)
                except RemoraError as error:
                    t = self._words(request)
                    yield _event("failed", f"{t.of(str(error))}. {t.of(error.hint)}")
                    return
                yield _event(name, self._rendered(request, view.template, view.more))

        return StreamingResponse(lines(), media_type="text/event-stream")


def _event(name: str, text: str) -> str:
    data = "".join(f"data: {line}\n" for line in text.splitlines())
    return f"event: {name}\n{data}\n"


def _wants_json(request: Request) -> bool:
    accepted = request.headers.get("accept", "")
    return request.query_params.get("format") == "json" or (
        "application/json" in accepted and "text/html" not in accepted
    )


def build(
    projects: Projects, environ: Mapping[str, str], clock: Clock, key: str, names: tuple[str, ...]
) -> ASGIApp:
    """Return the panel as an ASGI application.

    Args:
        projects: the projects of the panel.
        environ: the environment that sets the default language.
        clock: the source of the current time.
        key: the one-time key of the first request.
        names: accepted values of the Host header, such as "127.0.0.1:8766".
    """
    panel = Panel(projects, environ, clock)

    def lost(request: Request, _: Exception) -> Response:
        return panel.failed(request, NotFound(f"there is no page {request.url.path}"))

    def broken(request: Request, error: Exception) -> Response:
        return panel.failed(request, RemoraError(f"{type(error).__name__}: {error}"), 500)

    app = Starlette(routes=panel.routes(), exception_handlers={404: lost, 500: broken})
    return Guard(app, key, names)


class Server(uvicorn.Server):
    """A server that stops on SIGTERM, SIGINT and SIGHUP, also with open streams, and then returns."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  uvicorn's signature
        """Stop without waiting for open streams; the signal is not raised again."""
        self.should_exit = self.force_exit = True


def serve(
    first: Memory,
    opener: Callable[[str], Memory],
    bound: socket.socket,
    told: Callable[[str], None],
    *,
    clock: Clock,
    environ: Mapping[str, str] = os.environ,
) -> None:
    """Serve on a socket until a signal comes.

    Args:
        first: the memory that is shown first; it is closed at the end, as are all others.
        opener: opens the memory of a folder.
        bound: the listening socket.
        told: called with the address 0.2 seconds after the start.
        clock: the source of the current time.
        environ: the environment that names the data folder.
    """
    port = bound.getsockname()[1]
    key = secrets.token_urlsafe(24)
    projects = Projects(environ, opener, first)
    app = build(projects, environ, clock, key, tuple(f"{name}:{port}" for name in LOCAL))
    config = uvicorn.Config(
        app, log_level=logging.WARNING, access_log=False, lifespan="off", timeout_graceful_shutdown=ENDING
    )
    server = Server(config)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, server.handle_exit)
    threading.Timer(0.2, told, (f"http://{HOST}:{port}/?key={key}",)).start()
    try:
        server.run(sockets=[bound])
    finally:
        projects.close()
