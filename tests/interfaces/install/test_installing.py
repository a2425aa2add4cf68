"""install, uninstall: what the commands say, ask and do."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora.app.project.locate import settings_for
from tests.interfaces.conftest import Run
from tests.interfaces.terminal_kit import on_terminal

Answer = Callable[..., Any]
REMORA = ("--command", "remora")


@pytest.fixture
def person(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a person who has no host, and none on the path."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    git = tmp_path / "bin"
    git.mkdir()
    (git / "git").symlink_to(next(p for d in os.get_exec_path() if (p := Path(d) / "git").exists()))
    monkeypatch.setenv("PATH", str(git))
    return tmp_path / "person"


def test_what_is_here(run: Run, answer: Answer, person: Path, project: Path, tmp_path: Path) -> None:
    """Without a host it lists those that are found, and does nothing."""
    (person / ".codex").mkdir()
    (project / ".cursor").mkdir()
    (tmp_path / "bin" / "gemini").write_text("")
    (tmp_path / "bin" / "gemini").chmod(0o755)
    result = run("install", *REMORA)
    assert "Codex (codex)" in result.stdout
    assert "`remora install --all` does it for 3 hosts" in result.stdout
    assert [one["host"] for one in answer("install")["hosts"]] == ["codex", "cursor", "gemini"]
    assert not list(project.rglob("*.json"))


def test_install_and_uninstall(run: Run, person: Path, project: Path) -> None:
    """A change is shown, and made after a yes; the second time there is none; then it is taken out again."""
    nobody = run("install")
    assert (nobody.exit_code, nobody.stdout) == (0, "")
    assert "claude-code, codex, cursor, gemini, copilot, vscode, windsurf, opencode" in nobody.stderr
    refused, dry = run("install", "codex"), run("install", "codex", "--dry-run")
    assert (refused.exit_code, dry.exit_code) == (2, 0)
    assert "the confirmation needs a terminal" in refused.stderr
    assert "--yes" in refused.stderr
    assert not (project / ".codex").exists()
    first = run("install", "codex", "--yes", *REMORA)
    assert first.exit_code == 0
    for shown in (refused, dry, first):
        assert f"+++ {project}/.codex/hooks.json" in shown.stdout
        assert "+[mcp_servers.remora]" in shown.stdout
    assert f"created: {project}/.codex/config.toml" in first.stdout
    assert "type /hooks and trust the hooks" in first.stdout
    assert run("install", "codex", *REMORA).stdout == "Codex: nothing to change\n"
    assert "deleted:" in run("uninstall", "codex", "--yes").stdout
    assert not (project / ".codex").exists()
    assert run("uninstall", "codex").stdout == "Codex: nothing to change\n"


def test_json(run: Run, answer: Answer, person: Path) -> None:
    """The document has every file with what becomes of it."""
    planned = answer("install", "gemini", "--dry-run", *REMORA)
    assert (planned["host"], planned["scope"], planned["applied"]) == ("gemini", "project", False)
    (file,) = planned["files"]
    assert (file["action"], file["parts"]) == ("create", ["hooks", "mcp"])
    assert "+++" in file["diff"]
    refused = run("install", "gemini", "--json")
    assert refused.exit_code == 2
    assert json.loads(refused.stdout)["error"]["kind"] == "InvalidInput"
    for verb, applied, action in (
        ("install", True, "create"),
        ("install", False, "keep"),
        ("uninstall", True, "delete"),
    ):
        done = answer(verb, "gemini", "--yes", *(REMORA if verb == "install" else ()))
        assert (done["applied"], done["files"][0]["action"]) == (applied, action)


def test_all(run: Run, answer: Answer, person: Path, project: Path) -> None:
    """--all does it for every host found, each as if those before it were done."""
    for name in (".claude", ".vscode", ".cursor", ".github"):
        (project / name).mkdir()
    (project / ".github/copilot-instructions.md").touch()
    result = run("install", "--all", "--yes", *REMORA)
    assert result.exit_code == 0, result.output
    assert "VS Code also runs those in" in result.stdout
    assert (project / ".claude/settings.json").exists()
    assert (project / ".cursor/hooks.json").exists()
    assert [path.name for path in (project / ".github/hooks").iterdir()] == ["remora.json"]
    assert "Claude Code (claude-code)" in run("uninstall").stdout
    assert run("uninstall", "--all", "--yes").exit_code == 0
    left = [path.relative_to(project).as_posix() for path in sorted(project.rglob("*"))]
    assert left == [".claude", ".cursor", ".github", ".github/copilot-instructions.md", ".vscode"]
    assert "No installation was found here" in run("uninstall").stderr


def test_all_with_a_broken_file(run: Run, person: Path, project: Path) -> None:
    """One host with a broken file does not keep the others; its error is the code."""
    (project / ".cursor").mkdir()
    (project / ".cursor/mcp.json").write_text("{ broken")
    (project / ".gemini").mkdir()
    result = run("install", "--all", "--yes")
    assert result.exit_code == 20
    assert f"{project}/.cursor/mcp.json:1:3" in result.stderr
    assert (project / ".gemini/settings.json").exists()
    assert not (project / ".cursor/hooks.json").exists()


def test_at_home_and_in_a_repository(
    run: Run, person: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A subfolder stands for its repository, whose git files stay; the home is no project, but has files."""
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    config = (project / ".git/config").read_bytes()
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    assert run("install", "gemini", "--yes").exit_code == 0
    assert (project / ".gemini/settings.json").exists()
    assert (project / ".git/config").read_bytes() == config
    monkeypatch.chdir(person)
    result = run("install", "codex", "--yes")
    assert result.exit_code == 2
    assert "--scope user" in result.stderr
    assert run("install", "codex", "--yes", "--scope", "user").exit_code == 0
    assert (person / ".codex/hooks.json").exists()


