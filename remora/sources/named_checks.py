"""The commands that a project says it is checked with: what its rule files name, and its own tasks.

A rule file (CLAUDE.md, AGENTS.md and the like at the root, and CONTRIBUTING.md) is read for its code: lines
of shell in fences, and code spans in its sentences, unless the words before them tell not to run it. Examples
are left out: what picks single tests, has placeholders, or is run in another folder; so is what holds a
secret. Tasks are those of mise, make, just, Task, package.json, composer.json and the Python runners; what one
is for is told by its name.

Nothing is run and nothing is kept: the files are read when somebody asks, so the answer is as new as they
are. What cannot be read names nothing.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from remora.core.decoding import decode
from remora.core.purposes import CHECKS, purpose_of
from remora.core.secrets import redact
from remora.core.shell import bare, commands_in
from remora.sources.cues import cue, whole
from remora.sources.rule_files import at_root
from remora.sources.rule_markdown import CODE_SPAN, FENCE
from remora.sources.rule_text import read

MOST = 60
LONGEST = 200  # characters of a command
MAX_BYTES = 400_000
_SENTENCE = 200  # characters before code that are looked at
_MORE = ("CONTRIBUTING.md", ".github/CONTRIBUTING.md")

_SHELLS = frozenset({"", "bash", "sh", "shell", "zsh", "console", "shell-session", "terminal"})
_PROMPT = re.compile(r"^\s*[$%>]\s+")
_REMARK = re.compile(r"(?:^|\s)#\s.*$")
_NOT_TO_RUN = cue(
    whole("never do.not don'?t avoid not instead.of rather.than cannot can't") + r"[^.;:]*:?\s*$"
)
_EXAMPLE = re.compile(
    r"<[\w-]|[{}\[\]…$]|(?<!/)\.\.\.|path/to|::|\bfoo\b|\bexample|your[-_]"
    r"|\s(?:-run|--run|-k|-t|--grep|--filter|--tests|-only|--testPathPattern|--test-name-pattern)\b",
    re.IGNORECASE,
)
_ONE_TEST = re.compile(r"(?:^|/)(?:test_\w+|[\w-]+[._-](?:test|spec))\.(?!sh\b)\w+$")
_ENDLESS = re.compile(r"watch|serve|\bdev\b|\bui\b|debug|interactive", re.IGNORECASE)
_BUILDS = re.compile(r"build|compile|bundle|assemble|package|\btsc\b|\ball$")  # installing checks nothing

_TARGET = re.compile(r"^([A-Za-z][\w:./-]*)(?:[ \t]+[A-Za-z][\w-]*)*[ \t]*:(?![=:])", re.MULTILINE)
_RECIPE = re.compile(r"^@?([A-Za-z][\w-]*)(?:[ \t]+[*+]?\w+=\S+|[ \t]+\*\w+)*[ \t]*:(?!=)", re.MULTILINE)
_YAML_KEY = re.compile(r"^  ([A-Za-z][\w:-]*):", re.MULTILINE)
_SESSION = re.compile(r"^@nox\.session[^\n]*\n(?:@[^\n]*\n)*def[ \t]+(\w+)", re.MULTILINE)


class NamedCheck(NamedTuple):
    """A command that a file of the project names.

    Attributes:
        command: one command, with the variables set for it.
        purpose: "format", "lint", "test" or "build".
        path: the file, relative to the root.
        is_task: it is only there to be run; no rule says that work is checked with it.
    """

    command: str
    purpose: str
    path: str
    is_task: bool


def named_checks(root: Path) -> list[NamedCheck]:
    """Return the commands that a project names, those of rule files first, each once."""
    found: dict[str, NamedCheck] = {}
    for path in dict.fromkeys((*at_root(root), *_MORE)):
        if raw := _bytes(root, path):
            for line in _code_of(raw):
                _add(found, line, path, is_task=False)
    for path, tasks in (_TASKS | {"package.json": partial(_package, root=root)}).items():
        if raw := _bytes(root, path):
            # The plainer name is the task that runs the others.
            for command in sorted(tasks(_text(raw)), key=lambda c: len(re.split(r"[:_.-]", c))):
                _add(found, command, path, is_task=True)
    return list(found.values())[:MOST]


def _bytes(root: Path, path: str) -> bytes:
    """Return what is in a file of the project, nothing where it cannot be read or lies outside."""
    try:
        file = (root / path).resolve(strict=True)
        if not file.is_relative_to(root.resolve()) or not file.is_file():
            return b""
        with file.open("rb") as opened:
            return opened.read(MAX_BYTES)
    except (OSError, RuntimeError):  # RuntimeError: links in a circle
        return b""


def _text(raw: bytes) -> str:
    try:
        return decode(raw)[0]
    except ValueError:
        return ""


def _code_of(raw: bytes) -> Iterator[str]:
    """Yield the lines of code that may be run: those of fences, and spans of more than a program's name."""
    try:
        lines = read(raw).body.replace("\\\n", " ").split("\n")
    except ValueError:
        return
    fence, runs, before = "", False, ""
    for line in lines:
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
            elif runs:
                yield _REMARK.sub("", _PROMPT.sub("", line))
        elif mark:
            fence, runs = (
                mark[1],
                mark[2].strip().lower() in _SHELLS and not _NOT_TO_RUN.search(before[-_SENTENCE:]),
            )
        elif line.strip():
            before = line
            for span in CODE_SPAN.finditer(line):
                code = span[0].strip("`")
                if " " in code.strip() and not _NOT_TO_RUN.search(
                    line[max(0, span.start() - _SENTENCE) : span.start()]
                ):
                    yield code


