"""Memories, hits and files as pages, and what was done to them, seen as plain text."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.values import (
    Hit,
    MemoryRecord,
    Origin,
    Reason,
    Receipt,
    Redaction,
    Relation,
    Taint,
    WorkUnitRef,
)
from remora.interfaces import memory_pages
from remora.interfaces.draw import plain
from tests.interfaces.test_present import NOW, record
from tests.tables import table

OTHER = "9f8e7d6c-0000-4000-8000-000000000000"


def full() -> MemoryRecord:
    """Return a memory with every field set."""
    return record(
        type="gotcha",
        tags=("auth", "jwt"),
        related_files=("a.py", "b.py"),
        related_modules=("auth",),
        updated_at="2026-02-28T12:00:00.000Z",
        access_count=3,
        session_id="cli:1",
        commit_sha="0123456789abcdef",
        branch="topic",
        work_unit_ref=WorkUnitRef("native", ("a",), "task 7"),
        methodology="native",
        relations=(Relation("supersedes", OTHER), Relation("required_with", None, "c.py", 0.9, True)),
        derived_from=(OTHER, "00000000-gone"),
        origins=(
            Origin("user_taught", "2026-02-26T12:00:00.000Z", path="AGENTS.md", line=4),
            Origin("agent_explicit", "2026-02-27T12:00:00.000Z", text="tokens  live a day"),
        ),
        taint=Taint("web page", 4),
        payload={"steps": ["one"]},
        decay_half_life_days=60.0,
        needs_review=True,
        review_reason="rests on 9f8e7d6c, which was forgotten",
        redaction_count=2,
        external_id="D1:3",
        chunk_start_line=3,
        chunk_end_line=9,
        embedding_model_id="m",
    )


def test_card_shows_everything() -> None:
    """`show` leaves nothing out, and says it in words."""
    parent = record(id=OTHER, content="Tokens are JWTs")
    child = record(id="77777777-0000-4000-8000-000000000000", content="So refresh daily")
    text = plain(memory_pages.card(full(), NOW, parents=[parent], dependents=[child]))
    assert text.splitlines()[0] == "1a2b3c4d-0000-4000-8000-000000000000  gotcha"
    for (line,) in table(__file__, "card"):
        assert line in text


GONE: dict[str, Any] = {"deprecated": True, "deprecated_at": "2026-02-19T12:00:00.000Z"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "confidence: 1.00, does not fade"),
        ({}, "used: not yet"),
        ({}, "vector of: none yet; found by words only"),
        ({"pinned": True, "decay_half_life_days": 60.0}, "confidence: 1.00, pinned: does not fade"),
        (GONE, "forgotten: 2026-02-19 12:00 UTC (10 days ago); pruning may delete it in 20 days"),
        (GONE, "`remora restore 1a2b3c4d` brings it back"),
        (GONE | {"user_verified": True}, "; kept for good;"),
        (GONE | {"deprecated_at": "2025-02-19T12:00:00.000Z"}, "the next pruning may delete it"),
    ],
)
def test_card_says_what_becomes_of_a_memory(fields: dict[str, Any], said: str) -> None:
    """Whether it fades and how it is found; of a forgotten one, since when and how it comes back."""
    text = plain(memory_pages.card(record(**fields), NOW))
    assert said in text
    assert "branch" not in text
    assert "taint" not in text


def test_hits_and_lists_are_one_line_each() -> None:
    """A line that a script can cut: id, rank, score, type, where from, age, text, files, marks."""
    hit = Hit("x", "memory", "Tokens expire after 24 h", 0.873, memory=full(), disagrees_with=(OTHER,))
    assert plain(memory_pages.hits([hit], NOW)) == (
        "1a2b3c4d  #1   0.87  gotcha             AGENTS.md:4 +1  3 days ago  Tokens expire after 24 h  "
        "[a.py, b.py]  [on branch topic, needs review: rests on 9f8e7d6c, which was forgotten, "
        "tainted by web page, disagrees with 9f8e7d6c]\n"
    )
    assert plain(memory_pages.memory_list([full()], NOW)) == (
        "1a2b3c4d  gotcha  0.97  3 days ago  Tokens expire after 24 h  [a.py, b.py]"
        "  [on branch topic, review, tainted]\n"
    )


def test_why_says_each_reason_once_and_in_plain_words() -> None:
    """Five lines: how it was found, what raised it, what lowered it, who said it when, its confidence."""
    why = (
        Reason("paths", 0.031, 1, "dense #1, fts #2"),
        Reason("evidence", 0.658, 1, "cosine 0.52, words 0.20 (trusted 1.0), graph 0.60"),
        Reason("source", 1.17, None, "user_taught"),
        Reason("review", 0.9, None, "not confirmed yet"),
    )
    page = memory_pages.hits([Hit("x", "memory", "t", 0.6, why, record())], NOW, why=True)
    assert plain(page).splitlines()[1:] == [
        "    found: meaning 0.52, words 0.20, files 0.60",
        "    raised by: source user (× 1.17)",
        "    lowered by: not confirmed yet (× 0.90)",
        "    time: 2026-02-26 12:00 UTC (3 days ago), from user",
        "    confidence: 1.00, does not fade",
    ]


def test_receipt_says_what_was_merged_and_taken_out() -> None:
    """A merge names the origins and keeps the words; secrets are counted, notes are passed on."""
    got = Receipt("merged", OTHER, 0.91, (Redaction("password", 1),), ("2 control characters were removed",))
    text = plain(memory_pages.receipt(full()._replace(receipt=got)))
    assert text.splitlines() == [
        "1a2b3c4d  merged with an existing gotcha (91% similar)  Tokens expire after 24 h",
        "  all origins kept: AGENTS.md:4, agent",
        "  your wording is kept as an origin: tokens live a day",
        "  1 secret removed before storing: 1 password",
        "  2 control characters were removed",
    ]
