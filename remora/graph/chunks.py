"""Split a file into chunks that can be found and shown separately.

Every line that is not blank belongs to exactly one chunk. A function is a chunk, with its decorators, doc
comment and nested definitions. A short class is one chunk; a longer one gives a chunk for its head and
fields, and one for each member. The rest between definitions makes module chunks; brackets alone stay with
the text they close. A body is not split unless it has more than LONG lines; it is then split between its
statements, and each further piece begins with the signature again. Prose and data have no definitions: 100
lines at a time.

No chunk has more than MAX_CHARS characters of the file: long lines make shorter pieces, and only a line
longer than the limit is itself split, between words. No text is lost, because the size of a file is limited.

Nesting is determined by lines and not by names: a method in Go, Rust or C++ is often outside its type.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from remora.core.budget import look
from remora.core.code import Chunk, Definition, FileFacts

if TYPE_CHECKING:
    import tree_sitter

PIECE = 100  # lines of a piece without a place to cut
SHORT_CLASS = 40  # lines up to which a class is one chunk
LONG = 120  # lines from which a body is cut
DEEP = 20  # classes in classes that are taken apart
MAX_CHARS = 20_000  # of a file's text in a chunk
_BODIES = frozenset({"function", "method", "test", "type"})
_CLOSING = re.compile(r"(?:\W|\bend\b)*")  # brackets alone, or Ruby's word for one
_EDGE = re.compile(r".*\W", re.DOTALL)  # up to the last place between words
# Nodes whose children are statements, members or cases, as the grammars call them.
_BODY = re.compile(
    r"(?:block|body|statements|(?:body|compound)_statement"
    r"|(?:statement|declaration|member|variant|enumerator)_list|^then|^else)$"
)
_CLAUSE = re.compile(r"(?:clause|case|arm|group)$")  # may follow the first body of a statement

Breaks = Callable[[Definition], Sequence[int]]


class _Span(NamedTuple):
    """Lines of a chunk before it is written: first, last (inclusive), and the definition, if any."""

    start: int
    end: int
    definition: Definition | None
    kind: str


class _Lines:
    """The lines of a text, counted from 1, with sums of their characters."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self.count = len(self._lines)
        self._ends = list(accumulate((len(line) + 1 for line in self._lines), initial=0))

    def __getitem__(self, number: int) -> str:
        return self._lines[number - 1]

    def text(self, start: int, end: int) -> str:
        return "\n".join(self._lines[start - 1 : end])

    def size(self, start: int, end: int) -> int:
        return self._ends[end] - self._ends[start - 1] - 1

    def fitting(self, start: int, end: int) -> int:
        """Return the last line that fits into a chunk from `start`; `start` always fits."""
        return min(end, max(start, bisect_right(self._ends, self._ends[start - 1] + MAX_CHARS + 1) - 1))

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        while start <= end and not self[start].strip():
            start += 1
        while end >= start and not self[end].strip():
            end -= 1
        return start, end


def chunks(path: str, text: str, facts: FileFacts | None, kind: str, breaks: Breaks) -> list[Chunk]:
    """Return the chunks of a file, in order.

    Args:
        path: the file, for the context.
        text: its text.
        facts: its extracted facts; None for prose and data.
        kind: "code", "prose" or "data".
        breaks: returns the first lines of the statements in a long definition's body.
    """
    lines = _Lines(text)
    definitions = facts.outline.definitions if facts else ()
    if definitions:
        spans = _Cut(lines, _nested(definitions, lines.count), breaks).between(None, 1, lines.count, 0)
    else:
        spans = _pieces(lines, 1, lines.count, "module" if kind == "code" else kind, None)
    found: list[_Span] = []
    for span in spans:
        look()
        start, end = lines.trimmed(span.start, span.end)
        if start > end:
            continue
        if found and definitions and _CLOSING.fullmatch(lines.text(start, end)):
            found[-1] = found[-1]._replace(end=end)
        else:
            found.append(span._replace(start=start, end=end))
    return [chunk for span in found for chunk in _written(path, lines, span)]


