"""Switch Remora off, and on again, for one session that goes on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from remora.app.agent.live_sessions import waiting
from remora.app.agent.status import meant
from remora.app.project.off import keep, off_in
from remora.core.errors import NotFound
from remora.disk.live import OFF, live_file

if TYPE_CHECKING:
    from remora.app.agent.live_sessions import Waiting
    from remora.app.project.open_project import OpenProject


def switch_session(project: OpenProject, session: str, *, on: bool) -> str:
    """Switch Remora on or off for a session that goes on; a session that was off is never learned.

    Args:
        project: its project.
        session: the host's id or its beginning; empty for the session at work.
        on: whether agents are told again.

    Returns:
        The session, as "host:id".

    Raises:
        NotFound: no such session goes on, or several do.
    """
    head = _going(project, session).head
    name = f"{head.host}:{head.session}"
    with live_file(head.host, head.session, project.environ) as live:
        live.add({"k": OFF, "off": int(not on), "at": int(time.time() * 1000)})
    known = off_in(project)
    if not on and name not in known.sessions:
        keep(project, known._replace(sessions=(*known.sessions, name)))
    return name


def _going(project: OpenProject, session: str) -> Waiting:
    if not session:
        found = meant(project)
        if found is not None:
            return found
    else:
        alike = waiting(project.environ, str(project.location.home))
        these = [one for one in alike if one.head.session.startswith(session)]
        if len(these) == 1:
            return these[0]
    raise NotFound(
        f"no single session {session or 'of this project'} goes on",
        hint="`remora status` lists the sessions that go on; name one by its id.",
    )
