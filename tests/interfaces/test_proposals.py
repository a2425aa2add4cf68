"""Drafts and payloads that come as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remora.core.errors import InvalidInput
from remora.core.values import MemoryDraft, Relation, Taint, WorkUnitRef
from remora.interfaces.proposals import fields_of, payload, proposals

ONE = {"content": "Tokens expire after 24 h"}


def test_one_draft() -> None:
    """An object is one draft, however it is laid out, with or without a byte order mark."""
    for text in (json.dumps(ONE), json.dumps(ONE, indent=2), "\ufeff" + json.dumps(ONE)):
        assert [(p.place, p.fields, p.problem) for p in proposals(text)] == [("the draft", ONE, None)]


def test_a_list_of_drafts() -> None:
    """The items of a list are drafts by number; what is no object is a problem of its own."""
    good, bad = proposals(json.dumps([ONE, 3]))
    assert (good.place, good.fields) == ("draft 1", ONE)
    assert bad.place == "draft 2"
    assert str(bad.problem) == "a draft must be a JSON object, not a number"
    assert list(proposals("[]")) == []


def test_a_draft_on_each_line() -> None:
    """Blank lines are passed over, a line that is no JSON is named with its column, the rest is kept."""
    text = f'\n{json.dumps(ONE)}\r\n{{"content": \n\n[1]\n{json.dumps({"content": "b is a"})}\n'
    found = list(proposals(text))
    assert [p.place for p in found] == ["line 2", "line 3", "line 5", "line 6"]
    assert [p.fields for p in found] == [ONE, {}, {}, {"content": "b is a"}]
    assert str(found[1].problem).startswith("not JSON (column 13: ")
    assert str(found[2].problem) == "a draft must be a JSON object, not a list"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there are no drafts"),
        (" \n", "there are no drafts"),
        ("a,b\n1,2\n", r"the drafts are not JSON \(line 1, column 1: "),
        ('[{"content": "x"}', r"the drafts are not JSON \(line 1, column 18: "),
        ('{\n "content": "x",\n "tags": [}\n', r"the drafts are not JSON \(line 3, column 11: "),
        ("1" * 5000, "the drafts are not JSON that can be read"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_no_drafts_at_all(text: str, said: str) -> None:
    """A text that holds no draft is one error, with the place where it breaks."""
    with pytest.raises(InvalidInput, match=said):
        list(proposals(text))


def test_every_field_of_a_draft() -> None:
    """Every field is taken; objects become records, lists of them tuples, null is left out."""
    given: dict[str, Any] = dict.fromkeys(MemoryDraft._fields)
    given |= {
        "content": "x is y",
        "tags": ["a"],
        "work_unit_ref": {"methodology": "native", "hierarchy": ["1"], "label": "Spec 1"},
        "relations": [{"relation_type": "validates", "target_file_path": "a.py", "confidence": 0.5}],
        "taint": {"source": "web_fetch", "step": None},
        "derived_from": ["1a2b"],
        "pinned": False,
    }
    assert fields_of(given) == {
        "content": "x is y",
        "tags": ["a"],
        "work_unit_ref": WorkUnitRef("native", ["1"], "Spec 1"),  # type: ignore[arg-type]
        "relations": (Relation("validates", None, "a.py", 0.5),),
        "taint": Taint("web_fetch"),
        "derived_from": ("1a2b",),
        "pinned": False,
    }


@pytest.mark.parametrize(
    ("more", "said", "hint"),
    [
        ({"content": None}, "a draft needs 'content'", "The minimum is"),
        ({"tag": "a"}, "a draft has no field 'tag'", "Did you mean 'tags'?"),
        ({"zzz": 1}, "a draft has no field 'zzz'", "Its fields are content, type"),
        ({"payload": {}}, "a payload needs a type", "dead_end"),
        ({"taint": "web"}, "taint must be a JSON object, not a text", ""),
        ({"taint": {"step": 1}}, "taint needs 'source'", "Its fields are source, step."),
        ({"relations": {}}, "relations must be a list, not an object", ""),
        ({"relations": [{"kind": "x"}]}, r"relations\[0\] has no field 'kind'", "relation_type"),
        ({"derived_from": "1a2b"}, "derived_from must be a list, not a text", ""),
        ({"work_unit_ref": {}}, "work_unit_ref needs 'methodology', 'hierarchy', 'label'", ""),
    ],
)
def test_wrong_fields(more: dict[str, Any], said: str, hint: str) -> None:
    """A field that is not there, is missing or has another shape is named, with what would be right."""
    with pytest.raises(InvalidInput, match=said) as caught:
        fields_of({**ONE, **more})
    assert hint in caught.value.hint


def test_payload() -> None:
    """A payload is an object, or null for none; anything else is refused with an example."""
    assert payload('{"a": [1]}') == {"a": [1]}
    assert payload("null") is None
    for text, said in (("[1]", "a JSON object, not a list"), ("{a}", r"the payload is not JSON \(line 1")):
        with pytest.raises(InvalidInput, match=said) as caught:
            payload(text)
        assert "approach_tried" in caught.value.hint


def test_files_and_modules_may_be_called_as_the_tools_call_them() -> None:
    """Both names mean one field; given by both it is refused."""
    given = fields_of({"content": "a", "files": ["a.py"], "modules": ["auth"]})
    assert given == {"content": "a", "related_files": ["a.py"], "related_modules": ["auth"]}
    with pytest.raises(InvalidInput, match="are one field"):
        fields_of({"content": "a", "files": ["a.py"], "related_files": ["b.py"]})
