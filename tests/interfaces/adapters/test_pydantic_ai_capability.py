"""The pydantic-ai capability in pydantic-ai's own agent: what the model sees, what is kept and learned."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("pydantic_ai.capabilities")

from pydantic_ai import Agent, CallDeferred, DeferredToolRequests, ModelRetry, RunContext, ToolReturn
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from remora import Memory
from remora.interfaces.adapters.pydantic_ai_capability import RemoraCapability
from tests.helpers import texts
from tests.interfaces.adapters.talking import PARTNERS, RULE, Broken, all_apart, edit_file, only, teach, told

TASK = "The cache mixes up tenants."


class Script:
    """A model that answers with prepared responses, and keeps what it was sent."""

    def __init__(self, *answers: ModelResponse) -> None:
        self._answers = list(answers)
        self.sent: list[list[str]] = []
        self.instructions: list[str | None] = []
        self.tools: list[list[str]] = []
        self.model = FunctionModel(self.answer, stream_function=self.stream)

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        """Answer one request."""
        self.sent.append([text for message in messages for text in shown(message)])
        self.instructions.append(info.instructions)
        self.tools.append(sorted(tool.name for tool in info.function_tools))
        return self._answers.pop(0)

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        """Answer one request bit by bit."""
        for number, part in enumerate(self.answer(messages, info).parts):
            if isinstance(part, TextPart):
                for word in part.content:
                    yield word
            elif isinstance(part, ToolCallPart):
                args = part.args_as_json_str()
                yield {number: DeltaToolCall(part.tool_name, args, tool_call_id=part.tool_call_id)}


def shown(message: ModelMessage) -> list[str]:
    """Return what a message says, part by part."""
    found: list[str] = []
    for part in message.parts:
        content = getattr(part, "content", None)
        if content is None:
            found.append(f"-> {getattr(part, 'tool_name', '?')}")
        else:
            found += map(str, content) if isinstance(content, list) else [str(content)]
    return found


def calls(*asked: tuple[str, dict[str, Any]], text: str = "") -> ModelResponse:
    """Return an answer that calls tools."""
    parts = [ToolCallPart(name, args, tool_call_id=f"{name}-{n}") for n, (name, args) in enumerate(asked)]
    return ModelResponse([*([TextPart(text)] if text else []), *parts])


def answer(text: str) -> ModelResponse:
    """Return an answer in words."""
    return ModelResponse([TextPart(text)])


def look_up(name: str) -> dict[str, Any]:
    """Return something that is no text."""
    return {"name": name, "n": [1, 2]}


def picture() -> ToolReturn:
    """Return a value with more beside it."""
    return ToolReturn(return_value="a value", content="more of it", metadata={"m": 1})


def run_command(command: str) -> str:
    """Ask for another try."""
    raise ModelRetry("make: no rule")


def break_down() -> str:
    """Fail in a way that nobody expects."""
    raise OSError("the disk is gone")


def wait_for() -> str:
    """Be done by somebody else, later."""
    raise CallDeferred


TOOLS: list[Any] = [edit_file, look_up, picture, run_command, break_down, wait_for]


def agent_of(script: Script, remora: Any, **more: Any) -> Agent[Any, Any]:
    """Return an agent with every tool."""
    given: dict[str, Any] = {"instructions": "You mend.", "tools": TOOLS, "retries": 3, **more}
    return Agent(script.model, capabilities=[remora], **given)


def test_what_the_model_sees(speaking: Any) -> None:
    """All four points reach the model, each at the same place in every later request; the history has one."""
    script = Script(
        calls(("edit_file", {"path": "a.py"}), text="First a."),
        calls(("look_up", {"name": "x"})),
        answer("done"),
    )
    result = agent_of(script, RemoraCapability(speaking)).run_sync(TASK)
    assert result.output == "done"
    changed = "changed a.py\n\nBEFORE edit_file\n\nAFTER edit_file"
    value = "{'name': 'x', 'n': [1, 2]}"
    first = [TASK, "FIRST"]
    second = [*first, "First a.", "-> edit_file", changed, "STEP 1"]
    third = [*second, "-> look_up", value, "BEFORE look_up\n\nAFTER look_up\n\nSTEP 2"]
    assert script.sent == [first, second, third]
    assert script.instructions == ["You mend.\n\nBRIEF"] * 3
    kept = [text for message in result.all_messages() for text in shown(message)]
    assert kept == [TASK, "First a.", "-> edit_file", changed, "-> look_up", value, "done"]
    loop = only(speaking)
    assert loop.of("before") == [
        ("edit_file", {"path": "a.py"}, "edit_file-0"),
        ("look_up", {"name": "x"}, "look_up-0"),
    ]
    assert loop.of("after") == [
        ("edit_file", {"path": "a.py"}, "changed a.py", False, "edit_file-0"),
        ("look_up", {"name": "x"}, '{"name": "x", "n": [1, 2]}', False, "look_up-0"),
    ]
    assert loop.of("heard") == [(TASK,)]
    assert loop.of("replied") == [("First a.",), ("done",)]
    assert loop.of("finish") == [(None,)]
    assert loop.of("brief") == [("",)]


def test_streamed(speaking: Any) -> None:
    """A streamed run sees and is told the same; a call to be tried again is a failure, and heard of."""
    script = Script(calls(("run_command", {"command": "make"})), answer("done"))

    async def go() -> str:
        async with agent_of(script, RemoraCapability(speaking)).run_stream(TASK) as result:
            return str(await result.get_output())

    assert asyncio.run(go()) == "done"
    assert script.sent[0] == [TASK, "FIRST"]
    assert script.sent[1][-1] == "BEFORE run_command\n\nAFTER run_command\n\nSTEP 1"
    loop = only(speaking)
    assert [one[2:] for one in loop.of("after")] == [("make: no rule", True, "run_command-0")]
    assert (loop.of("replied"), loop.of("finish")) == ([("done",)], [(None,)])


def test_a_failing_memory_changes_nothing(memory: Memory) -> None:
    """With a memory that fails at every question the agent's run is the one it would be without."""
    lost: Any = Broken(memory)
    found = []
    for capabilities in ([RemoraCapability(lost, own_tools=False)], []):
        script = Script(
            calls(("edit_file", {"path": "a"}), ("look_up", {"name": "b"}), ("picture", {})),
            calls(("run_command", {"command": "make"})),
            answer("done"),
        )
        agent: Any = Agent(
            script.model, instructions="You mend.", tools=TOOLS, retries=3, capabilities=capabilities
        )
        kept = list(map(shown, agent.run_sync(TASK).all_messages()))
        found.append((kept, script.sent, script.instructions, script.tools))
    assert found[0] == found[1]
    words = ("recall", {"question": "cache?"}), ("remember", {"statement": "The cache is cold"})
    asking = Script(calls(*words), answer("x"))
    agent_of(asking, RemoraCapability(lost)).run_sync(TASK)
    assert asking.sent[1][-2:] == ["The memory is not available."] * 2


