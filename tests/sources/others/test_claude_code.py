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


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """The notes of one project."""
    return write(tmp_path / "memory", {"MEMORY.md": INDEX, "feedback_testing.md": TOPIC})


def test_topics_and_the_index_come_over(notes: Path) -> None:
    """A short topic is one memory; the lines of the index that only list files are left out."""
    assert detect(notes) == ["claude-code"]
    found = check(claude_code.read(notes))
    index, topic = found.drafts
    assert "The deploy host is reached through the bastion only." in index.content
    assert topic.content.startswith("Always use real databases in tests, never mocks.")
    assert (topic.type, topic.source, topic.confidence) == ("requirement", "agent_explicit", 0.7)
    assert topic.tags == ("from:claude-code", "rule", "claude_memory", "type:feedback")
    assert (topic.external_id, topic.created_at) == (
        "claude-code:feedback_testing.md",
        "2026-05-01T09:00:00.000Z",
    )
    assert (topic.origin_path, topic.origin_line) == ("feedback_testing.md", 7)
    assert list(why(found).values()) == ["lists a file that is also read directly"]
    assert counts(found)["memories"] == (3, 2, 1)


def test_the_text_is_the_same_that_init_reads(tmp_path: Path) -> None:
    """So what both of them read is one memory."""
    root, home = tmp_path / "project", tmp_path / "home"
    root.mkdir()
    slug = "".join(sign if sign.isalnum() else "-" for sign in str(root.resolve()))
    folder = write(
        home / ".claude" / "projects" / slug / "memory", {"MEMORY.md": INDEX, "feedback_testing.md": TOPIC}
    )
    by_init = {rule.draft.content for rule in read_rules(root, home=home).rules}
    assert by_init == {draft.content for draft in claude_code.read(folder).drafts}


@pytest.mark.parametrize("inside", ["", "memory"])
def test_the_folder_of_the_project_means_its_notes(notes: Path, inside: str) -> None:
    """The project's folder and its `memory` folder give the same."""
    assert claude_code.read(notes.parent / inside) == claude_code.read(notes)


def test_an_edited_topic_is_the_same_memory(notes: Path) -> None:
    """Its id stays while its words change."""
    write(notes, {"feedback_testing.md": TOPIC.replace("never mocks", "or fakes we wrote")})
    assert claude_code.read(notes).drafts[1].external_id == "claude-code:feedback_testing.md"


def test_the_folder_of_all_projects(tmp_path: Path) -> None:
    """Notes of several projects are told apart by the names of their folders."""
    for name in ("-work-a", "-work-b"):
        write(tmp_path / name, {"memory/feedback_testing.md": TOPIC, "1.jsonl": "{}\n"})
    found = check(claude_code.read(tmp_path))
    assert [draft.external_id for draft in found.drafts] == [
        "claude-code:-work-a/feedback_testing.md",
        "claude-code:-work-b/feedback_testing.md",
    ]


def test_a_note_is_about_the_project_whatever_files_it_names(notes: Path) -> None:
    """Globs in the front matter of an agent's own note limit it to no file."""
    globs = TOPIC.replace("type: feedback", "type: feedback\npaths: src/api/**")
    (notes / "feedback_testing.md").write_text(globs)
    assert {draft.scope for draft in claude_code.read(notes).drafts} == {"global"}


def test_the_type_may_stand_below_metadata(notes: Path) -> None:
    """Newer versions write it there."""
    body = TOPIC.replace("type: feedback\n", "metadata:\n  node_type: memory\n  type: user\n")
    write(notes, {"feedback_testing.md": body})
    assert "type:user" in check(claude_code.read(notes)).drafts[1].tags


def test_a_long_topic_is_cut_into_its_rules(notes: Path) -> None:
    """Each piece has an id of its own, the same at every reading."""
    rules = "".join(
        f"- Rule number {n}: the value of setting_{n} must stay below {n * 10}.\n" for n in range(120)
    )
    write(notes, {"long.md": f"---\nname: L\ntype: project\n---\n{rules}"})
    found = check(claude_code.read(notes))
    pieces = [d for d in found.drafts if d.origin_path == "long.md"]
    assert len(pieces) == 120
    assert all(str(one.external_id).startswith("claude-code:long.md#") for one in pieces)
    assert claude_code.read(notes) == found


def test_bad_files_cost_only_themselves(notes: Path) -> None:
    """Binary, empty, huge and foreign files and loops are named."""
    write(
        notes,
        {
            "bin.md": bytes(range(256)) * 4,
            "empty.md": "",
            "a.txt": "x",
            "sub/b.md": "x",
            "huge.md": "x" * (1 << 21),
        },
    )
    (notes / "loop.md").symlink_to(notes / "loop.md")
    found = check(claude_code.read(notes))
    assert len(found.drafts) == 2
    assert {place: reason for place, reason in why(found).items() if "MEMORY" not in place} == {
        "a.txt": "not a note of Claude Code",
        "bin.md": "binary, not text",
        "empty.md": "empty",
        "huge.md": "larger than 1 MB",
        "loop.md": "a broken link",
        "sub/b.md": "not a note of Claude Code",
    }


def test_secrets_are_taken_out_before_the_text_is_cut(notes: Path) -> None:
    """As `remora init` does it."""
    write(
        notes,
        {"host.md": "---\nname: H\ntype: reference\n---\nThe host is db1, DB_PASSWORD=swordfish there.\n"},
    )
    found = claude_code.read(notes)
    assert "swordfish" not in str(found)


def test_without_a_date_the_time_of_the_file_counts(notes: Path) -> None:
    """A note was true when it was last written."""
    write(notes, {"feedback_testing.md": TOPIC.replace("modified: 2026-05-01T09:00:00Z\n", "")})
    os.utime(notes / "feedback_testing.md", (1_577_836_800, 1_577_836_800))
    assert claude_code.read(notes).drafts[1].created_at == "2020-01-01T00:00:00.000Z"
