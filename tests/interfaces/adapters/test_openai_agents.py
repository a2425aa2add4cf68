"""The OpenAI Agents SDK with a scripted model: what it is sent, what is captured, what a session holds."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("agents")

from agents import (
    Agent,
    ApplyPatchTool,
    LocalShellTool,
    Model,
    ModelResponse,
    RunConfig,
    Runner,
    ShellTool,
    Usage,
    function_tool,
    set_tracing_disabled,
)
from agents.memory import Session, SessionSettings
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseFunctionWebSearch,
    ResponseOutputMessage,
    ResponseOutputText,
)
from openai.types.responses.response_function_web_search import ActionSearch
from openai.types.responses.response_output_item import LocalShellCall, LocalShellCallAction, McpCall

from remora import Memory
from remora.core.errors import StoreFull
from remora.interfaces.adapters.openai_agents import RemoraHooks, RemoraSession
from tests.helpers import no_file_above
from tests.interfaces.adapters.talking import FUNCTIONS, PARTNERS, RULE, Broken, teach, told

set_tracing_disabled(disabled=True)


class Script(Model):
    """A model that answers what it is given to say, and keeps what it was sent."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.sent: list[tuple[str | None, list[Any]]] = []

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        """Answer with the next of the answers."""
        told = [*given, *named.values()]
        system_instructions, said = told[:2]
        items = [{"role": "user", "content": said}] if isinstance(said, str) else [dict(i) for i in said]
        self.sent.append((system_instructions, items))
        made = self.answers.pop(0)
        return ModelResponse(
            output=made if isinstance(made, list) else [made], usage=Usage(), response_id=None
        )

    async def stream_response(self, *given: Any, **named: Any) -> Any:
        """Answer in one piece."""
        whole = await self.get_response(*given, **named)
        response = Response.model_construct(id="r", output=whole.output, usage=None)
        yield ResponseCompletedEvent.model_construct(response=response, type="response.completed")


def says(text: str) -> ResponseOutputMessage:
    """Return a message of the model."""
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id="m1", content=[part], role="assistant", status="completed", type="message"
    )


def calls(name: str, call_id: str, **arguments: Any) -> ResponseFunctionToolCall:
    """Return a call of a tool."""
    return ResponseFunctionToolCall(
        name=name, call_id=call_id, arguments=json.dumps(arguments), type="function_call"
    )


TOOLS = [function_tool(one) for one in FUNCTIONS]


def go(model: Script, hooks: RemoraHooks, task: str = "fix the cache", **more: Any) -> str:
    """Run an agent to its end and return what it said."""
    agent = Agent(name="a", instructions="Be brief.", model=model, tools=more.pop("tools", TOOLS))
    config = RunConfig(call_model_input_filter=hooks.model_input, **more.pop("config", {}))
    return str(asyncio.run(Runner.run(agent, task, hooks=hooks, run_config=config, **more)).final_output)


def shape(items: list[Any]) -> list[str]:
    """Return items in a few words: what a message says, or what kind of item it is."""
    return [str(i.get("content")) if i.get("role") in ("user", "developer") else i["type"] for i in items]


def test_the_model_sees_each_word_where_it_belongs(speaking: Any) -> None:
    """The brief is in the instructions, the rest beside what it is about, at every later call."""
    model = Script(
        calls("read_file", "c1", path="a.py"),
        [calls("run", "c2", command="make"), calls("read_file", "c3", path="b.py")],
        says("done"),
    )
    assert go(model, RemoraHooks(speaking, "s")) == "done"
    assert [instructions for instructions, _ in model.sent] == ["Be brief.\n\nBRIEF"] * 3
    first = ["fix the cache", "FIRST"]
    said = "BEFORE read_file\n\nAFTER read_file\n\nSTEP 1"
    second = [*first, "function_call", "function_call_output", said]
    third = [*second, *["function_call"] * 2, *["function_call_output"] * 2]
    seen = [shape(items) for _, items in model.sent]
    assert [*seen[:2], seen[2][:-1]] == [first, second, third]
    parts = ("BEFORE run", "AFTER run", "BEFORE read_file", "AFTER read_file", "STEP 2")
    assert sorted(seen[2][-1].split("\n\n")) == sorted(parts)
    loop = speaking.loops["s"]
    assert loop.name == "openai-agents:s"
    assert loop.of("heard") == loop.of("first") == [("fix the cache",)]
    after = [one[:2] + one[3:] for one in loop.of("after")]
    assert sorted(after, key=lambda one: one[3]) == [
        ("read_file", {"path": "a.py"}, False, "c1"),
        ("run", {"command": "make"}, True, "c2"),
        ("read_file", {"path": "b.py"}, False, "c3"),
    ]
    assert loop.of("replied") == [("done",)]


def test_hooks_alone_capture(speaking: Any) -> None:
    """Without the filter nothing is put in front of the model, and all is captured."""
    model = Script(calls("read_file", "c1", path="a.py"), says("done"))
    agent = Agent(name="a", model=model, tools=TOOLS)
    asyncio.run(Runner.run(agent, "go on", hooks=RemoraHooks(speaking, "s")))
    assert shape(model.sent[1][1]) == ["go on", "function_call", "function_call_output"]
    assert speaking.loops["s"].of("heard") == [("go on",)]
    assert [one[-1] for one in speaking.loops["s"].of("after")] == ["c1"]


