"""Files are cut at definitions; every line is in exactly one part, and nothing short is cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.code import Chunk, Definition, FileFacts, Outline, Uses
from remora.graph.chunks import LONG, MAX_CHARS, PIECE, SHORT_CLASS, chunks
from remora.graph.extract import extract


def facts(*definitions: Definition) -> FileFacts:
    """Return facts of a file that defines something."""
    return FileFacts(Outline("python", definitions=definitions), Uses(), 0)


def numbered(count: int) -> str:
    """Return a text of so many lines."""
    return "\n".join(f"line {number}" for number in range(1, count + 1)) + "\n"


def read(text: str, language: str, path: str = "a") -> list[Chunk]:
    """Return the parts of a source as the indexer makes them."""
    return chunks(path, text, extract(text.encode(), language), "code")


def places(parts: Sequence[Chunk]) -> list[tuple[str, str, int, int]]:
    """Return kind, name and lines of parts."""
    return [(c.kind, c.name, c.start_line, c.end_line) for c in parts]


@pytest.mark.parametrize(("kind", "expected"), [("prose", "prose"), ("data", "data"), ("code", "module")])
def test_what_defines_nothing_is_cut_every_hundred_lines(kind: str, expected: str):
    """250 lines without definitions are three parts of 100, 100 and 50 lines."""
    parts = chunks("notes.md", numbered(250), None, kind)
    assert places(parts) == [(expected, "", 1, 100), (expected, "", 101, 200), (expected, "", 201, 250)]
    assert parts[1].text.split("\n")[::99] == ["line 101", "line 200"]
    assert {c.context for c in parts} == {"File: notes.md"}
    assert chunks("a.py", numbered(250), facts(), "code")[0].kind == "module"


def test_white_space_around_text_is_in_no_part():
    """A part begins and ends with a line that says something; a file without one gives nothing to find."""
    assert [chunks("a.txt", text, None, "prose") for text in ("", "\n", "  \n\t\n\r\n")] == [[], [], []]
    assert places(chunks("a.md", "\n\nfirst\n\nlast\n\n", None, "prose")) == [("prose", "", 3, 5)]


PYTHON = '''"""Module doc."""

import os

LIMIT = 3


# Says hello.
@cache
def hello(name):
    """Greet."""

    def inner():
        return name

    return inner


class Small:
    """Short."""

    def a(self):
        return 1


print(hello("x"))
'''


def test_python_file_is_cut_at_its_definitions():
    """Imports and constants are module parts, functions and small classes one each, with what is above."""
    parts = read(PYTHON, "python", "pkg/m.py")
    assert places(parts) == [
        ("module", "", 1, 5),
        ("function", "hello", 8, 16),
        ("class", "Small", 19, 23),
        ("module", "", 26, 26),
    ]
    hello = parts[1]
    assert hello.text.startswith("# Says hello.\n@cache\ndef hello(name):")
    assert hello.text.endswith("    return inner")
    assert (hello.context, hello.doc) == ("File: pkg/m.py | function: hello", "Greet.")


def test_big_class_gives_its_head_and_each_member():
    """A class of more than 40 lines gives its head, its members, and what stands between them."""
    members = "".join(f"    def m{i}(self):\n" + "        x = 1\n" * 13 + "\n" for i in range(3))
    text = f'class Big(Base):\n    """Doc."""\n\n    field = 1\n\n{members}    last = 2\n'
    parts = read(text, "python", "a.py")
    assert places(parts) == [
        ("class", "Big", 1, 4),
        ("function", "Big.m0", 6, 19),
        ("function", "Big.m1", 21, 34),
        ("function", "Big.m2", 36, 49),
        ("class", "Big", 51, 51),
    ]
    assert parts[0].doc == "Doc."
    assert parts[4].text == "class Big(Base)\n    …\n    last = 2"
    assert (parts[4].doc, parts[1].context) == ("", "File: a.py | method: Big.m0")


@pytest.mark.parametrize(("count", "expected"), [(SHORT_CLASS, 1), (SHORT_CLASS + 1, 2)])
def test_class_is_one_part_up_to_forty_lines(count: int, expected: int):
    """The length decides whether a class is taken apart."""
    body = "        pass\n" * (count - 2)
    assert len(read(f"class A:\n    def f(self):\n{body}", "python")) == expected


def test_closing_brackets_stay_with_what_they_close():
    """The brace that ends a class is no part by itself."""
    body = "        work();\n" * 20
    text = f"class A {{\n    void f() {{\n{body}    }}\n\n    void g() {{\n{body}    }}\n}}\n"
    assert places(read(text, "java")) == [
        ("class", "A", 1, 1),
        ("function", "A.f", 2, 23),
        ("function", "A.g", 25, 47),
    ]


GO = """\
package p

