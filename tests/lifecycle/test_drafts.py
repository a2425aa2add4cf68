"""A proposed memory is checked field by field, cleaned and redacted."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import pytest

from remora.core.errors import InvalidInput
from remora.core.values import MemoryDraft, Redaction, Relation, Taint, WorkUnitRef
from remora.lifecycle.drafts import MAX_CONTENT_CHARS, prepare
from tests.helpers import SECRET

SAID = "Tokens expire after 24 h"


def fields(**given: Any) -> MemoryDraft:
    """Return the draft as it would be stored."""
    return prepare(MemoryDraft(**{"content": SAID, **given})).draft


def test_a_custom_type_comes_from_a_plugin() -> None:
    """A type that is not built in is asked of the plugins, and only then."""
    asked: list[str] = []

    def custom() -> tuple[str, ...]:
        asked.append("yes")
        return ("ritual",)

    assert prepare(MemoryDraft(SAID, type="gotcha"), custom).draft.type == "gotcha"
    assert asked == []
    assert prepare(MemoryDraft(SAID, type="ritual"), custom).draft.type == "ritual"
    with pytest.raises(InvalidInput, match="unknown type 'fact'") as caught:
        prepare(MemoryDraft(SAID, type="fact"), custom)
    assert "ritual" in caught.value.hint
    assert "gotcha" in caught.value.hint


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"content": 5}, "content must be text, not int"),
        ({"content": " \n\t … !"}, "content is empty"),
        ({"content": "x" * (MAX_CONTENT_CHARS + 1)}, "content has 20,001 characters"),
        ({"content": bytes(range(256)).decode("latin-1") * 4}, "looks like binary data"),
        ({"content": b"\xff\xfe\x80abc\x99\x98".decode("utf-8", "surrogateescape")}, "binary data"),
        ({"content": SECRET}, "only a secret"),
        ({"type": ["gotcha"]}, "unknown type"),
        ({"source": "hearsay"}, "unknown source 'hearsay'"),
        ({"scope": "universe"}, "unknown scope 'universe'"),
        ({"confidence": 1.01}, "confidence must be between 0 and 1"),
        ({"confidence": float("nan")}, "confidence must be between 0 and 1"),
        ({"tags": "auth"}, "tags must be a list of texts, not str"),
        ({"tags": [1]}, "tags must be a list of texts, not of int"),
        ({"tags": [str(n) for n in range(201)]}, "tags has 201 items; the maximum is 200"),
        ({"relations": {}}, "relations must be a list of Relation"),
        ({"relations": ["validates"]}, r"relations\[0\] must be a Relation, not str"),
        ({"relations": (Relation("likes", "id"),)}, "unknown relation 'likes'"),
        ({"relations": (Relation("validates", "id", "a.py"),)}, "a relation must have one target"),
        ({"payload": [1]}, "payload must be a mapping"),
        ({"payload": {"a": object()}}, "payload.a cannot be stored as JSON"),
        ({"payload": {"a": "x" * 200_000}}, "payload has 200,009 characters"),
        ({"type": "dead_end", "payload": {"approach_tried": "a"}}, "dead_end needs 'why_it_failed'"),
        ({"type": "dead_end", "payload": {"colour": "red"}}, "dead_end has no field 'colour'"),
        ({"taint": "web"}, "taint must be a Taint"),
        ({"taint": Taint("")}, "taint must be a Taint"),
        ({"taint": {"step": 1}}, "taint has missing or unknown fields"),
        ({"taint": Taint("web", -1)}, "taint.step must be a whole number"),
        ({"work_unit_ref": ("native", ("1",), "x")}, "work_unit_ref must be a WorkUnitRef"),
        ({"work_unit_ref": WorkUnitRef("native", (), "")}, "a work unit must have a methodology and a label"),
        ({"created_at": "yesterday"}, "created_at must be an ISO 8601 time"),
        ({"decay_half_life_days": -1}, "decay_half_life_days must be a number of days"),
        ({"branch": ["main"]}, "branch must be text, not list"),
        ({"external_id": SECRET}, "external_id holds a secret"),
        ({"session_id": f"run {SECRET}"}, "session_id holds a secret"),
        ({"external_id": "x" * 1_001}, "external_id has 1,001 characters"),
        ({"pinned": "yes"}, "pinned must be true or false"),
        ({"origin_line": 2**80}, "origin_line must be a whole number"),
    ],
)
def test_what_cannot_be_stored(given: dict[str, Any], message: str) -> None:
    """A wrong value is refused with the name of its field."""
    with pytest.raises(InvalidInput, match=message):
        fields(**given)


def test_a_mapping_stands_for_a_record() -> None:
    """As JSON has it; None counts as missing."""
    made = fields(
        relations=[{"relation_type": "validates", "target_file_path": "a.py", "confidence": None}],
        taint={"source": "web_fetch", "step": None},
        work_unit_ref={"methodology": "native", "hierarchy": ["1"], "label": "Spec 1"},
    )
    assert made.relations == (Relation("validates", None, "a.py"),)
    assert made.taint == Taint("web_fetch")
    assert made.work_unit_ref == WorkUnitRef("native", ("1",), "Spec 1")


def test_texts_are_cleaned() -> None:
    """Signs that nobody sees go, halves of signs are joined or replaced, in every field."""
    given: dict[str, Any] = {
        "content": "  Use\ttabs\x00\u202e here,\nnot \ud83d\ude80 but half a sign \ud83d in a sentence \n",
        "tags": ("\ud83d tag", " auth ", "auth", "", "two  words"),
        "related_files": ("\ud83d.py", "src\\auth\\tokens.py", "./b.py", PurePosixPath("c/d.py"), "b.py"),
        "payload": {"a\ud83d": "b\ud83d"},
        "branch": "b\ud83d",
        "citation_text": "c\ud83d",
    }
    found = prepare(MemoryDraft(**given))
    draft = found.draft
    assert draft.content == "Use\ttabs here,\nnot \U0001f680 but half a sign \ufffd in a sentence"
    assert draft.tags == ("\ufffd tag", "auth", "two words")
    assert draft.related_files == ("\ufffd.py", "src/auth/tokens.py", "b.py", "c/d.py")
    assert (draft.payload, draft.branch) == ({"a\ufffd": "b\ufffd"}, "b\ufffd")
    assert draft.citation_text == "c\ufffd"


def test_values_take_one_form() -> None:
    """Times become UTC, whole confidences fractions, blank names nothing, a payload plain JSON."""
    draft = fields(
        created_at="2024-03-15T14:00:00+02:00",
        confidence=1,
        branch="  ",
        payload={"steps": (1, 2), "none": None},
        work_unit_ref=WorkUnitRef("native", ["042", "3"], "Spec 042 / Subtask 3"),  # type: ignore[arg-type]
        decay_half_life_days=0,
        related_modules=None,
    )
    assert (draft.citation_text, draft.related_modules) == (SAID, ())
    assert draft.created_at == "2024-03-15T12:00:00.000Z"
    assert (draft.confidence, draft.branch, draft.decay_half_life_days) == (1.0, None, 0.0)
    assert draft.payload == {"steps": [1, 2], "none": None}
    assert draft.work_unit_ref == WorkUnitRef("native", ("042", "3"), "Spec 042 / Subtask 3")


def test_secrets_go_from_every_field() -> None:
    """Every field, and a citation made of the text, loses its secrets; the report counts them by kind."""
    draft = MemoryDraft(
        f"Deploy with {SECRET} in the environment",
        tags=(f"key {SECRET}",),
        related_files=(f"conf/{SECRET}.yml",),
        related_modules=(SECRET,),
        citation_text=SECRET,
        context_prefix=f"Keys > {SECRET}",
        origin_path=f"notes/{SECRET}.md",
        payload={"password": "hunter2", "nested": [{SECRET: SECRET}]},
        relations=(Relation("validates", target_file_path=f"{SECRET}.py"),),
        taint=Taint(f"page {SECRET}"),
        work_unit_ref=WorkUnitRef("native", (SECRET,), SECRET),
    )
    found = prepare(draft)
    assert SECRET not in repr(found)
    assert "hunter2" not in repr(found)
    assert found.redactions == (Redaction("github-token", 13), Redaction("password", 1))
    made = prepare(draft._replace(citation_text=None)).draft.citation_text
    assert made is not None
    assert len(made) <= 40
    assert SECRET[:12] not in made
