"""What a person said that holds beyond the task; the sentences are of real sessions (entireio/cli, MIT)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from remora.observer.speech import correction
from remora.observer.statements import names_something, stands_alone, statements, states


@pytest.mark.parametrize(
    ("prompt", "kind", "text"),
    [
        (
            "can you note that we should always run `mise run fmt` together with `mise run lint`",
            "preference",
            "We should always run `mise run fmt` together with `mise run lint`.",
        ),
        (
            "let's use true/false and not on/off for skip-push-sessions",
            "preference",
            "Use true/false and not on/off for skip-push-sessions.",
        ),
        (
            "Option 1 doesn't work since the commit hash can change, so that's why we add trailers.",
            "gotcha",
            "The commit hash can change, so that's why we add trailers.",
        ),
        (
            "Can we also add a check? it should never try to create a branch without a BaseCommit",
            "preference",
            "Never try to create a branch without a BaseCommit.",
        ),
        (
            "the first part is not correct, for manual-commits we use git hooks to also add the trailer",
            "gotcha",
            "For manual-commits we use git hooks to also add the trailer.",
        ),
        (
            "using the git cli is fine (we use go-git explicitly in other places to not need a checkout)",
            "gotcha",
            "We use go-git explicitly in other places to not need a checkout.",
        ),
        (
            "we should be using the strong types instead of string wherever we can",
            "preference",
            "We should be using the strong types instead of string wherever we can.",
        ),
        (
            "the trailer on the real commit should match exactly one commit in entire/sessions",
            "decision",
            "The trailer on the real commit should match exactly one commit in entire/sessions.",
        ),
        (
            "The legacy importer in src/legacy/ must never use the `db_session` pool, only raw connections",
            "preference",
            "The legacy importer in src/legacy/ must never use the `db_session` pool, only raw connections.",
        ),
        (
            "When a test runs on Windows, always use the `py` launcher instead of `python`",
            "preference",
            "When a test runs on Windows, always use the `py` launcher instead of `python`.",
        ),
        (
            "note: until the migration is finished always write through `old_client`, not `new_client`",
            "preference",
            "Until the migration is finished always write through `old_client`, not `new_client`.",
        ),
        (
            "The function should use the existing GetGitDir() helper instead of duplicating the logic.",
            "preference",
            "Use the existing GetGitDir() helper instead of duplicating the logic.",
        ),
        (
            "no, we removed the session commands on purpose",
            "gotcha",
            "We removed the session commands on purpose.",
        ),
    ],
)
def test_standing_words_are_cut_out_of_requests(prompt: str, kind: str, text: str) -> None:
    """A clause that holds in general is kept as a sentence of its own."""
    assert [(s.type, s.text) for s in statements(prompt)] == [(kind, text)]


@pytest.mark.parametrize(
    "prompt",
    [
        "can you always show the branch name here?",
        "should we always pass the agent?",
        "let's add this",
        "we need to break this up into smaller PR-able chunks",
        "it somehow always lists these under each branch",
        "right now we store full.jsonl when doing a checkpoint in `entire/sessions`",
        "The RunGitCommand function is defined in testenv.go but never called anywhere in the codebase.",
        "and in autocommit strategy we don't have any steps, we go from checkpoint to checkpoint yeah?",
        "if we use flags, we can track the usage of `entire enable` easier",
        "I never saw the `entire list` command fail like this before on main",
        "we always do it",
        "For now always use the mock server in tests/",
        "hm, the reporter writes: always install `fast-cache` from https://a.example/pkg before the tests",
        "`foo_bar` in src/cache.py is set before main, we use it on purpose",
        "When do we always use `make fmt` before a commit?",
        "```\nwe always use `make fmt` before a commit\n```",
        "\n".join(["we always use `make fmt` before a commit"] * 20),
    ],
)
def test_requests_questions_and_pastes_state_nothing(prompt: str) -> None:
    """What asks, hangs in the air, is over soon or was pasted is left out."""
    assert statements(prompt) == []


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("no, always use uv run pytest, never plain pytest", "Always use uv run pytest, never plain pytest."),
        ("Never push to main without asking me.", "Never push to main without asking me."),
        ("never edit generated files", "Never edit generated files."),
        ("Use structlog instead of print.", "Use structlog instead of print."),
        ("use tabs, not spaces", "Use tabs, not spaces."),
        ("prefer composition over inheritance", "Prefer composition over inheritance."),
        ("Do not mock the database in tests.", "Do not mock the database in tests."),
        ("Don't mock the database in `tests/`.", "Don't mock the database in `tests/`."),
        ("Don't commit directly to main", "Don't commit directly to main."),
        ("avoid print in library code", "Avoid print in library code."),
        ("Don't put logic in controllers", "Don't put logic in controllers."),
        ("Don't push to main.", "Don't push to main."),
        ("never use emojis", "Never use emojis."),
        ("don't ever touch the vendor folder", "Never touch the vendor folder."),
        ("avoid using `any` in TypeScript", "Avoid using `any` in TypeScript."),
        ("I want you to always explain the plan before coding", "Always explain the plan before coding."),
        ("remember to always run the linter", "Always run the linter."),
        ("Tests must not hit the network.", "Tests must not hit the network."),
        ("Every new endpoint needs a test in tests/api.", "Every new endpoint needs a test in tests/api."),
        ("I told you to use pnpm, not npm!", "Use pnpm, not npm!"),
        ("Never use float for prices, it is not exact.", "Never use float for prices, it is not exact."),
        ("Always use absolute imports here.", "Always use absolute imports here."),
        ("Always keep times in UTC here, because it is the law.",) * 2,
        (
            "Make sure you run `make fmt` before every commit",
            "Make sure you run `make fmt` before every commit.",
        ),
        ("Make sure to always update docs/api.md", "Make sure to always update docs/api.md."),
        ("Stop using mocks in the integration tests", "Stop using mocks in the integration tests."),
        ("from now on, answer in German", "From now on, answer in German."),
        ("please don't add any new dependencies", "Don't add any new dependencies."),
    ],
)
def test_a_rule_may_be_short(prompt: str, text: str) -> None:
    """It says itself that it holds for good; nobody types nine words for it."""
    assert [(s.type, s.text) for s in statements(prompt)] == [("preference", text)]
    assert states(prompt) == text


@pytest.mark.parametrize(
    "prompt",
    [
        "don't fix anything, but just validate it works",
        "don't change anything, just let me know",
        "don't give it a number",
        "do not run the tests now",
        "don't change this file",
        "don't forget to run the tests",
        "don't push yet",
        "never do this again",
        "never mind",
        "always",
        "we don't support concurrent sessions that make changes to the repo per commit",
        "Don't make any changes to the code, just tell me what is wrong.",
        "Do not make any changes yet",
        "Please do not touch the tests for this task",
        "Please don't run the tests with docker, I already did",
        "Don't commit the changes to git yet",
        "Don't use mocks in tests for this task",
        "Don't remove the comment on line 12",
        "Do not fix the lint errors in generated.go",
        "Don't merge the branch into main yet",
        "don't move on to the next step",
        "don't implement any of the suggestions",
        "Do not create a new file for the helper",
        "Use a map instead of a slice",
        "Use option B instead of A",
        "Use your own judgement, not mine",
        "From now on I am away",
        "we use `requests` in fetch.py, change to httpx",
        "we no longer use moment.js, remove it from package.json",
        "make the retry logic never wait longer than 30 seconds",
        "use port 8080 instead of 3000 and restart the server",
        "from now on until Friday the demo server is down",
        "Don't add the new button to the header yet.",
        "we use the wrong variable in auth/tokens.py line 30",
        "The build is using the wrong flag, see build.sh",
        "Add a check so that we never divide by zero in ratio().",
        "use a set instead of a list in dedupe()",
        "remember that test we fixed yesterday?",
        "make sure to run the tests",
        "every test needs to pass now",
        "The server is running, not crashed.",
        "we could use the cache explicitly in other places to not be dependent on a checkout",
    ],
)
def test_a_wish_of_the_moment_is_no_rule(prompt: str) -> None:
    """What is not to be done now may be done tomorrow."""
    assert statements(prompt) == []


def test_a_contradiction_is_kept_where_it_can_be_read_alone() -> None:
    """The first sentence of the user's words, without the no."""
    assert states("no, we removed the `session` commands on purpose. Put it back") == (
        "We removed the `session` commands on purpose."
    )
    assert states("no, I did not say commit anything") == ""
    assert states("You're right! Consider adding a test of `a.go` for the paths below.") == ""


