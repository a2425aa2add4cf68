"""Fingerprints that are the same everywhere, the telling line of an output, and errors of the host's tools.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.observer import fingerprint as f
from tests.tables import table

SAME = table(__file__, "fingerprints")


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_changes_from_place_to_place_does_not_count(one: str, other: str):
    """Times, ids, durations, folders, lines, numbers, colours and case are replaced before hashing."""
    assert f.fingerprint(one) == f.fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("undefined: Foo", "undefined: Bar"),
        ("permission denied", "no such file"),
        ("HTTP error", "DNS error"),
        ("Cannot find module '@acme/auth'", "Cannot find module '@acme/ui'"),
        ("the server answered HTTP 404", "the server answered HTTP 500"),
        ("status code 401", "status code 503"),
        ("may 5 not be", "jan 5 not be"),
        ("monitor may 10 retries", "monitor jan 10 retries"),
        ("HTTP/1.1 404 x", "HTTP/1.1 500 x"),
        ("status=404", "status=500"),
        ("status code: 404", "status code: 500"),
    ],
)
def test_other_errors_have_other_fingerprints(one: str, other: str):
    """What the message says is kept."""
    assert f.fingerprint(one) != f.fingerprint(other)


def test_a_fingerprint_is_sixteen_hex_digits():
    """It is the beginning of a SHA-256, also of nothing."""
    assert all(len(f.fingerprint(t)) == 16 and int(f.fingerprint(t), 16) >= 0 for t in ("x", "", "é" * 9000))


def test_times_are_replaced_before_lines():
    """A time is one stand-in, not an hour with a line number."""
    assert f.normal_message("2026-01-05T12:17:31Z a/b.go:7: x") == "<time> <path>: x"


OUTPUTS = [
    # session 0bb9a2d9
    (
        (
            "Exit code 1\n[lint] $ golangci-lint run ./...\n[lint] ERROR task failed\n\n"
            "cmd/entire/cli/clean_test.go:275:9: undefined: runCleanWithBranches\n"
        ),
        "cmd/entire/cli/clean_test.go:275:9: undefined: runCleanWithBranches",
    ),
    # session a318ad73
    (
        (
            "Exit code 1\n=== RUN   TestShadowBranchOverlap_ContinueWork\n    hooks.go:155: Hook output: ok\n"
            "--- FAIL: TestShadowBranchOverlap_ContinueWork (0.72s)\n"
            "    overlap_test.go:88: Expected 2 rewind points, got 1\n"
        ),
        "--- FAIL: TestShadowBranchOverlap_ContinueWork (0.72s): Expected 2 rewind points, got 1",
    ),
    ("Exit code 1\nunknown flag: --stat\n\nUsage:  gh pr diff [<number>]", "unknown flag: --stat"),
    ("Exit code 128\nfatal: unrecognized argument: --no-stat", "fatal: unrecognized argument: --no-stat"),
    (
        "goroutine 1\npanic: runtime error: index out of range [3]\n\tmain.go:4",
        "panic: runtime error: index out of range [3]",
    ),
    (
        'Traceback (most recent call last):\n  File "a.py", line 3\n    x()\nValueError: no such colour\n',
        "ValueError: no such colour",
    ),
    (
        "E       assert 1 == 2\nFAILED tests/a.py::test_b - assert 1 == 2\n1 failed in 0.1s",
        "FAILED tests/a.py::test_b - assert 1 == 2",
    ),
    ("error[E0308]: mismatched types\n --> src/x.rs:3:5", "error[E0308]: mismatched types"),
    (
        "src/x.ts(3,5): error TS2304: Cannot find name 'y'.",
        "src/x.ts(3,5): error TS2304: Cannot find name 'y'.",
    ),
    ("x.c:1:2: error: expected ';'", "x.c:1:2: error: expected ';'"),
    ("zsh: command not found: pyhton", "zsh: command not found: pyhton"),
    ("Exit code 1", ""),
    ("make: *** [test] Error 1", ""),
    ("", ""),
]


@pytest.mark.parametrize(("output", "line"), OUTPUTS)
def test_the_telling_line(output: str, line: str):
    """The line that says what is wrong is found in outputs of many tools; a code alone says nothing."""
    assert f.telling(output) == line


@pytest.mark.parametrize(
    "output",
    [
        "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
        "<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>",
        "The user doesn't want to proceed with this tool use. The tool use was rejected",
        "[Request interrupted by user for tool use]",
        "Exit code 137\n[Request interrupted by user for tool use]\n=== RUN   TestA",
        "Found 2 matches of the string to replace, but replace_all is false.",
        "Error: File has been modified since read, either by the user or by a linter.",
        "InputValidationError: Grep failed due to the following issue:\nAn unexpected parameter",
        "ENOENT: no such file or directory, posix_spawn '/opt/homebrew/Caskroom/claude-code/2.1.14/claude'",
        "cd in '/etc' was blocked. For security, Claude Code may only change directories to those.",
        "File content (25,001 tokens) exceeds maximum allowed tokens (25000).",
        "apply_patch verification failed: Failed to find expected lines in a.py",
    ],
)
def test_errors_of_the_host_are_its_own(output: str):
    """What the host's tools say is kept apart from the project's errors."""
    assert f.of_harness(output)


@pytest.mark.parametrize(
    "output",
    [
        "panic: tool missing",
        "--- FAIL: TestTool",
        "a.go:1:1: undefined: replace",
        "app.errors.InputValidationError: DATABASE_URL is empty",
        "InputValidationError: DATABASE_URL is empty",
        "Exit code 1\nError: posix_spawn failed: ENOENT",
        "ENOENT: no such file or directory, posix_spawn '/usr/bin/ffmpeg'",
        "Exit code 1\nrequest interrupted: the socket closed",
        "Exit code 1\nUserRejectedRequestError: User rejected the request.",
        "Exit code 1\nFile has been modified since the last index",
    ],
)
def test_errors_of_the_project_are_not_the_hosts(output: str):
    """The same words further on, or about something else, do not make it the host's."""
    assert not f.of_harness(output)


