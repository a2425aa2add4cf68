"""A session belongs to a project only if its recorded folder says so."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from remora.sources.transcripts.discovery import Found, find, find_in
from remora.sources.transcripts.hosts import cline, tasks


def project(tmp_path: Path) -> Path:
    """Return a project's folder."""
    root = tmp_path.resolve() / "w" / "my-app"
    root.mkdir(parents=True)
    return root


def found(root: Path, host: str) -> Found:
    """Return what is found for a project on the machine on which it is."""
    return find(root, {"HOME": str(root.parents[1] / "home")}, hosts=[host])


def put(path: Path, *records: Any) -> Path:
    """Write JSON, a value a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), "utf-8")
    return path


START = {"type": "session.start", "id": "e1", "data": {"sessionId": "s1"}}
SAID = {"type": "user.message", "id": "e2", "data": {"content": "Use 30."}}
MESSAGES = {"messages": [{"id": "m1", "role": "user", "content": [{"type": "text", "text": "Use 30."}]}]}
TASK = [{"role": "user", "content": [{"type": "text", "text": "<task>\nUse 30.\n</task>"}]}]
CHAT = {"sessionId": "s1", "projectHash": "x", "startTime": "2026-01-05T12:00:00Z"}
EDITOR = ".vscode-server/data/User/globalStorage"


@pytest.mark.parametrize(
    ("host", "name", "records"),
    [
        ("copilot", ".copilot/session-state/s1/events.jsonl", [START, SAID]),
        ("gemini", ".gemini/tmp/app/chats/session-1.jsonl", [CHAT]),
        ("cline", ".cline/data/sessions/s1/s1.messages.json", [MESSAGES]),
        ("cline", f"{EDITOR}/saoudrizwan.claude-dev/tasks/1/{tasks.FILE}", [TASK]),
        ("roo", f"{EDITOR}/rooveterinaryinc.roo-cline/tasks/1/{tasks.FILE}", [TASK]),
    ],
)
def test_a_session_without_a_folder_is_no_projects(
    tmp_path: Path, host: str, name: str, records: list[Any]
) -> None:
    """It is read if a person names it; no project is told of it."""
    root = project(tmp_path)
    path = put(tmp_path / "home" / name, *records)
    if host == "gemini":
        path.parents[1].joinpath(".project_root").touch()
    elif host == "cline" and path.name.endswith(".messages.json"):
        put(path.with_name("s1.json"), {})
    assert found(root, host) == ((), ())
    assert [t.host for t in find_in(path).transcripts] == [host]


def test_a_row_without_a_folder_is_no_projects(tmp_path: Path) -> None:
    """A database may have none."""
    root = project(tmp_path)
    path = tmp_path / "home" / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE session (id, parent_id, directory, time_created)")
        database.execute("CREATE TABLE message (id, session_id, data, time_updated)")
        database.execute("INSERT INTO session VALUES ('ses_1', NULL, '', 1)")
    database.close()
    assert found(root, "opencode") == ((), ())


def test_the_first_folder_that_a_task_names_is_its_own(tmp_path: Path) -> None:
    """In the words of either version; what was read later, or typed before, may name others."""
    root = project(tmp_path)
    about = "<environment_details>\n# Current {} Directory ({}) Files\n</environment_details>"
    texts = [
        "<task>\n# Current Working Directory (/typed) Files\n</task>",
        about.format("Workspace", root),
        about.format("Working", "/w/read"),
    ]
    path = tmp_path / "home" / EDITOR / "saoudrizwan.claude-dev" / "tasks" / "1" / tasks.FILE
    put(path, [{"role": "user", "content": [{"type": "text", "text": text} for text in texts]}])
    assert [t.cwd for t in found(root, cline.HOST).transcripts] == [str(root)]
