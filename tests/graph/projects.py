"""Small made-up projects for tests: texts to facts to links, or to an indexed memory."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from remora import Memory
from remora.core.clock import FixedClock
from remora.graph.extract import extract
from remora.graph.grammars import language_of
from remora.graph.languages import FAMILIES
from remora.graph.resolve import Resolver
from remora.graph.roots import find_roots
from tests.graph.memory_symbols import MemorySymbols
from tests.helpers import NOW, environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from remora.core.code import FileFacts, Link
    from remora.store.database import Database


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files below a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")


@contextmanager
def indexed(folder: Path, files: Mapping[str, str]) -> Iterator[Memory]:
    """Open the memory of a project of some files, indexed, under a standing clock."""
    write(folder / "shop", files)
    with Memory.open(folder / "shop", environ=environment(folder), clock=FixedClock(NOW)) as memory:
        memory.index()
        yield memory


def db_of(memory: Memory) -> Database:
    """Return the project's database."""
    return memory._project.db


def facts_of(source: bytes, language: str) -> FileFacts:
    """Return the facts of one file."""
    return extract(source, language)


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