def test_a_tool_that_breaks(speaking: Any) -> None:
    """An exception of a tool ends the run as it would without us, and is learned."""
    script = Script(calls(("break_down", {})))
    with pytest.raises(OSError, match="the disk is gone"):
        agent_of(script, RemoraCapability(speaking)).run_sync(TASK)
    loop = only(speaking)
    assert loop.of("after") == [("break_down", {}, "OSError: the disk is gone", True, "break_down-0")]
    assert loop.of("finish") == [(None,)]


def test_a_run_that_is_cancelled(speaking: Any) -> None:
    """Who cancels a run is not kept waiting, and what was done is learned all the same."""

    async def go() -> None:
        started = asyncio.Event()

        async def slow() -> str:
            """Take long."""
            started.set()
            await asyncio.sleep(60)
            return "never"

        agent = agent_of(Script(calls(("slow", {}))), RemoraCapability(speaking), tools=[slow])
        task = asyncio.create_task(agent.run(TASK))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())
    assert only(speaking).of("finish") == [(None,)]


def test_results_of_other_shapes(speaking: Any) -> None:
    """A value with more beside it keeps both, and a call that is put off was not made."""
    script = Script(calls(("picture", {})), calls(("wait_for", {})))
    agent = agent_of(script, RemoraCapability(speaking), output_type=[str, DeferredToolRequests])
    result = agent.run_sync([TASK, "And soon."])
    assert isinstance(result.output, DeferredToolRequests)
    assert script.sent[0] == [TASK, "And soon.", "FIRST"]
    assert script.sent[1][-3:] == ["a value", "more of it", "BEFORE picture\n\nAFTER picture\n\nSTEP 1"]
    loop = only(speaking)
    assert loop.of("heard") == [(f"{TASK}\n\nAnd soon.",)]
    assert [one[0] for one in loop.of("after")] == ["picture"]
    assert [one[0] for one in loop.of("before")] == ["picture", "wait_for"]


