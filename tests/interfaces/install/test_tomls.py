"""One table of ours in a TOML file, and blocks of ours in any text."""

from __future__ import annotations

import tomllib

import pytest

from remora.interfaces.install import tomls
from remora.interfaces.install.insertions import Block, Broken, Draft

PATH = ("mcp_servers", "remora")
BODY = tomls.table(PATH, {"command": "remora", "args": ["mcp"]})
BLOCK = Block("# >>> remora >>> by us", BODY, "# <<< remora <<<")
OTHER = 'model = "m" # mine\n\n[mcp_servers.other]\ncommand = "x"\n'


def added(text: str) -> str:
    """Return a text with the table."""
    draft = Draft(text)
    tomls.add(draft, BLOCK, PATH)
    return draft.text


@pytest.mark.parametrize(
    "text", ["", OTHER, OTHER.rstrip("\n"), OTHER.replace("\n", "\r\n"), "# only\n", "\n", "[mcp_servers]\n"]
)
def test_added_and_taken_out(text: str) -> None:
    """The table is there beside everything else, and without it the text says what it said."""
    new = added(text)
    assert tomllib.loads(new)["mcp_servers"]["remora"] == {"command": "remora", "args": ["mcp"]}
    assert new.startswith(text)
    assert ("\r" in new) == ("\r" in text)
    left = tomls.removed(new, BLOCK, PATH)
    assert tomllib.loads(left or "") == tomllib.loads(text)
    assert (left or "").rstrip() == text.rstrip()


@pytest.mark.parametrize(
    "text", ["mcp_servers = {}\n", 'mcp_servers = {other = {command = "x"}}\n', "mcp_servers = 1\n"]
)
def test_what_does_not_go_together(text: str) -> None:
    """A table that the file's own form forbids is refused, and the draft is as it was."""
    draft = Draft(text)
    with pytest.raises(Broken, match="conflicts with the other tables"):
        tomls.add(draft, BLOCK, PATH)
    assert draft.text == text


def test_broken_toml_has_a_place() -> None:
    """What is no TOML is refused with line and column; so is a removal that would lose another table."""
    with pytest.raises(Broken) as caught:
        tomls.parse("a = 1\nb = = 2\n")
    assert (caught.value.line, caught.value.column) == (2, 5)
    with pytest.raises(Broken):
        tomls.parse("a = ")
    text = added("a = 1\n").replace(BLOCK.end, f"[tools]\nx = 1\n{BLOCK.end}")
    with pytest.raises(Broken, match="cannot be removed"):
        tomls.removed(text, BLOCK, PATH)


def test_a_block_keeps_what_is_around_it() -> None:
    """What somebody wrote before and behind a block stays; a begin without an end is none."""
    text = added("a = 1\n") + "b = 2\n"
    assert BLOCK.removed(text) == "a = 1\nb = 2\n"
    half = BLOCK.begin + "\nx = 1\n"
    assert BLOCK.span(half) is None
    for text in ("a = 1\n", half):
        assert BLOCK.removed(text) == text


def test_values_are_written_for_any_path() -> None:
    """Backslashes, quotes and other scripts come through."""
    words = ["C:\\Program Files\\x.exe", 'say "hi"', "é\x7f\t"]
    assert tomllib.loads(tomls.table(["a"], {"args": words}))["a"]["args"] == words
