"""Find a program on the PATH, but never inside the project's folder, which may bring one of that name."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from functools import lru_cache


def search_path(environ: Mapping[str, str]) -> str:
    """Return the PATH without its relative and empty parts, which mean the working folder."""
    parts = environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(part for part in parts if os.path.isabs(part))  # noqa: PTH117


def find_program(name: str, environ: Mapping[str, str], *, outside: str = "") -> str | None:
    """Return the absolute path of a program; None if it is not on the PATH.

    Args:
        name: the bare name of the program.
        environ: its PATH is searched.
        outside: a file or folder of a repository, whose own programs are skipped; empty for none.
    """
    return _find(name, search_path(environ), _repository(outside) if outside else "")


@lru_cache(maxsize=256)  # git is started many times in a run, always from the same few places
def _find(name: str, path: str, repository: str) -> str | None:
    for place in path.split(os.pathsep):
        if not place or (repository and _is_in(place, repository)):
            continue
        # With a folder before the name, Windows does not look into the working folder first.
        if found := shutil.which(os.path.join(place, name)):  # noqa: PTH118
            return found
    return None


@lru_cache(maxsize=256)
def _repository(path: str) -> str:
    """Return the nearest folder above a path that has a `.git`, or the path itself if there is none."""
    start = folder = os.path.realpath(path)
    while not os.path.lexists(os.path.join(folder, ".git")):  # noqa: PTH118
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return start
        folder = above
    return folder


def _is_in(place: str, folder: str) -> bool:
    real = os.path.realpath(place)
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)
