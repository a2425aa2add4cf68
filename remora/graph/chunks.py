"""Cut a file into parts that can be found and shown by themselves.

Every line that is not blank belongs to exactly one chunk. A function is a chunk, with its decorators,
doc comment and whatever is defined inside it. A class is one while it is short; a longer one gives a
chunk for its head and fields, and one for each member. What is left between definitions makes module
chunks; brackets alone stay with what they close. Nothing is cut inside a body, but for a body of more
than LONG lines, which is cut between its statements; each further piece begins with the signature
again, so that it still says what it is part of. Prose and data have no definitions: 100 lines at a
time.

What holds what is told by the lines and not by the names: a method in Go, Rust or C++ often stands
outside its type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from remora.core.code import Chunk, Definition, FileFacts

PIECE = 100  # lines of a piece where nothing says where to cut
SHORT_CLASS = 40  # lines up to which a class is one chunk
LONG = 120  # lines from which a body is cut
DEEP = 20  # classes in classes that are taken apart
MAX_CHARS = 20_000  # a chunk's text: lines without end are data, not code
_BODIES = frozenset({"function", "method", "test", "type"})
_CLOSING = re.compile(r"(?:\W|\bend\b)*")  # brackets alone, or Ruby's word for one

Breaks = Callable[[Definition], Sequence[int]]


class _Span(NamedTuple):
    """Lines of a chunk before it is written: from, to (inclusive), and the definition, if any."""

    start: int
    end: int
    definition: Definition | None
    kind: str


def chunks(path: str, text: str, facts: FileFacts | None, kind: str, breaks: Breaks) -> list[Chunk]:
    """Return the chunks of a file, in order.

    Args:
        path: the file, for the context.
        text: its text.
        facts: what was read from it; None for prose and data.
        kind: "code", "prose" or "data".
        breaks: gives the lines where the statements of a long definition's body start.
    """
    lines = text.split("\n")
    definitions = facts.outline.definitions if facts else ()
    if definitions:
        spans = _between(None, _nested(definitions, len(lines)), 1, len(lines), breaks, 0)
    else:
        spans = _pieces(1, len(lines), "module" if kind == "code" else kind, None)
    found: list[_Span] = []
    for span in spans:
        start, end = _trimmed(lines, span.start, span.end)
        if start > end:
            continue
        if found and definitions and _CLOSING.fullmatch("\n".join(lines[start - 1 : end])):
            found[-1] = found[-1]._replace(end=end)
        else:
            found.append(span._replace(start=start, end=end))
    return [_chunk(path, lines, span) for span in found]


def _nested(definitions: Sequence[Definition], count: int) -> dict[str, list[Definition]]:
    """Return the definitions directly between the lines of each, by qualname; "" is the file.

    A definition may come from another version of the file: what lies past its last line is left out.
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


def _between(
    owner: Definition | None,
    inside: Mapping[str, Sequence[Definition]],
    start: int,
    end: int,
    breaks: Breaks,
    depth: int,
) -> list[_Span]:
    """Return the spans from one line to another: the definitions there, and the lines around them."""
    spans: list[_Span] = []
    at = start
    for one in inside.get(owner.qualname if owner else "", ()):
        if one.end_line < at:
            continue  # it ends on a line that the one before has
        first = max(at, one.start_line)
        spans += _rest(owner, at, first - 1)
        spans += _definition(one, first, inside, breaks, depth)
        at = one.end_line + 1
    return spans + _rest(owner, at, end)


def _definition(
    one: Definition, start: int, inside: Mapping[str, Sequence[Definition]], breaks: Breaks, depth: int
) -> list[_Span]:
    length = one.end_line - start + 1
    members = inside.get(one.qualname, ())
    holds = bool(members) and one.kind not in _BODIES
    if one.kind == "test":  # a class of tests, and not a test with a helper in it
        holds = any(d.kind in ("test", "method") for d in members)
    if holds and length > SHORT_CLASS and depth < DEEP:
        return _between(one, inside, start, one.end_line, breaks, depth + 1)
    kind = "function" if one.kind in _BODIES else _kind(one)
    if length <= LONG:
        return [_Span(start, one.end_line, one, kind)]
    whole = [d for d in _below(one, inside) if d.end_line - d.start_line < LONG]
    starts = [s for s in breaks(one) if not any(d.start_line < s <= d.end_line for d in whole)]
    return _cut(one, start, kind, starts)


def _below(one: Definition, inside: Mapping[str, Sequence[Definition]]) -> list[Definition]:
    """Return everything between the lines of a definition, at any depth."""
    found = list(inside.get(one.qualname, ()))
    for each in found:
        found += inside.get(each.qualname, ())
    return found


def _kind(owner: Definition) -> str:
    return "module" if owner.kind == "module" else "class"


def _cut(one: Definition, start: int, kind: str, starts: Sequence[int]) -> list[_Span]:
    """Return the pieces of a long body, each of whole statements, of PIECE lines where they allow."""
    spans: list[_Span] = []
    at, last = start, 0
    for line in (*sorted({s for s in starts if max(one.line, start) < s <= one.end_line}), one.end_line + 1):
        if line - at > PIECE and last > at:
            spans.append(_Span(at, last - 1, one, kind))
            at = last
        last = line
    spans.append(_Span(at, one.end_line, one, kind))
    return spans


def _rest(owner: Definition | None, start: int, end: int) -> list[_Span]:
    return _pieces(start, end, _kind(owner) if owner else "module", owner)


def _pieces(start: int, end: int, kind: str, owner: Definition | None) -> list[_Span]:
    return [_Span(at, min(at + PIECE - 1, end), owner, kind) for at in range(start, end + 1, PIECE)]


def _trimmed(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    while start <= end and not lines[start - 1].strip():
        start += 1
    while end >= start and not lines[end - 1].strip():
        end -= 1
    return start, end


def _chunk(path: str, lines: Sequence[str], span: _Span) -> Chunk:
    text = "\n".join(lines[span.start - 1 : span.end])[:MAX_CHARS]
    definition = span.definition
    if definition is None:
        return Chunk(span.kind, "", span.start, span.end, text, f"File: {path}")
    if span.start > definition.line and definition.signature:
        text = f"{definition.signature}\n    …\n{text}"
    doc = definition.doc if span.start <= definition.line else ""
    context = f"File: {path} | {definition.kind}: {definition.qualname}"
    return Chunk(span.kind, definition.qualname, span.start, span.end, text, context, doc)