def test_a_broken_memory_changes_nothing(memory: Memory) -> None:
    """With a memory that always fails the run is what it is without one."""
    model = Script(calls("read_file", "c1", path="a.py"), says("done"))
    hooks = RemoraHooks(Broken(memory), "s")  # type: ignore[arg-type]
    assert go(model, hooks) == "done"
    hooks.finish()
    assert model.sent[1][0] == "Be brief."
    assert shape(model.sent[1][1]) == ["fix the cache", "function_call", "function_call_output"]


ODD: list[Any] = [
    {"role": "user", "content": "half of a pair \ud83d, a line\nend, \u2028 and ünï"},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA+/=="},
    {
        "type": "function_call",
        "call_id": "c",
        "name": "f",
        "arguments": '{"a": [2.5, null]}',
        "x": {"y": 1},
    },
    {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "t"}]},
]


def add(session: RemoraSession, items: list[Any]) -> None:
    """Add items to a session."""
    asyncio.run(session.add_items(items))


def kept(session: RemoraSession, limit: int | None = None) -> list[Any]:
    """Return the items that a session has."""
    return asyncio.run(session.get_items(limit))


def test_items_come_back_as_they_were(memory: Memory) -> None:
    """Items of every kind come back verbatim, in another object too; the latest ones oldest first."""
    limited = RemoraSession(memory, "chat/1 é", session_settings=SessionSettings(limit=2))
    assert isinstance(limited, Session)  # the SDK's own kind
    add(limited, ODD)
    again = RemoraSession(memory, "chat/1 é")
    assert [kept(again, limit) for limit in (None, 2, 0, 99)] == [ODD, ODD[2:], [], ODD]
    assert kept(limited) == ODD[2:]
    assert kept(RemoraSession(memory, "other")) == []
    assert os.name == "nt" or again.path.stat().st_mode & 0o777 == 0o600


def test_the_newest_is_popped_and_all_can_be_cleared(memory: Memory) -> None:
    """Popping gives the newest first and None at the end; what is added later stands behind the rest."""
    session = RemoraSession(memory, "s")
    add(session, ODD)
    assert [asyncio.run(session.pop_item()) for _ in range(2)] == [ODD[3], ODD[2]]
    add(session, ODD[3:])
    assert kept(RemoraSession(memory, "s")) == [ODD[0], ODD[1], ODD[3]]
    asyncio.run(session.clear_session())
    assert kept(session) == []
    assert asyncio.run(session.pop_item()) is None
    assert b"encrypted" not in session.path.read_bytes()


def test_two_at_once_lose_nothing(memory: Memory) -> None:
    """Items that several objects add at the same time are all there, each object's own in order."""
    numbers = [f"{n}.{k}" for k in range(10) for n in range(4)]

    async def all_of_them() -> None:
        own = [RemoraSession(memory, "s") for _ in range(4)]
        given = ((own[int(text[0])], [{"role": "user", "content": text}]) for text in numbers)
        await asyncio.gather(*(one.add_items(items) for one, items in given))

    asyncio.run(all_of_them())
    assert sorted(i["content"] for i in kept(RemoraSession(memory, "s"))) == sorted(numbers)


def test_a_torn_line_costs_itself(memory: Memory) -> None:
    """A line that a crash cut short is passed over, and what is added later is whole."""
    session = RemoraSession(memory, "s")
    add(session, ODD[:2])
    session.path.write_bytes(session.path.read_bytes() + b'{"item": {"role": "us')
    add(session, ODD[2:])
    assert kept(session) == ODD


def test_a_full_disk_is_told_and_loses_nothing(memory: Memory) -> None:
    """A write that fails raises and leaves nothing; the same items are whole once there is room."""
    session = RemoraSession(memory, "s")
    add(session, ODD[:1])
    with no_file_above(session.path.stat().st_size), pytest.raises(StoreFull):
        add(session, ODD[1:])
    assert kept(session) == ODD[:1]
    add(session, ODD[1:])
    assert kept(RemoraSession(memory, "s")) == ODD


def test_a_conversation_goes_on_in_another_process(memory: Memory) -> None:
    """The SDK's own runner stores a run with a tool call in the session and goes on from it later."""
    model = Script(calls("read_file", "c1", path="a.py"), says("one"), says("two"))
    agent = Agent(name="a", model=model, tools=TOOLS)
    for text in ("first", "second"):
        asyncio.run(Runner.run(agent, text, session=RemoraSession(memory, "s")))
    sent = shape(model.sent[2][1])
    assert sent == ["first", "function_call", "function_call_output", "message", "second"]


