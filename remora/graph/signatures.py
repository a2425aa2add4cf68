"""Parse parameters and return types from signatures: the data about a function that other files use."""

from __future__ import annotations

import re
from functools import lru_cache

from remora.graph.extract_parts import plain_type, split_top

_ARROW = re.compile(r"->\s*(.+)$", re.DOTALL)
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


@lru_cache(maxsize=20_000)
def return_type(signature: str, name: str, language: str) -> str:
    """Return the named return type of a function, as written; "" if there is none.

    >>> return_type("def f(x) -> Optional[Foo]", "f", "python")
    'Foo'
    >>> return_type("func (s *Server) Open(p string) (*Conn, error)", "Open", "go")
    'Conn'
    >>> return_type("public Foo make(int n)", "make", "java")
    'Foo'
    """
    before, _, after = split_signature(signature, name)
    after = after.strip().rstrip("{;").strip()
    if language in ("python", "rust"):
        found = _ARROW.search(after)
        text = found[1].split(" where ")[0].rstrip(": ") if found else ""
    elif language in ("typescript", "tsx", "php"):
        text = after[1:].removesuffix("=>").strip() if after.startswith(":") else ""
    elif language == "go":
        inner = after[1:].split(")")[0] if after.startswith("(") else after
        text = split_top(inner, ",")[0].strip()
        if text.startswith(("[", "map", "func", "chan", "<-")):
            text = ""
        text = text.rpartition(" ")[2]
    elif language in ("java", "c", "cpp", "csharp"):
        head = before.rpartition(name)[0] if before.endswith(name) else before
        head = re.sub(
            r"@\w+(?:\([^)]{0,200}\))?|\b(?:public|private|protected|internal|static|final|abstract|synchronized|override|"
            r"virtual|async|sealed|extern|inline|constexpr|default|native|partial|new|unsafe|template\s*<[^>]{0,200}>)\b",
            " ",
            head,
        ).strip()
        text = head.removesuffix("::").strip()
        text = re.sub(r"(?<!\s)\s+[\w:<>]+::$", "", head).strip() if head.endswith("::") else text
        if text.startswith("<"):
            text = re.sub(r"^<[^>]*>\s*", "", text)
    else:
        return ""
    return "Self" if text.strip("\"'& ") in ("Self", "static", "self", "this") else plain_type(text)
