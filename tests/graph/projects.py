"""Small made-up projects for tests: texts to facts to links, or to an indexed memory."""

from __future__ import annotations

import atexit
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from remora import Memory
from remora.core.clock import FixedClock
from remora.graph.extract import extract
from remora.graph.grammars import language_of
from remora.graph.languages import FAMILIES
from remora.graph.names import ways_of
from remora.graph.packed import pack_outline
from remora.graph.resolve import Resolver
from remora.graph.roots import find_roots
from remora.graph.symbols import StoredSymbols
from remora.store.database import Database
from tests.helpers import NOW, environment
from tests.store.made_graphs import file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from remora.core.code import FileFacts, Link


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


@cache
def _database() -> Database:
    folder = TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Database(Path(folder.name) / "memory.db", realm="project", project_id="p1")


def symbols_of(facts: Mapping[str, FileFacts]) -> StoredSymbols:
    """Return the symbols of some files; they take the place of those that were asked for before."""
    db = _database()
    with db.connection.transaction(durable=False):
        db.graph.clear()
        for path, own in facts.items():
            language, package, definitions = (
                own.outline.language,
                own.outline.package,
                own.outline.definitions,
            )
            new = file(path, language=language, package=package, outline=pack_outline(own.outline))
            db.graph.set_names(db.graph.put_file(new, 1), ways_of(own, path))
            db.graph.put_nodes(new, definitions, 1)
    return StoredSymbols(db.graph)


class Project:
    """A project from the texts of its files."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.facts: dict[str, FileFacts] = {}
        for path, text in texts.items():
            language = language_of(path, text.encode())
            if language in FAMILIES:
                self.facts[path] = facts_of(text.encode(), language)
        self.roots = find_roots(sorted(texts), texts.get, [])
        self.symbols = symbols_of(self.facts)

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
