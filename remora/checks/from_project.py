"""The project's own tasks that check a change: of make, just, mise, package.json, composer and tox.

A task is known by its name (`test`, `lint-css`). Tasks that also publish, delete or watch are left out, and
so are private ones, those that need an argument, and npm's hooks of other scripts. Nothing is run or stored:
the files are read at each call, so the result is up to date. Unreadable files have no tasks.
"""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from remora.core.errors import StoreError
from remora.disk.files import read_small
from remora.shell.lines import in_folder
from remora.shell.purposes import check_of

FOLDERS = 8  # maximum of folders above the edited files
MAX_BYTES = 400_000

# Lock files beside a package.json, or at the root, show which manager runs its scripts.
_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}
_TARGET = re.compile(
    r"^([A-Za-z][\w.-]*(?::[\w.-]+)*)(?:[ \t]+[A-Za-z][\w:.-]*)*[ \t]*::?(?![:=])", re.MULTILINE
)
_RECIPE = re.compile(r"^@?([A-Za-z][\w-]*)(?:[ \t]+[*+]?\w+=\S+|[ \t]+\*\w+)*[ \t]*:(?!=)", re.MULTILINE)
_TOX = re.compile(r"^\[(?:tox|testenv\b.*)\]", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z][\w:.-]*")
_NO_TESTS = re.compile(r"no tests? (?:specified|yet|configured)", re.IGNORECASE)
_AROUND = re.compile(r"(?:pre|post)[a-z]")
_NO_CHECK = re.compile(
    r"(?:^|[\s:_.-])(?:watch|serve|dev|ui|debug|interactive|start|repl|drop|reset|clean|push|publish|deploy"
    r"|upload|delete|destroy|purge|wipe|remove|rm|down|stop|kill|migrate|seed|record|bless|update|bump|release"
    r"|undeploy|rollback)(?=$|[\s:_.-])",
    re.IGNORECASE,
)


class NamedCheck(NamedTuple):
    """A task of the project.

    Attributes:
        command: the command that runs it, with its folder.
        purpose: "format", "lint", "test" or "build".
        path: the file that defines it, relative to the root.
    """

    command: str
    purpose: str
    path: str


def named_checks(root: Path, files: Iterable[str] = ()) -> list[NamedCheck]:
    """Return the tasks of a project that check a change: one for each purpose, then further ones.

    Args:
        root: the project's folder.
        files: the edited files, relative to it; the folders above these are searched too, the nearest first.
    """
    above = {parent.as_posix() for path in files for parent in PurePosixPath(path).parents if parent.parts}
    nearest = sorted(above, key=lambda folder: (-folder.count("/"), folder))[:FOLDERS]
    found = [check for folder in (*nearest, "") for check in _tasks(root, folder)]
    of_purpose = Counter[str]()
    places = []
    for check in found:
        places.append(of_purpose[check.purpose])
        of_purpose[check.purpose] += 1
    return [check for _, check in sorted(zip(places, found, strict=True), key=lambda placed: placed[0])]


def _tasks(root: Path, folder: str) -> Iterator[NamedCheck]:
    locks = ((root / place / lock, name) for place in (folder, "") for lock, name in _LOCKS.items())
    manager = next((name for lock, name in locks if lock.is_file()), "npm")
    for name, tasks in (READERS | {"package.json": partial(_scripts, manager=manager)}).items():
        path = posixpath.join(folder, name)
        # The plainer name is the task that runs the others.
        for command in sorted(tasks(_text(root / path)), key=lambda c: len(re.split(r"[:_.-]", c))):
            purpose = check_of(tuple(command.split()))
            if purpose and not _NO_CHECK.search(command):
                yield NamedCheck(in_folder(folder, command), purpose, path)


def _text(file: Path) -> str:
    try:
        return (read_small(file, MAX_BYTES, links=True) or b"").decode("utf-8", "replace")
    except StoreError:
        return ""


def _make(text: str) -> list[str]:
    return [f"make {name}" for name in _TARGET.findall(text) if "." not in name]


def _just(text: str) -> list[str]:
    return [f"just {name}" for name in _RECIPE.findall(text)]


def _mise(text: str) -> list[str]:
    return [f"mise run {name}" for name, task in _named(tomllib.loads, text, "tasks") if not _is_hidden(task)]


def _is_hidden(task: object) -> bool:
    return isinstance(task, dict) and bool(task.get("hide"))


def _scripts(text: str, manager: str) -> list[str]:
    own = dict(_named(json.loads, text, "scripts"))
    found = []
    for name, body in own.items():
        around = _AROUND.match(name) and re.sub("^(?:pre|post)", "", name) in own
        if not around and isinstance(body, str) and not _NO_TESTS.search(body):
            short = name == "test" and manager != "bun"
            found.append(f"{manager} test" if short else f"{manager} run {name}")
    return found


def _composer(text: str) -> list[str]:
    return [f"composer run {name}" for name, _ in _named(json.loads, text, "scripts")]


def _tox(text: str) -> list[str]:
    return ["tox"] if _TOX.search(text) else []


READERS: dict[str, Callable[[str], list[str]]] = {
    "mise.toml": _mise,
    ".mise.toml": _mise,
    "Makefile": _make,
    "makefile": _make,
    "GNUmakefile": _make,
    "justfile": _just,
    "Justfile": _just,
    "composer.json": _composer,
    "tox.ini": _tox,
    "pyproject.toml": lambda text: ["tox"] if dict(_named(tomllib.loads, text, "tool")).get("tox") else [],
}


def _named(loads: Callable[[str], Any], text: str, table: str) -> list[tuple[str, object]]:
    """Return the names in a table of a file, with their values; none if it cannot be read."""
    try:
        found = loads(text)[table].items()
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return []
    return [(name, value) for name, value in found if _NAME.fullmatch(name)]
