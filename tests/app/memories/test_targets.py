"""Files of memories that the project does not have."""

from __future__ import annotations

from remora import Memory


def notes(record: object) -> tuple[str, ...]:
    """Return the notes of a record's receipt."""
    return record.receipt.notes  # type: ignore[attr-defined, no-any-return]


def test_a_file_that_is_not_there_is_kept_and_noted(bare: Memory) -> None:
    """A file that the project does not have is named in the receipt; the memory keeps it."""
    (bare.root / "a.py").write_text("X = 1\n", "utf-8")
    note = "there is no file src/none.py in the project; kept as written"
    record = bare.remember("Pages are read forward", type="decision", related_files=["a.py", "src/none.py"])
    (each,) = bare.remember_each([{"content": "Keys turn daily", "related_files": ["src/none.py"]}])
    own = bare.remember("I like tabs", type="preference", related_files=["src/none.py"], user=True)
    assert (notes(record), notes(each), notes(own)) == ((note,), (note,), ())
    assert bare.show(record.id).related_files == ("a.py", "src/none.py")
