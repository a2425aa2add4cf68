"""Messages become lines and come back; input is checked, files are read as far as they go."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.conversation.format import MAX_DEPTH, BadLine, decode, number, prepare, read_message, said_at
from remora.core.errors import InvalidInput
from remora.core.text import sound
from remora.core.values import Message, ToolCall

NOW = "2026-01-01T00:00:00.000Z"
WHOLE: dict[str, Any] = {"role": "u", "content": "x"}

ANY_TEXT = st.text(st.characters(), max_size=30)  # lone surrogates included
WORDS = ANY_TEXT.filter(lambda text: bool(sound(text).strip()))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
CALLS = st.lists(
    st.fixed_dictionaries({"id": ANY_TEXT, "name": WORDS, "arguments": JSON}), min_size=1, max_size=3
)
MESSAGES = st.fixed_dictionaries(
    {"role": WORDS, "content": ANY_TEXT},
    optional={
        "time": st.datetimes(datetime(1000, 1, 2), datetime(9999, 12, 30)),
        "external_id": WORDS,
        "tool_calls": CALLS,
        "tool_call_id": WORDS,
        "tool_name": WORDS,
        "metadata": st.dictionaries(ANY_TEXT, JSON, max_size=3),
    },
)


def there_and_back(message: dict[str, Any]) -> Message:
    """Return what stands in the log for a message."""
    (prepared,) = prepare([message], NOW)
    line = number(prepared, 1)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    record = decode(line)
    assert record is not None
    assert record["seq"] == 1
    read, doubts = read_message(record, 1)
    assert doubts == []
    return read


def as_json(value: Any) -> Any:
    """Return a value as JSON in UTF-8 holds it."""
    return json.loads(sound(json.dumps(value, ensure_ascii=False)))


@given(MESSAGES)
def test_every_message_comes_back(message: dict[str, Any]) -> None:
    """Whatever the texts and values are, the line is one line and says what was given."""
    read = there_and_back(message)
    for name in ("role", "content", "external_id", "tool_call_id", "tool_name"):
        assert getattr(read, name) == (sound(message[name]) if name in message else None)
    assert read.metadata == (as_json(message["metadata"]) if "metadata" in message else None)
    given_calls = as_json(message.get("tool_calls", []))
    assert read.tool_calls == tuple(ToolCall(c["id"], c["name"], c["arguments"]) for c in given_calls)


@pytest.mark.parametrize("content", ['"}\n{"_type":"clear"}', "\\ud83d"])
def test_difficult_texts(content: str) -> None:
    """JSON, and the name of half a sign, stay as they are."""
    assert there_and_back({"role": "user", "content": content}).content == content


@pytest.mark.parametrize(
    ("value", "time", "text"),
    [
        (None, NOW, None),
        ("2024-03-15T14:00:00.1239+02:00", "2024-03-15T12:00:00.123Z", None),
        ("2024-03-15 14:00", "2024-03-15T14:00:00.000Z", None),
        (" 2024-03-15 ", "2024-03-15T00:00:00.000Z", None),
        (1_700_000_000_000, "2023-11-14T22:13:20.000Z", None),
        (1.5, "1970-01-01T00:00:01.500Z", None),
        (datetime(2024, 3, 15, 14), "2024-03-15T14:00:00.000Z", None),
        (datetime(2024, 3, 15, 14, tzinfo=timezone(timedelta(hours=-2))), "2024-03-15T16:00:00.000Z", None),
        ("03.04.2024", "2024-04-03T00:00:00.000Z", "03.04.2024"),
        ("03/04/2024", "2024-03-04T00:00:00.000Z", "03/04/2024"),
        ("last Friday", None, "last Friday"),
        ("2024-02-30", None, "2024-02-30"),
        ("0500-01-01", None, "0500-01-01"),
    ],
)
def test_times(value: Any, time: str | None, text: str | None) -> None:
    """ISO 8601, numbers, datetimes and whole days in words become UTC; any other text leaves it unknown."""
    assert said_at(value, NOW) == (time, text)


@pytest.mark.parametrize("value", [float("nan"), 1e300, -1e14, True, [], datetime(3, 1, 1)])
def test_times_that_are_none(value: Any) -> None:
    """Numbers outside the calendar and values that are no time are refused."""
    with pytest.raises(BadLine, match="time"):
        said_at(value, NOW)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (WHOLE | {"role": 5}, "role is int"),
        (WHOLE | {"content": ["secret"]}, "content is list"),
        (WHOLE | {"time": 1e300}, "out of range"),
        (WHOLE | {"external_id": 5}, "externalId is int"),
        (WHOLE | {"content": "secret", "metadata": "x"}, "metadata is"),
        (WHOLE | {"metadata": {"a": object()}}, "cannot be written as JSON"),
        (WHOLE | {"tool_calls": "ls"}, "a tool call is 'ls'"),
        (WHOLE | {"tool_calls": [{"id": "1"}]}, "a tool call is dict"),
        (WHOLE | {"name": "Ann"}, "unknown field 'name'"),
        (None, "a message is a mapping"),
    ],
)
def test_a_message_that_cannot_be_used(message: Any, reason: str) -> None:
    """A wrong field is refused by name, with its place in the batch, and says what to do."""
    with pytest.raises(InvalidInput, match=f"^message 2 of 3: .*{reason}") as caught:
        prepare([WHOLE, message, WHOLE], NOW)
    assert "Nothing was appended" in caught.value.hint
    assert "secret" not in str(caught.value)
    with pytest.raises(InvalidInput, match=reason):
        prepare([message], NOW)


@pytest.mark.parametrize("batch", ["text", {"role": "u", "content": "x"}, Message(1, "u", "x"), 5, None])
def test_a_batch_is_a_list(batch: Any) -> None:
    """One message in the place of a list is not taken for a list of its parts."""
    with pytest.raises(InvalidInput, match="list of messages"):
        prepare(batch, NOW)


def test_depth() -> None:
    """Metadata down to the limit are kept, deeper ones refused at both ends, however deep they are."""

    def message(depth: int) -> dict[str, Any]:
        value: dict[str, Any] = {"role": "u", "content": "", "metadata": "x"}
        for _ in range(depth):
            value["metadata"] = {"a": value["metadata"]}
        return value

    kept = message(MAX_DEPTH)
    assert there_and_back(kept).metadata == kept["metadata"]
    for depth in (MAX_DEPTH + 1, 100_000):
        with pytest.raises(InvalidInput, match="nested"):
            prepare([message(depth)], NOW)
        with pytest.raises(BadLine):
            decode(b'{"metadata":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}\n")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe{\x00}\x00", "not UTF-8 .byte 1"),
        (b'{"role":"\xe9"}', "not UTF-8 .byte 10"),
        (b"[1,2]", "not an object"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_lines_that_cannot_be_read(line: bytes, reason: str) -> None:
    """A line that is not a JSON object in UTF-8 says why; what editors leave does no harm."""
    with pytest.raises(BadLine, match=reason):
        decode(line + b"\n")
    for blank in (b"", b"\n", b"\r\n", b"  \t\n", b"\xef\xbb\xbf\n"):
        assert decode(blank) is None
    assert decode(b'\xef\xbb\xbf{"role":"u"}\r\n') == {"role": "u"}


def test_a_line_from_elsewhere_is_read_as_far_as_it_goes() -> None:
    """Wrong optional fields are left out and reported; the message stays."""
    record = {
        "role": "user",
        "content": "x",
        "timestamp": "yesterday",
        "externalId": 7,
        "toolCalls": [{"name": "ls", "arguments": "-l"}, "rm", {"id": 3}],
        "metadata": [1],
        "toolsUsed": ["ls"],
    }
    message, doubts = read_message(record, 4)
    assert message == Message(4, "user", "x", time_text="yesterday", tool_calls=(ToolCall("", "ls", "-l"),))
    assert doubts == [
        "timestamp 'yesterday' is not ISO 8601; kept as text",
        "metadata is list; left out",
        "externalId is int; left out",
        "a tool call is 'rm'; left out",
        "a tool call is dict; left out",
    ]


@pytest.mark.parametrize(
    "wrong", [{}, {"role": "u"}, {"content": "x"}, WHOLE | {"role": 1}, WHOLE | {"role": ""}]
)
def test_a_line_without_a_message(wrong: dict[str, Any]) -> None:
    """Without role and content there is no message."""
    with pytest.raises(BadLine, match=r"(role|content) is"):
        read_message(wrong, 1)
