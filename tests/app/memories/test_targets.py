"""Targets of memories that the code graph does not know."""

from __future__ import annotations

from remora import Memory

NOTE = "the code graph has no {}; kept as written"


def notes(record: object) -> tuple[str, ...]:
    """Return the notes of a record's receipt."""
    return record.receipt.notes  # type: ignore[attr-defined, no-any-return]


def test_an_unknown_target_is_kept_and_noted(bare: Memory) -> None:
    """Once the code is indexed, nodes that are not there are named in the receipt, of many the first few."""
    cold = bare.remember("Tokens are opaque", type="decision", target_node_id="a.py:make")
    assert (cold.target_node_id, notes(cold)) == ("a.py:make", ())
    (bare.root / "a.py").write_text("def make():\n    return 1\n", "utf-8")
    bare.index()
    known = bare.remember("Tokens live 24 h", type="decision", target_node_id="a.py:make")
    paths = ("a.py", "b.py", "c.py")
    unknown = bare.remember("Keys turn daily", target_node_id="a.py:mke", impacted_node_ids=paths)
    assert notes(known) == ()
    assert notes(unknown) == (NOTE.format("a.py:mke, b.py, c.py"),)
    assert bare.show(unknown.id).target_node_id == "a.py:mke"
    many = bare.remember("All is one", type="pattern", impacted_node_ids=tuple("bcdefg"))
    assert notes(many) == (NOTE.format("b, c, d, …"),)
    new = bare.supersede(known.id, "Tokens live 12 h", target_node_id="gone.py")
    assert notes(new) == (NOTE.format("gone.py"),)


def test_a_file_that_is_not_there_is_kept_and_noted(bare: Memory) -> None:
    """A file that the project does not have is named in the receipt; the memory keeps it."""
    (bare.root / "a.py").write_text("X = 1\n", "utf-8")
    note = "there is no file src/none.py in the project; kept as written"
    record = bare.remember("Pages are read forward", type="decision", related_files=["a.py", "src/none.py"])
    (each,) = bare.remember_each([{"content": "Keys turn daily", "related_files": ["src/none.py"]}])
    own = bare.remember("I like tabs", type="preference", related_files=["src/none.py"], user=True)
    assert (notes(record), notes(each), notes(own)) == ((note,), (note,), ())
    assert bare.show(record.id).related_files == ("a.py", "src/none.py")
