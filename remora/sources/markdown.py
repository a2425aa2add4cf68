"""Read Markdown as a tree of headings, texts, lists, tables and code, with the line of each.

markdown-it-py parses; it is loaded for the first file. Rule files are written by hand and by models, so an
indented list is not code, and a tag on its own line is layout.
"""

from __future__ import annotations

import re
from functools import cache
from textwrap import dedent
from typing import TYPE_CHECKING, Literal, NamedTuple

from remora.core.text import collapse, shorten, words
from remora.sources.rule_text import without_layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

LABEL_CHARACTERS = 80
LINE_CHARACTERS = 8_000  # a line, and a paragraph, is read up to here
BOLD_LEVEL = 7  # a short bold line over something: below the six levels of headings
BOLD_WORDS = 6

_BULLETS = re.compile(r"^([ \t]*)[•◦▪]\s", re.MULTILINE)
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s")
_ALERT = re.compile(r"^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*", re.IGNORECASE)
_SIGN = r"[\U0001F000-\U0001FAFF\u2600-\u27BF\u2B00-\u2BFF\uFE0F\u20E3]"
_SIGNS = re.compile(rf"^\s*(?:{_SIGN}+\s*)+")
_CHECK = re.compile(r"^\[[ xX]\]\s+")
_NUMBERING = re.compile(
    r"^(?:\d+(?:\.\d+)*[a-z]?[.)]|[A-Z][.)]|(?:step|rule|part|section)\s+\d+\s*[:.–-])\s+", re.IGNORECASE
)


class Node(NamedTuple):
    """A piece of Markdown. `line` counts from 1.

    Attributes:
        kind: heading, text, code, bullets, steps (a numbered list) or table.
        text: the heading or the text without its markup, or the code without its fences.
        level: a heading's level, 1 to 6; BOLD_LEVEL for a short bold line over something.
        language: of a code block, lower case, empty when not said.
        items: of a list, each item as its own nodes.
        rows: of a table, cells by row; the first row is the head.
    """

    kind: Literal["heading", "text", "code", "bullets", "steps", "table"]
    line: int
    text: str = ""
    level: int = 0
    language: str = ""
    items: tuple[tuple[Node, ...], ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt  # 60 ms and a hundred modules

    reader = MarkdownIt("commonmark").enable("table").disable("html_block")
    reader.core.ruler.before("inline", "bound", _bound)
    return reader


def _bound(state: StateCore) -> None:
    """Limit the length of a block: openers that never close cost the square of its length."""
    for token in state.tokens:
        if token.type == "inline":
            token.content = token.content[:LINE_CHARACTERS]


def parse(text: str, first_line: int = 1) -> tuple[Node, ...]:
    r"""Return the nodes of a Markdown text, in order.

    >>> [(n.kind, n.line) for n in parse("# A\n\ntext\n\n- one\n- two")]
    [('heading', 1), ('text', 3), ('bullets', 5)]
    """
    return tuple(_nodes(_tree(_cut(_BULLETS.sub(r"\1- ", without_layout(text)))), first_line))


def bullets(text: str, first_line: int = 1) -> Iterator[tuple[int, str]]:
    r"""Yield the first line of each bullet with its number, as written; not in code or quotes.

    >>> list(bullets("- *one*\n  - two\n\n> - three\n\n```\n- four\n```"))
    [(1, '*one*'), (2, 'two')]
    """
    tokens: list[Token] = []
    _reader().block.parse(_cut(text), _reader(), {}, tokens)  # without the inline parser: half the time
    quotes = 0
    for at, token in enumerate(tokens):
        quotes += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        listed = token.type == "list_item_open" and token.markup in ("-", "*", "+") and not quotes
        if listed and token.map and tokens[at + 1].type == "paragraph_open":
            yield first_line + token.map[0], tokens[at + 2].content.split("\n", 1)[0].strip()


def _cut(text: str) -> str:
    return "\n".join(line[:LINE_CHARACTERS] for line in text.split("\n"))


def _tree(text: str) -> SyntaxTreeNode:
    from markdown_it.tree import SyntaxTreeNode  # with the reader

    return SyntaxTreeNode(_reader().parse(text))


def _nodes(tree: SyntaxTreeNode, first: int) -> Iterator[Node]:
    for at, one in enumerate(tree.children):
        line = first + (one.map[0] if one.map else 0)
        if one.type == "heading":
            yield Node("heading", line, _text(one), level=int(one.tag[1]))
        elif one.type == "paragraph":
            said = _CHECK.sub("", _ALERT.sub(lambda m: f"{m[1].capitalize()}: ", _text(one)))
            over = at + 1 < len(tree.children) and tree.children[at + 1].type != "heading"
            if over and _is_bold(one) and len(words(said)) <= BOLD_WORDS and not said.endswith((".", "!")):
                yield Node("heading", line, said, level=BOLD_LEVEL)
            elif said:
                yield Node("text", line, said)
        elif one.type == "fence":
            language = (one.info.split() or [""])[0].lower()
            yield Node("code", line, one.content.strip("\n"), language=language)
        elif one.type == "code_block":
            listed = _ITEM.match(one.content)  # an indented list
            code = dedent(one.content).strip("\n")
            yield from _nodes(_tree(code), line) if listed else [Node("code", line, code)]
        elif one.type in ("bullet_list", "ordered_list"):
            kind: Literal["bullets", "steps"] = "bullets" if one.type == "bullet_list" else "steps"
            yield Node(kind, line, items=tuple(tuple(_nodes(item, first)) for item in one.children))
        elif one.type == "blockquote":
            yield from _nodes(one, first)
        elif one.type == "table":
            rows = (row for part in one.children for row in part.children)
            yield Node("table", line, rows=tuple(tuple(map(_text, row.children)) for row in rows))


def _is_bold(paragraph: SyntaxTreeNode) -> bool:
    inner = [n for n in paragraph.children[0].children if n.type != "text" or n.content.strip(" :")]
    return len(inner) == 1 and inner[0].type == "strong"


def _text(block: SyntaxTreeNode) -> str:
    """Return the text of a block: code spans and link targets stay, other markup is removed."""
    return collapse(_SIGNS.sub("", "".join(_inline(block))))


def _inline(node: SyntaxTreeNode) -> Iterator[str]:
    for one in node.children:
        if one.type == "text":
            yield one.content
        elif one.type == "code_inline":
            yield f"`{one.content}`"
        elif one.type in ("softbreak", "hardbreak"):
            yield " "
        elif one.type == "link":
            name, target = "".join(_inline(one)), str(one.attrs.get("href", ""))
            near = target and not target.startswith(("#", "http:", "https:", "mailto:"))
            yield f"{name} ({target})" if near and target != name.strip("`") else name
        elif one.type != "image":
            yield from _inline(one)


def label(text: str, limit: int = LABEL_CHARACTERS) -> str:
    """Return a heading or a lead-in as a short name: no numbering, signs or final colon.

    >>> label("2. Testing 🧪:")
    'Testing'
    """
    name = _NUMBERING.sub("", re.sub(_SIGN, "", text).strip("# "))
    return shorten(name.rstrip(":- –—").strip(), limit)
