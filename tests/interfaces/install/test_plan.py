"""What is planned, what is held back, what is said of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from remora.core.errors import Conflict, SourceError, StoreReadOnly
from remora.interfaces.install import plan as planning
from remora.interfaces.install import records
from remora.interfaces.install.apply import carry_out
from remora.interfaces.install.hosts import HOSTS, USER
from remora.interfaces.install.plan import Wish
from tests.interfaces.install.conftest import Bench


def parts(bench: Bench, host: str, wish: Wish | None = None) -> set[str]:
    """Return the file names that installing would make or change."""
    return {change.path.name for change in bench.plan(host, wish).every if change.action != "keep"}


@pytest.mark.parametrize("host", ["cursor", "vscode", "copilot"])
def test_hooks_of_claude_code_run_elsewhere(bench: Bench, host: str) -> None:
    """Hosts that run Claude Code's hooks get their own beside them, and it is said that those stay silent."""
    before = parts(bench, host)
    bench.install("claude-code")
    assert parts(bench, host) == before
    assert "also runs Claude Code's hooks" in " ".join(bench.plan(host).notes)


def test_hooks_of_copilot_run_in_code(bench: Bench) -> None:
    """VS Code runs Copilot's hook files, too, and the other way round."""
    bench.install("copilot")
    assert parts(bench, "vscode") == {"mcp.json"}
    bench.uninstall("copilot")
    bench.install("vscode")
    assert parts(bench, "copilot") == {"mcp.json", "remora.instructions.md"}


def test_hooks_in_both_scopes(bench: Bench) -> None:
    """What the person has already is not put into the project as well; what is there stays right."""
    bench.install("claude-code", Wish(scope=USER))
    plan = bench.plan("claude-code")
    assert "the user has them already" in " ".join(plan.notes)
    assert {change.path.name for change in plan.every if change.after} == {".mcp.json"}
    bench.install("claude-code", Wish(hooks=True))
    assert bench.plan("claude-code").idle
    assert bench.plan("claude-code", Wish(scope=USER)).idle


@pytest.mark.parametrize("name", ["person/.claude/settings.json", "shop/.claude/settings.local.json"])
def test_the_plugin_is_enough(bench: Bench, name: str) -> None:
    """Where the Remora plugin is enabled, nothing is written unless it is asked for."""
    bench.put(bench.folder / name, json.dumps({"enabledPlugins": {"remora@market": True, "x@y": True}}))
    plan = bench.plan("claude-code")
    assert plan.idle
    assert "Remora plugin is enabled" in " ".join(plan.notes)
    assert not bench.plan("claude-code", Wish(hooks=True)).idle
    bench.put(bench.folder / name, json.dumps({"enabledPlugins": {"remora@market": False}}))
    assert not bench.plan("claude-code").idle


def test_a_server_of_that_name(bench: Bench) -> None:
    """A server called remora that somebody set up stays as it is, through install and uninstall."""
    own = {"mcpServers": {"remora": {"type": "http", "url": "http://127.0.0.1:8765/mcp"}}}
    bench.put(bench.root / ".mcp.json", json.dumps(own))
    toml = '[mcp_servers.remora]\nurl = "http://127.0.0.1:8765/mcp"\n'
    bench.put(bench.root / ".codex/config.toml", toml)
    assert "another server has the name 'remora'" in " ".join(bench.install("claude-code").notes)
    assert "another server has the name 'remora'" in " ".join(bench.install("codex").notes)
    for host in ("claude-code", "codex"):
        bench.uninstall(host)
    assert json.loads((bench.root / ".mcp.json").read_text()) == own
    assert (bench.root / ".codex/config.toml").read_text() == toml


def test_a_table_that_lost_its_marks(bench: Bench) -> None:
    """It stays through an installation, and is removed by hand before an uninstallation."""
    bench.install("codex")
    path = bench.root / ".codex/config.toml"
    table = "".join(line for line in path.read_text().splitlines(keepends=True) if not line.startswith("#"))
    path.write_text(table)
    assert "has lost its marker lines" in " ".join(bench.install("codex").notes)
    with pytest.raises(SourceError, match="has lost its marker lines; nothing was changed") as caught:
        bench.uninstall("codex")
    assert "remove the entries of Remora by hand" in caught.value.hint
    assert path.read_text() == table
    path.write_text("")
    bench.uninstall("codex")
    assert not (bench.root / ".codex/hooks.json").exists()


