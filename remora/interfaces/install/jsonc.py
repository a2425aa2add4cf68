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

WIDTH = 120  # columns; a value that fits is written on one line
Path = Sequence[str]


class Child(NamedTuple):
    """One entry of an object or an array.

    Attributes:
        key: the key in an object; the index, as text, in an array.
        start: the position of the key in an object, of the value in an array.
        node: the value.
        comma: the position of the comma after it; -1 for none.
    """

    key: str
    start: int
    node: Node
    comma: int


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
_END_OF_LINE = re.compile(r"[ \t]*(?:/\*.*?\*/[ \t]*)*(?://[^\n\r]*)?", re.DOTALL)
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
        comma = at if text[at : at + 1] == "," else -1
        children.append(Child(key, begin, node, comma))
        if comma >= 0:
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
    """Add an entry at a path that has none; create missing objects on the path.

    Args:
        draft: the text.
        path: the keys.
        value: the value of the last key.
        opened: outer levels of the value that get a line per entry, even if they fit on one line.

    Raises:
        Broken: a value on the path is not an object, or the path exists.
    """
    holder, rest = _nearest(draft.text, path)
    if holder is None:
        _start(draft, nested(path, value), len(path) + opened)
        return
    _add(draft, holder, rest[0], nested(rest[1:], value), len(rest) - 1 + opened)


def append(draft: Draft, path: Path, value: Any) -> None:
    """Append an element to the array at a path; create the array if it is missing.

    Raises:
        Broken: a value on the path is not an object, or the value at the path is not an array.
    """
    found = at_path(parse(draft.text), path)
    if found is None:
        put(draft, path, [value])
        return
    if found.kind != "array":
        raise Broken(f"{'.'.join(path)} should be an array", draft.text, found.start)
    _add(draft, found, None, value)


def _nearest(text: str, path: Path) -> tuple[Node | None, Path]:
    """Return the innermost existing object on a path, and the rest of the path."""
    node = parse(text)
    if node is None:
        return None, path
    for depth, key in enumerate(path):
        if node.kind != "object":
            name = f"{'.'.join(path[:depth])} should be an object" if depth else "an object is expected"
            raise Broken(name, text, node.start)
        inner = at_path(node, [key])
        if inner is None:
            return node, path[depth:]
        node = inner
    raise Broken(f"{'.'.join(path)} already exists", text, node.start)


def nested(path: Path, value: Any) -> Any:
    """Return objects around a value, one for each key of a path."""
    for key in reversed(path):
        value = {key: value}
    return value


def _start(draft: Draft, value: Any, opened: int) -> None:
    text = draft.text
    newline = line_end(text)
    written = pretty(value, "  ", newline, opened=opened)
    if text.strip():  # comments
        between = "" if text.endswith("\n") else newline
        draft.insert(len(text), between + written + newline)
    else:
        draft.insert(0, written + ("" if text.startswith(("\n", "\r\n")) else newline))


def _add(draft: Draft, holder: Node, key: str | None, value: Any, opened: int = 0) -> None:
    """Append an entry to an object or an array, in the format of its neighbours."""
    text = draft.text
    root = parse(text)
    assert root is not None
    lead = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if "\n" not in text[root.start : root.end] and root.children:
        tight = ": " not in text
        piece = (lead.rstrip() if tight else lead) + compact(value, tight=tight)
        if not holder.children:
            draft.insert(holder.start + 1, piece)
        else:
            draft.insert(holder.children[-1].node.end, ("," if tight else ", ") + piece)
        return
    unit, newline = _unit(text, root) or "  ", line_end(text)
    margin = _margin(text, holder.start)
    inner = margin + unit
    last = holder.children[-1] if holder.children else None
    if last is not None and _opens_line(text, last.start):
        inner = _margin(text, last.start)
    piece = newline + inner + lead + pretty(value, unit, newline, inner, len(lead), opened)
    if last is None:
        between = text[holder.start + 1 : holder.end - 1]
        if "\n" in between:  # after the comments in the empty container
            at = holder.start + 1 + between.rindex("\n")
            draft.insert(at - 1 if text[at - 1] == "\r" else at, piece)
        else:
            draft.insert(holder.start + 1, piece + newline + margin)
        return
    if last.comma < 0:
        draft.insert(last.node.end, ",")
        behind = last.node.end + 1
    else:
        piece += ","  # keep the trailing comma
        behind = last.comma + 1
    found = _END_OF_LINE.match(draft.text, behind)
    assert found is not None
    # A comment at the end of the last entry's line stays with that entry.
    at = found.end() if draft.text[found.end() : found.end() + 1] in ("\r", "\n", "") else behind
    draft.insert(at, piece)