def _add(found: dict[str, NamedCheck], line: str, path: str, *, is_task: bool) -> None:
    """Note the checks of a line, unless it is an example, never ends, or is run somewhere else."""
    if _EXAMPLE.search(line) or _ENDLESS.search(line):
        return
    commands = commands_in(line)
    if any(command.startswith(("cd ", "pushd ")) for command in commands):
        return
    for command in commands:
        words = tuple(bare(command).split())
        purpose = purpose_of(words)
        if purpose not in CHECKS or (purpose == "build" and not _BUILDS.search(bare(command))):
            continue
        if len(command) > LONGEST or any(_ONE_TEST.search(word) for word in words[1:]):
            continue
        if command not in found and not redact(command)[1]:
            found[command] = NamedCheck(command, purpose, path, is_task)


# Tasks: what a file of tasks offers, as one runs it


def _mise(text: str) -> list[str]:
    return [f"mise run {name}" for name in _table(_toml(text), "tasks")]


def _make(text: str) -> list[str]:
    return [f"make {name}" for name in _TARGET.findall(text) if "/" not in name and "." not in name]


def _just(text: str) -> list[str]:
    return [f"just {name}" for name in _RECIPE.findall(text)]


def _taskfile(text: str) -> list[str]:
    _, _, tasks = text.partition("\ntasks:")
    return [f"task {name}" for name in _YAML_KEY.findall(re.split(r"\n(?=\S)", tasks)[0])]


def _package(text: str, root: Path) -> list[str]:
    runner = next((name for lock, name in _LOCKS.items() if (root / lock).is_file()), "npm")
    scripts = _table(_json(text), "scripts")
    return [
        f"{runner} test" if name == "test" and runner != "bun" else f"{runner} run {name}" for name in scripts
    ]


def _composer(text: str) -> list[str]:
    return [f"composer run {name}" for name in _table(_json(text), "scripts")]


def _python(text: str) -> list[str]:
    """The runners that pyproject.toml knows: poe, pdm, hatch, tox."""
    tool = _table(_toml(text), "tool")
    found = [f"poe {name}" for name in _table(tool, "poe", "tasks")]
    found += [f"pdm run {name}" for name in _table(tool, "pdm", "scripts")]
    for env, own in _table(tool, "hatch", "envs").items():
        prefix = "" if env == "default" else f"{env}:"
        found += [f"hatch run {prefix}{name}" for name in _table(own, "scripts")]
    return found + (["tox"] if "tox" in tool else [])


def _nox(text: str) -> list[str]:
    return [f"nox -s {name}" for name in _SESSION.findall(text)]


_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}
_TASKS: dict[str, Callable[[str], list[str]]] = {
    "mise.toml": _mise,
    ".mise.toml": _mise,
    "Makefile": _make,
    "makefile": _make,
    "GNUmakefile": _make,
    "justfile": _just,
    "Justfile": _just,
    "Taskfile.yml": _taskfile,
    "Taskfile.yaml": _taskfile,
    "pyproject.toml": _python,
    "noxfile.py": _nox,
    "tox.ini": lambda _: ["tox"],
    "composer.json": _composer,
}


def _toml(text: str) -> object:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _table(value: object, *keys: str) -> dict[str, Any]:
    """Return the table found by following keys, an empty one where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
