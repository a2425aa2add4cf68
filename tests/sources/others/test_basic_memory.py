"""basic-memory's notes come over whole; observations with a category are memories besides."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remora.core.values import Entry
from remora.sources.others import basic_memory
from remora.sources.others.basic_memory import observations
from remora.sources.others.formats import detect
from tests.sources.others.looks import check, counts, why, write
from tests.tables import table

NOTE = """---
title: Auth design
type: note
tags: [auth, security]
permalink: specs/auth-design
created: 2026-01-05T10:00:00+01:00
---

# Auth design

Some words.

## Observations
- [decision] Stateless tokens #jwt #api (after a review)
- [constraint] Tokens expire after 15 minutes
- plain item #tagged

## Relations
- implements [[API security]]
- depends_on [[User schema]] (for now)
"""


def test_a_note_and_its_observations_come_over(tmp_path: Path) -> None:
    """The note whole with its tags, each observation under its title with a type, tags and its line."""
    write(tmp_path, {"specs/Auth design.md": NOTE})
    assert detect(tmp_path) == ["basic-memory"]
    found = check(basic_memory.read(tmp_path))
    body = NOTE.split("---\n", 2)[2].strip() + "\n\nTags: auth, security"
    assert found.entries == (
        Entry(0, "specs/auth-design", body, "note", ("Auth design",), "2026-01-05T09:00:00.000Z"),
    )
    first, second = found.drafts
    assert (first.content, first.type) == ("Auth design: Stateless tokens (after a review)", "decision")
    assert first.tags == ("from:basic-memory", "category:decision", "jwt", "api", "auth", "security")
    assert (first.created_at, first.origin_path, first.origin_line) == (
        "2026-01-05T09:00:00.000Z", "specs/Auth design.md", 14,
    )  # fmt: skip
    assert (second.content, second.type) == ("Auth design: Tokens expire after 15 minutes", "requirement")
    assert counts(found) == {"memories": (2, 2, 0), "entries": (1, 1, 0)}


@pytest.mark.parametrize(("line", "category", "text", "tags"), table(__file__, "observations"))
def test_what_an_observation_is(line: str, category: str, text: str, tags: str) -> None:
    """The form is that of basic-memory's own parser; what only looks like it is none."""
    expected = [(category, text, tuple(tags.split()))] if category else []
    assert [one[1:] for one in observations(line)] == expected


def test_titles_and_places_stand_in_for_what_is_missing(tmp_path: Path) -> None:
    """Without front matter the file's name is the title and its place the name; its time is the file's."""
    write(
        tmp_path,
        {"a/Plain.md": "Just text.\n- [idea] Try it\n", "b/Plain.md": "---\ntype: Person\n---\nBob\n"},
    )
    os.utime(tmp_path / "a" / "Plain.md", (1_577_836_800, 1_577_836_800))
    found = check(basic_memory.read(tmp_path))
    assert [(e.name, e.aliases, e.content) for e in found.entries] == [
        ("a/Plain", ("Plain",), "Just text.\n- [idea] Try it"),
        ("b/Plain", (), "Bob\n\nType: Person"),
    ]
    assert found.remarks == ("duplicate aliases were left out: Plain of b/Plain",)
    assert (found.drafts[0].content, found.drafts[0].created_at) == (
        "Plain: Try it",
        "2020-01-01T00:00:00.000Z",
    )


def test_a_moved_note_keeps_its_ids(tmp_path: Path) -> None:
    """The permalink names a note; the words name an observation."""
    write(tmp_path / "one", {"specs/auth.md": NOTE})
    first = basic_memory.read(tmp_path / "one")
    write(tmp_path / "two", {"other/place.md": NOTE.replace("Some words.", "\n\nOther words.\n")})
    second = basic_memory.read(tmp_path / "two")
    assert [d.external_id for d in first.drafts] == [d.external_id for d in second.drafts]


def test_the_same_observation_twice_is_one(tmp_path: Path) -> None:
    """A note may repeat itself; a memory does not."""
    write(tmp_path, {"a.md": "- [tip] Rinse it\n- [tip]  Rinse  it #x\n"})
    found = check(basic_memory.read(tmp_path))
    assert counts(found)["memories"] == (2, 1, 1)
    assert why(found) == {"a.md:2": "a duplicate of an imported memory"}


def test_bad_files_cost_only_themselves(tmp_path: Path) -> None:
    """Empty, binary and other files, links and folders that are not entered are named."""
    write(
        tmp_path / "kb",
        {
            "good.md": NOTE,
            "empty.md": "---\ntitle: x\n---\n",
            "bin.md": bytes(range(256)) * 4,
            "image.png": b"\x89PNG",
            ".obsidian/app.md": "x",
            "latin.md": "caf\u00e9".encode("latin-1"),
        },
    )
    write(tmp_path, {"outside.md": "secret"})
    (tmp_path / "kb" / "out.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "kb" / "again").symlink_to(tmp_path / "kb")
    found = check(basic_memory.read(tmp_path / "kb"))
    assert [entry.content for entry in found.entries][1] == "café"
    assert found.remarks == ("not UTF-8; read as Windows-1252: latin.md",)
    assert why(found) == {
        ".obsidian": "folder not read",
        "again": "a link to a folder",
        "bin.md": "binary, not text",
        "empty.md": "empty",
        "image.png": "not a note",
        "out.md": "a link out of the folder",
    }


def test_a_folder_of_markdown_is_not_enough(tmp_path: Path) -> None:
    """Without permalinks, and without both observations and relations, it is somebody's notes."""
    write(tmp_path, {"a.md": "---\ntitle: A\n---\n- [tip] b\n", "README.md": "# x\n"})
    assert detect(tmp_path) == []
    write(tmp_path, {"b.md": "---\ntitle: B\n---\n- [tip] b\n- relates_to [[A]]\n"})
    assert detect(tmp_path) == ["basic-memory"]


def test_items_are_those_of_markdown() -> None:
    """An item may be nested or stand behind a longer fence; code is none."""
    text = "- [tip] one\n  - [tip] two #b\n\n````\n```\n- [tip] a\n````\n\n    - [tip] code\n\n1. [tip] x\n"
    assert [(one.line, one.text) for one in observations(text, 5)] == [(5, "one"), (6, "two")]