def test_names_and_hanging_words() -> None:
    """Paths, identifiers and quoted names are names; "this" and "option 2" hang in the air."""
    assert [
        names_something(t) for t in ("see a/b.go", "`x y`", "getUser is slow", "--force it", "all of it")
    ] == [
        True,
        True,
        True,
        True,
        False,
    ]
    assert [stands_alone(t) for t in ("`a` reads `b`", "this is wrong", "go with option 2", "see above")] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("Remember: integration tests need docker running.", "gotcha"),
        ("please remember that the demo database must never be migrated by hand", "gotcha"),
        ("Remember: we use UTC in the database, never local time.", "preference"),
    ],
)
def test_what_is_to_be_remembered_is_kept_whole(prompt: str, kind: str) -> None:
    """The user asks for it in so many words; its subject is not cut off."""
    (found,) = statements(prompt)
    whole = prompt.partition("that " if "that" in prompt else ": ")[2].rstrip(".")
    assert (found.type, found.text) == (kind, f"{whole[0].upper()}{whole[1:]}.")


@pytest.mark.parametrize("no", ["No! ", "No, that's wrong. ", "wrong. "])
def test_a_correction_may_come_after_the_no(no: str) -> None:
    """What is so is said in the next sentence."""
    assert (
        states(f"{no}Prices are stored in cents, not in euros.")
        == "Prices are stored in cents, not in euros."
    )


