"""What is planned, what is held back, what is said of it."""

from __future__ import annotations

import json

import pytest

from remora.core.errors import Conflict, SourceError
from remora.interfaces.install import plan as planning
from remora.interfaces.install.apply import carry_out
from remora.interfaces.install.hosts import HOSTS, USER
from remora.interfaces.install.plan import Wish
from tests.helpers import SECRET
from tests.interfaces.install.conftest import Bench


def parts(bench: Bench, host: str) -> set[str]:
    """Return the names of the files that installing would make or change."""
    return {change.path.name for change in bench.plan(host).changes if change.action != "keep"}


def test_hosts_that_run_the_hooks_of_others(bench: Bench) -> None:
    """Copilot and VS Code run each other's."""
    bench.install("copilot")
    assert parts(bench, "vscode") == {"mcp.json"}
    bench.uninstall("copilot")
    bench.install("vscode")
    assert parts(bench, "copilot") == {"mcp.json", "remora.instructions.md"}


def test_hooks_that_are_there_already(bench: Bench) -> None:
    """What the person or the plugin has is not put into the project unless it is asked for."""
    for name in ("person/.claude/settings.json", "shop/.claude/settings.local.json"):
        bench.put(bench.folder / name, json.dumps({"enabledPlugins": {"remora@market": True, "x@y": True}}))
        assert bench.plan("claude-code").idle
        assert "Remora plugin is enabled" in bench.notes("claude-code")
        assert not bench.plan("claude-code", Wish(hooks=True)).idle
        bench.put(bench.folder / name, json.dumps({"enabledPlugins": {"remora@market": False}}))
        assert not bench.plan("claude-code").idle
    bench.install("claude-code", Wish(scope=USER))
    assert "the user has them already" in bench.notes("claude-code")
    assert {change.path.name for change in bench.plan("claude-code").changes if change.after} == {".mcp.json"}
    plan = planning.uninstall(bench.given("claude-code"), HOSTS["claude-code"], None)
    assert plan.idle
    assert "--scope user" in " ".join(plan.notes)
    assert not planning.uninstall(bench.given("claude-code"), HOSTS["claude-code"], USER).idle
    bench.install("claude-code", Wish(hooks=True))
    assert bench.plan("claude-code").idle
    assert bench.plan("claude-code", Wish(scope=USER)).idle


def test_a_server_of_that_name(bench: Bench) -> None:
    """A server called remora that somebody set up, or wrote in another way, stays through both commands."""
    own = {
        "claude-code": (".mcp.json", '{"mcpServers": {"remora": {"type": "http", "url": "http://a/mcp"}}}'),
        "codex": (".codex/config.toml", '[mcp_servers.remora]\nurl = "http://127.0.0.1:8765/mcp"\n'),
        "gemini": (
            ".gemini/settings.json",
            '{"mcpServers": {"remora": {"command": "uvx", "args": ["remora", "mcp"], "env": {}}}}',
        ),
    }
    for host, (name, text) in own.items():
        bench.put(bench.root / name, text)
        assert "another server has the name 'remora'" in " ".join(bench.install(host).notes)
    assert '"command": "uvx"' in (bench.root / ".gemini/settings.json").read_text()
    for host, (name, text) in own.items():
        bench.uninstall(host)
        assert (bench.root / name).read_text() == text


def test_handlers_beside_ours(bench: Bench) -> None:
    """Those of an earlier version give way; one that somebody put into our group, and their events, stay."""
    path = bench.root / ".claude/settings.json"
    old = {"type": "command", "command": "remora hook --host claude-code"}
    bench.put(path, json.dumps({"hooks": {"Stop": [{"hooks": [old]}]}}, indent=2))
    bench.install("claude-code")
    found = json.loads(path.read_text())
    (group,) = found["hooks"]["Stop"]
    assert group["hooks"][0]["timeout"] == 5
    theirs = {"hooks": [{"type": "command", "command": "say done"}]}
    group["hooks"] += theirs["hooks"]
    found["hooks"]["Notification"] = [theirs]
    path.write_text(json.dumps(found))
    bench.uninstall("claude-code")
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [theirs], "Notification": [theirs]}}


def test_the_change_is_shown_and_is_the_one_made(bench: Bench) -> None:
    """It is a unified diff without the secrets beside it; a file that changed meanwhile stops everything."""
    bench.put(bench.root / ".mcp.json", f'{{\n  "env": {{"GITHUB_TOKEN": "{SECRET}"}}\n}}')
    plan = bench.plan("claude-code")
    (change,) = (c for c in plan.changes if c.path.name == ".mcp.json")
    lines = change.diff()
    assert lines[:2] == [f"--- {change.path}", f"+++ {change.path}"]
    assert '+  "mcpServers": {' in lines
    assert "\\ no line end here" in lines[-1]
    assert "ghp_" not in "\n".join(lines)
    bench.put(bench.root / ".mcp.json", '{"a": 1}')
    was = bench.tree()
    with pytest.raises(Conflict, match="changed since the preview"):
        carry_out(plan)
    assert bench.tree() == was


def test_files_that_cannot_be_used(bench: Bench) -> None:
    """What is no file, no text or not ours is named; a broken file stops only what has to change it."""
    bench.put(bench.root / ".mcp.json", "{ broken")
    assert bench.uninstall("claude-code").idle
    bench.put(bench.root / ".mcp.json", '{ "remora": broken')
    with pytest.raises(SourceError, match="a value is expected"):
        bench.uninstall("claude-code")
    (bench.root / ".mcp.json").unlink()
    (bench.root / ".mcp.json").mkdir()
    bench.put(bench.root / ".cursor", "x")
    bench.put(bench.root / ".gemini/settings.json", "{}".encode("utf-16"))
    bench.put(bench.root / ".opencode/plugins/remora.js", "export const Mine = 1\n")
    bench.put(bench.root / ".windsurf/rules/remora.md", "Mine.\n")
    for host, trouble in {
        "claude-code": "is a folder",
        "cursor": "one of its folders is a file",
        "gemini": "not UTF-8",
        "opencode": "Remora did not write it",
        "windsurf": "Remora did not write it",
    }.items():
        with pytest.raises(SourceError, match=trouble):
            bench.plan(host)


def test_what_the_notes_say(bench: Bench) -> None:
    """A path of this machine alone, and what a project has no file for."""
    plan = bench.plan("windsurf", Wish(scope="project"))
    assert "Windsurf has no file in this scope for: mcp" in plan.notes
    assert all(change.path.is_relative_to(bench.root) for change in plan.changes)
    bench.call = bench.call._replace(words=("/opt/remora",))
    assert "do not commit" in bench.notes("claude-code")
    assert "commit" not in bench.notes("claude-code", Wish(scope=USER))


def test_a_host_that_writes_its_file_anew(bench: Bench) -> None:
    """After the host wrote everything in another order and form, ours is found and taken out."""
    path = bench.home / ".claude.json"
    bench.put(path, '{"numStartups": 1}')
    bench.install("claude-code", Wish(scope=USER))
    found = json.loads(path.read_text())
    anew = {key: found[key] for key in sorted(found, reverse=True)} | {"numStartups": 2}
    path.write_text(json.dumps(anew, indent=4))
    assert bench.plan("claude-code", Wish(scope=USER)).idle
    bench.uninstall("claude-code", USER)
    assert json.loads(path.read_text()) == {"numStartups": 2}