def _unit(text: str, node: Node, depth: int = 2) -> str:
    """Return the indentation of one level, from the first nested line of two levels; empty for none."""
    margin = _margin(text, node.start)
    for child in node.children if depth else ():
        if _opens_line(text, child.start):
            inner = _margin(text, child.start)
            if inner.startswith(margin) and len(inner) > len(margin):
                return inner[len(margin) :]
        if found := _unit(text, child.node, depth - 1):
            return found
    return ""


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _margin(text: str, at: int) -> str:
    line = text[_line_start(text, at) : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _opens_line(text: str, at: int) -> bool:
    return not text[_line_start(text, at) : at].strip(" \t")


def pretty(value: Any, unit: str, newline: str, margin: str = "", lead: int = 0, opened: int = 1) -> str:
    r"""Return a value as JSON, with each part on one line if it fits.

    Args:
        value: the value.
        unit: the indentation of one level.
        newline: the line end.
        margin: the indentation of the first line.
        lead: columns before the value on the first line.
        opened: outer levels that always get a line per entry.

    >>> pretty({"a": [1, 2]}, "  ", "\n")
    '{\n  "a": [1, 2]\n}'
    """
    short = compact(value)
    if not isinstance(value, dict | list) or not value:
        return short
    if opened <= 0 and len(margin) + lead + len(short) < WIDTH:
        return short
    inner = margin + unit
    begin, end = short[0], short[-1]
    entries = value.items() if isinstance(value, dict) else ((None, part) for part in value)
    parts = []
    for key, part in entries:
        name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
        parts.append(inner + name + pretty(part, unit, newline, inner, len(name), opened - 1))
    return begin + newline + f",{newline}".join(parts) + newline + margin + end


def compact(value: Any, *, tight: bool = False) -> str:
    """Return a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":") if tight else (", ", ": "))


def drop(text: str, path: Sequence[str | int]) -> str:
    """Return a text without the entry at a path of keys and array indices; comments stay.

    An object or array that is then empty, without comments, becomes `{}` or `[]`.
    """
    holder = _inside(text, path[:-1])
    keys = [child.key for child in holder.children]
    text = _cut(text, holder, keys.index(str(path[-1])))
    left = _inside(text, path[:-1])
    if not left.children and not text[left.start + 1 : left.end - 1].strip():
        text = text[: left.start + 1] + text[left.end - 1 :]
    return text


def _inside(text: str, path: Sequence[str | int]) -> Node:
    node = parse(text)
    for key in path:
        assert node is not None
        node = next(child.node for child in node.children if child.key == str(key))
    assert node is not None
    return node


def _cut(text: str, holder: Node, place: int) -> str:
    child = holder.children[place]
    start, end = child.start, child.node.end
    if child.comma >= 0:
        end = child.comma + 1
        gap = text[child.node.end : child.comma]
        if gap.strip():  # keep a comment between the value and its comma
            return text[:start] + gap + text[end:]
    begins = _line_start(text, start)
    rest = re.compile(r"[ \t]*(\r?\n)?").match(text, end)
    assert rest is not None
    whole_line = _opens_line(text, start) and rest.group(1) is not None
    if whole_line:
        start, end = begins, rest.end()
    elif child.comma >= 0:
        end = rest.end() if rest.group(1) is None else end
    text = text[:start] + text[end:]
    if child.comma < 0 and place:
        before = holder.children[place - 1]
        behind = text[before.comma + 1 : start]
        # The entry was the last: also remove the comma and blanks after the entry before it, but no comment.
        keep = behind if behind.strip() or whole_line else ""
        text = text[: before.comma] + keep + text[start:]
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
