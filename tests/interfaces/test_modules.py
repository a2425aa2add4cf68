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
from remora.llm.scripted import ScriptedModel
from tests.interfaces.conftest import Run


@pytest.mark.usefixtures("code")
def test_modules(run: Run, answer: Callable[..., Any], project: Path) -> None:
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


@pytest.mark.usefixtures("code")
def test_index_with_and_without_a_model(
    run: Run, answer: Callable[..., Any], project: Path, clock: FixedClock
) -> None:
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
