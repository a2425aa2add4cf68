"""Whether a check that sessions ran can still be run: its folder, its files and its task are there.

A task is gone only where the file of its runner is there, takes no tasks from elsewhere, and does not have
the task's name in it at all; what is installed on this machine is not asked. So the doubtful stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from remora.core.purposes import unwrapped
from remora.core.shell import bare, folder_of, without_folder

_MAX_BYTES = 400_000
# Runners by the words before a task's name: their files, and what in one brings tasks from elsewhere.
_RUNNERS: dict[str, tuple[tuple[str, ...], str]] = {
    "make": (
        ("Makefile", "makefile", "GNUmakefile"),
        r"^[ \t]*[-s]?include\b|^[^\t#\n]*%[^\n]*:|\$[({](?:foreach|eval)|^\$",
    ),
    "just": (("justfile", "Justfile", ".justfile"), r"^(?:import|mod)\b"),
    "task": (("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"), r"^includes:|\*"),
    "mise run": (("mise.toml", ".mise.toml"), r"\[task_config\]"),
    "composer run": (("composer.json",), r"(?!)"),
    "poe": (("pyproject.toml",), r"^include\b"),
    **dict.fromkeys(("npm run", "pnpm run", "yarn run", "bun run"), (("package.json",), r"(?!)")),
}
_TASK = re.compile(rf"(?P<runner>{'|'.join(_RUNNERS)}) (?P<task>[A-Za-z][\w:.-]*)(?= |$)")
_MISE_SCRIPTS = (
    "mise-tasks",
    ".mise-tasks",
    "mise/tasks",
    ".mise/tasks",
    ".config/mise/tasks",
    "mise.local.toml",
)
_PATH = re.compile(r"(?:\./)?[\w@+-][\w@+.-]*(?:/[\w@+.-]+)*(?:/\.\.\.|/)?")


def stands(root: Path, command: str) -> bool:
    """Return whether nothing that a check names is gone.

    Args:
        root: of the project.
        command: in normal form, also with variables and a folder.
    """
    place = root / folder_of(command)
    words = unwrapped(tuple(bare(without_folder(command)).split()))
    return (
        place.is_dir() and all((place / path).exists() for path in _paths(words)) and not _gone(place, words)
    )


def _paths(words: tuple[str, ...]) -> Iterator[str]:
    """Yield what is surely meant as a file or folder here: `./a`, and files with an ending in a folder."""
    for word in words[1:]:
        if not _PATH.fullmatch(word):
            continue
        path = word.removesuffix("...").rstrip("/")
        host = "." in path.removeprefix("./").split("/")[0]  # github.com/a/b
        if path and path != "." and (word.startswith("./") or ("/" in path and "." in path[1:] and not host)):
            yield path


def _gone(place: Path, words: tuple[str, ...]) -> bool:
    line = " ".join(words)
    found = _TASK.match("npm run test" if line == "npm test" else line)
    if found is None:
        return False
    names, elsewhere = _RUNNERS[found["runner"]]
    texts = [text for name in names if (text := _text(place / name))]
    if found["runner"] == "mise run" and any((place / name).exists() for name in _MISE_SCRIPTS):
        return False
    if not texts or any(re.search(elsewhere, text, re.MULTILINE) for text in texts):
        return False
    name = re.compile(rf"(?<![\w-]){re.escape(found['task'])}(?![\w-])")
    return not any(name.search(text) for text in texts)


def _text(file: Path) -> str:
    try:
        stamp = file.stat()
    except OSError:
        return ""
    return _read(file, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=16)
def _read(file: Path, changed: int, size: int) -> str:  # noqa: ARG001  the text is that of this time and size
    try:
        return file.read_text("utf-8", "replace") if size <= _MAX_BYTES else ""
    except OSError:
        return ""
