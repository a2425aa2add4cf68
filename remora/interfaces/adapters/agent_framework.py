"""Adapter for agent-framework: a context provider.

```text
remora = RemoraProvider(memory)
agent = Agent(client=client, context_providers=[remora])
await agent.run("fix the cache", session=agent.create_session())
remora.finish(session.session_id)
```

Before each run the provider extends the instructions and adds two middlewares. The function middleware
records each tool call and appends advice to its result. The chat middleware injects text between two steps.
The brief and the text for the first prompt are kept in the session's state, so that the instructions stay
the same from run to run.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agent_framework import (
    AgentSession,
    ChatContext,
    ChatMiddleware,
    Content,
    ContextProvider,
    FunctionInvocationContext,
    FunctionMiddleware,
    Message,
    SessionContext,
)
from agent_framework.exceptions import MiddlewareException, UserInputRequiredException

from remora.interfaces.adapters.guarded import ManySessions, aside, joined, woven

if TYPE_CHECKING:
    from agent_framework import SupportsAgentRun

    from remora.app.agent.loop import Loop
    from remora.app.memory import Memory

HOST = "agent-framework"
SOURCE = "remora"


class RemoraProvider(ManySessions["_Talk"], ContextProvider):
    """Record and inject into the sessions of an agent. An error of the memory never fails a run.

    Args:
        memory: an open memory.
        host: the name of your program.
        tools: the names of your own tools, mapped to names that Remora knows: Read, Edit, Write, Bash, Grep,
            Glob, and WebFetch for tools that return external text. Common names are mapped already.
        source_id: the provider's id among the context providers of the agent.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        host: str = HOST,
        tools: Mapping[str, str] | None = None,
        source_id: str = SOURCE,
    ) -> None:
        ContextProvider.__init__(self, source_id)
        ManySessions.__init__(self, memory, host, lambda name: _Talk(lambda: self._loop_of(name)), tools)

    async def before_run(
        self,
        *,
        agent: SupportsAgentRun,  # noqa: ARG002
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],
    ) -> None:
        """Extend the instructions, record the user's messages and add the middleware of the run."""
        name = context.session_id or session.session_id
        said = "\n\n".join(m.text for m in context.input_messages if m.role == "user" and m.text.strip())
        text = await aside("", self._begin, name, said, state)
        if text:
            context.extend_instructions(self.source_id, text)
        talk = self._state(name)
        context.extend_middleware(self.source_id, [_AroundTools(talk), _AroundRequests(talk)])

    async def after_run(
        self,
        *,
        agent: SupportsAgentRun,  # noqa: ARG002
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],  # noqa: ARG002
    ) -> None:
        """Record the model's replies, and the tool calls that the middleware did not see."""
        name = context.session_id or session.session_id
        if context.response is not None:
            await aside(None, self._end, name, list(context.response.messages))

    def _begin(self, name: str, said: str, state: dict[str, Any]) -> str:
        loop, talk = self._loop_of(name), self._state(name)
        if not talk.briefed:  # a brief in the state, from another process, may be outdated
            state["brief"] = loop.brief()
            talk.briefed = True
        if "first" not in state and said:
            state["first"] = loop.first_message(said)
        elif said:
            loop.heard(said)
        return joined(str(state.get("brief", "")), str(state.get("first", "")))

    def _end(self, name: str, messages: Sequence[Message]) -> None:
        loop, talk = self._loop_of(name), self._state(name)
        calls = {c.call_id: c for m in messages for c in m.contents if c.type == "function_call"}
        for message in messages:
            for content in message.contents:
                call = calls.get(content.call_id) if content.type == "function_result" else None
                if call is not None and talk.is_new(str(call.call_id)):
                    given, result = call.parse_arguments(), str(content.result or content.exception or "")
                    failed = content.exception is not None
                    name, call_id = str(call.name), str(call.call_id)
                    loop.after(name, dict(given or {}), result, failed=failed, call_id=call_id)
            if message.role == "assistant" and message.text.strip():
                loop.replied(message.text)


