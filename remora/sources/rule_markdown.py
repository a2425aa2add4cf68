"""Read Markdown as a tree of headings, texts, lists, tables and code, with the line of each.

Rule files are written by hand and by models, so this reader forgives: any indent starts a list, a
fence that is never closed runs to the end, tags on a line of their own are layout. It knows only
what splitting rules needs and never fails.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from remora.core.budget import look
from remora.core.text import collapse, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

LABEL_CHARACTERS = 80
LINE_CHARACTERS = 8_000  # a line is read up to here
MAX_DEPTH = 12  # lists and quotes inside each other; what is deeper is read as text

FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*([^`]*)$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(\S.*)$")
_RULER = re.compile(r"^\s*([-*_])(?:\s*\1){2,}\s*$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{2,})\s*$")
_ITEM = re.compile(r"^(\s*)([-*+•]|\d{1,3}[.)])(\s+)(\S.*)$")
_TAG = re.compile(r"^\s*</?[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>\s*$")
_QUOTE = re.compile(r"^\s{0,3}>\s?")
_ALERT = re.compile(r"^\s*\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*", re.IGNORECASE)
_CELLS = re.compile(r"(?<!\\)\|")
_SEPARATOR = re.compile(r"\s*+(?:\|\s*+)?:?-++:?\s*+(?>(?:\|\s*+:?-++:?\s*+)*)(?:\|\s*+)?$")

# The lengths keep the search linear on text made to be slow.
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\(([^()\s]{0,500})(?:\s+\"[^\"]{0,200}\")?\)")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.{1,500}?)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]{1,500}?)(?<=\S)\*(?![\w*])")
_UNDERLINED = re.compile(r"(?<![\w_])_(?=[^\s_])([^_`]{1,200}?)(?<=\S)_(?![\w_])")
CODE_SPAN = re.compile(r"`[^`]+`")
_SIGN = r"[\U0001F000-\U0001FAFF\u2600-\u27BF\u2B00-\u2BFF\uFE0F\u20E3]"
_SIGNS = re.compile(rf"^\s*(?:{_SIGN}+\s*)+")
_NUMBERING = re.compile(
    r"^(?:\d+(?:\.\d+)*[a-z]?[.)]|[A-Z][.)]|(?:step|rule|part|section)\s+\d+\s*[:.–-])\s+", re.IGNORECASE
)


class Node(NamedTuple):
    """A piece of Markdown. `line` counts from 1.

    Attributes:
        kind: heading, text, code, bullets, steps (a numbered list) or table.
        text: the heading, the joined lines of a text, or the code without its fences.
        level: a heading's level, 1 to 6.
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


class _Line(NamedTuple):
    number: int
    text: str


def parse(text: str, first_line: int = 1) -> tuple[Node, ...]:
    r"""Return the nodes of a Markdown text, in order.

    >>> [(n.kind, n.line) for n in parse("# A\n\ntext\n\n- one\n- two")]
    [('heading', 1), ('text', 3), ('bullets', 5)]
    """
    lines = without_comments(text).expandtabs(4).split("\n")
    cut = [_Line(first_line + i, line[:LINE_CHARACTERS].rstrip()) for i, line in enumerate(lines)]
    return tuple(_nodes(cut, 0))


def without_comments(text: str) -> str:
    r"""Return a text without HTML comments outside code; the number of lines stays the same.

    A comment that is never closed is text.

    >>> without_comments("a <!-- x\ny --> b")
    'a \n b'
    """
    parts: list[str] = []
    fence = ""
    inside = False
    last = text.count("\n", 0, text.rfind("-->") + 1) if "-->" in text else -1
    for number, line in enumerate(text.split("\n")):
        look()
        mark = FENCE.match(line)
        kept = line
        if not inside and mark and (not fence or _closes(line, fence)):
            fence = "" if fence else mark[1]
        elif not fence and (inside or number <= last):
            kept, inside = _strip_comment(line, inside)
            inside = inside and number < last
        parts.append(kept)
    return "\n".join(parts)


