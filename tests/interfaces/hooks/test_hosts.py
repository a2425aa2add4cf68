"""Hosts: which there are, and what loading them and answering them costs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from remora.core.errors import InvalidInput
from remora.core.moments import END
from remora.disk.live import ENDLESS
from remora.interfaces.hooks.hosts import HOSTS, host_named
from tests.interfaces.hooks.called import World
from tests.interfaces.hooks.schemas import goldens

ROOT = Path(__file__).resolve().parents[3]
# What neither the module of a host loads nor an event of which a session has many.
HEAVY = set(
    """pydantic mcp numpy httpx2 dataclasses inspect platformdirs subprocess asyncio logging threading
    importlib.metadata""".split()
)
HEAVY_FOR_A_HOST = HEAVY | set("pathlib tempfile hashlib apsw datetime random socket sqlite3 urllib".split())
HEAVY_FOR_AN_EVENT = HEAVY | set(
    """click rich onnxruntime tokenizers tree_sitter remora.app.memory
    remora.app.project.open_project""".split()
)
LEARNING = set(
    """remora.app.learning.learn remora.app.learning.promotion remora.observer.observer
    numpy httpx2 markdown_it""".split()
)
LOADED = """
import json, sys
from remora.interfaces.hooks import hosts
host = hosts.host_named({name!r})
print(*sys.modules)
from remora.core.moments import Reply
for line in sys.stdin:
    found = json.loads(line)
    moment = host.parse(found["stdin"], found.get("environ", {{}}))
    host.render(found["stdin"], moment, Reply("text", "note"))
print(*sys.modules)
"""
# Answers events as the hook does, and prints after each what is loaded.
ANSWERING = """
import json, sys
from remora.interfaces.hooks.main import answer
for line in sys.stdin.buffer:
    answer(["--host", sys.argv[1]], line)
    print(*sys.modules)
"""


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_is_loaded_alone_and_is_light(name: str) -> None:
    """Naming a host loads its module and no other's; nothing heavy is there, before or after its events."""
    lines = "\n".join(map(json.dumps, goldens(name).values()))
    command = [sys.executable, "-c", LOADED.format(name=name)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, cwd=ROOT)
    first, last = (set(line.split()) for line in done.stdout.splitlines())
    assert last & HEAVY_FOR_A_HOST == set()
    own = {f"interfaces.hooks.{module}" for module in ("hosts", "payloads", name.replace("-", "_"))}
    core = {f"core.{module}" for module in ("moments", "actions", "cut", "tool_calls")}
    if name in ("copilot", "cursor", "gemini", "opencode", "vscode"):
        core.add("core.host_tools")
    ours = {module.removeprefix("remora.") for module in first if module.startswith("remora.")}
    assert {one for one in ours if one.startswith(("interfaces.hooks.", "core."))} == own | core


@pytest.fixture(scope="module")
def begun(made: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A world with a session that has begun; what is told in it changes little."""
    world = World(shutil.copytree(made, tmp_path_factory.mktemp("begun") / "world"))
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
    heavy = {name: one & HEAVY_FOR_AN_EVENT for name, one in zip(events, found, strict=True)}
    assert {name: one for name, one in heavy.items() if one} == {}
    used = "hook_event" if host == "claude-code" else "transcript_capture"
    assert f"remora.app.agent.{used}" in found[-1]


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit"])
def test_a_start_and_a_first_prompt_load_nothing_that_learns(begun, name):
    """They open the memory and read it; in a burst each of them has a share of three seconds."""
    given = begun.event(name, source="startup", prompt="how is money kept in the cart", session_id=f"i{name}")
    (found,) = loaded(begun, "claude-code", given)
    assert "remora.app.project.open_project" in found
    assert found & LEARNING == set()


def test_hosts_by_name() -> None:
    """An unknown one is an error that lists the known; some have no event for the end of a session."""
    for name in ("", "emacs", "x" * 1000, "claude_code"):
        with pytest.raises(InvalidInput) as raised:
            host_named(name)
        assert len(str(raised.value)) < 100
        assert all(known in raised.value.hint for known in HOSTS)
    modules: dict[str, Any] = {name: host_named(name) for name in HOSTS}
    without = {name for name, host in modules.items() if END not in host._KINDS.values()}
    assert without | {"opencode"} == ENDLESS  # OpenCode's is for sessions that a person deletes
