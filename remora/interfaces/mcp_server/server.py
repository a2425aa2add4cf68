"""MCP server of one project: registers tools, resources and prompts, and converts errors.

Each call runs in a thread and returns text. A `RemoraError` becomes a text with a hint; an unexpected error
becomes one line for the model and a traceback on stderr, never a crash.
"""

from __future__ import annotations

import functools
import json
import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, ParamSpec

import anyio
from mcp.server import MCPServer
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import (
    CallToolResult,
    ContentBlock,
    GetPromptResult,
    InputRequiredResult,
    ToolAnnotations,
    jsonrpc_message_adapter,
)
from mcp.types import Tool as MCPTool
from pydantic import AnyUrl, Field, ValidationError

import remora
from remora.app.project.arguments import SHORT
from remora.core.errors import NotFound, RemoraError
from remora.core.text import safe
from remora.interfaces.mcp_server import answers
from remora.interfaces.mcp_server.descriptions import INSTRUCTIONS, TOOLS, WAITING, Tool
from remora.interfaces.mcp_server.tools import Tools, one_or_many, without_nulls
from remora.interfaces.present import listed, unexpected

P = ParamSpec("P")
NAME = "remora"
MARKDOWN = "text/markdown"
SHOWN_ERRORS = 5
UNSAID = ("title", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
MOST_SAID = 1_000  # characters of an error
_logger = logging.getLogger(__name__)


class Server(MCPServer[Any]):
    """An MCP server whose messages about invalid arguments give a hint and never repeat the values.

    All answers and errors pass through the three methods `call_tool`, `read_resource` and `get_prompt`, which
    remove control characters and invisible characters.
    """

    _listed: tuple[MCPTool, ...] = ()  # they never change, and every call looks into them

    async def run_stdio_async(self) -> None:
        """Serve over stdin and stdout until stdin ends."""
        send, received = anyio.create_memory_object_stream[SessionMessage | Exception]()
        async with stdio_server() as (lines, answers_to), anyio.create_task_group() as group:

            async def pass_on() -> None:
                async with send:
                    async for line in lines:
                        await send.send(_mended(line))

            group.start_soon(pass_on)
            server = self._lowlevel_server
            await server.run(received, answers_to, server.create_initialization_options())

    async def list_tools(self) -> list[MCPTool]:
        """Return the tools with shortened schemas."""
        if not self._listed:
            self._listed = tuple(
                tool.model_copy(update={"input_schema": _short(tool.input_schema)})
                for tool in await super().list_tools()
            )
        return list(self._listed)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool by its name."""
        tools = {tool.name: tool for tool in await self.list_tools()}
        if name not in tools:
            raise ToolError(safe(f"unknown tool {name[:80]!r}; tools: {listed(tools)}"))
        takes = list(tools[name].input_schema.get("properties", {}))
        arguments = _by_short_names(without_nulls(arguments), takes)
        unknown = [key for key in arguments if key not in takes]
        try:
            result = await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            told = _refused(name, cause, takes, unknown) if isinstance(cause, ValidationError) else str(error)
            raise ToolError(safe(told)) from cause
        if isinstance(result, CallToolResult):
            if unknown and not result.is_error:
                _add_note(result, f"note: {_unknown(unknown)} ignored; {name} takes {_named(takes)}")
            _clean(result.content)
        return result

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """Read a resource by its URI."""
        try:
            found = await super().read_resource(uri, context)
        except ResourceError as error:
            raise type(error)(safe(str(error))) from error.__cause__
        if isinstance(found, InputRequiredResult):
            return found
        parts = list(found)
        for part in parts:
            if isinstance(part.content, str):
                part.content = safe(part.content)
        return parts

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Fill in a prompt by its name."""
        try:
            found = await super().get_prompt(name, arguments, context)
        except ValueError as error:
            raise ValueError(safe(str(error))) from error.__cause__
        if isinstance(found, GetPromptResult):
            _clean(message.content for message in found.messages)
        return found


def _mended(line: SessionMessage | Exception) -> SessionMessage | Exception:
    """Return the message of a line that was rejected for its lone surrogates, which become question marks.

    JSON.stringify escapes them, the SDK's parser rejects them, and a rejected request is never answered.
    """
    if not isinstance(line, ValidationError):
        return line
    try:
        message = json.loads(line.errors()[0]["input"])
        text = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
        return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))
    except (TypeError, ValueError, RecursionError):
        return line


