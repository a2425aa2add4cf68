"""Facts from broken source: whatever the bytes, a file is read to an end and its facts hang together."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from remora.core.code import FileFacts
from remora.graph.grammars import PARSED
from tests.graph.projects import facts_of

SAMPLES = {row.name: (Path(__file__).parent / "samples" / f"{row.name}.txt").read_bytes() for row in PARSED}
LANGUAGES = st.sampled_from(sorted(SAMPLES))


def check(facts: FileFacts) -> None:
    """Hold facts against what every reader of them relies on."""
    definitions = facts.outline.definitions
    known = {row.qualname for row in definitions}
    assert len(known) == len(definitions)
    for row in definitions:
        assert 1 <= row.start_line <= row.line <= row.end_line <= max(facts.lines, 1)
        assert len(row.signature) <= 300
        assert "\n" not in row.signature
        assert len(row.doc) <= 1_000
        assert row.name
        assert row.qualname.startswith(f"{row.parent}." if row.parent else "")
    for use in facts.uses.references:
        assert use.name
        assert use.kind in ("call", "new", "decorator", "type")
        assert use.scope in known | {""}
    for item in facts.outline.imports:
        assert item.scope in known | {""}
    for binding in facts.uses.bindings:
        assert binding.name
        assert binding.type


@given(LANGUAGES, st.data())
def test_mutated_source_is_read(language: str, data: st.DataObject) -> None:
    """A file cut anywhere, with bytes changed, put in and taken out, gives facts that hang together."""
    source = bytearray(SAMPLES[language])
    del source[data.draw(st.integers(1, len(source))) :]
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(source)))
        piece = data.draw(
            st.sampled_from([b"{", b"}", b"(", b")", b'"', b"'", b"\0", b"\n", b"<", b"\xff", b";"])
        )
        source[at : at + data.draw(st.integers(0, 20))] = piece * data.draw(st.integers(0, 3))
    check(facts_of(bytes(source), language))


@given(LANGUAGES, LANGUAGES)
def test_source_of_another_language_is_read(language: str, other: str) -> None:
    """A file with the wrong extension is read like any other."""
    check(facts_of(SAMPLES[other], language))