def _nested(definitions: Sequence[Definition], count: int) -> dict[str, list[Definition]]:
    """Return the definitions directly inside each one, by qualname; "" is the file.

    A definition may come from another version of the file: one beyond its last line is left out.
    """
    inside: dict[str, list[Definition]] = {}
    around: list[Definition] = []
    inner_last = sorted(definitions, key=lambda d: (d.start_line, -d.end_line, d.qualname))
    here = (d for d in inner_last if d.start_line <= count)
    for one in (d._replace(end_line=min(d.end_line, count)) for d in here):
        while around and around[-1].end_line < one.end_line:
            around.pop()
        inside.setdefault(around[-1].qualname if around else "", []).append(one)
        around.append(one)
    return inside


class _Cut(NamedTuple):
    """Splits the lines of one file: its definitions, and the lines around them."""

    lines: _Lines
    inside: Mapping[str, Sequence[Definition]]
    breaks: Breaks

    def between(self, owner: Definition | None, start: int, end: int, depth: int) -> list[_Span]:
        """Return the spans between two lines: the definitions there, and the lines around them."""
        spans: list[_Span] = []
        at = start
        for one in self.inside.get(owner.qualname if owner else "", ()):
            if one.end_line < at:
                continue  # it ends on a line that the one before has
            first = max(at, one.start_line)
            spans += self._rest(owner, at, first - 1)
            spans += self._definition(one, first, depth)
            at = one.end_line + 1
        return spans + self._rest(owner, at, end)

    def _definition(self, one: Definition, start: int, depth: int) -> list[_Span]:
        length = one.end_line - start + 1
        large = self.lines.size(start, one.end_line) > MAX_CHARS
        members = self.inside.get(one.qualname, ())
        holds = bool(members) and one.kind not in _BODIES
        if one.kind == "test":  # a class of tests, and not a test with a helper in it
            holds = any(d.kind in ("test", "method") for d in members)
        if holds and (length > SHORT_CLASS or large) and depth < DEEP:
            return self.between(one, start, one.end_line, depth + 1)
        kind = "function" if one.kind in _BODIES else _kind(one)
        if length <= LONG and not large:
            return [_Span(start, one.end_line, one, kind)]
        whole = [
            d
            for d in self._below(one)
            if d.end_line - d.start_line < LONG and self.lines.size(d.start_line, d.end_line) <= MAX_CHARS
        ]
        starts = [s for s in self.breaks(one) if not any(d.start_line < s <= d.end_line for d in whole)]
        return self._body(one, start, kind, starts)

    def _below(self, one: Definition) -> list[Definition]:
        """Return all definitions inside a definition, at any depth."""
        found = list(self.inside.get(one.qualname, ()))
        for each in found:
            found += self.inside.get(each.qualname, ())
        return found

    def _body(self, one: Definition, start: int, kind: str, starts: Sequence[int]) -> list[_Span]:
        """Return the pieces of a long body, each of whole statements, of about PIECE lines."""
        spans: list[_Span] = []
        at, last = start, 0
        own = sorted({s for s in starts if max(one.line, start) < s <= one.end_line})
        for line in (*own, one.end_line + 1):
            full = line - at > PIECE or self.lines.size(at, line - 1) > MAX_CHARS
            if full and last > at:
                spans.append(_Span(at, last - 1, one, kind))
                at = last
            last = line
        spans.append(_Span(at, one.end_line, one, kind))
        return spans

    def _rest(self, owner: Definition | None, start: int, end: int) -> list[_Span]:
        return _pieces(self.lines, start, end, _kind(owner) if owner else "module", owner)


def _kind(owner: Definition) -> str:
    return "module" if owner.kind == "module" else "class"


def _pieces(lines: _Lines, start: int, end: int, kind: str, owner: Definition | None) -> list[_Span]:
    """Return lines as pieces of PIECE lines, or fewer if they reach MAX_CHARS characters."""
    spans: list[_Span] = []
    at = start
    while at <= end:
        last = min(lines.fitting(at, end), at + PIECE - 1)
        spans.append(_Span(at, last, owner, kind))
        at = last + 1
    return spans


