"""Start the work that follows a session in a process of its own, which outlives the host and always ends.

The host kills what its hooks leave behind with them, so the child gets a session of its own. It inherits
no file and of the environment only what says where things are and how models are reached: a host puts
tokens of its own there, which are nobody else's business.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from remora.disk.live import FOLDER, SUFFIX
from remora.disk.places import data_folder

_KEPT = frozenset(
    """PATH HOME USER LOGNAME LANG TZ TMPDIR TEMP TMP SYSTEMROOT SYSTEMDRIVE COMSPEC PATHEXT USERPROFILE
    APPDATA LOCALAPPDATA PROGRAMDATA VIRTUAL_ENV PYTHONPATH SSL_CERT_FILE SSL_CERT_DIR HTTPS_PROXY HTTP_PROXY
    NO_PROXY https_proxy http_proxy no_proxy CODEX_HOME CLAUDE_CONFIG_DIR""".split()
)
_KEPT_STARTS = ("REMORA_", "XDG_", "LC_")
_KEPT_ENDS = ("_API_KEY",)


def begin_work(environ: Mapping[str, str], *, ended: object | None) -> bool:
    """Start `remora work --sessions` when a session ended, or when earlier ones left something to do.

    Args:
        environ: the process environment.
        ended: a session is over just now; otherwise only what others left is a reason.

    Returns:
        Whether a process was started.
    """
    if environ.get("REMORA_WORK") == "off":
        return False
    folder = os.path.join(data_folder(environ), FOLDER)  # noqa: PTH118
    if ended is None and not _left_behind(folder):
        return False
    import subprocess

    flags = {}
    if sys.platform == "win32":
        flags["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS
    else:
        flags["start_new_session"] = True
    subprocess.Popen(
        [sys.executable, "-m", "remora", "work", "--sessions"],
        cwd=data_folder(environ),
        env=kept(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=True,
        **flags,  # type: ignore[call-overload]
    )
    return True


def kept(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the part of an environment that the work needs."""
    return {
        name: value
        for name, value in environ.items()
        if name in _KEPT or name.startswith(_KEPT_STARTS) or name.endswith(_KEPT_ENDS)
    }


def _left_behind(folder: str) -> bool:
    """Return whether a session that is over waits to be learnt: its file is as old as IDLE or ended."""
    import time

    from remora.app.finished import IDLE

    try:
        with os.scandir(folder) as entries:
            return any(
                entry.name.endswith(SUFFIX) and time.time() - entry.stat().st_mtime > IDLE
                for entry in entries
            )
    except OSError:
        return False
