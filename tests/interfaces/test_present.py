"""Values and errors as JSON and in words."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from remora.core.errors import EXIT_CODES, RemoraError
from remora.core.values import Hit, MemoryRecord, Origin, Reason, Receipt, Taint
from remora.interfaces import present
from tests.retrieval import worlds

NOW = 1_772_366_400.0  # 2026-03-01T12:00:00Z


def record(**fields: Any) -> MemoryRecord:
    """Return a decision of a person, three days old, with the fields that matter to a test."""
    times = dict.fromkeys(("created_at", "updated_at", "last_accessed_at"), "2026-02-26T12:00:00.000Z")
    known: dict[str, Any] = {
        "id": "1a2b3c4d-0000-4000-8000-000000000000",
        "type": "decision",
        "source": "user_taught",
    }
    return worlds.record(**{"confidence": 1.0, **known, **times, **fields})


def test_values_become_json() -> None:
    """Records keep the names of their fields, sets are lists, and numbers that JSON lacks are null."""
    hit = Hit("1", "memory", "text", 0.5, (Reason("words", 0.1, 1, "note"),), record())
    document = json.loads(present.dumps({"hit": hit, "a": math.inf, "b": math.nan, "c": {3, 1}}))
    assert document["hit"]["why"] == [{"stage": "words", "score": 0.1, "rank": 1, "note": "note"}]
    assert document["hit"]["memory"]["source"] == "user_taught"
    assert (document["a"], document["b"], document["c"]) == (None, None, [1, 3])


@pytest.mark.parametrize("sign", ["\x1b", "\r", "\x7f", "\x9b", "\xad", "\u202e", "\u2028", "\U000e0041"])
def test_json_escapes_what_a_terminal_would_obey(sign: str) -> None:
    """A document keeps such a sign exactly, and never holds it raw."""
    document = present.dumps({sign: [f"a{sign}b"]})
    assert sign not in document
    assert json.loads(document) == {sign: [f"a{sign}b"]}


def test_unforeseen_error_is_one_line() -> None:
    """An error nobody planned for is named in one line, whatever its text looks like."""
    assert present.unexpected(ValueError("a\nb")) == "unexpected error (ValueError: a b)"
    assert present.unexpected(KeyError()) == "unexpected error (KeyError)"
    assert present.unexpected(OSError(28, "No space left on device", "/x")) == "No space left on device: /x"


@pytest.mark.parametrize("kind", EXIT_CODES, ids=[kind.__name__ for kind in EXIT_CODES])
def test_exit_code_of_every_class(kind: type[RemoraError]) -> None:
    """Each class has the code of the map; a class below it inherits the code."""
    below = type("Below", (kind,), {})
    assert present.exit_code(kind("x")) == present.exit_code(below("x")) == EXIT_CODES[kind]


@pytest.mark.parametrize(
    ("iso", "said"),
    [
        ("2026-03-01T13:00:00Z", "just now"),  # a clock that went back
        ("2026-03-01T11:58:30Z", "1 min ago"),
        ("2026-02-28T01:00:00Z", "35 h ago"),
        ("2026-02-27T12:00:00Z", "2 days ago"),
        ("2026-02-08T12:00:00Z", "3 weeks ago"),
        ("2025-09-01T12:00:00Z", "5 months ago"),
        ("2023-03-01T12:00:00Z", "3 years ago"),
        ("last summer", "last summer"),
        (None, ""),
    ],
)
def test_age(iso: str | None, said: str) -> None:
    """Ages are in the largest unit that still tells something; a caller's own words stay."""
    assert present.age(iso, NOW) == said


@pytest.mark.parametrize(
    ("origins", "said"),
    [
        ((Origin("user_taught", "x", path="A.md", line=3), Origin("qa_auto", "x")), "A.md:3 +1"),
        ((Origin("user_taught", "x", path="AGENTS.md"),), "AGENTS.md"),
        ((Origin("commit_auto", "x", commit_sha="0123456789abcdef"),), "commit 0123456789"),
        ((Origin("agent_explicit", "x", session_id="cli:1"),), "agent in cli:1"),
        ((), "user"),
    ],
)
def test_whence(origins: tuple[Origin, ...], said: str) -> None:
    """The most exact place of the first origin is shown, and the others are counted."""
    assert present.whence(record(origins=origins)) == said


def test_hits_that_are_no_memories() -> None:
    """A turn is known by the caller's id, its speaker and its session; a passage has neither."""
    turn = Hit("7", "turn", "hello", 0.4, external_id="D1:3", session_id="cli:1", role="Ada")
    assert (present.hit_key(turn), present.hit_whence(turn)) == ("D1:3", "Ada in cli:1")
    note = Hit("MEMORY.md:4-5", "longterm", "hello", 0.4, path="memory/MEMORY.md", start_line=4)
    assert (present.hit_key(note), present.hit_whence(note)) == ("MEMORY.md:4-5", "")
    assert present.hit_files(note) == ()


def test_marks() -> None:
    """Everything a reader should know before trusting a memory is named, long and brief."""
    marked = record(
        realm="user",
        branch="topic",
        pinned=True,
        user_verified=True,
        needs_review=True,
        review_reason="rests on 9f",
        taint=Taint("web page"),
        stale_at="2026-02-01T00:00:00.000Z",
    )
    told = "yours, in every project; on branch topic; pinned; verified; needs review: rests on 9f; "
    assert "; ".join(present.marks(marked)) == f"{told}tainted by web page; stale since 2026-02-01"
    brief = "yours; on branch topic; pinned; verified; review; tainted; stale"
    assert "; ".join(present.brief_marks(marked)) == brief
    assert present.marks(record(deprecated=True)) == ("forgotten",)
    assert present.marks(record(deprecated=True, superseded_by="9f8e7d6c5b")) == ("superseded by 9f8e7d6c",)


@pytest.mark.parametrize(
    ("receipt", "said"),
    [
        (None, "stored as decision"),
        (Receipt("restored", "x", 1.0), "restored a forgotten decision (same text)"),
        (Receipt("updated"), "updated, decision"),
        (
            Receipt("skipped", "x", 1.0),
            "not stored: matches a forgotten decision (same text); restore that if it is true again",
        ),
    ],
)
def test_receipt_sentence(receipt: Receipt | None, said: str) -> None:
    """Every receipt has its words; those of a merge stand in what `remember` answers."""
    assert present.receipt_sentence(record(receipt=receipt)) == said


def test_a_question_is_answered_by_any_hit_that_is_about_it() -> None:
    """A hit on the file that is named answers it, also below one that has more of its words."""
    words = Hit("a", "turn", "what broke", 0.37)
    on_file = Hit("b", "turn", "no length", 0.31, why=(Reason("graph", present.NAMED, None, "in it"),))
    assert present.answered([words, on_file])
    assert not present.answered([words])
    assert not present.answered([on_file._replace(score=0.05)])
