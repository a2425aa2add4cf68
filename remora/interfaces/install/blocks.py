"""A block of our own between two marks, in a text that has comments: Markdown, TOML, JavaScript."""

from __future__ import annotations

from typing import NamedTuple

from remora.interfaces.install.insertions import Draft, ended, line_end


class Block(NamedTuple):
    """A block, its marks, and what stands before it in a file that holds nothing else.

    Attributes:
        begin: the line it begins with; nothing but our files has it.
        body: its lines.
        end: the line it ends with.
        head: what a new file begins with: the front matter of a rule file.
    """

    begin: str
    body: str
    end: str
    head: str = ""

    def lines(self, newline: str) -> str:
        """Return the block as it is written, with its last line end."""
        return f"{self.begin}\n{self.body.rstrip()}\n{self.end}\n".replace("\n", newline)

    def whole(self) -> str:
        """Return a file that holds nothing but the block."""
        return self.head + self.lines("\n")

    def span(self, text: str) -> tuple[int, int] | None:
        """Return where the block stands in a text, marks and last line end included; None without both."""
        start = _line_at(text, self.begin, 0)
        if start < 0:
            return None
        end = _line_at(text, self.end, start)
        if end < 0:
            return None
        stop = text.find("\n", end)
        return start, len(text) if stop < 0 else stop + 1

    def holds(self, text: str) -> bool:
        """Return whether a text has the block exactly as it is."""
        span = self.span(text)
        return span is not None and text[span[0] : span[1]] == self.lines(line_end(text))

    def add(self, draft: Draft) -> None:
        """Put the block at the end of a text, after an empty line."""
        text = draft.text
        if not text:
            draft.insert(0, self.whole())
            return
        newline = line_end(text)
        gap = "" if text.isspace() else newline
        draft.insert(len(text), ended(text) + gap + self.lines(newline))

    def removed(self, text: str) -> str | None:
        """Return a text without the block; None when nothing is left but what a new file begins with."""
        span = self.span(text)
        if span is None:
            return text
        start, stop = span
        before, behind = text[:start], text[stop:]
        if not behind.strip() and before.replace("\r", "").strip() == self.head.strip():
            return None
        newline = line_end(text)
        if before.endswith(newline * 2):  # the empty line that we put there
            before = before[: -len(newline)]
        return before + behind


def _line_at(text: str, line: str, start: int) -> int:
    """Return where a line stands, which has nothing else in it but blanks; -1 when it does not."""
    at = text.find(line, start)
    while at >= 0:
        opens = at == 0 or text[at - 1] == "\n"
        stop = text.find("\n", at)
        rest = text[at + len(line) : len(text) if stop < 0 else stop]
        if opens and not rest.strip():
            return at
        at = text.find(line, at + 1)
    return -1
