"""Reading the facts of a file, in every language and from every kind of bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.core.code import FileFacts, Outline, Uses
from remora.graph.extract import MAX_BYTES, extract
from remora.graph.grammars import PARSED
from tests.graph.facts_text import shown
from tests.graph.projects import facts_of
from tests.tables import table

SAMPLES = Path(__file__).parent / "samples"


def names(facts: FileFacts) -> list[str]:
    """The qualnames of a file's definitions."""
    return [row.qualname for row in facts.outline.definitions]


@pytest.mark.parametrize("language", [row.name for row in PARSED])
def test_every_fact_of_a_realistic_file_is_found(language: str) -> None:
    """A sample of each language gives exactly the definitions, imports, references and bindings beside it."""
    facts = facts_of((SAMPLES / f"{language}.txt").read_bytes(), language)
    assert facts.errors == 0
    assert shown(facts) == (SAMPLES / f"{language}.facts").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("language", "text", "expected"), table(__file__, "returns"))
def test_return_types(language: str, text: str, expected: str) -> None:
    """The one named type that comes back is found; wrappers around one value are seen through."""
    definitions = facts_of(text.encode(), language).outline.definitions
    assert [row.returns for row in definitions if row.name == "f"] == [expected]


@pytest.mark.parametrize("language", [row.name for row in PARSED])
def test_an_empty_file_has_no_facts(language: str) -> None:
    """No bytes are no lines, no definitions and no errors."""
    assert facts_of(b"", language) == FileFacts(Outline(language), Uses(), 0, 0)


def test_a_language_without_a_grammar_gives_its_lines_only() -> None:
    """Prose and data are counted, not parsed; the last line counts once, whatever ends it."""
    for text, lines in ((b"# A\n\ntext\n", 3), (b"a", 1), (b"a\nb", 2), (b"\n\n", 2)):
        assert facts_of(text, "markdown") == FileFacts(Outline("markdown"), Uses(), lines, 0)


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbfdef gr\xc3\xbc\xc3\x9fe(): pass\n",
        "def grüße(): pass\n".encode("utf-16"),
        "def grüße(): pass\r\n".encode(),
    ],
    ids=["utf-8 mark", "utf-16", "crlf"],
)
def test_any_encoding_is_read(source: bytes) -> None:
    """A name is the same in every encoding that is seen, and so is its line."""
    facts = facts_of(source, "python")
    assert names(facts) == ["grüße"]
    assert (facts.lines, facts.errors, facts.outline.definitions[0].line) == (1, 0, 1)


def test_columns_are_bytes_and_texts_are_not_shifted() -> None:
    """Signs of several bytes before a name do not shift what is cut out after them."""
    facts = facts_of('x = "日本語"; y = pkg.Foo("é").run(größe())\n'.encode(), "python")
    assert [(r.receiver, r.name) for r in facts.uses.references] == [
        ("pkg", "Foo"),
        ("pkg.Foo()", "run"),
        ("", "größe"),
    ]


def test_what_cannot_be_read_is_counted_and_the_rest_is_kept() -> None:
    """A broken statement costs one error; the definitions around it stay, and so does what follows a NUL."""
    facts = facts_of(b"def a(): pass\n\nx = = (\n\nclass B:\n    def c(self): d()\n", "python")
    assert facts.errors > 0
    assert "a" in names(facts)
    assert names(facts_of(b"x = 1 \0\ndef after(): pass\n", "python")) == ["after"]


def test_repeated_names_are_numbered_and_their_members_follow() -> None:
    """The second definition of a name is "#2", and what is in it is named after that; taken ones are left."""
    source = b"class A:\n    def f(self): pass\nclass A:\n    def f(self): pass\n    def f(self): pass\n"
    assert names(facts_of(source, "python")) == ["A", "A.f", "A#2", "A#2.f", "A#2.f#2"]
    source = b'it("x#2", () => {}); it("x", () => {}); it("x", () => {});'
    assert names(facts_of(source, "javascript")) == ["x#2", "x", "x#3"]


