"""remember, edit, supersede."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora.core.clock import FixedClock
from tests.interfaces.conftest import Run

Answer = Callable[..., Any]


def test_remember_says_what_was_stored(run: Run) -> None:
    """The answer is the short id, what became of it, its type and its text."""
    result = run("remember", "Tokens", "expire", "after 24 h", "--type", "decision")
    assert result.exit_code == 0
    memory_id, said = result.stdout.rstrip().split("  ", 1)
    assert len(memory_id) == 8
    assert said == "stored as decision  Tokens expire after 24 h"


def test_remember_takes_every_option(answer: Answer, project: Path) -> None:
    """Type, files, modules, tags, scope, confidence and source arrive in the memory."""
    (project / "a.py").touch()
    record = answer(
        "remember", "Caches are keyed by tenant", "--type", "gotcha", "--file", "a.py", "-f", "b.py,c.py",
        "--module", "cache", "--tag", "tenants", "--tag", "keys", "--scope", "module", "--confidence", "0.5",
        "--source", "qa_auto",
    )  # fmt: skip
    assert record["type"] == "gotcha"
    assert record["related_files"] == ["a.py", "b.py", "c.py"]
    assert record["related_modules"] == ["cache"]
    assert record["tags"] == ["tenants", "keys"]
    assert (record["scope"], record["confidence"], record["source"]) == ("module", 0.5, "qa_auto")
    assert record["receipt"]["action"] == "stored"


def test_a_person_is_the_source_by_default(answer: Answer) -> None:
    """What is typed counts as taught by the user, with full confidence."""
    record = answer("remember", "Tabs are fine", "--type", "preference")
    assert (record["source"], record["confidence"], record["realm"]) == ("user_taught", 1.0, "project")


def test_remember_for_every_project(answer: Answer, run: Run, tmp_path: Path) -> None:
    """--user keeps it in the user's own memory, which other projects see too."""
    assert answer("remember", "I like tabs", "--type", "preference", "--user")["realm"] == "user"
    other = tmp_path / "other"
    other.mkdir()
    assert "I like tabs" in run("list", "--project", str(other)).stdout
    assert "I like tabs" not in run("list", "--project", str(other), "--project-only").stdout


def test_remember_from_stdin(run: Run) -> None:
    """A single dash reads the text from stdin."""
    result = run("remember", "-", "--type", "pattern", stdin="One line\nand another\n")
    assert result.stdout.endswith("stored as pattern  One line and another\n")


