"""What hints tell people and models to do can be done."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import remora
from remora.interfaces.cli import load

ROOT = Path(remora.__file__).parent
_TOLD = re.compile(r"`remora ([a-z][^`]*)`")
_HOLE = re.compile(r"\{[^{}]*\}")


def texts(path: Path) -> Iterator[str]:
    """Yield the texts in a module; what an f-string fills in becomes X."""
    tree = ast.parse(path.read_text("utf-8"))
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(p.value) if isinstance(p, ast.Constant) else "X" for p in node.values)


def told() -> list[str]:
    """Return every command that a text of ours names."""
    found = {
        command for path in ROOT.rglob("*.py") for text in texts(path) for command in _TOLD.findall(text)
    }
    return sorted(found)


def test_there_are_hints() -> None:
    """The texts are found at all."""
    assert len(told()) > 50


@pytest.mark.parametrize("command", told())
def test_a_command_that_is_named_exists(command: str) -> None:
    """Its verb, the verb within a group, and its options are known."""
    words = shlex.split(_HOLE.sub("X", command.replace("…", "")).replace("'", ""))
    if "VERB" in words or words[0] == "X":
        return
    known = load(words[0])
    assert known is not None, words[0]
    rest = words[1:]
    if isinstance(known, click.Group) and rest and not rest[0].startswith("-") and rest[0] != "X":
        inner = known.get_command(click.Context(known), rest[0])
        assert inner is not None, command
        known, rest = inner, rest[1:]
    options = {name for param in known.params for name in (*param.opts, *param.secondary_opts)}
    assert {word.partition("=")[0] for word in rest if word.startswith("-")} <= options | {
        "--help",
        "--json",
        "--project",
    }
