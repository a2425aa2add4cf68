"""Decode a rule file; parse its front matter, its globs and its imports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from remora.core.decoding import decode
from remora.core.fences import fence_after
from remora.core.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FRONT_LINES = 200

_TAG = re.compile(r"^\s*</?[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>\s*$")
_KEY = re.compile(r"^([A-Za-z_][\w-]*)\s*:(?:\s+(.*)|\s*)$")
_LIST_ITEM = re.compile(r"^\s*-\s+(.*)$")
_CODE_SPAN = re.compile(r"(?<!`)(`++).*?(?<!`)\1(?!`)")
_IMPORT = re.compile(r"(?<![\w@/`.\\-])@((?:\\ |[^\s`@,;()\[\]{}<>\"'|*])+)")
# Text written by `remora install` is not a rule of the project.
_OURS = re.compile(r"^<!-- remora:begin\b.*?^<!-- remora:end\b[^\n]*", re.DOTALL | re.MULTILINE)
_EVERYTHING = frozenset({"*", "**", "**/*", "**/**", "**/*.*", "*.*"})


class Text(NamedTuple):
    r"""A decoded file: the text after the front matter, its first line, and the front matter.

    Attributes:
        body: the text with "\n" line ends.
        first_line: the number of the body's first line.
        front: each key's values; a single value is a tuple of one.
        note: an irregularity of the encoding, "" if none.
    """

    body: str
    first_line: int
    front: Mapping[str, tuple[str, ...]]
    note: str

    def value(self, key: str) -> str:
        """Return the values of a key of the front matter as one text, empty if there are none."""
        return " ".join(self.front.get(key, ())).strip()


class Import(NamedTuple):
    """A file imported by a rule file."""

    line: int
    target: str


def read(raw: bytes) -> Text:
    """Return a file's text; UTF-8 is expected, UTF-16 recognized, Windows-1252 the last resort.

    The block of `remora install` is left out; the lines after it keep their numbers.

    Raises:
        ValueError: the bytes are not text.
    """
    text, note = decode(raw)
    text = clean(text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = _OURS.sub(lambda block: "\n" * block[0].count("\n"), text).split("\n")
    end = _front_end(lines)
    if end is None:
        return Text("\n".join(lines), 1, {}, note)
    return Text("\n".join(lines[end + 1 :]), end + 2, _front(lines[1:end]), note)


def _front_end(lines: list[str]) -> int | None:
    if not lines or lines[0].rstrip() != "---":
        return None
    closing = ("---", "...")
    return next((i for i in range(1, min(len(lines), FRONT_LINES)) if lines[i].rstrip() in closing), None)


def _front(lines: list[str]) -> dict[str, tuple[str, ...]]:
    """Read front matter line by line, because it is often not valid YAML."""
    found: dict[str, tuple[str, ...]] = {}
    key = ""
    for line in lines:
        if mark := _KEY.match(line):
            key = mark[1]
            value = (mark[2] or "").strip()
            found[key] = () if value in ("", "|", ">", "|-", ">-") else _values(value)
        elif key and (item := _LIST_ITEM.match(line)):
            found[key] += _values(item[1].strip())
        elif key and line.startswith((" ", "\t")) and line.strip():
            joined = " ".join((*found[key], line.strip()))
            found[key] = (joined,)
    return found


def _values(text: str) -> tuple[str, ...]:
    if text.startswith("[") and text.endswith("]"):
        return tuple(v for part in _commas(text[1:-1]) if (v := _unquote(part)))
    value = _unquote(text)
    return (value,) if value else ()


def _unquote(text: str) -> str:
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text.split(" #", 1)[0].strip()


def _commas(text: str) -> list[str]:
    """Return the comma-separated parts of a text, ignoring commas inside braces or quotes."""
    parts, depth, quote, current = [], 0, "", ""
    for sign in text:
        if sign in "\"'" and quote in ("", sign):
            quote = "" if quote else sign
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth <= 0 and not quote:
            parts.append(current)
            current = ""
        else:
            current += sign
    return [part.strip() for part in (*parts, current) if part.strip()]


def globs_of(front: Mapping[str, tuple[str, ...]], folder: str = "") -> tuple[str, ...]:
    """Return the globs a file applies to, from the root; empty if it applies to everything.

    Args:
        front: the front matter; the keys `globs`, `paths` and `applyTo` are read.
        folder: the parent of the rules folder; globs are relative to it.

    >>> globs_of({"globs": ("src/**/*.{ts,tsx}, docs/*",)}, "web")
    ('web/src/**/*.{ts,tsx}', 'web/docs/*')
    """
    written = [v for key in ("globs", "paths", "applyTo") for v in front.get(key, ())]
    parts = [_unquote(part) for value in written for part in _commas(value)]
    kept = [part.removeprefix("./").lstrip("/") for part in parts if not part.startswith("!")]
    if any(part in _EVERYTHING for part in kept):
        return ()
    inside = [f"{folder}/{part}" if folder and not part.startswith(f"{folder}/") else part for part in kept]
    return tuple(dict.fromkeys(part for part in inside if part))


def on_request(front: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether a host shows a file only if a person or the model asks for it.

    >>> on_request({"alwaysApply": ("false",)}), on_request({"alwaysApply": ("false",), "globs": ("*.py",)})
    (True, False)
    >>> on_request({"trigger": ("manual",)}), on_request({})
    (True, False)
    """
    always, trigger = (" ".join(front.get(key, ())).lower() for key in ("alwaysApply", "trigger"))
    return trigger in ("manual", "model_decision") or (always == "false" and not front.get("globs"))


def glob_folder(glob: str) -> str:
    """Return the common folder of a glob's files, "" for the root.

    >>> glob_folder("src/api/**/*.py"), glob_folder("*.md"), glob_folder("src/api/auth.py")
    ('src/api', '', 'src/api')
    """
    fixed = re.split(r"[*?{\[]", glob, maxsplit=1)[0]
    return fixed.rpartition("/")[0]


def imports_of(body: str, first_line: int = 1) -> Iterator[Import]:
    """Yield the `@path` imports of a text, not those inside code or comments."""
    fence = ""
    for number, line in enumerate(without_layout(body).split("\n"), first_line):
        inside, fence = fence, fence_after(line, fence)
        if not inside and not fence:
            for found in _IMPORT.finditer(_CODE_SPAN.sub(" ", line)):
                target = found[1].replace("\\ ", " ").rstrip(".:!?")
                if target:
                    yield Import(number, target)


def without_layout(text: str) -> str:
    r"""Return a text without HTML comments and stand-alone tags outside code, with the same line numbers.

    An unclosed comment is text.

    >>> without_layout("a <!-- x\ny --> b")
    'a \n b'
    """
    parts: list[str] = []
    fence = ""
    inside = False
    last = text.count("\n", 0, text.rfind("-->") + 1) if "-->" in text else -1
    for number, line in enumerate(text.split("\n")):
        code, kept = fence, line
        fence = fence if inside else fence_after(line, fence)
        if not code and not fence and (inside or number <= last):
            kept, inside = _strip_comment(line, inside)
            inside = inside and number < last
        parts.append("" if not fence and _TAG.match(kept) else kept)
    return "\n".join(parts)


def _strip_comment(line: str, inside: bool) -> tuple[str, bool]:
    kept = ""
    while line:
        if inside:
            _, found, line = line.partition("-->")
            inside = not found
        else:
            head, found, line = line.partition("<!--")
            kept += head
            inside = bool(found)
    return kept, inside
