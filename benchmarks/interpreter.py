"""Which files of a project its import statements name, by the interpreter's own import system.

Nothing here knows of our resolver, and nothing but the standard library is used: the statements come from
`ast`, the modules from `importlib`. Two answers are given. `found` only looks for modules on the path, as
`importlib.util.find_spec` would without running a package. `ran` imports each module for real in a process
of its own, which tells a name that a package defines from a module inside it of the same name. What
cannot be imported here (a missing dependency, another system) keeps the first answer and is counted.

A statement names one file for each thing that it takes: `import a.b.c` the file of a.b.c and not the
packages on the way, `from a import b` the module a.b where b is one and the file of a otherwise, whether
it stands at the top, in a function or under `if TYPE_CHECKING`. The path begins with the folder above the
file's outermost package, which is where a script's own folder and pytest's would be, then src, then the
root.
"""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import BuiltinImporter, ModuleSpec, PathFinder
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

SECONDS = 300  # for importing all modules of a project

Pairs = set[tuple[str, str]]  # (importing file, named file), from the root, with "/"


class Statement(NamedTuple):
    """One thing that an import statement takes: a module, and a name out of it ("" for the module itself)."""

    file: str
    path: tuple[str, ...]
    module: str
    name: str
    line: int


class Named(NamedTuple):
    """What the statements of a project name.

    Attributes:
        found: pairs by looking alone.
        ran: pairs by importing, or by looking where that failed.
        statements: things taken out of modules of the project.
        not_run: those of them whose module could not be imported.
        lines: the first line of each pair, of either answer.
    """

    found: Pairs
    ran: Pairs
    statements: int
    not_run: int
    lines: dict[tuple[str, str], int]


def named_files(root: Path, files: list[str]) -> Named:
    """Return which other files the import statements of some Python files name.

    Raises:
        SyntaxError: a file cannot be parsed.
    """
    root = root.resolve()
    statements = [s for file in files for s in _statements(root, file)]
    looked = {s: target for s in statements if (target := _inside(root, _look(s.path, s.module, s.name)))}
    answers = _run(root, list(looked))
    found: Pairs = set()
    ran: Pairs = set()
    lines: dict[tuple[str, str], int] = {}
    for statement, target in looked.items():
        answer = answers.get(statement)
        for pairs, there in ((found, target), (ran, target if answer is None else _inside(root, answer))):
            if there and there != statement.file:
                pair = (statement.file, there)
                pairs.add(pair)
                lines[pair] = min(statement.line, lines.get(pair, statement.line))
    not_run = sum(1 for s in looked if answers.get(s) is None)
    return Named(found, ran, len(looked), not_run, lines)


def _inside(root: Path, file: str | None) -> str:
    """Return a file from the root, "" for one outside of it."""
    if not file:
        return ""
    path = Path(file).resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else ""


def _statements(root: Path, file: str) -> Iterator[Statement]:
    path, package = _path(root, file)
    for node in ast.walk(ast.parse((root / file).read_bytes(), file)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Statement(file, path, alias.name, "", node.lineno)
        elif isinstance(node, ast.ImportFrom):
            try:
                module = resolve_name("." * node.level + (node.module or ""), package)
            except ImportError:  # above the outermost package
                continue
            for alias in node.names:
                yield Statement(file, path, module, alias.name, node.lineno)


def _path(root: Path, file: str) -> tuple[tuple[str, ...], str]:
    """Return the path on which a file's imports are looked for, and the package that it is in."""
    folder = (root / file).parent
    base = folder
    while base != root and (base / "__init__.py").is_file():
        base = base.parent
    roots = [place for place in (root / "src", root) if place.is_dir()]
    top = base
    if base == folder:  # no package, or one without __init__.py
        top = next(place for place in roots if folder.is_relative_to(place))
    package = ".".join(folder.relative_to(top).parts)
    return tuple(dict.fromkeys(str(place) for place in (base, *roots))), package


@cache
def _spec(path: tuple[str, ...], module: str) -> ModuleSpec | None:
    """Return where a module lies, None when it is not on the path or built in."""
    parent, _, _ = module.rpartition(".")
    if not parent:
        return None if BuiltinImporter.find_spec(module) else PathFinder.find_spec(module, list(path))
    above = _spec(path, parent)
    if above is None or above.submodule_search_locations is None:
        return None
    return PathFinder.find_spec(module, list(above.submodule_search_locations))


def _look(path: tuple[str, ...], module: str, name: str) -> str | None:
    """Return the file that a statement names, by looking alone."""
    spec = _spec(path, module)
    if spec is None:
        return None
    if name and name != "*" and spec.submodule_search_locations is not None:
        inner = _spec(path, f"{module}.{name}")
        if inner is not None and inner.has_location:
            return inner.origin
    return spec.origin if spec.has_location else None


def _run(root: Path, statements: list[Statement]) -> dict[Statement, str | None]:
    """Return the file that each statement names when it is run, None where it could not be."""
    answers: dict[Statement, str | None] = {}
    for path in dict.fromkeys(s.path for s in statements):
        asked = [s for s in statements if s.path == path]
        done = subprocess.run(
            [sys.executable, "-s", "-P", __file__],
            cwd=root,
            input=json.dumps([path, [(s.module, s.name) for s in asked]]),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        # Modules print what they like; the answer is the last line. A module that ends the process ends
        # the answers of its path.
        last = done.stdout.rpartition("\n")[2]
        if done.returncode == 0 and last.startswith("["):
            answers.update(zip(asked, json.loads(last), strict=True))
    return answers


def _answer(module: str, name: str) -> str | None:
    """Return the file that a statement names, by importing its module into this process."""
    try:
        found = importlib.import_module(module)  # noqa: TID251  a package that is measured, by its name
        inner = getattr(found, name, None) if name and name != "*" else None
        if name and name != "*" and not hasattr(found, name):
            inner = _submodule(f"{module}.{name}")
    except (Exception, SystemExit):  # noqa: BLE001  a package may do anything when it is imported
        return None
    if isinstance(inner, ModuleType) and inner is sys.modules.get(f"{module}.{name}"):
        return inner.__file__
    return found.__file__


def _submodule(module: str) -> ModuleType | None:
    try:
        return importlib.import_module(module)  # noqa: TID251  as above
    except ModuleNotFoundError as error:
        if error.name == module:
            return None  # a name that is nowhere
        raise


def _main() -> None:
    path, asked = json.loads(sys.stdin.read())
    sys.path[:0] = path
    answers = [_answer(module, name) for module, name in asked]
    sys.stdout.write("\n" + json.dumps(answers))
    sys.stdout.flush()


if __name__ == "__main__":
    _main()
