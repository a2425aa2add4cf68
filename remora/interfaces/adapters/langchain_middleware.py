"""Adapter for LangChain and deepagents: `create_agent(…, middleware=[RemoraMiddleware(memory)])`.

Injections are part of the requests to the model, not of the stored messages: the brief extends the system
message, memories about the task are appended to the user's message, and an injection between two steps is a
message of its own, at the same position in every later request. Only advice on a tool's result is appended
to that result and stored with it.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command

from remora.interfaces.adapters.guarded import ManySessions, aside, joined, quietly

if TYPE_CHECKING:
    from langchain.agents.middleware import ModelRequest, ModelResponse
    from langgraph.prebuilt.tool_node import ToolCallRequest

    from remora.app.agent.loop import Loop
    from remora.app.memory import Memory

HOST = "langchain"
SESSION = "remora_session"  # the private key of the agent's state that holds the session id of the run

SessionOf = Callable[[Mapping[str, Any]], str]


class RemoraState(AgentState, total=False):  # type: ignore[type-arg, call-arg, unused-ignore]
    """An agent's state with the id of Remora's session."""

    remora_session: Annotated[str, PrivateStateAttr]


class _Call(NamedTuple):
    """A tool call."""

    tool: str
    arguments: dict[str, Any]
    id: str


class _Run:
    """The injections of a session and their positions."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.brief: str | None = None
        self.heard: set[str] = set()  # recorded messages of the user
        self.beside: dict[str, str] = {}  # texts by the message that they are appended to
        self.after: dict[str, str] = {}  # texts by the message that they follow
        self.steps = 0
        self.prepared = ""  # the last message of the latest step for which an injection was asked