def test_binary_on_stdin(run: Run) -> None:
    """Binary data is refused, and nothing is stored."""
    result = run("remember", "-", "--type", "pattern", stdin=bytes(range(256)) * 4)
    assert result.exit_code == 2
    assert "binary" in result.stderr
    assert run("list").stdout == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "what to remember is missing"),
        ([""], "content is empty"),
        (["..."], "content is empty"),
        (["x is y", "--type", "fact"], "there is no type 'fact'"),
        (["x is y", "--type", "gotcha", "--scope", "world"], "there is no scope 'world'"),
        (["x is y", "--type", "gotcha", "--source", "me"], "there is no source 'me'"),
        (["x is y", "--type", "gotcha", "--confidence", "2"], "confidence must be between 0 and 1"),
        (["x is y", "--confidence", "high"], "not a valid float"),
        (["x" * 30_000, "--type", "gotcha"], "30,000 characters"),
    ],
)
def test_what_cannot_be_remembered(run: Run, words: list[str], said: str) -> None:
    """Bad input is named, exits with 2 and stores nothing."""
    result = run("remember", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert run("list").stdout == ""


def test_secrets_are_counted_and_never_shown(run: Run) -> None:
    """The answer says how many secrets of which kind were taken out; the value is nowhere."""
    result = run("remember", "The staging password: hunter2swordfish", "--type", "gotcha")
    assert "1 secret was taken out before storing: 1 password" in result.stdout
    everything = result.stdout + run("list").stdout + run("list", "--json").stdout
    assert "hunter2swordfish" not in everything


def test_duplicates_are_merged_and_say_so(run: Run, remember: Callable[..., str], clock: FixedClock) -> None:
    """The same statement said again is merged with the first, which keeps both origins."""
    first = remember("Tokens expire after 24 h", "--type", "decision")
    clock.advance(days=2)
    result = run("remember", "tokens expire  after 24 h", "--type", "decision", "--source", "qa_auto")
    assert result.stdout.splitlines() == [
        f"{first[:8]}  merged with a decision that says the same  Tokens expire after 24 h",
        "  all origins are kept: user, qa",
    ]
    assert len(run("list").stdout.splitlines()) == 1


def test_guessed_type_is_called_a_guess(run: Run) -> None:
    """Without --type the wording decides, and the answer says how to change it."""
    result = run("remember", "We decided to keep sessions in Redis because it expires them by itself")
    assert result.exit_code == 0, result.stderr
    assert "stored as decision" in result.stdout
    assert "the type is a guess from the wording" in result.stdout


def test_files_are_named_from_the_root(
    answer: Answer, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path typed in a subfolder is stored relative to the project's root."""
    (project / "src").mkdir()
    (project / "src" / "a.py").touch()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    monkeypatch.chdir(project / "src")
    words = "remember first --type pattern -f a.py -f src/a.py -f x/gone.py".split()
    assert answer(*words)["related_files"] == ["src/a.py", "x/gone.py"]


def test_edit_changes_what_is_named(run: Run, answer: Answer, remember: Callable[..., str]) -> None:
    """Each option changes its field; the rest stays."""
    memory_id = remember("Caches are keyed by tenant", "--tag", "a", "--file", "a.py")
    options = "--type gotcha --add-tag b --remove-tag a --add-file b.py --confidence 0.4 --scope module"
    record = answer("edit", memory_id[:8], *options.split())
    assert (record["type"], record["tags"], record["related_files"]) == ("gotcha", ["b"], ["a.py", "b.py"])
    assert (record["confidence"], record["scope"]) == (0.4, "module")
    assert record["content"] == "Caches are keyed by tenant"
    assert answer("edit", memory_id, "--file", "c.py", "--remove-file", "c.py")["related_files"] == []
    result = run("edit", memory_id, "--content", "-", stdin="Caches are keyed by shop")
    assert result.stdout == f"{memory_id[:8]}  updated, gotcha  Caches are keyed by shop\n"


def test_edit_without_options_in_a_pipe(run: Run, remember: Callable[..., str]) -> None:
    """No editor opens where nobody can use it; the error says what to do."""
    result = run("edit", remember("Caches are keyed by tenant"))
    assert result.exit_code == 2
    assert result.stderr.startswith("error: nothing to change")


def test_edit_cannot_remove_what_is_not_there(run: Run, remember: Callable[..., str]) -> None:
    """Taking off a tag that is not on the memory is an error that names those that are."""
    result = run("edit", remember("Caches have keys", "--tag", "a"), "--remove-tag", "b")
    assert result.exit_code == 2
    assert result.stderr == "error: the memory has no tag 'b'\nhint: It has: a.\n"


def test_supersede_takes_over_and_says_what_went(run: Run, remember: Callable[..., str]) -> None:
    """The new memory keeps type, files and tags; the old one leaves the list and names its successor."""
    old = remember("Tokens expire after 24 h", "--type", "decision", "--tag", "auth", "--file", "a.py")
    result = run("supersede", old[:8], "Tokens", "expire after 12 h")
    first, second = result.stdout.splitlines()
    assert first.endswith("stored as decision  Tokens expire after 12 h")
    assert second == f"  takes the place of {old[:8]}: Tokens expire after 24 h"
    listed = json.loads(run("list", "--json").stdout)["memories"]
    assert [(m["content"], m["tags"], m["related_files"]) for m in listed] == [
        ("Tokens expire after 12 h", ["auth"], ["a.py"])
    ]
    shown = run("show", old).stdout
    assert f"superseded by {listed[0]['id'][:8]}" in shown


def test_supersede_twice_is_a_conflict(run: Run, remember: Callable[..., str]) -> None:
    """What was replaced already cannot be replaced again."""
    old = remember("Tokens expire after 24 h", "--type", "decision")
    assert run("supersede", old, "Tokens expire after 12 h", "--tag", "x", "--type", "gotcha").exit_code == 0
    result = run("supersede", old, "Tokens expire after 6 h")
    assert result.exit_code == 5
    assert "was superseded by" in result.stderr