def test_runs_of_one_conversation(speaking: Any) -> None:
    """Each run is learned by itself, unless the program says what a session is; then until told."""
    script = Script(answer("one"), answer("two"))
    apart = agent_of(script, RemoraCapability(speaking))
    history = apart.run_sync("A?").all_messages()
    apart.run_sync("B?", message_history=history)
    assert [loop.of("heard") for loop in speaking.loops.values()] == [[("A?",)], [("B?",)]]
    assert script.sent[1] == ["A?", "one", "B?", "FIRST"]
    speaking.loops.clear()

    @dataclass
    class Deps:
        chat: str

    def chat_of(ctx: RunContext[Deps]) -> str:
        return str(ctx.deps.chat)

    remora = RemoraCapability(speaking, session_id=chat_of, host="shop")
    script = Script(calls(("edit_file", {"path": "a"})), answer("three"), answer("four"))
    together = agent_of(script, remora)
    first = together.run_sync("C?", deps=Deps("u"))
    # As from a program's own database.
    kept = ModelMessagesTypeAdapter.validate_json(first.all_messages_json())
    together.run_sync("D?", deps=Deps("u"), message_history=kept)
    loop = only(speaking)
    assert loop.name == "shop:u"
    assert loop.of("heard") == [("C?",), ("D?",)]
    assert loop.of("finish") == []
    edited = "changed a\n\nBEFORE edit_file\n\nAFTER edit_file"
    assert script.sent[2] == ["C?", "FIRST", "-> edit_file", edited, "STEP 1", "three", "D?", "STEP 2"]
    remora.finish("u", "success")
    assert loop.of("finish") == [("success",)]
    remora.close()


def test_many_runs_at_once(speaking: Any) -> None:
    """Runs that go on at the same time know nothing of each other."""
    remora = RemoraCapability(speaking)

    async def go() -> None:
        scripts = [Script(calls(("edit_file", {"path": f"{n}"})), answer(f"done {n}")) for n in range(12)]
        runs = [agent_of(script, remora).run(f"task {n}") for n, script in enumerate(scripts)]
        await asyncio.gather(*runs)

    asyncio.run(go())
    all_apart(speaking, 12)


def test_own_tools(memory: Memory) -> None:
    """The agent asks and tells by itself; that it cannot be told is said."""
    teach(memory)
    script = Script(
        calls(("recall", {"question": "what is cache.py changed together with?"})),
        calls(("remember", {"statement": "The cache is keyed by tenant id"})),
        calls(("remember", {"statement": " "}), ("recall", {"question": ""})),
        answer("done"),
    )
    agent_of(script, RemoraCapability(memory)).run_sync(TASK)
    assert {"recall", "remember"} <= set(script.tools[0])
    assert PARTNERS in script.sent[1][-1]
    assert script.sent[2][-1].startswith("Remembered as a ")
    assert "The cache is keyed by tenant id" in texts(memory.list())
    assert script.sent[3][-2:] == ["The memory is not available."] * 2


def test_the_documented_example(memory: Memory, example: Callable[..., dict[str, Any]]) -> None:
    """The example runs; what was taught comes first and beside the action; the run is learned."""
    teach(memory)
    script = Script(calls(("edit_file", {"path": "cache.py"})), answer("done"))
    names = example("pydantic-ai capability", memory=memory, model=script.model, tools=TOOLS)
    assert names["result"].output == "done"
    assert RULE in str(script.instructions[0])
    assert PARTNERS in script.sent[1][-1]
    assert sorted(told(memory)) == ["brief", "partners"]
    assert memory._project.db.connection.value("SELECT count(*) FROM observer_sessions") == 1
