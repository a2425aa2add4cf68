"""Where a long body may be cut: before its statements, in every language alike."""

from __future__ import annotations

import pytest

from remora.core.code import Definition
from remora.graph.chunks import Statements
from remora.graph.extract import extract_with_tree


def statements(data: bytes) -> Statements:
    """Return the statements of a Python file."""
    return Statements(extract_with_tree(data, "python")[1])


def starts(text: str, language: str, qualname: str) -> list[str]:
    """Return the lines, without white space around them, that a definition may be cut before."""
    facts, tree = extract_with_tree(text.encode(), language)
    (one,) = (d for d in facts.outline.definitions if d.qualname == qualname)
    found = list(Statements(tree)(one))
    assert found == sorted(set(found))
    assert all(one.line < line <= one.end_line for line in found)
    return [text.split("\n")[line - 1].strip() for line in found]


# A body: the first statement, one over several lines, one under a comment, one beside a comment, the last.
BODIES = {
    "python": (
        """\
# About f.
@cached
def f(a,
      b):
    '''Doc.'''
    if a:
        b()
    # why
    x = 1  # note
    return x
""",
        "f",
        ["if a:", "# why", "return x"],
    ),
    "rust": (
        """\
/// About f.
#[inline]
fn f(a: u8) -> u8 {
    first();
    if a > 1 {
        b();
    }
    // why
    let x = 1; // note
    x
}
""",
        "f",
        ["if a > 1 {", "// why", "x"],
    ),
}


@pytest.mark.parametrize("language", BODIES)
def test_statements_of_a_body_are_found(language: str):
    """Each statement but the first may begin a piece; a comment above one goes with it."""
    text, name, expected = BODIES[language]
    assert starts(text, language, name) == expected


LONG_INNER = {
    "python": ("def f():\n    with a:\n", "        s%d()\n", "    end()\n", "f", "end()"),
    "javascript": (
        "const f = () => {\n  a(() => {\n",
        "    s%d();\n",
        "  });\n  end();\n};\n",
        "f",
        "end();",
    ),
    "go": ("package p\n\nfunc f() {\n\tfor {\n", "\t\ts%d()\n", "\t}\n\tend()\n}\n", "f", "end()"),
    "rust": ("fn f() {\n    loop {\n", "        s%d();\n", "    }\n    end();\n}\n", "f", "end();"),
    "java": (
        "class A {\n  void f() {\n    try {\n",
        "      s%d();\n",
        "    } finally {}\n    end();\n  }\n}\n",
        "A.f",
        "end();",
    ),
    "ruby": ("def f\n  a do\n", "    s%d\n", "  end\n  finish\nend\n", "f", "finish"),
}


@pytest.mark.parametrize("language", LONG_INNER)
def test_statement_too_long_for_a_piece_is_looked_into(language: str):
    """Where one statement takes most of the body, its own statements count, and those beside it too."""
    head, line, tail, name, last = LONG_INNER[language]
    found = starts(head + "".join(line % i for i in range(150)) + tail, language, name)
    assert found == [(line % i).strip() for i in range(1, 150)] + [last]


def test_body_below_a_long_comment():
    """A long comment above a definition does not hide the statements in it."""
    text = "/**\n" + " * Word.\n" * 90 + " */\nfunction f() {\n  a();\n  b();\n  c();\n}\n"
    assert starts(text, "javascript", "f") == ["b();", "c();"]


def test_long_chain_of_conditions_is_cut_between_them():
    """A body that is one `if` with many branches may be cut before each branch and inside of it."""
    text = "def f():\n    if a:\n        x()\n        y()\n"
    text += (
        "".join(f"    elif b{i}:\n        x()\n        y{i}()\n" for i in range(40))
        + "    else:\n        z()\n"
    )
    found = starts(text, "python", "f")
    assert found[:4] == ["y()", "elif b0:", "elif b1:", "elif b2:"]
    assert found[-1] == "else:"


def test_members_of_a_long_class_without_methods():
    """A class that only has fields is cut between them."""
    text = "enum E {\n" + "".join(f"    /** n{i} */\n    N{i},\n" for i in range(70)) + "}\n"
    found = starts(text, "java", "E")
    assert found == [f"/** n{i} */" for i in range(1, 70)]


def test_cases_of_a_long_switch():
    """A switch over the whole body is cut between its cases."""
    text = (
        "func f(a int) {\n\tswitch a {\n" + "".join(f"\tcase {i}:\n\t\tg()\n" for i in range(60)) + "\t}\n}\n"
    )
    found = starts("package p\n\n" + text, "go", "f")
    assert found == [f"case {i}:" for i in range(60)]


def test_long_literal_is_cut_between_its_entries():
    """A function that only returns a long table is cut between the table's entries."""
    text = "def f():\n    return {\n" + "".join(f"        'k{i}': {i},\n" for i in range(150)) + "    }\n"
    assert starts(text, "python", "f") == [f"'k{i}': {i}," for i in range(1, 150)]


def test_text_in_utf16_and_with_windows_ends():
    """Lines are counted as they were when the definitions were found."""
    text = "def f():\r\n    a()\r\n    b()\r\n"
    one = Definition("f", "f", "function", 1, 3, 1)
    assert list(statements(text.encode("utf-16"))(one)) == [3]
    assert list(statements(text.encode())(one)) == [3]


@pytest.mark.parametrize("text", ["", "def", "\x00\xff", "def f(:\n  ((((\n  ]\n"])
def test_broken_source_gives_only_lines_inside(text: str):
    """Whatever the source is, no line outside of the definition is given."""
    one = Definition("f", "f", "function", 1, 3, 1)
    assert all(1 < line <= 3 for line in statements(text.encode("latin-1"))(one))
    assert list(Statements(None)(one)) == []


def test_deep_nesting_needs_no_deep_stack():
    """A chain of thousands of operators over many lines is walked without recursion."""
    text = "def f():\n    return (" + "1 +\n" * 5_000 + "1)\n"
    one = Definition("f", "f", "function", 1, 5_001, 1)
    assert all(1 < line <= 5_001 for line in statements(text.encode())(one))
