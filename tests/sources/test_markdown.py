"""The Markdown reader forgives what people and models write."""

from __future__ import annotations

from time import process_time

import pytest

from remora.sources.markdown import LINE_CHARACTERS, label, parse
from remora.sources.rule_text import without_layout


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
    """Four spaces after a blank line are code, but a list that is indented is a list."""
    assert outline(parse("Run:\n\n    make test\n    make lint\n\n## Rules\n\n    - one\n    - two\n")) == [
        "text@1 Run:",
        "code@3 make test\nmake lint",
        "heading@6 Rules",
        "bullets@8",
        "  text@8 one",
        "  text@9 two",
    ]


def test_tables_have_rows_with_escaped_bars():
    """The separator line is no row, and a missing cell is empty."""
    (table,) = parse("| a | b |\n|---|:-:|\n| 1 | x \\| y |\n| 2 |\n")
    assert table.rows == (("a", "b"), ("1", "x | y"), ("2", ""))


def test_alerts_and_quotes_are_text():
    """A warning says that it is one; lines of signs and of markup only separate; depth has an end."""
    assert outline(parse("> [!WARNING]\n> Do not touch.\n\n> said\n> before\n")) == [
        "text@1 Warning: Do not touch.", "text@4 said before",
    ]  # fmt: skip
    assert outline(parse("<rules>\na\n</rules>\n\n* * *\n\nb\n")) == ["text@2 a", "text@7 b"]
    assert outline(parse("> " * 2000 + "deep\n\n# after"))[-1] == "heading@3 after"
    assert parse("\n".join("  " * n + "- x" for n in range(600)))


def test_comments_go_but_not_in_code_and_lines_stay():
    """Line numbers after a comment are those of the file; an open comment is text."""
    text = "a <!-- x\ny --> b\n```\n<!-- kept -->\n```\nc <!-- never closed\nd"
    assert without_layout(text) == "a \n b\n```\n<!-- kept -->\n```\nc <!-- never closed\nd"
    assert [n.line for n in parse("<!--\nx\n-->\nfirst")] == [4]


@pytest.mark.parametrize("text", ["word " * 100_000, "word word\n" * 5_000])
def test_long_lines_and_paragraphs_are_cut(text):
    """A minified file does not become one rule of a megabyte."""
    (node,) = parse(text)
    assert len(node.text) <= LINE_CHARACTERS


@pytest.mark.slow
@pytest.mark.parametrize(
    "sign", ["[", "*", "`", "|", "<!--", "> ", "- ", "[a](", "**a", "![", "<a ", "```\n"]
)
def test_text_made_to_be_slow_is_read_in_time(sign):
    """Signs that open and never close cost no more than twice as much in a text of twice the length."""

    def seconds(lines: int) -> float:
        text = (sign * 500 + "\n") * lines
        began = process_time()
        parse(text)
        return process_time() - began

    parse("warm")
    short = max(seconds(10), 0.05)
    assert min(seconds(40) for _ in range(2)) < 10 * short  # four times the text


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**Bold** and *italic* and _both_", "Bold and italic and both"),
        ("`**kwargs` and `a_b_c` stay", "`**kwargs` and `a_b_c` stay"),
        ("snake_case_name and 2 * 3 * 4 stay", "snake_case_name and 2 * 3 * 4 stay"),
        (
            "[guide](docs/guide.md) and [top](#top) and ![badge](x.svg) and [web](https://example.org)",
            "guide (docs/guide.md) and top and and web",
        ),
        ("⚠️ **Never** use ✅ here", "Never use ✅ here"),
        ("- [ ] one", ""),
    ],
)
def test_markup_goes_and_what_is_said_stays(markdown, text):
    """Emphasis goes; code, targets of links and signs inside a sentence stay."""
    (node,) = parse(markdown)
    assert node.text == text
    assert [one.text for item in node.items for one in item] == (["one"] if node.items else [])


def test_a_short_bold_line_over_something_is_a_heading():
    """Many files write headings so; a bold sentence is a text."""
    text = "**Naming**\n\n- one\n\n**Never commit secrets.**\n\nMore.\n\n**Last**"
    assert [n.kind for n in parse(text)] == ["heading", "bullets", "text", "text", "text"]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("2. Testing 🧪:", "Testing"),
        ("Step 3: Deploy", "Deploy"),
        ("A) Names", "Names"),
        ("Node.js 20", "Node.js 20"),
    ],
)
def test_labels_are_names(heading, name):
    """Numbering, signs and the final colon are no part of a name."""
    assert label(heading) == name
