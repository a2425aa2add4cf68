"""Module naming of each language: one family a module, found by language."""

from __future__ import annotations

from remora.graph.imports import c, csharp, go, javascript, jvm, php, python, ruby, rust
from remora.graph.imports.base import Entry, Family, Places

FAMILIES: dict[str, Family] = {
    "python": python.FAMILY,
    "javascript": javascript.FAMILY,
    "typescript": javascript.FAMILY,
    "tsx": javascript.FAMILY,
    "go": go.FAMILY,
    "rust": rust.FAMILY,
    "java": jvm.FAMILY,
    "c": c.FAMILY,
    "cpp": c.FAMILY,
    "csharp": csharp.FAMILY,
    "ruby": ruby.FAMILY,
    "php": php.FAMILY,
}

__all__ = ["FAMILIES", "Entry", "Family", "Places"]
