"""Teaching a file: what it becomes, and that nothing is lost, doubled or let in that should not be."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora import Memory
from remora.app.importing.teach import Taught
from remora.core.errors import InvalidInput, NotFound, StoreReadOnly
from remora.core.values import Redaction
from tests.helpers import SECRET, environment

NOTES = """\
# Payments

The billing module talks to the bank only through `billing/gateway.py`.

- Never log a card number, not even cut
- Prefer `Decimal` to floats for money
- TODO

## How to add a currency

1. Add it to `billing/currencies.py`
2. Run `make rates`
3. Update the docs
"""


def told(found: Taught) -> list[tuple[str, str, int]]:
    """Return what became of each piece, its type and its line."""
    return [(piece.action, piece.type, piece.line) for piece in found.pieces]


@pytest.fixture
def notes(bare: Memory) -> Path:
    """A file that a person wrote."""
    path = bare.root / "docs" / "payments.md"
    path.parent.mkdir()
    path.write_text(NOTES, "utf-8")
    return path


def test_a_file_becomes_memories(bare: Memory, notes: Path) -> None:
    """Lists and paragraphs are typed, sure, taught by the user, and know their place, as a dry run says."""
    tried = bare.teach(notes, dry_run=True)
    assert (tried.dry_run, bare.list()) == (True, [])
    assert all(piece.memory_id == "" for piece in tried.pieces)
    found = bare.teach(notes)
    assert (found.path, found.kind, found.dry_run) == ("docs/payments.md", "taught", False)
    assert told(found) == told(tried)
    assert [piece.text for piece in found.pieces] == [piece.text for piece in tried.pieces]
    assert told(found) == [
        ("stored", "pattern", 3),
        ("stored", "requirement", 5),
        ("stored", "preference", 6),
        ("stored", "workflow_recipe", 11),
    ]
    assert found.skipped == (("docs/payments.md:7 “TODO”", "says nothing by itself"),)
    record = bare.show(found.pieces[1].memory_id)
    assert (record.source, record.confidence, record.tags) == ("user_taught", 1.0, ("taught",))
    assert (record.origins[0].path, record.origins[0].line) == ("docs/payments.md", 5)
    recipe = bare.show(found.pieces[3].memory_id)
    assert recipe.payload is not None
    assert recipe.payload["steps"][1]["description"] == "Run `make rates`"


def test_teaching_twice_changes_nothing(bare: Memory, notes: Path) -> None:
    """What is known is merged, what is new is stored; a person's word brings back what was dropped."""
    done = bare.teach(notes)
    again = bare.teach(notes, dry_run=True)
    assert {piece.action for piece in again.pieces} == {"merged"}
    assert again.pieces[0].why == f"with {done.pieces[0].memory_id[:8]}, the same text"
    notes.write_text(NOTES + "\nRates are refreshed at 06:00 because the bank closes at 05:00.\n", "utf-8")
    again = bare.teach(notes)
    assert (again.number("merged"), again.number("stored"), len(bare.list())) == (4, 1, 5)
    gone = bare.forget(again.pieces[1].memory_id)
    assert bare.teach("n.md", text=gone.content).pieces[0].action == "restored"
    assert not bare.show(gone.id).deprecated
    assert bare.teach("n.md", text="# One\n\n## Two\n").pieces == ()


@pytest.mark.parametrize(
    ("path", "kind", "files"),
    [
        ("web/AGENTS.md", "agents", ("web/**",)),
        (".cursor/rules/api.mdc", "cursor", ("src/**/*.ts",)),
        ("../elsewhere/AGENTS.md", "agents", ()),
    ],
)
def test_rule_files_are_known(bare: Memory, path: str, kind: str, files: tuple[str, ...]) -> None:
    """They are read as `init` reads them: with what they apply to; a folder elsewhere says nothing here."""
    place = (bare.root / path).resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    front = "---\nglobs: src/**/*.ts\n---\n" if path.endswith(".mdc") else ""
    place.write_text(f"{front}# Rules\n\n- Always run `make lint` before a commit\n", "utf-8")
    found = bare.teach(place)
    assert (found.kind, found.path) == (kind, path if files else place.as_posix())
    record = bare.show(found.pieces[0].memory_id)
    assert (record.tags, record.related_files) == (("rule", kind), files)
    assert bare.init().stored == 0  # the same rule, found by its text


def test_imports_are_named(bare: Memory) -> None:
    """What a rule file imports is a file of its own: it is not read unasked."""
    found = bare.teach("CLAUDE.md", text="@docs/more.md\n\n- Never log a token\n")
    assert len(found.pieces) == 1
    assert [s.what for s in found.skipped] == ["CLAUDE.md:1 @docs/more.md"]


def test_secrets_are_taken_out(bare: Memory) -> None:
    """Before anything is cut, compared or stored; a dry run counts them as well."""
    text = f"- The CI token is {SECRET} and it is rotated weekly\n"
    for dry_run in (True, False):
        found = bare.teach("n.md", text=text, dry_run=dry_run)
        assert sum(r.count for r in found.redactions) == 1
        assert isinstance(found.redactions[0], Redaction)
        assert SECRET not in str(found)
    assert SECRET not in str(bare.list())


def test_the_users_own_memory(bare: Memory) -> None:
    """What holds in every project names no files of this one."""
    (bare.root / "a.py").write_text("x = 1\n")
    found = bare.teach("n.md", text="- Prefer small commits, as in `a.py`\n", user=True)
    (record,) = bare.list(user=True)
    assert (record.id, record.related_files) == (found.pieces[0].memory_id, ())


def test_what_cannot_be_read_is_refused(bare: Memory, tmp_path: Path) -> None:
    """The reason is told, and nothing is stored; nor is anything taught to a memory that is only read."""
    reasons = {b"": "empty", b"\x00\x01\x02" * 400: "binary", b"- a line\n" * 120_000: "larger than 1 MB"}
    bad = bare.root / "bad.md"
    for text, why in reasons.items():
        bad.write_bytes(text)
        for given in (None, text):
            with pytest.raises(InvalidInput, match=why):
                bare.teach(bad, text=given)
    with pytest.raises(NotFound, match="there is no file"):
        bare.teach("nowhere.md")
    with pytest.raises(InvalidInput, match="is a folder"):
        bare.teach(bare.root)
    with pytest.raises(InvalidInput):
        bare.teach("a\0b")
    assert bare.list() == []
    with (
        Memory.open(bare.root, environ=environment(tmp_path), read_only=True) as readonly,
        pytest.raises(StoreReadOnly),
    ):
        readonly.teach("n.md", text="- x")
