"""The journal of a project as users access it: `memory.journal`.

MEMORY.md and the daily notes are meant for an agent's prompt, HISTORY for look-ups. All are files that a
person may edit at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.core.argument_types import checked
from remora.core.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date
    from pathlib import Path

    from remora.app.project.open_project import OpenProject
    from remora.app.records.consolidation import Consolidation
    from remora.core.history_entries import HistoryEntry
    from remora.journal.files import Journal as Files
    from remora.journal.files import Reading
    from remora.journal.versions import KeptFile


@checked
class Journal:
    """MEMORY.md, HISTORY and the daily notes of a project.

    Attributes:
        problems: files or parts that the last call could not read.
    """

    def __init__(self, project: OpenProject, search: Callable[[str, str], str] | None = None) -> None:
        self._project = project
        self._lock = project.lock
        self._search = search
        self.problems: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        return self._project.memory_folder

    def block(self, task: str | None = None) -> str:
        """Return the `# Memory` block of a system prompt; empty if it has no content.

        It holds long-term memory, the notes of today and the days before, and for a task the search results
        that the files lack. Secrets are removed.
        """
        from remora.journal.block import read_block

        with self._lock:
            files, settings = self._project.journal(), self._project.settings.journal
            block = read_block(files, settings)
            if task and self._search is not None:
                block = read_block(files, settings, self._search(task, redact(block.text).text))
            self.problems = block.problems
            return redact(block.text).text

    def show(self) -> str:
        """Return the text of MEMORY.md; empty if there is none."""
        return self._text(self._project.journal().read_memory())

    def write(self, content: str) -> bool:
        """Replace the text of MEMORY.md and return whether it changed; the earlier text is kept."""
        return self._files().write_memory(redact(content).text)

    def versions(self) -> list[KeptFile]:
        """Return the earlier texts of MEMORY.md, newest first."""
        return self._project.journal().versions()

    def restore(self, name: str) -> bool:
        """Restore an earlier text of MEMORY.md; the present one is kept.

        Raises:
            NotFound: no version has that name.
        """
        return self._files().restore_version(name)

    def note(self, user: str, assistant: str, *, at: float | None = None, own_words: bool = True) -> str:
        """Add an exchange to its day's note and return the line; empty if there was no answer.

        Args:
            user: the user's message.
            assistant: the final answer.
            at: time in seconds since the epoch; now by default.
            own_words: whether the answer is the assistant's message; otherwise it is a fact of the session.
        """
        if not self._project.settings.journal.enabled:
            return ""
        who = "Assistant" if own_words else "Session"
        said, answer = redact(user).text, redact(assistant).text
        return self._files().append_today(said, answer, at, who=who)

    def today(self) -> str:
        """Return today's notes; empty if there are none."""
        return self.day(self._project.journal().moment().date())

    def day(self, day: date) -> str:
        """Return the notes of a day; empty if there are none."""
        return self._text(self._project.journal().read_day(day))

    def days(self) -> list[date]:
        """Return the days that have notes, oldest first."""
        return self._project.journal().note_days()

    def add_history(self, entry: str) -> str:
        """Add an entry to the history at the present time; return that time.

        Raises:
            InvalidInput: the entry is blank.
        """
        return self._files().append_history(redact(entry).text)

    def history(self, limit: int = 20) -> list[HistoryEntry]:
        """Return the newest entries of the history, newest first."""
        from remora.journal.history import entries

        problems: list[str] = []
        found = sorted(
            entries(self._project.memory_folder, problems), key=lambda e: (e.time or "", e.start_line)
        )
        self.problems = tuple(problems)
        return found[::-1][: max(0, limit)]

    def consolidate(self, session_id: str | None = None) -> list[Consolidation]:
        """Write new messages of sessions to the history, and update MEMORY.md and the memories.

        Args:
            session_id: the session; all by default.

        Raises:
            StoreBusy: other consolidations took too long; nothing was written.
            StoreError: the history could not be written; no session is marked.
        """
        from remora.app.records.consolidation import consolidate_all, consolidate_session
        from remora.conversation.log import SessionLog

        self._files()
        if session_id is None:
            return consolidate_all(self._project)
        log = SessionLog(self._project.sessions_folder, session_id, self._project.clock)
        return [consolidate_session(self._project, log)]

    def _text(self, reading: Reading) -> str:
        """Return the text of a file that was read, and note its problem."""
        self.problems = (reading.problem,) if reading.problem else ()
        return reading.text

    def _files(self) -> Files:
        """Return the files to be changed."""
        self._project.store("project")
        self._project.must_be_writable()
        return self._project.journal()