def _written(path: str, lines: _Lines, span: _Span) -> Iterator[Chunk]:
    """Yield a span as chunks: one, or as many as its characters require."""
    at = span.start
    while at <= span.end:
        last = lines.fitting(at, span.end)
        start, end = lines.trimmed(at, last)
        for number, text in enumerate(_texts(lines.text(start, end))):
            first = at == span.start and not number
            yield _chunk(path, span._replace(start=start, end=end), text, first=first)
        at = last + 1


def _texts(text: str) -> Iterator[str]:
    """Yield a text in pieces of at most MAX_CHARS characters, cut between words where there are any."""
    at = 0
    while len(text) - at > MAX_CHARS:
        edge = _EDGE.match(text, at + MAX_CHARS // 2, at + MAX_CHARS)
        end = edge.end() if edge else at + MAX_CHARS
        yield text[at:end]
        at = end
    if at < len(text):
        yield text[at:]


def _chunk(path: str, span: _Span, text: str, *, first: bool) -> Chunk:
    definition = span.definition
    begins = definition is not None and first and span.start <= definition.line
    if definition is None:
        return Chunk(span.kind, "", span.start, span.end, text, f"File: {path}")
    if not begins and definition.signature:
        text = f"{definition.signature}\n    …\n{text}"
    context = f"File: {path} | {definition.kind}: {definition.qualname}"
    doc = definition.doc if begins else ""
    return Chunk(span.kind, definition.qualname, span.start, span.end, text, context, doc)


class Statements:
    """Finds the first lines of statements in the tree of one file; without a tree none are found."""

    def __init__(self, tree: tree_sitter.Tree | None) -> None:
        self._root = tree.root_node if tree else None

    def __call__(self, definition: Definition) -> Sequence[int]:
        """Return the first lines of the statements in a definition's body, in order, from 1.

        These are the statements directly in the body, and those in a statement that is itself too long for a
        piece. The first of a body is left out. A statement with a comment directly above it starts at the
        comment's line.
        """
        start, end = definition.line - 1, definition.end_line - 1
        node = self._root
        # A node around the definition may include the lines above it, or its neighbours.
        while node is not None and not (start <= node.start_point[0] and node.end_point[0] <= end):
            node = max(node.named_children, key=lambda c: _shared(c, start, end), default=None)
        found: set[int] = set()
        waiting = [node] if node is not None else []
        while waiting:
            one = waiting.pop()
            children = one.named_children
            further = [c for c in children if _lines(c) > PIECE or _BODY.search(c.type)]
            if len(children) == 1:
                further = children
            elif _BODY.search(one.type):
                found.update(_starts(children))
            elif further:
                clauses = {c.start_point[0] for c in children if _CLAUSE.search(c.type)}
                found.update(clauses.intersection(_starts(children)))
            elif children:
                widest = max(children, key=_lines)
                if _lines(widest) * 2 > _lines(one) > 1:
                    further = [widest]
                else:
                    found.update(_starts(children))
            waiting += further
        return sorted(line + 1 for line in found if start < line <= end)


def _lines(node: tree_sitter.Node) -> int:
    return node.end_point[0] - node.start_point[0] + 1


def _shared(node: tree_sitter.Node, start: int, end: int) -> int:
    """Return the number of some lines inside a node."""
    return min(node.end_point[0], end) - max(node.start_point[0], start)


def _starts(nodes: Sequence[tree_sitter.Node]) -> list[int]:
    """Return the lines from 0 where all nodes but the first start, a comment together with its statement."""
    starts: list[int] = []
    end, leads = -1, False  # where the node before ends; it is a comment on lines of its own
    for one in nodes:
        first = one.start_point[0]
        alone = first > end
        if alone and end >= 0 and not (leads and first == end + 1):
            starts.append(first)
        leads = alone and ("comment" in one.type or "attribute" in one.type)
        # A comment to the end of its line may reach to the start of the next.
        end = one.end_point[0] - (one.end_point[1] == 0 and one.end_point[0] > first)
    return starts
