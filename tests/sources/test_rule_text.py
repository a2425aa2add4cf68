"""Encodings, front matter, globs and imports."""

from __future__ import annotations

import pytest

from remora.sources.rule_text import Import, globs_of, imports_of, read


@pytest.mark.parametrize(
    ("raw", "body", "note"),
    [
        ("naïve – rule".encode("cp1252"), "naïve – rule", "not UTF-8; read as Windows-1252"),
        (b"one\r\ntwo\rthree", "one\ntwo\nthree", ""),
        ("a\u202eb\x07c".encode(), "abc", ""),
    ],
)
def test_encodings(raw, body, note):
    """What is odd about an encoding is noted, line ends are one sign, control signs are dropped."""
    text = read(raw)
    assert (text.body, text.first_line, text.note) == (body, 1, note)


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


@pytest.mark.parametrize("raw", [b"---\nnever closed\n\n# Rules", b"--- text", b" ---\nx\n---\n"])
def test_what_only_looks_like_front_matter_is_text(raw):
    """Nothing is swallowed."""
    text = read(raw)
    assert (text.first_line, text.front, text.body) == (1, {}, raw.decode())


@pytest.mark.parametrize(
    ("front", "folder", "globs"),
    [
        ({"globs": ("src/**/*.py, tests/**",)}, "", ("src/**/*.py", "tests/**")),
        ({"globs": ("*",)}, "", ()),
        ({"applyTo": ("**/*.ts,**/*.tsx",)}, "", ("**/*.ts", "**/*.tsx")),
        ({"paths": ("./src/**", "/docs/**", "!src/gen/**", "src/**")}, "", ("src/**", "docs/**")),
        ({"globs": ("src/**", "web/lib/**")}, "web", ("web/src/**", "web/lib/**")),
        ({"description": ("src/**",)}, "", ()),
    ],
)
def test_globs(front, folder, globs):
    """Every host's key and spelling; a glob for everything is none."""
    assert globs_of(front, folder) == globs


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


def test_our_own_block_is_left_out() -> None:
    """What `remora install` wrote into a rule file is no rule; lines behind it keep their numbers."""
    block = "<!-- remora:begin codex: by us -->\r\n# Memory\r\n- Call it.\r\n<!-- remora:end codex -->"
    text = read(f"- One.\r\n{block}\r\n- Two.\r\n".encode())
    assert text.body == "- One.\n\n\n\n\n- Two.\n"
    assert read(b"<!-- remora:begin x -->\n- no end\n").body == "<!-- remora:begin x -->\n- no end\n"
