"""What was asked and done, without politeness and cheer."""

from __future__ import annotations

import pytest

from remora.observer.reports import ask, asked, clear_ask, done


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("can you please add a standard MIT license?", "add a standard MIT license"),
        ("I'd like to have the branch name in `entire list`", "have the branch name in `entire list`"),
        ("yes", ""),
        ("<command-name>/exit</command-name>", ""),
        (
            "Implement the following plan:\n\n# Plan: Invert the flag\n\nMore",
            "implement the plan “Invert the flag”",
        ),
        ("ok, one last thing: let's rename the `start` command", "rename the `start` command"),
    ],
)
def test_politeness_is_dropped(prompt: str, wanted: str) -> None:
    """What is left is what to do."""
    assert ask(prompt) == wanted


def test_only_clear_requests_are_told() -> None:
    """A request that leans on what was said before it tells a later reader nothing."""
    assert clear_ask("can we use the typed CheckpointID inside RewindPoint?") == (
        "use the typed CheckpointID inside RewindPoint"
    )
    assert clear_ask("can you fix that again in both places?") == ""
    assert clear_ask("I just tried it and got an error with the `list` command") == ""
    assert asked(
        ["yes please", "can we sort the branches by date?", "can we sort the branches by date?"]
    ) == ["sort the branches by date"]


def test_reports_lose_cheer_tables_code_and_questions() -> None:
    """Headings, fillers, code and offers are not what was done."""
    report = """Perfect! All tests pass.

## Summary

| File | Change |
|------|--------|
| a.go | more |

**Changes made:**
1. **Moved the check** into `hook_registry.go`, so that every agent
   goes through it
2. `handlers.go`
3. I've successfully removed the six copies in `handlers.go`.

```go
x := 1
```

Would you like me to commit?"""
    assert done(report) == (
        "Moved the check into `hook_registry.go`, so that every agent goes through it. "
        "Removed the six copies in `handlers.go`."
    )


def test_what_stands_in_quotes_alone_is_left_out() -> None:
    """A message that was shown says nothing of what was done, whole or cut at its sentences."""
    kept = "Removed the check in `hooks.go`, so both sessions capture checkpoints now."
    quoted = '"Both will capture checkpoints. They will be interleaved."'
    assert done(f'{kept}\n- {quoted}\n- "Your changes will not be captured"') == kept
    assert done('Renamed the label "from" to "since" in `view.go` and in the two other places.') != ""


def test_an_empty_report_says_nothing() -> None:
    """Cheer alone, or a few words, is no report."""
    assert done("Done! All tests pass and lint is clean.") == ""
    assert done("Added a flag.") == ""
    assert done("All three issues addressed. `cli/root.go`. Added the flag to the help.") == ""


def test_long_reports_are_cut_at_a_sentence() -> None:
    """Whole sentences up to the limit."""
    text = " ".join(f"Changed `part{n}.go` so that it reads the new settings file." for n in range(9))
    assert done(text, 130).count("Changed") == 2


def test_a_list_without_its_first_line_is_left_out() -> None:
    """What a command shows, item by item, says nothing alone; an item that is a sentence does."""
    report = """Added a hidden `debug` command with an `auto-commit` subcommand to `root.go`.

It shows:
- Whether the strategy allows commits on the main line
- Current strategy (manual or auto)
- `Handlers()` returns an error where nothing is set
"""
    assert done(report) == (
        "Added a hidden `debug` command with an `auto-commit` subcommand to `root.go`. "
        "`Handlers()` returns an error where nothing is set."
    )


@pytest.mark.parametrize(
    "piece",
    [
        "Create an app in the organization with the right to write",
        "Only add `.claude-test/` to the `.gitignore` of the root",
        'This tells you: "at line 127 with the last message being 60d1a04a..."',
        "`view.go` - Now uses helper",
        "`b.go`: `write` now includes the fields in `metadata.json`",
        "`SessionID string` - The session identifier",
        "The attribution is working correctly",
    ],
)
def test_pieces_that_say_nothing_later(piece: str) -> None:
    """What the user is told to do, what was only shown, and things without a name."""
    kept = "Removed the check in `hooks.go`, so that both sessions capture checkpoints."
    assert done(f"{kept}\n- {piece}.") == kept


def test_a_thing_that_was_named_may_be_spoken_of() -> None:
    """Where a piece before has its name, "the constant" is clear; and a commit says "add" of what it adds."""
    report = "Added the `branchMain` constant in `common.go`.\n- Updated `resume.go` to use the constant."
    assert done(report).endswith("Updated `resume.go` to use the constant.")
    body = "Add a flag to `list` that shows all branches, and use the helper for that."
    assert done(body, of_commit=True) == body
    assert done(body) == ""


@pytest.mark.parametrize(
    "piece",
    [
        "Set `max_retries` to 5 in `client.py` because the service drops calls",
        "Open connections are closed when `Pool.stop()` runs",
        "Commit hooks run `ruff` before anything is written",
        "`a.py`: The parser rejects empty lists and raises `ValueError`",
        "The cache is working correctly again: `load()` had compared naive and aware times",
    ],
)
def test_sentences_that_look_like_something_else(piece: str) -> None:
    """A past tense, a noun, a sentence behind a file: they say what is the case."""
    kept = "Removed the check in `hooks.go`, so that both sessions capture checkpoints."
    assert done(f"{kept}\n- {piece}.") == f"{kept} {piece}."
