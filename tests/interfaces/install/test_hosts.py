"""What each host gets: files, events, units of time, words of the command."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from remora.core import moments
from remora.interfaces.install.hosts import HOSTS, LOCAL, USER
from remora.interfaces.install.launch_command import Call
from remora.interfaces.install.plan import Wish
from remora.sources import rule_text
from tests.interfaces.hooks.schemas import goldens
from tests.interfaces.install.conftest import Bench
from tests.tables import table

# What each host gets in a project, what for the user, and which of its events a hook can answer.
WHAT = {(host, what): words.split() for host, what, words in table(__file__, "hosts")}
EVENTS = [host for host, what in WHAT if what == "events"]


def made(bench: Bench) -> set[str]:
    """Return the files that are there."""
    return {name for name, data in bench.tree().items() if not data.endswith(b"(folder)")}


def handlers(bench: Bench, name: str) -> dict[str, dict[str, Any]]:
    """Return the one handler of each event in a file."""
    found = {}
    for event, (entry,) in bench.document(name)["hooks"].items():
        (found[event],) = entry.get("hooks", [entry])
    return found


@pytest.mark.parametrize(("host", "scope"), [key for key in WHAT if key[1] != "events"])
def test_files(bench: Bench, host: str, scope: str) -> None:
    """Without options hooks and server, and rules where hooks cannot speak at the start; or all at home."""
    bench.install(host, Wish(scope=USER) if scope == USER else None)
    assert made(bench) == set(WHAT[host, scope])


@pytest.mark.parametrize("host", EVENTS)
def test_events(bench: Bench, host: str) -> None:
    """Each event, which `remora hook` understands, has one handler that calls it and ends in time."""
    bench.install(host)
    found = handlers(bench, WHAT[host, "project"][0])
    assert list(found) == WHAT[host, "events"]
    for event, handler in found.items():
        lines = [handler.get(key) for key in ("command", "bash", "powershell", "windows", "commandWindows")]
        lines[0] = " ".join([lines[0] or "remora hook --host " + host, *handler.get("args", [])])
        for line in filter(None, lines):
            assert re.fullmatch(rf"remora hook --host {host}(; exit 0)?", line)
        limits = [handler[key] for key in ("timeout", "timeoutSec") if key in handler]
        expected = {"gemini": [5000], "windsurf": []}.get(host, [5])
        if event == "SessionEnd" and host in ("claude-code", "codex"):
            expected = [10 if host == "claude-code" else 3]
        assert limits == expected
        known = [one for stem, one in goldens(host).items() if stem.partition("-")[0] == event]
        assert {golden["moment"]["kind"] for golden in known} - {moments.OTHER}, event


def test_claude_code(bench: Bench) -> None:
    """Matchers name tools, one's own settings program and arguments; only here one has a project's own."""
    server = {"mcpServers": {"remora": {"type": "stdio", "command": "remora", "args": ["mcp"]}}}
    own = ("remora", ["hook", "--host", "claude-code"])
    bench.install("claude-code")
    shared = bench.document("shop/.claude/settings.json")
    edits = "Edit|Write|MultiEdit|NotebookEdit"
    assert shared["hooks"]["PreToolUse"][0]["matcher"] == f"{edits}|Bash"
    assert shared["hooks"]["PostToolUse"][0]["matcher"] == f"Read|Grep|Glob|{edits}|Bash"
    assert shared["hooks"]["Stop"][0]["hooks"][0]["command"] == "remora hook --host claude-code; exit 0"
    assert bench.document("shop/.mcp.json") == server
    bench.install("claude-code", Wish(scope=USER, hooks=True))
    stop = handlers(bench, "person/.claude/settings.json")["Stop"]
    assert (stop["command"], stop["args"]) == own
    assert bench.document("person/.claude.json") == server
    for scope in (USER, None):
        bench.uninstall("claude-code", scope)
    plan = bench.install("claude-code", Wish(scope=LOCAL))
    assert {change.path.name for change in plan.changes} == {"settings.local.json", ".claude.json"}
    assert any("do not commit it" in note for note in plan.notes)
    stop = handlers(bench, "shop/.claude/settings.local.json")["Stop"]
    assert (stop["command"], stop["args"]) == own
    assert bench.document("person/.claude.json") == {"projects": {str(bench.root): server}}
    assert "you have them already" in bench.notes("claude-code")
    assert bench.plan("codex", Wish(scope=LOCAL)).idle
    assert "has no file in this scope" in bench.notes("codex", Wish(scope=LOCAL))


def test_opencode_with_comments(bench: Bench) -> None:
    """A configuration that may have comments is the one that is used where there is one."""
    bench.put(bench.root / "opencode.jsonc", "{\n  // mine\n}\n")
    bench.install("opencode")
    assert not (bench.root / "opencode.json").exists()
    text = (bench.root / "opencode.jsonc").read_text()
    assert "// mine" in text
    assert "$schema" not in text
    bench.uninstall("opencode")
    assert (bench.root / "opencode.jsonc").read_text() == "{\n  // mine\n}\n"


def test_folders_that_were_moved(bench: Bench) -> None:
    """The variables by which hosts move their folders are followed, and VS Code's places on other systems."""
    for platform, place in (
        ("darwin", "Library/Application Support/Code/User/mcp.json"),
        ("win32", "AppData/Roaming/Code/User/mcp.json"),
    ):
        bench.platform = platform
        bench.install("vscode", Wish(scope=USER, hooks=False))
        assert (bench.home / place).is_file()
        bench.uninstall("vscode", USER)
    bench.platform = "linux"
    folders = "CLAUDE_CONFIG_DIR=c CODEX_HOME=x COPILOT_HOME=p GEMINI_CLI_HOME=g XDG_CONFIG_HOME=o"
    for variable, _, name in (one.partition("=") for one in folders.split()):
        bench.environ[variable] = str(bench.home / name)
    for host in HOSTS:
        bench.install(host, Wish(scope=USER, hooks=True))
    found = {name.removeprefix("person/") for name in made(bench)}
    assert {"c/settings.json", "c/.claude.json", "x/config.toml", "p/mcp-config.json"} <= found
    assert {"g/.gemini/settings.json", "o/opencode/opencode.json", "o/Code/User/mcp.json"} <= found
    assert not any(name.startswith((".claude", ".codex", ".gemini", ".config")) for name in found)


