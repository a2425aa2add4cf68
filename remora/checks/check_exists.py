"""Test whether a check can run: its folder and its files exist.

A path counts as gone only if the project once had it. Tasks and installed programs are not checked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from remora.shell.lines import bare, folder_of, without_folder
from remora.shell.purposes import unwrapped

_PATH = re.compile(r"(?:\./)?[\w@+-][\w@+.-]*(?:/[\w@+.-]+)*(?:/\.\.\.|/)?")


def stands(root: Path, command: str, had: Callable[[str], bool]) -> bool:
    """Return whether no folder or file that a check names is gone.

    Args:
        root: the project's folder.
        command: in normal form, also with variables and a folder.
        had: returns whether the project's history has a path, of a file or a folder.
    """
    folder = folder_of(command)
    below = f"{folder}/" if folder else ""
    named = [folder, *(below + path for path in paths_in(bare(without_folder(command))))]
    # The method of Path fails on names that are too long.
    return not any(not os.path.exists(root / path) and had(path) for path in named)  # noqa: PTH110


def paths_in(command: str) -> list[str]:
    """Return the words of a command that are certainly paths: `./a` and `a/b.go`, but no values of options.

    >>> paths_in("pytest tests -x"), paths_in("go test -o ./x ./a/... b/c.go")
    ([], ['a', 'b/c.go'])
    """
    words = unwrapped(tuple(command.split()))
    found = []
    for before, word in zip(("", *words), words, strict=False):
        path = word.removesuffix("...").rstrip("/")
        named = word.startswith("./") or ("/" in path and "." in path.rpartition("/")[2])
        if named and not before.startswith("-") and _PATH.fullmatch(word):
            found.append(path.removeprefix("./"))
    return [path for path in found if path not in ("", ".")]
