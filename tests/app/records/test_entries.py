"""Notes and archives as users hold them: by name or alias, durable, without secrets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.core.errors import Conflict, InvalidInput, NotFound
from remora.core.values import Redaction
from tests.app.talks import opened
from tests.helpers import SECRET, holds


def test_a_note(bare: Memory, tmp_path: Path) -> None:
    """A note is written, found by each of its names, changed, renamed and removed, each time for good."""
    notes = bare.entries
    made = notes.add("deploy", "Roll out in steps.", aliases=["release"])
    assert made[1:] == ("deploy", "Roll out in steps.", "note", ("release",), "2026-03-01T12:00:00Z")
    assert notes.show("release") == notes.show("deploy") == made
    assert notes.write("release", "Roll out at once.").content == "Roll out at once."
    renamed = notes.rename("deploy", "rollout")
    assert (renamed.name, renamed.aliases) == ("rollout", ("release", "deploy"))
    assert notes.alias("rollout", "ship it").aliases == ("release", "deploy", "ship it")
    assert notes.unalias("ship it", "deploy").aliases == ("release", "ship it")
    with opened(tmp_path) as other:
        assert other.entries.show("release").content == "Roll out at once."
        assert other.entries.remove("ship it").name == "rollout"
    assert notes.list() == []
    with pytest.raises(NotFound, match="there is no note or archive 'rollout'"):
        notes.show("rollout")


def test_entries_as_a_folder(bare: Memory, tmp_path: Path) -> None:
    """What a folder is dumped into is read back in place of everything, without secrets a person wrote in."""
    notes = bare.entries
    notes.add("deploy", "Roll out in steps.", aliases=["release"])
    folder = tmp_path / "dumped"
    assert notes.dump(folder) == 1
    page = folder / "notes" / "deploy.md"
    page.write_text(page.read_text("utf-8") + f"The key is {SECRET}.\n", "utf-8")
    notes.add("other", "It goes when the folder is loaded.")
    assert notes.load(folder) == 1
    assert [e.name for e in notes.list()] == ["deploy"]
    assert "in steps" in notes.show("release").content
    page.unlink()
    assert holds(tmp_path, SECRET) == []
    with pytest.raises(NotFound, match="holds neither"):
        notes.load(tmp_path / "nowhere")
    assert [e.name for e in notes.list()] == ["deploy"]


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda n: n.add("other", "x", aliases=["release"]), Conflict, "release"),
        (lambda n: n.add(5, "x"), InvalidInput, "name must be text, not 5"),
        (lambda n: n.add("other", None), InvalidInput, "content must be text, not None"),
        (lambda n: n.add(SECRET, "x"), InvalidInput, "a name holds a secret"),
        (lambda n: n.add("other", "x", aliases=[SECRET]), InvalidInput, "a name holds a secret"),
        (lambda n: n.rename("deploy", SECRET), InvalidInput, "a name holds a secret"),
        (lambda n: n.alias("none", "other"), NotFound, "none"),
        (lambda n: n.list("letter"), InvalidInput, "letter"),
    ],
)
def test_what_cannot_be_done(
    bare: Memory, act: Callable[[Any], object], error: type[Exception], message: str
) -> None:
    """What does not fit is refused with its reason, and nothing changes."""
    bare.entries.add("deploy", "Roll out in steps.", aliases=["release"])
    bare.entries.add("talk", "About the parser.")
    before = bare.entries.list()
    with pytest.raises(error, match=message):
        act(bare.entries)
    assert bare.entries.list() == before


def test_secrets(bare: Memory, tmp_path: Path) -> None:
    """Secrets are taken out of what is written; what was taken out last can be asked for."""
    made = bare.entries.add("deploy", f"Use {SECRET} and {SECRET}")
    assert made.content == "Use [REDACTED:github-token] and [REDACTED:github-token]"
    assert list(bare.entries.redactions) == [Redaction("github-token", 2)]
    bare.entries.write("deploy", "password: swordfish")
    assert list(bare.entries.redactions) == [Redaction("password", 1)]
    bare.entries.write("deploy", "nothing")
    assert list(bare.entries.redactions) == []
    bare.close()
    assert holds(tmp_path, SECRET) == []
