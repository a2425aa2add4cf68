"""Messages as the search index sees them: each with what was said around it.

A message alone is often not to be found: "Yes, the second one" answers a question that stands in the
message before. So the index gets every message with its neighbours' words and a heading that says
which session it is from and when. The parts stay apart, for an index that weighs them differently;
`text` joins them for one that does not. This module is pure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from remora.core.text import shorten
from remora.core.values import Message

# Tool results repeat files and may hold secrets that no pattern knows; instructions of the system
# are the same in every session and would answer every question.
SKIPPED_ROLES = frozenset({"tool", "function", "system", "developer"})
NEIGHBOUR_CHARS = 300  # enough for the question that a turn answers

_PART = 4  # how much of a long neighbour is looked at, in multiples of what is kept


class IndexableTurn(NamedTuple):
    """One message with its surroundings. `before` and `after` are in the order of the conversation.

    `time` is the caller's own words where there are some, otherwise ISO 8601. `tools` are the names
    of the tools that the message asks for; arguments are left out.
    """

    seq: int
    role: str
    content: str
    time: str | None
    external_id: str | None
    heading: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Heading, neighbours and the message itself, one a line, for a single embedding or field."""
        said = f"{self.role}: {self.content}"
        tools = f"tools: {', '.join(self.tools)}" if self.tools else ""
        return "\n".join(part for part in (self.heading, *self.before, said, tools, *self.after) if part)


def windows(
    messages: Sequence[Message],
    before: int = 1,
    after: int = 1,
    *,
    heading: str = "",
    since: int = 0,
    skipped_roles: Collection[str] = SKIPPED_ROLES,
    neighbour_chars: int = NEIGHBOUR_CHARS,
) -> list[IndexableTurn]:
    """Return the turns to index, in order.

    Tool results, the roles that are skipped and messages without words are no turns and no neighbours.

    Args:
        messages: a session's history, or a part of it, in order. With `since` it reaches back by
            `before + after` turns at least, or neighbours will be missing.
        before: how many turns before each are its neighbours.
        after: how many turns after it.
        heading: what the session is about or called; the turn's time is put behind it.
        since: return only the turns whose windows change when the messages from this `seq` on are
            new: those themselves, and the last `after` turns before them.
        skipped_roles: roles that are not indexed.
        neighbour_chars: the most that is kept of a neighbour's words.
    """
    said = [m for m in messages if _is_said(m, skipped_roles)]
    new = next((place for place, m in enumerate(said) if m.seq >= since), len(said))
    if new == len(said):
        return []
    excerpts = [f"{m.role}: {shorten(m.content[: _PART * neighbour_chars], neighbour_chars)}" for m in said]
    return [
        IndexableTurn(
            seq=m.seq,
            role=m.role,
            content=m.content,
            time=m.time_text or m.time,
            external_id=m.external_id,
            heading=" · ".join(part for part in (heading, m.time_text or m.time) if part),
            before=tuple(excerpts[max(0, place - before) : place]),
            after=tuple(excerpts[place + 1 : place + 1 + after]),
            tools=tuple(dict.fromkeys(call.name for call in m.tool_calls)),
        )
        for place, m in enumerate(said)
        if place >= max(0, new - after)
    ]


def _is_said(message: Message, skipped_roles: Collection[str]) -> bool:
    is_result = message.tool_call_id is not None or message.role.lower() in skipped_roles
    return not is_result and bool(message.content.strip())