def test_a_server_written_by_hand(bench: Bench) -> None:
    """So does one that runs Remora in another way, where no record says that it is ours."""
    text = json.dumps({"mcpServers": {"remora": {"command": "uvx", "args": ["remora", "mcp"], "env": {}}}})
    bench.put(bench.root / ".gemini/settings.json", text)
    bench.install("gemini")
    found = json.loads((bench.root / ".gemini/settings.json").read_text())
    assert found["mcpServers"]["remora"]["command"] == "uvx"
    bench.uninstall("gemini")
    assert (bench.root / ".gemini/settings.json").read_text() == text


def test_a_file_of_our_name(bench: Bench) -> None:
    """A file that has our name and is somebody else's is refused."""
    bench.put(bench.root / ".opencode/plugins/remora.js", "export const Mine = 1\n")
    with pytest.raises(SourceError, match="Remora did not write it"):
        bench.plan("opencode")
    bench.put(bench.root / ".windsurf/rules/remora.md", "Mine.\n")
    with pytest.raises(SourceError, match="Remora did not write it"):
        bench.plan("windsurf")


def test_handlers_beside_ours(bench: Bench) -> None:
    """A handler that somebody put into our group, and an event of their own, stay."""
    bench.install("claude-code")
    path = bench.root / ".claude/settings.json"
    found = json.loads(path.read_text())
    found["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "say done"})
    found["hooks"]["Notification"] = [{"hooks": [{"type": "command", "command": "say hm"}]}]
    path.write_text(json.dumps(found))
    bench.uninstall("claude-code")
    assert json.loads(path.read_text()) == {
        "hooks": {
            "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
            "Notification": [{"hooks": [{"type": "command", "command": "say hm"}]}],
        }
    }


def test_an_older_form_is_replaced(bench: Bench) -> None:
    """Handlers of an earlier version give way to those of this one; there is never a second of ours."""
    old = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "remora hook --host claude-code"}]}]}}
    bench.put(bench.root / ".claude/settings.json", json.dumps(old, indent=2))
    bench.install("claude-code")
    found = json.loads((bench.root / ".claude/settings.json").read_text())
    assert len(found["hooks"]["Stop"]) == 1
    assert found["hooks"]["Stop"][0]["hooks"][0]["timeout"] == 5


def test_hooks_that_are_switched_off(bench: Bench) -> None:
    """A file that switches all hooks off is said to."""
    bench.put(bench.root / ".claude/settings.json", '{"disableAllHooks": true}')
    assert "disableAllHooks" in " ".join(bench.plan("claude-code").notes)


def test_diff(bench: Bench) -> None:
    """The change is a unified diff with the file's names; a secret beside it is not shown."""
    bench.put(
        bench.root / ".mcp.json",
        '{\n  "env": {"GITHUB_TOKEN": "ghp_q8Zk2LmN9xT4vB7cW1sR5yU3eH6jD0aFgP2K"}\n}',
    )
    (change,) = (c for c in bench.plan("claude-code").every if c.path.name == ".mcp.json")
    lines = change.diff()
    assert lines[0] == f"--- {change.path}"
    assert lines[1] == f"+++ {change.path}"
    assert '+  "mcpServers": {' in lines
    assert "\\ no line end here" in lines[-1]
    assert "ghp_" not in "\n".join(lines)


def test_changed_meanwhile(bench: Bench) -> None:
    """A file that changed between looking and doing stops everything."""
    bench.put(bench.root / ".mcp.json", "{}")
    plan = bench.plan("claude-code")
    bench.put(bench.root / ".mcp.json", '{"a": 1}')
    was = bench.tree()
    with pytest.raises(Conflict, match="changed since the preview"):
        carry_out(plan)
    assert bench.tree() == was


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anything")
def test_a_file_that_may_not_be_written(bench: Bench) -> None:
    """A read-only file is said before anything is changed."""
    bench.put(bench.root / ".mcp.json", "{}")
    (bench.root / ".mcp.json").chmod(0o444)
    was = bench.tree()
    with pytest.raises(StoreReadOnly):
        bench.install("claude-code")
    assert bench.tree() == was


