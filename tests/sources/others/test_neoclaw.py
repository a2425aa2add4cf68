"""A neoclaw workspace is read whole: MEMORY.md, HISTORY files without repeats, sessions beside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remora.sources.others import neoclaw
from remora.sources.others.formats import detect
from tests.sources.others.looks import check, counts, external_ids, lines, why, write

ENTRY = "\n## 2026-02-27T14:30:00.000Z\n[2026-02-27 14:30] The user chose webhooks.\n"
OLDER = "\n## 2026-01-05T09:00:00.000Z\n[2026-01-05 09:00] The project began.\nTwo lines.\n"
BEGAN = "2026-02-01T08:00:00.000Z"
META: dict[str, object] = {
    "_type": "metadata",
    "key": "telegram:12",
    "createdAt": BEGAN,
    "lastConsolidated": 1,
}
SAID: list[dict[str, object]] = [
    {"role": "user", "content": "Which port?", "timestamp": "2026-02-01T08:00:01.000Z"},
    {"role": "assistant", "content": "5432.", "timestamp": "2026-02-01T08:00:02.500Z", "toolsUsed": ["grep"]},
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a workspace and its sessions."""
    return write(
        tmp_path / "neo",
        {
            "workspace/memory/MEMORY.md": "# Long-term Memory\n\n## User Information\n- Lives in Oslo\n",
            "workspace/memory/HISTORY.md": OLDER + ENTRY,
            "workspace/memory/HISTORY-2026-02.md": ENTRY,
            "sessions/telegram_12.jsonl": lines([META, *SAID]),
        },
    )


def test_everything_of_a_workspace_comes_over(home: Path) -> None:
    """Long-term memory, history and sessions, each with its times; an entry in two history files is one."""
    found = check(neoclaw.read(home / "workspace"))
    assert found.longterm == "# Long-term Memory\n\n## User Information\n- Lives in Oslo"
    assert found.history == (
        ("2026-01-05T09:00:00.000Z", "[2026-01-05 09:00] The project began.\nTwo lines."),
        ("2026-02-27T14:30:00.000Z", "[2026-02-27 14:30] The user chose webhooks."),
    )
    assert counts(found)["history"] == (3, 2, 1)
    assert why(found) == {"memory/HISTORY.md:6": "the same entry is in another file"}
    (session,) = found.sessions
    assert session[:3] == ("telegram:12", "2026-02-01T08:00:00.000Z", "ACTIVE")
    assert session.consolidated == 1
    assert [(m["role"], m["content"], m["time"]) for m in session.messages] == [
        ("user", "Which port?", "2026-02-01T08:00:01.000Z"),
        ("assistant", "5432.", "2026-02-01T08:00:02.500Z"),
    ]
    assert session.messages[1]["metadata"] == {"toolsUsed": ["grep"]}


@pytest.mark.parametrize("inside", ["", "workspace", "workspace/memory"])
def test_the_path_may_be_any_of_three_folders(home: Path, inside: str) -> None:
    """The workspace, what holds it and its memory folder mean the same."""
    assert detect(home / inside) == ["neoclaw"]
    assert neoclaw.read(home / inside) == neoclaw.read(home / "workspace")


def test_a_trim_changes_no_ids(home: Path) -> None:
    """When the oldest messages were trimmed away, those that stay keep their ids."""
    before = external_ids(neoclaw.read(home / "workspace"))[1]
    write(home, {"sessions/telegram_12.jsonl": lines([META, SAID[1]])})
    assert external_ids(neoclaw.read(home / "workspace"))[1] == before[1:]


def test_the_same_words_twice_are_two_messages(home: Path) -> None:
    """Two messages that agree in everything have different ids."""
    write(home, {"sessions/telegram_12.jsonl": lines([META, SAID[0], SAID[0]])})
    (session,) = check(neoclaw.read(home)).sessions
    assert [m["external_id"] for m in session.messages][1].endswith("~2")


def test_bad_lines_are_skipped_with_their_number(home: Path) -> None:
    """A line that is no JSON, a message without a role and an unfinished last line cost only themselves."""
    odd = ["", "{not json", '{"role": 5, "content": "x"}', "[1]", '{"role": "user", "content": NaN}']
    body = lines([META, SAID[0], *odd]) + '{"role": "user", "content": "hal'
    write(home, {"sessions/telegram_12.jsonl": body})
    found = check(neoclaw.read(home))
    assert counts(found)["messages"] == (6, 1, 5)
    assert why(found) == {
        "memory/HISTORY.md:6": "the same entry is in another file",
        "sessions/telegram_12.jsonl:4": "not JSON",
        "sessions/telegram_12.jsonl:5": "no role, or no content",
        "sessions/telegram_12.jsonl:6": "JSON, but not an object",
        "sessions/telegram_12.jsonl:7": "JSON with numbers out of range, or nested too deep",
        "sessions/telegram_12.jsonl:8": "not JSON; the file ends inside the line",
    }


