"""Write the generated parts of the documentation: the module map, settings, commands, tables."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "remora"

# Top to bottom, as imports point.
LAYERS = (
    "interfaces",
    "app",
    "injection",
    "observer",
    "lifecycle",
    "sharing",
    "retrieval",
    "checks",
    "conversation",
    "journal",
    "entries",
    "graph",
    "sources",
    "store",
    "embeddings",
    "llm",
    "net",
    "disk",
    "shell",
    "core",
)


def sentence(path: Path) -> str:
    """Return the first sentence of a module's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    first = re.sub(r"\s+", " ", text.split("\n\n")[0]).strip()
    return first.replace("|", "\\|")


def module_map() -> str:
    """Return every module with its first sentence, package by package, top to bottom."""
    lines: list[str] = []
    packages = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()}
    assert packages == set(LAYERS), packages ^ set(LAYERS)
    for layer in LAYERS:
        folder = PACKAGE / layer
        lines += [
            f"\n**`{layer}/`** {sentence(folder / '__init__.py')}\n",
            "| module | what it does |",
            "|---|---|",
        ]
        for path in sorted(folder.rglob("*.py")):
            if path.name != "__init__.py":
                lines.append(f"| `{path.relative_to(PACKAGE).as_posix()}` | {sentence(path)} |")
    return "\n".join(lines)


def settings() -> str:
    """Return every setting with its description, variable and default."""
    from remora.core.config import CHOICES, keys, variable
    from remora.core.setting_descriptions import DESCRIPTIONS

    lines = ["| setting | description | variable | default | choices |", "|---|---|---|---|---|"]
    for key, default in keys().items():
        choices = ", ".join(CHOICES.get(key, ()))
        shown = f"`{default}`" if default != "" else ""
        lines.append(f"| `{key}` | {DESCRIPTIONS[key]} | `{variable(key)}` | {shown} | {choices} |")
    return "\n".join(lines)


def commands() -> str:
    """Return the help of every command, as it is printed."""
    import click

    from remora.interfaces.cli import cli

    parts = []
    with click.Context(cli, info_name="remora", max_content_width=100) as context:
        parts.append(f"```text\n{cli.get_help(context)}\n```")
        for name in cli.list_commands(context):
            command = cli.get_command(context, name)
            if command is None or command.hidden:
                continue
            with click.Context(command, info_name=name, parent=context, max_content_width=100) as own:
                parts.append(f"### remora {name}\n\n```text\n{command.get_help(own)}\n```")
                parts += _of_group(name, command, own)
    return "\n\n".join(parts)


def _of_group(name: str, command: click.Command, context: click.Context) -> list[str]:
    """Return the help of every command of a group; nothing for a command that is none."""
    import click

    found = []
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        with click.Context(inner, info_name=inner.name, parent=context, max_content_width=100) as own:
            found.append(f"#### remora {name} {inner.name}\n\n```text\n{inner.get_help(own)}\n```")
    return found


def tables() -> str:
    """Return every table of the database with the migration that made it."""
    found: dict[str, str] = {}
    for path in sorted((PACKAGE / "store" / "schema").glob("*.sql")):
        for kind, name in re.findall(r"CREATE (TABLE|VIRTUAL TABLE|VIEW) (\w+)", path.read_text("utf-8")):
            found[name] = f"| `{name}` | {kind.lower()} | `{path.name}` |"
    return "\n".join(
        ["| name | kind | made or remade by |", "|---|---|---|", *(found[n] for n in sorted(found))]
    )


def errors() -> str:
    """Return every error with its meaning, exit code and HTTP status."""
    from remora.core import errors as module

    lines = ["| error | exit code | HTTP | what it means |", "|---|---|---|---|"]
    for kind, code in module.EXIT_CODES.items():
        doc = (kind.__doc__ or "").strip().splitlines()[0]
        lines.append(f"| `{kind.__name__}` | {code} | {module.HTTP_STATUS[kind]} | {doc} |")
    return "\n".join(lines)
