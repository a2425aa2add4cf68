"""Projects of the panel; a memory is opened on first use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from remora.app.project.known_projects import KnownProject, known_projects
from remora.core.errors import NotFound

if TYPE_CHECKING:
    from remora.app.memory import Memory

MOST_OPEN = 8


class Projects:
    """The memories of a data folder, of which up to MOST_OPEN stay open. Thread-safe.

    Args:
        environ: the environment that names the data folder.
        opener: opens the memory of a folder.
        first: the memory that is shown first.
    """

    def __init__(self, environ: Mapping[str, str], opener: Callable[[str], Memory], first: Memory) -> None:
        self._environ = environ
        self._opener = opener
        self._lock = threading.Lock()
        self.first = first.home.name
        self._own = KnownProject(self.first, str(first.root), first.root.name)
        self._roots: dict[str, str] = {}
        self._open: dict[str, Memory] = {self.first: first}

    def known(self) -> list[KnownProject]:
        """Return all known projects, including the first."""
        found = known_projects(self._environ)
        self._roots.update((one.key, one.root) for one in found)
        return found if any(one.key == self.first for one in found) else [self._own, *found]

    def memory(self, key: str) -> Memory:
        """Return the memory of a project.

        Raises:
            NotFound: the project is unknown, or its folder does not exist.
        """
        with self._lock:
            if key not in self._open:
                self.known()
                root = self._roots.get(key, "")  # also of a project deleted since: opening it reports that
                if not root:
                    raise NotFound(
                        f"unknown project {key!r}", hint="Choose a project at the top of the page."
                    )
                self._open[key] = self._opener(root)
                if len(self._open) > MOST_OPEN:
                    oldest = next(one for one in self._open if one not in (self.first, key))
                    self._open.pop(oldest).close()
            return self._open[key]

    def close(self) -> None:
        """Close every memory."""
        with self._lock:
            for memory in self._open.values():
                with suppress(Exception):
                    memory.close()
            self._open = {}
