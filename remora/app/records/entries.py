"""The notes and archives of a project as users access them: `memory.entries`."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import TYPE_CHECKING

from remora.app.records.note_index import follow_written
from remora.core.argument_types import checked
from remora.core.errors import InvalidInput, NotFound
from remora.core.secrets import redact
from remora.lifecycle.redaction import holds_secret

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remora.app.project.open_project import OpenProject
    from remora.core.values import Entry, Redaction
    from remora.entries.store import EntryStore


@checked
class Entries:
    """Notes, and archives of compacted conversations, by name or alias.

    A change is on disk when its method returns. Secrets are removed from written content.

    Attributes:
        redactions: secrets removed by the last change, by kind.
    """

    def __init__(self, project: OpenProject) -> None:
        self._project = project
        self._lock = project.lock
        self.redactions: tuple[Redaction, ...] = ()

    def add(self, name: str, content: str, *, kind: str = "note", aliases: Sequence[str] = ()) -> Entry:
        """Add an entry under a new name.

        Raises:
            InvalidInput: a name or the kind is invalid.
            Conflict: a name is taken; the message names the entry.
        """
        names = _names(name, *aliases)
        with self._lock:
            return self._store().add(names[0], self._clean(content), kind, tuple(names[1:]))

    def rename(self, name: str, new_name: str) -> Entry:
        """Rename an entry; the old name becomes an alias."""
        with self._lock:
            return self._store().rename(*_names(name, new_name))

    def alias(self, name: str, alias: str) -> Entry:
        """Add an alias to an entry."""
        with self._lock:
            return self._store().alias(*_names(name, alias))

    def unalias(self, name: str, alias: str) -> Entry:
        """Remove an alias of an entry."""
        with self._lock:
            return self._store().unalias(*_names(name, alias))

    def write(self, name: str, content: str) -> Entry:
        """Replace the content of an entry."""
        with self._lock:
            return self._store().write(_names(name)[0], self._clean(content))

    def remove(self, name: str) -> Entry:
        """Delete an entry and its aliases, also from the search index, and return the deleted entry."""
        with self._lock:
            gone = self._store().remove(_names(name)[0])
            follow_written(self._project)
            self._project.db.connection.scrub()
            return gone

    def show(self, name: str) -> Entry:
        """Return the entry with a name or alias.

        Raises:
            NotFound: there is none.
        """
        with self._lock:
            found = self._project.entries().get(_names(name)[0])
        if found is None:
            raise NotFound(
                f"there is no note or archive {name!r}", hint="`remora note list` shows the names."
            )
        return found

    def list(self, kind: str | None = None) -> list[Entry]:
        """Return the entries, or those of a kind ("note", "archive"), in order of creation."""
        with self._lock:
            return self._project.entries().entries(kind)

    def search(
        self, query: str, k: int = 10, *, kind: str | None = None
    ) -> builtins.list[tuple[Entry, float]]:
        """Return entries with words of a query in name or content, and their BM25 scores, best first.

        `Memory.search` finds them too, by meaning and among all other results.
        """
        with self._lock:
            return self._project.entries().search(query, k, kind)

    def dump(self, folder: str | Path) -> int:
        """Write every entry as a Markdown file below a folder, and return their number.

        Raises:
            InvalidInput: a name cannot be a file name; nothing was written.
            Conflict: the folder holds notes or archives that no dump wrote; nothing was changed.
        """
        from remora.entries.dump import dump

        with self._lock:
            return dump(self._project.entries(), Path(folder))

    def load(self, folder: str | Path) -> int:
        """Replace all entries by those of a dumped folder, and return their number; an error changes nothing.

        Raises:
            NotFound: the folder has neither notes nor archives.
            InvalidInput: a file is not text, or its name cannot be that of an entry.
            Conflict: two files have the same name or alias.
        """
        from remora.entries.dump import load

        with self._lock:
            number = load(self._store(), Path(folder), self._clean)
            follow_written(self._project)
            self._project.db.connection.scrub()
            return number

    def _store(self) -> EntryStore:
        self._project.store("project")  # raises if the memory is closed
        self._project.must_be_writable()
        return self._project.entries()

    def _clean(self, content: str) -> str:
        clean = redact(content)
        self.redactions = clean.redactions
        return clean.text


def _names(*names: str) -> tuple[str, ...]:
    if not all(isinstance(name, str) for name in names):
        raise InvalidInput("aliases must be a list of texts")
    if any(map(holds_secret, names)):
        raise InvalidInput("a name holds a secret", hint="Give it a name that can be stored.")
    return names
