"""Durable memory service for Google's Agent Development Kit (ADK).

```text
runner = Runner(agent=agent, memory_service=RemoraMemoryService(memory), …)
```

Events of a session become turns of a conversation of the project; each event is stored once, however often
the session is added. An added memory becomes a memory of the project, tagged with the user. A search returns
turns and memories of this user of this app, and the project's own memories, but nothing of other users.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from remora.conversation.message_search import find
from remora.core.clock import to_iso
from remora.core.errors import InvalidInput
from remora.core.text import safe
from remora.core.values import MEMORY_TYPES, Message
from remora.interfaces.adapters.guarded import aside

if TYPE_CHECKING:
    from google.adk.events.event import Event
    from google.adk.sessions.session import Session

    from remora.app.memory import Memory
    from remora.core.values import Hit

HOST = "google-adk"
UNNAMED = "-"  # the session of events without a session id
MOST = 10  # memories a search returns, as in ADK's in-memory service
RELEVANT = 0.15  # lower scores are irrelevant, and tools put all results into the prompt
DEEP = 60  # hits before those of other users are filtered out

_log = logging.getLogger("remora.adapters")


class Owner(NamedTuple):
    """A user of an app."""

    app: str
    user: str

    @property
    def prefix(self) -> str:
        """The prefix of the ids of this user's conversations."""
        return f"{HOST}:{quote(self.app, safe='')}/{quote(self.user, safe='')}/"

    @property
    def tag(self) -> str:
        """The tag of this user's memories: a hash, so that it contains no name."""
        return f"{HOST}:{hashlib.sha256(self.prefix.encode()).hexdigest()[:16]}"


class RemoraMemoryService(BaseMemoryService):  # type: ignore[misc, unused-ignore]
    """The memory of a project as an ADK memory service. Its methods never raise.

    Args:
        memory: an open memory.
        shared: a search also returns the project's own memories, which no ADK user added.
        most: memories a search returns.
    """

    def __init__(self, memory: Memory, *, shared: bool = True, most: int = MOST) -> None:
        self._memory = memory
        self._shared = shared
        self._most = most

    async def add_session_to_memory(self, session: Session) -> None:
        """Add the events of a session; events that are already stored stay unchanged."""
        owner = Owner(session.app_name, session.user_id)
        await aside(None, self._add_events, owner, session.id, list(session.events))

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002  not used
    ) -> None:
        """Add some events of a session, each once."""
        await aside(None, self._add_events, Owner(app_name, user_id), session_id or UNNAMED, list(events))

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store statements as this user's memories; log a warning for each that cannot be stored."""
        await aside(
            None, self._add_memories, Owner(app_name, user_id), list(memories), dict(custom_metadata or {})
        )

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return the turns and memories relevant to a query, best first; empty if there are none."""
        found = await aside([], self._search, Owner(app_name, user_id), query)
        return SearchMemoryResponse(memories=found)

    # Adding

    def _add_events(self, owner: Owner, session_id: str, events: Sequence[Event]) -> None:
        said = [message for event in events if (message := _message(event))["content"].strip()]
        if said:
            self._memory.session(owner.prefix + quote(session_id, safe="")).extend(said)

    def _add_memories(
        self, owner: Owner, memories: Sequence[MemoryEntry], common: Mapping[str, object]
    ) -> None:
        for entry in memories:
            text = _text(entry.content)
            more = {**common, **entry.custom_metadata}
            kind = more.get("type")
            try:
                self._memory.remember(
                    text,
                    type=kind if isinstance(kind, str) and kind in MEMORY_TYPES else None,
                    tags=[owner.tag],
                    external_id=f"{owner.tag}/{entry.id}" if entry.id else None,
                    created_at=_instant(entry.timestamp),
                )
            except InvalidInput as error:
                _log.warning("a memory was not stored: %s", error)

    # Searching

    def _search(self, owner: Owner, query: str) -> list[MemoryEntry]:
        if not query.strip():
            return []
        hits = self._memory.search(query, k=DEEP, kinds=("memory", "turn"))
        own = [hit for hit in hits if self._may_see(owner, hit)]
        found = [_entry(hit) for hit in own if hit.score >= RELEVANT]
        if len(found) < self._most and len(own) < len(hits):
            # Hits of other users may have displaced this user's: search this user's alone.
            found += self._looked_through(owner, query)
        seen: set[str] = set()
        kept: list[MemoryEntry] = []
        for entry in found:
            if entry.id not in seen:
                seen.add(entry.id or "")
                kept.append(entry)
        return kept[: self._most]

    def _may_see(self, owner: Owner, hit: Hit) -> bool:
        if hit.realm == "user":  # of the machine's owner, not of a user of the app
            return False
        if hit.source == "turn":
            return (hit.session_id or "").startswith(owner.prefix)
        tags = hit.memory.tags if hit.memory is not None else ()
        others = any(tag.startswith(f"{HOST}:") for tag in tags)
        return owner.tag in tags or (self._shared and not others)

    def _looked_through(self, owner: Owner, query: str) -> Iterable[MemoryEntry]:
        said: list[Message] = []
        for info in self._memory.sessions():
            if info.id.startswith(owner.prefix):
                said += self._memory.session(info.id).history()
        added = self._memory.list(tag=owner.tag, limit=10_000, user=False)
        said += [Message(0, "", record.content, record.created_at, record.id) for record in added]
        for one in find(said, query, limit=self._most):
            message = one.message
            yield _made(message.external_id, message.content, message.role, message.time_text or message.time)


def _message(event: Event) -> dict[str, Any]:
    """Return an event as a message with role, time, and the event's id as the external id."""
    text = "" if event.partial else _text(event.content)
    at = to_iso(event.timestamp) if event.timestamp else None
    return {"role": event.author or "agent", "content": text, "external_id": event.id or None, "time": at}


def _instant(text: str | None) -> str | None:
    """Return an ISO timestamp; None if it is invalid, since ADK accepts any text as a timestamp."""
    try:
        return to_iso(datetime.fromisoformat(text or "").timestamp())
    except ValueError:
        return None


def _text(content: types.Content | None) -> str:
    """Return the text of a content without its thoughts."""
    parts = content.parts if content is not None else None
    return "\n".join(part.text for part in parts or () if part.text and not part.thought)


def _entry(hit: Hit) -> MemoryEntry:
    if hit.memory is None:
        return _made(hit.external_id or hit.id, hit.text, hit.role or "", hit.time)
    record = hit.memory
    return _made(
        record.id, record.content, "", record.created_at, {"type": record.type, "source": record.source}
    )


def _made(
    name: str | None, text: str, author: str, at: str | None, more: Mapping[str, Any] | None = None
) -> MemoryEntry:
    role = "user" if author in ("", "user") else "model"
    return MemoryEntry(
        id=name,
        author=author or None,
        timestamp=at,
        content=types.Content(role=role, parts=[types.Part(text=safe(text))]),
        custom_metadata=dict(more or {}),
    )
