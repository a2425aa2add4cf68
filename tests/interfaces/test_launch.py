"""Nothing that we print, install or start runs code of the folder that it is started in."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from remora.app.agent.detach import begin_work
from remora.core import moments
from remora.core.moments import Moment
from remora.interfaces.install.health import looked_at, trouble_of
from remora.interfaces.install.hosts import HOSTS
from tests.helpers import Repo

MODULES = "json typing sitecustomize usercustomize apsw numpy click platformdirs shlex".split()
TRAP = (
    "import os\nopen(os.path.join(os.environ['MARKS'], __name__), 'w').close()\nraise ImportError('a trap')\n"
)


class World:
    """A repository that brings modules under the names of ours, and a home."""

    def __init__(self, tmp_path: Path) -> None:
        self.home, self.marks = tmp_path / "home", tmp_path / "marks"
        for folder in (self.home, self.marks):
            folder.mkdir()
        self.repo = Repo(tmp_path / "repository").init()
        files = {f"{name}.py": TRAP for name in MODULES}
        self.repo.commit("start", {**files, "remora/__init__.py": TRAP, "remora/__main__.py": TRAP})
        for name, program in {"remora": "remora.exe", "git": "git"}.items():
            (self.repo.root / program).write_text(f"#!/bin/sh\ntouch {self.marks}/{name}\n")
            (self.repo.root / program).chmod(0o755)
        kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TMPDIR") if name in os.environ}
        self.environ = kept | {
            "HOME": str(self.home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "MARKS": str(self.marks),
            "REMORA_HOME": str(self.home / "data"),
            "REMORA_EMBEDDING_PROVIDER": "none",
        }

    def run(self, *words: str, shell: str = "", text: str = "", fails: bool = False, **more: str) -> str:
        """Run a command in the repository, which must succeed or must fail; return what it printed."""
        place: dict[str, Any] = {"cwd": self.repo.root, "env": self.environ | more, "shell": bool(shell)}
        how: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 60, "check": False}
        done = subprocess.run(shell or list(words), input=text, **place, **how)
        assert (done.returncode != 0) == fails, done.stderr
        return str(done.stdout)

    def install(self) -> None:
        """Install Claude Code's parts as somebody does who has no script of ours on the path."""
        self.run(sys.executable, "-P", "-m", "remora", *"install claude-code --scope user --yes".split())

    def sprung(self) -> list[str]:
        """Return the traps that were stepped into."""
        return sorted(path.name for path in self.marks.iterdir())

    @property
    def event(self) -> str:
        """The start of a session in the repository."""
        return json.dumps({"session_id": "s", "cwd": str(self.repo.root), "hook_event_name": "SessionStart"})


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A hostile repository."""
    return World(tmp_path)


def test_the_traps_work(world: World):
    """A command without -P steps into them."""
    world.run(sys.executable, "-m", "remora", "--help", fails=True)
    assert world.sprung() != []


def installed(world: World) -> str:
    """Install; return the command in the record, which is lost."""
    world.install()
    (record,) = (world.home / "data" / "installed").glob("*.json")
    found = json.loads(record.read_text("utf-8"))
    record.unlink()
    return str(found["command"])


@pytest.mark.slow
def test_a_server_runs_nothing_of_the_folder_where_the_environment_allows_it(world: World):
    """Its own -P holds, whatever PYTHONSAFEPATH says."""
    command = installed(world)
    assert "-m remora" in command
    world.run(shell=f"{command} mcp", text="", PYTHONSAFEPATH="")
    assert world.sprung() == []


def entries(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the tables of a file that hold a command, at any depth."""
    if isinstance(value, Mapping) and ("command" in value or "bash" in value):
        yield value
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from entries(inner)


def written(world: World) -> Iterator[Mapping[str, Any]]:
    """Yield everything in the files that an install wrote which has a command, as a host reads it."""
    for folder in (world.home, world.repo.root):
        for path in sorted(folder.rglob("*")):
            if path.relative_to(folder).parts[0] in ("data", ".git", "remora"):
                continue
            if path.suffix in (".json", ".jsonc"):
                yield from entries(json.loads(path.read_text("utf-8")))
            elif path.suffix == ".toml":
                yield from entries(tomllib.loads(path.read_text("utf-8")))
            elif path.suffix == ".js":
                words = re.search(r"const COMMAND = (\[.*\])", path.read_text("utf-8"))
                assert words, path
                yield {"command": [*json.loads(words[1]), "hook", "--host", "opencode"]}


# Installs for every host in one process, as if each had been typed.
INSTALL_ALL = """
import sys
from remora.interfaces.cli import cli
for host in sys.argv[2:]:
    try:
        cli.main(["install", host, "--scope", sys.argv[1], "--hooks", "--mcp", "--yes"])
    except SystemExit as end:
        assert not end.code, host
"""


