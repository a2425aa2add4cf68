"""index, impact, files, modules, and code in search, as people type them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.core.errors import ProviderError
from remora.interfaces.cli import cli
from remora.interfaces.commands.cli_context import CliContext
from remora.llm.scripted import ScriptedModel
from tests.interfaces.conftest import Answer, Run

pytestmark = pytest.mark.usefixtures("code")


def test_what_the_index_answers(run: Run, answer: Answer) -> None:
    """How much was read; files come with reasons, code with its place; before that it is said how."""
    assert "run `remora index`" in run("files", "the clock").stderr
    first = run("index").stdout
    assert first.startswith("4 files in the code graph\n")
    assert "4 files read, 0 unchanged, 0 deleted; names resolved in 4" in first
    assert "left out" not in first
    assert "0 files read, 4 unchanged" in run("index").stdout
    found = answer("files", "the login of a user is wrong", "-k", "1")["files"]
    assert [f["path"] for f in found] == ["web/routes.py"]
    assert any("login" in reason for reason in found[0]["why"])
    assert run("files", "routes").stdout.startswith("web/routes.py")
    result = run("search", "--code", "what the clock says now", "-k", "1")
    assert result.stdout.startswith("core/clock.py:1-2")
    assert "def now():" in result.stdout


def test_impact(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest come first, tests are marked, memories below; a target is named from where one stands."""
    run("index")
    lines = run("impact", "core/clock.py:now").stdout.splitlines()
    nearest = "1 core/tokens.py:make, 2 tests/test_tokens.py:test_make, 2 web/routes.py:login"
    assert ", ".join(" ".join(line.split()[:2]) for line in lines[:3]) == nearest
    assert [line.endswith("(test)") for line in lines[:3]] == [False, True, False]
    only = run("impact", "now", "--tests").stdout.splitlines()
    assert [line.split()[1] for line in only] == ["tests/test_tokens.py:test_make"]
    run("remember", "Time is in seconds", "--file", "core/clock.py", "--type", "gotcha")
    assert "gotcha: Time is in seconds" in run("impact", "core/clock.py").stdout
    assert "remora index" in run("impact", "nothing").stderr
    users = [["1", "tests/test_tokens.py"], ["1", "web/routes.py"]]
    for name in ("core", "core/"):
        result = run("impact", name)
        assert [line.split()[:2] for line in result.stdout.splitlines()[:2]] == users
        assert "note: core/ is a folder" in result.stderr
    monkeypatch.chdir(project / "core")
    (project / ".git").mkdir()  # not a repository, but nothing above is looked at
    for target in ("clock.py:now", "clock.now"):
        assert "core/tokens.py:make" in run("--project", str(project), "impact", target).stdout


def test_nothing_found_says_what_to_do_next(run: Run, project: Path) -> None:
    """What was searched is named; to index again is no advice where the code is indexed."""
    assert "No code fits" not in run("search", "--code", "zzqqxx").stderr  # that it is not indexed is enough
    run("index")
    words = "No code matches. Try other words, or a name from the code.\n"
    for line, said in {
        "search --code zzqqxx": words,
        "search --kind code zzqqxx": words,
        "files zzqqxx": "No file matches. Names, error messages and paths work best.\n",
    }.items():
        assert run(*line.split()).stderr == said
    assert "No code matches the query" in run("search", "--code", "zzqqxx", "--file", "core/").stderr
    for path in project.rglob("*.py"):
        path.unlink()
    run("index")
    for line in ("files zzqqxx", "search --code zzqqxx"):
        assert run(*line.split()).stderr == "note: the index contains no code\n"
    assert "contains no code" in run("doctor").stdout


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_watching_ends_with_an_interrupt(project: Path) -> None:
    """`remora index --watch` follows a change and ends cleanly."""
    command = [sys.executable, "-m", "remora", "--json", "index", "--watch"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    log = project.parent / "watched.txt"
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=project, env=env, stdout=out)
    try:
        deadline = time.monotonic() + 20
        while '"read": 4' not in log.read_text("utf-8") and time.monotonic() < deadline:
            time.sleep(0.1)
        while '"read": 1' not in log.read_text("utf-8") and time.monotonic() < deadline:
            (project / "core" / "new.py").write_text(f"x = {time.monotonic_ns()}\n", "utf-8")
            time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
    assert '"read": 1' in log.read_text("utf-8")


def test_modules(run: Run, answer: Answer, project: Path) -> None:
    """Each line names a module with its size, what it is for and what it depends on; the largest first."""
    result = run("modules")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "`remora index`" in result.stderr
    (project / "core" / "__init__.py").write_text('"""Makes tokens."""\n', "utf-8")
    run("index")
    run("remember", "Tokens are opaque", "--type", "gotcha", "--file", "core/tokens.py")
    lines = run("modules").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["core", "tests", "web"]
    assert "Makes tokens." in lines[0]
    assert "1 (33%)" in lines[0]
    assert "core" in lines[2]
    found = answer("modules")
    assert [m["name"] for m in found["modules"]] == ["core", "tests", "web"]
    assert (found["more"], found["modules"][2]["depends_on"]) == (False, ["core"])
    assert found["modules"][0]["covered"] == pytest.approx(1 / 3, abs=0.01)
    result = run("modules", "--limit", "1")
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == "Showing 1 of 3; use --limit 0 for all.\n"
    assert answer("modules", "-n", "1")["more"] is True
    assert len(answer("modules", "-n", "0")["modules"]) == 3


def test_index_with_and_without_a_model(run: Run, answer: Answer, project: Path, clock: FixedClock) -> None:
    """--semantic says what is missing, else what was described and what waits; a failure is a note."""
    result = run("index", "--semantic")
    assert result.exit_code == 0
    assert "4 files in the code graph" in result.stdout
    assert "llm.provider is none" in result.stderr
    assert answer("index", "--semantic")["semantic"]["described"] == []
    assert "semantic" not in answer("index")
    said = json.dumps({"purpose": "Keeps tokens.", "edges": [{"type": "calls"}]})

    def opener(path: str, **how: Any) -> Memory:
        return Memory.open(path, llm=ScriptedModel([said, ProviderError("it broke")]), **how)

    words = ["index", "--semantic", "--project", str(project)]
    result = CliRunner().invoke(cli, words, obj=CliContext(clock, opener))
    assert result.exit_code == 0
    assert "1 module described in 2 calls, 0 relations found, 1 dropped" in result.stdout
    assert "2 modules not described yet" in result.stdout
    assert "note: stopped at web: it broke" in result.stderr