def test_files_that_are_no_files(bench: Bench) -> None:
    """A folder in a file's place, a file in a folder's, other bytes than text: each is named."""
    (bench.root / ".mcp.json").mkdir()
    with pytest.raises(SourceError, match="is a folder"):
        bench.plan("claude-code")
    bench.put(bench.root / ".cursor", "x")
    with pytest.raises(SourceError, match="one of its folders is a file"):
        bench.plan("cursor")
    bench.put(bench.root / ".gemini/settings.json", "{}".encode("utf-16"))
    with pytest.raises(SourceError, match="not UTF-8"):
        bench.plan("gemini")


def test_a_record_that_cannot_be_read(bench: Bench) -> None:
    """Without a readable record our entries are known by their looks."""
    bench.install("claude-code")
    (record,) = (bench.data / "installed").iterdir()
    for text in ("", "[]", "{}", '{"version": 99}', '{"version": 1, "files": [{}]}'):
        record.write_text(text)
        assert records.read(record) is None
        assert bench.plan("claude-code").idle
    bench.uninstall("claude-code")
    assert "remora" not in "".join(path for path in bench.tree())


def test_what_a_host_has_for_the_user_alone(bench: Bench, tmp_path: Path) -> None:
    """A file that two projects need stays until the last of them goes."""
    bench.install("windsurf")
    shared = bench.home / ".codeium/windsurf/mcp_config.json"
    first, bench.root = bench.root, tmp_path / "other"
    bench.root.mkdir()
    bench.install("windsurf")
    plan = bench.uninstall("windsurf")
    assert f"{first} uses it, too" in " ".join(plan.notes)
    assert shared.exists()
    bench.root = first
    bench.uninstall("windsurf")
    assert not shared.exists()
    assert not (bench.home / ".codeium").exists()


def test_the_projects_files_alone(bench: Bench) -> None:
    """Asked for the project's files, what a host keeps for the user is left out, and it is said."""
    plan = bench.plan("windsurf", Wish(scope="project"))
    assert "no mcp: Windsurf has no such file in a project" in plan.notes
    assert all(change.path.is_relative_to(bench.root) for change in plan.every)


def test_uninstalling_says_where_it_is(bench: Bench) -> None:
    """Where the project has nothing but the user has, the other scope is named."""
    bench.install("codex", Wish(scope=USER))
    plan = planning.uninstall(bench.given("codex"), HOSTS["codex"], None)
    assert plan.idle
    assert "--scope user" in " ".join(plan.notes)
    assert not planning.uninstall(bench.given("codex"), HOSTS["codex"], USER).idle


def test_a_broken_file_of_somebody_else(bench: Bench) -> None:
    """Uninstalling passes over a broken file that has nothing of ours in it, and refuses one that has."""
    bench.put(bench.root / ".mcp.json", "{ broken")
    assert bench.uninstall("claude-code").idle
    bench.put(bench.root / ".mcp.json", '{ "remora": broken')
    with pytest.raises(SourceError, match="a value is expected"):
        bench.uninstall("claude-code")


def test_commands_of_this_machine(bench: Bench) -> None:
    """A path that only this machine has is said not to belong into a repository."""
    bench.call = bench.call._replace(words=("/opt/remora",))
    assert "do not commit" in " ".join(bench.plan("claude-code").notes)
    assert not any("commit" in note for note in bench.plan("claude-code", Wish(scope=USER)).notes)


def test_a_host_that_writes_its_file_anew(bench: Bench) -> None:
    """After the host wrote everything in another order and form, ours is found and taken out."""
    bench.put(bench.home / ".claude.json", '{"numStartups": 1}')
    bench.install("claude-code", Wish(scope=USER))
    path = bench.home / ".claude.json"
    found = json.loads(path.read_text())
    path.write_text(
        json.dumps({"numStartups": 2, **{k: found[k] for k in sorted(found, reverse=True)}}, indent=4)
    )
    assert bench.plan("claude-code", Wish(scope=USER)).idle
    bench.uninstall("claude-code", USER)
    assert json.loads(path.read_text()) == {"numStartups": found["numStartups"]}
