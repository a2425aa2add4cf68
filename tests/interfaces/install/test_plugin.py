"""The plugin for Claude Code: what stands in it, and, where the CLI is at hand, that the CLI takes it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

import remora
from remora.interfaces.install.components import Hooks
from remora.interfaces.install.hosts import HOSTS, Place
from remora.interfaces.install.launch_command import Call
from remora.interfaces.mcp_server.tools import Tools
from remora.interfaces.verbs import VERBS

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "plugin"
SKILLS = "forget off recall reflect remember why wrong".split()  # those that the documentation names
CLAUDE = os.environ.get("REMORA_CLAUDE", "")  # `python dev.py plugin` sets it
live = pytest.mark.skipif(not CLAUDE, reason="needs Claude Code: python dev.py plugin")
STUB = """\
#!/bin/sh
[ "$1" = hook ] || exit 1
cat >> "$LOG"
echo >> "$LOG"
exit 2
"""


def read(name: str) -> Any:
    """Return what a JSON file of the plugin says."""
    return json.loads((PLUGIN / name).read_text("utf-8"))


def test_manifest() -> None:
    """The plugin has the version of the project, at which Claude Code updates it, and its skills."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    manifest = read(".claude-plugin/plugin.json")
    assert manifest["version"] == remora.__version__
    assert manifest["license"] == project["license"]
    assert sorted(path.parent.name for path in PLUGIN.glob("skills/*/SKILL.md")) == SKILLS
    market = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text("utf-8"))
    (entry,) = market["plugins"]
    assert entry["name"] == manifest["name"]
    assert (ROOT / entry["source"]).resolve() == PLUGIN


def test_hooks_are_those_of_install(tmp_path: Path) -> None:
    """The plugin has the hooks that `remora install claude-code` writes into a project."""
    place = Place(tmp_path, tmp_path, {}, Call())
    hooks = HOSTS["claude-code"].files(place)[0].piece
    assert isinstance(hooks, Hooks)
    ours = {event: [entry] for event, entry in hooks.entries.items()}
    # A plugin cannot ask for more time at the end of a session.
    ours["SessionEnd"] = ours["Stop"]
    assert read("hooks/hooks.json")["hooks"] == ours


@pytest.mark.parametrize("name", SKILLS)
def test_skills(name: str) -> None:
    """A skill has its name, a description of a length that fits, and names only tools that there are."""
    text = (PLUGIN / "skills" / name / "SKILL.md").read_text("utf-8")
    _, front, body = text.split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    assert fields["name"] == name
    assert len(fields["description"]) < 1_000
    assert "$ARGUMENTS" in body
    tools = {tool for tool in vars(Tools) if not tool.startswith("_")}
    named = re.findall(r"mcp__plugin_remora_remora__(\w+)", fields["allowed-tools"])
    verbs = re.findall(r"Bash\(remora (\w+):\*\)", fields["allowed-tools"])
    assert named or verbs
    assert set(named) <= tools
    assert set(verbs) <= {verb.name for verb in VERBS}
    quoted = {word for word in re.findall(r"`(\w+)`", body) if "_" in word}
    assert quoted <= tools


@pytest.fixture
def claude(tmp_path: Path) -> Any:
    """The CLI, in a home of its own, with no way out."""
    home, shop, bin_folder = (tmp_path / name for name in ("home", "shop", "bin"))
    for folder in (home, shop, bin_folder):
        folder.mkdir()
    environ = {
        "HOME": str(home),
        "PATH": f"{bin_folder}:/usr/bin:/bin",
        "LOG": str(tmp_path / "log"),
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",  # nobody answers there
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "DISABLE_AUTOUPDATER": "1",
    }

    def call(*words: str, code: int | None = 0) -> str:
        done = subprocess.run(
            [CLAUDE, *words], cwd=shop, env=environ, capture_output=True, text=True, check=False, timeout=120,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return call


@live
@pytest.mark.parametrize("what", [PLUGIN, ROOT], ids=["plugin", "marketplace"])
def test_validates(claude: Any, what: Path) -> None:
    """`claude plugin validate --strict` has nothing against the plugin and the marketplace."""
    assert "Validation passed" in claude("plugin", "validate", "--strict", str(what))


@live
def test_installs(claude: Any) -> None:
    """It can be installed from the marketplace and is switched on then."""
    claude("plugin", "marketplace", "add", str(ROOT))
    claude("plugin", "install", "remora@remora")
    assert "enabled" in claude("plugin", "list")


@live
@pytest.mark.parametrize("there", [True, False])
def test_runs(claude: Any, tmp_path: Path, there: bool) -> None:
    """Its hooks run and end with 0, be Remora there, broken or missing; every skill is loaded."""
    if there:
        stub = tmp_path / "bin" / "remora"
        stub.write_text(STUB)
        stub.chmod(0o755)
    claude("-p", "go", "--plugin-dir", str(PLUGIN), "--debug-file", str(tmp_path / "debug"), code=None)
    debug = (tmp_path / "debug").read_text("utf-8")
    skills = list((PLUGIN / "skills").iterdir())
    assert f"Loaded {len(skills)} skills from plugin remora" in debug
    finished = re.findall(r"Hooks: (\w+)\S* \[remora hook .*finished with status (\d+)", debug)
    assert {("SessionStart", "0"), ("UserPromptSubmit", "0")} <= set(finished)
    assert all(status == "0" for _, status in finished)
    if there:
        events = [json.loads(line) for line in (tmp_path / "log").read_text().split("\n") if line]
        assert [event["hook_event_name"] for event in events] == [
            "SessionStart",
            "UserPromptSubmit",
            "SessionEnd",
        ]
        assert events[1]["prompt"] == "go"
