"""Cut a rule file into rules that can be understood on their own.

One rule is one bullet with what hangs below it, one paragraph with the code that follows it, one
table (or one row of a large one), or one numbered procedure. A heading alone gives nothing; it is the
context of what stands below it. "When testing:" before a list is the context of the list. What says
nothing ("See below", "TODO", a title sentence) is left out, with the reason.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from remora.core.text import collapse, shorten
from remora.sources.rule_markdown import Node, parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ITEM_CHARACTERS = 600  # a bullet with more below it is cut into its sub-bullets
TEXT_CHARACTERS = 1_200  # a paragraph beyond this is cut at a sentence
CODE_CHARACTERS = 1_200  # code beyond this is cut at a line
TABLE_CHARACTERS = 600  # a table beyond this is cut into its rows
LIST_CHARACTERS = 300  # a list of labels up to this stays together
LED_CHARACTERS = 500  # a sentence and the list it announces stay together up to this
LABEL_CHARACTERS = 80
LEAD_CHARACTERS = 160

_LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]*)(?:\s+\"[^\"]*\")?\)")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])")
_CODE_SPAN = re.compile(r"`[^`]+`")
_CHECK = re.compile(r"^\[[ xX]\]\s+")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')*`]*\s+(?=[A-Z`*\"(\[])")
_LEAD = re.compile(r":[*_\s]*$")
_UNDERLINED = re.compile(r"(?<![\w_])_(?=[^\s_])([^_`]+?)(?<=\S)_(?![\w_])")
_SIGNS = re.compile(r"[\U0001F000-\U0001FAFF\u2600-\u27BF\u2B00-\u2BFF\uFE0F\u20E3]+\s*")
_NUMBERING = re.compile(
    r"^(?:\d+(?:\.\d+)*[a-z]?[.)]|[A-Z][.)]|(?:step|rule|part|section)\s+\d+\s*[:.–-])\s+", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console", "powershell", "cmd", "fish"})


def _any(alternatives: str) -> str:
    """Return one group out of alternatives that stand apart by white space; a dot is any character."""
    return f"(?:{'|'.join(alternatives.split())})"


_NOTHING = re.compile(
    _any(r"""
        todo tbd fixme wip none n/?a etc see.(?:below|above|also|here) as.(?:above|below) coming.soon placeholder
    """)
    + r"\W*",
    re.IGNORECASE,
)
_ABOUT_FILE = re.compile(
    r"^(?:this|the following|these) (?:file|document|guide|page|rules?|guidelines|instructions?)\b[^.]{0,60}\b"
    + _any(r"""
        provides? contains? describes? outlines? defines? documents? explains? gives? helps? covers? is.for are.for
        intended serves?
    """)
    + r"\b[^.]{0,160}"
    + _any(r"""
        guid\w+ instructions? context information rules conventions standards overview agents? assistants? copilot
        claude codex gemini cursor
    """)
    + r"\b[^.]{0,120}\.?$",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"^you(?:'re| are) an? (?:\w+[ -]){0,4}(?:expert|assistant|engineer|developer|agent)\b[^.]*\.?$",
    re.IGNORECASE,
)
_POINTER = re.compile(r"^(?:for .{0,30}, )?(?:see|refer to|read|check)(?: also)?\s+\S+\W*$", re.IGNORECASE)

_NO_PROCEDURE = re.compile(
    rf"""\b{
        _any(r'''
        rules? principles? guidelines? conventions? constraints? requirements? standards? preferences? goals? don'?ts?
        features? values? pitfalls? mistakes? gotchas? notes? tips reasons? options? priorit\w+ questions? phases?
    ''')
    }\b""",
    re.IGNORECASE,
)
_STEPS = re.compile(r"\b(?:how to|steps?|workflow|process|procedure|recipe|checklist)\b", re.IGNORECASE)
_PROCEDURE = re.compile(
    rf"""\b{
        _any(r'''
        how.to steps? workflow process procedure recipe checklist release deploy\w* publish\w* add(?:ing)?
        creat(?:e|ing) set.?up install\w* migrat\w* upgrad\w* build\w* run(?:ning)? start(?:ing)? before after
        when(?:ever)? to.\w+ implement\w* writ(?:e|ing) debug\w* test(?:ing)? fix(?:ing)? commit\w* pull.request
        flow loop cycle
    ''')
    }\b""",
    re.IGNORECASE,
)
_ACTION = re.compile(
    rf"""^{
        _any(r'''
        first then next finally now lastly if when once after run create add open edit update build install start
        stop commit push pull copy check verify test write implement register define import export configure set
        generate deploy tag bump merge review read find identify call click go make move remove delete rename
        restart search clone navigate execute wait confirm publish document ask plan analy[sz]e apply extract fetch
        format lint load log map mark note parse place prepare replace request reset return save select send submit
        sync understand validate wire wrap fix locate launch enable disable decide determine convert compare collect
        change bring use get put do
    ''')
    }\b""",
    re.IGNORECASE,
)
_STRONG = re.compile(r"\b(?:never|always|must|avoid|prefer)\b", re.IGNORECASE)


class Block(NamedTuple):
    """One rule as cut from a file.

    Attributes:
        text: what it says, with code spans and fenced code kept, other markup removed.
        line: where it starts, from 1.
        path: the headings and lead-ins it stands under, outermost first.
        steps: the steps when it is a procedure.
        kind: item, text, code, table or steps.
        cut: from which character on its code was left out, 0 when it is whole.
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
            why = _says_nothing(block)
            if why:
                out.append(LeftOut(block.line, shorten(block.text, 60), why))
            else:
                blocks.append(block)
            if block.cut:
                out.append(
                    LeftOut(block.line, shorten(block.text, 60), f"code beyond {block.cut} characters")
                )
        section.clear()

    for node in nodes:
        if node.kind != "heading":
            section.append(node)
            continue
        close()
        while headings and headings[-1][0] >= node.level:
            headings.pop()
        if node is not silent and (name := label(node.text)):
            headings.append((node.level, name))
    close()
    return blocks, out


