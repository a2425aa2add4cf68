"""The LangChain middleware in LangChain's own agent: what the model sees, what is stored, what is learned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytest.importorskip("langchain.agents.middleware")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from remora import Memory
from remora.interfaces.adapters.langchain_middleware import SESSION, RemoraMiddleware
from tests.interfaces.adapters.talking import PARTNERS, RULE, Broken, all_apart, edit_file, only, teach, told

TASK = "The cache mixes up tenants."


class Script(GenericFakeChatModel):
    """A chat model that answers with prepared messages, and keeps what it was sent."""

    sent: list[list[Any]] = []  # noqa: RUF012  a field of pydantic's, copied for each model

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Script:
        """Take the tools as known."""
        return self

    def _generate(self, messages: list[Any], *args: Any, **named: Any) -> Any:
        self.sent.append(list(messages))
        return super()._generate(messages, *args, **named)

    def seen(self, number: int) -> list[str]:
        """Return the texts of one request."""
        return [
            message.text if isinstance(message.text, str) else message.text() for message in self.sent[number]
        ]


def calls(*asked: tuple[str, dict[str, Any]], text: str = "") -> AIMessage:
    """Return an answer that calls tools."""
    named = enumerate(asked)
    return AIMessage(
        text, tool_calls=[{"name": name, "args": a, "id": f"{name}-{n}"} for n, (name, a) in named]
    )


def script(*answers: AIMessage) -> Script:
    """Return a model that gives some answers."""
    return Script(messages=iter(answers), sent=[])


@tool
def run_command(command: str) -> str:
    """Run a command."""
    raise ToolException("make: no rule")


run_command.handle_tool_error = True


@tool
def break_down() -> str:
    """Fail in a way that nobody expects."""
    raise OSError("the disk is gone")


@tool
def ask_person(question: str) -> str:
    """Ask the person."""
    return str(interrupt(question))


@tool
def note_down(text: str) -> Command[Any]:
    """Change the agent's state."""
    return Command(update={"messages": [ToolMessage(f"noted {text}", tool_call_id="note_down-0")]})


TOOLS = [tool(edit_file), run_command, break_down, ask_person, note_down]
wait_or_not = pytest.mark.parametrize("wait", [False, True], ids=["sync", "async"])


def agent_of(model: Any, middleware: Any, **more: Any) -> Any:
    """Return an agent with every tool."""
    return create_agent(model, TOOLS, middleware=[middleware], **more)


def run(agent: Any, text: Any = TASK, *, wait: bool = False, config: Any = None) -> dict[str, Any]:
    """Run an agent, awaited or not."""
    given = text if isinstance(text, Command) else {"messages": [HumanMessage(text)]}
    return dict(asyncio.run(agent.ainvoke(given, config)) if wait else agent.invoke(given, config))


def texts(state: dict[str, Any]) -> list[Any]:
    """Return the contents of the stored messages."""
    return [message.content for message in state["messages"]]


@wait_or_not
def test_what_the_model_sees(speaking: Any, wait: bool) -> None:
    """All four points reach the model, each at the same place in every later request; the state has one."""
    model = script(
        calls(("edit_file", {"path": "a.py"}), text="First a."),
        calls(("run_command", {"command": "make"})),
        AIMessage("done"),
    )
    agent = agent_of(model, RemoraMiddleware(speaking), system_prompt="You mend.")
    state = run(agent, wait=wait)
    first = ["You mend.\n\nBRIEF", f"{TASK}\n\nFIRST"]
    second = [*first, "First a.", "changed a.py\n\nBEFORE edit_file\n\nAFTER edit_file", "STEP 1"]
    third = [*second, "", "make: no rule\n\nBEFORE run_command\n\nAFTER run_command", "STEP 2"]
    assert [model.seen(n) for n in range(3)] == [first, second, third]
    assert isinstance(model.sent[0][0], SystemMessage)
    assert isinstance(model.sent[1][-1], HumanMessage)
    assert texts(state) == [TASK, *second[2:4], *third[5:7], "done"]
    assert SESSION not in state
    loop = only(speaking)
    assert loop.of("before") == [
        ("edit_file", {"path": "a.py"}, "edit_file-0"),
        ("run_command", {"command": "make"}, "run_command-0"),
    ]
    assert loop.of("after") == [
        ("edit_file", {"path": "a.py"}, "changed a.py", False, "edit_file-0"),
        ("run_command", {"command": "make"}, "make: no rule", True, "run_command-0"),
    ]
    assert loop.of("heard") == [(TASK,)]
    assert loop.of("replied") == [("First a.",), ("done",)]
    assert loop.of("finish") == [(None,)]
    assert loop.name.startswith("langchain:")


