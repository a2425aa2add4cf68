"""The one verb list, and the command line that covers it."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

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
ANSWERING = [name for name in NAMES if name != "hook"]  # that one answers a host and ends the process
INNER = [v for inner in GROUPS.values() for v in inner]
# What each verb needs to be called at all.
LEAST: dict[str, list[str]] = {
    "remember": ["a cache has a key", "--type", "pattern"],
    "edit": ["ID", "--content", "a cache has one key"],
    "why": ["ID"],
    "backup": ["copy.tar"],
    "supersede": ["ID", "caches are gone"],
    "search": ["cache"],
    "context": ["cache"],
    "related": ["a.py"],
    "show": ["ID"],
    "verify": ["ID"],
    "wrong": ["ID", "--outdated"],
    "pin": ["ID"],
    "forget": ["ID"],
    "restore": ["ID"],
    "impact": ["a.py"],
    "files": ["make the cache smaller"],
    "completion": ["zsh"],
    "move-in": ["a.jsonl"],
    "learn": ["."],
    "plan": ["make the cache smaller"],
    "teach": ["rules.md"],
    "export": ["out.json"],
    "import": ["all.json"],
    "erase": ["ID", "--yes"],
    "ask": ["cache"],
    "preview": ["--edit", "a.py"],
    "sync": ["--yes"],
}
# Verbs that are no single question to a memory.
WITHOUT_METHOD = ("completion", "hook", "install", "mcp", "panel", "recover", "statusline", "uninstall")


def test_names_are_unique() -> None:
    """No two verbs share a name."""
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("entry", VERBS, ids=NAMES)
def test_method_exists(entry: Verb) -> None:
    """A verb names a method of Memory that has a docstring, or none at all."""
    if entry.method:
        assert inspect.getdoc(getattr(Memory, entry.method))
    else:
        assert entry.name in WITHOUT_METHOD


@pytest.mark.parametrize("entry", INNER, ids=lambda v: v.name)
def test_method_of_a_group_exists(entry: Verb) -> None:
    """A command of a group names a method of Memory, or of what it hands out."""
    owner, _, method = entry.method.rpartition(".")
    owners = {"": Memory, "session": Session, "entries": Entries, "journal": Journal, "sharing": Sharing}
    assert inspect.getdoc(getattr(owners[owner], method))


@pytest.mark.parametrize("name", GROUPS)
def test_groups_cover_their_list(name: str) -> None:
    """A group holds exactly its commands, in order, each with its help; the first is what it does alone."""
    found = load(name)
    assert isinstance(found, click.Group)
    assert [f"{name} {inner}" for inner in found.commands] == [v.name for v in GROUPS[name]]
    for entry, inner in zip(GROUPS[name], found.commands.values(), strict=True):
        assert (inner.help or "").startswith(entry.help)


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


@pytest.mark.parametrize("name", ANSWERING)
def test_every_verb_answers_in_json(run: Run, name: str) -> None:
    """With --json behind the verb, stdout is one JSON object and nothing else; `answer` has it before."""
    stored = run("remember", "a cache has a bound", "--type", "pattern", "--json")
    if name == "move-in":
        entity = {"type": "entity", "name": "cache", "entityType": "part", "observations": ["has a bound"]}
        Path("a.jsonl").write_text(json.dumps(entity) + "\n", "utf-8")
    if name == "teach":
        Path("rules.md").write_text("- Never log a token\n", "utf-8")
    if name in ("team", "sync"):
        Path("carried").mkdir()
        run("share", "init", "folder:carried", "--me", "Ann")
    if name == "import":
        run("export", "all.json")
    if name == "impact":
        Path("a.py").write_text("x = 1\n", "utf-8")
        run("index")
    memory_id = json.loads(stored.stdout)["id"]
    words = [memory_id if word == "ID" else word for word in LEAST.get(name, [])]
    result = run(name, *words, "--json")
    assert result.exit_code == 0, result.output
    assert isinstance(json.loads(result.stdout), dict)
    assert result.stderr == ""
