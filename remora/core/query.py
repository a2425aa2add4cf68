"""Classify a query and find the paths it names; the class sets the weights of the candidate paths."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from remora.core.text import MAX_QUERY_CHARS

GRAPH_TOOLS = frozenset({"analyzeImpact", "getDependencies", "analyze_impact", "get_dependencies"})

_CAMEL = re.compile(r"[a-z][A-Z]")
_SNAKE = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]|^_+[A-Za-z]")
_RUN = re.compile(r"[\w.@/-]+")  # all characters of a path; read once, so that it is linear
_CALL = re.compile(r"\w\(\)|\w::\w|\w\.\w+\(")
_SLASHED_WORDS = re.compile(r"^[A-Za-z]+(?:/[A-Za-z]+)+$")
# "cmd/a.go:12:3: ", "src/a.ts(3,5): ": the position in a message of a compiler or a linter.
_PLACE = re.compile(
    r"^[ \t]*[\w.@~/\\:-]{0,300}?\.\w{1,8}(?::\d+(?::\d+)?|\(\d+,\d+\))(?::| -)[ \t]+(?=\S)", re.MULTILINE
)
# Endings that make "name.ending" a file and not the end of a sentence or an abbreviation.
_FILE_ENDINGS = frozenset(
    """c cc cfg conf cpp cs css csv env go gradle h hpp html ini ipynb java js json jsx kt lock lua md
    mdc mjs php pl proto py pyi rb rs rst scala sh sql svelte swift tf toml ts tsx txt vue xml yaml
    yml zig""".split()
)


class PathWeights(NamedTuple):
    """The weight of each candidate path in the fusion; they sum to 1 (section 7)."""

    fts: float
    dense: float
    graph: float


WEIGHTS: dict[str, PathWeights] = {
    "identifier": PathWeights(0.5, 0.2, 0.3),
    "semantic": PathWeights(0.25, 0.5, 0.25),
    "structural": PathWeights(0.25, 0.15, 0.6),
}


def named_paths(text: str) -> tuple[str, ...]:
    """Return the file paths and file names that a text mentions, in order, each once.

    "and/or" and "24/7" are not paths, "done.Next" is not a file, and an address (https://…) is neither.

    >>> named_paths("why does src/auth/tokens.py and/or settings.toml fail? I am done.Next")
    ('src/auth/tokens.py', 'settings.toml')
    """
    head = text[:MAX_QUERY_CHARS]
    if not any("/" in run or "." in run[:-1] for run in _RUN.findall(head)):
        return ()
    found = []
    for match in _RUN.finditer(head):
        if match[0].startswith("//") and head[match.start() - 1 : match.start()] == ":":
            continue
        found += [path for part in match[0].split("//") if _is_path(path := part.strip("/").rstrip("./-"))]
    return tuple(dict.fromkeys(found))


def without_places(text: str) -> str:
    """Return a text without the file positions before messages of compilers and linters.

    >>> without_places("cmd/a.go:12:3: error is not nil (nilerr)"), without_places("see a.go:12")
    ('error is not nil (nilerr)', 'see a.go:12')
    """
    return _PLACE.sub("", text)


def _is_path(path: str) -> bool:
    if "/" in path:
        words_only = _SLASHED_WORDS.match(path) and path.count("/") == 1
        return not words_only and any(c.isalpha() for c in path)
    stem, dot, ending = path.rpartition(".")
    return bool(dot and stem.strip(".") and "@" not in path) and ending.lower() in _FILE_ENDINGS


def detect_type(text: str, recent_tools: Sequence[str] = ()) -> str:
    """Return "identifier", "structural" or "semantic" (section 7).

    An identifier is a camelCase or snake_case name, a call, or a file path. Identifier wins over
    structural. Unlike the original implementation, a full stop alone does not make an identifier.

    >>> [detect_type(q) for q in ("getUserProfile", "package.json", "How do tokens expire. Please.")]
    ['identifier', 'identifier', 'semantic']
    >>> detect_type("dependencies", ["analyzeImpact"])
    'structural'
    """
    head = text[:MAX_QUERY_CHARS]
    if _CAMEL.search(head) or _SNAKE.search(head) or _CALL.search(head) or named_paths(head):
        return "identifier"
    if any(tool in GRAPH_TOOLS for tool in recent_tools):
        return "structural"
    return "semantic"
