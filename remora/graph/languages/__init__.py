"""What differs between languages, one file a language: its syntax (`Rules`), imports and names (`Family`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.graph.languages import c, csharp, go, java, javascript, php, python, ruby, rust
from remora.graph.languages.naming import Entry, Family, Places

if TYPE_CHECKING:
    from remora.graph.languages.syntax import Rules

_LANGUAGES: dict[str, tuple[Rules, Family]] = {
    "python": (python.RULES, python.FAMILY),
    "javascript": (javascript.RULES, javascript.FAMILY),
    "typescript": (javascript.RULES, javascript.FAMILY),
    "tsx": (javascript.RULES, javascript.FAMILY),
    "rust": (rust.RULES, rust.FAMILY),
    "go": (go.RULES, go.FAMILY),
    "java": (java.RULES, java.FAMILY),
    "c": (c.RULES, c.FAMILY),
    "cpp": (c.RULES, c.FAMILY),
    "csharp": (csharp.RULES, csharp.FAMILY),
    "ruby": (ruby.RULES, ruby.FAMILY),
    "php": (php.RULES, php.FAMILY),
}

RULES = {name: rules for name, (rules, _) in _LANGUAGES.items()}
FAMILIES = {name: family for name, (_, family) in _LANGUAGES.items()}

__all__ = ["FAMILIES", "RULES", "Entry", "Family", "Places"]
