"""Report changed files of a project, as they change.

The operating system reports changes (through watchfiles) in sets: a set is yielded after a quiet period, so
that saving ten files, or a branch switch, is one set. A branch switch needs no special case, since the
differing files are written and so are in the set.

Every watched folder costs the system a handle, and there may be too few of them. Then the files are polled
instead, which is slower and is reported. Polling compares times in whole seconds: a second change within the
second of the first is only noticed with the next change, or by the next full scan.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from remora.core.errors import SourceError

if TYPE_CHECKING:
    from watchfiles import Change

# Changes in these mean nothing to us, and there are many of them.
NEVER = frozenset(
    ".git .hg .svn .jj .remora node_modules __pycache__ .venv .mypy_cache .ruff_cache .pytest_cache "
    ".hypothesis .tox .nox .gradle .cache .next .turbo".split()
)
LONGEST = 20  # times the debounce: files that are written all the time are not waited for any longer
POLL_MS = 1_000
_STOP_MS = 200  # how soon `stop` is seen while nothing changes
_NO_ROOM = (
    "watch limit",
    "no space left",
    "too many open files",
    "enospc",
    "emfile",
    "os error 24",
    "os error 28",
)


def watch(
    root: Path,
    *,
    debounce_ms: int = 500,
    stop: threading.Event,
    wanted: Callable[[str], bool],
    poll: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[set[str]]:
    """Yield the paths of files that were written, created, moved or deleted, set by set, until `stop`.

    A set is yielded half to once the debounce after the last change. A file in it may be deleted, or may have
    been reported before: a set says where to look, not what happened. Of a folder that is moved away only its
    own path is reported, so a deleted path means everything below it. (A deleted path without an extension is
    reported although it is not wanted: it may have been such a folder.)

    Args:
        root: the project's folder.
        debounce_ms: milliseconds without a change that end a set.
        stop: ends the watch, within a fifth of a second.
        wanted: whether a path, relative to the root, is relevant. It is not called for the folders in NEVER.
        poll: poll the files instead of waiting for the system's reports.
        say: called if polling becomes necessary without being requested.

    Raises:
        SourceError: the folder does not exist, was deleted meanwhile, or cannot be watched.
    """
    top = root.resolve()
    if not top.is_dir():
        raise SourceError(f"cannot watch {root}: it is not a folder", hint="Check the project's path.")
    try:
        yield from _sets(top, debounce_ms, stop, wanted, poll)
        return
    except (OSError, RuntimeError) as error:
        if poll or not _no_room(error):
            raise _cannot(top, error) from None
        say(
            f"The system cannot watch all folders of {top} ({error}); they are polled every "
            f"{POLL_MS / 1000:g} s instead. On Linux, raise fs.inotify.max_user_watches."
        )
    try:
        yield from _sets(top, debounce_ms, stop, wanted, True)
    except (OSError, RuntimeError) as error:
        raise _cannot(top, error) from None


def _sets(
    top: Path, debounce_ms: int, stop: threading.Event, wanted: Callable[[str], bool], poll: bool
) -> Iterator[set[str]]:
    import watchfiles

    ours = _Wanted(os.fspath(top), wanted)
    changes = watchfiles.watch(
        top,
        watch_filter=ours.may_count,
        # Two looks without a change between them end a set; `debounce` is the longest wait.
        step=max(1, debounce_ms // 2),
        debounce=max(1, debounce_ms) * LONGEST,
        stop_event=stop,
        rust_timeout=_STOP_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
        force_polling=poll or None,
        poll_delay_ms=POLL_MS,
        ignore_permission_denied=True,
    )
    for found in changes:
        if paths := {path for change, changed in found for path in ours.files(change, changed)}:
            yield paths
        elif not found and not top.is_dir():
            raise SourceError(
                f"{top} was deleted during the watch", hint="Start again when the folder exists."
            )


class _Wanted:
    """Selects the relevant changes, and the files they concern."""

    def __init__(self, top: str, wanted: Callable[[str], bool]) -> None:
        self._top, self._wanted = top, wanted

    def may_count(self, _: Change, path: str) -> bool:
        """Return whether a change is outside the ignored folders, for watchfiles."""
        found = self._relative(path)
        return found is not None and NEVER.isdisjoint(found.split("/"))

    def files(self, change: Change, path: str) -> Iterator[str]:
        """Yield the wanted paths of a change, relative to the root."""
        found = self._relative(path)
        if found is None:
            return
        if Path(path).is_dir() and not Path(path).is_symlink():
            # No events follow for the files of a moved folder, and those of a new folder may be missed.
            if change.name == "added":
                yield from self._below(path)
        elif self._wanted(found) or (change.name == "deleted" and "." not in found.rpartition("/")[2]):
            yield found  # a deleted path without an ending may have been a folder

    def _below(self, folder: str) -> Iterator[str]:
        for place, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if name not in NEVER]
            for name in names:
                found = self._relative(f"{place}{os.sep}{name}")
                if found is not None and self._wanted(found):
                    yield found

    def _relative(self, path: str) -> str | None:
        """Return a path relative to the root, None for the root itself and paths outside of it."""
        try:
            found = os.path.relpath(path, self._top).replace(os.sep, "/")
        except ValueError:  # another drive
            return None
        return None if found == "." or found.startswith("../") else found


def _no_room(error: Exception) -> bool:
    return any(word in str(error).lower() for word in _NO_ROOM)


def _cannot(top: Path, error: Exception) -> SourceError:
    return SourceError(f"cannot watch {top}: {error}", hint="Run `remora index` after changes.")
