"""Hosts: which there are, how a payload tells its own, what names a happening, what loading them costs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from remora.core.errors import InvalidInput
from remora.core.moments import END
from remora.disk.live import ENDLESS
from remora.interfaces.hooks.hosts import HOSTS, detect, host_named

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = Path(__file__).parent / "golden"
HEAVY = (
    "pydantic mcp numpy httpx2 dataclasses pathlib tempfile subprocess hashlib inspect platformdirs apsw "
    "asyncio datetime importlib.metadata logging random socket sqlite3 threading urllib"
).split()
LOADED = """
import json, sys
from remora.interfaces.hooks import hosts
host = hosts.host_named({name!r})
print(json.dumps(sorted(sys.modules)))
from remora.core.moments import Reply
for line in sys.stdin:
    found = json.loads(line)
    moment = host.parse(found["stdin"], found.get("environ", {{}}))
    host.render(found["stdin"], moment, Reply("text", "note"))
print(json.dumps(sorted(sys.modules)))
"""


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_is_loaded_alone_and_is_light(name: str) -> None:
    """Naming a host loads its module and no other's; nothing heavy is there, before or after its events."""
    files = sorted((GOLDEN / name).glob("*.json"))
    lines = "\n".join(json.dumps(json.loads(path.read_text("utf-8"))) for path in files)
    code = LOADED.format(name=name)
    done = subprocess.run(
        [sys.executable, "-c", code], input=lines, capture_output=True, text=True, check=True, cwd=ROOT
    )
    first, last = (json.loads(line) for line in done.stdout.splitlines())
    assert [heavy for heavy in HEAVY if heavy in last] == []
    hooks = {module for module in first if module.startswith("remora.interfaces.hooks.")}
    own = {"hosts", "payloads", name.replace("-", "_")}
    assert hooks == {f"remora.interfaces.hooks.{module}" for module in own}
    core = {"moments", "actions", "cut", "tool_calls"}
    if name in ("copilot", "cursor", "gemini", "opencode", "vscode"):
        core.add("host_tools")
    remora = {module for module in first if module.startswith("remora.core.")}
    assert remora == {f"remora.core.{module}" for module in core}


@pytest.mark.parametrize("name", ["", "emacs", "x" * 1000, "claude_code"])
def test_an_unknown_host_is_an_error_that_lists_the_known(name: str) -> None:
    """What cannot be answered is said once, in words; nothing is guessed."""
    with pytest.raises(InvalidInput) as raised:
        host_named(name)
    assert len(str(raised.value)) < 100
    assert all(known in raised.value.hint for known in HOSTS)


def test_hosts_that_never_say_that_a_session_is_over() -> None:
    """They have no such event; OpenCode's is for sessions that a person deletes."""
    modules: dict[str, Any] = {name: host_named(name) for name in HOSTS}
    without = {name for name, host in modules.items() if END not in host._KINDS.values()}
    assert without | {"opencode"} == ENDLESS


CLAUDE = {"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_SESSION_ID": "s"}


@pytest.mark.parametrize(
    ("payload", "environ", "name"),
    [
        ({"agent_action_name": "post_write_code", "conversation_id": "c"}, {}, "windsurf"),
        ({"hookEventName": "Stop", "sessionId": "s"}, CLAUDE, "vscode"),
        ({"hookEventName": "Stop"}, {}, ""),
        ({"conversation_id": "c", "hook_event_name": "stop"}, CLAUDE, "cursor"),
        ({"hook_event_name": "PostToolUse", "session_id": "s"}, {"CURSOR_VERSION": "3", **CLAUDE}, "cursor"),
        ({"hook_event_name": "AfterTool", "session_id": "s"}, CLAUDE, "gemini"),
        ({"hook_event_name": "SessionStart", "source": "startup"}, {"GEMINI_SESSION_ID": "g"}, "gemini"),
        ({"hook_event_name": "Stop", "turn_id": "t", "session_id": "s"}, CLAUDE, "codex"),
        ({"hook_event_name": "SessionStart", "model": "m", "permission_mode": "default"}, {}, "codex"),
        ({"hook_event_name": "SessionStart", "model": "m", "session_id": "s"}, CLAUDE, "claude-code"),
        ({"hook_event_name": "Stop", "prompt_id": "p"}, {}, "claude-code"),
        ({"hook_event_name": "SessionStart", "session_id": "s"}, CLAUDE, "claude-code"),
        # A Codex that was started from Claude Code's shell inherits its environment.
        ({"hook_event_name": "SessionEnd", "session_id": "other"}, CLAUDE, ""),
        ({"hook_event_name": ["Stop"]}, {}, ""),
        ({}, {}, ""),
    ],
)
def test_a_payload_tells_its_host(payload: dict[str, Any], environ: Mapping[str, str], name: str) -> None:
    """Payloads count before environments, which are inherited; what fits nobody is nobody's."""
    assert detect(payload, environ) == name


@pytest.mark.parametrize("name", [name for name in HOSTS if name not in ("copilot", "opencode")])
def test_the_events_of_a_host_are_known_as_its_own(name: str) -> None:
    """Of all events beside this test none is taken for another host's; few cannot be told."""
    environ = {"CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_SESSION_ID": "6f1c"} if "claude" in name else {}
    found: dict[str, str] = {}
    for path in (GOLDEN / name).glob("*.json"):
        if not path.stem.startswith("from-"):
            golden = json.loads(path.read_text("utf-8"))
            found[path.stem] = detect(golden["stdin"], golden.get("environ", environ)) or "nobody"
    assert set(found.values()) - {"nobody"} == {name}
    untold = {stem for stem, host in found.items() if host == "nobody"}
    assert untold <= {"SessionEnd", "SessionStart", "SessionStart-bare", "Notification"}
