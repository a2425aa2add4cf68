"""Find the checks that a project names: its tasks, and commands in rule files and CI workflows.

A task of make, just, mise, package.json, composer or tox is known by its name (`test`, `lint-css`). Private
tasks, those that need an argument, and npm's hooks of other scripts are left out. A rule file (AGENTS.md,
CLAUDE.md, CONTRIBUTING.md) has commands in fences and code spans; a workflow has them in its steps. Left out
are those with a placeholder, of several programs, and of files that do not exist. So is whatever also
publishes, deletes or watches.

Nothing is run or stored: the files are read at each call, so the result is up to date. Unreadable files have
no commands.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from remora.core.directive_words import NEGATES
from remora.core.errors import StoreError
from remora.core.fences import fence_after
from remora.core.programs import PROGRAMS
from remora.disk.files import read_small
from remora.shell.lines import bare, folder_of, in_folder, without_folder
from remora.shell.purposes import check_of, unwrapped

_PATH = re.compile(r"(?:\./)?[\w@+-][\w@+.-]*(?:/[\w@+.-]+)*(?:/\.\.\.|/)?")


def stands(root: Path, command: str, had: Callable[[str], bool]) -> bool:
    """Return whether no folder or file that a check names is gone: the project had it, and has it no more.

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


FOLDERS = 8  # maximum of folders above the edited files
MAX_BYTES = 400_000
LONGEST = 200  # characters of a command
RULE_FILES = ("AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", ".github/CONTRIBUTING.md")

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


_SPAN = re.compile(r"`([^`\n]{3,80})`")
_STEP = re.compile(r"^(\s*(?:-\s+)?)run:\s*(.*)$")
_INCOMPLETE = re.compile(
    r"[<>{}\[\]|;&$*\\]|(?<!/)\.{3}|::|\b[A-Z]{3,}\b(?!=)"
)  # placeholders, several programs, single tests


class NamedCheck(NamedTuple):
    """A command that the project names.

    Attributes:
        command: the command, with its folder.
        purpose: "format", "lint", "test" or "build".
        path: the file that names it, relative to the root.
        is_task: whether the file defines it as a task.
    """

    command: str
    purpose: str
    path: str
    is_task: bool = True


def named_checks(root: Path, files: Iterable[str] = ()) -> list[NamedCheck]:
    """Return the commands of a project that check a change: one for each purpose, then further ones.

    Args:
        root: the project's folder.
        files: the edited files, relative to it; the folders above these are searched too, the nearest first.
    """
    above = {parent.as_posix() for path in files for parent in PurePosixPath(path).parents if parent.parts}
    nearest = sorted(above, key=lambda folder: (-folder.count("/"), folder))[:FOLDERS]
    of_purpose: dict[str, dict[str, NamedCheck]] = {}
    for folder in (*nearest, ""):
        for check in chain(_tasks(root, folder), _named_in_text(root, folder)):
            of_purpose.setdefault(check.purpose, {}).setdefault(check.command, check)
    in_turn = zip_longest(*(checks.values() for checks in of_purpose.values()))
    return [check for check in chain.from_iterable(in_turn) if check]


def _tasks(root: Path, folder: str) -> Iterator[NamedCheck]:
    locks = ((root / place / lock, name) for place in (folder, "") for lock, name in _LOCKS.items())
    manager = next((name for lock, name in locks if lock.is_file()), "npm")
    for name, tasks in (READERS | {"package.json": partial(_scripts, manager=manager)}).items():
        path = posixpath.join(folder, name)
        # The plainer name is the task that runs the others.
        commands = sorted(tasks(_text(root / path)), key=lambda c: len(re.split(r"[:_.-]", c)))
        yield from _checks(commands, folder, path, is_task=True)


def _named_in_text(root: Path, folder: str) -> Iterator[NamedCheck]:
    for name in RULE_FILES:
        path = posixpath.join(folder, name)
        yield from _whole(root, folder, path, _in_markdown(_text(root / path)))
    for file in sorted(root.glob(".github/workflows/*.y*ml")) if not folder else ():
        yield from _whole(root, "", file.relative_to(root).as_posix(), _in_workflow(_text(file)))


def _whole(root: Path, folder: str, path: str, commands: Iterable[str]) -> Iterator[NamedCheck]:
    """Yield the checks among written commands that are complete, the shorter ones first."""
    at = root / folder
    whole = {one for one in commands if 0 < len(one) <= LONGEST and not _INCOMPLETE.search(one)}
    runs = (one for one in whole if (first := one.split()[0]) in PROGRAMS or (at / first).is_file())
    there = (one for one in runs if all((at / path).exists() for path in paths_in(one)))
    yield from _checks(sorted(there, key=lambda c: (c.count(" "), c)), folder, path, is_task=False)


def _checks(commands: Iterable[str], folder: str, path: str, *, is_task: bool) -> Iterator[NamedCheck]:
    for command in commands:
        purpose = check_of(tuple(command.split()))
        if purpose and not _NO_CHECK.search(command):
            yield NamedCheck(in_folder(folder, command), purpose, path, is_task)


def _text(file: Path) -> str:
    try:
        return (read_small(file, MAX_BYTES, links=True) or b"").decode("utf-8", "replace")
    except StoreError:
        return ""


def _in_markdown(text: str) -> Iterator[str]:
    """Yield the lines of fenced code, and the code spans of several words that no negator precedes."""
    fence = ""
    for line in text.split("\n"):
        inside, fence = fence, fence_after(line, fence)
        if inside and fence:
            yield line.strip().removeprefix("$ ").partition(" #")[0].rstrip()
        elif not fence:
            spans = (span for span in _SPAN.finditer(line) if " " in span[1])
            yield from (span[1] for span in spans if not NEGATES.search(line[: span.start()]))


def _in_workflow(text: str) -> Iterator[str]:
    """Yield the command lines of a GitHub workflow, unless it has a step in another folder."""
    if "working-directory:" in text:
        return
    block = None  # the indentation of the step whose lines follow
    for line in text.split("\n"):
        if step := _STEP.match(line):
            block = len(step[1])
            yield step[2].strip()
        elif block is not None and (len(line) - len(line.lstrip()) > block or not line.strip()):
            yield line.strip()
        else:
            block = None


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