def test_what_the_provider_does_itself_is_noted(speaking: Any) -> None:
    """A search of the web and a call to a server that the provider made are noted as words from outside."""
    action = ActionSearch(type="search", query="lapsang")
    search = ResponseFunctionWebSearch(id="w1", status="completed", type="web_search_call", action=action)
    call = McpCall(
        id="m1", arguments='{"n": 1}', name="get", server_label="shop", type="mcp_call", output="tea"
    )
    go(Script([search, call, says("done")]), RemoraHooks(speaking, "s"))
    assert [one[:1] + one[2:] for one in speaking.loops["s"].of("after")] == [
        ("web_search_call", "", False, "w1"),
        ("mcp__shop__get", "tea", False, "m1"),
    ]


def test_tools_have_meanings(speaking: Any) -> None:
    """A tool that only the program knows is what the program says it is."""
    hooks = RemoraHooks(speaking, "s", tools={"read_file": "WebFetch"})
    go(Script(calls("read_file", "c1", path="a"), calls("edit_file", "c2", path="b"), says("done")), hooks)
    assert [one[0] for one in speaking.loops["s"].of("after")] == ["read_file", "edit_file"]
    assert speaking.tools == {"read_file": "fetch"}


def test_the_documented_example(memory: Memory, example: Callable[..., dict[str, Any]]) -> None:
    """The example runs; what was taught comes at the start or beside the action, and is logged."""
    teach(memory)
    model = Script(calls("edit_file", "c1", path="cache.py"), says("done"))
    names = example("OpenAI Agents SDK", memory=memory, model=model, tools=TOOLS)
    assert names["result"].final_output == "done"
    assert RULE in str(model.sent[0][0])
    assert PARTNERS not in str(model.sent[0])
    assert PARTNERS in str(model.sent[1][1])
    assert sorted(told(memory)) == ["brief", "partners"]
    assert len(kept(RemoraSession(memory, "chat-1"))) == 4


def test_a_streamed_run_is_the_same(speaking: Any) -> None:
    """Streaming, the model is sent the same and the loop is told the same."""
    hooks = RemoraHooks(speaking, "s")
    model = Script(calls("read_file", "c1", path="a.py"), says("done"))

    async def run_it() -> str:
        agent = Agent(name="a", model=model, tools=TOOLS)
        config = RunConfig(call_model_input_filter=hooks.model_input)
        streamed = Runner.run_streamed(agent, "fix the cache", hooks=hooks, run_config=config)
        async for _ in streamed.stream_events():
            pass
        return str(streamed.final_output)

    assert asyncio.run(run_it()) == "done"
    assert shape(model.sent[1][1])[-1] == "BEFORE read_file\n\nAFTER read_file\n\nSTEP 1"
    loop = speaking.loops["s"]
    assert [len(loop.of(kind)) for kind in ("heard", "after", "replied")] == [1, 1, 1]


def test_the_sdks_own_tools_are_noted(speaking: Any) -> None:
    """Shells and patches, whose hooks are told neither arguments nor ids, are noted with both."""
    made: Any = {"status": "completed"}
    action = LocalShellCallAction(command=["make", "check"], env={}, type="exec")
    local = LocalShellCall(id="i1", call_id="c1", type="local_shell_call", action=action, **made)
    shell = {"type": "shell_call", "id": "i2", "call_id": "c2", "action": {"commands": ["make"]}, **made}
    change = {"type": "update_file", "path": "cache.py", "diff": "-a\n+b"}
    patch = {"type": "apply_patch_call", "id": "i3", "call_id": "c3", "operation": change, **made}

    class Editor:
        def update_file(self, operation: Any) -> str:
            return f"changed {operation.path}"

        create_file = delete_file = update_file

    model = Script(local, shell, patch, says("done"))
    tools: list[Any] = [
        LocalShellTool(executor=lambda _: "built"),
        ShellTool(executor=lambda _: "made"),
        ApplyPatchTool(editor=Editor()),
    ]
    go(model, RemoraHooks(speaking, "s"), tools=tools)
    found = [
        (one[0], one[1].get("command", one[1].get("file_path")), one[4])
        for one in speaking.loops["s"].of("after")
    ]
    assert found == [
        ("local_shell", "make check", "c1"),
        ("shell", "make", "c2"),
        ("apply_patch", "cache.py", "c3"),
    ]
    assert [one for one in shape(model.sent[3][1]) if "AFTER" in one] == [
        f"BEFORE {name}\n\nAFTER {name}\n\nSTEP {step}"
        for step, name in enumerate(("local_shell", "shell", "apply_patch"), 1)
    ]


def test_who_goes_on_after_a_close_is_heard(memory: Memory) -> None:
    """After `close` the same hooks speak and hear again; a first prompt brings what it is about."""
    teach(memory)
    hooks = RemoraHooks(memory, "s")
    go(Script(says("one")), hooks, "please tidy this up")
    hooks.close()
    model = Script(calls("edit_file", "c1", path="cache.py"), says("two"))
    go(model, hooks, "and tidy that up")
    assert PARTNERS in str(model.sent[1])
    assert hooks.finish() is not None
    other = RemoraHooks(memory, "t")
    model = Script(says("done"))
    go(model, other, "why is the cache changed together with keys?")
    assert PARTNERS in model.sent[0][1][1]["content"]
    other.close()
