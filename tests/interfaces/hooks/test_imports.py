"""What the hook loads: little, for each of the events that a session has many of."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.hooks.called import Done, World

HEAVY = frozenset(
    """pydantic mcp numpy httpx2 dataclasses inspect platformdirs subprocess click rich onnxruntime tokenizers
    tree_sitter asyncio logging threading importlib.metadata
    remora.app.memory remora.app.project.open_project""".split()
)


def imported(done: Done) -> set[str]:
    """Return the modules that a process imported, as `-X importtime` tells them."""
    lines = done.stderr.decode().splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}


EVENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "edit": (
        "PreToolUse",
        {"tool_name": "Edit", "tool_input": {"file_path": "cart.py", "new_string": "a.b()"}},
    ),
    "command": ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "make test"}}),
    "read": (
        "PostToolUse",
        {"tool_name": "Read", "tool_input": {"file_path": "cart.py"}, "tool_response": {}},
    ),
    "ran": ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": "ok"}),
    "search": ("PostToolUse", {"tool_name": "Grep", "tool_input": {"pattern": "cart_key = 1"}}),
    "fetch": ("PostToolUse", {"tool_name": "WebFetch", "tool_input": {"url": "https://x.org"}}),
    "mcp": ("PostToolUse", {"tool_name": "mcp__x__y", "tool_response": [{"type": "text", "text": "t"}]}),
    "task": ("PostToolUse", {"tool_name": "Agent", "tool_input": {"prompt": "p"}, "tool_response": {}}),
    "failed": (
        "PostToolUseFailure",
        {
            "tool_name": "Bash",
            "tool_input": {"command": "make"},
            "error": "Exit code 1\ncart.py:3: error: no",
        },
    ),
    "prompt": ("UserPromptSubmit", {"prompt": "and now the second one"}),
    "subagent": ("SubagentStart", {"agent_id": "a1", "agent_type": "general-purpose"}),
    "subagent over": ("SubagentStop", {"agent_id": "a1", "agent_type": "x", "last_assistant_message": "m"}),
    "compacting": ("PreCompact", {"trigger": "auto"}),
    "stop": ("Stop", {"last_assistant_message": "done"}),
    "end": ("SessionEnd", {"reason": "other"}),
}


@pytest.fixture(scope="module")
def begun(made: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A world with a session that has begun; what is told in it changes little."""
    folder = tmp_path_factory.mktemp("begun")
    for name in ("shop", "data"):
        shutil.copytree(made / name, folder / name)
    world = World(folder)
    world.said(world.event("SessionStart", source="startup"))
    world.said(world.event("UserPromptSubmit", prompt="mend the cart, please"))
    return world


# Answers events as the hook does, and prints after each what is loaded.
ANSWERING = """
import json, sys
from remora.interfaces.hooks.main import answer
for line in sys.stdin.buffer:
    answer(["--host", "claude-code"], line)
    print(*sys.modules)
"""


def test_imports_stay_few(begun):
    """Of everything that a session has many of, no event loads anything heavy."""
    events = [
        begun.event(event, tool_use_id=f"toolu_{name}", **more) for name, (event, more) in EVENTS.items()
    ]
    lines = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    done = begun.run(lines, command=[sys.executable, "-c", ANSWERING])
    assert done.returncode == 0, done.stderr
    loaded = [set(line.split()) for line in done.stdout.decode().splitlines()]
    assert {name: found & HEAVY for name, found in zip(EVENTS, loaded, strict=True) if found & HEAVY} == {}
    assert {"remora.app.agent.hook_event", "remora.store.hook_reader"} <= loaded[-1]
    assert begun.log == []


LEARNING = frozenset(
    """remora.app.learning.learn remora.app.learning.promotion remora.observer.observer
    numpy httpx2 markdown_it""".split()
)


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit"])
def test_a_start_and_a_first_prompt_load_nothing_that_learns(begun, name):
    """They open the memory and read it; in a burst each of them has a share of three seconds."""
    given = begun.event(name, source="startup", prompt="how is money kept in the cart", session_id=f"i{name}")
    done = begun.run(given, command=[sys.executable, "-X", "importtime", *begun.command()[1:]])
    loaded = imported(done)
    assert "remora.app.project.open_project" in loaded
    assert loaded & LEARNING == set()


@pytest.mark.parametrize("host", ["cursor", "windsurf"])
def test_imports_of_hosts_without_transcripts_stay_few(begun, host):
    """What is captured is redacted and written with little more."""
    if host == "cursor":
        told: dict[str, Any] = {
            "conversation_id": "c1",
            "workspace_roots": [str(begun.root)],
            "cwd": str(begun.root),
        }
        told |= {"tool_name": "Shell", "tool_input": {"command": "make"}, "tool_use_id": "u1"}
        events = [told | {"hook_event_name": "postToolUse", "tool_output": "{}"}] * 2
    else:
        info = {"command_line": "make", "cwd": str(begun.root)}
        told = {"trajectory_id": "w1", "execution_id": "e1", "tool_info": info}
        names = ("post_run_command", "post_read_code")
        events = [told | {"agent_action_name": name} for name in names]
    begun.quiet(events[0], "--host", host)
    command = [sys.executable, "-X", "importtime", *begun.command("--host", host)[1:]]
    done = begun.run(events[1], command=command)
    loaded = imported(done)
    assert "remora.app.agent.transcript_capture" in loaded
    assert loaded & HEAVY == set()
