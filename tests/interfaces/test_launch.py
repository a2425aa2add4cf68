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
        for name in ("remora", "git"):
            program = self.repo.root / name if name == "git" else self.repo.root / "remora.exe"
            program.write_text(f"#!/bin/sh\ntouch {self.marks}/{name}\n")
            program.chmod(0o755)
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
        done = subprocess.run(
            shell or list(words),
            shell=bool(shell),
            cwd=self.repo.root,
            env=self.environ | more,
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode != 0) == fails, done.stderr
        return done.stdout

    def sprung(self) -> list[str]:
        """Return the traps that were stepped into."""
        return sorted(path.name for path in self.marks.iterdir())


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A hostile repository."""
    return World(tmp_path)


def test_the_traps_work(world: World):
    """A command without -P steps into them."""
    world.run(sys.executable, "-m", "remora", "--help", fails=True)
    assert world.sprung() != []


def installed(world: World, host: str, scope: str) -> Mapping[str, object]:
    """Install for a host as somebody does who has no script of ours on the path; return its record."""
    world.run(sys.executable, "-P", "-m", "remora", "install", host, "--scope", scope, "--yes")
    (record,) = (world.home / "data" / "installed").glob("*.json")
    found: Mapping[str, object] = json.loads(record.read_text("utf-8"))
    record.unlink()
    return found


@pytest.mark.slow
def test_a_server_runs_nothing_of_the_folder_where_the_environment_allows_it(world: World):
    """Its own -P holds, whatever PYTHONSAFEPATH says."""
    command = str(installed(world, "claude-code", "user")["command"])
    assert "-m remora" in command
    world.run(shell=f"{command} mcp", text="", PYTHONSAFEPATH="")
    assert world.sprung() == []


def written(world: World) -> list[Mapping[str, object] | list[str]]:
    """Return everything in the files that an install wrote which has a command, as a host reads it."""
    found: list[Mapping[str, object] | list[str]] = []
    for folder in (world.home, world.repo.root):
        for path in sorted(folder.rglob("*")):
            inner = path.relative_to(folder).parts
            if not path.is_file() or inner[0] in ("data", ".git", "remora"):
                continue
            if path.suffix in (".json", ".jsonc"):
                found += entries(json.loads(path.read_text("utf-8")))
            elif path.suffix == ".toml":
                found += entries(tomllib.loads(path.read_text("utf-8")))
            elif path.suffix == ".js":
                words = re.search(r"const COMMAND = (\[.*\])", path.read_text("utf-8"))
                assert words, path
                found.append(json.loads(words[1]))
    return found


def entries(value: object) -> Iterator[Mapping[str, object]]:
    """Yield the tables of a file that hold a command, at any depth."""
    if isinstance(value, Mapping):
        if "command" in value or "bash" in value:
            yield value
        else:
            for inner in value.values():
                yield from entries(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from entries(inner)


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
        if isinstance(one, list):
            found.add((*map(str, one), "hook", "--host", "opencode"))
            continue
        for key, value in one.items():
            if key in ("powershell", "windows", "commandWindows"):
                assert "-m" not in str(value) or re.search(r"-P\W+-m\b", str(value)), value
            elif key in ("command", "bash"):
                words = value if isinstance(value, list) else [value]
                more = one.get("args")
                found.add(tuple(map(str, [*words, *(more if isinstance(more, list) else [])])))
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
        event = {"session_id": "s", "cwd": str(world.repo.root), "hook_event_name": "SessionStart"}
        for line in sorted(found - ran):
            alone = len(line) == 1
            text = "" if line[-1] == "mcp" else json.dumps(event)
            world.run(*line, shell=line[0] if alone else "", text=text)
        ran |= found
        told = [" ".join(line) for line in found]
        assert [host for host in HOSTS if not any(f"--host {host}" in line for line in told)] == []
        assert world.sprung() == []


def test_what_is_called_by_its_place_runs_nothing_of_the_folder(world: World):
    """The script, as the files of one person have it, and the entry for a host's configuration."""
    script = str(Path(sys.executable).with_name("remora"))
    event = json.dumps({"session_id": "s", "cwd": str(world.repo.root), "hook_event_name": "SessionStart"})
    world.run(script, "hook", "--host", "claude-code", text=event)
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
    command = str(installed(world, "claude-code", "user")["command"])
    assert command.startswith(sys.executable)
    assert world.sprung() == []


def test_what_an_earlier_version_installed_is_noticed_and_mended(world: World):
    """The doctor names the command that mends it, and that command does."""
    installed(world, "claude-code", "user")
    settings = world.home / ".claude" / "settings.json"
    old = settings.read_text("utf-8").replace('"-P", ', "")
    settings.write_text(old, "utf-8")
    record = {"version": 1, "host": "claude-code", "scope": "user", "root": "", "files": []}
    record["command"] = f"{sys.executable} -m remora"
    folder = world.home / "data" / "installed"
    (folder / "claude-code-user.json").write_text(json.dumps(record), "utf-8")
    (found,) = looked_at(world.home / "data", world.environ)
    assert (found.level, found.advice) == ("warning", "Run `remora install claude-code --scope user`.")
    world.run(sys.executable, "-P", "-m", "remora", "install", "claude-code", "--scope", "user", "--yes")
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
