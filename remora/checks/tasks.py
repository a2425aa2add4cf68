"""Read a project's tasks: mise, make, just, Task, package.json, composer, the runners of Python.

Each reader takes the text of a file and returns the commands to run, in the order of the file. Private tasks,
tasks that need an argument, and npm's automatic hooks of other scripts are left out. Invalid files have no
tasks.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

# Lock files beside a package.json show which manager runs its scripts.
LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}

WORKFLOWS = ".github/workflows"  # of CI

_TARGET = re.compile(
    r"^([A-Za-z][\w.-]*(?::[\w.-]+)*)(?:[ \t]+[A-Za-z][\w:.-]*)*[ \t]*::?(?![=:])", re.MULTILINE
)
_RECIPE = re.compile(r"^@?([A-Za-z][\w-]*)(?:[ \t]+[*+]?\w+=\S+|[ \t]+\*\w+)*[ \t]*:(?!=)", re.MULTILINE)
_KEY = re.compile(r"^( +)([A-Za-z][\w:.-]*):")
_NO_TESTS = re.compile(r"no tests? (?:specified|yet|configured)", re.IGNORECASE)
_AROUND = re.compile(r"(?:pre|post)[a-z]")
_TOX = re.compile(r"^\[(?:tox|testenv\b.*)\]", re.MULTILINE)


def scripts(text: str, runner: str) -> list[str]:
    """Return the scripts of a package.json as commands of its manager."""
    own = _table(_read(json.loads, text), "scripts")
    found = []
    for name, body in own.items():
        around = _AROUND.match(name) and re.sub("^(?:pre|post)", "", name) in own
        if not around and isinstance(body, str) and not _NO_TESTS.search(body):
            found.append(f"{runner} test" if name == "test" and runner != "bun" else f"{runner} run {name}")
    return found


def _mise(text: str) -> list[str]:
    tasks = _table(_read(tomllib.loads, text), "tasks")
    return [f"mise run {name}" for name, task in tasks.items() if not _table(task).get("hide")]


def _make(text: str) -> list[str]:
    return [f"make {name}" for name in _TARGET.findall(text) if "." not in name]


def _just(text: str) -> list[str]:
    return [f"just {name}" for name in _RECIPE.findall(text)]


def _taskfile(text: str) -> list[str]:
    """Return the keys below `tasks:`, at any indent, except internal ones."""
    found: list[str] = []
    inside, indent = False, ""
    for line in text.splitlines():
        bare = line.split("#", 1)[0].rstrip()
        if not bare:
            continue
        key = _KEY.match(bare)
        if not bare.startswith(" "):
            inside, indent = bare == "tasks:", ""
        elif inside and key and (key[1] == indent or not indent):
            indent = key[1]
            found.append(f"task {key[2]}")
        elif inside and found and bare.split() == ["internal:", "true"]:
            found.pop()
    return found


def _composer(text: str) -> list[str]:
    return [f"composer run {name}" for name in _table(_read(json.loads, text), "scripts")]


def _python(text: str) -> list[str]:
    tool = _table(_read(tomllib.loads, text), "tool")
    found = [f"poe {name}" for name in _table(tool, "poe", "tasks")]
    found += [f"pdm run {name}" for name in _table(tool, "pdm", "scripts")]
    for env, own in _table(tool, "hatch", "envs").items():
        prefix = "" if env == "default" else f"{env}:"
        found += [f"hatch run {prefix}{name}" for name in _table(own, "scripts")]
    return found + (["tox"] if "tox" in tool else [])


def _nox(text: str) -> list[str]:
    try:
        nodes = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef))
    return [f"nox -s {name}" for function in functions for name in _sessions(function)]


def _sessions(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the name of a function that is a nox session."""
    for decorator in function.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        target = call.func if call else decorator
        if "session" not in (getattr(target, "attr", ""), getattr(target, "id", "")):
            continue
        given = {word.arg: word.value for word in call.keywords} if call else {}
        named = given.get("name")
        said = named.value if isinstance(named, ast.Constant) else None
        yield said if isinstance(said, str) else function.name


READERS: dict[str, Callable[[str], list[str]]] = {
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
    "tox.ini": lambda text: ["tox"] if _TOX.search(text) else [],
    "composer.json": _composer,
}


def _read(loads: Callable[[str], object], text: str) -> object:
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None


def _table(value: object, *keys: str) -> dict[str, Any]:
    """Return the table at a path of keys, an empty one if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
