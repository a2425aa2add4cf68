"""What a command reads from outside: the network, other repositories, files elsewhere."""

from __future__ import annotations

import time

import pytest

from remora.shell.location import Home
from remora.shell.provenance import left, outside
from tests.tables import table


@pytest.mark.parametrize(
    ("command", "source"),
    table(__file__, "reads"),
)
def test_what_a_command_reads_from_outside(command: str, source: str):
    """Addresses, hosting services and files elsewhere are; this machine and what the line wrote are not."""
    assert outside(command, Home("/w/app"), "/w/app") == source


@pytest.mark.parametrize(("command", "source"), table(__file__, "reads_on_drives"))
def test_a_repository_on_a_drive_is_home_however_that_is_written(command: str, source: str):
    """By Windows, by Git Bash, by WSL; what lies beside it is outside."""
    assert outside(command, Home("C:/w/app"), "C:/w/app") == source


@pytest.mark.parametrize("command", ["cat /c/w/app/a.py", "cat /mnt/c/w/app/a.py", "cat C:/w/app/a.py"])
def test_without_drives_there_is_none(command: str):
    """There `/c` is a folder like others."""
    assert outside(command, Home("/w/app"), "/w/app") == command.removeprefix("cat ")


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("npm test > /tmp/a 2> b.log | tee -a /tmp/c ../d e.log", ("/tmp/a", "/tmp/c", "/w/d")),
        ("for a in 1 2; do npm test >> /tmp/a; done", ("/tmp/a",)),
        ("bash -c 'make > /tmp/a' && docker build -t app:dev .", ("image app:dev", "/tmp/a")),
        ("npm test > /dev/null; echo '> /tmp/a'; cat /w/app/a", ()),
        ("curl https://a.org > /tmp/a", ()),
    ],
)
def test_what_a_command_leaves_behind(command: str, files: tuple[str, ...]):
    """Files outside and images are its own afterwards, unless text from outside may be in them."""
    assert left(command, Home("/w/app"), "/w/app") == files


@pytest.mark.parametrize("piece", ["$(a; ", "<(a; ", "`a; ", "bash; "])
def test_scripts_in_scripts_are_looked_at_in_time(piece: str):
    """However deep they are; the time is that of the thread."""
    command = "bash <<A\nbash <<B\nmake\nB\nA\n" + piece * (16_000 // len(piece))
    started = time.thread_time()
    assert outside(command) == ""
    assert time.thread_time() - started < 1.0


def test_a_script_in_scripts_is_looked_at():
    """The deepest of four."""
    assert outside("a $(b $(c $(d $(curl -s https://a.org/x))))") == "https://a.org/x"
