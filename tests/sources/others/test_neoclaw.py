"""A neoclaw workspace is read whole: MEMORY.md, HISTORY files without repeats, sessions beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora.sources.others import neoclaw
from remora.sources.others.formats import detect
from remora.sources.others.import_result import Found
from tests.sources.others.looks import Files, check, counts, lines, why, write

ENTRY = "\n## 2026-02-27T14:30:00.000Z\n[2026-02-27 14:30] The user chose webhooks.\n"
OLDER = "\n## 2026-01-05T09:00:00.000Z\n[2026-01-05 09:00] The project began.\nTwo lines.\n"
BEGAN = "2026-02-01T08:00:00.000Z"
META: dict[str, Any] = {"_type": "metadata", "key": "telegram:12", "createdAt": BEGAN, "lastConsolidated": 1}
SAID: list[dict[str, Any]] = [
    {"role": "user", "content": "Which port?", "timestamp": "2026-02-01T08:00:01.000Z"},
    {"role": "assistant", "content": "5432.", "timestamp": "2026-02-01T08:00:02.500Z", "toolsUsed": ["grep"]},
]
SESSION = "sessions/telegram_12.jsonl"
HISTORY = "workspace/memory/HISTORY.md"
MONTH = "workspace/memory/HISTORY-2026-02.md"
LONGTERM = "workspace/memory/MEMORY.md"
WORKSPACE: Files = {
    LONGTERM: "# Facts\n\n## User\n- Lives in Oslo\n",
    HISTORY: OLDER + ENTRY,
    MONTH: ENTRY,
    SESSION: lines([META, *SAID]),
}
REPEATED = {"memory/HISTORY.md:6": "the same entry is in another file"}
Read = Callable[..., Found]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a workspace and its sessions."""
    return write(tmp_path / "neo", WORKSPACE)


@pytest.fixture
def read(home: Path) -> Read:
    """A function that changes files of the workspace and reads it."""

    def read_with(files: Files) -> Found:
        return check(neoclaw.read(write(home, files)))

    return read_with


def test_everything_of_a_workspace_comes_over(home: Path) -> None:
    """Long-term memory, history and sessions, each with its times; an entry in two history files is one."""
    found = check(neoclaw.read(home / "workspace"))
    assert found.longterm == "# Facts\n\n## User\n- Lives in Oslo"
    assert found.history == (
        ("2026-01-05T09:00:00.000Z", "[2026-01-05 09:00] The project began.\nTwo lines."),
        ("2026-02-27T14:30:00.000Z", "[2026-02-27 14:30] The user chose webhooks."),
    )
    assert (counts(found)["history"], why(found)) == ((3, 2, 1), REPEATED)
    (session,) = found.sessions
    assert session[:3] == ("telegram:12", BEGAN, "ACTIVE")
    assert session.consolidated == 1
    assert [(m["role"], m["content"], m["time"]) for m in session.messages] == [
        ("user", "Which port?", "2026-02-01T08:00:01.000Z"),
        ("assistant", "5432.", "2026-02-01T08:00:02.500Z"),
    ]
    assert session.messages[1]["metadata"] == {"toolsUsed": ["grep"]}
    for inside in ("", "workspace", "workspace/memory"):  # they mean the same
        assert detect(home / inside) == ["neoclaw"]
        assert neoclaw.read(home / inside) == found
    assert detect(home / SESSION) == ["neoclaw"]
    assert neoclaw.read(home / SESSION).sessions == found.sessions


def test_messages_have_ids_of_their_own(home: Path, read: Read) -> None:
    """Those that stay after a trim keep theirs; two messages that agree in everything have two."""

    def ids(found: Found) -> list[str]:
        return [message["external_id"] for message in found.sessions[0].messages]

    first, second = ids(neoclaw.read(home))
    assert ids(read({SESSION: lines([META, SAID[1]])})) == [second]
    assert ids(read({SESSION: lines([META, SAID[0], SAID[0]])})) == [first, f"{first}~2"]


def test_bad_lines_are_skipped_with_their_number(read: Read) -> None:
    """A line that is no JSON, a message without a role and an unfinished last line cost only themselves."""
    odd = ["", "{not json", '{"role": 5, "content": "x"}', "[1]", '{"role": "user", "content": NaN}']
    found = read({SESSION: lines([META, SAID[0], *odd]) + '{"role": "user", "content": "hal'})
    assert counts(found)["messages"] == (6, 1, 5)
    assert why(found) == REPEATED | {
        f"{SESSION}:4": "not JSON",
        f"{SESSION}:5": "no role, or no content",
        f"{SESSION}:6": "JSON, but not an object",
        f"{SESSION}:7": "JSON with numbers out of range, or nested too deep",
        f"{SESSION}:8": "not JSON",
    }


def test_what_a_session_does_not_tell_is_told_by_what_is_near(read: Read) -> None:
    """Its file names it, its first message dates it, and a message has the time of the one before."""
    odd = [{"role": "user", "content": "a"}, {"role": "user", "content": "b", "timestamp": "last Tuesday"}]
    again = META | {"key": "cli:now", "lastConsolidated": 99}
    found = read({"sessions/a.jsonl": lines([SAID[0], *odd]), SESSION: lines([META, *SAID, again])})
    bare, told = found.sessions
    assert (bare.id, bare.created_at) == ("a", "2026-02-01T08:00:01.000Z")
    assert [m["time"] for m in bare.messages] == ["2026-02-01T08:00:01.000Z"] * 3
    assert bare.messages[2]["time_text"] == "last Tuesday"
    assert (told.id, told.consolidated) == ("cli:now", 2)  # as in neoclaw, the last metadata counts


def test_what_is_no_entry_of_a_history(read: Read) -> None:
    """Text before the first header is reported; Markdown stays in its entry, and an empty one is none."""
    said = "# History\n\n[2026-01-02 10:00] First.\nStill first.\n\nBy hand.\n"
    found = read({HISTORY: said + ENTRY})
    assert [event.time for event in found.history] == ["2026-02-27T14:30:00.000Z"]
    assert why(found)["memory/HISTORY.md:1"] == "text without a time"
    body = "## 2026-03-01T00:00:00.000Z\n## Plan\n## 2026-02-22\n- one\n## 2026-03-02T00:00:00.000Z\n\n"
    found = read({HISTORY: body, MONTH: ""})
    assert found.history == (("2026-03-01T00:00:00.000Z", "## Plan\n## 2026-02-22\n- one"),)
    assert found.skipped == ()


def test_text_of_another_encoding_is_said(read: Read) -> None:
    """It is read, with a remark; what is no text is skipped."""
    found = read({LONGTERM: "café\r\nbar".encode("cp1252")})
    assert found.longterm == "café\nbar"
    assert found.remarks == ("not UTF-8; read as Windows-1252: memory/MEMORY.md",)
    assert why(read({LONGTERM: b"a\x00\x01\x02\x03\xff\xfe\x80"}))["memory/MEMORY.md"] == "binary, not text"
    assert why(read({LONGTERM: b""}))["memory/MEMORY.md"] == "empty"
