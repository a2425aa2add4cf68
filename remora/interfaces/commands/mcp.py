"""Verb `mcp`: serve the memory of a project over MCP."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from remora.core.collector import paused
from remora.core.errors import InvalidInput
from remora.interfaces.commands import options
from remora.interfaces.commands.cli_context import CliContext, command
from remora.interfaces.present import dumps
from remora.interfaces.words import say, speaking
from remora.net.listeners import listen

if TYPE_CHECKING:
    from remora.interfaces.mcp_server.lazy_memory import Holder
    from remora.interfaces.mcp_server.server import Server

TOKEN_VARIABLE = "REMORA_MCP_TOKEN"  # noqa: S105  a name, not a token
PORT = 8765
OF_HTTP = ("host", "port", "token_variable", "names")


@command("mcp", epilog="Example: claude mcp add remora -- remora mcp")
@click.option("--http", is_flag=True, help="Serve streamable HTTP at /mcp; needs a token.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen on."
)
@options.number("--port", default=PORT, least=0, most=65_535, text="0 for any free port.")
@click.option(
    "--token-env",
    "token_variable",
    default=TOKEN_VARIABLE,
    show_default=True,
    metavar="NAME",
    help="Environment variable with the token that requests must send.",
)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="Another host name of this server; repeatable.",
)
@click.option("--read-only", is_flag=True, help="Offer only read-only tools.")
@click.pass_context
def mcp(
    context: click.Context,
    cli: CliContext,
    *,
    http: bool,
    host: str,
    port: int,
    token_variable: str,
    names: tuple[str, ...],
    read_only: bool,
) -> None:
    """Speaks MCP over stdin and stdout; ends when stdin is closed.

    With --http it listens on a port and answers only requests with the header "Authorization: Bearer TOKEN".
    With --json it prints the entry for an MCP client's configuration and serves nothing.
    """
    given = [name for name in OF_HTTP if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if given and not http:
        raise click.UsageError("--host, --port, --token-env and --allow-host need --http")
    if cli.json:
        click.echo(dumps(entry(cli.project, host, port, token_variable, http=http, read_only=read_only)))
        return
    from remora.interfaces.mcp_server import transports
    from remora.interfaces.mcp_server.lazy_memory import Holder

    holder = Holder(cli.project, clock=cli.clock, read_only=read_only)
    transports.end_on_signals(holder)
    if not http:
        server = _built(cli, holder, read_only=read_only)
        if sys.stdin is not None and sys.stdin.isatty():
            cli.note(say("mcp.waiting"))
        with speaking("en"):  # the readers are agents
            transports.over_stdio(server, holder)
        return
    token = transports.token_from(os.environ, token_variable)
    bound = listen(host, port)
    server = _built(cli, holder, read_only=read_only)
    cli.note(say("mcp.serving", address=address(host, bound.getsockname()[1])))
    any_address = host in ("0.0.0.0", "::")  # noqa: S104  compared, not bound
    with speaking("en"):
        transports.over_http(server, holder, bound, token, names if any_address else (*names, _in_url(host)))


def _built(cli: CliContext, holder: Holder, *, read_only: bool) -> Server:
    """Return the server; its imports are most of the start time.

    Raises:
        InvalidInput: the package `mcp` is not installed.
    """
    with paused():  # imports create no garbage, and collecting would take a tenth of the time
        try:
            from remora.interfaces.mcp_server.server import build
            from remora.interfaces.mcp_server.tools import Tools
        except ImportError as error:
            if not (error.name or "").startswith(("mcp", "pydantic")):
                raise
            raise InvalidInput(
                "the MCP server needs the package mcp, 2.3 or later, which is not installed",
                hint='Run `pip install "remora[mcp]"`.',
            ) from None
        server = build(Tools(holder, cli.clock), read_only=read_only)
        gc.freeze()
    return server


def entry(
    project: str, host: str, port: int, token_variable: str, *, http: bool, read_only: bool
) -> dict[str, Any]:
    """Return the server's entry for a host's configuration, in the format of most hosts."""
    if http:
        headers = {"Authorization": f"Bearer ${{{token_variable}}}"}
        return {"mcpServers": {"remora": {"type": "http", "url": address(host, port), "headers": headers}}}
    words = ["-P", "-m", "remora", "mcp", *(["--read-only"] if read_only else [])]
    if project != ".":
        words += ["--project", os.path.abspath(project)]  # noqa: PTH100  as it is named, links and all
    return {"mcpServers": {"remora": {"type": "stdio", "command": sys.executable, "args": words}}}


def address(host: str, port: int) -> str:
    """Return the URL of a server at a host and port."""
    return f"http://{_in_url(host)}:{port}/mcp"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
