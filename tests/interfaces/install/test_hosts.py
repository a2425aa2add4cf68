"""What each host gets: files, events, units of time, words of the command."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from remora.core import moments
from remora.interfaces.hooks.hosts import host_named
from remora.interfaces.install.hosts import HOSTS, LOCAL, USER
from remora.interfaces.install.launch_command import Call
from remora.interfaces.install.plan import Wish
from remora.sources import rule_text
from tests.interfaces.install.conftest import Bench

# The events of each host that a hook can answer, by interfaces of each host; nothing else may be registered.
EVENTS = {
    "claude-code": "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure PreCompact "
    "PostCompact SubagentStart SubagentStop Stop SessionEnd",
    "codex": "SessionStart UserPromptSubmit PreToolUse PostToolUse PreCompact PostCompact SubagentStart "
    "SubagentStop Stop SessionEnd",
    "cursor": "sessionStart sessionEnd beforeSubmitPrompt postToolUse postToolUseFailure afterAgentResponse "
    "preCompact subagentStop stop",
    "gemini": "SessionStart BeforeAgent AfterTool AfterAgent PreCompress SessionEnd",
    "copilot": "sessionStart userPromptSubmitted postToolUse postToolUseFailure preCompact subagentStart "
    "subagentStop agentStop sessionEnd",
    "vscode": "SessionStart UserPromptSubmit PreToolUse PostToolUse PreCompact SubagentStart SubagentStop "
    "Stop",
    "windsurf": "pre_user_prompt post_read_code post_write_code post_run_command post_mcp_tool_use "
    "post_cascade_response",
}
PLACES = {
    "claude-code": ("shop/.claude/settings.json", "shop/.mcp.json"),
    "codex": ("shop/.codex/hooks.json", "shop/.codex/config.toml"),
    "cursor": ("shop/.cursor/hooks.json", "shop/.cursor/mcp.json"),
    "gemini": ("shop/.gemini/settings.json",),
    "copilot": (
        "shop/.github/hooks/remora.json",
        "shop/.github/mcp.json",
        "shop/.github/instructions/remora.instructions.md",
    ),
    "vscode": ("shop/.github/hooks/remora-vscode.json", "shop/.vscode/mcp.json"),
    "windsurf": (
        "shop/.windsurf/hooks.json",
        "shop/.windsurf/rules/remora.md",
        "person/.codeium/windsurf/mcp_config.json",
    ),
    "opencode": ("shop/.opencode/plugins/remora.js", "shop/opencode.json"),
}
OWN = {
    "claude-code": ("person/.claude/settings.json", "person/.claude.json"),
    "codex": ("person/.codex/hooks.json", "person/.codex/config.toml"),
    "cursor": ("person/.cursor/hooks.json", "person/.cursor/mcp.json"),
    "gemini": ("person/.gemini/settings.json",),
    "copilot": (
        "person/.copilot/hooks/remora.json",
        "person/.copilot/mcp-config.json",
        "person/.copilot/copilot-instructions.md",
    ),
    "vscode": ("person/.copilot/hooks/remora-vscode.json", "person/.config/Code/User/mcp.json"),
    "windsurf": (
        "person/.codeium/windsurf/hooks.json",
        "person/.codeium/windsurf/memories/global_rules.md",
        "person/.codeium/windsurf/mcp_config.json",
    ),
    "opencode": ("person/.config/opencode/plugins/remora.js", "person/.config/opencode/opencode.json"),
}


def made(bench: Bench) -> set[str]:
    """Return the files that are there."""
    return {name for name, data in bench.tree().items() if not data.endswith(b"(folder)")}


def document(bench: Bench, name: str) -> Any:
    """Return what a JSON file says."""
    return json.loads((bench.folder / name).read_text("utf-8"))


def handlers(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the one handler of each event."""
    by_event = {}
    for event, (entry,) in found["hooks"].items():
        inner = entry.get("hooks", [entry])
        (by_event[event],) = inner
    return by_event


@pytest.mark.parametrize("host", HOSTS)
def test_files_of_a_project(bench: Bench, host: str) -> None:
    """Without options a project gets hooks and server, and rules where hooks cannot speak at the start."""
    bench.install(host)
    assert made(bench) == set(PLACES[host])


@pytest.mark.parametrize("host", HOSTS)
def test_files_of_a_person(bench: Bench, host: str) -> None:
    """For the user the same goes into the home."""
    bench.install(host, Wish(scope=USER))
    assert made(bench) == set(OWN[host])


