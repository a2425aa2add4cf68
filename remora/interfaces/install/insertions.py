"""A text that is added to and nothing else, and what was added, so that it can be taken out exactly.

Everything that installing does to a file that is there already is an insertion. What was inserted is
known by its places, so that a record of a few numbers is enough to give back the old bytes.
"""

from __future__ import annotations

from typing import NamedTuple

from remora.core.errors import RemoraError, SourceError

BOM = "\ufeff"
Span = tuple[int, int]  # first and last-but-one character


class Draft:
    """A text, and the spans of it that were inserted.

    Attributes:
        text: as it is now.
        inserted: spans of `text` that were not there before, in order, none touching another.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.inserted: list[Span] = []

    def insert(self, at: int, piece: str) -> None:
        """Put a piece in front of the character at a place.

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
            else:  # it touches or holds the place: one span from now on
                first, last = moved[0]
                moved[0] = (min(first, start), max(last, end + size))
        self.inserted = sorted(moved)


class Text(NamedTuple):
    """The text of a file, and how its bytes were made of it."""

    text: str
    bom: bool = False

    @classmethod
    def of(cls, data: bytes, name: str) -> Text:
        """Return the text of bytes; line ends stay as they are.

        Raises:
            SourceError: it is no UTF-8.
        """
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise SourceError(
                f"{name}:{line}: this is not UTF-8 text; it was not touched", hint="Save it as UTF-8 first."
            ) from None
        return cls(text.removeprefix(BOM), text.startswith(BOM))

    def encoded(self) -> bytes:
        """Return the bytes of the text."""
        return ((BOM if self.bom else "") + self.text).encode()


def without(text: str, spans: list[Span]) -> str:
    """Return a text without some spans of it.

    >>> without("ab!c", [(1, 3)])
    'ac'
    """
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def line_end(text: str) -> str:
    r"""Return the line end that a text uses.

    >>> line_end("a\r\nb"), line_end("a")
    ('\r\n', '\n')
    """
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def ended(text: str) -> str:
    """Return what is missing for a text to end with a line end: nothing for an empty one."""
    return line_end(text) if text and not text.endswith("\n") else ""


class Broken(Exception):
    """A text is not what it should be.

    Attributes:
        line: of the first thing that is wrong, from 1.
        column: in that line, from 1.
    """

    def __init__(self, what: str, text: str, at: int) -> None:
        super().__init__(what)
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)


def refused(path: object, why: Broken | str, by_hand: str) -> RemoraError:
    """Return the error for a file that was not touched, with the text to put there by hand."""
    where = f"{path}:{why.line}:{why.column}" if isinstance(why, Broken) else str(path)
    return SourceError(
        f"{where}: {why}; nothing was changed",
        hint=f"Fix the file and try again, or add this by hand:\n{by_hand}",
    )
