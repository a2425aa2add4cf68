"""Adapter for smolagents: a callback for each step of an agent.

```text
remora = RemoraCallback(memory, "chat-1")
agent = CodeAgent(tools, model, instructions=remora.brief(), step_callbacks=remora.callbacks())
agent.run(remora.task("fix the cache"))
remora.finish()
```

The framework calls back after a step and keeps its steps in a mutable list. Advice on an action is therefore
appended to the step's observations, which the model reads with its next step, and stays there. The brief and
the memories about the task must be in the instructions and in the task, before the first step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from smolagents import ActionStep, FinalAnswerStep, PlanningStep, TaskStep

from remora.interfaces.adapters.guarded import OneSession, joined, quietly

if TYPE_CHECKING:
    from remora.app.memory import Memory

HOST = "smolagents"
_ARGUMENTS = "\nYou have been provided with these additional arguments"  # appended to the task by a run
_INTERPRETER = "python_interpreter"  # the tool that runs the code of a CodeAgent
_ANSWER = "final_answer"  # the tool that ends a run; it is no action


class RemoraCallback(OneSession):
    """Record one session of an agent and inject into it. Its methods never raise.

    Args:
        memory: an open memory.
        session_id: the session's id; an existing session is continued.
        host: the name of your program.
        tools: the names of your own tools, mapped to names that Remora knows: Read, Edit, Write, Bash, Grep,
            Glob, and WebFetch for tools that return external text. Common names are mapped already.
    """

    def __init__(
        self, memory: Memory, session_id: str, *, host: str = HOST, tools: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(memory, session_id, host, tools)
        self._tasks: set[str] = set()  # tasks with injections; their prompts are recorded already
        self._heard: set[int] = set()  # `id` of the task steps that an agent currently keeps
        self._steps = 0

    # Before the first step

    def brief(self, task: str = "") -> str:
        """Return the brief for the agent's `instructions`; empty if there is nothing."""
        return quietly("", lambda: self._loop().brief(task))

    def task(self, task: str) -> str:
        """Return a task with the memories about it, to be run instead."""
        with self._lock:
            whole = joined(task, quietly("", lambda: self._loop().first_message(task)))
            self._tasks.add(whole)
            return whole

    def callbacks(self) -> dict[type, list[Callable[..., None]]]:
        """Return the callbacks for an agent's `step_callbacks`."""
        return {ActionStep: [self], PlanningStep: [self], FinalAnswerStep: [self]}

    # After each step

    def __call__(self, step: Any, agent: Any = None) -> None:
        """Record a step and append the advice to its observations."""
        quietly(None, self._stepped, step, agent)

    def _stepped(self, step: Any, agent: Any) -> None:
        self._hear(agent)
        if isinstance(step, FinalAnswerStep):
            if step.output is not None:
                self._loop().replied(str(step.output))
        elif isinstance(step, ActionStep):
            self._acted(step)

    def _acted(self, step: Any) -> None:
        calls = _calls(step)
        own_words = step.model_output if isinstance(step.model_output, str) else ""
        if own_words.strip() and not step.is_final_answer:
            self._loop().replied(own_words)
        said = [self._called(call, step, alone=len(calls) == 1) for call in calls]
        self._steps += 1
        if not step.is_final_answer:
            injection = self._loop().prepare_step(self._steps)
            said.append(injection.text if injection is not None else "")
            if text := joined(*said):
                step.observations = joined(step.observations or "", text)

    def _called(self, call: Mapping[str, Any], step: Any, *, alone: bool) -> str:
        """Record one call and return the advice; several calls of a step share one result text."""
        name, arguments = str(call["name"]), dict(call["arguments"])
        failed = step.error is not None
        result = str(step.error) if failed else str(step.observations or "")
        call_id = str(call["id"] or "") or f"step-{id(step)}"
        # Advice before the action comes with its result: the framework has no callback before a call.
        before = self._loop().before(name, arguments, call_id)
        # If a step has several calls, the one that failed is unknown.
        after = self._loop().after(name, arguments, result, failed=failed and alone, call_id=call_id)
        return joined(before, after)

    def _hear(self, agent: Any) -> None:
        steps = getattr(getattr(agent, "memory", None), "steps", None) or []
        tasks = [one for one in steps if isinstance(one, TaskStep)]
        with self._lock:
            new = [one for one in tasks if id(one) not in self._heard]
            self._heard = {id(one) for one in tasks}
            for one in new:
                if one.task.partition(_ARGUMENTS)[0] not in self._tasks:
                    self._loop().heard(one.task)


def _calls(step: Any) -> list[dict[str, Any]]:
    """Return the tool calls of a step; for a failed step, those in the model's message."""
    made: list[dict[str, Any]] = [
        {"name": one.name, "arguments": one.arguments, "id": one.id} for one in step.tool_calls or ()
    ]
    message = step.model_output_message
    if not made and message is not None:
        asked = message.tool_calls or ()
        made = [
            {"name": one.function.name, "arguments": one.function.arguments, "id": one.id} for one in asked
        ]
    for call in made:
        given = call["arguments"]
        key = "code" if call["name"] == _INTERPRETER else "input"
        call["arguments"] = dict(given) if isinstance(given, Mapping) else {key: given}
    return [call for call in made if call["name"] != _ANSWER]