@pytest.mark.parametrize("host", EVENTS)
def test_events(bench: Bench, host: str) -> None:
    """Each event of the host has one handler that calls `remora hook` for this host, and ends in time."""
    bench.install(host)
    found = handlers(document(bench, PLACES[host][0]))
    assert list(found) == EVENTS[host].split()
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


@pytest.mark.parametrize("host", EVENTS)
def test_events_mean_something(host: str) -> None:
    """Every event that is registered is one that `remora hook` understands."""
    for event in EVENTS[host].split():
        names = {"vscode": ("hookEventName",), "windsurf": ("agent_action_name",), "copilot": ()}
        ids = {"vscode": "sessionId", "windsurf": "trajectory_id", "cursor": "conversation_id"}
        # Copilot's payloads do not name their event; it shows in what they hold.
        shapes: dict[str, dict[str, Any]] = {
            "sessionStart": {"source": "new"},
            "userPromptSubmitted": {"prompt": "x"},
            "postToolUse": {"toolName": "x", "toolResult": {}},
            "postToolUseFailure": {"toolName": "x", "error": "x"},
            "preCompact": {"trigger": "auto", "customInstructions": ""},
            "subagentStart": {"agentName": "x", "transcriptPath": "x"},
            "subagentStop": {"agentName": "x", "stopReason": "end_turn", "transcriptPath": "x"},
            "agentStop": {"stopReason": "end_turn", "transcriptPath": "x"},
            "sessionEnd": {"reason": "complete"},
        }
        shape: dict[str, Any] = shapes[event] if host == "copilot" else {}
        told = dict.fromkeys(names.get(host, ("hook_event_name",)), event)
        payload = {**told, ids.get(host, "session_id"): "s", "cwd": "/w", **shape}
        assert host_named(host).parse(payload, {}).kind != moments.OTHER, event


def test_claude_code(bench: Bench) -> None:
    """Matchers name the tools; the person's settings name program and arguments, shared ones a line."""
    bench.install("claude-code")
    shared = document(bench, "shop/.claude/settings.json")
    edits = "Edit|Write|MultiEdit|NotebookEdit"
    assert shared["hooks"]["PreToolUse"][0]["matcher"] == f"{edits}|Bash"
    assert shared["hooks"]["PostToolUse"][0]["matcher"] == f"Read|Grep|Glob|{edits}|Bash"
    assert shared["hooks"]["Stop"][0]["hooks"][0]["command"] == "remora hook --host claude-code; exit 0"
    bench.install("claude-code", Wish(scope=USER, hooks=True))
    own = document(bench, "person/.claude/settings.json")["hooks"]["Stop"][0]["hooks"][0]
    assert (own["command"], own["args"]) == ("remora", ["hook", "--host", "claude-code"])
    server = {"type": "stdio", "command": "remora", "args": ["mcp"]}
    assert document(bench, "shop/.mcp.json") == {"mcpServers": {"remora": server}}
    assert document(bench, "person/.claude.json") == {"mcpServers": {"remora": server}}


def test_for_oneself_in_one_project(bench: Bench) -> None:
    """Claude Code has places for that; of other hosts it is said that they have none."""
    plan = bench.install("claude-code", Wish(scope=LOCAL))
    assert {change.path.name for change in plan.every} == {"settings.local.json", ".claude.json"}
    assert any("do not commit it" in note for note in plan.notes)
    hooks = document(bench, "shop/.claude/settings.local.json")["hooks"]
    assert hooks["Stop"][0]["hooks"][0]["args"] == ["hook", "--host", "claude-code"]
    server = {"type": "stdio", "command": "remora", "args": ["mcp"]}
    own = document(bench, "person/.claude.json")["projects"]
    assert own == {str(bench.root): {"mcpServers": {"remora": server}}}
    assert "you have them already" in " ".join(bench.plan("claude-code", Wish()).notes)
    assert bench.plan("codex", Wish(scope=LOCAL)).idle
    assert "has no file of one user in a project" in " ".join(bench.plan("codex", Wish(scope=LOCAL)).notes)


