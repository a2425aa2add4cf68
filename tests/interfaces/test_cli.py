"""The group and the list of its verbs: overview, help, options everywhere, errors and exit codes."""

from __future__ import annotations

import inspect
import json
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from remora.app.memory import Memory
from remora.app.records.entries import Entries
from remora.app.records.journal import Journal
from remora.app.records.session import Session
from remora.app.sharing.sharing import Sharing
from remora.core.errors import StoreFull
from remora.interfaces.cli import cli, load
from remora.interfaces.commands.cli_context import CliContext
from remora.interfaces.verbs import GROUPS, VERBS, verb
from tests.interfaces.conftest import Answer, Run
from tests.tables import table


def test_what_it_says_of_itself(run: Run, answer: Answer) -> None:
    """Without a verb an example; in the help each visible verb; the version; the address of the panel."""
    result = run()
    assert result.exit_code == 0
    assert result.stdout.startswith("Remora is a memory for coding agents")
    assert len(result.stdout.splitlines()) < 12
    assert "remora init" in result.stdout
    assert [v["name"] for v in answer()["verbs"]] == [v.name for v in VERBS if not v.hidden]
    text = run("--help").stdout
    for one in VERBS:
        assert (f"  {one.name.ljust(10)}  {one.help}" in text) is not one.hidden
    assert text.index("Begin:") < text.index("Remember:") < text.index("Recall:") < text.index("The store:")
    assert run("--version").stdout.startswith("remora ")
    assert list(json.loads(run("--version", "--json").stdout)) == ["version"]
    assert answer("panel", "--port", "8000") == {"host": "127.0.0.1", "port": 8000, "installed": True}


def test_unknown_verb_and_option(run: Run) -> None:
    """A slip of the finger gets the right word, or the place where options are explained; in JSON a kind."""
    result = run("serach", "x")
    told = "error: there is no verb 'serach'. Did you mean search?\nhint: See `remora --help`.\n"
    assert (result.exit_code, result.stderr) == (2, told)
    assert "Did you mean" not in run("xyzzy").stderr
    result = run("list", "--colour")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: no such option")
    assert "list --help`." in result.stderr
    for line in ("--json list --colour", "list --colour --json", "--json xyz"):
        result = run(*line.split())
        assert (result.exit_code, result.stderr) == (2, "")
        assert json.loads(result.stdout)["error"]["kind"] == "InvalidInput"


def test_known_error(run: Run) -> None:
    """Our errors are two lines on stderr, with the code of their class; with --json a document on stdout."""
    result, document = run("show", "12345678"), run("show", "12345678", "--json")
    assert (result.exit_code, result.stdout, document.exit_code) == (4, "", 4)
    assert result.stderr == "error: there is no memory '12345678'\nhint: `remora list` shows the ids.\n"
    told = {"message": "there is no memory '12345678'", "hint": "`remora list` shows the ids."}
    assert json.loads(document.stdout) == {"error": {"kind": "NotFound", **told, "retryable": False}}


@pytest.mark.parametrize(("code", "line", "stdin", "said"), table(__file__, "answers"))
def test_what_cannot_be_done(run: Run, code: str, line: str, stdin: str, said: str) -> None:
    """What is empty and what makes no sense is said, with what would do; nothing is stored."""
    result = run(*shlex.split(line), stdin=stdin or None)
    assert (result.exit_code, result.stdout) == (int(code), "")
    for part in said.split(" … "):
        assert part in result.stderr
    assert run("list").stdout == ""


def test_options_before_and_behind_the_verb(run: Run, tmp_path: Path) -> None:
    """--project is heard on both sides of the verb, for another memory; after `--` everything is text."""
    other = tmp_path / "other"
    other.mkdir()
    assert run("--project", str(other), "remember", "about the other", "--type", "pattern").exit_code == 0
    assert "about the other" in run("list", "--project", str(other)).stdout
    assert run("list").stdout == ""
    result = run("remember", "--type", "pattern", "--", "--json", "is", "an", "option")
    assert result.exit_code == 0
    assert result.stdout.endswith("stored as pattern  --json is an option\n")


class Broken(CliContext):
    """A command line whose memory fails in a way of choice."""

    error: BaseException

    def memory(self, *, writes: bool = True) -> object:  # type: ignore[override]
        """Fail."""
        raise self.error


def failing(error: BaseException, *words: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of a verb whose memory fails."""
    context = Broken()
    context.error = error
    result = CliRunner().invoke(cli, ["stats", *words], obj=context)
    return result.exit_code, result.stdout, result.stderr


def test_unforeseen_error(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody planned for is one line and code 1, or a document; REMORA_DEBUG=1 shows its traceback."""
    told = "error: unexpected error (ZeroDivisionError: x)\n"
    hint = "hint: Run it again with REMORA_DEBUG=1 for a traceback.\n"
    assert failing(ZeroDivisionError("x")) == (1, "", told + hint)
    code, out, _ = failing(ZeroDivisionError("x"), "--json")
    assert (code, json.loads(out)["error"]["kind"]) == (1, "ZeroDivisionError")
    monkeypatch.setenv("REMORA_DEBUG", "1")
    assert "Traceback" in failing(ZeroDivisionError("x"))[2]
    assert "Traceback" not in failing(StoreFull("no room"))[2]


def test_no_color(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR and a dumb terminal each switch colour off; --no-color is taken on both sides of the verb."""
    found = []
    for name, value in (("TERM", "xterm"), ("NO_COLOR", "1"), ("NO_COLOR", ""), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
        found.append(CliContext().colour)
    assert found == [True, False, True, False]
    assert run("--no-color", "list").exit_code == run("list", "--no-color").exit_code == 0


NAMES = [v.name for v in VERBS]
# Verbs that are no single question to a memory.
WITHOUT_METHOD = ("completion", "hook", "install", "mcp", "panel", "recover", "statusline", "uninstall")
OWNERS = {"": Memory, "session": Session, "entries": Entries, "journal": Journal, "sharing": Sharing}


def test_the_list_of_verbs() -> None:
    """The group has each verb once and in order; a verb has a documented method and one sentence of help."""
    assert cli.list_commands(click.Context(cli)) == list(dict.fromkeys(NAMES)) == NAMES
    assert all(load(name) is not None for name in NAMES)
    assert load("forgetting") is None
    for entry in (*VERBS, *(inner for group in GROUPS.values() for inner in group)):
        owner, _, method = entry.method.rpartition(".")
        if method:
            assert inspect.getdoc(getattr(OWNERS[owner], method)), entry.name
        else:
            assert entry.name in WITHOUT_METHOD
        assert entry.help[0].isupper(), entry.name
        assert entry.help.endswith("."), entry.name
        assert len(entry.help) <= 68, entry.name  # a line of a terminal


@pytest.mark.parametrize("name", NAMES)
def test_every_verb_has_help(run: Run, name: str) -> None:
    """`remora VERB --help` begins with the verb's line, and speaks of --json and --project."""
    result = run(name, "--help")
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    for told in (f"Usage: remora {name}", verb(name).help, "--json", "--project PATH"):
        assert told in words
