"""GolemCore's memory items become typed memories: copies are one, and what was forgotten stays so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remora.core.clock import from_iso
from remora.core.values import WorkUnitRef
from remora.sources.others import golemcore
from remora.sources.others.formats import detect
from remora.sources.others.import_result import Found
from tests.sources.others.looks import check, counts, lines, why, write

NOW = from_iso("2026-03-01T00:00:00Z")
SEMANTIC = "memory/items/semantic.jsonl"
EPISODIC = "memory/items/episodic/2026-02-22.jsonl"
SCOPED = "memory/scopes/session/web/conv12345/items/episodic/2026-02-22.jsonl"
TEXT = "Stay compatible\nWe must stay compatible with version 2."


def item(**changes: Any) -> dict[str, Any]:
    """Return a memory item as GolemCore writes one."""
    at = "2026-02-22T12:00:00Z"
    return {
        "id": "i1", "layer": "EPISODIC", "type": "CONSTRAINT", "title": "Stay compatible",
        "content": "We must stay compatible with version 2.", "scope": "global", "tags": ["java"],
        "source": "user", "confidence": 0.78, "salience": 0.82, "ttlDays": None, "createdAt": at,
        "updatedAt": at, "lastAccessedAt": None, "fingerprint": "f1",
        "references": ["src/App.java", "AppTest#starts", "https://example.org/x y"],
    } | changes  # fmt: skip


def read(root: Path, files: dict[str, list[Any]], now: float | None = NOW) -> Found:
    """Write items into a workspace and read it."""
    write(root, {name: lines(records) for name, records in files.items()})
    return check(golemcore.read(root, now=now))


def test_an_item_becomes_a_memory(tmp_path: Path) -> None:
    """Type, text, layer, tags, files, confidence and time come over; other references are left out."""
    found = read(tmp_path, {SEMANTIC: [item(layer="SEMANTIC")]})
    assert detect(tmp_path) == ["golemcore"]
    (draft,) = found.drafts
    assert (draft.content, draft.type, draft.source) == (TEXT, "requirement", "agent_explicit")
    assert (draft.scope, draft.session_id, draft.confidence) == ("global", None, 0.78)
    assert draft.tags == ("from:golemcore", "layer:semantic", "java")
    assert draft.related_files == ("src/App.java",)
    assert (draft.external_id, draft.created_at) == ("golemcore:i1", "2026-02-22T12:00:00.000Z")
    assert (draft.origin_path, draft.origin_line) == (SEMANTIC, 1)


def test_copies_are_one_memory(tmp_path: Path) -> None:
    """An episodic line and its promoted copy agree in their fingerprint: the newest counts."""
    better = {"confidence": 0.9, "tags": ["java", "api"], "updatedAt": "2026-02-25T00:00:00Z"}
    copy = item(id="i2", layer="SEMANTIC", **better)
    found = read(tmp_path, {EPISODIC: [item()], SEMANTIC: [copy]})
    (draft,) = found.drafts
    assert (draft.content, draft.confidence, draft.external_id) == (TEXT, 0.9, "golemcore:i1")
    assert set(draft.tags) == {"from:golemcore", "layer:semantic", "java", "api"}
    assert counts(found)["memories"] == (2, 1, 1)
    assert why(found) == {f"{EPISODIC}:1": "another copy of an imported memory"}


def test_the_newest_line_decides(tmp_path: Path) -> None:
    """A later line replaces an older one; a tombstone forgets every older copy, and wins a tie."""
    later = item(title="Stay compatible with 3", updatedAt="2026-02-24T00:00:00Z")
    found = read(tmp_path, {SEMANTIC: [item(), later]})
    assert [draft.content.split("\n")[0] for draft in found.drafts] == ["Stay compatible with 3"]
    dead = item(id="i2", ttlDays=0, updatedAt="2026-02-23T00:00:00Z")
    forgotten = read(tmp_path, {EPISODIC: [item()], SEMANTIC: [dead], SCOPED: [item(id="i3", scope=None)]})
    assert (forgotten.drafts, counts(forgotten)["memories"]) == ((), (3, 0, 3))
    assert set(why(forgotten).values()) == {"forgotten (a tombstone)"}
    said_again = item(updatedAt="2026-02-24T00:00:00Z")
    assert len(read(tmp_path, {SEMANTIC: [item(), dead, said_again]}).drafts) == 1
    assert read(tmp_path, {SEMANTIC: [dead, item(updatedAt=dead["updatedAt"])]}).drafts == ()


def test_a_span_that_is_over_ends_a_memory(tmp_path: Path) -> None:
    """Seven days after 22 February it is gone on 1 March; without a time of reading nothing expires."""
    files = {SEMANTIC: [item(ttlDays=7), item(id="i2", fingerprint="f2", ttlDays=30)]}
    found = read(tmp_path, files, now=from_iso("2026-03-01T12:00:01Z"))
    assert [(d.external_id, d.decay_half_life_days) for d in found.drafts] == [("golemcore:i2", 10.0)]
    assert why(found) == {f"{SEMANTIC}:1": "expired"}
    assert len(read(tmp_path, files, now=None).drafts) == 2


@pytest.mark.parametrize(
    ("file", "written", "scope", "session_id", "hierarchy"),
    [
        (SEMANTIC, "session:web:Conv_123", "session", "web:Conv_123", ()),
        (SEMANTIC, "task:t-1", "work_unit", None, ("t-1",)),
        (SEMANTIC, "goal:web:k:g", "work_unit", None, ("web", "k", "g")),
        (SEMANTIC, "nonsense", "global", None, ()),
    ],
)
def test_scopes_are_mapped(
    tmp_path: Path, file: str, written: str, scope: str, session_id: str | None, hierarchy: tuple[str, ...]
) -> None:
    """A scope names the session, the goal or the task; an invalid one is global."""
    (draft,) = read(tmp_path, {file: [item(scope=written)]}).drafts
    unit = WorkUnitRef("golemcore", hierarchy, written) if hierarchy else None
    assert (draft.scope, draft.session_id, draft.work_unit_ref) == (scope, session_id, unit)
    (draft,) = read(tmp_path, {EPISODIC: [item()]}).drafts
    assert (draft.scope, draft.session_id) == ("global", None)


def test_bad_lines_cost_only_themselves(tmp_path: Path) -> None:
    """A line that is no JSON, an item that says nothing and wrong kinds of fields are no trouble."""
    empty = item(id="i4", fingerprint="f4", title="", content=" ")
    wrong = {"fingerprint": 7, "tags": "x", "confidence": "high", "salience": True, "createdAt": [1]}
    odd = item(id="i5", type="SOMETHING_NEW", references=None, **wrong)
    found = read(tmp_path, {SEMANTIC: ["{not-json}", item(), empty, "[]", odd]})
    assert [draft.external_id for draft in found.drafts] == ["golemcore:i1", "golemcore:i5"]
    taken = found.drafts[1]
    assert (taken.type, taken.confidence) == ("pattern", 0.55)
    assert why(found) == {
        f"{SEMANTIC}:1": "not JSON",
        f"{SEMANTIC}:3": "contains no text",
        f"{SEMANTIC}:4": "JSON, but not an object",
    }


def test_items_without_any_id_are_known_by_their_words(tmp_path: Path) -> None:
    """Their external id comes from type and text, so it is the same at every reading."""
    bare = item(id=None, fingerprint=None)
    first = read(tmp_path / "a", {SEMANTIC: [bare, bare, bare | {"content": "Other words."}]})
    again = read(tmp_path / "b", {"memory/items/procedural.jsonl": [bare]})
    assert len(first.drafts) == 2
    assert again.drafts[0].external_id == first.drafts[0].external_id
