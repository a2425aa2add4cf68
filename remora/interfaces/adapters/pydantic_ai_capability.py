"""Adapter for pydantic-ai agents: `Agent(…, capabilities=[RemoraCapability(memory)])`.

The brief is an instruction. Memories about a prompt, injections between two steps and advice on results that
are not text are parts of the requests to the model, at the same position in each, and not of the run's
history. Advice on a tool's text result is appended to that text and stored with it. Two tools, `recall` and
`remember`, let the agent search and store memories itself.
"""

from __future__ import annotations

import asyncio
import copy
import json
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution
from pydantic_ai.messages import UserPromptPart
from pydantic_ai.toolsets import FunctionToolset

from remora.interfaces.adapters.guarded import ManySessions, aside, joined, quietly

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult
    from pydantic_ai.tools import ToolDefinition

    from remora.app.agent.loop import Loop
    from remora.app.memory import Memory

HOST = "pydantic-ai"
RECALL, REMEMBER = "recall", "remember"
BUDGET = 1_500  # tokens of an answer of `recall`
SILENT = "The memory is not available."

SessionOf = Callable[["RunContext[Any]"], str]


class _Run:
    """The injections of a session and their positions."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.brief: str | None = None
        self.heard: set[str] = set()  # ids of runs whose prompt was recorded
        self.said: list[tuple[Any, str]] = []  # texts, each with the message part that it follows
        self.waiting: list[str] = []  # texts for the next request
        self.steps = 0
        self.prepared: Any = None  # the last part of the latest request for which an injection was asked


class RemoraCapability(ManySessions[_Run], AbstractCapability[Any]):
    """Inject memories into an agent's requests and learn from its runs.

    Args:
        memory: an open memory.
        session_id: if None, each run is a session, learned when it ends. Else a function of the run's
            context, such as `lambda ctx: ctx.deps.conversation`: runs with the same result are one session,
            which lasts until `finish` is called.
        host: the name of your program.
        tools: the names of your own tools, mapped to "Read", "Edit", "Write", "Bash", "Grep", "Glob" or
            "WebFetch". Common names are mapped already.
        own_tools: whether the agent gets the tools `recall` and `remember`.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        session_id: SessionOf | None = None,
        host: str = HOST,
        tools: Mapping[str, str] | None = None,
        own_tools: bool = True,
    ) -> None:
        super().__init__(memory, host, lambda _: _Run(), tools)
        self._memory = memory
        self._session_of = session_id
        self._own_tools = own_tools
        self._session = uuid4().hex  # for an agent that does not call `for_run`

    # The run

    async def for_run(self, ctx: RunContext[Any]) -> Self:
        """Return a copy for one run, with its session id; all copies share the open loops."""
        own = copy.copy(self)
        run_id = str(getattr(ctx, "run_id", None) or uuid4().hex)
        own._session = quietly("", self._session_of, ctx) if self._session_of else run_id
        own._session = own._session or run_id
        return own

    async def wrap_run(
        self,
        ctx: RunContext[Any],  # noqa: ARG002
        *,
        handler: Callable[[], Awaitable[AgentRunResult[Any]]],
    ) -> AgentRunResult[Any]:
        """Run, then learn from a run that is a session of its own, even if it failed."""
        try:
            result = await handler()
        except BaseException as error:
            if self._session_of is None and isinstance(error, Exception):
                await aside(None, self.finish, self._session)
            elif self._session_of is None:  # cancelled: nothing may be awaited any more
                asyncio.get_running_loop().run_in_executor(None, self.finish, self._session)
            raise
        if self._session_of is None:
            await aside(None, self.finish, self._session)
        return result

    def _run(self) -> _Run:
        return self._state(self._session)

    def _loop(self) -> Loop:
        return self._loop_of(self._session)

    # Instructions and tools of the agent

    def get_instructions(self) -> Callable[[RunContext[Any]], Awaitable[str]]:
        """Return a function that returns the brief; it is called at each request, with the same result."""

        async def brief(ctx: RunContext[Any]) -> str:  # noqa: ARG001
            return await aside("", self._brief)

        return brief

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """Return the tools `recall` and `remember`."""
        return FunctionToolset([self.recall, self.remember]) if self._own_tools else None

    async def recall(self, question: str) -> str:
        """Look up what is remembered about this project: decisions, pitfalls, conventions, past sessions.

        Args:
            question: what you want to know, in a sentence or some keywords.
        """
        return await aside(SILENT, self._recall, question)

    async def remember(self, statement: str) -> str:
        """Remember something for later sessions: a decision, a pitfall, a preference, how something works.

        Args:
            statement: one statement that can be understood on its own.
        """
        return await aside(SILENT, self._remember, statement)

    def _brief(self) -> str:
        run = self._run()
        with run.lock:
            if run.brief is None:
                run.brief = self._loop().brief()
            return run.brief

    def _recall(self, question: str) -> str:
        found = self._memory.context(question, budget=BUDGET)
        return found.text if found.hits else "Nothing is remembered about that."

    def _remember(self, statement: str) -> str:
        record = self._memory.remember(statement)
        return f"Remembered as a {record.type.replace('_', ' ')}."

    # The model

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Add the injections to this request only."""
        messages = await aside(None, self._with_what_is_said, ctx, list(request_context.messages))
        return request_context if messages is None else replace(request_context, messages=messages)

    async def after_model_request(
        self,
        ctx: RunContext[Any],  # noqa: ARG002
        *,
        request_context: ModelRequestContext,  # noqa: ARG002
        response: ModelResponse,
    ) -> ModelResponse:
        """Record the model's reply."""
        await aside(None, self._heard_of, response)
        return response

    def _with_what_is_said(
        self, ctx: RunContext[Any], messages: Sequence[ModelMessage]
    ) -> list[ModelMessage] | None:
        if not messages or not messages[-1].parts:
            return None
        run, loop = self._run(), self._loop()
        last = messages[-1].parts[-1]
        with run.lock:
            if not _same(last, run.prepared):
                run.prepared = last
                texts = [self._hear(run, loop, ctx), *run.waiting]
                run.waiting.clear()
                injection = loop.prepare_step(run.steps)
                run.steps += 1
                if said := joined(*texts, injection.text if injection is not None else ""):
                    run.said.append((last, said))
            return [_with(message, run.said) for message in messages]

    def _hear(self, run: _Run, loop: Loop, ctx: RunContext[Any]) -> str:
        """Record the prompt, once per run, and return the injection for the first prompt of the session."""
        run_id, prompt = str(getattr(ctx, "run_id", "") or ""), _words(ctx.prompt)
        if run_id in run.heard or not prompt.strip():
            return ""
        first = not run.heard
        run.heard.add(run_id)
        if first:
            return loop.first_message(prompt)
        loop.heard(prompt)
        return ""

    def _heard_of(self, response: ModelResponse) -> None:
        said = joined(*(str(part.content) for part in response.parts if part.part_kind == "text"))
        if said.strip():
            self._loop().replied(said)

    # Tools

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],  # noqa: ARG002
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,  # noqa: ARG002
        args: dict[str, Any],
        handler: Callable[[dict[str, Any]], Awaitable[Any]],
    ) -> Any:
        """Record a tool call with its result or failure, and add the advice."""
        if self._own_tools and call.tool_name in (RECALL, REMEMBER):
            return await handler(args)
        tool, given, call_id = call.tool_name, dict(args), call.tool_call_id

        def after(text: str, *, failed: bool = False) -> str:
            return self._loop().after(tool, given, text, failed=failed, call_id=call_id)

        advice = await aside("", lambda: self._loop().before(tool, given, call_id))
        try:
            result = await handler(args)
        except (ApprovalRequired, CallDeferred, SkipToolExecution):  # the tool did not run
            raise
        except Exception as error:
            said = await aside("", after, _failure(error), failed=True)
            self._say_later(joined(advice, said))
            raise
        text = await aside("", _as_text, result)
        said = joined(advice, await aside("", after, text))
        if isinstance(result, str):
            return joined(result, said) if said else result
        self._say_later(said)
        return result

    def _say_later(self, said: str) -> None:
        if said:
            self._run().waiting.append(said)


