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
from remora.interfaces.verbs import GROUPS, VERBS, Verb, verb
from tests.interfaces.conftest import Run

NAMES = [v.name for v in VERBS]
INNER = [v for inner in GROUPS.values() for v in inner]
# Verbs that are no single question to a memory.
WITHOUT_METHOD = ("completion", "hook", "install", "mcp", "panel", "recover", "statusline", "uninstall")


def test_names_are_unique() -> None:
    """No two verbs share a name."""
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("entry", [*VERBS, *INNER], ids=lambda v: v.name)
def test_method_exists(entry: Verb) -> None:
    """A verb names a method with a docstring, of Memory or of what it hands out, or none at all."""
    owner, _, method = entry.method.rpartition(".")
    owners = {"": Memory, "session": Session, "entries": Entries, "journal": Journal, "sharing": Sharing}
    if method:
        assert inspect.getdoc(getattr(owners[owner], method))
    else:
        assert entry.name in WITHOUT_METHOD


@pytest.mark.parametrize("entry", [*VERBS, *INNER], ids=lambda v: v.name)
def test_help_is_one_sentence(entry: Verb) -> None:
    """Help starts with a capital, ends with a full stop and fits a terminal line."""
    assert entry.help[0].isupper()
    assert entry.help.endswith(".")
    assert len(entry.help) <= 68


def test_command_line_covers_the_list() -> None:
    """The group lists exactly the verbs, in order, and loads each."""
    context = click.Context(cli)
    assert cli.list_commands(context) == NAMES
    assert all(load(name) is not None for name in NAMES)
    assert load("forgetting") is None


@pytest.mark.parametrize("name", NAMES)
def test_every_verb_has_help(run: Run, name: str) -> None:
    """`remora VERB --help` begins with the verb's line, and speaks of --json and --project."""
    result = run(name, "--help")
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    assert f"Usage: remora {name}" in words
    assert verb(name).help in words
    assert "--json" in words
    assert "--project PATH" in words
