"""Packed facts come back exactly as they were, whatever text they hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remora.core.code import Binding, Definition, Import, Outline, Reference, Uses
from remora.graph.packed import pack_outline, pack_uses, unpack_outline, unpack_uses

# Any code point, and more often than by chance: lone halves of pairs, NUL, quotes.
TEXT = st.text(st.characters() | st.sampled_from("\ud83d\ude00\udfff\x00\"\\'a."), max_size=8)
LINE = st.integers(0, 10**9)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
DEFINITIONS = st.builds(
    Definition, TEXT, TEXT, TEXT, LINE, LINE, LINE, TEXT, TEXT, TEXT, TEXTS, st.booleans(), TEXT
)
PAIRS = st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple)
IMPORTS = st.builds(Import, TEXT, PAIRS, TEXT, LINE, TEXT, LINE, TEXT)
OUTLINES = st.builds(
    Outline,
    TEXT,
    TEXT,
    TEXT,
    st.lists(DEFINITIONS, max_size=3).map(tuple),
    st.lists(IMPORTS, max_size=3).map(tuple),
    TEXTS,
)
USES = st.builds(
    Uses,
    st.lists(st.builds(Reference, TEXT, TEXT, TEXT, LINE, TEXT), max_size=4).map(tuple),
    st.lists(st.builds(Binding, TEXT, TEXT, LINE, TEXT), max_size=4).map(tuple),
)


@given(outline=OUTLINES, uses=USES)
def test_facts_come_back(outline: Outline, uses: Uses):
    """Facts of any text are unpacked to equal ones, of the same types all the way down, and equal bytes."""
    found, used = unpack_outline(pack_outline(outline)), unpack_uses(pack_uses(uses))
    assert (found, used) == (outline, uses)
    assert all(type(d) is Definition and type(d.bases) is tuple for d in found.definitions)
    assert all(type(i) is Import and all(type(n) is tuple for n in i.names) for i in found.imports)
    assert all(type(r) is Reference for r in used.references)
    assert all(type(b) is Binding for b in used.bindings)
    assert (pack_outline(found), pack_uses(used)) == (pack_outline(outline), pack_uses(uses))
