"""JSON with comments, read with its places and changed as text."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.interfaces.install import jsonc
from remora.interfaces.install.insertions import Broken, Draft, without
from tests.tables import table

KEYS = st.text('abhooks. {}[]:,/"\\é', min_size=1, max_size=6)
PLAIN = st.none() | st.booleans() | st.integers(-99, 99) | st.text('a/*"\\,:}é \n', max_size=6)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
)
OBJECTS = st.dictionaries(KEYS.filter(lambda key: key not in ("hooks", "mcp")), VALUES, max_size=4)
GAPS = st.sampled_from(["", " ", "\n", "\n  ", "\r\n\t", " // said: {\n", "/* , */", " /* \n } */ \n"])
HANDLER = {"hooks": [{"type": "command", "command": "remora hook"}]}


def written(value: Any, draw: Any) -> str:
    """Write a value with random blanks, comments and commas behind the last entry."""

    def gap() -> str:
        return str(draw(GAPS))

    if isinstance(value, dict | list):
        sides = "{}" if isinstance(value, dict) else "[]"
        parts = [
            gap() + (json.dumps(key) + gap() + ":" + gap() if key is not None else "") + written(part, draw)
            for key, part in (value.items() if isinstance(value, dict) else ((None, v) for v in value))
        ]
        last = "," + gap() if parts and draw(st.booleans()) else ""
        return sides[0] + (gap() + ",").join(parts) + gap() + last + sides[1]
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


def comments(text: str) -> list[str]:
    """Return the comments of a text, in order."""
    found = re.findall(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/', text, re.DOTALL)
    return [one for one in found if one.startswith("/")]


@st.composite
def documents(draw: Any) -> tuple[dict[str, Any], str]:
    """A JSON object, and a text that says it."""
    value = draw(OBJECTS)
    return value, draw(GAPS) + written(value, draw) + draw(GAPS)


def said(text: str) -> Any:
    """Return what a text says."""
    node = jsonc.parse(text)
    assert node is not None
    return node.plain()


@given(documents())
def test_adding_keeps_everything(document: tuple[dict[str, Any], str]) -> None:
    """A text says what the plain JSON says; what is added beside it can be undone exactly."""
    value, text = document
    assert said(text) == value
    draft = Draft(text)
    jsonc.append(draft, ["hooks", "Stop"], HANDLER)
    jsonc.append(draft, ["hooks", "Stop"], 5)
    jsonc.put(draft, ["hooks", "Start"], [])
    jsonc.put(draft, ["mcp", "remora"], {"command": "remora"}, opened=1)
    added = {"hooks": {"Stop": [HANDLER, 5], "Start": []}, "mcp": {"remora": {"command": "remora"}}}
    assert said(draft.text) == {**value, **added}
    assert comments(draft.text) == comments(text)
    assert without(draft.text, draft.inserted) == text


@given(documents(), st.data())
def test_dropping_keeps_the_rest(document: tuple[dict[str, Any], str], data: st.DataObject) -> None:
    """Dropping what was added leaves values and comments; so does, of the values, dropping any entry."""
    value, text = document
    draft = Draft(text)
    jsonc.append(draft, ["hooks", "Stop"], HANDLER)
    jsonc.put(draft, ["mcp", "remora"], {"command": "remora"}, opened=1)
    left = jsonc.prune_empty(jsonc.drop(draft.text, ["hooks", "Stop", 0]), ["hooks", "Stop"])
    left = jsonc.prune_empty(jsonc.drop(left, ["mcp", "remora"]), ["mcp"])
    assert said(left) == value
    assert comments(left) == comments(text)
    if value:
        key = data.draw(st.sampled_from(sorted(value)))
        assert said(jsonc.drop(text, [key])) == {k: v for k, v in value.items() if k != key}


@pytest.mark.parametrize(("text", "place"), table(__file__, "broken"))
def test_what_is_wrong_has_a_place(text: str, place: str) -> None:
    """A text that is no JSON is refused with line and column; endless nesting is no crash."""
    with pytest.raises(Broken) as caught:
        jsonc.parse(text)
    assert f"{caught.value.line}:{caught.value.column}" == place
    with pytest.raises(Broken, match="nested too deeply"):
        jsonc.parse("[" * 100_000 + "]" * 100_000)


@pytest.mark.parametrize(("before", "after"), table(__file__, "added"))
def test_added_as_the_neighbours_are(before: str, after: str) -> None:
    """What is added has the indentation, the line ends and the commas of what is there."""
    draft = Draft(before)
    jsonc.append(draft, ["a", "b"], 1)
    assert draft.text == after


def test_something_else_in_the_way() -> None:
    """A value of another kind on the way is named with its place."""
    for text, what in (
        ('{"a": []}', "a should be an object"),
        ("[]", "an object is expected"),
        ('{"a": {"b": {}}}', "a.b should be an array"),
        ('{"a": null}', "a should be an object"),
    ):
        with pytest.raises(Broken, match=re.escape(what)):
            jsonc.append(Draft(text), ["a", "b"], 1)


def test_empty_holders_that_stay() -> None:
    """An object that was empty before, or has a comment in it, is not taken away."""
    assert jsonc.prune_empty('{"a": {"b": []}}', ["a", "b"], ["a"]) == '{"a": {}}'
    kept = '{"a": { /* mine */ }}'
    assert jsonc.prune_empty(kept, ["a"]) == kept
    assert jsonc.prune_empty('{"a": {"b": []}, "c": 1}', ["a", "b"]) == '{"c": 1}'
