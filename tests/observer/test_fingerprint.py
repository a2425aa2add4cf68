"""Fingerprints that are the same everywhere, the telling line of an output, and errors of the host's tools.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import pytest

from remora.observer import fingerprint as f
from tests.tables import table

SAME = table(__file__, "fingerprints")


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_changes_from_place_to_place_does_not_count(one: str, other: str):
    """Times, ids, durations, folders, lines, numbers, colours and case are replaced before hashing."""
    assert f.fingerprint(one) == f.fingerprint(other)


@pytest.mark.parametrize(("one", "other"), table(__file__, "fingerprints_apart"))
def test_other_errors_have_other_fingerprints(one: str, other: str):
    """What the message says is kept."""
    assert f.fingerprint(one) != f.fingerprint(other)


@pytest.mark.parametrize(("output", "line"), table(__file__, "telling"))
def test_the_telling_line(output: str, line: str):
    """The line that says what is wrong is found in outputs of many tools; a code alone says nothing."""
    assert f.telling(output) == line


@pytest.mark.parametrize(("output", "origin"), table(__file__, "origins"))
def test_messages_of_the_host_are_told_from_the_projects(output: str, origin: str):
    """Refusals and errors of its tools, in its words at the beginning; a project may use such words too."""
    assert (f.denied(output), f.of_harness(output)) == (origin == "denied", origin != "project")


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
        ("1 failed, 2 passed, 1 error in 3s", True),
        ("5 files checked, 2 errors fixed", False),
        ("3 retries, 1 failure tolerated, all ok", False),
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
