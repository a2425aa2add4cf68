"""Test whether a check can run: its folder, its files and its task for a runner exist.

In doubt a check stands. A path counts as gone only if the project once had it; a task only if the files of
its runner exist, include no tasks from elsewhere, and do not contain the task's name. A command that sets
its own folder, or runs in a container, is not judged; installed programs are not checked.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

from remora.core.errors import StoreError
from remora.disk.files import read_small
from remora.shell.lines import bare, folder_of, without_folder
from remora.shell.purposes import in_container, unwrapped

_MAX_BYTES = 400_000
_PACKAGE = ("package.json",)
# Runners by the words before a task's name, with the files that define their tasks.
_RUNNERS: dict[str, tuple[str, ...]] = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"),
    "composer run": ("composer.json",),
    "poe": ("pyproject.toml",),
    "mise run": ("mise.toml", ".mise.toml"),
    "npm run": _PACKAGE,
    "pnpm run": _PACKAGE,
    "npm test": _PACKAGE,
    "pnpm test": _PACKAGE,
}
# Further places where a runner looks, from the root.
_MORE = {"mise run": ("*mise*/*", "*mise.*.toml", ".config/mise*"), "poe": ("poe_tasks.*",)}
_LOOKS_UP = ("just", "mise run")  # also in the folders above
# Directives that include tasks from elsewhere, or define them by a pattern.
_BRINGS = re.compile(
    r"^[ \t]*[-s]?include\b|^(?:import|mod|set fallback)\b|^[\"']?includes[\"']?:|^[^\t#\n:=]{0,200}[%$*].*:"
    r"|\[task_config\]|^[ \t]*include\w*[ \t]*=",
    re.MULTILINE,
)
_TASK = re.compile(rf"(?P<runner>{'|'.join(_RUNNERS)})(?: (?P<task>[A-Za-z][\w:.-]*))?")
_MOVES = re.compile(
    r"-[CfwrF]|--(?:\w+-)*(?:\w*dir\w*|cwd|prefix|workspaces?|filter|recursive|\w*file|project|root|manifest-path"
    r"|env)(?:=.*)?"
)
_PATH = re.compile(r"(?:\./)?[\w@+-][\w@+.-]*(?:/[\w@+.-]+)*(?:/\.\.\.|/)?")


def stands(root: Path, command: str, had: Callable[[str], bool] = lambda _: True) -> bool:
    """Return whether nothing that a check names is gone.

    Args:
        root: the project's folder.
        command: in normal form, also with variables and a folder.
        had: returns whether the project's history has a path, of a file or a folder.
    """
    folder = folder_of(command)
    if not os.path.isdir(root / folder):  # noqa: PTH112  the method of Path fails on names that are too long
        return not had(folder)
    line = tuple(bare(without_folder(command)).split())
    if in_container(line) or any(map(_MOVES.fullmatch, line)):
        return True
    below = f"{folder}/" if folder else ""
    paths = (below + path for path in paths_in(line, certain=True))
    gone = any(not os.path.exists(root / path) and had(path) for path in paths)  # noqa: PTH110  as above
    return not gone and not _lacks_task(root, root / folder, line)


def runs_in(root: Path, folder: str, words: tuple[str, ...]) -> bool:
    """Return whether a folder has the task file that a command needs, or the command needs none."""
    found = _task(words)
    if found is None or found["runner"] in _MORE or any(map(_MOVES.fullmatch, words)):
        return True
    place = root / folder
    return bool(_files(root, place, found["runner"])) and not _lacks_task(root, place, words)


def paths_in(words: tuple[str, ...], *, certain: bool = False) -> list[str]:
    """Return the words of a command that are paths: with a slash, or arguments of a checked program.

    Args:
        words: of the command.
        certain: return only `./a` and `a/b.go`, and no possible values of options.

    >>> paths_in(("pytest", "tests", "-x")), paths_in(("go", "test", "./a/...", "b/c.go"), certain=True)
    (['tests'], ['a', 'b/c.go'])
    """
    plain = unwrapped(words)
    found = []
    for before, word in zip(("", *plain), plain, strict=False):
        path = word.removesuffix("...").rstrip("/")
        named = word.startswith("./") or ("/" in path and "." in path.rpartition("/")[2])
        sure = named and not before.startswith("-")
        if (sure or (not certain and before and word[:1] != "-")) and _PATH.fullmatch(word):
            found.append(path.removeprefix("./"))
    return [path for path in found if path not in ("", ".")]


def _task(words: tuple[str, ...]) -> re.Match[str] | None:
    return _TASK.fullmatch(" ".join(unwrapped(words)))


def _files(root: Path, place: Path, runner: str) -> list[Path]:
    """Return the task files of a runner: in a folder, and in those above it if the runner searches them."""
    above = [up for up in place.parents if up.is_relative_to(root)] if runner in _LOOKS_UP else []
    return [up / name for up in (place, *above) for name in _RUNNERS[runner] if (up / name).is_file()]


def _lacks_task(root: Path, place: Path, words: tuple[str, ...]) -> bool:
    """Return whether the words name a task of a runner that its files do not have."""
    found = _task(words)
    if found is None or (found["runner"] == "make" and not found["task"]):
        return False
    task = found["task"] or found["runner"].partition(" ")[2]
    files = _files(root, place, found["runner"])
    more = any(True for pattern in _MORE.get(found["runner"], ()) for _ in root.glob(pattern))
    return bool(files) and not more and not any(_may_have(file, task) for file in files)


def _may_have(file: Path, task: str) -> bool:
    """Return whether a file has a task, or may include it; an unreadable one may."""
    text = _text(file)
    if file.suffix == ".json":
        try:
            return task in json.loads(text)["scripts"]
        except KeyError:
            return False
        except (ValueError, RecursionError, TypeError):
            return True
    return bool(re.search(rf"(?<![\w-]){re.escape(task)}(?![\w-])", text) or _BRINGS.search(text))


def _text(file: Path) -> str:
    try:
        return (read_small(file, _MAX_BYTES, links=True) or b"").decode("utf-8", "replace")
    except StoreError:
        return ""
