"""The rules of each language, by its name."""

from __future__ import annotations

from remora.graph import (
    extract_c,
    extract_csharp,
    extract_go,
    extract_java,
    extract_javascript,
    extract_php,
    extract_python,
    extract_ruby,
    extract_rust,
)
from remora.graph.extract_parts import Rules

RULES: dict[str, Rules] = {
    "python": extract_python.RULES,
    "javascript": extract_javascript.RULES,
    "typescript": extract_javascript.RULES,
    "tsx": extract_javascript.RULES,
    "rust": extract_rust.RULES,
    "go": extract_go.RULES,
    "java": extract_java.RULES,
    "c": extract_c.RULES,
    "cpp": extract_c.RULES,
    "csharp": extract_csharp.RULES,
    "ruby": extract_ruby.RULES,
    "php": extract_php.RULES,
}
