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


def item(**changes: Any) -> dict[str, Any]:
    """Return a memory item as GolemCore writes one."""
    return {
        "id": "i1",
        "layer": "EPISODIC",
        "type": "CONSTRAINT",
        "title": "Stay compatible",
        "content": "We must stay compatible with version 2.",
        "scope": "global",
        "tags": ["java"],
        "source": "user",
        "confidence": 0.78,
        "salience": 0.82,
        "ttlDays": None,
        "createdAt": "2026-02-22T12:00:00Z",
        "updatedAt": "2026-02-22T12:00:00Z",
        "lastAccessedAt": None,
        "references": ["src/App.java", "AppTest#starts", "https://example.org/x y"],
        "fingerprint": "f1",
    } | changes


def read(root: Path, files: dict[str, list[Any]], now: float | None = NOW) -> Found:
    """Write items into a workspace and read it."""
    write(root, {f"memory/{name}": lines(records) for name, records in files.items()})
    return check(golemcore.read(root, now=now))


def test_an_item_becomes_a_memory(tmp_path: Path) -> None:
    """Type, text, layer, tags, files, confidence and time come over; other references are kept beside."""
    found = read(tmp_path, {"items/semantic.jsonl": [item(layer="SEMANTIC")]})
    assert detect(tmp_path) == ["golemcore"]
    (draft,) = found.drafts
    assert draft.content == "Stay compatible\nWe must stay compatible with version 2."
    assert (draft.type, draft.source, draft.scope, draft.confidence) == (
        "requirement",
        "agent_explicit",
        "global",
        0.78,
    )
    assert draft.tags == ("from:golemcore", "layer:semantic", "java")
    assert draft.related_files == ("src/App.java",)
    assert draft.payload == {"salience": 0.82, "references": ["AppTest#starts", "https://example.org/x y"]}
    assert (draft.external_id, draft.created_at) == ("golemcore:i1", "2026-02-22T12:00:00.000Z")
    assert (draft.origin_path, draft.origin_line) == ("memory/items/semantic.jsonl", 1)


def test_copies_are_one_memory(tmp_path: Path) -> None:
    """An episodic line and its promoted copy agree in their fingerprint: the best of both comes over."""
    copy = item(
        id="i2",
        layer="SEMANTIC",
        content="Short.",
        confidence=0.9,
        tags=["api"],
        updatedAt="2026-02-25T00:00:00Z",
    )
    found = read(tmp_path, {"items/episodic/2026-02-22.jsonl": [item()], "items/semantic.jsonl": [copy]})
    (draft,) = found.drafts
    assert draft.content == "Stay compatible\nWe must stay compatible with version 2."
    assert (draft.confidence, draft.external_id) == (0.9, "golemcore:i1")
    assert set(draft.tags) == {"from:golemcore", "layer:episodic", "layer:semantic", "java", "api"}
    assert counts(found)["memories"] == (2, 1, 1)
    assert why(found) == {"memory/items/episodic/2026-02-22.jsonl:1": "another copy of an imported memory"}


def test_later_lines_with_the_same_id_replace_earlier(tmp_path: Path) -> None:
    """An update keeps the id and changes the fingerprint: it is the same memory, with the newer title."""
    later = item(fingerprint="f2", title="Stay compatible with 3", updatedAt="2026-02-24T00:00:00Z")
    found = read(tmp_path, {"items/episodic/2026-02-22.jsonl": [item(), later]})
    assert [draft.content.split("\n")[0] for draft in found.drafts] == ["Stay compatible with 3"]


def test_a_tombstone_forgets_all_older_copies(tmp_path: Path) -> None:
    """What was forgotten there does not come back here, wherever else it stands."""
    dead = item(id="i2", ttlDays=0, updatedAt="2026-02-26T00:00:00Z")
    scoped = item(id="i3", scope="session:web:conv12345")
    found = read(
        tmp_path,
        {
            "items/episodic/2026-02-22.jsonl": [item()],
            "items/semantic.jsonl": [dead],
            "scopes/session/web/conv12345/items/episodic/2026-02-22.jsonl": [scoped],
        },
    )
    assert found.drafts == ()
    assert counts(found)["memories"] == (3, 0, 3)
    assert set(why(found).values()) == {"forgotten (a tombstone)"}


