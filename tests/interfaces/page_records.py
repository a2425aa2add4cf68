"""Memories for the tests of pages: one that is plain, one with every field set."""

from __future__ import annotations

from typing import Any

from remora.core.values import MemoryRecord, Origin, Relation, Taint, WorkUnitRef
from tests.retrieval import worlds

NOW = 1_772_366_400.0  # 2026-03-01T12:00:00Z
ID = "1a2b3c4d-0000-4000-8000-000000000000"
OTHER = "9f8e7d6c-0000-4000-8000-000000000000"


def record(**fields: Any) -> MemoryRecord:
    """Return a decision of a person, three days old, with the fields that matter to a test."""
    times = dict.fromkeys(("created_at", "updated_at", "last_accessed_at"), "2026-02-26T12:00:00.000Z")
    known = {"id": ID, "type": "decision", "source": "user_taught", "confidence": 1.0}
    return worlds.record(**{**known, **times, **fields})


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
