"""Texts of hosts, JSON with comments and TOML: what is added to them is read, and is taken out again."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.interfaces.install import jsonc, tomls
from remora.interfaces.install.insertions import Block, Broken, Draft, Text, line_end, without
from tests.tables import table

# Any text


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 200), st.text(max_size=9)), max_size=12))
def test_what_was_inserted_can_be_taken_out(text: str, pieces: list[tuple[int, str]]) -> None:
    """Whatever is inserted wherever, the spans give back the old text, and none touches another."""
    draft = Draft(text)
    for at, piece in pieces:
        draft.insert(at % (len(draft.text) + 1), piece)
    assert without(draft.text, draft.inserted) == text
    assert all(end < start for (_, end), (start, _) in pairwise(draft.inserted))


@given(st.text(max_size=40), st.booleans())
def test_text_and_bytes(text: str, bom: bool) -> None:
    """A file's text makes the same bytes again, with its byte order mark; its first line end is used."""
    data = (("\ufeff" if bom else "") + text.lstrip("\ufeff")).encode("utf-8")
    assert Text.of(data, "a").encoded() == data
    assert [line_end(one) for one in ("\n", "a\r\nb\n")] == ["\n", "\r\n"]


# JSON with comments

KEYS = st.text('abhooks. {}[]:,/"\\é', min_size=1, max_size=6)
PLAIN = st.none() | st.booleans() | st.integers(-99, 99) | st.text('a/*"\\,:}é \n', max_size=6)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
)
OBJECTS = st.dictionaries(KEYS.filter(lambda key: key not in ("hooks", "mcp")), VALUES, max_size=4)
GAPS = st.sampled_from(["", " ", "\n", "\n  ", "\r\n\t", " // said: {\n", "/* , */", " /* \n } */ \n"])
HANDLER = {"hooks": [{"type": "command", "command": "remora hook"}]}
SERVER = {"command": "remora"}


def written(value: Any, draw: Any) -> str:
    """Write a value with random blanks, comments and commas behind the last entry."""
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    keyed = isinstance(value, dict)
    keys = [draw(GAPS) + json.dumps(key) + draw(GAPS) + ":" if keyed else "" for key in value]
    inner = value.values() if isinstance(value, dict) else value
    parts = [key + draw(GAPS) + written(one, draw) for key, one in zip(keys, inner, strict=True)]
    last = "," + draw(GAPS) if parts and draw(st.booleans()) else ""
    text = (draw(GAPS) + ",").join(parts) + draw(GAPS) + last
    return f"{{{text}}}" if keyed else f"[{text}]"


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
    """Return what a JSON text with comments says."""
    node = jsonc.parse(text)
    assert node is not None
    return node.plain()


@given(documents(), st.data())
def test_adding_and_dropping_keep_the_rest(document: tuple[dict[str, Any], str], data: st.DataObject) -> None:
    """A text says what the plain JSON says; what is added is undone exactly, or dropped; so is any entry."""
    value, text = document
    assert said(text) == value
    draft = Draft(text)
    jsonc.add_element(draft, ["hooks", "Stop"], HANDLER)
    jsonc.put(draft, ["mcp", "remora"], SERVER, opened=1)
    left = jsonc.prune_empty(jsonc.drop(draft.text, ["hooks", "Stop", 0]), ["hooks", "Stop"])
    left = jsonc.prune_empty(jsonc.drop(left, ["mcp", "remora"]), ["mcp"])
    jsonc.add_element(draft, ["hooks", "Stop"], 5)
    jsonc.put(draft, ["hooks", "Start"], [])
    added = {"hooks": {"Stop": [5, HANDLER], "Start": []}, "mcp": {"remora": SERVER}}
    assert said(draft.text) == {**value, **added}
    assert said(left) == value
    assert comments(draft.text) == comments(left) == comments(text)
    assert without(draft.text, draft.inserted) == text
    if value:
        key = data.draw(st.sampled_from(sorted(value)))
        assert said(jsonc.drop(text, [key])) == {k: v for k, v in value.items() if k != key}