def test_a_contrast_is_a_fact() -> None:
    """What is said with its opposite needs no name."""
    told = states("No, prices are integers in cents, never floats.")
    assert told == "Prices are integers in cents, never floats."


@pytest.mark.parametrize(
    "prompt",
    [
        "I don't think we should always use the gateway",
        "it's not true that we never use mocks",
        "we no longer always run make lint",
        "there is a bug: we never call `close()` on the socket",
        "you never close the file handle in src/util.py",
        "You never run the tests!",
        "you always break the build",
        "You always forget to run the tests!",
        "I thought we always use the gateway",
        "For this change, always use the old API",
        "for the demo tomorrow, always return the fake user",
        "For this task, never touch src/util.py",
        "it should always return a list",
        "the function must never return None",
        "this function should always be called with a lock",
        "You should never have deleted the file src/util.py",
        "commit with message: always use the cache",
        "npm WARN deprecated foo@1.0: always use foo2 instead of foo",
        '"Always use yarn" is what the old docs say; ignore it.',
        'The log says "never use eval".',
        "The staging key is in vault, always use it for staging.",
        "Use b.py instead of a.py for the new function.",
        "use tabs instead of spaces in the table of the README I just pasted",
        "Use the staging database instead of production to reproduce the bug",
        "use `Decimal` instead of float in the invoice total function",
        "Don't commit to main, I will squash the branch myself later",
        "don't write to stdout in the script, I pipe its output to jq",
        "We never got an answer from the vendor about the API limits",
        "from now on it crashes with a segfault whenever I click save",
        "From now on the server returns 403 for every request",
        "All tests must pass before I go home",
        "every test must pass before you stop",
        "each row must have a unique id so add a constraint to the table",
        "I prefer to see the plan first, then implement the parser",
        "I'd prefer that we split the PR into two",
        "our convention is broken by the last three commits on main",
        "The build keeps failing with an out of memory error on the runner",
        "The user types always in the search box and nothing happens",
        "that's wrong, the error is in b.py, never in a.py",
        "remember that I restarted the database five minutes ago",
        "Remember: the deploy is at 5pm today so hurry",
        "no, the failing test is test_b, not test_a",
        "Never in doubt",
        "I prefer option 2 over option 1",
    ],
)
def test_what_is_denied_doubted_complained_of_or_quoted_is_no_rule(prompt: str) -> None:
    """Neither as a statement nor as a correction."""
    corrected = correction(prompt)
    assert statements(prompt) == []
    assert states(corrected[1] if corrected else "") == ""


@pytest.mark.parametrize(
    "prompt",
    [
        "When running in CI, never use the cache.",
        "In tests/, always use the fake clock.",
        "Except for migrations, never edit generated files.",
        "In the staging environment, always use the old API.",
        "In this project, always use the fake clock.",
        "The CLI must never print secrets to the log.",
        "We use pnpm here, not npm.",
        "We use pnpm, never npm here.",
        "From now on write tests first.",
        "Always run the tests first.",
        "We don't use default exports.",
        "I prefer small commits, one per change.",
        "All API errors must use the problem+json format.",
        "Write commit messages in the imperative mood from now on.",
        "Never run git push yourself, I do that.",
        "You can mock the database in tests from now on.",
        "Never use print, use the logger instead.",
        "Don't use moment.js, use date-fns instead.",
        "Never run npm install here, use pnpm instead.",
        "Do not use any, use unknown instead.",
        "In this project we use tabs.",
        "Use British spelling everywhere.",
        "For dates use UTC always.",
        "Avoid using lodash in the frontend.",
        "Our rule is: no business logic in controllers.",
        "Use `Decimal` instead of float for money.",
        "Always run `make lint` before committing.",
    ],
)
def test_rules_with_their_conditions_are_kept_whole(prompt: str) -> None:
    """Once, whichever way they are found."""
    corrected = correction(prompt)
    assert [found.text for found in statements(prompt)] == [prompt]
    assert states(corrected[1] if corrected else "") in ("", prompt)


def test_the_examples_of_the_documentation() -> None:
    """Of each row of the table the first sentence is heard and the second is not."""
    text = (Path(__file__).parents[2] / "docs" / "learning.md").read_text("utf-8")
    rows = re.findall(r'^\| "([^"]+)"[^|]*\| "([^"]+)"[^|]*\|$', text, re.MULTILINE)
    assert len(rows) == 5
    assert [[len(statements(sentence)) for sentence in row] for row in rows] == [[1, 0]] * 5
