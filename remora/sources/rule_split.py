"""Cut a rule file into rules that can be understood on their own.

One rule is one bullet with what hangs below it, one paragraph with the code that follows it, one
table (or one row of a large one), or one numbered procedure. A heading alone gives nothing; it is the
context of what stands below it. "When testing:" before a list is the context of the list. What says
nothing ("See below", "TODO", a title sentence) is left out, with the reason.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from remora.core.text import shorten, words
from remora.sources.rule_markdown import LINE_CHARACTERS, Node, label, parse, plain
from remora.sources.rule_sense import STRONG, are_labels, is_procedure, says_nothing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ITEM_CHARACTERS = 600  # a bullet with more below it is cut into its sub-bullets
TEXT_CHARACTERS = 1_200  # a paragraph beyond this is cut at a sentence
CODE_CHARACTERS = 1_200  # code beyond this is cut at a line
TABLE_CHARACTERS = 600  # a table beyond this is cut into its rows
LED_CHARACTERS = 500  # a sentence and the list it announces stay together up to this
LEAD_CHARACTERS = 160
BOLD_LEVEL = 7  # below the six levels of headings

_CHECK = re.compile(r"^\[[ xX]\]\s+")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')*`]*\s+(?=[A-Z`*\"(\[])")
_BOLD_LINE = re.compile(r"^(\*\*|__)[^*_]+[^*_.!]\1:?$")
_LEAD = re.compile(r":[*_\s]*$")
_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console", "powershell", "cmd", "fish"})


class Block(NamedTuple):
    """One rule as cut from a file.

    Attributes:
        text: what it says, with code spans and fenced code kept, other markup removed.
        line: where it starts, from 1.
        path: the headings and lead-ins it stands under, outermost first.
        steps: the steps when it is a procedure.
        kind: item, text, code, table or steps.
        cut: from which character on its code or a step was left out, 0 when all is there.
        led: True when a sentence or a bullet above leads to it, so that it says little without.
    """

    text: str
    line: int
    path: tuple[str, ...]
    kind: str
    steps: tuple[str, ...] = ()
    led: bool = False
    cut: int = 0


class LeftOut(NamedTuple):
    """A piece that is no rule, and why."""

    line: int
    text: str
    why: str


def split(
    text: str, *, first_line: int = 1, title: bool = False, context: str = ""
) -> tuple[list[Block], list[LeftOut]]:
    """Return the rules of a Markdown text and what was left out, each in order.

    Args:
        text: the file without its front matter.
        first_line: the number of the text's first line in its file.
        title: whether the file's title tells what its rules are about. In a file for everything
            ("CLAUDE.md") it does not.
        context: what the file says it is about, used where no heading does.
    """
    nodes = parse(text, first_line)
    titles = [n for n in nodes if n.kind == "heading" and n.level == 1]
    silent = titles[0] if len(titles) == 1 and not title and nodes and nodes[0] == titles[0] else None
    blocks: list[Block] = []
    out: list[LeftOut] = []
    headings: list[tuple[int, str]] = []
    section: list[Node] = []

    def close() -> None:
        path = tuple(name for _, name in headings) or ((context,) if context else ())
        for block in _blocks(section, path):
            why = says_nothing(block.text, block.kind, alone=not block.path)
            if why:
                out.append(LeftOut(block.line, shorten(block.text, 60), why))
            else:
                blocks.append(block)
            if block.cut:
                out.append(
                    LeftOut(block.line, shorten(block.text, 60), f"what lies beyond {block.cut} characters")
                )
        section.clear()

    for at, node in enumerate(nodes):
        level = _heading_level(nodes, at)
        if not level:
            section.append(node)
            continue
        close()
        while headings and headings[-1][0] >= level:
            headings.pop()
        if node is not silent and (name := label(node.text)):
            headings.append((level, name))
    close()
    for number, line in enumerate(text.split("\n"), first_line):
        if len(line) > LINE_CHARACTERS:
            out.append(
                LeftOut(number, shorten(line[:80], 60), f"a line beyond {LINE_CHARACTERS:,} characters")
            )
    return blocks, out


def _heading_level(nodes: Sequence[Node], at: int) -> int:
    """Return the level of a heading, 0 for anything else. A short bold line over something is the lowest."""
    node = nodes[at]
    if node.kind == "heading":
        return node.level
    follows = at + 1 < len(nodes) and nodes[at + 1].kind != "heading"
    bold = node.kind == "text" and follows and _BOLD_LINE.match(node.text)
    return BOLD_LEVEL if bold and len(words(node.text)) <= 6 and not STRONG.search(node.text) else 0


def _blocks(nodes: Sequence[Node], path: tuple[str, ...]) -> Iterator[Block]:
    """Yield the rules of what stands between two headings."""
    at = 0
    while at < len(nodes):
        node = nodes[at]
        at += 1
        if node.kind == "text":
            codes = []
            while at < len(nodes) and nodes[at].kind == "code":
                codes.append(nodes[at])
                at += 1
            follows = nodes[at].kind if at < len(nodes) else ""
            if not codes and follows in ("bullets", "steps", "table") and _LEAD.search(node.text):
                yield from _announced(node, nodes[at], path)
                at += 1
            else:
                yield from _paragraph(node.text, node.line, path, codes)
        elif node.kind == "code":
            yield from _paragraph("", node.line, path, [node])
        else:
            yield from _structure(node, path)


def _announced(text: Node, node: Node, path: tuple[str, ...]) -> Iterator[Block]:
    """Yield a sentence that ends with a colon and what it announces: together when that is short."""
    before, lead = _lead(text.text)
    yield from _paragraph(before, text.line, path, [])
    if node.kind == "bullets":
        whole = f"{lead}:\n{_item_text([node])}"
        if before != text.text and len(whole) <= LED_CHARACTERS:
            yield Block(whole, text.line, path, "item")
            return
    yield from _led(_structure(node, (*path, lead)))


def _led(blocks: Iterator[Block]) -> Iterator[Block]:
    return (block._replace(led=True) for block in blocks)


def _lead(text: str) -> tuple[str, str]:
    """Return what a paragraph says before its last sentence, and that sentence as a name."""
    *before, last = _SENTENCE.split(text)
    if len(last) > LEAD_CHARACTERS:
        return text, label(last)
    return " ".join(before), label(last, LEAD_CHARACTERS)


def _structure(node: Node, path: tuple[str, ...]) -> Iterator[Block]:
    if node.kind == "table":
        yield from _table(node, path)
    elif node.kind == "steps" and is_procedure([_item_text(item) for item in node.items], path):
        yield _procedure(node, path)
    else:
        yield from _items(node, path)


def _paragraph(text: str, line: int, path: tuple[str, ...], codes: Sequence[Node]) -> Iterator[Block]:
    said = plain(text)
    pieces = _pieces(said)
    for piece in pieces[:-1]:
        yield Block(piece, line, path, "text")
    last = pieces[-1] if pieces else ""
    for node in codes:
        parts = _code_parts(node)
        for part in parts:
            rest = CODE_CHARACTERS if len(node.text) > CODE_CHARACTERS and len(parts) == 1 else 0
            yield Block(f"{last}\n{part}".strip(), line if last else node.line, path, "code", cut=rest)
    if not codes and last:
        yield Block(last, line, path, "text")


def _pieces(text: str) -> list[str]:
    """Return a text in parts of at most TEXT_CHARACTERS, cut at sentences where there are any."""
    pieces: list[str] = []
    current = ""
    for sentence in _SENTENCE.split(text) if len(text) > TEXT_CHARACTERS else [text]:
        while len(sentence) > TEXT_CHARACTERS:  # no sentence ends here: cut at a word
            space = sentence.rfind(" ", 0, TEXT_CHARACTERS)
            cut = space if space > 0 else TEXT_CHARACTERS
            pieces.extend(p for p in (current, sentence[:cut]) if p)
            current, sentence = "", sentence[cut:].strip()
        if current and len(current) + len(sentence) >= TEXT_CHARACTERS:
            pieces.append(current)
            current = sentence
        else:
            current = f"{current} {sentence}".strip()
    return [*pieces, current] if current else pieces


def _code_parts(node: Node) -> list[str]:
    """Return code as fenced text of at most CODE_CHARACTERS.

    Longer commands are cut into several parts. Of a longer example only the beginning is kept: the
    rest of it would be a rule about nothing.
    """
    parts: list[list[str]] = [[]]
    size = 0
    for line in (ln[:CODE_CHARACTERS] for ln in node.text.split("\n")):
        if parts[-1] and size + len(line) > CODE_CHARACTERS:
            if node.language not in _SHELLS:
                parts[-1].append("…")
                break
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += len(line) + 1
    texts = ("\n".join(part).strip("\n") for part in parts)
    return [f"```{node.language}\n{text}\n```" for text in texts if text.strip()]


def _item_text(nodes: Sequence[Node], depth: int = 0) -> str:
    """Return an item with everything below it as text."""
    parts: list[str] = []
    for node in nodes:
        if node.kind in ("text", "heading"):
            parts.append(_CHECK.sub("", plain(node.text)))
        elif node.kind == "code":
            parts.extend(_code_parts(node))
        elif node.kind == "table":
            parts.extend(_rows(node))
        else:
            for number, item in enumerate(node.items, 1):
                mark = f"{number}." if node.kind == "steps" else "-"
                parts.append("  " * depth + f"{mark} {_item_text(item, depth + 1)}")
    return "\n".join(part for part in parts if part.strip())


def _items(node: Node, path: tuple[str, ...]) -> Iterator[Block]:
    texts = [_item_text(item) for item in node.items]
    if len(texts) > 1 and are_labels(texts):
        yield Block("; ".join(texts), node.line, path, "item")
        return
    for item, text in zip(node.items, texts, strict=True):
        if not text:
            continue
        line = item[0].line
        if len(text) <= ITEM_CHARACTERS:
            yield Block(text, line, path, "item")
            continue
        head, rest = item[0], item[1:]
        if head.kind != "text" or not any(n.kind in ("bullets", "steps", "table") for n in rest):
            yield from _blocks(item, path)
        elif _LEAD.search(head.text) or len(words(head.text)) < 4:
            yield from _led(_blocks(rest, (*path, label(_CHECK.sub("", head.text)))))
        else:
            yield from _paragraph(_CHECK.sub("", head.text), line, path, [])
            yield from _led(_blocks(rest, (*path, label(_SENTENCE.split(head.text)[0]))))


def _rows(node: Node) -> list[str]:
    head, *rows = ([plain(cell) for cell in row] for row in node.rows)
    found: list[str] = []
    for row in rows:
        if len(head) <= 2:
            found.append(": ".join(cell for cell in row if cell))
        else:
            pairs = zip(head, row, strict=False)
            found.append("; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell))
    return [row for row in found if row]


def _table(node: Node, path: tuple[str, ...]) -> Iterator[Block]:
    rows = _rows(node)
    if sum(map(len, rows)) <= TABLE_CHARACTERS:
        if rows:
            yield Block("\n".join(rows), node.line, path, "table")
        return
    for number, row in enumerate(rows):
        for piece in _pieces(row):
            yield Block(piece, node.line + 2 + number, path, "table")


def _procedure(node: Node, path: tuple[str, ...]) -> Block:
    whole = [text for text in map(_item_text, node.items) if text]
    steps = tuple(t if len(t) <= TEXT_CHARACTERS else t[: TEXT_CHARACTERS - 1].rstrip() + "…" for t in whole)
    text = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    cut = 0 if max(map(len, whole), default=0) <= TEXT_CHARACTERS else TEXT_CHARACTERS
    return Block(text, node.line, path, "steps", steps, cut=cut)
