"""Split a file into chunks that can be found and shown separately.

Every line that is not blank belongs to exactly one chunk. A function is a chunk, with its decorators, doc
comment and nested definitions. A short class is one chunk; a longer one gives a chunk for its head and
fields, and one for each member. The rest between definitions makes module chunks; brackets alone stay with
the text they close. A body is not split unless it has more than LONG lines; each piece after the first then
begins with the signature again. A long body, prose and data are split every 100 lines.

No chunk has more than MAX_CHARS characters of the file: long lines make shorter pieces, and only a line
longer than the limit is itself split, between words. No text is lost, because the size of a file is limited.

Nesting is determined by lines and not by names: a method in Go, Rust or C++ is often outside its type.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from remora.core.budget import look
from remora.core.code import Chunk, Definition, FileFacts

PIECE = 100  # lines of a piece
SHORT_CLASS = 40  # lines up to which a class is one chunk
LONG = 120  # lines from which a body is cut
DEEP = 20  # classes in classes that are taken apart
MAX_CHARS = 20_000  # of a file's text in a chunk
_BODIES = frozenset({"function", "method", "test", "type"})
_CLOSING = re.compile(r"(?:\W|\bend\b)*")  # brackets alone, or Ruby's word for one
_EDGE = re.compile(r".*\W", re.DOTALL)  # up to the last place between words


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

    def text(self, start: int, end: int) -> str:
        return "\n".join(self._lines[start - 1 : end])

    def size(self, start: int, end: int) -> int:
        return self._ends[end] - self._ends[start - 1] - 1

    def fitting(self, start: int, end: int) -> int:
        """Return the last line that fits into a chunk from `start`; `start` always fits."""
        return min(end, max(start, bisect_right(self._ends, self._ends[start - 1] + MAX_CHARS + 1) - 1))

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        while start <= end and not self._lines[start - 1].strip():
            start += 1
        while end >= start and not self._lines[end - 1].strip():
            end -= 1
        return start, end


def chunks(path: str, text: str, facts: FileFacts | None, kind: str) -> list[Chunk]:
    """Return the chunks of a file, in order.

    Args:
        path: the file, for the context.
        text: its text.
        facts: its extracted facts; None for prose and data.
        kind: "code", "prose" or "data".
    """
    lines = _Lines(text)
    definitions = facts.outline.definitions if facts else ()
    if definitions:
        spans = _Cut(lines, _nested(definitions, lines.count)).between(None, 1, lines.count, 0)
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
        if length <= LONG:
            return [_Span(start, one.end_line, one, kind)]
        return _pieces(self.lines, start, one.end_line, kind, one)

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
