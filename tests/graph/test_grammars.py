"""Recognising languages, and that each one's queries fit its grammar."""

from __future__ import annotations

import pytest

from remora.core.errors import InvalidInput
from remora.graph.grammars import PARSED, Language, grammar_of, kind_of, language_of
from remora.graph.languages import RULES
from tests.tables import table


@pytest.mark.parametrize("row", PARSED, ids=lambda row: row.name)
def test_the_node_types_of_the_rules_are_in_the_grammar(row: Language) -> None:
    """A rule names node types and fields that the grammar has; those of several languages share them."""
    grammar = grammar_of(row.name)
    assert grammar is not None
    rules = RULES[row.name]
    shared = {name for name in RULES if RULES[name] is rules} | (
        {"c", "cpp"} if row.name in ("c", "cpp") else set()
    )
    grammars = [found.language for name in shared if (found := grammar_of(name)) is not None]
    for kind in (*rules.members, *rules.calls, *rules.wrappers, *rules.written, *rules.heads):
        assert any(one.id_for_node_kind(kind, True) is not None for one in grammars), kind


@pytest.mark.parametrize(("path", "head", "name"), table(__file__, "languages"))
def test_a_language_is_told_by_name_extension_or_first_line(path: str, head: str, name: str) -> None:
    """The file name goes first, then the extension, then, without one, the program of the first line."""
    assert (language_of(path, head.encode()) or "") == name


def test_a_file_is_code_prose_data_or_unknown() -> None:
    """The kind is that of the language, and unknown files have none."""
    kinds = {"a.kt": "code", "a.rst": "prose", "a.toml": "data", "Makefile": "code", "a.zip": None}
    assert {path: kind_of(path) for path in kinds} == kinds


def test_a_language_without_a_grammar_gives_none_and_an_unknown_one_is_refused() -> None:
    """Prose is known and cannot be parsed; a wrong name is the caller's mistake."""
    assert grammar_of("markdown") is None
    with pytest.raises(InvalidInput, match="klingon"):
        grammar_of("klingon")