def commands(world: World) -> set[tuple[str, ...]]:
    """Return what the files tell hosts to run: a line for a shell alone, or a list of words."""
    found: set[tuple[str, ...]] = set()
    for one in written(world):
        for key in {"powershell", "windows", "commandWindows"} & one.keys():
            assert "-m" not in str(one[key]) or re.search(r"-P\W+-m\b", str(one[key])), one
        for key in {"command", "bash"} & one.keys():
            words = one[key] if isinstance(one[key], list) else [one[key]]
            found.add(tuple(map(str, [*words, *one.get("args", [])])))
    return found


@pytest.mark.slow
def test_every_command_in_the_files_runs_nothing_of_the_folder(tmp_path: Path):
    """Each line and each list of words that the files of the hosts hold is run as a host runs it, once."""
    ran: set[tuple[str, ...]] = set()
    for scope in ("project", "user"):
        (tmp_path / scope).mkdir()
        world = World(tmp_path / scope)
        world.run(sys.executable, "-P", "-c", INSTALL_ALL, scope, *HOSTS)
        found = commands(world)
        for line in sorted(found - ran):
            text = "" if line[-1] == "mcp" else world.event
            world.run(*line, shell=line[0] if len(line) == 1 else "", text=text)
        ran |= found
        told = [" ".join(line) for line in found]
        assert [host for host in HOSTS if not any(f"--host {host}" in line for line in told)] == []
        assert world.sprung() == []


def test_what_is_called_by_its_place_runs_nothing_of_the_folder(world: World):
    """The script, as the files of one person have it, and the entry for a host's configuration."""
    script = str(Path(sys.executable).with_name("remora"))
    world.run(script, "hook", "--host", "claude-code", text=world.event)
    server = json.loads(world.run(script, "mcp", "--json"))["mcpServers"]["remora"]
    world.run(server["command"], *server["args"])
    assert world.sprung() == []


def test_the_work_after_a_session_runs_nothing_of_the_folder(world: World, monkeypatch: pytest.MonkeyPatch):
    """Also where the data lies in the repository, and the path of Python has empty and relative parts."""
    environ = world.environ | {"REMORA_HOME": str(world.repo.root), "PYTHONPATH": os.pathsep.join(["", "."])}
    live = world.repo.root / "live"
    live.mkdir()
    head = {"k": "head", "host": "h", "session": "s", **dict.fromkeys(("home", "root"), str(world.repo.root))}
    (live / "h-s.jsonl").write_text(json.dumps(head) + "\n")
    monkeypatch.setattr("remora.app.agent.detach._left_behind", lambda _: True)
    assert begin_work(environ, ended=Moment(moments.END, "h", "s", str(world.repo.root)))
    time.sleep(2)
    assert world.sprung() == []


def test_a_relative_place_on_the_path_is_not_installed_by_name(world: World):
    """A bare name would be looked for in the folder of the host."""
    (world.repo.root / "remora").rename(world.repo.root / "package")
    (world.repo.root / "remora.exe").rename(world.repo.root / "remora")
    world.environ["PATH"] += os.pathsep + "."
    assert installed(world).startswith(sys.executable)
    assert world.sprung() == []


def test_what_an_earlier_version_installed_is_noticed_and_mended(world: World):
    """The doctor names the command that mends it, and that command does."""
    installed(world)
    settings = world.home / ".claude" / "settings.json"
    settings.write_text(settings.read_text("utf-8").replace('"-P", ', ""), "utf-8")
    record = {"version": 1, "host": "claude-code", "scope": "user", "root": "", "files": []}
    old = json.dumps(record | {"command": f"{sys.executable} -m remora"})
    (world.home / "data" / "installed" / "claude-code-user.json").write_text(old, "utf-8")
    (found,) = looked_at(world.home / "data", world.environ)
    assert (found.level, found.advice) == ("warning", "Run `remora install claude-code --scope user`.")
    world.install()
    mended = settings.read_text("utf-8")
    assert mended.count('"-P", "-m"') == mended.count('"-m"') > 0


def test_a_command_that_cannot_run_is_named():
    """By what is wrong with it; a bare name is trouble where the PATH has relative folders."""
    for words, trouble in (
        (["/no/such/remora"], "does not exist or is not executable"),
        (["no-such-program-of-ours"], "is not found on the PATH"),
        ([sys.executable, "-m", "remora"], "runs Python code from the current folder"),
        ([sys.executable, "-P", "-m", "remora"], ""),
    ):
        assert trouble_of(words, dict(os.environ)) == trouble
    folder = str(Path(sys.executable).parent)
    assert trouble_of(["remora"], {"PATH": folder}) == ""
    assert "relative folders" in trouble_of(["remora"], {"PATH": f"{folder}{os.pathsep}."})