def _with(message: ModelMessage, said: Sequence[tuple[Any, str]]) -> ModelMessage:
    """Return a copy of a message with the injections that follow its parts, or the message if none do."""
    texts = [text for after, text in said if any(_same(part, after) for part in message.parts)]
    if not texts or message.kind != "request":
        return message
    return replace(message, parts=[*message.parts, UserPromptPart("\n\n".join(texts))])


def _same(part: Any, other: Any) -> bool:
    """Return whether two parts are the same object, or equal after a round trip through a file."""
    return part is other or bool(part == other)


def _words(prompt: Any) -> str:
    """Return the text of a prompt, without its images and files."""
    if isinstance(prompt, str):
        return prompt
    parts = prompt if isinstance(prompt, Sequence) else ()
    return joined(*(p if isinstance(p, str) else str(getattr(p, "content", "") or "") for p in parts))


def _failure(error: Exception) -> str:
    """Return the text of a failure: the retry or failure message for the model if it has one."""
    part = getattr(error, "tool_retry", None) or getattr(error, "tool_failed", None)
    content = getattr(part, "content", None)
    return _as_text(content) if content else f"{type(error).__name__}: {error}"


def _as_text(result: Any) -> str:
    """Return a result as text, approximately as the model sees it."""
    value = getattr(result, "return_value", result)
    if isinstance(value, str):
        return value
    return json.dumps(
        value, ensure_ascii=False, default=lambda one: getattr(one, "__dict__", None) or str(one)
    )
