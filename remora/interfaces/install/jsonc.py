"""Parser of JSON with comments that keeps positions, and edits that leave the rest of the text unchanged.

Comments and trailing commas are parsed and kept, since VS Code, Gemini CLI and OpenCode allow them. Whether a
host allows them is not checked: a file that the host could read before an edit, it can read afterwards.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from remora.interfaces.install.insertions import Broken, Draft, line_end

Path = Sequence[str]


class Child(NamedTuple):
    """One entry of an object or an array.

    Attributes:
        key: the key in an object; the index, as text, in an array.
        start: the position of the key in an object, of the value in an array.
        node: the value.
    """

    key: str
    start: int
    node: Node


class Node(NamedTuple):
    """A value with its position in the text.

    Attributes:
        kind: "object", "array" or "plain".
        start: the position of the first character.
        end: the position after the last character.
        children: the entries of an object or an array.
        value: the value of a "plain" node.
    """

    kind: str
    start: int
    end: int
    children: tuple[Child, ...] = ()
    value: Any = None

    def plain(self) -> Any:
        """Return the value as Python objects."""
        if self.kind == "object":
            return {child.key: child.node.plain() for child in self.children}
        if self.kind == "array":
            return [child.node.plain() for child in self.children]
        return self.value


_GAP = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_END_OF_LINE = re.compile(r"[ \t]*\r?\n")
_INDENTED = re.compile(r"\n([ \t]+)[^ \t\r\n]")
_BRACKETS = {"{": ("object", "}"), "[": ("array", "]")}


@lru_cache(maxsize=8)  # an edit parses the same text several times, and a host's state can be megabytes
def parse(text: str) -> Node | None:
    """Return the value of a text; None if the text is blank or contains only comments.

    Raises:
        Broken: the text is not JSON with comments, or an object has a duplicate key.
    """
    at = _skip(text, 0)
    if at == len(text):
        return None
    try:
        node = _value(text, at)
    except RecursionError:
        raise Broken("it is nested too deeply", text, at) from None
    rest = _skip(text, node.end)
    if rest != len(text):
        raise Broken("there is text after the JSON value", text, rest)
    return node


def _skip(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    assert found is not None
    return found.end()


def _value(text: str, at: int) -> Node:
    sign = text[at : at + 1]
    if sign in _BRACKETS:
        return _container(text, at)
    found = _STRING.match(text, at) or _WORD.match(text, at)
    if found is None:
        raise Broken("a value is expected" if sign else "the file ends too early", text, at)
    try:
        return Node("plain", at, found.end(), value=json.loads(found.group()))
    except ValueError:
        raise Broken("invalid JSON string", text, at) from None


def _container(text: str, start: int) -> Node:
    kind, close = _BRACKETS[text[start]]
    children: list[Child] = []
    keys: set[str] = set()
    at = _skip(text, start + 1)
    while text[at : at + 1] != close:
        begin = at
        key = str(len(children))
        if kind == "object":
            found = _STRING.match(text, at)
            if found is None:
                raise Broken("a key in double quotes is expected", text, at)
            key = _value(text, at).value
            if key in keys:
                raise Broken(f"the key {key!r} is duplicated", text, at)
            keys.add(key)
            at = _skip(text, found.end())
            if text[at : at + 1] != ":":
                raise Broken('":" is expected', text, at)
            at = _skip(text, at + 1)
        node = _value(text, at)
        at = _skip(text, node.end)
        children.append(Child(key, begin, node))
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != close:
            raise Broken(f'"," or "{close}" is expected', text, at)
    return Node(kind, start, at + 1, tuple(children))


def at_path(node: Node | None, path: Path) -> Node | None:
    """Return the value at a path of keys; None if there is none."""
    for key in path:
        if node is None or node.kind != "object":
            return None
        node = next((child.node for child in node.children if child.key == key), None)
    return node


def put(draft: Draft, path: Path, value: Any, *, opened: int = 0) -> None:
    """Add an entry at a path that has none, as the first of its object; create missing objects on the path.

    Args:
        draft: the text.
        path: the keys.
        value: the value of the last key.
        opened: outer levels of the value that get a line per entry; the others are on one line.

    Raises:
        Broken: a value on the path is not an object, or the path exists.
    """
    node = parse(draft.text)
    if node is None:
        newline = line_end(draft.text)
        written = pretty(nested(path, value), "  ", newline, opened=len(path) + opened)
        between = "" if draft.text.endswith("\n") or not draft.text else newline
        draft.insert(len(draft.text), between + written + newline)
        return
    for depth, key in enumerate(path):
        if node.kind != "object":
            name = f"{'.'.join(path[:depth])} should be an object" if depth else "an object is expected"
            raise Broken(name, draft.text, node.start)
        inner = at_path(node, [key])
        if inner is None:
            rest = path[depth + 1 :]
            lead = json.dumps(key, ensure_ascii=False) + ": "
            _add(draft, node, lead, nested(rest, value), len(rest) + opened)
            return
        node = inner
    raise Broken(f"{'.'.join(path)} already exists", draft.text, node.start)


def add_element(draft: Draft, path: Path, value: Any) -> None:
    """Add an element as the first of the array at a path; create the array if it is missing.

    Raises:
        Broken: a value on the path is not an object, or the value at the path is not an array.
    """
    found = at_path(parse(draft.text), path)
    if found is None:
        put(draft, path, [value])
        return
    if found.kind != "array":
        raise Broken(f"{'.'.join(path)} should be an array", draft.text, found.start)
    _add(draft, found, "", value, 0)


def nested(path: Path, value: Any) -> Any:
    """Return objects around a value, one for each key of a path."""
    for key in reversed(path):
        value = {key: value}
    return value


def _add(draft: Draft, holder: Node, lead: str, value: Any, opened: int) -> None:
    """Insert an entry on a line of its own at the start of an object or an array."""
    text, newline = draft.text, line_end(draft.text)
    indented = _INDENTED.search(text)
    unit = indented[1] if indented else "  "
    line = text[text.rfind("\n", 0, holder.start) + 1 : holder.start]
    margin = line[: len(line) - len(line.lstrip(" \t"))]
    inner = margin + unit
    piece = newline + inner + lead + pretty(value, unit, newline, inner, opened)
    piece += "," if holder.children else ""
    if not _END_OF_LINE.match(text, holder.start + 1):
        piece += newline + (inner if holder.children else margin)
    draft.insert(holder.start + 1, piece)


def pretty(value: Any, unit: str, newline: str, margin: str = "", opened: int = 1) -> str:
    r"""Return a value as JSON, with a line per entry in its outer levels.

    Args:
        value: the value.
        unit: the indentation of one level.
        newline: the line end.
        margin: the indentation of the first line.
        opened: the number of outer levels.

    >>> pretty({"a": [1, 2]}, "  ", "\n")
    '{\n  "a": [1, 2]\n}'
    """
    if not isinstance(value, dict) or not value or opened <= 0:
        return json.dumps(value, ensure_ascii=False)
    inner = margin + unit
    parts = [
        f"{inner}{json.dumps(key, ensure_ascii=False)}: {pretty(part, unit, newline, inner, opened - 1)}"
        for key, part in value.items()
    ]
    return "{" + newline + f",{newline}".join(parts) + newline + margin + "}"


def drop(text: str, path: Sequence[str | int]) -> str:
    """Return a text without the entry at a path of keys and array indices, and without its comma."""
    holder = parse(text)
    for key in path[:-1]:
        assert holder is not None
        holder = next(child.node for child in holder.children if child.key == str(key))
    assert holder is not None
    place = [child.key for child in holder.children].index(str(path[-1]))
    start, end = holder.children[place].start, holder.children[place].node.end
    comma = _skip(text, end)
    last = text[comma : comma + 1] != ","
    if not last:
        end = comma + 1
    rest = _END_OF_LINE.match(text, end)
    begins = text.rfind("\n", 0, start) + 1
    if rest is not None and not text[begins:start].strip(" \t"):  # the lines have nothing else
        start, end = begins, rest.end()
    text = text[:start] + text[end:]
    if last and place:
        comma = _skip(text, holder.children[place - 1].node.end)
        text = text[:comma] + text[comma + 1 :]
    return text


def prune_empty(text: str, path: Path) -> str:
    """Return a text without the object or array at a path, if empty, and without its empty parents."""
    path = list(path)
    while path:
        found = at_path(parse(text), path)
        if found is None or found.kind == "plain" or found.children:
            return text
        if text[found.start + 1 : found.end - 1].strip():  # a comment
            return text
        text = drop(text, path)
        path.pop()
    return text