def _short(schema: Any) -> Any:
    """Return a JSON schema without titles, defaults and bounds; error messages state the bounds."""
    if isinstance(schema, list):
        return [_short(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: value for name, value in schema.items() if name not in UNSAID or isinstance(value, dict)}
    return {name: _short(value) for name, value in kept.items()}


def build(tools: Tools, *, read_only: bool = False) -> Server:
    """Return the server of a project; the memory is opened by the first call that needs it.

    Args:
        tools: the tools on its memory.
        read_only: offer only read-only tools.
    """
    with _plain_log():
        server = Server(
            NAME, title="Remora", version=remora.__version__, instructions=INSTRUCTIONS, log_level="WARNING"
        )
    for offered in TOOLS:
        if not read_only or offered.reads:
            _add_tool(server, offered, getattr(tools, offered.name))
    if read_only:
        _add_tool(server, WAITING, tools.waiting)
    _add_resources(server, tools)
    _add_prompts(server, tools, read_only=read_only)
    return server


@contextmanager
def _plain_log() -> Iterator[None]:
    """Have the SDK configure its log as plain lines on stderr, as if rich were not installed.

    With rich it would draw boxes around tracebacks in the host's log file, and starting would take a
    twentieth longer.
    """
    missing = object()
    before = sys.modules.get("rich", missing)
    sys.modules["rich"] = None  # type: ignore[assignment]  # None: the import system raises ImportError
    try:
        yield
    finally:
        if before is missing:
            del sys.modules["rich"]
        else:
            sys.modules["rich"] = before  # type: ignore[assignment]


def _add_tool(server: Server, offered: Tool, method: Callable[..., str]) -> None:
    server.add_tool(
        _told(method, offered.name, ToolError, ToolError),
        name=offered.name,
        title=offered.title,
        description=offered.description,
        annotations=ToolAnnotations(
            read_only_hint=offered.reads,
            destructive_hint=offered.destroys,
            idempotent_hint=True,
            open_world_hint=False,
        ),
        meta={"anthropic/alwaysLoad": True} if offered.always else None,
        structured_output=False,  # a host with structured content does not show the text
    )


def _told(
    method: Callable[P, str], name: str, failed: type[Exception], missing: type[Exception]
) -> Callable[P, str]:

    @functools.wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> str:
        try:
            return method(*args, **kwargs)
        except NotFound as error:
            raise missing(_in_words(error)) from None
        except RemoraError as error:
            raise failed(_in_words(error)) from None
        except Exception as error:
            _logger.exception("%s failed", name)
            raise failed(unexpected(error)) from None

    return call


def _read(method: Callable[P, str]) -> Callable[P, str]:
    return _told(method, "a resource", ResourceError, ResourceNotFoundError)


def _add_resources(server: Server, tools: Tools) -> None:
    @server.resource(
        "remora://project/brief",
        title="Project brief",
        description="What a new session is told of the project.",
        mime_type=MARKDOWN,
    )
    @_read
    def project_brief() -> str:
        with tools.holder.use() as memory:
            return memory.status().brief or "Nothing is known of this project yet; see `remora init`."

    @server.resource(
        "remora://memory/{memory_id}",
        title="A memory",
        description="One memory by its id or the first characters of it: text, origins, trust.",
        mime_type=MARKDOWN,
    )
    @_read
    def memory(memory_id: str) -> str:
        return tools.why(memory_id)

    @server.resource(
        "remora://files/{+path}",
        title="Knowledge about a file",
        description="Memories about a file, its authors, dependencies, users and co-changed files.",
        mime_type=MARKDOWN,
    )
    @_read
    def file(path: str) -> str:
        with tools.holder.use() as memory:
            return answers.known_file(memory, path, tools.clock.now())


def _add_prompts(server: Server, tools: Tools, *, read_only: bool) -> None:
    @server.prompt(title="Recall", description="Summarize the memories about a topic.")
    def recall(
        topic: Annotated[str, Field(description="A question, a name, a path or some keywords.")],
    ) -> str:
        return (
            f"Look up in Remora's memory what is known about this: {topic}\n\n"
            "Call search_memory with it, and once more in other words if nothing is clearly about it. Then "
            "tell me what is remembered, each point with its id, how old it is and how sure it is. Say what "
            "is unverified or waits for review, and what the code contradicts. Add nothing of your own."
        )

    @server.prompt(title="Ask", description="Answer a question from memory, with citations.")
    def ask(question: Annotated[str, Field(description="The question.")]) -> str:
        from remora.app.recall import questions  # imported here: loads search, which few sessions need

        try:
            with tools.holder.use() as memory:
                passages = memory.passages(question)
        except RemoraError as error:
            return f"Tell me that memory cannot be asked: {_in_words(error)}"
        if not passages:
            return f"Tell me that memory does not say, and call search_memory for this first: {question}"
        return f"{questions.INSTRUCTIONS}\n{questions.prompt(question, passages)}"

    if not read_only:

        @server.prompt(title="Remember", description="Remember a statement about the project.")
        def remember(text: Annotated[str, Field(description="The statement, in your own words.")]) -> str:
            return (
                f"Remember this: {text}\n\n"
                "Call record_memory with it as one statement that can be understood on its own: keep my "
                "words where they are clear, put names in the place of words such as 'it' or 'here', name "
                "the files it is about. Several statements are several calls. Then tell me what was "
                "recorded, with the ids, and what it was merged with."
            )

        @server.prompt(title="Reflect", description="Record the lessons of a session.")
        def reflect(
            session: Annotated[str, Field(description="The id of a session; the latest by default.")] = "",
        ) -> str:
            try:
                with tools.holder.use() as memory:
                    found = memory.reflect(session or None)
            except RemoraError as error:
                return f"Tell me that there is nothing to reflect on: {_in_words(error)}"
            if not found.evidence:
                return "Tell me that no session of this project was found to reflect on."
            return (
                f"{found.text}\n\nCall search_memory for each memory that you write, and leave out what is "
                "remembered already. Record the others with record_memory, with the type and the files that "
                "they are about. Then tell me what was recorded, with the ids and the evidence of each."
            )

    @server.prompt(title="Review", description="Review the memories that wait for a decision.")
    def review() -> str:
        change = (
            "For each I will say keep, drop or neither. Then call review once with the ids that I named, and "
            "with no others."
        )
        told = "Tell me what I can do about each at a terminal." if read_only else change
        return (
            "Call review without ids and show me each memory that waits, with its id, text and reason. Do "
            f"not decide for me. {told}"
        )


# The tools that correspond to verbs of the command line; hints to a model name the tool.
TOOL_OF = {"list": "search_memory", "search": "search_memory", "context": "context_for_task"}
_COMMAND = re.compile(r"`remora ([a-z-]++)[^`]*`")
_END = re.compile(r"[.?!] ")  # of a sentence


def _in_words(error: RemoraError) -> str:
    text = str(error)
    if len(text) > MOST_SAID:  # it may repeat a long argument
        text = f"{text[:MOST_SAID]} …"
    end = "" if text.endswith((".", "!", "?")) else "."
    again = " Trying again may help." if error.retryable else ""
    hint = _COMMAND.sub(lambda found: f"`{TOOL_OF.get(found[1], found[0].strip('`'))}`", error.hint or "")
    before, command, after = hint.partition("`remora ")
    if command and "At a terminal" not in before:
        start = max((found.end() for found in _END.finditer(before)), default=0)
        hint = f"{before[:start]}At a terminal: {before[start:]}{command}{after}"
    return f"{text}{end}{' ' + hint if hint else ''}{again}"


def _by_short_names(arguments: dict[str, Any], takes: list[str]) -> dict[str, Any]:
    """Return arguments with the short names of a tool in place of the long names of the library."""
    given = dict(arguments)
    for short, name in SHORT.items():
        if short in takes and name in given:
            given[short] = [*one_or_many(given.get(short, ())), *one_or_many(given.pop(name))]
    return given


def _refused(name: str, error: ValidationError, takes: list[str], unknown: list[str]) -> str:
    """Return the message about invalid arguments; it does not repeat their values, which may be long."""
    wrong = []
    for one in error.errors(include_url=False, include_input=False, include_context=False)[:SHOWN_ERRORS]:
        where = ".".join(str(part) for part in one["loc"])
        wrong.append(f"{where} is missing" if one["type"] == "missing" else f"{where}: {one['msg']}")
    if unknown:
        wrong.append(_unknown(unknown))
    return f"{name} was not called: {'; '.join(wrong)}. It takes {_named(takes)}."


def _unknown(names: list[str]) -> str:
    return f"unknown argument {listed((repr(name[:40]) for name in names), SHOWN_ERRORS)}"


def _named(takes: list[str]) -> str:
    return listed(takes) or "no arguments"


def _clean(blocks: Iterable[ContentBlock]) -> None:
    for block in blocks:
        if block.type == "text":
            block.text = safe(block.text)


def _add_note(result: CallToolResult, note: str) -> None:
    for block in result.content:
        if block.type == "text":
            block.text = f"{block.text}\n{note}"
            return
