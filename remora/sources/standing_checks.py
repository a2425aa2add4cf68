"""Whether a check that sessions ran can still be run: its folder, its files and its task are there.

What is doubtful stands. A path is gone only where the project once had it; a task only where the file of its
runner is there, takes no tasks from elsewhere, and does not have the task's name in it at all. A line that
says itself where it is run, or runs in a container, is not judged; what is installed here is not asked.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

from remora.core.errors import StoreError
from remora.core.purposes import check_of, in_container, unwrapped
from remora.core.shell import bare, folder_of, without_folder
from remora.disk.files import read_small
from remora.sources.rule_files import is_walked

_MAX_BYTES = 400_000
_MOST_LOOKED = 300  # folders
# Runners by the words before a task's name: their files, and what in one brings tasks from elsewhere.
_RUNNERS: dict[str, tuple[tuple[str, ...], str]] = {
    "make": (("GNUmakefile", "makefile", "Makefile"), r"^[ \t]*[-s]?include\b|^[^\t#\n:=]{0,200}[%$]"),
    "just": (("justfile", "Justfile", ".justfile"), r"^(?:import|mod|set fallback)\b"),
    "task": (
        ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"),
        r"^[\"']?includes[\"']?:|\*",
    ),
    "mise run": (("mise.toml", ".mise.toml"), r"\[task_config\]"),
    "poe": (("pyproject.toml",), r"\binclude\w*\b"),
    "composer run": (("composer.json",), r"(?!)"),
    "npm run": (("package.json",), r"(?!)"),
    "pnpm run": (("package.json",), r"(?!)"),
}
# Besides those, where a runner looks for tasks.
_ALSO = {
    "mise run": (
        *("mise-tasks", ".mise-tasks", "mise/tasks", ".mise", ".config/mise", ".config/mise.toml"),
        *("mise", "mise.local.toml", ".mise.local.toml"),
    ),
    "poe": ("poe_tasks.toml", "poe_tasks.yaml", "poe_tasks.json"),
}
_LOOKS_UP = ("mise run", "just")  # in the folders above, too
_TASK = re.compile(rf"(?P<runner>{'|'.join(_RUNNERS)}) (?P<task>[A-Za-z][\w:.-]*)")
_MOVES = re.compile(
    r"(?:-C|-[fwrF]|--(?:dir|directory|cwd|prefix|workspaces?|filter|recursive|file|\w*file|project|root|"
    r"rootdir|manifest-path|working-dir\w*|working-directory|env))(?:=.*)?"
)
_PATH = re.compile(r"(?:\./)?[\w@+-][\w@+.-]*(?:/[\w@+.-]+)*(?:/\.\.\.|/)?")


def stands(root: Path, command: str, had: Callable[[str], bool] = lambda _: True) -> bool:
    """Return whether nothing that a check names is gone.

    Args:
        root: of the project.
        command: in normal form, also with variables and a folder.
        had: whether the project's history knows a path, of a file or a folder.
    """
    folder = folder_of(command)
    if not os.path.isdir(root / folder):  # noqa: PTH112  a Path's own fails on names that are too long
        return not had(folder)
    line = tuple(bare(without_folder(command)).split())
    if in_container(line) or any(map(_MOVES.fullmatch, line)):
        return True
    words = unwrapped(line)
    below = f"{folder}/" if folder else ""
    return not any(_lost(root, below + path, had) for path in _paths(words)) and not _without(
        root, root / folder, words
    )


def files_below(folder: Path) -> frozenset[str]:
    """Return the names of the files in the folders below one, two levels deep, of a few hundred at most."""
    found: set[str] = set()
    level = [folder]
    looked = 0
    for depth in range(3):
        below: list[Path] = []
        for place in level[: _MOST_LOOKED - looked]:
            looked += 1
            with suppress(OSError), os.scandir(place) as entries:
                for entry in entries:
                    if not entry.is_dir(follow_symlinks=False):
                        found.update((entry.name,) if depth else ())
                    elif depth < 2:
                        below.append(Path(entry.path))
        level = sorted(filter(is_walked, below[:_MOST_LOOKED]))
    return frozenset(found)


def meant_elsewhere(
    root: Path, folder: str, words: tuple[str, ...], below: Callable[[Path], frozenset[str]] = files_below
) -> bool:
    """Return whether the file of tasks that a command needs is not in its folder, but in one below it.

    Args:
        root: of the project.
        folder: where it would be run, "" for the root.
        words: of the command.
        below: the names of the files below a folder; who asks about many commands looks once.
    """
    found = _task(" ".join(words))
    if found is None or any(map(_MOVES.fullmatch, words)):
        return False
    runner, place = found["runner"], root / folder
    names = (*_RUNNERS[runner][0], *_ALSO.get(runner, ()))
    if any((near / name).exists() for near in _looked_in(root, place, runner) for name in names):
        return False
    return not below(place).isdisjoint(names)


def place_of(root: Path, folder: str, words: tuple[str, ...]) -> str:
    """Return where a command is run that a folder's rule file names: there, or in a folder above it.

    It is run above where its paths are only there when seen from that, else where its task is only there.

    Args:
        root: of the project.
        folder: that of the rule file, relative to the root.
        words: of the command.
    """
    places = [folder, *(above.as_posix() if above.parts else "" for above in PurePosixPath(folder).parents)]
    paths = list(_arguments(words))
    there = [sum(os.path.exists(root / place / path) for path in paths) for place in places]  # noqa: PTH110
    if len({*there}) > 1:
        return places[there.index(max(there))]
    found = _task(" ".join(words))
    if found is None:
        return folder
    names = (*_RUNNERS[found["runner"]][0], *_ALSO.get(found["runner"], ()))
    with_tasks = (place for place in places if any((root / place / name).exists() for name in names))
    return next((place for place in with_tasks if not _without(root, root / place, words)), folder)


def _arguments(words: tuple[str, ...]) -> Iterator[str]:
    """Yield the words that may be paths: with a slash, where a runner is sent, what a program is run over."""
    words = unwrapped(words)
    tasks = words[:1] and words[0] in {runner.split()[0] for runner in _RUNNERS}
    asked = next((n for n in range(1, len(words) + 1) if check_of(words[:n])), len(words))
    for place, (before, word) in enumerate(pairwise(("", *words))):
        over = not tasks and place >= asked and not before.startswith("-")
        if (over or "/" in word or _MOVES.fullmatch(before)) and _PATH.fullmatch(word):
            path = word.removesuffix("...").rstrip("/")
            if path not in ("", "."):
                yield path


def _task(line: str) -> re.Match[str] | None:
    return _TASK.fullmatch(re.sub(r"^(p?npm) test\b", r"\1 run test", line))


def _looked_in(root: Path, place: Path, runner: str) -> list[Path]:
    """Return the folders in which a runner looks for its tasks."""
    above = place.parents if runner in _LOOKS_UP else ()
    return [place, *(folder for folder in above if folder.is_relative_to(root))]


def _lost(root: Path, path: str, had: Callable[[str], bool]) -> bool:
    return not os.path.exists(root / path) and had(path)  # noqa: PTH110  as above


def _paths(words: tuple[str, ...]) -> Iterator[str]:
    """Yield what is surely meant as a path: `./a`, `a/b.go`; not what an option may take as its value."""
    for before, word in pairwise(("", *words)):
        if before.startswith("-") or not _PATH.fullmatch(word):
            continue
        path = word.removesuffix("...").rstrip("/")
        if word.startswith("./") or ("/" in path and "." in path.rpartition("/")[2]):
            path = path.removeprefix("./")
            if path not in ("", "."):
                yield path


def _without(root: Path, place: Path, words: tuple[str, ...]) -> bool:
    """Return whether the words ask a runner for a task that its files do not have."""
    found = _task(" ".join(words))
    if found is None:
        return False
    names, elsewhere = _RUNNERS[found["runner"]]
    folders = _looked_in(root, place, found["runner"])
    if any((folder / name).exists() for folder in folders for name in _ALSO.get(found["runner"], ())):
        return False
    if any(True for folder in folders if found["runner"] == "mise run" for _ in folder.glob("*mise.*.toml")):
        return False
    texts = [text for folder in folders for name in names if (text := _text(folder / name))]
    if not texts or any(re.search(elsewhere, text, re.MULTILINE) for text in texts):
        return False
    if names[0].endswith(".json"):
        return not any(_has_script(text, found["task"]) for text in texts)
    name = re.compile(rf"(?<![\w-]){re.escape(found['task'])}(?![\w-])")
    return not any(name.search(text) for text in texts)


def _has_script(text: str, name: str) -> bool:
    """Return whether a package.json or composer.json has a script, also where it cannot be read."""
    try:
        whole = json.loads(text)
        return name in whole.get("scripts", ())
    except (ValueError, RecursionError, AttributeError, TypeError):
        return True


def _text(file: Path) -> str:
    try:
        stamp = file.stat()
    except OSError:
        return ""
    return _read(file, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=16)
def _read(file: Path, changed: int, size: int) -> str:  # noqa: ARG001  the text is that of this time and size
    try:
        return (read_small(file, _MAX_BYTES, links=True) or b"").decode("utf-8", "replace")
    except StoreError:
        return ""
