"""Give the evidence of a session to the agent's own model, which then records memories.

This is the writer (`observer/writer.py`) without a model of our own: the same instructions, the same
evidence.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from remora.app.learning.event_cleaning import clean
from remora.app.project.off import off_in
from remora.core.errors import NotFound
from remora.core.text import safe
from remora.llm.prompts import load
from remora.observer.evidence import pack, told
from remora.observer.observer import Observer
from remora.sources.transcripts.discovery import Transcript, find, folders_of, roots_of
from remora.sources.transcripts.hosts.databases import let_go
from remora.sources.transcripts.reader import read

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject


class Reflection(NamedTuple):
    """The instructions and the evidence of a session, for a model.

    Attributes:
        session_id, host: the session; empty if there is none.
        instructions: the criteria for a memory.
        evidence: the pieces, one a line with its id; 4,000 tokens at most, empty if there are none.
    """

    session_id: str
    host: str
    instructions: str
    evidence: str

    @property
    def text(self) -> str:
        """Instructions and evidence as one prompt."""
        return safe(f"{self.instructions}\n\nThe evidence of session {self.session_id}:\n\n{self.evidence}")


def reflect(project: OpenProject, session_id: str | None = None) -> Reflection:
    """Return the evidence of a session; by default the one with the newest transcript.

    Args:
        project: the open project.
        session_id: the host's own id of a session, or its beginning.

    Raises:
        NotFound: this machine has no transcript of the session.
    """
    try:
        instructions = load("remora.observer", "writer")
        root = project.location.root
        found = find(root, project.environ).transcripts
        meant = [t for t in found if t.session_id.startswith(session_id or "")]
        if not meant and session_id:
            raise NotFound(
                f"there is no session {session_id} of this project on this machine",
                hint="Without an id, the most recent session is used.",
            )
        if not meant:
            return Reflection("", "", instructions, "")
        transcript = max(meant, key=_written)
        off = off_in(project)
        watched: dict[str, Observer] = {}
        reading = read(
            transcript.path,
            host=transcript.host,
            parts=transcript.parts,
            roots=roots_of([transcript], folders_of(root)),
            session=transcript.session,
        )
        for event in reading:
            name = event.session_id
            if off.covers(name, event.at or transcript.started or None):
                continue
            if name not in watched:
                watched[name] = Observer(name, transcript.host)
            watched[name].observe(clean(event)[0])
        if not watched:
            return Reflection(transcript.session_id, transcript.host, instructions, "")
        own = watched.get(transcript.session_id) or max(watched.values(), key=lambda one: one.events)
        pieces = pack(own.finalize(), project.db.sessions)
        return Reflection(own.session_id, transcript.host, instructions, told(pieces))
    finally:
        let_go()


def _written(transcript: Transcript) -> float:
    try:
        return os.path.getmtime(transcript.path)  # noqa: PTH204
    except OSError:
        return 0.0
