"""Claude Code's own notes: topic files and the index, cut and typed as `remora init` does it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remora.sources.others import claude_code
from remora.sources.others.formats import detect
from remora.sources.rules import read_rules
from tests.sources.others.looks import check, counts, why, write

INDEX = """# Memory

- [Testing](feedback_testing.md): how tests are written
- The deploy host is reached through the bastion only.
"""
TOPIC = """---
name: Testing
description: How tests are written here
type: feedback
modified: 2026-05-01T09:00:00Z
---
Always use real databases in tests, never mocks.

**Why:** a mocked migration passed and the real one failed.
"""
NOTES = {"MEMORY.md": INDEX, "feedback_testing.md": TOPIC}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """The notes of one project."""
    return write(tmp_path / "memory", NOTES)


def test_topics_and_the_index_come_over(notes: Path) -> None:
    """A short topic is one memory; the lines of the index that only list files are left out."""
    assert detect(notes) == ["claude-code"]
    found = check(claude_code.read(notes))
    index, topic = found.drafts
    assert "The deploy host is reached through the bastion only." in index.content
    assert topic.content.startswith("Always use real databases in tests, never mocks.")
    assert (topic.type, topic.source, topic.confidence) == ("requirement", "agent_explicit", 0.7)
    assert topic.tags == ("from:claude-code", "rule", "claude_memory", "type:feedback")
    assert topic.external_id == "claude-code:feedback_testing.md"
    assert topic.created_at == "2026-05-01T09:00:00.000Z"
    assert (topic.origin_path, topic.origin_line) == ("feedback_testing.md", 7)
    assert list(why(found).values()) == ["lists a file that is also read directly"]
    assert counts(found)["memories"] == (3, 2, 1)
    assert claude_code.read(notes.parent) == found  # the folder of the project means its notes


def test_the_text_is_the_same_that_init_reads(tmp_path: Path) -> None:
    """So what both of them read is one memory."""
    root, home = tmp_path / "project", tmp_path / "home"
    root.mkdir()
    slug = "".join(sign if sign.isalnum() else "-" for sign in str(root.resolve()))
    folder = write(home / ".claude" / "projects" / slug / "memory", NOTES)
    by_init = {rule.draft.content for rule in read_rules(root, home=home).rules}
    assert by_init == {draft.content for draft in claude_code.read(folder).drafts}


def test_an_edited_topic_is_the_same_memory(notes: Path) -> None:
    """Its id stays while its words change; its type may stand below metadata, and globs do not limit it."""
    front = "paths: src/api/**\nmetadata:\n  node_type: memory\n  type: user\n"
    edited = TOPIC.replace("never mocks", "or fakes we wrote").replace("type: feedback\n", front)
    path = notes / "feedback_testing.md"
    path.write_text(edited.replace("modified: 2026-05-01T09:00:00Z\n", ""))
    os.utime(path, (1_577_836_800, 1_577_836_800))
    topic = check(claude_code.read(notes)).drafts[1]
    assert "or fakes we wrote" in topic.content
    assert (topic.external_id, topic.scope) == ("claude-code:feedback_testing.md", "global")
    assert "type:user" in topic.tags
    assert topic.created_at == "2020-01-01T00:00:00.000Z"  # when the file was last written


def test_a_long_topic_is_cut_into_its_rules(notes: Path) -> None:
    """Each piece has an id of its own, the same at every reading; secrets go before the text is cut."""
    rules = (f"- Rule {n}: the value of setting_{n} must stay below {n * 10} forever.\n" for n in range(119))
    secret = "- The host is db1, and never print DB_PASSWORD=swordfish.\n"
    write(notes, {"long.md": f"---\nname: L\ntype: project\n---\n{secret}{''.join(rules)}"})
    found = check(claude_code.read(notes))
    pieces = [d for d in found.drafts if d.origin_path == "long.md"]
    assert len(pieces) == 120
    assert all(str(one.external_id).startswith("claude-code:long.md#") for one in pieces)
    assert "swordfish" not in str(found)
    assert claude_code.read(notes) == found
