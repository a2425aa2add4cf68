"""GolemCore's protocol buffers are decoded field by field; bytes that do not fit are refused."""

from __future__ import annotations

import random

import pytest

from remora.sources.others.golem_protobuf import session
from remora.sources.others.import_result import Unreadable
from tests.wire import data, double, entry, time, whole

CALL = data(1, "c1") + data(2, "shell") + entry(3, "cmd", data(4, "ls")) + entry(3, "n", whole(2, -3))
NESTED = data(
    5, entry(1, "deep", data(6, data(1, whole(1, 1)) + data(1, double(3, 0.5)) + data(1, data(7, b""))))
)
SAID = (
    data(1, "m1") + data(2, "assistant") + data(3, "Gut 👍") + data(6, "u9") + data(7, CALL) + data(8, "c0")
    + data(9, "grep") + entry(10, "tier", NESTED) + time(11, 1_770_473_700, 250_000_000)
    + data(12, b"\x00\x01") + data(13, "spoken") + whole(14, 1)
)  # fmt: skip
WHOLE = (
    data(1, "telegram:5") + data(2, "telegram") + data(3, "5") + data(4, SAID) + entry(5, "k", data(4, "v"))
    + whole(6, 3) + time(7, 1_770_473_000) + time(8, 1_770_473_800)
)  # fmt: skip


def test_a_session_is_decoded_field_by_field() -> None:
    """Every field arrives under its name in GolemCore's JSON; those of a later version are passed over."""
    said = {
        "id": "m1",
        "role": "assistant",
        "content": "Gut 👍",
        "senderId": "u9",
        "toolCalls": [{"id": "c1", "name": "shell", "arguments": {"cmd": "ls", "n": -3}}],
        "toolCallId": "c0",
        "toolName": "grep",
        "metadata": {"tier": {"deep": [True, 0.5, None]}},
        "timestamp": "2026-02-07T14:15:00.250Z",
        "voiceData": True,
        "voiceTranscription": "spoken",
    }
    assert session(WHOLE) == {
        "id": "telegram:5",
        "channelType": "telegram",
        "chatId": "5",
        "state": "TERMINATED",
        "metadata": {"k": "v"},
        "createdAt": "2026-02-07T14:03:20.000Z",
        "updatedAt": "2026-02-07T14:16:40.000Z",
        "messages": [said],
    }
    later = whole(99, 5) + double(98, 1.0) + data(97, "x") + b"\xfd\x06\x01\x02\x03\x04"
    assert session(later + WHOLE + later) == session(WHOLE)


@pytest.mark.parametrize(
    "raw",
    [
        WHOLE[:-1],
        b"\x0a\xff\xff\xff\xff\x0f",  # a length of four gigabytes
        b"\x0a",
        b"\x80" * 11,
        b"\x00\x01",  # field number 0
        b"\x0b\x01",  # a group, which proto3 has not
        whole(1, 7),  # the id as a number
        data(1, b"\xff\xfe"),
        data(6, "ACTIVE"),
        data(4, data(11, data(1, "now"))),
    ],
)
def test_what_does_not_fit_is_refused(raw: bytes) -> None:
    """A session that is cut or of another form is refused as a whole."""
    with pytest.raises(Unreadable):
        session(raw)


def test_values_that_json_has_not_become_nothing() -> None:
    """Neither an infinite double nor a time outside the calendar is kept; endless depth is refused."""
    assert session(entry(5, "k", double(3, float("inf"))))["metadata"] == {"k": None}
    assert session(time(7, 1 << 60))["createdAt"] is None
    value = whole(1, 1)
    for _ in range(100):
        value = data(6, data(1, value))
    with pytest.raises(Unreadable, match="too deep"):
        session(entry(5, "k", value))


def test_damaged_bytes_never_do_more_than_refuse() -> None:
    """Whatever bytes are changed, the answer is a session or a refusal."""
    chance = random.Random(4)
    for _ in range(2_000):
        raw = bytearray(WHOLE)
        for _ in range(chance.randint(1, 4)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        try:
            found = session(bytes(raw))
        except Unreadable:
            continue
        assert isinstance(found["messages"], list)
