"""Parse the parameters of functions from their signatures."""

from __future__ import annotations

import re
from functools import lru_cache

from remora.graph.extract_parts import split_top

_WORD = re.compile(r"[^\W\d]\w*")
# Where a parameter's type stands before its name.
_NAME_LAST = frozenset(("java", "c", "cpp", "csharp", "php"))


def split_signature(signature: str, name: str) -> tuple[str, str, str]:
    """Return the text before a function's parameters, the parameters, and the text after them."""
    at = signature.find(name + "(")
    start = at + len(name) if at >= 0 else signature.find("(", max(0, signature.find(name)))
    if start < 0:
        return signature, "", ""
    depth = 0
    for index in range(start, len(signature)):
        letter = signature[index]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if not depth:
                return signature[:start], signature[start + 1 : index], signature[index + 1 :]
    return signature[:start], signature[start + 1 :], ""


@lru_cache(maxsize=20_000)
def parameters(signature: str, name: str, language: str) -> frozenset[str]:
    """Return the names of a function's parameters.

    >>> sorted(parameters("def f(self, a, *rest, b: int = 3) -> X", "f", "python"))
    ['a', 'b', 'rest', 'self']
    >>> sorted(parameters("static int f(const char *name, int n)", "f", "c"))
    ['n', 'name']
    """
    inside = split_signature(signature, name)[1]
    found = set()
    for part in split_top(inside, ","):
        part = part.split("=")[0]
        words = _WORD.findall(part if language in _NAME_LAST else part.split(":")[0])
        if words:
            found.add(words[-1] if language in _NAME_LAST else _first(words, language))
    return frozenset(found)


def _first(words: list[str], language: str) -> str:
    skipped = ("mut", "ref", "public", "private", "protected", "readonly", "override")
    if language in ("javascript", "typescript", "tsx", "rust"):
        return next((word for word in words if word not in skipped), words[0])
    return words[0]
