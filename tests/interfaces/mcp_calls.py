"""A client in this process, for the tests of the MCP server."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

import anyio
from mcp import Client, MCPError
from mcp.types import CallToolResult, Tool

from remora.interfaces.mcp_server.server import Server, build
from remora.interfaces.mcp_server.tools import Tools

T = TypeVar("T")
MODES = ("auto", "legacy")  # 2026-07-28, and the revisions with a handshake


def with_client(server: Server, mode: str, act: Callable[[Client], Awaitable[T]]) -> T:
    """Connect a client in memory, let it act and return what it got; an error of the protocol is raised."""

    async def run() -> T | MCPError:
        async with Client(server, mode=mode) as client:
            try:
                return await act(client)
            except MCPError as error:  # raised in here, it would come out in a group
                return error

    found = anyio.run(run)
    if isinstance(found, MCPError):
        raise found
    return found


def text_of(result: CallToolResult) -> str:
    """Return the text of an answer, which is all that there is in it."""
    assert result.structured_content is None
    (block,) = result.content
    assert block.type == "text"
    return block.text


@functools.cache
def server_of(tools: Tools, *, read_only: bool) -> Server:
    """Return the server of some tools; making one takes longer than most tests."""
    return build(tools, read_only=read_only)


class Offered(NamedTuple):
    """What a server has for its clients."""

    instructions: str | None
    tools: dict[str, Tool]
    resources: list[str]
    prompts: list[str]


class Caller:
    """Calls tools of one server, which stays the same over all calls."""

    def __init__(self, tools: Tools, mode: str = "auto", *, read_only: bool = False) -> None:
        self.tools = tools
        self.server = server_of(tools, read_only=read_only)
        self.mode = mode

    def __call__(self, tool: str, **arguments: Any) -> str:
        """Return the answer to a call that must succeed."""
        result = self.result(tool, arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    def error(self, tool: str, **arguments: Any) -> str:
        """Return the answer to a call that must fail."""
        result = self.result(tool, arguments)
        assert result.is_error
        return text_of(result)

    def offered(self) -> Offered:
        """Return what the server offers."""

        async def act(client: Client) -> Offered:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            resources = [str(one.uri) for one in (await client.list_resources()).resources]
            templates = (await client.list_resource_templates()).resource_templates
            prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
            resources += [one.uri_template for one in templates]
            return Offered(client.instructions, tools, resources, prompts)

        return with_client(self.server, self.mode, act)

    def read(self, uri: str) -> str:
        """Return the text of a resource."""

        async def act(client: Client) -> str:
            (content,) = (await client.read_resource(uri)).contents
            assert content.mime_type == "text/markdown"
            return str(getattr(content, "text"))  # noqa: B009  it is no blob

        return with_client(self.server, self.mode, act)

    def prompt(self, name: str, **arguments: str) -> str:
        """Return the text of a prompt."""

        async def act(client: Client) -> str:
            (message,) = (await client.get_prompt(name, arguments)).messages
            assert message.role == "user"
            assert message.content.type == "text"
            return message.content.text

        return with_client(self.server, self.mode, act)

    def result(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """Return all of the answer to a call that may fail."""

        async def act(client: Client) -> CallToolResult:
            return await client.call_tool(tool, arguments)

        return with_client(self.server, self.mode, act)