class _Talk:
    """The texts injected into a session, by the call whose result they follow, and the recorded calls."""

    def __init__(self, loop: Callable[[], Loop]) -> None:
        self.loop = loop
        self.briefed = False
        self._lock = threading.Lock()
        self._noted: set[str] = set()
        self._said: dict[str, list[str]] = {}
        self._steps = 0

    def is_new(self, call_id: str) -> bool:
        """Return whether a call was not recorded before, and record it."""
        with self._lock:
            new = call_id not in self._noted
            self._noted.add(call_id)
            return new

    def before(self, tool: str, arguments: Mapping[str, Any], call_id: str) -> str:
        """Return the advice before a tool call; empty for none."""
        self.is_new(call_id)
        return self.loop().before(tool, arguments, call_id)

    def after(
        self, tool: str, arguments: Mapping[str, Any], result: str, call_id: str, *, failed: bool = False
    ) -> str:
        """Return the advice on the result of a tool call; empty for none."""
        return self.loop().after(tool, arguments, result, failed=failed, call_id=call_id)

    def say(self, call_id: str, text: str) -> None:
        """Insert a text after the result of a call in every later request."""
        if text:
            with self._lock:
                self._said.setdefault(call_id, []).append(text)

    def step(self, messages: Sequence[Message]) -> list[Message]:
        """Return the messages of a request with earlier and new injections after the results."""
        injection = self.loop().prepare_step(self._steps)
        self._steps += 1
        last = next((ids[-1] for m in reversed(messages) if (ids := _results(m))), "")
        if injection is not None and last:
            self.say(last, injection.text)
        return woven(
            messages,
            lambda message: [text for name in _results(message) for text in self._said.get(name, ())],
            lambda message: message.role == "tool",
            lambda text: Message("user", [text]),
        )


class _AroundTools(FunctionMiddleware):
    """Record each tool call and append the advice to its result."""

    def __init__(self, talk: _Talk) -> None:
        self._talk = talk

    async def process(
        self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]
    ) -> None:
        """Run the tool; ask for advice before and after it."""
        tool, arguments = context.function.name, _arguments(context.arguments)
        call_id = str(context.metadata.get("call_id", ""))
        early = await aside("", self._talk.before, tool, arguments, call_id)
        try:
            await call_next()
        except (MiddlewareException, UserInputRequiredException):  # control flow of the run, not a tool error
            raise
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            late = await aside("", self._talk.after, tool, arguments, told, call_id, failed=True)
            self._talk.say(call_id, joined(early, late))
            raise
        late = await aside("", self._talk.after, tool, arguments, _text(context.result), call_id)
        if text := joined(early, late):
            made = _with(context.result, text)
            if made is None:
                self._talk.say(call_id, text)
            else:
                context.result = made


class _AroundRequests(ChatMiddleware):
    """Inject text between two steps into the request only, not into the stored messages."""

    def __init__(self, talk: _Talk) -> None:
        self._talk = talk

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Add the injections to the request and pass it on."""
        context.messages = await aside(context.messages, self._talk.step, list(context.messages))
        await call_next()


def _results(message: Message) -> list[str]:
    """Return the ids of the tool calls whose results a message contains."""
    return [str(c.call_id) for c in message.contents if c.type == "function_result" and c.call_id]


def _arguments(given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return dict(given)
    return dict(given.model_dump()) if hasattr(given, "model_dump") else {}


def _text(result: Any) -> str:
    if isinstance(result, list):
        return "\n".join(str(getattr(part, "text", None) or "") for part in result)
    return str(result)


def _with(result: Any, text: str) -> Any:
    """Return a result with a text appended; None if the result is neither text nor a list of contents."""
    if isinstance(result, str):
        return joined(result, text)
    if not isinstance(result, list) or not result or not all(isinstance(part, Content) for part in result):
        return None
    if result[-1].type != "text":
        return [*result, Content.from_text(text)]
    return [*result[:-1], Content.from_text(joined(result[-1].text or "", text))]
