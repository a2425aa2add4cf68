"""Edits as the lines that they changed: side by side, in words, and whether one takes another back."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple

from remora.core.text import shorten

_SIDE = 140  # characters of each side of a change
_BROUGHT = re.compile(  # what `told` says
    r"(?=.*`(?: \(and [^`]*\))?$)(?:changed `(?P<path>[^`]+)`: `.*` became|added to `(?P<into>[^`]+)`:) "
    r"`(?P<after>.+?)`(?: \(and [^`]*\))?$"
)
_LINES = 80  # of an edit that are compared
_TORN = re.compile(r"\n?\[… \d+ characters …\]\n?|\n…\n")
_DEBUG = re.compile(
    r"fmt\.(?:Fp|P)rint|console\.\w+\(|\bprint(?:ln|f)?!?\(|dbg!|log(?:ger)?\.(?:Print|debug|Debug)"
    r"|\bDEBUG\b|t\.Log|var_dump"
    r"|os\.Stderr|\bdebugger\b|breakpoint\(|\bputs "
)
_IMPORTS = re.compile(
    r"""\s*(?:(?:import|from|use|require|\#include)\b|(?:[\w.]+ )?"[\w@./-]+"\s*$|[()]\s*$)"""
)


class Change(NamedTuple):
    """A change of a file: the lines that differ, before and after."""

    path: str
    before: str
    after: str
    step: int
    order: int
    flat: tuple[str, str]  # both sides on one line


class Hunk(NamedTuple):
    """Lines that an edit replaced, trimmed, with the lines before and behind them."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    above: str
    below: str


def core(old: str, new: str) -> tuple[str, str]:
    """Return the lines of two texts that differ, without what they share at both ends."""
    a, b = old.split("\n"), new.split("\n")
    start, end = _shared(a, b)
    return "\n".join(a[start : len(a) - end]).strip("\n"), "\n".join(b[start : len(b) - end]).strip("\n")


def undoes(change: Change, earlier: Change) -> bool:
    """Say whether a change puts back what an earlier one replaced; white space does not count."""
    return len(earlier.after) >= 12 and change.flat == (earlier.flat[1], earlier.flat[0])


def longest(change: Change) -> str:
    """Return the longest line that a change wrote, which stands for it elsewhere."""
    return max(change.after.split("\n"), key=len).strip()


def debugs(change: Change) -> bool:
    """Say whether what a change wrote prints something for whoever looks for a fault."""
    return _DEBUG.search(change.after) is not None


def only_imports(change: Change) -> bool:
    """Say whether a change only touches lines that import something."""
    lines = [line for line in (change.before + "\n" + change.after).split("\n") if line.strip()]
    return bool(lines) and all(_IMPORTS.match(line) for line in lines)


def decisive(changes: Sequence[Change], message: str, output: str) -> Change:
    """Return the change that most likely helped: one of a file that a failure names, or the last.

    Args:
        changes: since the failure, at least one.
        message: the line of its output that tells most.
        output: all of it.
    """
    named = [c for c in changes if c.path.rsplit("/", 1)[-1] in message]
    named = named or [c for c in changes if c.path.rsplit("/", 1)[-1] in output]
    telling_ones = [c for c in named or changes if not only_imports(c)]
    return (telling_ones or named or changes)[-1]


def told(change: Change, files: int) -> str:
    """Return a change in words.

    Args:
        change: the one that is told.
        files: that were changed along with it, its own counted.
    """
    before, after = shorten(change.before, _SIDE), shorten(change.after, _SIDE)
    more = f" (and {files - 1} more files)" if files > 2 else " (and another file)" if files == 2 else ""
    if before and after:
        return f"changed `{change.path}`: `{before}` became `{after}`{more}"
    if after:
        return f"added to `{change.path}`: `{after}`{more}"
    if before:
        return f"removed from `{change.path}`: `{before}`{more}"
    return f"wrote `{change.path}`{more}"


def brought(how: str) -> tuple[str, str] | None:
    """Return the file and the code that a change in words brought; None where it brought none.

    >>> brought("changed `a.py`: `x = 1` became `x = 2` (and another file)"), brought("wrote `a.py`")
    (('a.py', 'x = 2'), None)
    """
    found = _BROUGHT.match(how)
    return (found["path"] or found["into"], found["after"]) if found else None


def hunks(old: str, new: str) -> list[Hunk]:
    r"""Return the lines in which two texts differ; where a text was shortened, only what is surely so.

    >>> hunks("a\nreturn err\nb", "a\nreturn wrap(err)\nb")
    [Hunk(before=('return err',), after=('return wrap(err)',), above='a', below='b')]
    """
    one, other = _TORN.split(old, maxsplit=1), _TORN.split(new, maxsplit=1)
    if len(one) == len(other) == 1:
        return _differing(old, new)
    return [
        *_differing(one[0], other[0], end_torn=True),
        *_differing(one[-1], other[-1], start_torn=True),
    ]


def _differing(old: str, new: str, *, start_torn: bool = False, end_torn: bool = False) -> list[Hunk]:
    a = [line.strip() for line in old.split("\n")][:_LINES]
    b = [line.strip() for line in new.split("\n")][:_LINES]
    if not old:
        return [Hunk((), tuple(b), "", "")]
    start, end = _shared(a, b)
    inner = difflib.SequenceMatcher(None, a[start : len(a) - end], b[start : len(b) - end], autojunk=False)
    found = []
    for tag, *places in inner.get_opcodes():
        i, i_end, j, j_end = (start + place for place in places)
        torn = (start_torn and not (i and j)) or (end_torn and (i_end == len(a) or j_end == len(b)))
        if tag == "equal" or torn:
            continue
        above, below = a[i - 1] if i else "", a[i_end] if i_end < len(a) else ""
        found.append(Hunk(tuple(filter(None, a[i:i_end])), tuple(filter(None, b[j:j_end])), above, below))
    return found


def _shared(a: Sequence[str], b: Sequence[str]) -> tuple[int, int]:
    """Return how many lines two texts share at their beginning, and how many at their end."""
    most = min(len(a), len(b))
    start = next((n for n in range(most) if a[n] != b[n]), most)
    end = next((n for n in range(most - start) if a[-1 - n] != b[-1 - n]), most - start)
    return start, end
