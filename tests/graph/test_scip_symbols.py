"""The names of a SCIP index are taken apart by their grammar."""

from __future__ import annotations

import pytest

from remora.graph.scip_symbols import (
    MACRO,
    META,
    METHOD,
    NAMESPACE,
    PARAMETER,
    TERM,
    TYPE,
    TYPE_PARAMETER,
    Descriptor,
    ScipName,
    parse_name,
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a/", Descriptor("a", NAMESPACE)),
        ("A#", Descriptor("A", TYPE)),
        ("x.", Descriptor("x", TERM)),
        ("f().", Descriptor("f", METHOD)),
        ("f(+1).", Descriptor("f", METHOD)),
        ("[T]", Descriptor("T", TYPE_PARAMETER)),
        ("(x)", Descriptor("x", PARAMETER)),
        ("vec!", Descriptor("vec", MACRO)),
        ("__init__:", Descriptor("__init__", META)),
        ("`a b.c`/", Descriptor("a b.c", NAMESPACE)),
        ("`it``s`.", Descriptor("it`s", TERM)),
        ("`(x)`().", Descriptor("(x)", METHOD)),
        ("`<constructor>`().", Descriptor("<constructor>", METHOD)),
        ("naïve#", Descriptor("naïve", TYPE)),
        ("$a-b+c.", Descriptor("$a-b+c", TERM)),
    ],
)
def test_each_ending_has_its_kind(written, expected):
    """What a step names is told by how it ends; backticks hold other signs."""
    name = parse_name(f"s m p 1 {written}")
    assert name is not None
    assert name.descriptors == (expected,)
    assert name.last == expected


def test_blanks_and_empty_parts():
    """A blank within a part is written twice, an empty part is a dot."""
    assert parse_name("s  x . my  package . A#") == ScipName(
        local=False, descriptors=(Descriptor("A", TYPE),)
    )


def test_local_names():
    """They have no steps."""
    name = parse_name("local 12")
    assert name == ScipName(local=True)
    assert name.last is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "local ",
        "a b c",
        "s m p 1 A",
        "s m p 1 `A#",
        "s m p 1 A# ",
        "s m p 1 ?",
        " m p 1 A#",
        ". m p 1 A#",
    ],
)
def test_what_is_no_name(text):
    """Nonsense gives none, never an error."""
    assert parse_name(text) is None
