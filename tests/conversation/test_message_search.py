"""Messages are found by what they say."""

from __future__ import annotations

from remora.conversation.message_search import find
from remora.core.values import Message
from tests.conversation.compaction import calls, result


def said(*texts: str) -> list[Message]:
    """Return what user and assistant say in turn."""
    return [Message(0, ("user", "assistant")[n % 2], text) for n, text in enumerate(texts)]


def places(messages: list[Message], query: str, **more: object) -> list[int]:
    """Return where the found messages stand, the best first."""
    return [found.place for found in find(messages, query, **more)]  # type: ignore[arg-type]


TALK = said(
    "How long do access tokens live?",
    "A token lives 24 hours; getTokenLifetime in auth/tokens.py says so.",
    "And refresh tokens?",
    "Thirty days.",
    "数据库的连接池有多大?",
)


def test_more_of_the_query_is_better():
    """A message with more of the words, and rarer ones, or the query itself, comes first; then the newer."""
    assert places(TALK, "refresh token") == [2, 1, 0]
    assert places(TALK, "zebra") == []
    assert places(said("tokens", "x", "tokens"), "token") == [2, 0]
    assert places(said("pool size", "the size of a pool is the size"), "pool size")[0] == 0


def test_plural_and_parts_of_names():
    """A plural is found by its singular, a name in code by its parts, Chinese by pairs of signs."""
    assert places(TALK, "hour") == [1]
    assert places(TALK, "lifetime") == [1]
    assert places(TALK, "连接池") == [4]


def test_role_and_limit():
    """Only what one speaker said, and only so many."""
    assert places(TALK, "tokens", role="user") == [2, 0]
    assert places(TALK, "tokens", limit=1) == [2]
    assert places(TALK, "tokens", limit=0) == places(TALK, "tokens", limit=-1) == []


def test_tool_calls_are_searched():
    """What a tool was called with can be found, and the tool's name on its result."""
    messages = [calls(1, "read_file", path="store/pool.py"), result(2, "read_file", "SIZE = 5")]
    assert places(messages, "pool") == [0]
    assert sorted(places(messages, "read_file")) == [0, 1]
