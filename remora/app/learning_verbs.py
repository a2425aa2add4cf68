"""What a `Memory` takes in that others left: each verb in one place, each delegating to one module."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from remora.app.arguments import paths
from remora.app.checking import checked
from remora.core.errors import InvalidInput, StoreReadOnly

if TYPE_CHECKING:
    from remora.app.learn import LearnReport
    from remora.app.memory import Memory
    from remora.app.move_in import MoveReport
    from remora.app.observing import Watched
    from remora.app.promoting import Learnt
    from remora.app.reflecting import Reflection
    from remora.app.shipped import Shipped
    from remora.app.wiring import Parts
    from remora.checks.suggest import Suggestion
    from remora.core.values import Hit, InitReport, MemoryRecord

Progress = Callable[[str, int, int], None]
Paths = Sequence[str | os.PathLike[str]]


@checked
class LearningVerbs:
    """The verbs of `Memory` that read what is there already, and learn from what agents did."""

    _parts: Parts
    _lock: threading.RLock

    def init(
        self, path: str | os.PathLike[str] | None = None, *, progress: Progress | None = None
    ) -> InitReport:
        """Read what is already there: rule files and git history. Running it again changes nothing.

        Args:
            path: a folder of the project; the project's root by default.
            progress: called with (what, done, of) as the work goes on.
        """
        from remora.app.day_one import init

        with self._lock:
            return init(self._parts, Path(path) if path is not None else None, progress)

    def reflect(self, session_id: str | None = None) -> Reflection:
        """Return the evidence of a session and what to make of it, for a model that then records memories.

        Args:
            session_id: the host's own id of a session, or its beginning; the one written to last by default.

        Raises:
            NotFound: this machine has no transcript of the session that was asked for.
        """
        from remora.app.reflecting import reflect

        with self._lock:
            return reflect(self._parts, session_id)

    def import_shipped(self) -> tuple[Shipped, int]:
        """Take over the memories that came with the repository, as text from outside that waits for review.

        Returns:
            What there was, and how many of them are new.

        Raises:
            NotFound: no memory came with it.
            StoreError: its database cannot be read.
        """
        from remora.app.shipped import take_over

        with self._lock:
            return take_over(self._parts)

    def learn(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        hosts: Sequence[str] | None = None,
        again: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> LearnReport:
        """Learn from what agents did: read their transcripts, keep what is worth keeping.

        Running it again reads what is new or has grown. What was edited or forgotten since stays so.

        Args:
            path: a transcript, or a folder of them; those of this project on this machine by default.
            hosts: "claude-code", "codex" or "plain"; all by default.
            again: also read what has not changed since it was read.
            dry_run: only say what would be learnt.
            progress: called with (what, done, of) as the work goes on.

        Raises:
            NotFound: there is no such file or folder.
            InvalidInput: there is no such host.
            SourceError: a file was named that is nobody's transcript.
        """
        from remora.app.learn import learn

        if self._parts.read_only:
            raise StoreReadOnly("this memory was opened for reading only", hint="Open it for writing.")
        with self._lock:
            where = Path(path).expanduser() if path is not None else None
            return learn(self._parts, where, hosts, again=again, dry_run=dry_run, progress=progress)

    def learned(self, run: int | None = None) -> list[Learnt]:
        """Return what a run of `learn` added or changed and is still there; the last one by default.

        Raises:
            NotFound: there is no such run.
        """
        from remora.app.learn import learned

        with self._lock:
            return learned(self._parts, run)

    def observe(
        self, session_id: str, host: str, *, subtasks: int = 0, methodology: str = "native"
    ) -> Watched:
        """Watch a session while it runs: hand its events in, and say how it ended.

        Args:
            session_id: the host's own id of the session, as its transcript has it.
            host: "claude-code", "codex", or what your program calls itself.
            subtasks: how many the build has; with more than five it is promoted after each.
            methodology: whose units of work they are.
        """
        from remora.app.observing import Watched

        return Watched(self._parts, session_id, host, subtasks=subtasks, methodology=methodology)

    def quotes(self, limit: int = 20, *, session_id: str | None = None) -> list[Hit]:
        """Return what a person said in sessions and what was kept of it, newest first, as hits of a search.

        Args:
            limit: how many at most.
            session_id: only of this session, by the host's own id or as "host:id".
        """
        from remora.app.quoting import quotes

        with self._lock:
            return quotes(self._parts, limit, session_id)

    def remove_quote(self, quote_id: str) -> str:
        """Delete a quote for good, also when its session is learnt again; returns its words.

        Raises:
            NotFound: there is no such quote.
        """
        from remora.app.quoting import remove

        if self._parts.read_only:
            raise StoreReadOnly("this memory was opened for reading only", hint="Open it for writing.")
        with self._lock:
            return remove(self._parts, quote_id)

    def keep_quote(self, /, quote_id: str, **fields: Any) -> MemoryRecord:
        """Make a memory of a quote: a person says that it holds.

        Args:
            quote_id: such as "q12".
            **fields: what `remember` takes besides the text.

        Raises:
            NotFound: there is no such quote.
            InvalidInput: it cannot be stored.
        """
        from remora.app.quoting import find

        with self._lock:
            row = find(self._parts, quote_id)
        said = {"source": "user_taught", "session_id": row.path.rpartition(":")[2], **fields}
        return cast("Memory", self).remember(row.content, **said)

    def suggest_commands(
        self, k: int = 5, *, task: str = "", files: Paths = (), purposes: Sequence[str] = ()
    ) -> list[Suggestion]:
        """Return the commands to check work with, best first: what sessions ran, and what the project names.

        Rule files and files of tasks are read as they are now; what names a file or task that is gone is
        left out.

        Args:
            k: how many.
            task: what is worked on; the files that it names stand for `files` where none are given.
            files: what was edited; checks of the folder that holds all of it come first, those of other
                folders and other files last, and what rule files and tasks of the folders above name is told.
            purposes: of "format", "lint", "test", "build"; all by default.
        """
        from remora.checks.named import named_checks
        from remora.checks.standing import stands
        from remora.checks.suggest import suggest
        from remora.core.programs import CHECKS

        wrong = sorted(set(purposes) - set(CHECKS))
        if wrong:
            raise InvalidInput(f"there is no purpose {wrong[0]!r}", hint=f"Choose of {', '.join(CHECKS)}.")
        with self._lock:
            space = self._parts.room("project").space
            root = self._parts.project.root
            words = (word.strip("`'\",.:;()") for word in task.split())
            named_files = [word for word in words if os.path.isfile(root / word)]  # noqa: PTH113  a Path's may fail
            given = paths("files", files or named_files, root)
            asked = tuple(purposes) or CHECKS
            named = named_checks(root, given)

            def had(path: str) -> bool:
                return space.observed.had(path) or space.history.had(path)

            return suggest(
                space,
                k,
                files=given,
                purposes=asked,
                named=named,
                stands=lambda command: stands(root, command, had),
            )

    def move_in(
        self,
        path: str | os.PathLike[str],
        system: str | None = None,
        *,
        project: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> MoveReport:
        """Bring over what another memory system left on disk; its files are only read.

        Running it again brings over what is new, and the newer text of what came before. What was edited or
        forgotten here since stays so.

        Args:
            path: a file or a folder of the other system.
            system: whose it is; found out from what is in it by default.
            project: of which project, where the other system keeps several in one database.
            dry_run: only say what there is.
            progress: called with (what, done, of) as the work goes on.

        Raises:
            NotFound: there is nothing at the path, or nothing that can be read.
            InvalidInput: it may be of several systems; the message names them.
        """
        from remora.app.move_in import move_in

        with self._lock:
            if not dry_run and self._parts.read_only:
                raise StoreReadOnly("this memory was opened for reading only", hint="Open it for writing.")
            return move_in(
                self._parts,
                Path(path).expanduser(),
                system,
                project=project,
                dry_run=dry_run,
                progress=progress,
            )
