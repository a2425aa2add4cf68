"""basic-memory's notes come over whole; observations with a category are memories besides."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remora.core.values import Entry
from remora.sources.others import basic_memory
from remora.sources.others.basic_memory import observations
from remora.sources.others.formats import detect
from remora.sources.others.import_result import Found
from tests.sources.others.looks import Files, check, counts, why, write
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


def read(root: Path, files: Files) -> Found:
    """Write notes and read them."""
    return check(basic_memory.read(write(root, files)))


def test_a_note_and_its_observations_come_over(tmp_path: Path) -> None:
    """The note whole with its tags, each observation under its title with a type, tags and its line."""
    found = read(tmp_path / "one", {"specs/Auth design.md": NOTE})
    assert detect(tmp_path / "one") == ["basic-memory"]
    body = NOTE.split("---\n", 2)[2].strip() + "\n\nTags: auth, security"
    at = "2026-01-05T09:00:00.000Z"
    assert found.entries == (Entry(0, "specs/auth-design", body, "note", ("Auth design",), at),)
    first, second = found.drafts
    assert (first.content, first.type) == ("Auth design: Stateless tokens (after a review)", "decision")
    assert first.tags == ("from:basic-memory", "category:decision", "jwt", "api", "auth", "security")
    assert (first.created_at, first.origin_path, first.origin_line) == (at, "specs/Auth design.md", 14)
    assert (second.content, second.type) == ("Auth design: Tokens expire after 15 minutes", "requirement")
    assert counts(found) == {"memories": (2, 2, 0), "entries": (1, 1, 0)}
    moved = read(tmp_path / "two", {"other/place.md": NOTE.replace("Some words.", "\n\nOther words.\n")})
    assert [d.external_id for d in moved.drafts] == [d.external_id for d in found.drafts]


@pytest.mark.parametrize(("line", "category", "text", "tags"), table(__file__, "observations"))
def test_what_an_observation_is(line: str, category: str, text: str, tags: str) -> None:
    """The form is that of basic-memory's own parser; what only looks like it is none."""
    expected = [(category, text, tuple(tags.split()))] if category else []
    assert [one[1:] for one in observations(line)] == expected


def test_titles_and_places_stand_in_for_what_is_missing(tmp_path: Path) -> None:
    """Without front matter the file's name is the title and its place the name; its time is the file's."""
    text = "Just text.\n- [idea] Try it\n- [idea]  Try  it #x"
    write(tmp_path, {"a/Plain.md": text})
    os.utime(tmp_path / "a" / "Plain.md", (1_577_836_800, 1_577_836_800))
    found = read(tmp_path, {"b/Plain.md": "---\ntype: Person\n---\nBob\n"})
    assert [(e.name, e.aliases, e.content) for e in found.entries] == [
        ("a/Plain", ("Plain",), text),
        ("b/Plain", (), "Bob\n\nType: Person"),
    ]
    assert found.remarks == ("duplicate aliases were left out: Plain of b/Plain",)
    tried = [(draft.content, draft.created_at) for draft in found.drafts]
    assert tried == [("Plain: Try it", "2020-01-01T00:00:00.000Z")]
    assert counts(found)["memories"] == (2, 1, 1)
    assert why(found) == {"a/Plain.md:3": "a duplicate of an imported memory"}


def test_a_note_in_another_encoding_is_read(tmp_path: Path) -> None:
    """It is remarked; folders of programs are not entered."""
    found = read(tmp_path, {"latin.md": "caf\u00e9".encode("latin-1"), ".obsidian/app.md": "x"})
    assert [entry.content for entry in found.entries] == ["café"]
    assert found.remarks == ("not UTF-8; read as Windows-1252: latin.md",)
    assert why(found) == {".obsidian": "folder not read"}


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
