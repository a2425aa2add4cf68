"""Cut a file into parts that can be found and shown by themselves.

Every line that is not blank belongs to exactly one chunk. A function is a chunk, with its decorators,
doc comment and whatever is defined inside it. A class is one while it is short; a longer one gives a
chunk for its head and fields, and one for each member. What is left between definitions makes module
chunks. Nothing is cut inside a body, but for a body of more than LONG lines, which is cut between its
statements; each further piece begins with the signature again, so that it still says what it is part
of. Prose and data have no definitions: 100 lines at a time, as section 6 has it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from remora.core.code import Chunk, Definition, FileFacts

PIECE = 100  # lines of a piece where nothing says where to cut
SHORT_CLASS = 40  # lines up to which a class is one chunk
LONG = 120  # lines from which a body is cut
DEEP = 20  # classes in classes that are taken apart
MAX_CHARS = 20_000  # a chunk's text: lines without end are data, not code
_WHOLE = frozenset({"function", "method", "test", "type"})

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
    if facts is None or not facts.outline.definitions:
        piece = "module" if kind == "code" else kind
        spans = _pieces(1, len(lines), piece, None)
    else:
        spans = _spans(facts.outline.definitions, len(lines), breaks)
    found: list[Chunk] = []
    for span in spans:
        start, end = _trimmed(lines, span.start, span.end)
        if start <= end:
            found.append(_chunk(path, lines, span._replace(start=start, end=end)))
    return found


def _spans(definitions: Sequence[Definition], count: int, breaks: Breaks) -> list[_Span]:
    """Return the spans of a whole file: definitions, and what lies between them."""
    children: dict[str, list[Definition]] = {}
    names = {d.qualname for d in definitions}
    for definition in definitions:
        parent = definition.parent if definition.parent in names else ""
        children.setdefault(parent, []).append(definition)
    return _between(None, children, 1, count, breaks, 0)


def _between(
    owner: Definition | None,
    children: dict[str, list[Definition]],
    start: int,
    end: int,
    breaks: Breaks,
    depth: int,
) -> list[_Span]:
    """Return the spans from one line to another: the children there, and the lines around them."""
    spans: list[_Span] = []
    at = start
    inside = children.get(owner.qualname if owner else "", [])
    for child in sorted(inside, key=lambda d: (d.start_line, -d.end_line, d.qualname)):
        if child.start_line < at or child.end_line > end:
            continue  # on a line with its neighbour, or outside its parent: it stays with what holds it
        spans += _rest(owner, at, child.start_line - 1)
        spans += _definition(child, children, breaks, depth)
        at = child.end_line + 1
    return spans + _rest(owner, at, end)


def _definition(
    child: Definition, children: dict[str, list[Definition]], breaks: Breaks, depth: int
) -> list[_Span]:
    length = child.end_line - child.start_line + 1
    members = [c for c in children.get(child.qualname, ()) if c.kind in _WHOLE or c.kind == "class"]
    holds = child.kind not in _WHOLE or (child.kind == "test" and bool(members))
    if holds and members and length > SHORT_CLASS and depth < DEEP:
        return _between(child, children, child.start_line, child.end_line, breaks, depth + 1)
    kind = "function" if child.kind in _WHOLE else "class"
    if length <= LONG:
        return [_Span(child.start_line, child.end_line, child, kind)]
    return _cut(child, kind, breaks(child))


def _cut(child: Definition, kind: str, starts: Sequence[int]) -> list[_Span]:
    """Return the pieces of a long body, each of whole statements, of PIECE lines where they allow."""
    spans: list[_Span] = []
    at, last = child.start_line, 0
    for line in (*sorted({s for s in starts if child.line < s <= child.end_line}), child.end_line + 1):
        if line - at > PIECE and last > at:
            spans.append(_Span(at, last - 1, child, kind))
            at = last
        last = line
    spans.append(_Span(at, child.end_line, child, kind))
    return spans


def _rest(owner: Definition | None, start: int, end: int) -> list[_Span]:
    return _pieces(start, end, "class" if owner else "module", owner)


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
