"""`remora modules`, and the language model's part of `remora index`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.core.errors import ProviderError
from remora.interfaces.cli import cli
from remora.interfaces.commands.cli_context import CliContext
from remora.llm.scripted import Reply, ScriptedModel
from tests.interfaces.conftest import Run


@pytest.fixture
def code(project: Path) -> None:
    """Two modules, one of which uses the other."""
    for path, text in {
        "web/routes.py": "from core.tokens import make\n\n\ndef login(user):\n    return make(user)\n",
        "core/tokens.py": '"""Makes tokens."""\n\n\ndef make(user):\n    return 1\n\n\nX = 1\n',
    }.items():
        (project / path).parent.mkdir()
        (project / path).write_text(text, "utf-8")


@pytest.mark.usefixtures("code")
def test_modules(run: Run, answer: Callable[..., Any]) -> None:
    """Each line names a module with its size, what it is for and what it depends on; the largest first."""
    result = run("modules")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "`remora index`" in result.stderr
    run("index")
    run("remember", "Tokens are opaque", "--type", "gotcha", "--file", "core/tokens.py")
    lines = run("modules").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["core", "web"]
    assert "Makes tokens." in lines[0]
    assert "1 (100%)" in lines[0]
    assert "core" in lines[1]
    found = answer("modules")
    assert found["more"] is False
    assert [m["name"] for m in found["modules"]] == ["core", "web"]
    assert found["modules"][1]["depends_on"] == ["core"]
    assert found["modules"][0]["covered"] == 1.0
    result = run("modules", "--limit", "1")
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == "Showing 1 of 2; use --limit 0 for all.\n"
    assert answer("modules", "-n", "1")["more"] is True
    assert len(answer("modules", "-n", "0")["modules"]) == 2


@pytest.mark.usefixtures("code")
def test_index_without_a_model(run: Run, answer: Callable[..., Any]) -> None:
    """--semantic without a language model indexes all the same, and says what is missing."""
    result = run("index", "--semantic")
    assert result.exit_code == 0
    assert "2 files in the code graph" in result.stdout
    assert "llm.provider is none" in result.stderr
    assert answer("index", "--semantic")["semantic"]["described"] == []
    assert "semantic" not in answer("index")


@pytest.mark.usefixtures("code")
def test_index_with_a_model(project: Path, clock: FixedClock) -> None:
    """--semantic says how many modules were described and how many wait; a failure is a note."""

    def call(*replies: Reply) -> Any:
        def opener(path: str, **how: Any) -> Memory:
            return Memory.open(path, llm=ScriptedModel(replies), **how)

        context = CliContext(clock, opener)
        return CliRunner().invoke(cli, ["index", "--semantic", "--project", str(project)], obj=context)

    said = json.dumps({"purpose": "Keeps tokens.", "edges": [{"type": "calls"}]})
    result = call(said, ProviderError("it broke"))
    assert result.exit_code == 0
    assert "1 module described in 2 calls, 0 relations found, 1 dropped" in result.stdout
    assert "1 module not described yet" in result.stdout
    assert "note: stopped at web: it broke" in result.stderr
