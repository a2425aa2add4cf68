"""A program as the language model."""

from __future__ import annotations

import os
import sys
import time
from datetime import date
from pathlib import Path

import pytest

from remora.core.config import LlmSettings
from remora.core.errors import ConfigError, ModelMissing, ProviderBusy, ProviderError
from remora.llm.client import Message
from remora.llm.command import MAX_OUTPUT, CommandModel
from remora.llm.providers import build

ASK = [Message("system", "Be short."), Message("user", "Hello")]


@pytest.fixture
def model(tmp_path):
    """Return a maker of models whose program is a few lines of Python."""

    def make(code: str, **options) -> CommandModel:
        program = tmp_path / "program.py"
        program.write_text(code, encoding="utf-8")
        return CommandModel(f"'{sys.executable}' '{program}'", tmp_path / "run", os.environ, **options)

    return make


def test_the_prompt_is_read_and_the_answer_returned(model):
    """The program reads instructions and question, and what it prints is the answer."""
    echo = model("import sys; print('<think>hm</think>', sys.stdin.read().upper())")
    assert echo.complete(ASK, max_tokens=5).text == "BE SHORT.\n\nHELLO"


def test_it_runs_with_hooks_off_outside_every_project(model, tmp_path, monkeypatch):
    """It works in its own folder, sees the switches, and no mark of a session that is running."""
    monkeypatch.setenv("CLAUDECODE", "1")
    shown = model(
        "import os; print(os.getcwd()); print(os.environ['REMORA_HOOKS'], 'CLAUDECODE' in os.environ)"
    )
    place, switches = shown.complete(ASK, max_tokens=5).text.splitlines()
    assert Path(place).resolve() == (tmp_path / "run").resolve()
    assert switches == "off False"


def test_no_shell_reads_the_command(tmp_path):
    """Signs of a shell are plain arguments."""
    script = tmp_path / "p.py"
    script.write_text("import sys; print(sys.argv[1:])", encoding="utf-8")
    made = CommandModel(f"'{sys.executable}' '{script}' '$(id)' ';' ls", tmp_path / "run", os.environ)
    assert made.complete(ASK, max_tokens=5).text == "['$(id)', ';', 'ls']"


@pytest.mark.skipif(sys.platform == "win32", reason="groups of processes")
def test_a_command_that_hangs_ends_with_what_it_started(model, tmp_path):
    """After the time is over neither the program nor its child runs on."""
    child = "import time, pathlib; time.sleep(1.5); pathlib.Path('late').touch()"
    hangs = model(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])")
    begun = time.monotonic()
    with pytest.raises(ProviderBusy, match=r"within 0\.5 s"):
        hangs.complete(ASK, max_tokens=5, timeout=0.5)
    assert time.monotonic() - begun < 1.4
    time.sleep(1.6)
    assert not (tmp_path / "run" / "late").exists()


def test_what_is_left_running_does_not_hold_the_answer_up(model):
    """A child that keeps the output open is not waited for."""
    leaves = model(
        "import subprocess, sys; print('done', flush=True)\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3)'])"
    )
    begun = time.monotonic()
    assert leaves.complete(ASK, max_tokens=5).text == "done"
    assert time.monotonic() - begun < 2.5


def test_failures_say_why(model, tmp_path):
    """A failing program is quoted, a silent one is named, one that is not there is missing."""
    with pytest.raises(ProviderError, match="code 3: not logged in"):
        model("import sys; sys.exit(print('not logged in', file=sys.stderr) or 3)").complete(
            ASK, max_tokens=5
        )
    with pytest.raises(ProviderError, match="returned no text"):
        model("pass").complete(ASK, max_tokens=5)
    with pytest.raises(ModelMissing, match="no-such-agent is not installed"):
        CommandModel("no-such-agent -p", tmp_path, os.environ).complete(ASK, max_tokens=5)


def test_an_endless_answer_is_cut(model):
    """No more than the limit is read."""
    answer = model(f"print('a' * {MAX_OUTPUT + 10})").complete(ASK, max_tokens=5)
    assert (len(answer.text), answer.finish_reason) == (MAX_OUTPUT, "stop")


def test_the_calls_of_a_day_are_limited_for_all_processes(model, tmp_path):
    """A second model object shares the count; the next day begins at none, and old counts are removed."""
    day = [date(2030, 1, 1)]
    options = {"daily_calls": 2, "today": lambda: day[0]}
    model("print(1)", **options).complete(ASK, max_tokens=5)
    second = model("print(1)", **options)
    second.complete(ASK, max_tokens=5)
    with pytest.raises(ProviderError, match=r"called 2 times today, the limit of llm\.daily_calls"):
        second.complete(ASK, max_tokens=5)
    day[0] = date(2030, 1, 2)
    assert second.complete(ASK, max_tokens=5).text == "1"
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["calls-2030-01-02"]


def test_the_settings_make_it(tmp_path):
    """Provider and command are enough, no model is named; a command that cannot be read is told at once."""
    environ = {"REMORA_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    made = build(LlmSettings("command", command="claude -p"), environ)
    assert made is not None
    assert made.model_id == "command:claude"
    with pytest.raises(ConfigError, match=r"llm\.command is empty"):
        build(LlmSettings("command"), environ)
    with pytest.raises(ConfigError, match="cannot be read"):
        build(LlmSettings("command", command="claude 'p"), environ)
