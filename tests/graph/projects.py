"""Small made-up projects for tests: texts to facts to links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.graph.extract import extract_with_tree
from remora.graph.imports import FAMILIES
from remora.graph.languages import language_of
from remora.graph.memory_symbols import MemorySymbols
from remora.graph.resolve import Resolver
from remora.graph.roots import find_roots

if TYPE_CHECKING:
    from collections.abc import Mapping

    from remora.core.code import FileFacts, Link


def facts_of(source: bytes, language: str) -> FileFacts:
    """Return the facts of one file."""
    return extract_with_tree(source, language)[0]


class Project:
    """A project from the texts of its files."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.facts: dict[str, FileFacts] = {}
        for path, text in texts.items():
            language = language_of(path, text.encode())
            if language in FAMILIES:
                self.facts[path] = facts_of(text.encode(), language)
        self.roots = find_roots(sorted(texts), texts.get)
        self.symbols = MemorySymbols({path: facts.outline for path, facts in self.facts.items()})

    def links(self, path: str) -> list[Link]:
        """Return the edges out of a file."""
        return Resolver(self.symbols, self.roots).links(path, self.facts[path])

    def targets(self, path: str, kind: str, source: str | None = None) -> dict[str, float]:
        """Return the targets of the edges of a kind from a file or from one of its definitions."""
        key = path if source is None else f"{path}:{source}"
        return {e.to_key: e.confidence for e in self.links(path) if e.type == kind and e.from_key == key}

    def imports(self, path: str) -> list[str]:
        """Return the files that a file imports."""
        return sorted(self.targets(path, "imports"))

    def calls(self, path: str, source: str | None = None) -> dict[str, float]:
        """Return the definitions that a file's top level or a definition calls."""
        return {key: sure for key, sure in self.targets(path, "calls", source).items() if ":" in key}