def test_windows(bench: Bench) -> None:
    """PowerShell gets a call operator before a quoted path; Cursor, slow there, no hook at every tool."""
    remora = "C:\\Program Files\\remora.exe"
    bench.call = Call((remora,), windows=True)
    for host, name, event, key, line in (
        ("cursor", "shop/.cursor/hooks.json", "stop", "command", f"& '{remora}' hook --host cursor; exit 0"),
        ("copilot", "shop/.github/hooks/remora.json", "agentStop", "bash",
         f"'{remora}' hook --host copilot; exit 0"),
        ("vscode", "shop/.github/hooks/remora-vscode.json", "Stop", "windows",
         f'"{remora}" hook --host vscode'),
        ("claude-code", "shop/.claude/settings.json", "Stop", "command", remora),
    ):  # fmt: skip
        bench.install(host, Wish(hooks=True) if host in ("copilot", "vscode") else None)
        assert handlers(bench, name)[event][key] == line
    assert "postToolUse" not in handlers(bench, "shop/.cursor/hooks.json")


def test_servers_and_rules(bench: Bench) -> None:
    """Each host has its form of a server, and of rules that are short and stand once in a shared file."""
    for host in HOSTS:
        bench.install(host, Wish(hooks=False, rules=True))
    bench.install("windsurf", Wish(scope=USER, hooks=False))
    plain = {"command": "remora", "args": ["mcp"]}
    opencode = bench.document("shop/opencode.json")
    assert opencode["mcp"]["remora"] == {"type": "local", "command": ["remora", "mcp"], "enabled": True}
    toml = tomllib.loads((bench.root / ".codex/config.toml").read_text())
    assert toml == {"mcp_servers": {"remora": plain}}
    for name, key, form in (
        ("shop/.cursor/mcp.json", "mcpServers", plain),
        ("shop/.gemini/settings.json", "mcpServers", plain),
        ("person/.codeium/windsurf/mcp_config.json", "mcpServers", plain),
        ("shop/.github/mcp.json", "mcpServers", {"type": "local", **plain, "tools": ["*"]}),
        ("shop/.vscode/mcp.json", "servers", {"type": "stdio", **plain}),
    ):
        assert bench.document(name) == {key: {"remora": form}}
    fronts = {
        ".claude/rules/remora.md": "",
        ".cursor/rules/remora.mdc": "alwaysApply: true",
        ".windsurf/rules/remora.md": "trigger: always_on",
        ".github/instructions/remora.instructions.md": 'applyTo: "**"',
        "AGENTS.md": "",
        "GEMINI.md": "",
    }
    for path, front in fronts.items():
        text = (bench.root / path).read_text()
        assert front in text
        assert text.count("`search_memory`") == 2
        assert rule_text.read(text.encode()).body.strip() == ""  # we do not learn our own words
        assert len(text) < 1500
