"""Insert-only text edits with a record of the inserted spans, so that they can be undone exactly.

An installation changes an existing file only by insertions. The record stores their positions, a few numbers,
which suffice to restore the original bytes. In Markdown, TOML and JavaScript, Remora's lines are a block
between two marker lines.
"""

from __future__ import annotations

from typing import NamedTuple

from remora.core.errors import SourceError

BOM = "\ufeff"
Span = tuple[int, int]  # start and end (exclusive), in characters


class Draft:
    """A text, and the spans of it that were inserted.

    Attributes:
        text: the current text.
        inserted: the inserted spans of `text`, in order, not adjacent.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.inserted: list[Span] = []

    def insert(self, at: int, piece: str) -> None:
        """Insert a piece before the character at a position.

        >>> draft = Draft("ac")
        >>> draft.insert(1, "b"); draft.insert(2, "!"); draft.text, draft.inserted
        ('ab!c', [(1, 3)])
        """
        size = len(piece)
        if not size:
            return
        self.text = self.text[:at] + piece + self.text[at:]
        moved = [(at, at + size)]
        for start, end in self.inserted:
            if end < at:
                moved.append((start, end))
            elif start > at:
                moved.append((start + size, end + size))
            else:  # adjacent to or around the position: merge the spans
                first, last = moved[0]
                moved[0] = (min(first, start), max(last, end + size))
        self.inserted = sorted(moved)


class Text(NamedTuple):
    """The text of a file, and whether its bytes begin with a byte order mark."""

    text: str
    bom: bool = False

    @classmethod
    def of(cls, data: bytes, name: str) -> Text:
        """Return the text of bytes; line ends are not converted.

        Raises:
            SourceError: the bytes are not UTF-8.
        """
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise SourceError(
                f"{name}:{line}: the file is not UTF-8 text; it was not changed",
                hint="Save it as UTF-8 first.",
            ) from None
        return cls(text.removeprefix(BOM), text.startswith(BOM))

    def encoded(self) -> bytes:
        """Return the bytes of the text."""
        return ((BOM if self.bom else "") + self.text).encode()


def without(text: str, spans: list[Span]) -> str:
    """Return a text without some spans.

    >>> without("ab!c", [(1, 3)])
    'ac'
    """
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def line_end(text: str) -> str:
    r"""Return the line end of a text's first line.

    >>> line_end("a\r\nb"), line_end("a")
    ('\r\n', '\n')
    """
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


class Broken(Exception):
    """A text is malformed.

    Attributes:
        line: the line of the first error, from 1.
        column: the column of the first error, from 1.
    """

    def __init__(self, what: str, text: str, at: int) -> None:
        super().__init__(what)
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)


class Block(NamedTuple):
    """A block of lines between two marker lines.

    Attributes:
        begin: the first marker line; only blocks of Remora contain it.
        body: the lines of the block.
        end: the last marker line.
        head: the first lines of a new file: the front matter of a rule file.
    """

    begin: str
    body: str
    end: str
    head: str = ""

    def lines(self, newline: str) -> str:
        """Return the block with its markers and its last line end."""
        return f"{self.begin}\n{self.body.rstrip()}\n{self.end}\n".replace("\n", newline)

    def whole(self) -> str:
        """Return the text of a new file: head and block."""
        return self.head + self.lines("\n")

    def span(self, text: str) -> tuple[int, int] | None:
        """Return the span of the block in a text, including markers and last line end; None if incomplete."""
        start = _line_at(text, self.begin, 0)
        if start < 0:
            return None
        end = _line_at(text, self.end, start)
        if end < 0:
            return None
        stop = text.find("\n", end)
        return start, len(text) if stop < 0 else stop + 1

    def holds(self, text: str) -> bool:
        """Return whether a text contains exactly this block."""
        span = self.span(text)
        return span is not None and text[span[0] : span[1]] == self.lines(line_end(text))

    def add(self, draft: Draft) -> None:
        """Append the block to a text, after an empty line."""
        text = draft.text
        if not text:
            draft.insert(0, self.whole())
            return
        newline = line_end(text)
        gap = "" if text.isspace() else newline
        end = "" if text.endswith("\n") else newline
        draft.insert(len(text), end + gap + self.lines(newline))

    def removed(self, text: str) -> str | None:
        """Return a text without the block; None if only the head is left."""
        span = self.span(text)
        if span is None:
            return text
        start, stop = span
        before, behind = text[:start], text[stop:]
        if not behind.strip() and before.replace("\r", "").strip() == self.head.strip():
            return None
        newline = line_end(text)
        if before.endswith(newline * 2):  # the empty line that `add` inserted
            before = before[: -len(newline)]
        return before + behind


def _line_at(text: str, line: str, start: int) -> int:
    """Return the position of a line, which may have trailing blanks; -1 if it is absent."""
    at = text.find(line, start)
    while at >= 0:
        opens = at == 0 or text[at - 1] == "\n"
        stop = text.find("\n", at)
        rest = text[at + len(line) : len(text) if stop < 0 else stop]
        if opens and not rest.strip():
            return at
        at = text.find(line, at + 1)
    return -1
