"""Normal forms and purposes of commands, and what they write."""

from __future__ import annotations

import pytest

from remora.shell.forms import Ran, as_run, command_form
from remora.shell.lines import parts_in
from remora.shell.location import Place
from remora.shell.purposes import check_of, purpose_of
from remora.shell.syntax import parse
from tests.tables import table

NORMAL = table(__file__, "forms")


@pytest.mark.parametrize(("command", "normal", "purpose"), NORMAL)
def test_normal_form_and_purpose(command: str, normal: str, purpose: str):
    """Folders, variables, pipes, redirections and texts go; what is done stays."""
    parsed = command_form(command, "/w/app")
    assert (parsed.normal, parsed.purpose) == (normal, purpose)


@pytest.mark.parametrize(("command", "home", "expected"), table(__file__, "variables_and_drives"))
def test_the_form_with_variables_and_drives(command: str, home: str, expected: str):
    """Each program with what is set or exported for it; a folder on a drive is one however it is written."""
    assert as_run(command, home, Place(home, home)).text == expected


@pytest.mark.parametrize(
    ("command", "purpose"),
    table(__file__, "purposes"),
)
def test_purposes_of_usual_tools(command: str, purpose: str):
    """Tools of many languages, task runners by the task's name, and what only runs another program."""
    assert purpose_of(tuple(command.split())) == purpose


def test_a_pipe_masks_the_exit_code():
    """`&&` does not hide a failure; a pipe, a semicolon and a condition do."""
    masked = {"a && b": False, "a | tail": True, "a; b": True, "a || true": True, "! a": True}
    assert {line: command_form(line).masked for line in masked} == masked


@pytest.mark.parametrize(
    ("line", "writes", "adds"),
    [
        ("go test ./... > /tmp/out.txt 2>&1", ["/tmp/out.txt"], []),
        ("a 2>/tmp/e &>> /tmp/b | c >'/tmp/c' > '/tmp/my d'", ["/tmp/e", "/tmp/c", "/tmp/my d"], ["/tmp/b"]),
        ("make &> /tmp/a", ["/tmp/a"], []),
        ("(a; b > /tmp/a) && { c; } > /tmp/b; > /tmp/d e", ["/tmp/a", "/tmp/b", "/tmp/d"], []),
        ("a < /tmp/a >&2 2>&1 'b > /tmp/c' | tee >(d)", [], []),
    ],
)
def test_where_output_is_sent(line: str, writes: list[str], adds: list[str]):
    """Files that are made anew and those that are added to; what is read or quoted is neither."""
    programs = parse(line).programs
    assert [path for one in programs for path in one.writes] == writes
    assert [path for one in programs for path in one.adds] == adds


@pytest.mark.parametrize(
    ("line", "begins", "around"),
    [
        ("a && { b; c > x; } > y; d", [False, True, False, False], ["y"]),
        ("(a b && b c) 2>&1 > x; d", [True, False, False], ["x"]),
        ("(a b && b c > x); d", [True, False, False], []),
        ("a $(b) > x && echo '(c)' > y; > z d", [False, False, False], []),
    ],
)
def test_where_the_output_of_a_group_is_sent(line: str, begins: list[bool], around: list[str]):
    """It is not that of its last program alone."""
    programs = parse(line).programs
    assert [one.begins for one in programs] == begins
    assert [path for one in programs for path in one.around] == around


def test_a_command_of_a_megabyte_is_cut():
    """What is looked at is bounded."""
    assert len(command_form("echo x; " * 100_000 + "make").normal) <= 200


@pytest.mark.parametrize(("command", "folder", "expected"), table(__file__, "folders"))
def test_commands_keep_their_folder(command: str, folder: str, expected: str) -> None:
    """What was run in a folder is shown with it, so that it can be run; what ran elsewhere is left out."""
    assert as_run(command, "/w/app", Place(folder, "/w/app")).text == expected


def test_what_ran_outside_says_nothing_of_the_rest() -> None:
    """The purpose is that of what ran here; a long line is cut between its programs."""
    place = Place("/w/app", "/w/app")
    assert as_run("make fmt && cd ../other && npm test", "/w/app", place) == Ran("make fmt", "format", False)
    long = "cd web && npx jest " + " ".join(f"src/module{n}/some_file_{n}.test.ts" for n in range(9))
    assert as_run(long, "/w/app", place).text.endswith(")")
    lines = " && ".join(["cd web", *(f"npm run check:number{n}" for n in range(12))])
    assert all(part.endswith(")") for part in parts_in(as_run(lines, "/w/app", place).text))


@pytest.mark.parametrize(("command", "purpose"), table(__file__, "checks"))
def test_what_a_command_checks(command: str, purpose: str):
    """Nothing if it lists, compiles or renews tests, runs dry, or lacks the variable of a loop."""
    assert check_of(tuple(command.split())) == purpose
