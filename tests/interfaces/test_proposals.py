"""Drafts and payloads that come as JSON."""

from __future__ import annotations

import json

import pytest

from remora.core.errors import InvalidInput
from remora.interfaces.commands.remember import drafts_of, payload_of

ONE = {"content": "Tokens expire after 24 h"}


def test_one_draft() -> None:
    """An object is one draft, however it is laid out, with or without a byte order mark."""
    for text in (json.dumps(ONE), json.dumps(ONE, indent=2), "\ufeff" + json.dumps(ONE)):
        assert drafts_of(text) == [ONE]


def test_a_list_of_drafts() -> None:
    """The items of a list are drafts."""
    assert drafts_of(json.dumps([ONE, 3])) == [ONE, 3]
    assert drafts_of("[]") == []


def test_a_draft_on_each_line() -> None:
    """Blank lines are passed over."""
    text = f"\n{json.dumps(ONE)}\r\n\n{json.dumps({'content': 'b is a'})}\n"
    assert drafts_of(text) == [ONE, {"content": "b is a"}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there are no drafts"),
        (" \n", "there are no drafts"),
        ("a,b\n1,2\n", r"the drafts are not JSON \(line 1, column 1: "),
        ('[{"content": "x"}', r"the drafts are not JSON \(line 1, column 18: "),
        ('{\n "content": "x",\n "tags": [}\n', r"the drafts are not JSON \(line 3, column 11: "),
        (f'{json.dumps(ONE)}\n{{"content": \n\n', r"the drafts are not JSON \(line 2, column 12: "),
        ("1" * 5000, "the drafts are not JSON that can be read"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_no_drafts_at_all(text: str, said: str) -> None:
    """A text that holds no draft is one error, with the place where it breaks."""
    with pytest.raises(InvalidInput, match=said):
        drafts_of(text)


def test_payload() -> None:
    """A payload is an object, or null for none; anything else is refused with an example."""
    assert payload_of('{"a": [1]}') == {"a": [1]}
    assert payload_of("null") is None
    for text, said in (("[1]", "must be a JSON object"), ("{a}", r"the payload is not JSON \(line 1")):
        with pytest.raises(InvalidInput, match=said) as caught:
            payload_of(text)
        assert "approach_tried" in caught.value.hint
