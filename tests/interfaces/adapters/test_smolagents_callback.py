"""smolagents with a scripted model: what it reads with its next step, what is captured."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("smolagents")

from smolagents import ChatMessage, CodeAgent, LogLevel, Model, ToolCallingAgent, tool
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

from remora import Memory
from remora.interfaces.adapters.smolagents_callback import RemoraCallback
from tests.interfaces.adapters.talking import FUNCTIONS, PARTNERS, RULE, Broken, teach, told


class Script(Model):
    """A model that answers what it is given to say, and keeps what it was sent."""

    def __init__(self, *answers: Any) -> None:
        super().__init__(model_id="script")
        self.answers = list(answers)
        self.sent: list[list[str]] = []

    def generate(self, messages: list[Any], **_: Any) -> ChatMessage:
        """Answer with the next of the answers."""
        self.sent.append(["".join(part.get("text", "") for part in m.content) for m in messages])
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            return ChatMessage(role=MessageRole.ASSISTANT, content=answer)
        return ChatMessage(role=MessageRole.ASSISTANT, content=None, tool_calls=answer)


def calls(*asked: tuple[str, dict[str, Any]]) -> list[Any]:
    """Return calls of tools."""
    functions = [ChatMessageToolCallFunction(name=name, arguments=given) for name, given in asked]
    return [
        ChatMessageToolCall(id=f"c{number}-{one.name}", type="function", function=one)
        for number, one in enumerate(functions)
    ]


def answer(text: str) -> list[Any]:
    """Return the call that ends a run."""
    return calls(("final_answer", {"answer": text}))


TOOLS = [tool(one) for one in FUNCTIONS]


def go(model: Script, remora: RemoraCallback, kind: Any = ToolCallingAgent, **more: Any) -> Any:
    """Run an agent to its end and return it with what it said."""
    agent = kind(
        tools=TOOLS,
        model=model,
        instructions=remora.brief() or None,
        step_callbacks=remora.callbacks(),
        verbosity_level=LogLevel.OFF,
        **more,
    )
    return agent, agent.run(remora.task("fix the cache"))


def test_the_model_sees_each_word_where_it_belongs(speaking: Any) -> None:
    """The brief is in the system prompt, the first word in the task, the rest after what it is about."""
    remora = RemoraCallback(speaking, "s")
    reads, runs = calls(("read_file", {"path": "a.py"})), calls(("run", {"command": "make"}))
    model = Script(reads, runs, answer("done"))
    agent, said = go(model, remora)
    assert said == "done"
    assert all("BRIEF" in sent[0] for sent in model.sent)
    assert model.sent[0][1] == "New task:\nfix the cache\n\nFIRST"
    came_of_it = "Observation:\ntext of a.py\n\nBEFORE read_file\n\nAFTER read_file\n\nSTEP 1"
    assert model.sent[1][-1] == model.sent[2][-3] == came_of_it
    assert model.sent[2][-2] == "Observation:\nBEFORE run\n\nAFTER run\n\nSTEP 2"
    assert "cannot run make" in model.sent[2][-1]
    loop = speaking.loops["s"]
    assert loop.of("heard") == [("fix the cache",)]
    assert loop.of("after")[0] == ("read_file", {"path": "a.py"}, "text of a.py", False, "c0-read_file")
    name, arguments, result, failed, call_id = loop.of("after")[1]
    assert (name, arguments, failed, call_id) == ("run", {"command": "make"}, True, "c0-run")
    assert "cannot run make" in result
    assert loop.of("replied") == [("done",)]

    model.answers = [answer("again")]
    agent.run("and now?", reset=False)
    assert loop.of("heard") == [("fix the cache",), ("and now?",)]
    model.answers = [answer("again")]
    agent.run(remora.task("look at n"), additional_args={"n": 1})
    assert loop.of("heard")[2:] == [("look at n",)]
    remora.finish("success")
    assert loop.of("finish") == [("success",)]


def test_code_is_an_action_too(speaking: Any) -> None:
    """A CodeAgent's code comes as the interpreter's call; what is said to it is read with the next step."""
    model = Script(
        "Look.\n<code>\nprint(read_file(path='a.py'))\n</code>", "<code>\nfinal_answer('done')\n</code>"
    )
    _, answered = go(model, RemoraCallback(speaking, "s"), CodeAgent)
    assert answered == "done"
    assert "text of a.py" in model.sent[1][-1]
    assert model.sent[1][-1].endswith("AFTER python_interpreter\n\nSTEP 1")
    name, arguments, result, failed, _ = speaking.loops["s"].of("after")[0]
    assert (name, failed) == ("python_interpreter", False)
    assert "read_file(path='a.py')" in arguments["code"]
    assert "text of a.py" in result


def test_several_calls_at_once(speaking: Any) -> None:
    """Each of several calls is noted, and none of them is blamed for a failure that may be another's."""
    both = calls(("read_file", {"path": "a"}), ("run", {"command": "make"}))
    go(Script(both, answer("done")), RemoraCallback(speaking, "s"))
    after = [(one[0], one[3]) for one in speaking.loops["s"].of("after")]
    assert after == [("read_file", False), ("run", False)]


def test_a_plan_and_an_answer_that_is_no_text(speaking: Any) -> None:
    """Planning steps pass, and an answer of any kind is noted as text."""
    model = Script("1. read", calls(("final_answer", {"answer": {"n": 1}})))
    _, answered = go(model, RemoraCallback(speaking, "s"), planning_interval=3)
    assert answered == {"n": 1}
    assert json.loads(speaking.loops["s"].of("replied")[-1][0].replace("'", '"')) == {"n": 1}
    assert speaking.loops["s"].of("heard") == [("fix the cache",)]


def test_a_broken_memory_changes_nothing(memory: Memory) -> None:
    """With a memory that always fails the run is what it is without one."""
    remora = RemoraCallback(Broken(memory), "s")  # type: ignore[arg-type]
    model = Script(calls(("read_file", {"path": "a.py"})), answer("done"))
    assert go(model, remora)[1] == "done"
    remora.close()
    remora.finish()
    assert model.sent[1][1] == "New task:\nfix the cache"
    assert model.sent[1][-1] == "Observation:\ntext of a.py"


def test_the_documented_example(memory: Memory, example: Callable[..., dict[str, Any]]) -> None:
    """The example runs; what was taught comes first, with a task or beside the action, and is logged."""
    teach(memory)
    model = Script(calls(("edit_file", {"path": "cache.py"})), answer("done"))
    assert example("smolagents", memory=memory, model=model, tools=TOOLS)["answer"] == "done"
    assert RULE in model.sent[0][0]
    assert PARTNERS not in str(model.sent[0])
    assert PARTNERS in model.sent[1][-1]
    assert told(memory) == ["brief", "partners"]
    question = "why is the cache changed together with keys?"
    assert PARTNERS in RemoraCallback(memory, "t").task(question)
