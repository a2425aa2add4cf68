"""Memories for the tests of adapters: one that speaks at every point, one that fails, one that was taught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from remora import Memory


class Said(NamedTuple):
    """What is said between two steps, as a loop has it."""

    text: str
    ids: tuple[str, ...] = ()
    trigger: str = "search"


class Speaking:
    """A loop that says at every point where it is, and keeps what it was told in `told`."""

    def __init__(self, session_id: str, host: str) -> None:
        self.name = f"{host}:{session_id}"
        self.told: list[tuple[Any, ...]] = []

    def brief(self, task: str = "") -> str:
        """Say the brief."""
        self.told.append(("brief", task))
        return "BRIEF"

    def first_message(self, task: str) -> str:
        """Say the first word, having heard the task."""
        self.heard(task)  # as the real one does
        self.told.append(("first", task))
        return "FIRST"

    def before(self, tool: str, arguments: Mapping[str, Any], call_id: str = "") -> str:
        """Say something before a call."""
        self.told.append(("before", tool, dict(arguments), call_id))
        return f"BEFORE {tool}"

    def after(
        self, tool: str, arguments: Mapping[str, Any], result: str, *, failed: bool = False, call_id: str = ""
    ) -> str:
        """Say something to a result."""
        self.told.append(("after", tool, dict(arguments), result, failed, call_id))
        return f"AFTER {tool}"

    def prepare_step(
        self, step: int, messages: Sequence[Any] = (), recent: Sequence[Any] = ()
    ) -> Said | None:
        """Say something between two steps."""
        self.told.append(("step", step))
        return Said(f"STEP {step}") if step > 0 else None

    def heard(self, text: str) -> None:
        """Note what the person said."""
        self.told.append(("heard", text))

    def replied(self, text: str) -> None:
        """Note what the model said."""
        self.told.append(("replied", text))

    def finish(self, outcome: str | None = None) -> None:
        """Note that it is over."""
        self.told.append(("finish", outcome))

    def close(self) -> None:
        """Note that it is put by."""
        self.told.append(("close",))

    def of(self, kind: str) -> list[tuple[Any, ...]]:
        """Return what it was told of a kind, without the kind."""
        return [one[1:] for one in self.told if one[0] == kind]


class SpeakingMemory:
    """A real memory with speaking loops in place of its own; `loops` has them by session."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.loops: dict[str, Speaking] = {}
        self.tools: dict[str, str] = {}

    def loop(self, session_id: str, host: str, tools: dict[str, str]) -> Speaking:
        """Return the loop of a session."""
        self.tools = tools
        return self.loops.setdefault(session_id, Speaking(session_id, host))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)


def only(memory: Any) -> Speaking:
    """Return the loop of the only session there was."""
    loop: Speaking
    (loop,) = memory.loops.values()
    return loop


class Broken:
    """A memory that fails whatever it is asked, as one with a lost database does."""

    def __init__(self, memory: Memory) -> None:
        self.home = memory.home

    def __getattr__(self, name: str) -> Any:
        raise OSError(f"the disk is gone, so is {name}")


# Tools, to be wrapped as a framework wants them


def read_file(path: str) -> str:
    """Read a file.

    Args:
        path: which.
    """
    return f"text of {path}"


def run(command: str) -> str:
    """Run a command.

    Args:
        command: which.
    """
    raise RuntimeError(f"cannot run {command}")


def edit_file(path: str) -> str:
    """Change a file.

    Args:
        path: which.
    """
    return f"changed {path}"


FUNCTIONS = (read_file, run, edit_file)


def all_apart(memory: Any, count: int) -> None:
    """Check that so many runs, each of which changed a file of its own, knew nothing of each other."""
    assert len(memory.loops) == count
    for loop in memory.loops.values():
        ((heard,),) = loop.of("heard")
        number = heard.removeprefix("task ")
        assert loop.of("after")[0][2] == f"changed {number}"
        assert loop.of("replied") == [(f"done {number}",)]
        assert len(loop.of("finish")) == 1


RULE = "Always run the checks with `make check` before a commit"
PARTNERS = "`cache.py` is changed together with `keys.py`"


def teach(memory: Memory) -> None:
    """Give a real memory something for a brief, and something for the moment at which a file is changed."""
    (memory.root / "keys.py").write_text("KEYS = {}\n")  # a partner that is not there is not named
    memory.remember(RULE, type="preference", source="user_taught")
    memory.remember(PARTNERS, type="causal_dependency", related_files=["cache.py", "keys.py"], confidence=0.9)


def told(memory: Memory) -> list[str]:
    """Return by which rules a real memory spoke, oldest first, as its log has it."""
    return [one.trigger for one in reversed(memory._project.db.injections.latest())]
