"""Recognising languages, and that each one's queries fit its grammar."""

from __future__ import annotations

import threading

import pytest

from remora.core.errors import InvalidInput
from remora.graph.grammars import (
    LANGUAGES,
    PARSED,
    UNPARSED,
    Grammar,
    Language,
    grammar_of,
    kind_of,
    language_of,
    query_source,
)
from remora.graph.languages import RULES

ROLES = set("definition reference import export binding extent prefix comment container package".split())


@pytest.mark.parametrize("row", PARSED, ids=lambda row: row.name)
def test_every_query_compiles_against_its_grammar(row: Language) -> None:
    """The queries of a language fit the installed grammar, and each pattern has one known role."""
    grammar = grammar_of(row.name)
    assert grammar is not None
    assert len(grammar.roles) == grammar.query.pattern_count > 10
    assert {role.name for role in grammar.roles} <= ROLES
    assert {"definition", "reference", "import", "binding", "comment"} <= {
        role.name for role in grammar.roles
    }
    assert query_source(row).startswith(("(", ";"))


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


@pytest.mark.parametrize(
    ("path", "head", "name"),
    [
        ("a/b.py", b"", "python"),
        ("a.pyi", b"", "python"),
        ("x/SConstruct", b"", "python"),
        ("A.PY", b"", "python"),
        ("a.mjs", b"", "javascript"),
        ("a.jsx", b"", "javascript"),
        ("a.d.ts", b"", "typescript"),
        ("a.tsx", b"", "tsx"),
        ("Rakefile", b"", "ruby"),
        ("a.h", b'int f(void);\n#ifdef __cplusplus\nextern "C" {\n#endif\n', "c"),
        ("a.h", b"#pragma once\nnamespace a {\n", "cpp"),
        ("a.h", b"#include <vector>\n", "cpp"),
        ("a.h", b"#include <stdio.h>\nstruct a { int class_id; };\n", "c"),
        ("a.h", b"class A {\n public:\n", "cpp"),
        ("a.hpp", b"", "cpp"),
        ("a.C", b"", "cpp"),
        ("a.cs", b"", "csharp"),
        ("bin/run", b"#!/usr/bin/env python3.12 -u\n", "python"),
        ("bin/run", b"#!/usr/bin/env -S FOO=1 node --x\n", "javascript"),
        ("bin/run", b"#! /bin/bash\n", "shell"),
        ("bin/run", b"#!/usr/local/bin/ruby2.7\r\n", "ruby"),
        ("bin/run", b"plain text", None),
        ("bin/run", b"", None),
        ("a.unknown", b"#!/usr/bin/env python\n", None),
        (".py", b"", None),
        ("CMakeLists.txt", b"", "cmake"),
        ("go.mod", b"", "gomod"),
        ("README", b"", "text"),
        ("notes.md", b"", "markdown"),
        ("a.json", b"", "json"),
        ("logo.png", b"\x89PNG", None),
        ("", b"", None),
    ],
)
def test_a_language_is_told_by_name_extension_or_first_line(path: str, head: bytes, name: str | None) -> None:
    """The file name goes first, then the extension, then, without one, the program of the first line."""
    assert language_of(path, head) == name


def test_a_file_is_code_prose_data_or_unknown() -> None:
    """The kind is that of the language, and unknown files have none."""
    kinds = {"a.kt": "code", "a.rst": "prose", "a.toml": "data", "Makefile": "code", "a.zip": None}
    assert {path: kind_of(path) for path in kinds} == kinds


def test_no_extension_and_no_name_stands_in_two_rows() -> None:
    """Every extension, file name and program leads to one language; only `.h` asks the content."""
    for column in ("extensions", "names", "shebangs"):
        every = [item for row in LANGUAGES.values() for item in getattr(row, column)]
        assert len(every) == len(set(every)), column
    assert len(LANGUAGES) == len(PARSED) + len(UNPARSED)
    assert all(item == item.lower() and item.startswith(".") for row in PARSED for item in row.extensions)


def test_every_parsed_language_has_rules() -> None:
    """The table of rules and the table of grammars list the same languages."""
    assert list(RULES) == [row.name for row in PARSED]


def test_a_language_without_a_grammar_gives_none_and_an_unknown_one_is_refused() -> None:
    """Prose is known and cannot be parsed; a wrong name is the caller's mistake."""
    assert grammar_of("markdown") is None
    with pytest.raises(InvalidInput, match="klingon"):
        grammar_of("klingon")


def test_a_grammar_is_loaded_once_for_all_threads() -> None:
    """Threads that ask at the same time get the same grammar."""
    found: list[Grammar | None] = []
    threads = [threading.Thread(target=lambda: found.append(grammar_of("ruby"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert {id(grammar) for grammar in found} == {id(grammar_of("ruby"))}


def test_a_long_first_line_of_slashes_is_no_trap() -> None:
    """A first line made to slow a reader down is read as quickly as any other."""
    assert language_of("run", b"#!" + b"/" * 1_000_000) is None