def test_a_session_without_metadata_is_named_after_its_file(home: Path) -> None:
    """The name of the file serves, and the first message tells when it began."""
    write(home, {"sessions/cli_a.jsonl": lines(SAID)})
    session = next(s for s in check(neoclaw.read(home)).sessions if s.id == "cli_a")
    assert session.created_at == "2026-02-01T08:00:01.000Z"


def test_the_last_metadata_line_counts(home: Path) -> None:
    """As in neoclaw, later metadata replaces earlier."""
    again = META | {"key": "cli:now", "lastConsolidated": 99}
    write(home, {"sessions/telegram_12.jsonl": lines([META, *SAID, again])})
    (session,) = check(neoclaw.read(home)).sessions
    assert (session.id, session.consolidated) == ("cli:now", 2)


def test_a_message_without_a_time_has_that_of_the_one_before(home: Path) -> None:
    """What has no time is not dated today; words that are no time are kept."""
    odd = [{"role": "user", "content": "a"}, {"role": "user", "content": "b", "timestamp": "last Tuesday"}]
    write(home, {"sessions/telegram_12.jsonl": lines([META, SAID[0], *odd])})
    (session,) = check(neoclaw.read(home)).sessions
    assert [m["time"] for m in session.messages] == ["2026-02-01T08:00:01.000Z"] * 3
    assert session.messages[2]["time_text"] == "last Tuesday"


def test_text_before_the_first_header_is_reported(home: Path) -> None:
    """It has no time; so it is with the paragraphs of older histories."""
    said = "# History\n\n[2026-01-02 10:00] First.\nStill first.\n\nBy hand.\n"
    write(home, {"workspace/memory/HISTORY.md": said + ENTRY})
    found = check(neoclaw.read(home))
    assert [event.time for event in found.history] == ["2026-02-27T14:30:00.000Z"]
    assert why(found)["memory/HISTORY.md:1"] == "text without a time"


def test_a_heading_that_is_no_time_belongs_to_its_entry(home: Path) -> None:
    """Markdown inside an entry stays in it; an entry without text is none."""
    body = "## 2026-03-01T00:00:00.000Z\n## Plan\n## 2026-02-22\n- one\n## 2026-03-02T00:00:00.000Z\n\n"
    write(home, {"workspace/memory/HISTORY.md": body, "workspace/memory/HISTORY-2026-02.md": ""})
    found = check(neoclaw.read(home))
    assert found.history == (("2026-03-01T00:00:00.000Z", "## Plan\n## 2026-02-22\n- one"),)
    assert found.skipped == ()


def test_text_of_another_encoding_is_said(home: Path) -> None:
    """It is read, with a remark; what is no text is skipped."""
    write(home, {"workspace/memory/MEMORY.md": "café\r\nbar".encode("cp1252")})
    found = check(neoclaw.read(home))
    assert found.longterm == "café\nbar"
    assert found.remarks == ("not UTF-8; read as Windows-1252: memory/MEMORY.md",)
    for raw, reason in ((b"a\x00\x01\x02\x03\xff\xfe\x80", "binary, not text"), (b"", "empty")):
        write(home, {"workspace/memory/MEMORY.md": raw})
        assert why(check(neoclaw.read(home)))["memory/MEMORY.md"] == reason


def test_links_and_odd_files_are_reported_not_followed(home: Path) -> None:
    """Links, a loop among them, are not followed, and a pipe is not waited for."""
    sessions = home / "sessions"
    (home / "secret.jsonl").write_text(lines(SAID))
    (sessions / "loop.jsonl").symlink_to(sessions / "loop.jsonl")
    (sessions / "out.jsonl").symlink_to(home / "secret.jsonl")
    (sessions / "again").symlink_to(sessions)
    (sessions / "same.jsonl").symlink_to(sessions / "telegram_12.jsonl")
    os.mkfifo(sessions / "pipe.jsonl")
    (home / "workspace" / "memory" / "note.txt").write_text("x")
    found = check(neoclaw.read(home))
    assert why(found) == {
        "memory/HISTORY.md:6": "the same entry is in another file",
        "memory/note.txt": "not a file of neoclaw's memory",
        "sessions/again": "a link to a folder",
        "sessions/loop.jsonl": "a broken link",
        "sessions/out.jsonl": "a link out of the folder",
        "sessions/pipe.jsonl": "not a regular file",
        "sessions/same.jsonl": "a link to a file that is also read directly",
    }


def test_remoras_own_sessions_are_not_neoclaws(tmp_path: Path) -> None:
    """A log of ours says its version in its first line."""
    ours = {"_type": "metadata", "version": 1, "key": "cli:1", "createdAt": "2026-02-01T08:00:00.000Z"}
    assert detect(write(tmp_path / "a", {"sessions/cli.jsonl": lines([ours])})) == []
