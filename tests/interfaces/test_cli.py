"""The group: overview, help, options everywhere, errors and exit codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora.core.errors import StoreFull
from remora.interfaces.cli import cli
from remora.interfaces.commands.cli_context import CliContext
from remora.interfaces.verbs import VERBS
from tests.helpers import no_file_above
from tests.interfaces.conftest import Run


def test_alone_it_shows_an_example(run: Run) -> None:
    """`remora` without a verb explains itself in a few lines, and succeeds."""
    result = run()
    assert result.exit_code == 0
    assert result.stdout.startswith("Remora is a memory for coding agents")
    assert len(result.stdout.splitlines()) < 12
    assert "remora init" in result.stdout


def test_alone_in_json(run: Run) -> None:
    """With --json the verbs are listed."""
    document = json.loads(run("--json").stdout)
    assert [v["name"] for v in document["verbs"]] == [v.name for v in VERBS if not v.hidden]


def test_help_lists_every_verb_by_section(run: Run) -> None:
    """Each visible verb stands in the help with its line; hidden ones do not."""
    text = run("--help").stdout
    for verb in VERBS:
        line = f"  {verb.name.ljust(10)}  {verb.help}"
        assert (line in text) is not verb.hidden
    assert text.index("Begin:") < text.index("Remember:") < text.index("Recall:") < text.index("The store:")


def test_version(run: Run) -> None:
    """The version is one line, or one document."""
    assert run("--version").stdout.startswith("remora ")
    assert list(json.loads(run("--version", "--json").stdout)) == ["version"]


def test_unknown_verb_names_close_ones(run: Run) -> None:
    """A slip of the finger gets the right word as an answer."""
    result = run("serach", "x")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: there is no verb 'serach'. Did you mean search?\nhint: See `remora --help`.\n"
    )
    assert "Did you mean" not in run("xyzzy").stderr


def test_unknown_option(run: Run) -> None:
    """An option that does not exist is an error with the place where they are explained."""
    result = run("list", "--colour")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: no such option")
    assert "list --help`." in result.stderr


@pytest.mark.parametrize("line", ["--json list --colour", "list --colour --json", "--json xyz"])
def test_usage_errors_in_json(run: Run, line: str) -> None:
    """What was typed wrongly is an InvalidInput, in JSON like any other error."""
    result = run(*line.split())
    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"]["kind"] == "InvalidInput"
    assert result.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
def test_a_full_disk(run: Run) -> None:
    """Where nothing can be written any more, reading goes on and says so."""
    run("remember", "Access tokens expire after 24 h")
    with no_file_above(1_000):
        result = run("search", "tokens")
    assert "Access tokens expire after 24 h" in result.stdout
    assert "note: read-only: cannot write" in result.stderr


def test_known_error(run: Run) -> None:
    """Our errors are two lines on stderr, without a traceback, with the code of their class."""
    result = run("show", "12345678")
    assert result.exit_code == 4
    assert result.stdout == ""
    assert result.stderr == ("error: there is no memory '12345678'\nhint: `remora list` shows the ids.\n")


def test_known_error_in_json(run: Run) -> None:
    """With --json an error is a document on stdout."""
    result = run("show", "12345678", "--json")
    assert result.exit_code == 4
    assert json.loads(result.stdout) == {
        "error": {
            "kind": "NotFound",
            "message": "there is no memory '12345678'",
            "hint": "`remora list` shows the ids.",
            "retryable": False,
        }
    }


def test_json_behind_two_dashes_is_text(run: Run) -> None:
    """After `--` everything is text: no option, and no wish for JSON either."""
    result = run("remember", "--type", "pattern", "--", "--json", "is", "an", "option")
    assert result.exit_code == 0
    assert result.stdout.endswith("stored as pattern  --json is an option\n")


def test_project_before_and_behind_the_verb(run: Run, tmp_path: Path) -> None:
    """--project is heard on both sides of the verb; each project has its own memory."""
    other = tmp_path / "other"
    other.mkdir()
    assert run("--project", str(other), "remember", "about the other", "--type", "pattern").exit_code == 0
    assert "about the other" in run("list", "--project", str(other)).stdout
    assert run("list").stdout == ""


def test_project_that_does_not_exist(run: Run) -> None:
    """A path that is not there is an input that cannot be used."""
    result = run("list", "--project", "/does/not/exist")
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


class _Broken(CliContext):
    """A cli whose memory fails in a way of choice."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def memory(self, *, writes: bool = True) -> object:  # type: ignore[override]
        """Fail."""
        raise self.error


def failing(error: Exception, *words: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of a verb whose memory fails."""
    from click.testing import CliRunner

    result = CliRunner().invoke(cli, ["stats", *words], obj=_Broken(error))
    return result.exit_code, result.stdout, result.stderr


def test_unforeseen_error(environ: dict[str, str]) -> None:
    """What nobody planned for is one line, the way to see more, and code 1."""
    code, out, err = failing(ZeroDivisionError("division by zero"))
    assert (code, out) == (1, "")
    assert err == (
        "error: unexpected error (ZeroDivisionError: division by zero)\n"
        "hint: Run it again with REMORA_DEBUG=1 for a traceback.\n"
    )


def test_unforeseen_error_with_traceback(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """REMORA_DEBUG=1 shows the traceback of what was unforeseen, never of our own errors."""
    monkeypatch.setenv("REMORA_DEBUG", "1")
    assert "Traceback" in failing(ZeroDivisionError("x"))[2]
    assert "Traceback" not in failing(StoreFull("no room"))[2]


def test_unforeseen_error_in_json(environ: dict[str, str]) -> None:
    """It is a document too."""
    code, out, _ = failing(ZeroDivisionError("x"), "--json")
    assert code == 1
    assert json.loads(out)["error"]["kind"] == "ZeroDivisionError"


def test_reader_that_goes_away(environ: dict[str, str]) -> None:
    """A closed pipe ends the verb without a word, with the code a shell gives to it."""
    assert failing(BrokenPipeError()) == (141, "", "")


def test_interrupt_is_quiet(environ: dict[str, str]) -> None:
    """Ctrl-C ends with 130 and no message but the end of the line."""
    code, out, err = failing(KeyboardInterrupt())  # type: ignore[arg-type]
    assert (code, out, err.strip()) == (130, "", "")


def test_no_color(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR, a dumb terminal and --no-color each switch colour off."""
    monkeypatch.setenv("TERM", "xterm")
    assert CliContext().colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not CliContext().colour
    monkeypatch.setenv("NO_COLOR", "")
    assert CliContext().colour
    monkeypatch.setenv("TERM", "dumb")
    assert not CliContext().colour
    assert run("--no-color", "list").exit_code == 0
    assert run("list", "--no-color").exit_code == 0


def test_the_address_of_the_panel(answer: Callable[..., Any]) -> None:
    """With --json it is told and nothing is served."""
    assert answer("panel", "--port", "8000") == {"host": "127.0.0.1", "port": 8000, "installed": True}
