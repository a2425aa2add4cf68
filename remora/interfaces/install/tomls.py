"""Add or remove a marked block with one table in a TOML file, and verify the result by parsing it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from remora.graph.manifests import too_dotted
from remora.interfaces.install.insertions import Block, Broken, Draft

_PLACE = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)")


def parse(text: str) -> dict[str, Any]:
    """Return the document of a TOML text.

    Raises:
        Broken: the text is not TOML, or has keys with too many parts.
    """
    if too_dotted(text):
        raise Broken("a key has too many parts", text, 0)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.search(str(error))
        at = len(text)
        if found is not None and found.group(1):
            lines = text.splitlines(keepends=True)
            at = sum(map(len, lines[: int(found.group(1)) - 1])) + int(found.group(2)) - 1
        raise Broken(_PLACE.sub("", str(error)).strip(), text, at) from None


def table(path: Sequence[str], values: Mapping[str, str | Sequence[str]]) -> str:
    """Return a TOML table of strings and lists of strings.

    >>> print(table(["a", "b"], {"c": "d", "e": ["f"]}))
    [a.b]
    c = "d"
    e = ["f"]
    """
    lines = [f"[{'.'.join(path)}]"]
    for key, value in values.items():
        # A JSON string is a TOML basic string, except that JSON does not escape DEL.
        written = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        lines.append(f"{key} = {written}")
    return "\n".join(lines)


def value_at(found: Any, path: Sequence[str]) -> Any:
    """Return the value at a path of keys; None if there is none."""
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def add(draft: Draft, block: Block, path: Sequence[str]) -> None:
    """Append a block with one table, which is not there yet, to a TOML text.

    Raises:
        Broken: the text is not TOML, or cannot have the table.
    """
    parse(draft.text)
    attempt = Draft(draft.text)
    block.add(attempt)
    try:
        tomllib.loads(attempt.text)
    except tomllib.TOMLDecodeError:
        what = f"[{'.'.join(path)}] conflicts with the other tables"
        raise Broken(what, draft.text, len(draft.text)) from None
    block.add(draft)


def removed(text: str, block: Block, path: Sequence[str]) -> str | None:
    """Return a TOML text without its block; None if only the head of the block is left.

    Raises:
        Broken: the text is not TOML, or something else was written between the markers.
    """
    span = block.span(text)
    inside = {} if span is None else parse(text[span[0] : span[1]])
    for key in path:
        if set(inside) != {key}:
            raise Broken(f"[{'.'.join(path)}] has other tables between its marker lines", text, 0)
        inside = inside[key]
    return block.removed(text)