def test_signatures_are_one_line_without_comments_and_at_most_300_characters() -> None:
    """A head over many lines becomes one, comments in it are left out, and a long one is cut with a sign."""
    short = facts_of(b"def f(\n    a,  # first\n    b=1,\n) -> int:\n    pass\n", "python")
    assert short.outline.definitions[0].signature == "def f( a, b=1, ) -> int"
    long = facts_of(b"def f(" + b"a, " * 300 + b"): pass\n", "python")
    signature = long.outline.definitions[0].signature
    assert len(signature) == 300
    assert signature.endswith("…")


def test_docs_are_plain_text_of_at_most_1000_characters() -> None:
    """A doc string loses its margin; a long one is cut."""
    facts = facts_of(b'def f():\n    """One.\n\n    Two.\n        Three.\n    """\n', "python")
    assert facts.outline.definitions[0].doc == "One.\n\nTwo.\n    Three."
    facts = facts_of(b'def f():\n    "' + b"x" * 3_000 + b'"\n', "python")
    assert len(facts.outline.definitions[0].doc) == 1_000


def test_a_comment_after_code_or_an_empty_line_is_no_doc() -> None:
    """Only a comment that stands by itself right above a definition belongs to it."""
    facts = facts_of(b"int a; // of a\nvoid f() {}\n\n// far\n\nvoid g() {}\n", "c")
    assert [(row.name, row.doc, row.start_line) for row in facts.outline.definitions] == [
        ("f", "", 2),
        ("g", "", 6),
    ]


def test_a_chain_too_long_to_follow_is_unknown() -> None:
    """A fluent builder of a hundred calls keeps its names; what stands before the late ones is "?"."""
    facts = facts_of(b"x = a" + b".b()" * 100 + b"\n", "python")
    assert len(facts.uses.references) == 100
    assert {row.name for row in facts.uses.references} == {"b"}
    assert [row.receiver for row in facts.uses.references[:3]] == ["a", "a.b()", "a.b().b()"]
    assert facts.uses.references[-1].receiver == "?"


def test_a_declared_type_goes_before_the_value() -> None:
    """`x: Foo = make()` is a Foo; without a written type it is what is called, a class of the file or not."""
    source = b"x: Foo = make()\ny = make()\nz = pkg.Foo()\nclass node: ...\nn = node()\n"
    assert [(row.name, row.type) for row in facts_of(source, "python").uses.bindings] == [
        ("x", "Foo"),
        ("y", "make()"),
        ("z", "pkg.Foo"),
        ("n", "node"),
    ]


def test_a_file_larger_than_the_limit_is_not_parsed() -> None:
    """A huge file gives its lines and one error."""
    facts = facts_of(b"x = 1\n" * (MAX_BYTES // 6 + 1), "python")
    assert (facts.outline.definitions, facts.errors, facts.lines) == ((), 1, MAX_BYTES // 6 + 1)


def test_the_caller_can_end_a_parse() -> None:
    """A file is given up, with one error, when the caller has had enough."""
    facts = extract(b"def f(): pass\n" * 1_000, "python", lambda: True)
    assert facts == FileFacts(Outline("python"), Uses(), 1_000, 1)


@pytest.mark.slow
@pytest.mark.parametrize("language", [row.name for row in PARSED])
@pytest.mark.parametrize(
    "source",
    [
        b"x = " + b"(" * 100_000 + b"1" + b")" * 100_000,
        b"(" * 20_000,
        b"f(" * 5_000 + b")" * 5_000,
        b"a" + b".b()" * 5_000,
        b"class A {" * 1_500 + b"}" * 1_500,
    ],
    ids=["nested", "open", "calls", "chain", "classes"],
)
def test_deep_source_is_read_without_recursion(language: str, source: bytes) -> None:
    """Text nested far beyond what people write gives facts or errors, never a crash."""
    facts = facts_of(source, language)
    assert facts.lines == 1
    assert all(len(row.qualname) < 10_000 for row in facts.outline.definitions)


def test_words_of_the_language_are_no_links_of_a_chain() -> None:
    """What is waited for is the thing itself; a literal is no name."""
    source = b"async fn f(job: Job) { job.await.inner.run(); job.inner.go(); }\n"
    uses = facts_of(source, "rust").uses.references
    assert [(row.receiver, row.name) for row in uses if row.kind == "call"] == [
        ("job.inner", "run"),
        ("job.inner", "go"),
    ]