// T is a thing.
type T struct {
    a int
}

// Run runs.
func (t *T) Run() int {
    return 1
}
"""
RUST = """\
struct S;

impl S {
    fn a(&self) {
BODY    }

    /// Doc.
    #[inline]
    fn b(&self) {
BODY    }
}
""".replace("BODY", "        let x = 1;\n" * 60)


def test_methods_outside_their_type_are_parts_of_their_own():
    """What holds a method is told by the lines: in Go and Rust it stands outside its type."""
    assert places(read(GO, "go")) == [
        ("module", "", 1, 1),
        ("class", "T", 3, 6),
        ("function", "T.Run", 8, 11),
    ]
    assert places(read(RUST, "rust")) == [
        ("class", "S", 1, 1),
        ("module", "", 3, 3),
        ("function", "S.a", 4, 65),
        ("function", "S.b", 67, 131),
    ]


def test_class_of_tests_is_taken_apart_and_a_test_is_not():
    """A long class of tests gives a part for each test; a long test with a helper in it stays whole."""
    body = "        assert f()\n" * 25
    text = f"class TestA:\n    def test_a(self):\n{body}\n    def test_b(self):\n{body}"
    assert [c.name for c in read(text, "python", "test_a.py")] == ["TestA", "TestA.test_a", "TestA.test_b"]
    whole = f"def test_c():\n    def helper():\n{body}\n    assert helper()\n" + "    assert 1\n" * 30
    assert [c.name for c in read(whole, "python", "test_a.py")] == ["test_c"]


def test_namespace_is_taken_apart():
    """A long namespace gives what it holds; what lies between is module text that says where it is."""
    body = "    void f%d() {\n" + "        work();\n" * 20 + "    }\n"
    text = "namespace n {\nint x = 1;\n" + "".join(body % i for i in range(3)) + "}\n"
    parts = read(text, "cpp")
    assert [(c.kind, c.name) for c in parts] == [
        ("module", "n"),
        ("function", "n.f0"),
        ("function", "n.f1"),
        ("function", "n.f2"),
    ]
    assert parts[0].context == "File: a | module: n"


def test_long_body_is_cut_every_hundred_lines():
    """A body of more than 120 lines gives pieces of 100; later ones repeat the signature."""
    one = Definition("f", "f", "function", 1, 260, 2, signature="def f(a, b)", doc="Doc.")
    parts = chunks("a.py", numbered(260), facts(one), "code")
    assert places(parts) == [
        ("function", "f", 1, 100),
        ("function", "f", 101, 200),
        ("function", "f", 201, 260),
    ]
    assert [c.text.partition("\nline ")[0] for c in parts] == ["line 1", *["def f(a, b)\n    …"] * 2]
    assert [c.doc for c in parts] == ["Doc.", "", ""]


@pytest.mark.parametrize(("length", "pieces"), [(LONG, 1), (LONG + 1, 2)])
def test_body_is_cut_from_the_length_on(length: int, pieces: int):
    """120 lines stay one part; one more line makes two."""
    one = Definition("f", "f", "function", 1, length, 1)
    assert len(chunks("a.py", numbered(length), facts(one), "code")) == pieces


def test_two_definitions_on_one_line_are_one_part():
    """A line is given once; a definition that begins on the last line of another has the rest."""
    one, two = (
        Definition("a", "a", "function", 1, 3, 1),
        Definition("b", "b", "function", 3, 5, 3, signature="b()"),
    )
    same = Definition("c", "c", "function", 3, 3, 3)
    parts = chunks("a.js", numbered(5), facts(one, two, same), "code")
    assert places(parts) == [("function", "a", 1, 3), ("function", "b", 4, 5)]
    assert parts[1].text == "b()\n    …\nline 4\nline 5"


def test_a_line_without_end_is_cut_between_words():
    """A line that is longer than a part gives several, each within the bound, and no word is cut or lost."""
    words = [f"w{number}" for number in range(9_000)]
    parts = chunks("a.json", "first\n" + " ".join(words) + "\nlast", None, "data")
    assert {(c.start_line, c.end_line) for c in parts[1:-1]} == {(2, 2)}
    assert max(len(c.text) for c in parts) <= MAX_CHARS
    assert [w for c in parts for w in c.text.split()] == ["first", *words, "last"]
    assert [len(c.text) for c in chunks("a", "x" * 50_000, None, "data")] == [20_000, 20_000, 10_000]


def test_body_of_long_lines_is_cut_between_them():
    """A function of few lines and much text gives pieces of as many lines as fit."""
    one = Definition("f", "f", "function", 1, 9, 1, signature="def f()", doc="Doc.")
    text = "\n".join(f"{number} " + "x " * 4_000 for number in range(1, 10))
    parts = chunks("a.py", text, facts(one), "code")
    assert [(c.start_line, c.end_line) for c in parts] == [(1, 2), (3, 4), (5, 6), (7, 8), (9, 9)]
    assert [c.text.startswith("def f()\n    …\n") for c in parts] == [False, True, True, True, True]
    assert [c.doc for c in parts] == ["Doc.", "", "", "", ""]


@st.composite
def sources(draw) -> tuple[int, list[Definition]]:
    """Nested and overlapping definitions over some lines."""
    count = draw(st.integers(1, 700))
    found: list[Definition] = []

    def fill(start: int, end: int, depth: int, prefix: str) -> None:
        at = start
        for number in range(draw(st.integers(0, 4))):
            first = draw(st.integers(at, max(at, end)))
            last = draw(st.integers(first, max(first, end + draw(st.sampled_from((0, 0, 0, 3))))))
            if first > end:
                return
            name = f"{prefix}d{number}"
            kind = draw(
                st.sampled_from(("function", "class", "method", "module", "interface", "test", "type"))
            )
            line = draw(st.integers(first, min(last, first + 3)))
            found.append(Definition(name, name, kind, first, last, line, signature=f"{kind} {name}"))
            if depth < 4:
                fill(first + 1, last, depth + 1, f"{name}.")
            at = last + draw(st.sampled_from((0, 1, 2)))

    fill(1, count, 0, "")
    return count, draw(st.permutations(found))


@given(source=sources())
def test_every_line_is_in_exactly_one_part(source: tuple[int, list[Definition]]):
    """All lines come once and in order; a text is what its lines say; a short body is not cut."""
    count, definitions = source
    lines = numbered(count).split("\n")[:-1]
    parts = chunks("a.py", "\n".join(lines), facts(*definitions), "code")
    assert [n for c in parts for n in range(c.start_line, c.end_line + 1)] == list(range(1, count + 1))
    for part in parts:
        text = "\n".join(lines[part.start_line - 1 : part.end_line])
        assert part.text == text or part.text.endswith(f"\n    …\n{text}")
    starts = {c.start_line for c in parts}
    edges = {line for d in definitions for line in (d.start_line, d.end_line + 1)}
    named = {d.qualname: d for d in definitions}
    bodies = ("function", "method", "type")
    long = [d for d in definitions if d.kind in (*bodies, "test") and d.end_line - d.start_line >= LONG]
    for before, after in pairwise(parts):
        cut = after.start_line
        if cut in edges:
            continue
        assert after.name == before.name  # a hundred lines at a time
        assert before.end_line - before.start_line + 1 == PIECE
        assert not after.name or named[after.name].kind not in bodies or named[after.name] in long
    laps = [
        d
        for d in definitions
        if d.kind in bodies
        and d not in long
        and not any(o.start_line <= d.start_line <= o.end_line for o in long)
        and not any(o.start_line < d.start_line <= o.end_line < d.end_line for o in definitions)
        and not any(d.start_line <= o.start_line <= d.end_line < o.end_line for o in definitions)
    ]
    for one in laps:
        assert starts.isdisjoint(range(one.start_line + 1, one.end_line + 1))
