"""The Markdown reader forgives what people and models write."""

from __future__ import annotations

import pytest
from remora.sources.rule_markdown import LINE_CHARACTERS, label, parse, plain, without_comments


def outline(nodes, depth: int = 0) -> list[str]:
    """Return nodes as short lines: kind, line and text, items indented."""
    lines = []
    for n in nodes:
        lines.append(f"{'  ' * depth}{n.kind}@{n.line} {n.text}".rstrip())
        for item in n.items:
            lines.extend(outline(item, depth + 1))
    return lines


def test_headings_of_both_kinds():
    """Signs before, signs after, and underlines."""
    text = "# One #\n\n## C#\n\nThree\n=====\n\nFour\n----\n\n#no heading\n"
    assert [(n.kind, n.level, n.text) for n in parse(text)] == [
        ("heading", 1, "One"), ("heading", 2, "C#"), ("heading", 1, "Three"), ("heading", 2, "Four"),
        ("text", 0, "#no heading"),
    ]  # fmt: skip


def test_lists_nest_and_carry_code_and_lazy_lines():
    """What is indented below an item belongs to it, and so does a line that runs on."""
    text = """- one
  runs on
  - inner a
  - inner b

    ```bash
    # not a heading
    run me
    ```
- two
lazy line

- after a blank line

1. first
2. second
"""
    assert outline(parse(text)) == [
        "bullets@1",
        "  text@1 one runs on",
        "  bullets@3",
        "    text@3 inner a",
        "    text@4 inner b",
        "    code@6 # not a heading\nrun me",
        "  text@10 two lazy line",
        "  text@13 after a blank line",
        "steps@15",
        "  text@15 first",
        "  text@16 second",
    ]


def test_fences_hold_everything_until_they_close():
    """A longer fence holds a shorter one; one that is never closed runs to the end."""
    text = "````md\n```\n# inside\n```\n````\n\n~~~\n- not a list"
    assert outline(parse(text)) == ["code@1 ```\n# inside\n```", "code@7 - not a list"]


def test_indented_code_after_a_text():
    """Four spaces after a blank line are code, not a paragraph."""
    assert outline(parse("Run:\n\n    make test\n    make lint\n")) == [
        "text@1 Run:",
        "code@3 make test\nmake lint",
    ]


def test_tables_have_rows_with_escaped_bars():
    """The separator line is no row, and a missing cell is no crash."""
    (table,) = parse("| a | b |\n|---|:-:|\n| 1 | x \\| y |\n| 2 |\n")
    assert table.rows == (("a", "b"), ("1", "x | y"), ("2",))


def test_alerts_and_quotes_are_text():
    """A warning says that it is one."""
    assert outline(parse("> [!WARNING]\n> Do not touch.\n\n> said\n> before\n")) == [
        "text@1 Warning: Do not touch.", "text@4 said before",
    ]  # fmt: skip


def test_rulers_and_tags_are_layout():
    """Lines of signs and lines of markup only separate."""
    assert outline(parse("<rules>\na\n</rules>\n\n* * *\n\nb\n")) == ["text@2 a", "text@7 b"]


def test_comments_go_but_not_in_code_and_lines_stay():
    """Line numbers after a comment are those of the file; an open comment is text."""
    text = "a <!-- x\ny --> b\n```\n<!-- kept -->\n```\nc <!-- never closed\nd"
    assert without_comments(text) == "a \n b\n```\n<!-- kept -->\n```\nc <!-- never closed\nd"
    assert [n.line for n in parse("<!--\nx\n-->\nfirst")] == [4]


def test_depth_has_an_end():
    """A thousand quotes or lists inside each other are read, not crashed on."""
    assert parse("> " * 2000 + "deep")
    assert parse("\n".join("  " * n + "- x" for n in range(600)))


def test_long_lines_are_cut():
    """A minified file does not become one rule of a megabyte."""
    (node,) = parse("word " * 100_000)
    assert len(node.text) <= LINE_CHARACTERS


@pytest.mark.parametrize(
    "sign",
    ["[", "*", "_", "`", "|", "<!--", "> ", "- ", "1. ", "# ", " ", "[a](", "**a", "\t", "```\n", "---\n"],
)
def test_text_made_to_be_slow_is_read_in_time(sign):
    """Fifty thousand signs in a row take no time to speak of."""
    for text in (sign * 50_000, (sign * 2_000 + "\n") * 20):
        for node in parse(text):
            plain(node.text)


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**Bold** and *italic* and _both_", "Bold and italic and both"),
        ("`**kwargs` and `a_b_c` stay", "`**kwargs` and `a_b_c` stay"),
        ("snake_case_name and 2 * 3 * 4 stay", "snake_case_name and 2 * 3 * 4 stay"),
        ("[guide](docs/guide.md) and [top](#top) and ![badge](x.svg)", "guide (docs/guide.md) and top and"),
        ("⚠️ **Never** use ✅ here", "Never use ✅ here"),
    ],
)
def test_plain_drops_markup_and_keeps_what_is_said(markdown, text):
    """Emphasis goes; code, targets of links and signs inside a sentence stay."""
    assert plain(markdown) == text


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("2. **Testing** 🧪:", "Testing"),
        ("Step 3: Deploy", "Deploy"),
        ("A) Names", "Names"),
        ("Node.js 20", "Node.js 20"),
    ],
)
def test_labels_are_names(heading, name):
    """Numbering, signs and the final colon are no part of a name."""
    assert label(heading) == name
