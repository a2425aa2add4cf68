"""Folders of programs for a user's files, by operating system."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def home(environ: Mapping[str, str]) -> Path:
    """Return the user's home folder."""
    named = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(named) if named else Path.home()


def home_folder(environ: Mapping[str, str], name: str, variable: str = "") -> Path:
    """Return the folder in an environment variable, else the folder with a name below the home folder."""
    if variable and environ.get(variable):
        return Path(environ[variable]).expanduser()
    return home(environ) / name


def data_folder(environ: Mapping[str, str], name: str) -> Path:
    """Return a program's data folder by the XDG convention, which some programs follow on every system."""
    return home_folder(environ, os.path.join(".local", "share"), "XDG_DATA_HOME") / name  # noqa: PTH118


def editor_folders(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the `User` folders of Visual Studio Code and of editors based on it, for this system."""
    if sys.platform == "darwin":
        base = home(environ) / "Library" / "Application Support"
    elif os.name == "nt":
        base = home_folder(environ, os.path.join("AppData", "Roaming"), "APPDATA")  # noqa: PTH118
    else:
        base = home_folder(environ, ".config", "XDG_CONFIG_HOME")
    served = tuple(home(environ) / name / "data" / "User" for name in SERVERS)
    return (*(base / name / "User" for name in EDITORS), *served)


# The folder for extension data of an editor on another machine, or in a container.
SERVERS = (".vscode-server", ".vscode-server-insiders", ".cursor-server", ".windsurf-server")
EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
