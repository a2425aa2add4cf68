"""Marked blocks: Remora's lines between two marker lines in Markdown, TOML or JavaScript."""

from __future__ import annotations

from typing import NamedTuple

from remora.interfaces.install.insertions import Draft, ended, line_end


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
        draft.insert(len(text), ended(text) + gap + self.lines(newline))

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
