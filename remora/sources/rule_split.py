"""Split a Markdown file into self-contained rules.

One rule is one bullet with its children, one paragraph with the code that follows it, or one numbered
procedure. A heading alone gives no rule; it is the subject of the text below it, like "When testing:" before
a list. Pieces that are no rules are left out, with the reason (`rule_sense`); of a file given by a person
every informative piece is kept, tables row by row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from remora.core.directive_words import IS_GONE, NEGATES
from remora.core.statement import tells
from remora.core.text import shorten, words, words_or_pairs
from remora.sources.markdown import LINE_CHARACTERS, Node, label, parse
from remora.sources.rule_sense import SENTENCE, are_labels, asking, is_procedure, leans_back, no_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ITEM_CHARACTERS = 600  # a bullet with more below it is cut into its sub-bullets
TEXT_CHARACTERS = 1_200  # a paragraph beyond this is cut at a sentence
CODE_CHARACTERS = 1_200  # code beyond this is cut at a line
LED_CHARACTERS = 500  # a sentence and the list it announces stay together up to this
LEAD_CHARACTERS = 160
TELLING_CHARACTERS = 300  # of a longer text only the sentences with a request are a rule

ALL, RULES, ORDERS = "all", "rules", "orders"  # the pieces of a file that are kept


class Block(NamedTuple):
    """One rule as split from a file.

    Attributes:
        text: with code spans and fenced code kept, other markup removed.
        line: its first line, from 1.
        path: the headings and lead-ins above it, outermost first.
        kind: item, text, code, table or steps.
        steps: the steps if it is a procedure.
        led: whether a sentence or a bullet above introduces it, so that it is incomplete alone.
    """

    text: str
    line: int
    path: tuple[str, ...]
    kind: str
    steps: tuple[str, ...] = ()
    led: bool = False


class LeftOut(NamedTuple):
    """A piece that is no rule, and the reason."""

    line: int
    text: str
    why: str


def split(
    text: str, *, first_line: int = 1, title: bool = False, context: str = "", keep: str = RULES
) -> tuple[list[Block], list[LeftOut]]:
    """Return the rules of a Markdown text and the pieces left out, each in order.

    Args:
        text: the file without its front matter.
        first_line: the number of the text's first line in its file.
        title: whether the file's title is the subject of its rules. In a general file ("CLAUDE.md") it is
            not.
        context: the subject given by the file, used if no heading gives one.
        keep: RULES; ALL informative pieces; or only ORDERS and prohibitions.
    """
    nodes = parse(text, first_line)
    titles = [n for n in nodes if n.kind == "heading" and n.level == 1]
    first = next((n for n in nodes if n.kind == "heading"), None)
    silent = first if len(titles) == 1 and not title and first == titles[0] else None
    blocks: list[Block] = []
    out: list[LeftOut] = []
    headings: list[tuple[int, str]] = []
    section: list[Node] = []

    def close() -> None:
        path = tuple(name for _, name in headings) or ((context,) if context else ())
        for block in _blocks(section, path):
            _judge(block, keep, blocks, out)
        section.clear()

    for node in nodes:
        if node.kind != "heading":
            if section and node.kind == section[-1].kind == "text" and leans_back(node.text):
                before = section.pop()  # a paragraph that continues the one before it
                node = before._replace(text=f"{before.text} {node.text}")
            section.append(node)
            continue
        close()
        while headings and headings[-1][0] >= node.level:
            headings.pop()
        if node is not silent and (name := label(node.text)):
            headings.append((node.level, name))
    close()
    for number, line in enumerate(text.split("\n"), first_line):
        if len(line) > LINE_CHARACTERS:
            out.append(
                LeftOut(number, shorten(line[:80], 60), f"a line longer than {LINE_CHARACTERS:,} characters")
            )
    return blocks, out


def _judge(block: Block, keep: str, blocks: list[Block], out: list[LeftOut]) -> None:
    """Add a piece to the rules, or to the pieces left out."""
    why = "" if tells(block.text) else "says nothing by itself"
    if not why and keep != ALL:
        lead, path = (block.path[-1], block.path[:-1]) if block.led else ("", block.path)
        why = no_rule(block.text, block.kind, path, lead=lead, strictly=keep == ORDERS)
        long = keep == ORDERS or len(block.text) > TELLING_CHARACTERS
        if not why and long and block.kind in ("text", "item") and "\n" not in block.text:
            block = block._replace(text=asking(block.text) or block.text)
    if why:
        out.append(LeftOut(block.line, shorten(block.text, 60), why))
    else:
        blocks.append(block)


def _blocks(nodes: Sequence[Node], path: tuple[str, ...]) -> Iterator[Block]:
    """Yield the pieces between two headings."""
    at = 0
    while at < len(nodes):
        node = nodes[at]
        at += 1
        if node.kind != "text":
            yield from _structure(node, path)
            continue
        codes = []
        while at < len(nodes) and nodes[at].kind == "code":
            codes.append(nodes[at])
            at += 1
        follows = nodes[at].kind if at < len(nodes) else ""
        if not codes and follows in ("bullets", "steps", "table") and node.text.endswith(":"):
            yield from _announced(node, nodes[at], path)
            at += 1
        else:
            *before, last = _pieces(node.text)
            yield from (Block(piece, node.line, path, "text") for piece in before)
            code = "\n".join(map(_code, codes))
            yield Block(f"{last}\n{code}".strip(), node.line, path, "code" if code else "text")


def _announced(text: Node, node: Node, path: tuple[str, ...]) -> Iterator[Block]:
    """Yield a sentence that ends with a colon and the text it introduces: together if that is short."""
    *before, last = SENTENCE.split(text.text)
    if len(last) > LEAD_CHARACTERS:
        before = [text.text]
    if before:
        yield from (Block(piece, text.line, path, "text") for piece in _pieces(" ".join(before)))
    lead = label(last, LEAD_CHARACTERS)
    whole = f"{lead}:\n{_item_text([node])}"
    if node.kind == "bullets" and len(last) <= LEAD_CHARACTERS and len(whole) <= LED_CHARACTERS:
        yield Block(whole, text.line, path, "item")
    else:
        yield from _led(_structure(node, (*path, lead)))


def _led(blocks: Iterator[Block]) -> Iterator[Block]:
    return (block._replace(led=True) for block in blocks)


def _structure(node: Node, path: tuple[str, ...]) -> Iterator[Block]:
    if node.kind == "table":
        yield from (Block(row, node.line + 2 + at, path, "table") for at, row in enumerate(_rows(node)))
    elif node.kind == "code":
        if node.text.strip():
            yield Block(_code(node), node.line, path, "code")
    elif node.kind == "steps" and is_procedure([_item_text(item) for item in node.items]):
        steps = tuple(text[:TEXT_CHARACTERS].rstrip() for text in map(_item_text, node.items) if text)
        text = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
        yield Block(text, node.line, path, "steps", steps)
    else:
        yield from _items(node, path)


def _items(node: Node, path: tuple[str, ...]) -> Iterator[Block]:
    texts = [_item_text(item) for item in node.items]
    if len(texts) > 1 and are_labels(texts):
        yield Block("; ".join(texts), node.line, path, "item")
        return
    for item, text in zip(node.items, texts, strict=True):
        if not text:
            continue
        head, rest = item[0], item[1:]
        if len(text) <= ITEM_CHARACTERS or head.kind not in ("text", "heading"):
            yield Block(text, head.line, path, "item")
        elif not any(n.kind in ("bullets", "steps", "table") for n in rest):
            yield from _blocks(item, path)
        else:
            if not head.text.endswith(":") and len(words(head.text)) > 3:
                yield from _blocks([head], path)
            yield from _led(_blocks(rest, (*path, label(SENTENCE.split(head.text)[0], LEAD_CHARACTERS))))


def _item_text(nodes: Sequence[Node], depth: int = 0) -> str:
    """Return an item with its children as text."""
    parts: list[str] = []
    for node in nodes:
        if node.kind == "code":
            parts.append(_code(node))
        elif node.kind == "table":
            parts.extend(_rows(node))
        elif node.items:
            for number, item in enumerate(node.items, 1):
                mark = f"{number}." if node.kind == "steps" else "-"
                parts.append("  " * depth + f"{mark} {_item_text(item, depth + 1)}")
        else:
            parts.append(node.text)
    return "\n".join(part for part in parts if part.strip())


def _pieces(text: str) -> list[str]:
    """Return a text in parts of at most TEXT_CHARACTERS, cut at sentences, or at a word if none ends."""
    pieces = [""]
    for sentence in SENTENCE.split(text) if len(text) > TEXT_CHARACTERS else [text]:
        while len(sentence) > TEXT_CHARACTERS:
            space = sentence.rfind(" ", 0, TEXT_CHARACTERS)
            cut = space if space > 0 else TEXT_CHARACTERS
            pieces.append(sentence[:cut])
            sentence = sentence[cut:].strip()
        if len(pieces[-1]) + len(sentence) >= TEXT_CHARACTERS:
            pieces.append("")
        pieces[-1] = f"{pieces[-1]} {sentence}".strip()
    return [piece for piece in pieces if piece] or [""]


def _code(node: Node) -> str:
    """Return code as fenced text; a long example is truncated."""
    text = node.text
    if len(text) > CODE_CHARACTERS:
        text = text[: max(text.rfind("\n", 0, CODE_CHARACTERS), 0) or CODE_CHARACTERS] + "\n…"
    return f"```{node.language}\n{text}\n```"


def _rows(node: Node) -> list[str]:
    head, *rows = node.rows
    found: list[str] = []
    for row in rows:
        if len(head) <= 2:
            found.append(": ".join(cell for cell in row if cell))
        else:
            pairs = zip(head, row, strict=False)
            found.append("; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell))
    return [row for row in found if row]


CLEAR_WORDS = 8  # a sentence of this many words is clear without its heading
SUBJECTS = 2  # headings shown with a rule, the nearest


def standing_alone(block: Block) -> tuple[str, bool]:
    """Return a rule's text, with its subject before it if it needs one, and whether it does.

    >>> standing_alone(Block("Never mock the database.", 3, ("Testing",), "item"))
    ('Testing: Never mock the database.', True)
    """
    text, near = block.text, " > ".join(block.path[-SUBJECTS:])
    first = text.split("\n", 1)[0]
    by_itself = len(words_or_pairs(first)) >= CLEAR_WORDS and not leans_back(first)
    listed = block.kind in ("steps", "table") or text.startswith("```")
    denied = NEGATES.search(near) or IS_GONE.search(near)  # "Don't", "Things to avoid", "Forbidden"
    needed = block.led or listed or (denied and not NEGATES.match(first.lstrip("*_ ")))
    if not near or (by_itself and not needed and not first.endswith(":")):
        return text, False
    return (f"{near}:\n{text}" if listed and block.kind != "table" else f"{near}: {text}"), True