def test_servers(bench: Bench) -> None:
    """Each host's form of a server that it starts itself."""
    for host in HOSTS:
        bench.install(host, Wish(hooks=False, rules=False))
    plain = {"command": "remora", "args": ["mcp"]}
    assert document(bench, "shop/.cursor/mcp.json") == {"mcpServers": {"remora": plain}}
    assert document(bench, "shop/.gemini/settings.json") == {"mcpServers": {"remora": plain}}
    assert document(bench, "person/.codeium/windsurf/mcp_config.json") == {"mcpServers": {"remora": plain}}
    local = {"type": "local", **plain, "tools": ["*"]}
    assert document(bench, "shop/.github/mcp.json") == {"mcpServers": {"remora": local}}
    assert document(bench, "shop/.vscode/mcp.json") == {"servers": {"remora": {"type": "stdio", **plain}}}
    found = document(bench, "shop/opencode.json")
    assert found["mcp"]["remora"] == {"type": "local", "command": ["remora", "mcp"], "enabled": True}
    toml = tomllib.loads((bench.root / ".codex/config.toml").read_text())
    assert toml == {"mcp_servers": {"remora": plain}}


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
    """The variables by which hosts move their folders are followed."""
    for variable, name in (
        ("CLAUDE_CONFIG_DIR", "c"),
        ("CODEX_HOME", "x"),
        ("COPILOT_HOME", "p"),
        ("GEMINI_CLI_HOME", "g"),
        ("XDG_CONFIG_HOME", "o"),
    ):
        bench.environ[variable] = str(bench.home / name)
    for host in HOSTS:
        bench.install(host, Wish(scope=USER, hooks=True))
    found = {name.removeprefix("person/") for name in made(bench)}
    assert {"c/settings.json", "c/.claude.json", "x/config.toml", "p/mcp-config.json"} <= found
    assert {"g/.gemini/settings.json", "o/opencode/opencode.json", "o/Code/User/mcp.json"} <= found
    assert not any(name.startswith((".claude", ".codex", ".gemini", ".config")) for name in found)


@pytest.mark.parametrize(
    ("platform", "place"),
    [
        ("darwin", "Library/Application Support/Code/User/mcp.json"),
        ("win32", "AppData/Roaming/Code/User/mcp.json"),
    ],
)
def test_code_on_other_systems(bench: Bench, platform: str, place: str) -> None:
    """VS Code keeps a person's servers where the system keeps settings."""
    bench.platform = platform
    bench.install("vscode", Wish(scope=USER, hooks=False))
    assert (bench.home / place).is_file()


def test_windows(bench: Bench) -> None:
    """PowerShell gets a call operator before a quoted path; Cursor, slow there, no hook at every tool."""
    bench.call = Call(("C:\\Program Files\\remora.exe",), windows=True)
    bench.install("cursor")
    found = handlers(document(bench, "shop/.cursor/hooks.json"))
    assert found["stop"]["command"] == "& 'C:\\Program Files\\remora.exe' hook --host cursor; exit 0"
    assert "postToolUse" not in found
    bench.install("copilot", Wish(hooks=True))
    entry = handlers(document(bench, "shop/.github/hooks/remora.json"))["agentStop"]
    assert entry["bash"] == "'C:\\Program Files\\remora.exe' hook --host copilot; exit 0"
    bench.install("vscode", Wish(hooks=True))
    entry = handlers(document(bench, "shop/.github/hooks/remora-vscode.json"))["Stop"]
    assert entry["windows"] == '"C:\\Program Files\\remora.exe" hook --host vscode'
    bench.install("claude-code")
    entry = handlers(document(bench, "shop/.claude/settings.json"))["Stop"]
    assert entry["command"] == "C:\\Program Files\\remora.exe"


def test_rules(bench: Bench) -> None:
    """Rules have their host's front matter, stay short, and stand once where hosts share a file."""
    for host in HOSTS:
        bench.install(host, Wish(hooks=False, rules=True))
    texts = {
        path: (bench.root / path).read_text()
        for path in (
            ".claude/rules/remora.md",
            ".cursor/rules/remora.mdc",
            ".windsurf/rules/remora.md",
            ".github/instructions/remora.instructions.md",
            "AGENTS.md",
            "GEMINI.md",
        )
    }
    assert "alwaysApply: true" in texts[".cursor/rules/remora.mdc"]
    assert "trigger: always_on" in texts[".windsurf/rules/remora.md"]
    assert 'applyTo: "**"' in texts[".github/instructions/remora.instructions.md"]
    for text in texts.values():
        assert text.count("`search_memory`") == 2
        assert rule_text.read(text.encode()).body.strip() == ""  # we do not learn our own words
        assert len(text) < 1500
