"""Verb `panel`: open the memories of this machine in a browser."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from remora.core.change import PERSON
from remora.core.errors import InvalidInput
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command
from remora.interfaces.present import dumps
from remora.net.listeners import listen

if TYPE_CHECKING:
    from remora.app.memory import Memory

PORT = 8766


@command("panel", epilog="Example: remora panel --demo")
@options.number("--port", default=PORT, least=0, most=65_535, text="0 for any free port.")
@click.option("--no-open", is_flag=True, help="Only print the address.")
@click.option("--demo", is_flag=True, help="Use sample data, which is deleted at the end.")
def panel(cli: CliContext, *, port: int, no_open: bool, demo: bool) -> None:
    """Prints an address that opens the panel once; Ctrl+C ends it. It listens on this machine only.

    With --json it prints the listening address and serves nothing.
    """
    if cli.json:
        click.echo(dumps({"host": "127.0.0.1", "port": port, "installed": _installed()}))
        return
    if not _installed():
        raise InvalidInput(
            "the panel needs jinja2, starlette and uvicorn, which are not installed",
            hint='Run `pip install "remora[panel]"`.',
        )
    from remora.app.memory import Memory
    from remora.interfaces.panel.app import HOST, serve

    def told(address: str) -> None:
        click.echo(address)
        sys.stdout.flush()
        if not no_open:
            webbrowser.open(address)

    bound = listen(HOST, port)
    with _shown(cli, demo=demo) as (memory, environ):
        serve(
            memory,
            lambda root: Memory.open(root, actor=PERSON, environ=environ, clock=cli.clock),
            bound,
            told,
            clock=cli.clock,
            environ=environ,
        )


@contextmanager
def _shown(cli: CliContext, *, demo: bool) -> Iterator[tuple[Memory, dict[str, str]]]:
    if not demo:
        yield cli.memory(), dict(os.environ)
        return
    from remora.interfaces.panel.demo import made_up

    with tempfile.TemporaryDirectory(prefix="remora-demo-") as folder:
        environ = {**os.environ, "REMORA_HOME": str(Path(folder) / "data")}
        yield made_up(Path(folder) / "tally", environ, cli.clock), environ


def _installed() -> bool:
    from importlib.util import find_spec

    return all(find_spec(name) is not None for name in ("jinja2", "starlette", "uvicorn"))
