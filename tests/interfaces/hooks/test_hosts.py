"""Hosts: which there are, how a payload tells its own, what names a happening, what loading them costs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from remora.core.errors import InvalidInput
from remora.core.moments import END
from remora.disk.live import ENDLESS
from remora.interfaces.hooks.hosts import HOSTS, detect, host_named
from tests.interfaces.hooks.schemas import goldens
from tests.tables import table

ROOT = Path(__file__).resolve().parents[3]
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
    lines = "\n".join(map(json.dumps, goldens(name).values()))
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(name=name)],
        input=lines, capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    first, last = (json.loads(line) for line in done.stdout.splitlines())
    assert [heavy for heavy in HEAVY if heavy in last] == []
    own = {f"interfaces.hooks.{module}" for module in ("hosts", "payloads", name.replace("-", "_"))}
    core = {f"core.{module}" for module in ("moments", "actions", "cut", "tool_calls")}
    if name in ("copilot", "cursor", "gemini", "opencode", "vscode"):
        core.add("core.host_tools")
    ours = {module.removeprefix("remora.") for module in first if module.startswith("remora.")}
    assert {one for one in ours if one.startswith(("interfaces.hooks.", "core."))} == own | core


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


@pytest.mark.parametrize(("name", "payload", "environ"), table(__file__, "whose"))
def test_a_payload_tells_its_host(name: str, payload: str, environ: str) -> None:
    """Payloads count before environments, which are inherited; what fits nobody is nobody's."""
    assert detect(json.loads(payload), json.loads(environ)) == name.replace("nobody", "")


@pytest.mark.parametrize("name", [name for name in HOSTS if name not in ("copilot", "opencode")])
def test_the_events_of_a_host_are_known_as_its_own(name: str) -> None:
    """Of all events beside this test none is taken for another host's; few cannot be told."""
    environ = {"CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_SESSION_ID": "6f1c"} if "claude" in name else {}
    found = {
        stem: detect(golden["stdin"], golden.get("environ", environ)) or "nobody"
        for stem, golden in goldens(name).items()
        if not stem.startswith("from-")
    }
    assert set(found.values()) - {"nobody"} == {name}
    untold = {stem for stem, host in found.items() if host == "nobody"}
    assert untold <= {"SessionEnd", "SessionStart", "SessionStart-bare", "Notification"}
