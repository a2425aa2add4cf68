"""Read the history files of a folder: HISTORY.md and its monthly files.

Every entry is in two files, HISTORY.md and the month's. `entries` returns each once, by the monthly file;
entries only in HISTORY.md (older than the monthly files, or written by hand) are included.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from remora.core.history_entries import HISTORY, HistoryEntry, parse


def history_files(folder: Path) -> list[Path]:
    """Return the history files of a folder: the monthly ones by name, HISTORY.md last."""
    return sorted(folder.glob("HISTORY*.md"), key=lambda path: (path.name == HISTORY, path.name))


def entries(folder: Path, problems: list[str] | None = None) -> Iterator[HistoryEntry]:
    """Yield every entry of a folder's history files once.

    Monthly files come first, in the order of their names; then the entries only in HISTORY.md. An unreadable
    file is reported in `problems`, and the others are read.
    """
    seen: set[bytes] = set()
    for path in history_files(folder):
        try:
            with path.open("rb") as file:
                for entry in parse(file, path.name, problems):
                    said = f"{entry.time}\n{entry.text}".encode()
                    digest = hashlib.blake2b(said, digest_size=16).digest()
                    if digest not in seen:
                        seen.add(digest)
                        yield entry
        except OSError as error:
            if problems is not None:
                problems.append(f"{path.name}: {error.strerror or error}")
