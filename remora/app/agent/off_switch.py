"""Switch Remora off, and on again, for one session."""

from __future__ import annotations

import time
from contextlib import suppress

from remora.app.agent.status import meant
from remora.app.agent.transcript_capture import captured
from remora.app.project.off import never_learn
from remora.app.project.open_project import OpenProject
from remora.core.errors import NotFound
from remora.disk.live import OFF, Head, files_of, is_off, live_file


def switch_session(project: OpenProject, session: str, *, on: bool) -> str:
    """Switch Remora on or off for a session; a session that was off is never learned.

    Args:
        project: the open project.
        session: the host's id of the session or its beginning; empty for the current session.
        on: whether agents receive injections again.

    Returns:
        The session, as "host:id".

    Raises:
        NotFound: no session matches, or several do.
    """
    head = _asked_for(project, session)
    if not on:
        never_learn(project, head.session)
        with suppress(OSError):
            if (path := captured(head)) is not None:
                path.unlink()
    with live_file(head.host, head.session, project.environ) as live:
        live.add({"k": OFF, "off": int(not on), "at": int(time.time() * 1000)})
    return head.id


def session_is_off(project: OpenProject) -> bool:
    """Return whether Remora is off for the current session; False if that session is unknown."""
    found = meant(project)
    return found is not None and is_off(found.head, found.lines)


def _asked_for(project: OpenProject, session: str) -> Head:
    found = meant(project) if not session else None
    if found is not None:
        return found.head
    every = files_of(str(project.location.home), project.environ)
    heads = [head for _, head in every if session and head.session.startswith(session)]
    exact = [head for head in heads if head.session == session]
    if len(exact or heads) == 1:
        return (exact or heads)[0]
    raise NotFound(
        f"no session, or more than one, matches {session!r}" if session else "the current session is unknown",
        hint="`remora status` lists the sessions; name one by its id.",
    )
