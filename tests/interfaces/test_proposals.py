"""Drafts and payloads that come as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remora.core.errors import InvalidInput
from remora.core.values import MemoryDraft
from remora.interfaces.commands.remember import payload_of, proposals

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
    assert str(bad.problem) == "a draft must be a JSON object"
    assert proposals("[]") == []


def test_a_draft_on_each_line() -> None:
    """Blank lines are passed over, a line that is no JSON is named with its column, the rest is kept."""
    text = f'\n{json.dumps(ONE)}\r\n{{"content": \n\n[1]\n{json.dumps({"content": "b is a"})}\n'
    found = proposals(text)
    assert [p.place for p in found] == ["line 2", "line 3", "line 5", "line 6"]
    assert [p.fields for p in found] == [ONE, {}, {}, {"content": "b is a"}]
    assert str(found[1].problem).startswith("not JSON (column 13: ")
    assert str(found[2].problem) == "a draft must be a JSON object"


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
        proposals(text)


def test_null_counts_as_missing() -> None:
    """So a draft may hold every field; the other values are left to the memory."""
    given: dict[str, Any] = dict.fromkeys(MemoryDraft._fields)
    stated = {"content": "x is y", "tags": ["a"], "taint": {"source": "web_fetch"}, "pinned": False}
    (found,) = proposals(json.dumps({**given, **stated}))
    assert found.fields == stated


def test_a_payload_needs_a_type() -> None:
    """Its fields depend on it."""
    (found,) = proposals(json.dumps({**ONE, "payload": {}}))
    assert str(found.problem) == "a payload needs a type"
    assert found.problem is not None
    assert "dead_end" in found.problem.hint


def test_payload() -> None:
    """A payload is an object, or null for none; anything else is refused with an example."""
    assert payload_of('{"a": [1]}') == {"a": [1]}
    assert payload_of("null") is None
    for text, said in (("[1]", "must be a JSON object"), ("{a}", r"the payload is not JSON \(line 1")):
        with pytest.raises(InvalidInput, match=said) as caught:
            payload_of(text)
        assert "approach_tried" in caught.value.hint


def test_files_and_modules_may_be_called_as_the_tools_call_them() -> None:
    """Both names mean one field; given by both it is refused."""
    (given,) = proposals('{"content": "a", "files": ["a.py"], "modules": ["auth"]}')
    assert given.fields == {"content": "a", "related_files": ["a.py"], "related_modules": ["auth"]}
    (both,) = proposals('{"content": "a", "files": ["a.py"], "related_files": ["b.py"]}')
    assert "are one field" in str(both.problem)
