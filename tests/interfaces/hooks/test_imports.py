"""What the hook loads: little, for each of the events that a session has many of."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.interfaces.hooks.called import World
from tests.interfaces.hooks.schemas import goldens

HEAVY = frozenset(
    """pydantic mcp numpy httpx2 dataclasses inspect platformdirs subprocess click rich onnxruntime tokenizers
    tree_sitter asyncio logging threading importlib.metadata
    remora.app.memory remora.app.project.open_project""".split()
)
LEARNING = frozenset(
    """remora.app.learning.learn remora.app.learning.promotion remora.observer.observer
    numpy httpx2 markdown_it""".split()
)
# Answers events as the hook does, and prints after each what is loaded.
ANSWERING = """
import json, sys
from remora.interfaces.hooks.main import answer
for line in sys.stdin.buffer:
    answer(["--host", sys.argv[1]], line)
    print(*sys.modules)
"""


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


def loaded(world: World, host: str, *events: object) -> list[set[str]]:
    """Return what is loaded after each of some events, in one process."""
    lines = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    done = world.run(lines, command=[sys.executable, "-c", ANSWERING, host])
    assert done.returncode == 0, done.stderr
    return [set(line.split()) for line in done.stdout.decode().splitlines()]


@pytest.mark.parametrize("host", ["claude-code", "cursor", "windsurf"])
def test_imports_stay_few(begun, host):
    """Of everything that a session has many of, no event loads anything heavy, also where it is captured."""
    events = {
        stem: json.loads(json.dumps(golden["stdin"]).replace("/w/app", str(begun.root)))
        for stem, golden in goldens(host).items()
        if golden["moment"]["kind"] not in ("start", "prompt", "other")
    }
    begun.run(next(iter(events.values())), "--host", host)  # the first one finds the project
    found = loaded(begun, host, *events.values())
    assert {name: one & HEAVY for name, one in zip(events, found, strict=True) if one & HEAVY} == {}
    used = "hook_event" if host == "claude-code" else "transcript_capture"
    assert f"remora.app.agent.{used}" in found[-1]


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit"])
def test_a_start_and_a_first_prompt_load_nothing_that_learns(begun, name):
    """They open the memory and read it; in a burst each of them has a share of three seconds."""
    given = begun.event(name, source="startup", prompt="how is money kept in the cart", session_id=f"i{name}")
    (found,) = loaded(begun, "claude-code", given)
    assert "remora.app.project.open_project" in found
    assert found & LEARNING == set()