class RemoraMiddleware(ManySessions[_Run], AgentMiddleware):
    """Inject memories into an agent's requests and learn from its runs.

    Use it with `with`, or call `close`, so that runs that ended with an error are learned, too.

    Args:
        memory: an open memory.
        session_id: if None, each run is a session, learned when it ends. Else a function of the run's
            configuration, such as `lambda config: config["configurable"]["thread_id"]`: runs with the same
            result are one session, which lasts until `finish` is called.
        host: the name of your program.
        tools: the names of your own tools, mapped to "Read", "Edit", "Write", "Bash", "Grep", "Glob" or
            "WebFetch". Common names are mapped already.
    """

    state_schema = RemoraState
    tools = ()

    def __init__(
        self,
        memory: Memory,
        *,
        session_id: SessionOf | None = None,
        host: str = HOST,
        tools: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(memory, host, lambda _: _Run(), tools)
        self._session_of = session_id
        self._alone = uuid4().hex  # the session of an agent that does not call `before_agent`

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The run

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any]:  # noqa: ARG002
        """Store the run's session id in the state; it is quick, so an event loop may call it, too."""
        return {SESSION: self._session()}

    def after_agent(self, state: Any, runtime: Any) -> None:  # noqa: ARG002
        """Learn from a run that is a session of its own."""
        if self._session_of is None:
            self.finish(self._id_in(state))

    async def aafter_agent(self, state: Any, runtime: Any) -> None:  # noqa: ARG002
        """Do the same in a thread."""
        if self._session_of is None:
            await aside(None, self.finish, self._id_in(state))

    def close(self) -> None:
        """Learn from runs that never ended; save the sessions of the program, which may continue later."""
        for session in list(self._sessions) if self._session_of is None else ():
            self.finish(session)
        super().close()

    def _session(self) -> str:
        config: Mapping[str, Any] = quietly({}, get_config)
        if self._session_of is not None:
            own = quietly("", self._session_of, config)
            return own or uuid4().hex
        thread = (config.get("configurable") or {}).get("thread_id")
        return f"{thread}:{uuid4().hex[:12]}" if thread else uuid4().hex

    def _id_in(self, state: Any) -> str:
        found = state.get(SESSION) if isinstance(state, Mapping) else getattr(state, SESSION, None)
        return str(found or self._alone)

    # The model

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Add the injections to the request, and record the reply."""
        asked = quietly(request, self._with_what_is_said, request)
        response = handler(asked)
        quietly(None, self._heard_of, request, response)
        return response

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Do the same, asking the memory in a thread."""
        asked = await aside(request, self._with_what_is_said, request)
        response = await handler(asked)
        await aside(None, self._heard_of, request, response)
        return response

    def _with_what_is_said(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        session = self._id_in(request.state)
        run, loop = self._state(session), self._loop_of(session)
        messages = list(request.messages)
        with run.lock:
            if run.brief is None:
                run.brief = loop.brief()
            _take_in(run, loop, messages)
        made: list[Any] = []
        for number, message in enumerate(messages):
            place = _place(message, number)
            made.append(_with(message, run.beside.get(place, "")))
            if said := run.after.get(place):
                made.append(HumanMessage(said))
        system = request.system_message
        if run.brief:
            system = SystemMessage(run.brief) if system is None else _with(system, run.brief)
        return request.override(messages=made, system_message=system)

    def _heard_of(self, request: ModelRequest[Any], response: Any) -> None:
        messages = [response] if isinstance(response, BaseMessage) else getattr(response, "result", ())
        said = joined(*(_text(message) for message in messages if isinstance(message, AIMessage)))
        if said.strip():
            self._loop_of(self._id_in(request.state)).replied(said)

    # Tools

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Record a tool call and its result, and append the advice to the result."""
        advice = quietly("", self._before, request)
        try:
            result = handler(request)
        except GraphBubbleUp:  # an interrupt of the graph, not a failure of the tool
            raise
        except Exception as error:
            quietly("", self._failed, request, error)
            raise
        return quietly(result, self._after, request, result, advice)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Do the same, asking the memory in a thread."""
        advice = await aside("", self._before, request)
        try:
            result = await handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:
            await aside("", self._failed, request, error)
            raise
        return await aside(result, self._after, request, result, advice)

    def _before(self, request: ToolCallRequest) -> str:
        call = self._call(request)
        return self._loop(request).before(call.tool, call.arguments, call.id)

    def _failed(self, request: ToolCallRequest, error: Exception) -> str:
        call = self._call(request)
        text = f"{type(error).__name__}: {error}"
        return self._loop(request).after(call.tool, call.arguments, text, failed=True, call_id=call.id)

    def _after(
        self, request: ToolCallRequest, result: ToolMessage | Command[Any], advice: str
    ) -> ToolMessage | Command[Any]:
        call = self._call(request)
        message = _result_in(result, call.id)
        text = "" if message is None else _text(message)
        failed = message is not None and message.status == "error"
        said = self._loop(request).after(call.tool, call.arguments, text, failed=failed, call_id=call.id)
        said = joined(advice, said)
        if message is None or not said:
            return result
        told: ToolMessage = _with(message, said)
        if isinstance(result, Command):
            update = {**_updated(result)}
            update["messages"] = [told if one is message else one for one in update["messages"]]
            return replace(result, update=update)
        return told

    def _loop(self, request: ToolCallRequest) -> Loop:
        return self._loop_of(self._id_in(request.state))

    def _call(self, request: ToolCallRequest) -> _Call:
        call = request.tool_call
        return _Call(call["name"], dict(call["args"]), str(call.get("id") or ""))


def _take_in(run: _Run, loop: Loop, messages: Sequence[BaseMessage]) -> None:
    """Record the user's new message, ask for injections, and store them with their positions."""
    person = [(_place(m, n), m) for n, m in enumerate(messages) if isinstance(m, HumanMessage)]
    if person and person[-1][0] not in run.heard:
        place, message = person[-1]
        if run.heard:
            loop.heard(_text(message))
        elif said := loop.first_message(_text(message)):
            run.beside[place] = said
        run.heard.update(one for one, _ in person)
    last = _place(messages[-1], len(messages) - 1) if messages else ""
    if last == run.prepared:
        return  # a retry of the same request, as after an error of the model's server
    run.prepared = last
    injection = loop.prepare_step(run.steps)
    run.steps += 1
    if injection is not None and last:
        run.after[last] = injection.text


def _place(message: BaseMessage, number: int) -> str:
    """Return a key that identifies a message in its conversation."""
    return message.id or f"{number}:{type(message).__name__}"


def _text(message: BaseMessage) -> str:
    """Return the text of a message."""
    if isinstance(message.content, str):
        return message.content
    parts = (part if isinstance(part, str) else part.get("text", "") for part in message.content)
    return joined(*(str(part) for part in parts))


def _with(message: Any, said: str) -> Any:
    """Return a copy of a message with a text appended."""
    if not said:
        return message
    content = message.content
    more = joined(content, said) if isinstance(content, str) else [*content, {"type": "text", "text": said}]
    return message.model_copy(update={"content": more})


def _result_in(result: Any, call_id: str) -> ToolMessage | None:
    """Return the message with a call's result, also from the state update of a `Command`; None if absent."""
    if isinstance(result, ToolMessage):
        return result
    messages = _updated(result).get("messages", ()) if isinstance(result, Command) else ()
    return next((m for m in messages if isinstance(m, ToolMessage) and m.tool_call_id == call_id), None)


def _updated(command: Command[Any]) -> Mapping[str, Any]:
    return command.update if isinstance(command.update, Mapping) else {}
