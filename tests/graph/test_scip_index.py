"""The wire format of SCIP is read exactly, and damage is told with its place."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from remora.core.errors import SourceError
from remora.graph.scip_index import (
    DEFINITION,
    MACRO,
    META,
    METHOD,
    NAMESPACE,
    PARAMETER,
    TERM,
    TYPE,
    TYPE_PARAMETER,
    Descriptor,
    ScipDocument,
    ScipName,
    ScipOccurrence,
    find_index,
    parse_name,
)
from tests.graph.scip_bytes import document, documents_in, field, index, occurrence
from tests.wire import varint

F = "s m p 1 `a.b`/f()."


def small() -> bytes:
    """Return an index of one document."""
    used = occurrence([299, 0, 301, 7], "local 3")
    made = occurrence([4, 4, 5], F, DEFINITION, [3, 0, 9, 2])
    return index(document("a/é.py", [made, used]))


def damage(data: bytes) -> str:
    """Return what reading an index complains of, "" when it can be read."""
    try:
        list(documents_in(data))
    except SourceError as error:
        return str(error)
    return ""


def test_a_document_is_read_whole():
    """Places and roles come as written; lines count from 1."""
    assert list(documents_in(small())) == [
        ScipDocument(
            "a/é.py",
            (ScipOccurrence(5, 4, 5, F, 1), ScipOccurrence(300, 0, 7, "local 3")),
        )
    ]


def test_unknown_fields_are_passed_over():
    """Fields of every kind may stand anywhere, and a list of numbers may be written one by one."""
    extra = (
        field(90, 7) + field(91, b"abc") + varint(92 << 3 | 5) + b"1234" + varint(93 << 3 | 1) + b"12345678"
    )
    inner = extra + b"".join(field(1, n) for n in (1, 2, 3)) + field(2, F) + extra
    data = extra + index(extra + document("a.py", [inner]) + extra) + extra
    assert list(documents_in(data)) == [ScipDocument("a.py", (ScipOccurrence(2, 2, 3, F),))]


@pytest.mark.parametrize("place", [[], [1], [1, 2], [1, 2, 3, 4, 5], [-1, 0, 1], [3, 5, 2, 1], [1, 9, 3]])
def test_a_place_that_makes_no_sense_is_skipped(place):
    """The others are kept."""
    data = index(document("a.py", [occurrence(place, F), occurrence([0, 0, 1], F)]))
    (found,) = documents_in(data)
    assert len(found.occurrences) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x0b", "byte 1: unknown kind of field: 3"),
        (b"\xff" * 11, "byte 0: the number is too long"),
        (b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "were declared, 0 remain"),
        (b"\x12\x02\x12\x05", "byte 4: 5 bytes were declared, 0 remain"),
        (b"\x12\x01\x80", "byte 2: the data ends within a number"),
        (b"PK\x03\x04 not an index", "damaged at byte"),
    ],
)
def test_damage_names_its_byte(data, message):
    """Each kind of damage is an error that says where and what."""
    with pytest.raises(SourceError, match=message) as caught:
        list(documents_in(data))
    assert caught.value.hint


def test_every_cut_is_an_error_or_whole_fields():
    """An index cut at any byte gives the documents before it, or one clear error."""
    data = small() + index(document("z.py", []))
    sound = [end for end in range(len(data)) if not damage(data[:end])]
    assert sound == [0, len(index()), len(small()), len(small() + index())]  # between the parts
    documents = documents_in(small() + b"\x12\x7fshort")
    assert next(documents).relative_path == "a/é.py"
    with pytest.raises(SourceError, match=f"byte {len(small())}: 127 bytes were declared"):
        next(documents)


def test_changed_bytes_never_crash():
    """Any byte may be wrong; the answer is documents or a clear error."""
    chance = random.Random(7)
    data = small()
    for _ in range(2_000):
        changed = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        assert "damaged at byte" in (damage(bytes(changed)) or "damaged at byte")


def test_where_an_index_is_found(tmp_path: Path) -> None:
    """At the root before the others; a folder of that name is none."""
    assert find_index(tmp_path) is None
    (tmp_path / "index.scip").mkdir()
    (tmp_path / ".scip").mkdir()
    (tmp_path / ".scip" / "index.scip").touch()
    assert find_index(tmp_path) == tmp_path / ".scip" / "index.scip"
    (tmp_path / "index.scip").rmdir()
    (tmp_path / "index.scip").touch()
    assert find_index(tmp_path) == tmp_path / "index.scip"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a/", Descriptor("a", NAMESPACE)),
        ("A#", Descriptor("A", TYPE)),
        ("x.", Descriptor("x", TERM)),
        ("[T]", Descriptor("T", TYPE_PARAMETER)),
        ("(x)", Descriptor("x", PARAMETER)),
        ("vec!", Descriptor("vec", MACRO)),
        ("__init__:", Descriptor("__init__", META)),
        ("`it``s`.", Descriptor("it`s", TERM)),
        ("`<constructor>`().", Descriptor("<constructor>", METHOD)),
        ("$a-b+c.", Descriptor("$a-b+c", TERM)),
    ],
)
def test_each_ending_has_its_kind(written, expected):
    """What a step names is told by how it ends; backticks hold other signs."""
    name = parse_name(f"s m p 1 {written}")
    assert name is not None
    assert name.descriptors == (expected,)
    assert name.last == expected


def test_blanks_and_local_names():
    """A blank within a part is written twice, an empty part is a dot; a local name has no steps."""
    assert parse_name("s  x . my  package . A#") == ScipName(
        local=False, descriptors=(Descriptor("A", TYPE),)
    )
    name = parse_name("local 12")
    assert name == ScipName(local=True)
    assert name.last is None


@pytest.mark.parametrize("text", ["", "local ", "s m p 1 A", "s m p 1 `A#", "s m p 1 ?", " m p 1 A#"])
def test_what_is_no_name(text):
    """Nonsense gives none, never an error."""
    assert parse_name(text) is None
