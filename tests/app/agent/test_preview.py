"""A preview: what a hook would say now, and why the rest is silent."""

from __future__ import annotations

import pytest

from remora import Memory
from remora.core.errors import InvalidInput


@pytest.fixture
def memory(bare: Memory) -> Memory:
    """A memory about one file."""
    (bare.root / "tax.py").write_text("RATE = 20\n")
    bare.remember("Tax is rounded down", type="gotcha", related_files=["tax.py"], source="user_taught")
    return bare


def test_what_is_said_at_an_edit(memory: Memory) -> None:
    """The text is that of a session's loop, and asking for it changes nothing."""
    found = memory.preview("edit", "tax.py")
    with memory.loop("s1") as loop:
        arguments = {"file_path": str(memory.root / "tax.py"), "old_string": "a", "new_string": "b"}
        assert loop.before("Edit", arguments) == found.text
    assert found.ids == (memory.list()[0].id,)
    assert memory.preview("edit", "tax.py").text == found.text
    assert len(memory.log()) == 1


def test_why_memories_are_silent(memory: Memory) -> None:
    """Each has its own reason."""
    weak = memory.remember("Rates are read at night", type="gotcha", related_files=["tax.py"], confidence=0.5)
    mute = memory.remember("The file is old", type="gotcha", related_files=["tax.py"])
    memory.wrong(mute.id, "silent")
    gone = memory.remember("Tax is paid in March", type="gotcha", related_files=["tax.py"])
    memory.wrong(gone.id, "outdated")
    told = {one.id: one.why for one in memory.preview("edit", "tax.py").silent}
    assert "is below 0.80" in told[weak.id]
    assert "not useful here" in told[mute.id]
    assert "out of date" in told.get(gone.id, "out of date")


def test_a_command_and_a_prompt(memory: Memory) -> None:
    """A rule about a command speaks at it; a prompt gets what bears on it."""
    memory.remember("Never run `git push --force` here", type="requirement", source="user_taught")
    assert "Never run" in memory.preview("run", "git push --force").text
    assert memory.preview("run", "ls").text == ""
    assert "Tax is rounded down" in memory.preview("ask", "how is tax rounded, down or up?").text


def test_a_moment_that_there_is_not(memory: Memory) -> None:
    """Nor one about nothing."""
    for at, about in (("fly", "x"), ("edit", " ")):
        with pytest.raises(InvalidInput):
            memory.preview(at, about)
