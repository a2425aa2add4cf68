"""Encodings, front matter, globs and imports."""

from __future__ import annotations

import pytest

from remora.sources.rule_text import Import, imports_of, read

BLOCK = "<!-- remora:begin codex: by us -->\r\n# Memory\r\n- Call it.\r\n<!-- remora:end codex -->"


@pytest.mark.parametrize(
    ("raw", "body", "note"),
    [
        ("naïve – rule".encode("cp1252"), "naïve – rule", "not UTF-8; read as Windows-1252"),
        (b"one\r\ntwo\rthree", "one\ntwo\nthree", ""),
        ("a\u202eb\x07c".encode(), "abc", ""),
        (f"- One.\r\n{BLOCK}\r\n- Two.\r\n".encode(), "- One.\n\n\n\n\n- Two.\n", ""),
        (b"<!-- remora:begin x -->\n- no end\n", "<!-- remora:begin x -->\n- no end\n", ""),
        (b"---\nnever closed\n\n# Rules", "---\nnever closed\n\n# Rules", ""),
        (b" ---\nx\n---\n", " ---\nx\n---\n", ""),
    ],
)
def test_what_is_no_front_matter_is_text(raw, body, note):
    """An odd encoding is noted, signs and line ends become plain; the block of `remora install` is blank."""
    text = read(raw)
    assert (text.body, text.first_line, text.note, text.front) == (body, 1, note, {})


def test_front_matter_is_read_line_by_line():
    """Also where it is no valid YAML: unquoted stars, commas, lists of both kinds, comments."""
    text = read(
        b"""---
description: "API rules"
globs: *.py, src/**/*.{ts,tsx}
alwaysApply: false  # only there
paths:
  - 'docs/**'
  - tests/*.py
tags: [a, "b, c"]
empty:
note: >
  folded
  text
---
body
"""
    )
    assert text.front == {
        "description": ("API rules",),
        "globs": ("*.py, src/**/*.{ts,tsx}",),
        "alwaysApply": ("false",),
        "paths": ("docs/**", "tests/*.py"),
        "tags": ("a", "b, c"),
        "empty": (),
        "note": ("folded text",),
    }
    assert (text.body, text.first_line) == ("body\n", 14)


def test_imports_are_found_outside_code_only():
    """Spans, fences, comments, addresses and handles of other kinds are none."""
    body = r"""@docs/git.md and see @README.
Write to me@example.org about `@not/this.md` or ``@nor `this`.md``.
```
@inside/fence.md
```
<!-- @hidden.md -->
- @~/.claude/me.md, @with\ space.md (@./rel.md)
"""
    assert list(imports_of(body, 10)) == [
        Import(10, "docs/git.md"), Import(10, "README"), Import(16, "~/.claude/me.md"),
        Import(16, "with space.md"), Import(16, "./rel.md"),
    ]  # fmt: skip
