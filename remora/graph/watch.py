"""Report changed files of a project, as they change.

The operating system reports changes (through watchfiles) in sets: a set is yielded after a quiet period, so
that saving ten files, or a branch switch, is one set.
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
_STOP_MS = 200  # how soon `stop` is seen while nothing changes
_POLL_MS = 1_000  # between two looks, where watchfiles polls: on WSL and on request


def watch(
    root: Path, *, debounce_ms: int = 500, stop: threading.Event, wanted: Callable[[str], bool]
) -> Iterator[set[str]]:
    """Yield the paths of files that were written, created, moved or deleted, set by set, until `stop`.

    A set is yielded half to once the debounce after the last change. It says where to look, not what
    happened: a path in it may have been reported before, may be deleted, and may be a new folder. The files
    of a moved folder are not reported.

    Args:
        root: the project's folder.
        debounce_ms: milliseconds without a change that end a set.
        stop: ends the watch, within a fifth of a second.
        wanted: whether a path, relative to the root, is relevant. It is not called for the folders in NEVER.

    Raises:
        SourceError: the folder does not exist, was deleted meanwhile, or cannot be watched.
    """
    import watchfiles  # only for `index --watch`

    top = root.resolve()
    if not top.is_dir():
        raise SourceError(f"cannot watch {root}: it is not a folder", hint="Check the project's path.")

    def relative(path: str) -> str:
        return os.path.relpath(path, top).replace(os.sep, "/")

    def counts(change: Change, path: str) -> bool:
        found = relative(path)
        if not NEVER.isdisjoint(found.split("/")):
            return False
        return change.name == "added" if Path(path).is_dir() else wanted(found)

    try:
        for changes in watchfiles.watch(
            top,
            watch_filter=counts,
            # Two looks without a change between them end a set; `debounce` is the longest wait.
            step=max(1, debounce_ms // 2),
            debounce=max(1, debounce_ms) * LONGEST,
            stop_event=stop,
            rust_timeout=_STOP_MS,
            yield_on_timeout=True,
            raise_interrupt=True,
            poll_delay_ms=_POLL_MS,
            ignore_permission_denied=True,
        ):
            if changes:
                yield {relative(path) for _, path in changes}
            elif not top.is_dir():
                raise SourceError(
                    f"{top} was deleted during the watch", hint="Start again when the folder exists."
                )
    except (OSError, RuntimeError) as error:
        raise SourceError(
            f"cannot watch {top}: {error}",
            hint="If a limit is reached, raise fs.inotify.max_user_watches (Linux) or poll the files: "
            "set WATCHFILES_FORCE_POLLING=true.",
        ) from None
