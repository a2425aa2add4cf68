"""The data folder of this platform, found with few imports, because every hook needs it.

The folders are those of `platformdirs`, as a test checks; on Windows `platformdirs` itself is used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

NAME = "remora"


def data_folder(environ: Mapping[str, str]) -> str:
    """Return the data folder: REMORA_HOME, else the platform's data folder."""
    given = environ.get("REMORA_HOME")
    if given:
        return os.path.abspath(os.path.expanduser(given))  # noqa: PTH100, PTH111
    home = environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", NAME)  # noqa: PTH118
    if sys.platform == "win32":
        import platformdirs

        return platformdirs.user_data_dir(NAME, appauthor=False)
    given = environ.get("XDG_DATA_HOME", "").strip()
    return os.path.join(given or os.path.join(home, ".local", "share"), NAME)  # noqa: PTH118
