"""Looks that every reader's find must stand: the counts add up, and the rest of the project takes it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from remora.conversation.format import prepare as prepare_messages
from remora.core.clock import from_iso
from remora.entries.names import checked
from remora.lifecycle.drafts import prepare as prepare_draft
from remora.sources.others.import_result import Found
from remora.sources.rules import RuleScan

Files = dict[str, str | bytes | Path | None]


def check(found: Found) -> Found:
    """Hold a find against what it promises, and return it."""
    for one in found.counts:
        assert one.seen == one.taken + one.skipped, one
    taken = {one.kind: one.taken for one in found.counts}
    assert taken.get("memories", 0) == len(found.drafts)
    assert taken.get("entries", 0) == len(found.entries)
    assert taken.get("sessions", 0) == len(found.sessions)
    assert taken.get("messages", 0) == sum(len(s.messages) for s in found.sessions)
    assert taken.get("history", 0) == len(found.history)
    assert taken.get("daily lines", 0) == sum(len(day.lines) for day in found.daily)
    assert bool(sum(one.skipped for one in found.counts)) == bool(found.skipped)
    assert all(one.what and one.why for one in found.skipped)
    _check_drafts(found)
    _check_entries(found)
    for session in found.sessions:
        prepare_messages(session.messages, "2026-01-01T00:00:00.000Z")
        ids = [message["external_id"] for message in session.messages]
        assert len(set(ids)) == len(ids)
        assert 0 <= session.consolidated <= len(ids)
    assert [event.time for event in found.history] == sorted(event.time for event in found.history)
    assert all(from_iso(event.time) for event in found.history)
    return found


def _check_drafts(found: Found) -> None:
    ids = [draft.external_id for draft in found.drafts]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    for draft in found.drafts:
        assert f"from:{found.system}" in draft.tags
        assert not draft.user_verified
        prepare_draft(draft)
    for link in found.links:
        assert {link.source, link.target} <= set(ids)


def _check_entries(found: Found) -> None:
    names = [name for entry in found.entries for name in (entry.name, *entry.aliases)]
    assert all(names)
    assert len(set(names)) == len(names)
    assert names == [checked(name) for name in names]
    assert {entry.kind for entry in found.entries} <= {"note", "archive"}


def counts(found: Found) -> dict[str, tuple[int, int, int]]:
    """Return the counts by kind: seen, taken, skipped."""
    return {one.kind: (one.seen, one.taken, one.skipped) for one in found.counts}


def why(found: Found | RuleScan) -> dict[str, str]:
    """Return the reason for each place that was skipped."""
    return {one.what: one.why for one in found.skipped}


def write(root: Path, files: Mapping[str, str | bytes | Path | None]) -> Path:
    """Write files below a folder and return it; a path is what a link leads to, and None makes a pipe."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            os.mkfifo(path)
        elif isinstance(content, Path):
            path.symlink_to(content)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def lines(records: Iterable[Any]) -> str:
    """Return records as JSON Lines; text stands as it is."""
    return "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in records)
