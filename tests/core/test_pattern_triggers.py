"""At which commands and edits a memory is shown whose triggers somebody gave."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from remora.core.edit_match import read_edit, writes
from remora.core.pattern_triggers import pattern_triggers
from remora.shell.trigger_match import marks, read_line, sets_off
from tests.tables import table

Told = Mapping[str, Sequence[str]]


def at_line(told: Told, command: str, branch: str = "", ran: str = "") -> bool:
    """Return whether a memory is shown before a line of shell."""
    line = read_line(command)
    found = [one for one in pattern_triggers(told, "m") if (one.kind, one.key) in line.keys]
    return any(sets_off(line, one, branch, marks(ran)) for one in found)


def at_edit(told: Told, path: str, added: str, removed: str = "", branch: str = "") -> bool:
    """Return whether a memory is shown before an edit."""
    edit = read_edit(path, added, removed)
    found = [one for one in pattern_triggers(told, "m") if (one.kind, one.key) in edit.keys]
    return any(writes(edit, one, branch=branch) for one in found)


@pytest.mark.parametrize(
    ("told", "command", "silent"),
    [
        ({"forbids": ["git push --force"]}, "git push -f origin x", "git push origin x"),
        ({"forbids": ["push to main"]}, "git push origin main", "git push origin topic"),
        ({"forbids": ["npm"], "unless": ["npm publish"]}, "npm ci", "npm publish --tag next"),
        (
            {"forbids": ["kubectl apply"], "when": ["prod"]},
            "kubectl --context prod-eu apply",
            "kubectl apply",
        ),
        (
            {"forbids": ["tofu destroy"], "unless": ["live/play/"]},
            "tofu destroy",
            "tofu -chdir=live/play/a destroy",
        ),
        ({"when": ["before each commit"], "wants": ["make fmt"]}, "git commit -m x", "make commit-hooks"),
        ({"when": ["commit"], "wants": ["SHOP-"]}, "git commit -m 'fix it'", "git commit -m 'SHOP-7 fix it'"),
        ({"when": ["terraform apply"]}, "terraform -chdir=a apply", "terraform plan"),
        ({"wants": ["cargo build --locked"]}, "cargo build -p a", "cargo build --locked"),
        ({"forbids": ["--no-verify"]}, "git commit --no-verify", "git commit"),
    ],
)
def test_a_command(told: Told, command: str, silent: str) -> None:
    """A command has all words of a pattern, and what is wanted or excepted keeps silent."""
    assert at_line(told, command)
    assert not at_line(told, silent)


def test_what_ran_is_not_asked_for() -> None:
    """Neither if it ran since the last change."""
    told = {"when": ["commit"], "wants": ["make fmt"]}
    assert not at_line(told, "git commit -m x", ran="make fmt")


def test_a_push_is_of_the_branch_that_is_checked_out() -> None:
    """Unless it names another one."""
    told = {"forbids": ["git push origin main"]}
    assert at_line(told, "git push", branch="main")
    assert not at_line(told, "git push", branch="topic")
    assert not at_line(told, "git push origin topic", branch="main")


def test_a_branch() -> None:
    """A pattern may name the branch that is checked out, for a command and for an edit."""
    told = {"forbids": ["git merge main", "lib/"], "when": ["branch release/*"]}
    assert at_line(told, "git merge main", branch="release/3.2")
    assert not at_line(told, "git merge main", branch="topic")
    assert at_edit(told, "lib/a.py", "a = 1", branch="release/3.2")
    assert not at_edit(told, "lib/a.py", "a = 1", branch="topic")
    told = {"when": ["commit on branch release/*"]}
    assert at_line(told, "git commit -m x", branch="release/3.2")
    assert not at_line(told, "git commit -m x", branch="topic")
    assert at_line({"forbids": ["git branch -D"]}, "git branch -D x")
    assert list(pattern_triggers({"when": ["branch release/*"]}, "m")) == []


@pytest.mark.parametrize(
    ("told", "edit", "silent"),
    [
        ({"forbids": ["gen/"]}, ("gen/a.py", "a = 1"), ("src/a.py", "a = 1")),
        ({"forbids": ["*.sql"]}, ("db/a.sql", "DROP"), ("db/a.py", "a = 1")),
        ({"forbids": ["requests"]}, ("a.py", "import requests"), ("a.py", "requests = []")),
        ({"forbids": ["SELECT *"]}, ("a.sql", "select * from a"), ("a.sql", "SELECT a FROM a")),
        ({"forbids": [":latest"]}, ("Dockerfile", "FROM node:latest"), ("Dockerfile", "FROM node:22")),
        ({"forbids": ["SERIAL"]}, ("a.sql", "id SERIAL,"), ("a.sql", "serialized text,")),
        (
            {"forbids": ["fmt.Errorf(...%v"], "when": ["*.go"]},
            ("a.go", 'fmt.Errorf("a: %v", err)'),
            ("a_test.go", 't.Errorf("%v", got)'),
        ),
        (
            {"forbids": ["CREATE INDEX"], "wants": ["CONCURRENTLY"]},
            ("a.sql", "CREATE INDEX a ON b (c);"),
            ("a.sql", "CREATE INDEX CONCURRENTLY a ON b (c);"),
        ),
        (
            {"forbids": ["CREATE INDEX"], "unless": ["CREATE TABLE"]},
            ("a.sql", "CREATE INDEX a ON b (c);"),
            ("a.sql", "CREATE TABLE b (c int);\nCREATE INDEX a ON b (c);"),
        ),
        (
            {"forbids": ["console.log("], "when": ["src/"], "unless": ["src/cli/"]},
            ("src/a.ts", "console.log(1)"),
            ("src/cli/a.ts", "console.log(1)"),
        ),
        (
            {"when": ["*.sh"], "wants": ["set -euo pipefail"]},
            ("bin/a.sh", "#!/bin/bash\nrm x"),
            ("bin/a.sh", "#!/bin/bash\nset -euo pipefail\nrm x"),
        ),
        ({"when": ["Dockerfile"]}, ("web/Dockerfile", "FROM x"), ("web/a.py", "a = 1")),
    ],
)
def test_an_edit(told: Told, edit: tuple[str, str], silent: tuple[str, str]) -> None:
    """An edit is of a file, or adds code to a line; what is wanted or excepted keeps silent."""
    assert at_edit(told, *edit)
    assert not at_edit(told, *silent)


def test_what_an_edit_takes_out_is_not_held_against_it() -> None:
    """Code that is forbidden may go, and may stay."""
    assert not at_edit({"forbids": ["SELECT *"]}, "a.sql", "SELECT a", "SELECT * FROM a")
    assert not at_edit({"forbids": ["SELECT *"]}, "a.sql", "SELECT * FROM b", "SELECT * FROM a")


RIGHT = 770  # of 789: patterns by two readers of the manual, with an action that breaks each, and others


def test_patterns_by_the_manual() -> None:
    """Most are shown at the action that breaks the rule, and at no other."""
    right = 0
    for expected, told, kind, *act in table(__file__, "given_patterns"):
        shown = (at_line if kind == "command" else at_edit)(json.loads(told), *act)
        right += shown == (expected == "shown")
    assert right >= RIGHT


@pytest.mark.parametrize("pattern", ["", "`", "...", "\0", "*", "(", "a" * 5_000, "branch ", "-", "é", "!!"])
def test_any_text_is_a_pattern(pattern: str) -> None:
    """None raises, whatever action it is held against."""
    for told in ({"forbids": [pattern]}, {"when": [pattern]}, {"forbids": ["git push"], "unless": [pattern]}):
        at_line(told, "git push && ls")
        at_edit(told, "src/a.py", "a !! b\n(c)")
