"""CrabTalk's dumped trees and sessions, and folders that hold several of its things."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from remora.core.values import Entry
from remora.sources.others import crabtalk
from remora.sources.others.formats import detect
from tests.sources.others.looks import check, counts, why, write
from tests.sources.others.test_crabtalk_file import FIXTURE

NOTE = """<div id="meta">
<dl>
  <dt>Created</dt>
  <dd><time datetime="2020-01-01T00:00:00Z">2020-01-01T00:00:00Z</time></dd>
  <dt>Aliases</dt>
  <dd>
    <ul>
      <li>a&lt;b</li>
      <li>x&amp;y</li>
    </ul>
  </dd>
</dl>
</div>

Roll out in steps.

- one
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A dumped memory."""
    return write(
        tmp_path / "brain",
        {
            "SUMMARY.md": "# Summary\n\n# Notes\n\n- [deploy](notes/deploy.md)\n",
            "book.toml": "[book]\n",
            "notes/deploy.md": NOTE,
            "archives/talk-1.md": "No block: all is text.\n\n",
            "topics/rust.md": '\ufeff<div id="meta">\n<dl>\n</dl>\n</div>\n\nAbout Rust.\n',
        },
    )


def test_a_dumped_tree_comes_over(tree: Path) -> None:
    """Notes, archives and topics with time and aliases; signs come back from their escapes."""
    assert detect(tree) == ["crabtalk"]
    found = check(crabtalk.read(tree))
    assert found.entries == (
        Entry(0, "deploy", "Roll out in steps.\n\n- one", "note", ("a<b", "x&y"), "2020-01-01T00:00:00.000Z"),
        Entry(0, "talk-1", "No block: all is text.", "archive"),
        Entry(0, "rust", "About Rust.", "note"),
    )
    assert found.skipped == ()
    assert found.remarks == ("topics were imported as notes: topics/rust.md",)


def test_odd_entries_of_a_tree(tree: Path) -> None:
    """A block that never ends is text, a date before 1970 is none, other files are named."""
    write(
        tree,
        {
            "notes/open.md": '<div id="meta">\n<dl>\ntext',
            "notes/old.md": NOTE.replace("2020", "1960"),
            "notes/bad.md": NOTE.replace("2020-01-01T00:00:00Z", "soon"),
            "notes/readme.txt": "x",
            "notes/sub/deep.md": "x",
            "notes/binary.md": bytes(range(256)) * 4,
            "archives/deploy.md": "Another of that name.",
        },
    )
    found = check(crabtalk.read(tree))
    by_name = {entry.name: entry for entry in found.entries}
    assert by_name["open"].content == '<div id="meta">\n<dl>\ntext'
    assert (by_name["old"].created_at, by_name["bad"].created_at) == ("", "")
    assert by_name["deploy (archive)"].content == "Another of that name."
    assert why(found) == {
        "notes/binary.md": "binary, not text",
        "notes/readme.txt": "not an entry of a dumped memory",
        "notes/sub/deep.md": "not an entry of a dumped memory",
    }


def _session(steps: list[Any], **meta: Any) -> dict[str, str]:
    about = {
        "agent": "crab",
        "created_by": "tg:5",
        "created_at": "2026-04-14T10:00:00+02:00",
        "title": "Deploy",
    } | meta
    files = {f"step-{number:06}": json.dumps(step) for number, step in enumerate(steps, 1)}
    return {
        f"sessions/crab_tg-5_1/{name}": body for name, body in ({"meta": json.dumps(about)} | files).items()
    }


def _said(role: str, content: str | None, **more: Any) -> dict[str, Any]:
    return {"message": {"role": role, "content": content} | more}


CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"cmd": "ls"}'}}
STEPS = [
    _said("user", "Deploy it"),
    _said("assistant", None, tool_calls=[CALL], reasoning_content="hm"),
    {"event": "tool_start", "calls": [], "ts": "2026-04-14T08:05:00Z"},
    _said("tool", "done", tool_call_id="c1", name="bash"),
    {"archive_name": "deploy-1", "archived_at": "2026-04-14T08:10:00Z"},
    {"agent": "guest"} | _said("assistant", "It runs."),
]


def test_a_session_comes_over(tmp_path: Path) -> None:
    """All messages in order, with the time of the last trace; the working context begins at the marker."""
    write(tmp_path, _session(STEPS))
    assert detect(tmp_path) == ["crabtalk"]
    found = check(crabtalk.read(tmp_path))
    (session,) = found.sessions
    assert session._replace(messages=()) == (
        "crabtalk:crab_tg-5_1", "2026-04-14T08:00:00.000Z", "ACTIVE", (), "Deploy", 3, "deploy-1", "", 0,
    )  # fmt: skip
    assert [(m["role"], m["content"], m["time"][11:16]) for m in session.messages] == [
        ("user", "Deploy it", "08:00"),
        ("assistant", "", "08:00"),
        ("tool", "done", "08:05"),
        ("assistant", "It runs.", "08:10"),
    ]
    assert session.messages[1]["tool_calls"] == [{"id": "c1", "name": "bash", "arguments": {"cmd": "ls"}}]
    assert session.messages[1]["metadata"] == {"reasoning": "hm"}
    assert (session.messages[2]["tool_call_id"], session.messages[2]["tool_name"]) == ("c1", "bash")
    assert session.messages[3]["metadata"] == {"agent": "guest"}
    assert session.messages[3]["external_id"] == "crabtalk:crab_tg-5_1:step-000006"
    assert counts(found) == {"sessions": (1, 1, 0), "messages": (4, 4, 0), "events": (1, 0, 1)}


def test_the_last_marker_counts_and_older_ones_hold_their_summary(tmp_path: Path) -> None:
    """A legacy marker has no archive; its text is handed on."""
    legacy = {"compact": "They deployed.", "title": "t", "archived_at": "2026-04-14T09:00:00Z"}
    write(tmp_path, _session([*STEPS, legacy]))
    (session,) = check(crabtalk.read(tmp_path)).sessions
    assert (session.context_from, session.archive_name, session.summary) == (4, "", "They deployed.")


def test_bad_steps_cost_only_themselves(tmp_path: Path) -> None:
    """Unreadable steps, a missing meta and foreign files are named."""
    files = _session([_said("user", "a"), [1], {"message": {"role": ""}}, _said("user", "b")])
    files["sessions/crab_tg-5_1/step-000009"] = '{"message": {"role": "us'
    files["sessions/crab_tg-5_1/step-x"] = "{}"
    files["sessions/crab_tg-5_2/step-000001"] = json.dumps({"role": "user", "content": "flat"})
    found = check(crabtalk.read(write(tmp_path, files)))
    assert [[m["content"] for m in s.messages] for s in found.sessions] == [["a", "b"], ["flat"]]
    assert why(found) == {
        "sessions/crab_tg-5_1/step-000002": "JSON, but not an object",
        "sessions/crab_tg-5_1/step-000003": "no role, or no content",
        "sessions/crab_tg-5_1/step-000009": "not JSON",
        "sessions/crab_tg-5_1/step-x": "not a step of a session of CrabTalk",
    }


def test_steps_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """A step past the millionth comes after, though its name sorts before."""
    files = _session([])
    files["sessions/crab_tg-5_1/step-1000000"] = json.dumps(_said("user", "later"))
    files["sessions/crab_tg-5_1/step-999999"] = json.dumps(_said("user", "earlier"))
    (session,) = check(crabtalk.read(write(tmp_path, files))).sessions
    assert [m["content"] for m in session.messages] == ["earlier", "later"]


def test_a_folder_may_hold_all_of_it(tree: Path, tmp_path: Path) -> None:
    """Memory files of any name, trees and sessions come over together."""
    write(tmp_path / "home", {"data/any.name": FIXTURE, **_session(STEPS)})
    shutil.copytree(tree, tmp_path / "home" / "brain")
    found = check(crabtalk.read(tmp_path / "home"))
    assert [entry.name for entry in found.entries] == ["hi", "deploy", "talk-1", "rust"]
    assert len(found.sessions) == 1


def test_folders_that_only_share_names_are_not_crabtalks(tmp_path: Path) -> None:
    """A folder of notes without the blocks, and sessions without meta, are somebody else's."""
    write(tmp_path, {"notes/a.md": "x", "SUMMARY.md": "# Summary of the year\n", "sessions/a/meta": "{}"})
    assert detect(tmp_path) == []