def _strip_comment(line: str, inside: bool) -> tuple[str, bool]:
    kept: list[str] = []
    at = 0
    while at < len(line):
        sign = "-->" if inside else "<!--"
        end = line.find(sign, at)
        if not inside:
            kept.append(line[at : end if end >= 0 else len(line)])
        if end < 0:
            break
        at, inside = end + len(sign), not inside
    return "".join(kept), inside


def _closes(line: str, fence: str) -> bool:
    mark = line.strip()
    return len(mark) >= len(fence) and set(mark) == {fence[0]}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _nodes(lines: Sequence[_Line], depth: int) -> list[Node]:
    if depth > MAX_DEPTH:
        text = " ".join(line.text.strip() for line in lines).strip()
        return [Node("text", lines[0].number, text)] if text else []
    found: list[Node] = []
    at = 0
    while at < len(lines):
        look()
        line = lines[at].text
        if not line.strip() or _TAG.match(line):
            at += 1
        elif FENCE.match(line):
            node, at = _code(lines, at)
            found.append(node)
        elif heading := _HEADING.match(line):
            found.append(Node("heading", lines[at].number, _heading(heading[2]), level=len(heading[1])))
            at += 1
        elif _RULER.match(line):
            at += 1
        elif _QUOTE.match(line):
            nodes, at = _quote(lines, at, depth)
            found.extend(nodes)
        elif _ITEM.match(line):
            node, at = _list(lines, at, depth)
            found.append(node)
        elif _is_table(lines, at):
            node, at = _table(lines, at)
            found.append(node)
        elif _indent(line) >= 4 and (not found or found[-1].kind in ("heading", "text")):
            node, at = _indented_code(lines, at)
            found.append(node)
        else:
            node, at = _paragraph(lines, at)
            found.append(node)
    return found


def _heading(text: str) -> str:
    """Return a heading without the closing signs some write: "## Title ##"."""
    bare = text.rstrip("#")
    return bare.rstrip() if bare.endswith((" ", "\t")) or not bare else text


def _fence_end(lines: Sequence[_Line], at: int) -> int:
    """Return the index of the closing fence, or the number of lines when it is never closed."""
    mark = FENCE.match(lines[at].text)
    fence = mark[1] if mark else "```"
    return next((i for i in range(at + 1, len(lines)) if _closes(lines[i].text, fence)), len(lines))


def _code(lines: Sequence[_Line], at: int) -> tuple[Node, int]:
    mark = FENCE.match(lines[at].text)
    language = (mark[2].split() or [""])[0].lower() if mark else ""
    end = _fence_end(lines, at)
    cut = _indent(lines[at].text)
    body = [line.text[min(cut, _indent(line.text)) :] for line in lines[at + 1 : end]]
    return Node("code", lines[at].number, "\n".join(body).strip("\n"), language=language), end + 1


def _indented_code(lines: Sequence[_Line], at: int) -> tuple[Node, int]:
    end = at
    while end < len(lines) and (not lines[end].text.strip() or _indent(lines[end].text) >= 4):
        end += 1
    body = "\n".join(line.text[4:] for line in lines[at:end]).strip("\n")
    return Node("code", lines[at].number, body), end


def _quote(lines: Sequence[_Line], at: int, depth: int) -> tuple[list[Node], int]:
    end = at
    inner: list[_Line] = []
    while end < len(lines) and _QUOTE.match(lines[end].text):
        plain = _QUOTE.sub("", lines[end].text, count=1)
        alert = _ALERT.match(plain)
        if alert:  # "[!WARNING]" heads the text that follows it
            plain = f"{alert[1].capitalize()}: {plain[alert.end() :]}".rstrip()
        inner.append(_Line(lines[end].number, plain))
        end += 1
    return _nodes(inner, depth + 1), end


