"""A project folder, a data folder of its own, and the command line on both."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import remora
from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.interfaces.cli import cli
from remora.interfaces.commands.cli_context import CliContext
from remora.interfaces.mcp_server.lazy_memory import Holder
from remora.interfaces.mcp_server.log import Log
from tests.forked import forked
from tests.interfaces.planting import plant

if TYPE_CHECKING:
    from remora.interfaces.mcp_server.tools import Tools

NOW = "2026-03-01T12:00:00Z"
Run = Callable[..., Result]
Answer = Callable[..., Any]
Remember = Callable[..., str]


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands still until it is moved."""
    return FixedClock(NOW)


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Point everything that is read from the environment into tmp_path; no embedding model."""
    for name in [n for n in os.environ if n.startswith(("REMORA_", "PYTHON")) or n.endswith("_COLOR")]:
        monkeypatch.delenv(name)
    places = {
        "HOME": str(tmp_path / "person"),
        "REMORA_HOME": str(tmp_path / "data"),
        "REMORA_CONFIG": str(tmp_path / "config"),
        "REMORA_EMBEDDING_PROVIDER": "none",
        "REMORA_LANG": "en",
        "REMORA_TRIAL_SHARE": "0",  # nothing is held back by chance
        "REMORA_WORK": "off",  # no maintenance in the background, by the clock of the machine
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }
    (tmp_path / "person").mkdir()
    for name, value in places.items():
        monkeypatch.setenv(name, value)
    return places


@pytest.fixture
def project(tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without git, and the folder one stands in."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(project: Path, clock: FixedClock) -> Run:
    """Run a command line in this process, as in a pipe."""

    def call(*words: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(cli, list(words), input=stdin, obj=CliContext(clock))

    return call


@pytest.fixture
def answer(run: Run) -> Answer:
    """Run a command line that must succeed and return its JSON document."""

    def call(*words: str, stdin: str | None = None) -> Any:
        result = run("--json", *words, stdin=stdin)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return call


@pytest.fixture
def remember(answer: Answer) -> Remember:
    """Remember a text and return its id; a pattern unless another type is given."""

    def call(text: str, *options: str) -> str:
        kind = () if "--type" in options else ("--type", "pattern")
        return str(answer("remember", text, *kind, *options)["id"])

    return call


@pytest.fixture
def memory(project: Path, clock: FixedClock) -> Iterator[Memory]:
    """The memory that the command line works on."""
    with Memory.open(project, clock=clock) as opened:
        yield opened


@pytest.fixture
def process(project: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command line in a process of its own: a forked one, unless it has an environment of its own."""

    def call(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
        if more:
            started = [*command_line(), *words]
            return subprocess.run(started, capture_output=True, text=True, check=False, timeout=60, **more)
        done = forked(words, b"", env=os.environ, cwd=Path.cwd(), timeout=60)
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    return call


@pytest.fixture
def holder(project: Path, clock: FixedClock) -> Iterator[Holder]:
    """The memory of an empty project, as a server holds it; not opened yet."""
    found = Holder(project, clock=clock)
    yield found
    found.close()


@pytest.fixture(scope="session")
def shared_tools() -> Tools:
    """The tools that all tests share, so that a server is made of them once."""
    from remora.interfaces.mcp_server.tools import Tools  # not every adapter's environment has what it needs

    return Tools(Holder("nowhere"), FixedClock(NOW))


@pytest.fixture
def tools(shared_tools: Tools, holder: Holder, clock: FixedClock) -> Tools:
    """The tools on that memory, with nothing in their log."""
    shared_tools.holder, shared_tools.clock, shared_tools.log = holder, clock, Log(clock.now())
    return shared_tools


@pytest.fixture
def code(project: Path) -> None:
    """Three files of which one uses another, and a test."""
    files = {
        "web/routes.py": "from core.tokens import make\n\n\ndef login(user):\n    return make(user)\n",
        "core/tokens.py": "from core.clock import now\n\n\ndef make(user):\n    return now()\n",
        "core/clock.py": "def now():\n    return 1\n",
        "tests/test_tokens.py": "from core.tokens import make\n\n\ndef test_make():\n    assert make(1)\n",
    }
    for path, text in files.items():
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(text, "utf-8")


def command_line() -> list[str]:
    """Return the words that start Remora in another process, from wherever this one imports it."""
    where = str(Path(remora.__file__).parent.parent)
    start = f"import sys; sys.path.insert(0, {where!r}); from remora.interfaces.cli import main; main()"
    return [sys.executable, "-c", start]


@pytest.fixture(scope="session")
def planted_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a folder with shop/ and data/ full of planted signs, to be copied, and the id of a memory."""
    folder = tmp_path_factory.mktemp("planted")
    return folder, plant(folder, FixedClock(NOW))


@pytest.fixture
def planted(project: Path, planted_once: tuple[Path, str]) -> str:
    """Return the id of a memory in a project that is full of planted signs."""
    made, name = planted_once
    for folder in ("shop", "data"):
        shutil.copytree(made / folder, project.parent / folder, dirs_exist_ok=True)
    return name
