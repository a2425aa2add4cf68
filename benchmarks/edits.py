"""Single edits of a Python file, as a person makes them, each timed until the graph knows of it."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.latency import timed
from remora.app.memory import Memory
from remora.graph.extract import extract

# From a file's source and a module to import to the edited source; None where the edit does not fit.
Edit = Callable[[str, str], str | None]


def edit_body(source: str, _: str) -> str | None:
    """Return the source with one more statement inside a function."""
    lines = source.splitlines(keepends=True)
    functions = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef)]
    for function in functions:
        last = function.body[-1]
        if len(function.body) > 1 and last.lineno > function.body[-2].end_lineno:  # type: ignore[operator]
            lines.insert(last.lineno - 1, f"{' ' * last.col_offset}edited = 1\n")
            return "".join(lines)
    return None


def add_function(source: str, _: str) -> str | None:
    """Return the source with one more function at its end."""
    return f"{source}\n\ndef added_by_an_edit(value):\n    return value\n"


def add_import(source: str, module: str) -> str | None:
    """Return the source with an import of another module of the project behind its last one."""
    imports = [n for n in ast.parse(source).body if isinstance(n, (ast.Import, ast.ImportFrom))]
    if not imports:
        return None
    lines = source.splitlines(keepends=True)
    lines.insert(imports[-1].end_lineno or 0, f"import {module}\n")
    return "".join(lines)


KINDS: dict[str, Edit] = {
    "inside a function": edit_body,
    "a function added": add_function,
    "an import added": add_import,
}


class Edits(NamedTuple):
    """Times of one kind of edit, beside those of extracting the edited file alone."""

    ours: list[float]
    bare: list[float]
    resolved: list[int]  # files whose names were resolved again


def edited(memory: Memory, project: Path, paths: Sequence[str], edit: Edit, count: int) -> Edits:
    """Edit so many files one after the other, bring each up to date, and take the edit back.

    Args:
        paths: Python files to try, in order.
    """
    found = Edits([], [], [])
    modules = [path.removesuffix(".py").replace("/", ".") for path in paths if "__init__" not in path]
    for at, path in enumerate(paths):
        if len(found.ours) == count:
            break
        file = project / path
        before = file.read_bytes()
        try:
            after = edit(before.decode(), modules[-1 - at % len(modules)])
        except (SyntaxError, UnicodeDecodeError):
            continue
        if after is None:
            continue
        file.write_bytes(after.encode())
        started = time.perf_counter()
        report = memory.index_files([path])
        found.ours.append(time.perf_counter() - started)
        found.resolved.append(report.resolved)
        source = after.encode()
        found.bare.append(timed(lambda source=source: extract(source, "python")))  # type: ignore[misc]
        file.write_bytes(before)
        memory.index_files([path])
    return found
