"""The recording of the first five minutes: what it shows exists, and the terminal that it is drawn from."""

from __future__ import annotations

import re
import shlex
from xml.etree import ElementTree

import click
import pytest

from remora.interfaces.cli import cli

recording = pytest.importorskip("scripts.recording", reason="needs a pseudo-terminal", exc_type=ImportError)


def shown(kind: str) -> list[str]:
    """Return the lines of the committed recording that are typed or shown."""
    tree = ElementTree.parse(recording.TARGET)
    texts = tree.iter("{http://www.w3.org/2000/svg}text")
    return ["".join(text.itertext()) for text in texts if text.get("class") == kind]


def screen(text: str) -> list[str]:
    """Return the lines of a terminal after a program wrote a text to it."""
    terminal = recording.Screen()
    terminal.feed(text)
    return ["".join(sign for sign, _ in line) for line in terminal.lines]


@pytest.mark.parametrize("line", shown("typed"))
def test_the_recording_shows_commands_that_exist(line: str):
    """Every command that is typed names a verb, and its arguments are accepted by it."""
    prompt, program, verb, *words = shlex.split(line)
    assert (prompt, program) == ("$", "remora")
    with click.Context(cli, info_name=program) as context:
        command = cli.get_command(context, verb)
        assert command is not None
        command.make_context(verb, words, parent=context)


def test_the_recording_is_of_the_commands_of_the_script():
    """A command that was added to the session or changed in it is in the picture that is committed."""
    patterns = [re.escape(f"$ {command}").replace(r"\{id\}", "[0-9a-f]{8}") for command in recording.COMMANDS]
    typed = shown("typed")
    assert len(typed) == len(patterns)
    assert all(re.fullmatch(pattern, line) for pattern, line in zip(patterns, typed, strict=True))


def test_the_recording_names_no_machine():
    """Paths begin in a made-up home, durations are left out, and the day is the same in every recording."""
    text = "\n".join(shown("shown"))
    assert re.findall(r"(?<![\w~.])/[a-z]+/", text) == []
    assert re.findall(r"\b\d+\.\d s\b", text) == []
    assert set(re.findall(r"\d{4}-\d\d-\d\d", text)) == {recording.DAY, "2026-01-02"}


def test_an_unknown_control_sequence_is_an_error():
    """A movement of the cursor that the recording does not follow would make a wrong picture."""
    with pytest.raises(ValueError, match="not known"):
        screen("\x1b[3C")
