"""The one verb list, and the command line that covers it."""

from __future__ import annotations

import inspect

import click
import pytest

from remora.app.memory import Memory
from remora.app.records.entries import Entries
from remora.app.records.journal import Journal
from remora.app.records.session import Session
from remora.app.sharing.sharing import Sharing
from remora.interfaces.cli import cli, load
from remora.interfaces.verbs import GROUPS, VERBS, verb
from tests.interfaces.conftest import Run

NAMES = [v.name for v in VERBS]
INNER = [v for inner in GROUPS.values() for v in inner]
# Verbs that are no single question to a memory.
WITHOUT_METHOD = ("completion", "hook", "install", "mcp", "panel", "recover", "statusline", "uninstall")
OWNERS = {"": Memory, "session": Session, "entries": Entries, "journal": Journal, "sharing": Sharing}


def test_a_verb_names_its_method_and_says_what_it_does() -> None:
    """The method has a docstring; the help is one sentence that fits a line of a terminal."""
    for entry in (*VERBS, *INNER):
        owner, _, method = entry.method.rpartition(".")
        if method:
            assert inspect.getdoc(getattr(OWNERS[owner], method)), entry.name
        else:
            assert entry.name in WITHOUT_METHOD
        assert entry.help[0].isupper(), entry.name
        assert entry.help.endswith("."), entry.name
        assert len(entry.help) <= 68, entry.name


def test_command_line_covers_the_list() -> None:
    """The group lists exactly the verbs, each once and in order, and loads each."""
    assert cli.list_commands(click.Context(cli)) == list(dict.fromkeys(NAMES)) == NAMES
    assert all(load(name) is not None for name in NAMES)
    assert load("forgetting") is None


@pytest.mark.parametrize("name", NAMES)
def test_every_verb_has_help(run: Run, name: str) -> None:
    """`remora VERB --help` begins with the verb's line, and speaks of --json and --project."""
    result = run(name, "--help")
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    for told in (f"Usage: remora {name}", verb(name).help, "--json", "--project PATH"):
        assert told in words