@pytest.fixture
def settings(person: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the settings will lie of a person who has the programs of two agents."""
    programs = person / "programs"
    programs.mkdir()
    for name in ("claude", "codex"):
        (programs / name).write_text("#!/bin/sh\ncat\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("REMORA_CONFIG", str(person / "settings"))
    return person / "settings" / "config.toml"


def test_an_agent_writes_what_sessions_teach_after_a_yes(run: Run, settings: Path, project: Path) -> None:
    """`--writer` is the yes, `--yes` alone is none; the command is set, and what stood there stays."""
    settings.parent.mkdir()
    settings.write_text("[learn]\nquotes = false\n")
    result = run("install", "claude-code", "--yes", "--writer")
    assert result.exit_code == 3
    assert "already has a table [learn]" in result.stderr
    assert settings.read_text() == "[learn]\nquotes = false\n"
    settings.write_text("# mine\n[search]\nhyde = false\n")
    assert run("install", "claude-code", "--yes").exit_code == 0
    assert "llm" not in settings.read_text()
    result = run("install", "claude-code", "--yes", "--writer")
    assert "`claude -p" in result.stderr
    text = settings.read_text()
    assert text.startswith("# mine\n[search]\nhyde = false\n\n[llm]\n")
    found = settings_for(project, os.environ)
    assert (found.llm.provider, found.learn.synthesis, found.search.hyde) == ("command", True, False)
    assert shlex.split(found.llm.command)[:4] == ["claude", "-p", "--tools", ""]
    run("install", "claude-code", "--yes", "--writer")
    assert settings.read_text() == text


def test_asking(settings: Path, project: Path) -> None:
    """On a terminal it asks, and does nothing without a yes; after one it offers a writer, once."""

    def said(answers: dict[str, str]) -> str:
        """Install at a terminal, answer what is asked, and return what was said."""
        code, shown = on_terminal("install", "codex", "--no-color", answers=answers)
        assert code == 0
        return " ".join(shown.split())

    shown = [said({"Make this change?": ""})]
    assert not (project / ".codex/hooks.json").exists()
    shown.append(said({"Make this change?": "y", "Allow this?": "n"}))
    assert (project / ".codex/hooks.json").exists()
    assert all("mcp_servers.remora" in one for one in shown)
    assert ["Nothing was changed." in one for one in shown] == [True, False]
    assert ["Allow this?" in one for one in shown] == [False, True]
    assert "`codex` can write memories from each session, for about 5,000 tokens in" in shown[1]
    assert "Allow this?" not in said({})
    assert not settings.exists()
