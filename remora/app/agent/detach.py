"""Start the work that follows a session in a detached process, which outlives the host and always ends.

A host kills the children of its hooks with them, so the process gets a session of its own. It inherits no
file.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping

from remora.core import moments
from remora.core.moments import Moment
from remora.disk.live import (
    IDLE,
    KEPT,
    LEARNT,
    TRIED,
    Line,
    at_of,
    file_name,
    files_in,
    folder,
    is_over,
    last_line,
    read,
)
from remora.disk.places import data_folder

SETTLED = 60.0  # seconds within which the end of a session should be processed
OFTEN = 180.0  # seconds between two imports of a session whose host never reports its end


def begin_work(environ: Mapping[str, str], *, ended: Moment | None) -> bool:
    """Start `remora work --sessions` when a session ended, or when earlier sessions left work.

    Args:
        environ: the process environment.
        ended: the end of a session, or of a turn that may be its last; None if only earlier sessions are a
            reason.

    Returns:
        Whether a process was started.
    """
    if environ.get("REMORA_WORK") == "off":
        return False
    if ended is not None and ended.kind == moments.STOP:
        is_due = _is_due(ended, environ)
    else:
        own = ended is not None and _lines(ended, environ) is not None
        is_due = own or _left_behind(folder(environ))
    if is_due:
        _start(environ, "work", "--sessions")
    return is_due


def begin_maintenance(environ: Mapping[str, str], root: str) -> None:
    """Start the daily maintenance of a project in a detached process, if no hook starts the work."""
    if environ.get("REMORA_WORK") != "off":
        _start(environ, "--project", root, "work", "--maintenance")


def _start(environ: Mapping[str, str], *arguments: str) -> None:
    import subprocess

    flags = {}
    if sys.platform == "win32":
        flags["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS
    else:
        flags["start_new_session"] = True
    begun = subprocess.Popen(
        [sys.executable, "-P", "-m", "remora", *arguments],
        cwd=data_folder(environ),
        env=for_work(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=True,
        **flags,  # type: ignore[call-overload]
    )
    begun.returncode = 0  # nothing waits for it; this prevents the ResourceWarning


def for_work(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the work, which runs in another folder: its paths become absolute."""
    passed = dict(environ)
    if "PYTHONPATH" in passed:  # a relative part would name another folder there
        parts = [part for part in passed["PYTHONPATH"].split(os.pathsep) if os.path.isabs(part)]  # noqa: PTH117
        passed["PYTHONPATH"] = os.pathsep.join(parts)
    for name in ("REMORA_HOME", "REMORA_CONFIG"):
        if passed.get(name):
            passed[name] = os.path.abspath(os.path.expanduser(passed[name]))  # noqa: PTH100, PTH111
    return passed


def _is_due(stopped: Moment, environ: Mapping[str, str]) -> bool:
    """Return whether the last import of a session that may be over is more than OFTEN seconds ago."""
    lines = _lines(stopped, environ)
    if lines is None:
        return False
    looked = next((at_of(line) for line in reversed(lines) if line.get("k") in (LEARNT, TRIED)), 0.0)
    return time.time() - looked > OFTEN


def _lines(moment: Moment, environ: Mapping[str, str]) -> list[Line] | None:
    """Return the lines of a session; None if its project has no memory, unless that is not determined yet."""
    try:
        head, lines = read(os.path.join(folder(environ), file_name(moment.host, moment.session)))  # noqa: PTH118
    except OSError:
        return None
    return lines if head is not None and (head.home or head.late) else None


def _left_behind(place: str) -> bool:
    """Return whether a session that is over waits to be imported, or an old live file to be removed."""
    now = time.time()
    try:
        return any(_waits(path, now - written) for written, path in files_in(place))
    except OSError:
        return False


def _waits(path: str, age: float) -> bool:
    if age < SETTLED:
        return False
    last = last_line(path)
    if last.get("k") == LEARNT and age > KEPT:
        return True
    return is_over([last], age) or (not last and age > IDLE)