def label(text: str, limit: int = LABEL_CHARACTERS) -> str:
    """Return a heading or a lead-in as a short name: no markup, numbering, signs or final colon.

    >>> label("## 2. **Testing** 🧪:".lstrip("# "))
    'Testing'
    """
    name = _NUMBERING.sub("", plain(text).lstrip("# "))
    return shorten(name.rstrip(":- –").strip(), limit)


def plain(text: str) -> str:
    """Return Markdown without emphasis, pictures and signs; code spans and link targets stay.

    >>> plain("**Use** [the guide](docs/guide.md), *not* `a*b*`")
    'Use the guide (docs/guide.md), not `a*b*`'
    """
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\x00{len(kept) - 1}\x00"

    text = _CODE_SPAN.sub(keep, text)
    text = _LINK.sub(_link, text)
    text = _BOLD.sub(r"\2", _BOLD.sub(r"\2", text))  # twice: __**both**__
    text = _UNDERLINED.sub(r"\1", _ITALIC.sub(r"\1", text))
    text = _SIGNS.sub("", text)
    text = re.sub("\x00(\\d+)\x00", lambda m: kept[int(m[1])], text)
    return collapse(text)


def _link(found: re.Match[str]) -> str:
    name, target = found[1], found[2]
    if found[0].startswith("!"):
        return ""
    if not target or target.startswith("#") or target.strip("<>") == name.strip("\x00`"):
        return name
    return f"{name} ({target})"


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
    elif node.kind == "steps" and _is_procedure(node, path):
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
    if len(texts) > 1 and _are_labels(texts):
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
        elif _LEAD.search(head.text) or len(_WORD.findall(head.text)) < 4:
            yield from _led(_blocks(rest, (*path, label(_CHECK.sub("", head.text)))))
        else:
            yield from _paragraph(_CHECK.sub("", head.text), line, path, [])
            yield from _led(_blocks(rest, (*path, label(_SENTENCE.split(head.text)[0]))))


def _are_labels(texts: Sequence[str]) -> bool:
    """Return whether the items are names rather than sentences, so that only the whole list says something."""
    short = sum(len(_WORD.findall(t)) <= 4 and "\n" not in t and not _STRONG.search(t) for t in texts)
    return (
        short == len(texts)
        and sum(map(len, texts)) <= LIST_CHARACTERS
        and not any(_ACTION.match(t) for t in texts)
    )


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


def _is_procedure(node: Node, path: tuple[str, ...]) -> bool:
    if len(node.items) < 2:
        return False
    texts = [_item_text(item) for item in node.items]
    actions = sum(bool(_ACTION.match(label(text))) for text in texts)
    rules = sum(bool(_STRONG.search(text.split("\n")[0])) for text in texts)
    near = path[-1] if path else ""
    if _RULES_NOT_STEPS.search(near) and not re.search(
        r"\b(?:how to|steps?|workflow|process)\b", near, re.IGNORECASE
    ):
        return False
    if rules * 2 > len(texts):
        return False
    if _PROCEDURE.search(near):
        return actions * 3 >= len(texts)
    return actions * 3 >= 2 * len(texts)


def _procedure(node: Node, path: tuple[str, ...]) -> Block:
    steps = tuple(text[:ITEM_CHARACTERS].strip() for text in map(_item_text, node.items) if text)
    text = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    return Block(text, node.line, path, "steps", steps)


def _says_nothing(block: Block) -> str:
    """Return why a block is no rule, "" when it is one."""
    text = block.text.strip()
    if _NOTHING.fullmatch(text) or not _WORD.search(text):
        return "says nothing"
    if block.kind in ("code", "table", "steps"):
        return ""
    if _ABOUT_FILE.match(text):
        return "says what the file is"
    if _ROLE.match(text):
        return "gives the model a role, not a rule"
    if _POINTER.match(text) and len(_WORD.findall(text)) < 4:
        return "only points elsewhere"
    if text.endswith(":") and len(_WORD.findall(text)) < 8:
        return "announces something that does not follow"
    few = len(_WORD.findall(text)) < 3
    if few and not _CODE_SPAN.search(text) and not block.path:
        return "too short to mean anything alone"
    return ""