def test_what_was_said_again_after_a_tombstone_lives(tmp_path: Path) -> None:
    """The newest line decides; a tombstone wins a tie."""
    dead = item(ttlDays=0, updatedAt="2026-02-23T00:00:00Z")
    again = item(updatedAt="2026-02-24T00:00:00Z")
    assert len(read(tmp_path, {"items/semantic.jsonl": [item(), dead, again]}).drafts) == 1
    assert read(tmp_path, {"items/semantic.jsonl": [dead, item(updatedAt=dead["updatedAt"])]}).drafts == ()


def test_a_span_that_is_over_ends_a_memory(tmp_path: Path) -> None:
    """Seven days after 22 February it is gone on 1 March; without a time of reading nothing expires."""
    files = {"items/semantic.jsonl": [item(ttlDays=7), item(id="i2", fingerprint="f2", ttlDays=30)]}
    found = read(tmp_path, files, now=from_iso("2026-03-01T12:00:01Z"))
    assert [draft.external_id for draft in found.drafts] == ["golemcore:i2"]
    assert found.drafts[0].decay_half_life_days == 10.0
    assert why(found) == {"memory/items/semantic.jsonl:1": "expired"}
    assert len(read(tmp_path, files, now=None).drafts) == 2


@pytest.mark.parametrize(
    ("written", "scope", "session_id", "unit"),
    [
        (" SESSION:WEB:Conv_123 ", "session", "web:Conv_123", None),
        ("task:t-1", "work_unit", None, WorkUnitRef("golemcore", ("t-1",), "task:t-1")),
        ("goal:web:k:g", "work_unit", None, WorkUnitRef("golemcore", ("web", "k", "g"), "goal:web:k:g")),
        ("session:w eb:k", "global", None, None),
        ("nonsense", "global", None, None),
    ],
)
def test_scopes_are_mapped(
    tmp_path: Path, written: str, scope: str, session_id: str | None, unit: WorkUnitRef | None
) -> None:
    """A session's memory belongs to the session, a goal's or a task's to a unit of work; else to all."""
    (draft,) = read(tmp_path, {"items/semantic.jsonl": [item(scope=written)]}).drafts
    assert (draft.scope, draft.session_id, draft.work_unit_ref) == (scope, session_id, unit)


def test_the_folder_tells_the_scope_where_the_line_does_not(tmp_path: Path) -> None:
    """An item without a scope has that of its folder; a copy that is global makes it global."""
    name = "scopes/session/web/conv12345/items/episodic/2026-02-22.jsonl"
    (draft,) = read(tmp_path, {name: [item(scope=None)]}).drafts
    assert (draft.scope, draft.session_id) == ("session", "web:conv12345")
    (draft,) = read(tmp_path, {"items/semantic.jsonl": [item()]}).drafts
    assert (draft.scope, draft.session_id) == ("global", None)


def test_bad_lines_cost_only_themselves(tmp_path: Path) -> None:
    """A line that is no JSON, an item that says nothing and wrong kinds of fields are no trouble."""
    empty = item(id="i4", fingerprint="f4", title="", content=" ")
    odd = item(
        id="i5", type="SOMETHING_NEW", fingerprint=7, tags="x", confidence="high", salience=True,
        createdAt=[1], references=None,
    )  # fmt: skip
    found = read(tmp_path, {"items/semantic.jsonl": ["{not-json}", item(), empty, "[]", odd]})
    assert [draft.external_id for draft in found.drafts] == ["golemcore:i1", "golemcore:i5"]
    taken = found.drafts[1]
    assert (taken.type, taken.confidence, taken.payload) == ("pattern", 0.55, None)
    assert why(found) == {
        "memory/items/semantic.jsonl:1": "not JSON",
        "memory/items/semantic.jsonl:3": "contains no text",
        "memory/items/semantic.jsonl:4": "JSON, but not an object",
    }


def test_items_without_any_id_are_known_by_their_words(tmp_path: Path) -> None:
    """Their external id comes from type and text, so it is the same at every reading."""
    bare = item(id=None, fingerprint=None)
    first = read(tmp_path / "a", {"items/semantic.jsonl": [bare, bare, bare | {"content": "Other words."}]})
    again = read(tmp_path / "b", {"items/procedural.jsonl": [bare]})
    assert len(first.drafts) == 2
    assert again.drafts[0].external_id == first.drafts[0].external_id
