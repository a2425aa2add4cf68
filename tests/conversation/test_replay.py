"""Lines fed one by one add up to the state of a session, whoever wrote them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remora.conversation.replay import Problem, Replay
from tests.conversation.logs import T0
from tests.tables import table


def fed(*lines: str | bytes | dict[str, Any]) -> Replay:
    """Return the replay of some lines of the session `cli:42`."""
    replay, offset = Replay("cli:42"), 0
    for line in lines:
        text = json.dumps(line) if isinstance(line, dict) else line
        raw = (text.encode() if isinstance(text, str) else text) + b"\n"
        replay.feed(raw, offset)
        offset += len(raw)
    return replay


def said(content: str = "x", **more: Any) -> dict[str, Any]:
    """Return a message line."""
    return {"role": "user", "content": content, **more}


META = {"_type": "metadata", "version": 1, "key": "cli:42", "createdAt": T0, "state": "ACTIVE"}


def test_numbers_are_taken_from_the_lines_where_they_ascend() -> None:
    """A gap stays; a missing, repeated, falling or absurd number becomes the one before plus 1."""
    numbers = [1, 5, None, 6, 2, 2**60, "9", True]
    replay = fed(*(said() if seq is None else said(seq=seq) for seq in numbers))
    assert [message.seq for message in replay.messages] == [1, 5, 6, 7, 8, 9, 10, 11]
    assert [p.line for p in replay.problems] == [4, 5, 6, 7, 8]
    assert replay.problems[0].reason == "seq 6 does not follow 6; counted as 7"


def test_offsets_are_where_the_messages_begin() -> None:
    """A message's place is the byte at which its line begins; an external id is its first message's."""
    first, second = json.dumps(said("é", externalId="e")), json.dumps(said("b"))
    replay = fed(first, "", META, second, said("c", externalId="e"))
    assert list(replay.offsets)[:2] == [0, len(first.encode()) + 1 + 1 + len(json.dumps(META)) + 1]
    assert [replay.place_at(at) for at in (0, 1, replay.offsets[1], 10_000)] == [0, 1, 1, 3]
    assert replay.external == {"e": 0}
    assert replay.total == 3


def test_bad_lines_are_counted_with_their_place_and_spoil_nothing() -> None:
    """Broken lines between good ones are skipped; blank lines and unknown kinds are no problem."""
    odd: list[Any] = [{"_type": "reaction", "emoji": "+1"}, "[]", {"role": "u"}]
    replay = fed(META, said("1"), "{broken", "", b"\xff\xfe", *odd, said("2"), {"_type": None})
    assert replay.total == 2
    assert [problem.line for problem in replay.problems] == [3, 5, 7, 8]
    assert replay.problems[3] == Problem(8, "skipped: content is missing")


def test_metadata_lines_add_up_and_the_first_creation_stays() -> None:
    """Later lines change their keys, null takes a key away, `key` and `createdAt` stay as first given."""
    later = META | {"key": "other", "createdAt": "2030-01-01T00:00:00.000Z", "title": "b", "color": None}
    replay = fed(META | {"title": "a", "color": "red"}, later, {"_type": "state", "state": "TERMINATED"})
    kept = {name: value for name, value in META.items() if name != "_type"}
    assert replay.metadata == kept | {"state": "TERMINATED", "title": "b"}
    assert replay.problems == []


@pytest.mark.parametrize(("line", "reason"), table(__file__, "odd_markers"))
def test_markers_that_make_no_sense(line: str, reason: str) -> None:
    """A marker that cannot be meant is reported and moves nothing."""
    replay = fed(json.loads(line))
    assert [problem.reason for problem in replay.problems] == [reason]
    assert replay.boundary is None
    assert replay.consolidated == 0
    assert replay.metadata.get("state", "ACTIVE") == "ACTIVE"
