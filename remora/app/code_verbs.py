"""What a `Memory` says of code: each verb in one place, each delegating to one module."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from remora.app.checking import checked

if TYPE_CHECKING:
    from remora.app.code import Impacts
    from remora.app.semantic import SemanticReport
    from remora.app.wiring import Parts
    from remora.core.code import IndexReport
    from remora.core.values import FileHit
    from remora.graph.modules import ModuleInfo

Progress = Callable[[str, int, int], None]


@checked
class CodeVerbs:
    """The verbs of `Memory` that ask the code graph."""

    _parts: Parts
    _lock: threading.RLock
    notes: tuple[str, ...]

    def index(
        self, path: str | os.PathLike[str] | None = None, *, progress: Progress | None = None
    ) -> IndexReport:
        """Bring the code graph up to date: read what changed, forget what is gone.

        Args:
            path: a folder of the project; the whole project is indexed whichever it is.
            progress: called with (what, done, of) as the work goes on.

        Raises:
            InvalidInput: the path is not in the project.
            SourceError: the project's folder cannot be read.
        """
        from remora.app.code import index

        with self._lock:
            return index(self._parts, Path(path) if path is not None else None, progress=progress)

    def index_files(self, paths: Iterable[str | os.PathLike[str]]) -> IndexReport:
        """Bring some files up to date, as after an edit; paths from the root or absolute.

        Raises:
            InvalidInput: a path is empty or not in the project; then none is read.
        """
        from remora.app.arguments import paths as checked
        from remora.app.code import index_files

        with self._lock:
            return index_files(self._parts, checked("paths", list(paths), self._parts.project.root))

    def impact(self, target: str, depth: int = 3, *, limit: int = 200) -> Impacts:
        """Return what may break when something changes, nearest first.

        Args:
            target: "path/file.py", "path/file.py:Class.method", or a symbol's name if it is unique.
            depth: steps to follow, from 1 to 10.
            limit: how many results at most; the answer says when there is more.

        Returns:
            A list of `Impact` with `.target`, `.tests`, `.memories` and `.notes`.

        Raises:
            NotFound: nothing in the graph is called so.
            Conflict: several definitions are; the message names them.
        """
        from remora.app.code import impact

        with self._lock:
            return impact(self._parts, target, depth, limit)

    def watch(
        self, stop: threading.Event, said: Callable[[IndexReport], None], *, debounce_ms: int = 500
    ) -> None:
        """Follow the project's files and keep the graph true until `stop` is set.

        Args:
            stop: ends it, within a second.
            said: hears of the first run and of every round that changed something.
            debounce_ms: changes so close to each other are one round.
        """
        from remora.app.code import watch

        watch(self._parts, stop, said, debounce_ms=debounce_ms)

    def waiting_chunks(self) -> int:
        """Return how many parts of code have no vector yet."""
        with self._lock:
            return self._parts.room("project").space.chunks.pending_count()

    def predict_files(self, task: str, k: int = 10, *, tests: bool = False) -> list[FileHit]:
        """Return the files that a task will most likely touch, best first, each with its reasons.

        Args:
            task: what is to be done: an issue's text, a request, a commit message.
            k: how many files.
            tests: rank every file, tests too; else code, and other files that sessions or the branch changed.

        Raises:
            InvalidInput: the task is empty.
        """
        from remora.app.recall import predict_files

        with self._lock:
            found, self.notes = predict_files(self._parts, task, k, tests=tests)
            return found

    def modules(self) -> list[ModuleInfo]:
        """Return the modules of the code, largest first: files, purpose, hot files, memories about them."""
        from remora.app.code import modules

        with self._lock:
            return modules(self._parts)

    def describe_modules(
        self, modules: int = 20, *, calls: int = 40, seconds: float = 300.0, progress: Progress | None = None
    ) -> SemanticReport:
        """Let the language model describe modules of the code whose outline is new or changed.

        It sees names, signatures and first lines of docs, module by module, never the source. Without a
        model nothing is done, and the report says so; a model that fails ends the pass.

        Args:
            modules: how many to describe at most.
            calls: how often to ask at most; an answer that does not fit is asked for once more.
            seconds: how long at most.
            progress: called with ("describing", done, of).

        Raises:
            InvalidInput: a limit is not above 0.
        """
        from remora.app.semantic import describe

        with self._lock:
            return describe(self._parts, modules=modules, calls=calls, seconds=seconds, progress=progress)