def _is_table(lines: Sequence[_Line], at: int) -> bool:
    if at + 1 >= len(lines) or "|" not in lines[at].text:
        return False
    below = lines[at + 1].text
    return "|" in below and bool(_SEPARATOR.match(below))


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(cell.strip().replace("\\|", "|") for cell in _CELLS.split(inner))


def _table(lines: Sequence[_Line], at: int) -> tuple[Node, int]:
    end = at + 2
    rows = [_cells(lines[at].text)]
    while end < len(lines) and "|" in lines[end].text:
        rows.append(_cells(lines[end].text))
        end += 1
    return Node("table", lines[at].number, rows=tuple(rows)), end


def _starts_block(lines: Sequence[_Line], at: int) -> bool:
    line = lines[at].text
    return bool(
        not line.strip()
        or FENCE.match(line)
        or _HEADING.match(line)
        or _RULER.match(line)
        or _QUOTE.match(line)
        or _ITEM.match(line)
        or _TAG.match(line)
        or _is_table(lines, at)
    )


def _paragraph(lines: Sequence[_Line], at: int) -> tuple[Node, int]:
    end = at + 1
    if end < len(lines) and (under := _UNDERLINE.match(lines[end].text)):
        level = 1 if under[1][0] == "=" else 2
        return Node("heading", lines[at].number, lines[at].text.strip(), level=level), end + 1
    while end < len(lines) and not _starts_block(lines, end):
        end += 1
    return Node("text", lines[at].number, " ".join(line.text.strip() for line in lines[at:end])), end


def _list(lines: Sequence[_Line], at: int, depth: int) -> tuple[Node, int]:
    start = _ITEM.match(lines[at].text)
    assert start is not None
    indent, numbered, first = len(start[1]), start[2][0].isdigit(), lines[at].number
    items: list[tuple[Node, ...]] = []
    while at < len(lines):
        mark = _ITEM.match(lines[at].text)
        if not mark or abs(len(mark[1]) - indent) > 1 or mark[2][0].isdigit() != numbered:
            break
        end = _item_end(lines, at, indent)
        rest = lines[at + 1 : end]
        cut = min((_indent(line.text) for line in rest if line.text.strip()), default=0)
        inner = [_Line(lines[at].number, mark[4]), *(_Line(ln.number, ln.text[cut:]) for ln in rest)]
        items.append(tuple(_nodes(inner, depth + 1)))
        at = _next_item(lines, end)
    return Node("steps" if numbered else "bullets", first, items=tuple(items)), at


def _next_item(lines: Sequence[_Line], at: int) -> int:
    """Return where the list goes on after blank lines; `at` itself when it does not."""
    after = at
    while after < len(lines) and not lines[after].text.strip():
        after += 1
    goes_on = after < len(lines) and _ITEM.match(lines[after].text) and not _RULER.match(lines[after].text)
    return after if goes_on else at


def _item_end(lines: Sequence[_Line], at: int, indent: int) -> int:
    """Return the index after an item: its deeper lines and the lines that run on without an indent."""
    end = at + 1
    after_blank = False
    while end < len(lines):
        line = lines[end].text
        deeper = _indent(line) > indent + 1
        if not line.strip():
            after_blank = True
        elif FENCE.match(line) and deeper:
            end = min(_fence_end(lines, end), len(lines) - 1)
            after_blank = False
        elif not deeper and (after_blank or _starts_block(lines, end)):
            break
        else:
            after_blank = False
        end += 1
    while end > at + 1 and not lines[end - 1].text.strip():
        end -= 1
    return end


def label(text: str, limit: int = LABEL_CHARACTERS) -> str:
    """Return a heading or a lead-in as a short name: no markup, numbering, signs or final colon.

    >>> label("## 2. **Testing** 🧪:".lstrip("# "))
    'Testing'
    """
    name = _NUMBERING.sub("", re.sub(_SIGN, "", plain(text)).strip("# "))
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

    text = CODE_SPAN.sub(keep, text)
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
