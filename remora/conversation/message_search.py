"""Search messages of a conversation: BM25 over their words, without an index.

For the few thousand messages of a memory. Sessions on disk have their own index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from remora.conversation.calls import arguments_text
from remora.core import bm25
from remora.core.stems import stem
from remora.core.text import index_terms, query_terms, words
from remora.core.values import Message


class Found(NamedTuple):
    """A found message; `place` is its position in `get_all`, `score` compares within one search."""

    message: Message
    place: int
    score: float


def find(messages: Sequence[Message], query: str, role: str | None = None, limit: int = 10) -> list[Found]:
    """Return the messages that match a query, the best first, then the newest.

    Compound names match by their parts, Chinese, Japanese and Korean by pairs of characters, plurals by their
    singular. The names and arguments of tool calls are searched too.

    Args:
        messages: to search.
        query: words; a blank one finds nothing.
        role: only messages of this speaker.
        limit: maximum number; none for 0 and less.
    """
    wanted = {stem(term) for term in query_terms(query)}
    if not wanted or limit <= 0:
        return []
    places = [at for at, message in enumerate(messages) if role is None or message.role == role]
    texts = [_text(messages[place]) for place in places]
    counts = [Counter(stem(w) for w in (*words(text), *index_terms(text).split())) for text in texts]
    found = [
        Found(messages[place], place, score)
        for place, score in zip(places, bm25.scores(counts, wanted), strict=True)
        if score
    ]
    return sorted(found, key=lambda one: (-one.score, -one.place))[:limit]


def _text(message: Message) -> str:
    called = [f"{call.name} {arguments_text(call.arguments)}" for call in message.tool_calls]
    return "\n".join([message.content, message.tool_name or "", *called])