@pytest.mark.parametrize(("text", "place"), table(__file__, "broken"))
def test_what_is_wrong_has_a_place(text: str, place: str) -> None:
    """A text that is no JSON is refused with line and column."""
    with pytest.raises(Broken) as caught:
        jsonc.parse(text)
    assert f"{caught.value.line}:{caught.value.column}" == place


@pytest.mark.parametrize(("before", "after"), table(__file__, "added"))
def test_added_first(before: str, after: str) -> None:
    """What is added comes first, on lines of its own, with the indentation and line ends of the file."""
    draft = Draft(before)
    jsonc.add_element(draft, ["a", "b"], 1)
    assert draft.text == after


def test_what_stops_an_addition_and_what_is_not_taken_away() -> None:
    """A value of another kind is named, endless nesting is no crash; a holder with a comment stays."""
    for text, what in (
        ('{"a": []}', "a should be an object"),
        ("[]", "an object is expected"),
        ('{"a": {"b": {}}}', "a.b should be an array"),
        ('{"a": null}', "a should be an object"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    ):
        with pytest.raises(Broken, match=re.escape(what)):
            jsonc.add_element(Draft(text), ["a", "b"], 1)
    kept = '{"a": { /* mine */ }}'
    assert jsonc.prune_empty(kept, ["a"]) == kept
    assert said(jsonc.prune_empty('{"a": {"b": []}, "c": 1}', ["a", "b"])) == {"c": 1}


# TOML

PATH = ("mcp_servers", "remora")
BLOCK = Block("# >>> remora", tomls.table(PATH, {"command": "remora", "args": ["mcp"]}), "# <<< remora")
OTHER = 'model = "m" # mine\n\n[mcp_servers.other]\ncommand = "x"\n'


def added(text: str) -> str:
    """Return a text with the table."""
    draft = Draft(text)
    tomls.add(draft, BLOCK, PATH)
    return draft.text


@pytest.mark.parametrize(
    "text", ["", OTHER, OTHER.rstrip("\n"), OTHER.replace("\n", "\r\n"), "# only\n", "\n", "[mcp_servers]\n"]
)
def test_a_table_is_added_and_taken_out(text: str) -> None:
    """It is there beside everything else, and without it the text says what it said."""
    new = added(text)
    assert tomllib.loads(new)["mcp_servers"]["remora"] == {"command": "remora", "args": ["mcp"]}
    assert new.startswith(text)
    assert ("\r" in new) == ("\r" in text)
    left = tomls.removed(new, BLOCK, PATH) or ""
    assert tomllib.loads(left) == tomllib.loads(text)
    assert left.rstrip() == text.rstrip()


def test_toml_that_is_refused() -> None:
    """What is broken has a place; a table that the file forbids, or that has another in it, is refused."""
    with pytest.raises(Broken) as caught:
        tomls.parse("a = 1\nb = = 2\n")
    assert (caught.value.line, caught.value.column) == (2, 5)
    with pytest.raises(Broken):
        tomls.parse("a = ")
    for text in ("mcp_servers = {}\n", 'mcp_servers = {other = {command = "x"}}\n', "mcp_servers = 1\n"):
        draft = Draft(text)
        with pytest.raises(Broken, match="conflicts with the other tables"):
            tomls.add(draft, BLOCK, PATH)
        assert draft.text == text
    with pytest.raises(Broken, match="has other tables"):
        tomls.removed(added("a = 1\n").replace(BLOCK.end, f"[tools]\nx = 1\n{BLOCK.end}"), BLOCK, PATH)


def test_a_block_keeps_what_is_around_it() -> None:
    """What stands before and behind a block stays; a begin without an end is none; any path is written."""
    assert BLOCK.removed(added("a = 1\n") + "b = 2\n") == "a = 1\nb = 2\n"
    half = BLOCK.begin + "\nx = 1\n"
    assert BLOCK.span(half) is None
    for text in ("a = 1\n", half):
        assert BLOCK.removed(text) == text
    words = ["C:\\Program Files\\x.exe", 'say "hi"', "é\x7f\t"]
    assert tomllib.loads(tomls.table(["a"], {"args": words}))["a"]["args"] == words