@wait_or_not
def test_a_failing_memory_changes_nothing(memory: Memory, wait: bool) -> None:
    """With a memory that fails at every question the agent's run is the one it would be without."""
    lost: Any = Broken(memory)
    found = []
    for middleware in ([RemoraMiddleware(lost)], []):
        model = script(
            calls(("note_down", {"text": "b"}), ("edit_file", {"path": "a"})),
            calls(("run_command", {"command": "make"})),
            AIMessage("done"),
        )
        agent = create_agent(model, TOOLS, middleware=middleware, system_prompt="You mend.")
        found.append((texts(run(agent, wait=wait)), [model.seen(n) for n in range(3)]))
    assert found[0] == found[1]


@wait_or_not
def test_a_tool_or_a_model_that_breaks(speaking: Any, wait: bool) -> None:
    """A tool's exception is noted and goes on to whoever it would go to; a run that ended so is learned."""
    remora = RemoraMiddleware(speaking)
    with remora, pytest.raises(OSError, match="the disk is gone"):
        run(agent_of(script(calls(("break_down", {})), AIMessage("done")), remora), wait=wait)
    loop = only(speaking)
    assert loop.of("after") == [("break_down", {}, "OSError: the disk is gone", True, "break_down-0")]
    assert loop.of("finish") == [(None,)]
    speaking.loops.clear()
    with RemoraMiddleware(speaking) as remora, pytest.raises(RuntimeError):
        run(agent_of(script(calls(("edit_file", {"path": "a"}))), remora), wait=wait)  # has no more answers
    assert only(speaking).of("finish") == [(None,)]


def test_results_of_other_shapes(speaking: Any) -> None:
    """A change of the state is kept, each call of a step gets its own; a tool may be told what it is."""
    model = script(
        calls(("note_down", {"text": "x"}), ("edit_file", {"path": "a"}), ("edit_file", {"path": "b"})),
        AIMessage([{"type": "text", "text": "done"}, {"type": "text", "text": "now"}]),
    )
    remora = RemoraMiddleware(speaking, host="shop", tools={"note_down": "Write"})
    state = run(agent_of(model, remora), [{"type": "text", "text": TASK}])
    assert texts(state)[2:5] == [
        "noted x\n\nBEFORE note_down\n\nAFTER note_down",
        "changed a\n\nBEFORE edit_file\n\nAFTER edit_file",
        "changed b\n\nBEFORE edit_file\n\nAFTER edit_file",
    ]
    assert model.sent[0][0].content == "BRIEF"
    assert model.sent[0][1].content == [{"type": "text", "text": TASK}, {"type": "text", "text": "FIRST"}]
    loop = only(speaking)
    assert loop.of("replied") == [("done\n\nnow",)]
    assert sorted(one[0] for one in loop.of("before")) == ["edit_file", "edit_file", "note_down"]
    assert speaking.tools == {"note_down": "write"}
    assert loop.name.startswith("shop:")


