"""session, note, journal and move-in on the command line: what a person reads, and what scripts get."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remora.app.memory import Memory
from remora.core.errors import EXIT_CODES, Conflict, InvalidInput, NotFound
from remora.interfaces.commands import cli_context
from tests.helpers import SECRET
from tests.interfaces.conftest import Answer, Run


@pytest.fixture
def talk(run: Run) -> str:
    """A conversation of twelve messages about a cache."""
    for number in range(1, 7):
        run("session", "append", "cli:1", "--role", "user", f"How large is the cache for case {number}?")
        run("session", "append", "cli:1", "--role", "assistant", f"Decision: {number}0 entries in cache.py")
    return "cli:1"


# Conversations


def test_a_conversation_and_its_summary(run: Run, answer: Answer, talk: str) -> None:
    """A line for each, a block for each message; of older ones a summary, an archive and the history."""
    assert run("session").stdout.split()[:2] == ["cli:1", "[12]"]
    shown = run("session", "show", talk, "--last", "1")
    assert "#12  assistant" in shown.stdout
    assert "Decision: 60 entries in cache.py" in shown.stdout
    assert "tokens of messages, 8,000 reserved" in shown.stderr
    told = run("session", "compact", talk, "4").stdout
    assert "8 messages of cli:1 summarised, 4 kept" in told
    assert "remora note show cli-1-1" in told
    assert [m["seq"] for m in answer("session", "show", talk)["messages"]] == [0, 9, 10, 11, 12]
    assert len(answer("session", "show", talk, "--all")["messages"]) == 12
    assert "40 entries" in run("note", "show", "cli-1-1").stdout
    assert "8 messages in cli:1" in run("journal", "history").stdout
    assert "`remora journal history`" in run("journal").stderr
    assert "8 earlier messages with --all" in run("session", "show", talk).stderr
    assert "nothing to compact" in run("session", "compact", talk, "100").stdout
    assert "4 messages added to the history" in run("session", "new", talk).stdout
    assert answer("session", "show", talk)["messages"] == []
    assert "no conversation has new messages" in run("journal", "consolidate").stdout
    assert run("journal", "add", "Moved the queue to Redis").stdout.endswith("added to the history\n")
    assert "Moved the queue to Redis" in run("journal", "history").stdout
    assert "1 secret removed" in run("session", "append", "cli:2", "--role", "user", f"use {SECRET}").stdout
    assert SECRET not in json.dumps(answer("session", "show", "cli:2"))


def test_search_of_one_conversation_and_of_notes(run: Run, answer: Answer, talk: str) -> None:
    """Only what was said there; notes come with their BM25, with everything else at their place."""
    run("session", "append", "cli:2", "--role", "user", "the cache of the other team")
    found = answer("session", "search", "cache of the other team", "--session", talk)["hits"]
    assert {hit["session_id"] for hit in found} == {talk}
    assert "No message matches" in run("session", "search", "zebra").stderr
    run("note", "add", "deploy", "Never on Fridays")
    (hit,) = answer("note", "search", "fridays")["hits"]
    assert (hit["entry"]["name"], hit["score"] > 0) == ("deploy", True)
    assert [h["id"] for h in answer("search", "fridays", "--kind", "note")["hits"]] == ["deploy"]


# Notes


def test_a_note_and_its_names(run: Run, answer: Answer, tmp_path: Path) -> None:
    """Found by every name, which no other has; a folder of notes that replaces them needs a yes."""
    assert "added" in run("note", "add", "deploy", "Never on Fridays", "--alias", "release").stdout
    run("note", "rename", "deploy", "deploying")
    run("note", "alias", "deploying", "ship")
    for name in ("deploying", "deploy", "release", "ship"):
        assert answer("note", "show", name)["content"] == "Never on Fridays"
    assert "no longer called ship" in run("note", "alias", "deploying", "ship", "--off").stdout
    assert run("note", "show", "ship").exit_code == EXIT_CODES[NotFound]
    assert "also called" in run("note", "show", "deploying").stdout
    assert run("note", "add", "release", "two").exit_code == EXIT_CODES[Conflict]
    run("note", "write", "deploying", "-", stdin="two\nlines")
    assert answer("note", "show", "release")["content"] == "two\nlines"
    assert run("note", "remove", "release", "nope").exit_code == EXIT_CODES[NotFound]
    assert len(answer("note", "list")["entries"]) == 1
    run("note", "remove", "release")
    assert answer("note")["entries"] == []
    folder = str(tmp_path / "dumped")
    run("note", "add", "deploy", "Never on Fridays")
    assert "1 entry written" in run("note", "dump", folder).stdout
    run("note", "add", "other", "gone after loading")
    refused = run("note", "load", folder)
    assert refused.exit_code == EXIT_CODES[InvalidInput]
    assert "2 entries would be replaced" in refused.stderr
    assert answer("note", "load", folder, "--yes") == {"entries": 1}
    assert [one["name"] for one in answer("note", "list")["entries"]] == ["deploy"]


def test_a_large_text_from_stdin_is_whole(run: Run, answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred kilobytes come in to the last word; of more than is read at once nothing is cut silently."""
    text = "word " * 20_000 + "end"
    assert run("note", "add", "big", "-", stdin=text).exit_code == 0
    assert answer("note", "show", "big")["content"] == text
    assert run("session", "append", "cli:9", "--role", "user", "-", stdin=text).exit_code == 0
    assert answer("session", "show", "cli:9", "--all")["messages"][0]["content"] == text
    monkeypatch.setattr(cli_context, "MAX_DOCUMENT_BYTES", 10)
    refused = run("note", "write", "big", "-", stdin="x" * 11)
    assert refused.exit_code == EXIT_CODES[InvalidInput]
    assert "stdin has more than 10 bytes" in refused.stderr
    assert answer("note", "show", "big")["content"] == text


# The journal


def test_memory_md_is_a_file_that_a_person_edits(run: Run, answer: Answer, memory: Memory) -> None:
    """What stands there is shown, found and in the block for a prompt; an earlier text comes back."""
    path = Path(answer("journal")["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("# Long-term Memory\n\nThe team deploys on Mondays.\n", "utf-8")
    assert "deploys on Mondays" in run("journal").stdout
    assert run("journal", "show", "--block").stdout.startswith("# Memory\n## Long-term Memory")
    (hit,) = answer("search", "when does the team deploy", "--kind", "longterm")["hits"]
    assert (hit["path"], hit["start_line"]) == (str(path), 1)
    path.unlink()
    memory.journal.write("one")
    memory.journal.write("two")
    (version,) = answer("journal", "versions")["versions"]
    assert "restored to" in run("journal", "restore", version["name"]).stdout
    assert run("journal").stdout == "one\n"
    assert len(answer("journal", "versions")["versions"]) == 2


# Moving in


def test_move_in_says_what_came_and_what_did_not(run: Run, answer: Answer) -> None:
    """New, known and left out, each with its number; again brings nothing twice."""
    entity = {"type": "entity", "name": "cache", "entityType": "part", "observations": ["has a bound of 9"]}
    Path("memory.jsonl").write_text(json.dumps(entity) + "\n{broken\n", "utf-8")
    assert "would be imported from mcp" in run("move-in", "memory.jsonl", "--dry-run").stdout
    assert answer("list")["memories"] == []
    moved = run("move-in", "memory.jsonl").stdout
    assert "imported from mcp" in moved
    assert "not imported" in moved
    assert "nothing new" in run("move-in", "memory.jsonl").stdout