@pytest.mark.parametrize(
    "output",
    [
        "The user doesn't want to take this action right now. STOP what you are doing.",
        "The agent proposed a plan that was rejected by the user. The user chose to stay in plan mode.",
        "Permission to use Bash with command cd /w && ls has been denied.",
        "Permission to use WebSearch has been auto-denied in dontAsk mode.",
        "Permission for this action was denied by the auto mode classifier.",
        "Claude requested permissions to write to a.py, but you haven't granted it yet.",
        "Error: The user rejected permission to use this specific tool call.",
        "exec command rejected by user",
    ],
)
def test_a_refusal_is_in_the_hosts_words(output: str):
    """Each host says at the beginning that the tool may not run, and that is no error of the project."""
    assert f.denied(output)
    assert f.of_harness(output)


@pytest.mark.parametrize(
    "output",
    [
        "UserRejectedRequestError: User rejected the request.",
        "User rejected the request.",
        "psycopg.Error: access to schema app was denied",
        "AssertionError: the order is rejected by the user",
        "login was auto-denied",
        "FAILED tests/a.py::test_b - Permission to use S3 has been denied",
    ],
)
def test_a_refusal_that_a_test_speaks_of_is_none(output: str):
    """A project may know users that reject and requests that are denied."""
    assert not f.denied(output)


def test_what_the_user_said_with_a_refusal():
    """Session 0442a060: the reason stands behind the frame."""
    text = "The user doesn't want to proceed with this tool use. The user said:\nno, not yet"
    assert (f.denied(text), f.user_said(text), f.user_said("no")) == (True, "no, not yet", "")


BROKEN = [text for (text,) in table(__file__, "outputs_broken")]
FINE = [text for (text,) in table(__file__, "outputs_fine")]


@pytest.mark.parametrize("output", BROKEN)
def test_a_failure_that_a_pipe_hid(output: str):
    """The output of a check shows a failure where the exit code cannot, beside another that passed too."""
    assert f.looks_failed(output)


@pytest.mark.parametrize(
    ("message", "sums_up"),
    [
        ("3 examples, 1 failure", True),
        ("1 test, 1 failure", True),
        ("1 failed, 2 passed, 1 error in 3s", True),
        ("5 files checked, 2 errors fixed", False),
        ("3 retries, 1 failure tolerated, all ok", False),
        ("2 passed, 1 error handled in test", False),
    ],
)
def test_counts_alone_sum_up(message: str, sums_up: bool):
    """What else is said of the errors that were counted tells another timeline."""
    assert f.sums_up(message) == sums_up


@pytest.mark.parametrize("output", FINE)
def test_what_only_speaks_of_failures_passed(output: str):
    """No failures, warnings, names of tests, logs and tables are no failure."""
    assert not f.looks_failed(output)


def test_a_long_output_is_read_at_both_ends():
    """Five megabytes of log do not take long, and the end is seen."""
    assert f.telling("x\n" * 2_500_000 + "panic: at the end\n") == "panic: at the end"


@pytest.mark.parametrize("place", range(len(f._TELLING)))
@given(data=st.data())
def test_what_tells_holds_what_is_looked_for_first(place: int, data: st.DataObject) -> None:
    """No line is passed over because a quick look missed it."""
    needles, pattern = f._TELLING[place]
    found = pattern.search(data.draw(st.from_regex(pattern)))
    assert found is not None
    assert any(needle in found[0] for needle in needles)


@pytest.mark.parametrize("place", range(len(f._RULES)))
@given(data=st.data())
def test_what_is_replaced_holds_what_is_looked_for_first(place: int, data: st.DataObject) -> None:
    """A message has the same fingerprint as if everything were tried on it."""
    hint, patterns, _ = f._RULES[place]
    pattern = data.draw(st.sampled_from(patterns))
    found = pattern.search(data.draw(st.from_regex(pattern)))
    assert found is not None
    assert hint.search(found[0])
