"""The rules of each language, by its name."""

from __future__ import annotations

from remora.graph import extract_javascript, extract_python
from remora.graph.extract_parts import Rules

RULES: dict[str, Rules] = {
    "python": extract_python.RULES,
    "javascript": extract_javascript.RULES,
    "typescript": extract_javascript.RULES,
    "tsx": extract_javascript.RULES,
}
