"""Hints that name a verb: of the command line for a person, a tool for a model."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

import remora
from remora.core.errors import NotFound
from remora.interfaces.cli import cli
from remora.interfaces.mcp_server.server import _in_words

FILLED = "filled-in"  # stands for what is known only at run time
COMMAND = re.compile(r"`(remora [a-z][^`]*)`")


def said(tree: ast.Module) -> Iterator[str]:
    """Yield the texts of a module without its docstrings; a placeholder stands for what is filled in."""
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else FILLED for p in node.values]
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def commands() -> list[str]:
    """Return every command that a text of the package names between backticks."""
    sources = [path.read_text("utf-8") for path in Path(remora.__file__).parent.rglob("*.py")]
    texts = (text for source in sources if "`remora " in source for text in said(ast.parse(source)))
    return sorted({found for text in texts for found in COMMAND.findall(text)})


def check(line: str) -> None:
    """Parse a command as the command line does, without running it."""
    words = shlex.split(line)[1:]
    command: click.Command = cli
    context = click.Context(cli, info_name="remora")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        if name == FILLED:
            return
        found = command.get_command(context, name)
        assert found is not None, f"{line}: there is no verb {name}"
        command, context = found, click.Context(found, context, info_name=name)
    command.make_parser(context).parse_args(words)


def test_what_a_hint_tells_to_run_exists() -> None:
    """Each verb and each option that a text of the package names is one that the command line takes."""
    lines = commands()
    assert len(lines) > 30
    for line in lines:
        check(line)


def test_a_model_is_told_of_tools() -> None:
    """Over MCP a hint names the tool that does it, and what no tool does is for a person at a terminal."""
    listed = NotFound("there is no memory 'x'", hint="`remora list` shows the ids.")
    assert _in_words(listed) == "there is no memory 'x'. `search_memory` shows the ids."
    begun = NotFound("nothing is known of 'x'", hint="`remora init` reads the history and the code.")
    assert _in_words(begun).endswith("At a terminal: `remora init` reads the history and the code.")
    nearly = NotFound("no x", hint="Did you mean y? Give a path. `remora index` reads new files.")
    assert _in_words(nearly) == (
        "no x. Did you mean y? Give a path. At a terminal: `remora index` reads new files."
    )
