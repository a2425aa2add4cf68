"""Read one file for the graph: its stored facts, or the reason for skipping it.

This module does not use the database. Secrets are removed before any other step sees the text, so that
neither a chunk nor a signature can hold one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from remora.core.budget import FILE_SECONDS, within
from remora.core.code import Chunk, FileFacts, Listed, hash_of
from remora.core.errors import SourceError
from remora.core.secrets import redact
from remora.core.skip import FAILED, sparing
from remora.core.values import Skipped
from remora.graph.chunks import chunks
from remora.graph.components import COMPONENTS, LANGUAGE, script_of
from remora.graph.extract import extract
from remora.graph.grammars import LANGUAGES, language_of
from remora.graph.packed import pack_outline, pack_uses
from remora.graph.test_files import is_test_path
from remora.store.graph import NewFile

HEAD_BYTES = 65_536  # what tells the language of a file whose name does not
PARSE_SECONDS = 5.0  # for one file; the slowest real ones take a tenth of it

Read = Callable[[str], "bytes | str"]


class Refused(NamedTuple):
    """The reason for skipping a file; `again` if it may pass without a change of the file.

    `hash` is that of its content, "" if that was not read.
    """

    why: str
    again: bool = False
    hash: str = ""


class Parsed(NamedTuple):
    """A file after reading, before it is written."""

    file: NewFile
    facts: FileFacts | None
    parts: list[Chunk]


class FileReader(NamedTuple):
    """Reads the files of one project.

    Attributes:
        read: returns the bytes of a path, or the reason for skipping it.
        decode: bytes to text.
        unwanted: returns the reason for skipping a file by its bytes (generated, minified), or "".
        module_of: the module of a path.
    """

    read: Read
    decode: Callable[[bytes], str]
    unwanted: Callable[[str, bytes], str]
    module_of: Callable[[str], str]

    def text(self, path: str) -> str | None:
        """Return a file's text, None if it cannot be read."""
        data = self.read(path)
        return None if isinstance(data, str) else self.decode(data)

    def parse(self, item: Listed) -> Parsed | Refused:
        """Return a file's content ready for writing, or the reason for skipping it; it never fails."""
        failed: list[Skipped] = []
        gone = (SourceError,)  # of the whole folder
        with sparing(item.path, failed, f"{FAILED} be read: ", gone), within(FILE_SECONDS, time.thread_time):
            return self._parse(item)
        return Refused(failed[0].why)

    def _parse(self, item: Listed) -> Parsed | Refused:
        data = self.read(item.path)
        if isinstance(data, str):
            return Refused(data, again=True)
        hashed = hash_of(data)
        if why := self.unwanted(item.path, data):
            return Refused(why, hash=hashed)
        language = language_of(item.path, data[:HEAD_BYTES])
        if language is None:
            return Refused("unknown kind", hash=hashed)
        kind = LANGUAGES[language].kind
        text, redactions = redact(self.decode(data), keep_lines=True)
        if redactions:
            data = text.encode("utf-8", "replace")
        facts = None
        parsed, source = (LANGUAGE, script_of(data)) if language in COMPONENTS else (language, data)
        if LANGUAGES[parsed].queries:
            failed: list[Skipped] = []
            with sparing(item.path, failed, f"{FAILED} be parsed: "):
                deadline = time.monotonic() + PARSE_SECONDS
                facts = extract(source, parsed, lambda: time.monotonic() > deadline)
            if failed:
                return Refused(failed[0].why, hash=hashed)
        lines = facts.lines if facts else text.count("\n") + 1
        file = NewFile(
            item.path,
            kind,
            language,
            facts.outline.package if facts else "",
            self.module_of(item.path),
            is_test_path(item.path),
            item.size,
            item.mtime_ns,
            hashed,
            lines,
            facts.errors if facts else 0,
            "",
            pack_outline(facts.outline) if facts else None,
            pack_uses(facts.uses) if facts else None,
        )
        return Parsed(file, facts, chunks(item.path, text, facts, kind))