def test_a_run_that_waits_for_a_person(speaking: Any) -> None:
    """A run that is interrupted is no failure, and goes on as the same session."""
    model = script(calls(("ask_person", {"question": "May I?"})), AIMessage("done"))
    agent = agent_of(model, RemoraMiddleware(speaking), checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    run(agent, config=config)
    assert only(speaking).of("after") == only(speaking).of("finish") == []
    state = run(agent, Command(resume="yes"), config=config)
    assert state["messages"][-1].content == "done"
    loop = only(speaking)
    assert loop.name.startswith("langchain:t:")
    assert [one[2:4] for one in loop.of("after")] == [("yes", False)]
    assert loop.of("finish") == [(None,)]
    assert loop.of("brief") == [("",)]


def test_runs_of_one_thread(speaking: Any) -> None:
    """Each run is learned by itself, unless the program says what a session is; then until told."""
    saver = InMemorySaver()
    config = {"configurable": {"thread_id": "t"}}
    apart = agent_of(
        script(AIMessage("one"), AIMessage("two")), RemoraMiddleware(speaking), checkpointer=saver
    )
    run(apart, "A?", config=config)
    run(apart, "B?", config=config)
    assert [loop.of("heard") for loop in speaking.loops.values()] == [[("A?",)], [("B?",)]]
    speaking.loops.clear()
    remora = RemoraMiddleware(speaking, session_id=lambda config: config["configurable"]["thread_id"])
    model = script(AIMessage("three"), calls(("edit_file", {"path": "a"})), AIMessage("four"))
    together = agent_of(model, remora, checkpointer=saver)
    config = {"configurable": {"thread_id": "u"}}
    run(together, "C?", config=config)
    run(together, "D?", wait=True, config=config)
    (loop,) = speaking.loops.values()
    assert loop.name == "langchain:u"
    assert loop.of("heard") == [("C?",), ("D?",)]
    assert loop.of("finish") == []
    assert model.seen(1) == ["BRIEF", "C?\n\nFIRST", "three", "D?", "STEP 1"]
    assert model.seen(2)[:5] == model.seen(1)
    remora.finish("u", "success")
    assert loop.of("finish") == [("success",)]
    remora.close()


def test_a_request_that_is_repeated(speaking: Any) -> None:
    """A middleware that asks the model again sends it the same; nothing is said or counted twice."""

    class Twice(AgentMiddleware):
        """Asks twice, as after an error of the model's server."""

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            handler(request)
            return handler(request)

    model = script(AIMessage("lost"), AIMessage("done"))
    create = create_agent(model, TOOLS, middleware=[Twice(), RemoraMiddleware(speaking)])
    assert run(create)["messages"][-1].content == "done"
    assert model.seen(0) == model.seen(1)
    assert only(speaking).of("step") == [(0,)]


def test_many_runs_at_once(speaking: Any) -> None:
    """Runs that go on at the same time know nothing of each other."""

    async def go() -> None:
        remora = RemoraMiddleware(speaking)
        answers = [(calls(("edit_file", {"path": f"{n}"})), AIMessage(f"done {n}")) for n in range(12)]
        agents = [agent_of(script(*given), remora) for given in answers]
        ask = [{"messages": [HumanMessage(f"task {n}")]} for n in range(12)]
        await asyncio.gather(*(agent.ainvoke(given) for agent, given in zip(agents, ask, strict=True)))

    asyncio.run(go())
    all_apart(speaking, 12)


def test_the_documented_example(memory: Memory, example: Callable[..., dict[str, Any]]) -> None:
    """The example runs; what was taught comes first and beside the action; the run is learned."""
    teach(memory)
    model = script(calls(("edit_file", {"path": "cache.py"})), AIMessage("done"))
    names = example("LangChain middleware", memory=memory, model=model, tools=TOOLS)
    assert names["state"]["messages"][-1].content == "done"
    assert RULE in model.seen(0)[0]
    assert PARTNERS not in str(model.seen(0))
    assert PARTNERS in model.seen(1)[-1]
    assert sorted(told(memory)) == ["brief", "partners"]
    assert memory._project.db.connection.value("SELECT count(*) FROM observer_sessions") == 1
