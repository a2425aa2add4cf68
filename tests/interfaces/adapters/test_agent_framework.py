"""agent-framework with a scripted client: what the model is sent, what is captured, what sessions keep."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("agent_framework")

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
    tool,
)

from remora import Memory
from remora.interfaces.adapters.agent_framework import RemoraProvider
from tests.interfaces.adapters.talking import FUNCTIONS, PARTNERS, RULE, Broken, teach, told


class Script(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A client that answers what it is given to say, and keeps what it was sent."""

    def __init__(self, *answers: Any) -> None:
        super().__init__()
        self.answers = list(answers)
        self.sent: list[list[str]] = []
        self.instructions: list[str] = []

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        self.instructions.append(str(options.get("instructions") or ""))
        self.sent.append([shown(message) for message in messages])
        answer = self.answers.pop(0)
        contents = answer if isinstance(answer, list) else [Content.from_text(answer)]
        if stream:

            async def pieces() -> Any:
                yield ChatResponseUpdate(role="assistant", contents=contents)

            return ResponseStream(pieces(), finalizer=ChatResponse.from_updates)

        async def whole() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", contents)], response_id="r")

        return whole()


def shown(message: Message) -> str:
    """Return a message in a few words: who says it and what, or which result it brings."""
    parts = [
        c.text if c.type == "text" else f"{c.type}={c.result}" if c.type == "function_result" else c.type
        for c in message.contents
    ]
    return f"{message.role}: " + " | ".join(str(part) for part in parts)


def calls(name: str, call_id: str, **arguments: Any) -> Content:
    """Return a call of a tool."""
    return Content.from_function_call(call_id=call_id, name=name, arguments=json.dumps(arguments))


TOOLS = [tool(approval_mode="never_require")(one) for one in FUNCTIONS]


def agent_of(model: Script, remora: RemoraProvider) -> Any:
    """Return an agent with tools and the memory."""
    return Agent(client=model, instructions="Be brief.", tools=TOOLS, context_providers=[remora])


def go(model: Script, remora: RemoraProvider, task: str = "fix the cache", session: Any = None) -> str:
    """Run an agent to its end and return what it said."""
    return str(asyncio.run(agent_of(model, remora).run(task, session=session)).text)


def test_the_model_sees_each_word_where_it_belongs(speaking: Any) -> None:
    """Brief and first word are in the instructions, the rest with or after what it is about; all is heard."""
    model = Script([calls("read_file", "c1", path="a.py")], [calls("run", "c2", command="make")], "done")
    remora = RemoraProvider(speaking)
    assert go(model, remora, session=AgentSession(session_id="s")) == "done"
    assert all("BRIEF\n\nFIRST" in text and "Be brief." in text for text in model.instructions)
    assert [one.removesuffix("BRIEF\n\nFIRST") for one in model.sent[0]][-1:] == ["user: fix the cache"]
    result = "tool: function_result=text of a.py\n\nBEFORE read_file\n\nAFTER read_file"
    assert model.sent[1][-2:] == [result, "user: STEP 1"]
    assert model.sent[2][-5:-3] == [result, "user: STEP 1"]
    assert model.sent[2][-1] == "user: BEFORE run\n\nAFTER run\n\nSTEP 2"
    loop = speaking.loops["s"]
    assert loop.name == "agent-framework:s"
    assert loop.of("heard") == [("fix the cache",)]
    assert loop.of("after") == [
        ("read_file", {"path": "a.py"}, "text of a.py", False, "c1"),
        ("run", {"command": "make"}, "RuntimeError: cannot run make", True, "c2"),
    ]
    assert loop.of("replied") == [("done",)]
    remora.finish("s", "success")
    assert loop.of("finish") == [("success",)]


def test_a_session_goes_on(speaking: Any) -> None:
    """In later runs, also of a session that was stored, the first word stays; other sessions are apart."""
    model = Script([calls("read_file", "c1", path="a.py")], "one", "two", "other", "three")
    session = AgentSession(session_id="s")
    remora = RemoraProvider(speaking)
    go(model, remora, session=session)
    go(model, remora, "and now?", session=session)
    go(model, remora, "task of t", AgentSession(session_id="t"))
    again = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
    go(model, RemoraProvider(speaking), "and then?", session=again)
    assert len(set(model.instructions)) == 1
    loop = speaking.loops["s"]
    assert (len(loop.of("brief")), len(loop.of("first"))) == (2, 1)  # a new process may have news
    assert loop.of("heard") == [("fix the cache",), ("and now?",), ("and then?",)]
    assert "tool: function_result=text of a.py\n\nBEFORE read_file\n\nAFTER read_file" in model.sent[4]
    assert speaking.loops["t"].of("heard") == [("task of t",)]


def test_streaming(speaking: Any) -> None:
    """A streamed run is the same for the memory."""
    model = Script([calls("read_file", "c1", path="a.py")], "done")

    async def run_it() -> str:
        stream = agent_of(model, RemoraProvider(speaking)).run(
            "fix the cache", stream=True, session=AgentSession(session_id="s")
        )
        text = "".join([update.text async for update in stream])
        await stream.get_final_response()
        return text

    assert asyncio.run(run_it()) == "done"
    assert model.sent[1][-1] == "user: STEP 1"
    loop = speaking.loops["s"]
    assert [one[-1] for one in loop.of("after")] == ["c1"]
    assert loop.of("replied") == [("done",)]


def test_a_broken_memory_changes_nothing(memory: Memory) -> None:
    """With a memory that always fails the run is what it is without one."""
    remora = RemoraProvider(Broken(memory))  # type: ignore[arg-type]
    model = Script([calls("read_file", "c1", path="a.py")], "done")
    assert go(model, remora, session=AgentSession(session_id="s")) == "done"
    remora.finish("s")
    remora.close()
    assert set(model.instructions) == {"Be brief."}
    assert model.sent[1][-1] == "tool: function_result=text of a.py"


def test_the_documented_example(memory: Memory, example: Callable[..., dict[str, Any]]) -> None:
    """The example runs; what was taught comes at the start or beside the action, and is logged."""
    teach(memory)
    client = Script([calls("edit_file", "c1", path="cache.py")], "done")
    names = example("agent-framework", memory=memory, client=client, tools=TOOLS)
    assert names["response"].text == "done"
    assert RULE in client.instructions[0]
    assert PARTNERS not in client.instructions[0]
    assert PARTNERS in client.sent[1][-1]
    assert sorted(told(memory)) == ["brief", "partners"]
    remora = RemoraProvider(memory)
    client.answers = ["done"]
    go(client, remora, "why is the cache changed together with keys?", AgentSession(session_id="t"))
    assert PARTNERS in client.instructions[-1]
    assert remora.finish("t", "success") is not None
