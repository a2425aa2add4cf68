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


def test_a_progress_bar_is_drawn_over():
    """What a program writes over with a carriage return, or clears on a line above, is gone in the end."""
    assert screen(
        "reading 1/2\r\x1b[2Kreading 2/2\r\nmore\r\n\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[1mdone\x1b[0m\r\n"
    ) == [
        "done",
        "",
        "",
    ]


def test_a_long_line_goes_on_in_the_next():
    """A line is as wide as the terminal, as one sees it."""
    assert [len(line) for line in screen("x" * 100)] == [80, 20]


def test_an_unknown_control_sequence_is_an_error():
    """A movement of the cursor that the recording does not follow would make a wrong picture."""
    with pytest.raises(ValueError, match="not known"):
        screen("\x1b[3C")


def test_a_session_is_drawn_with_the_time_of_each_line():
    """A command is typed key by key, its output follows; without animation nothing is hidden."""
    line = recording.Line
    drawn = recording.draw([line([("$", "d"), (" ", "d"), ("x", "b")], 0.0, 0.5), line([("<", "g")], 1.5)])
    assert "animation-delay:1.50s" in drawn
    assert "steps(1)" in drawn
    assert ">&lt;</tspan>" in drawn
    still = re.sub(r"@keyframes .*|@media[^{]*\{.*?\n\}", "", drawn, flags=re.DOTALL)
    assert "hidden" not in still
