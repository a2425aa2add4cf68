"""What a session wrote, in digests of telling lines, so that one can later ask whether it still stands.

A line tells when it is long enough to be found by itself and is more than an import. Of an edit a few
lines are kept, spread over it; only their digests, since nobody has to read them again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from remora.core.text import collapse

LINES = 8  # of one edit
MOST = 64  # of one exchange or commit
SHORTEST = 16  # characters of a line that tells
_PLAIN = re.compile(r"(?:import|from|use|using|#include|package|require)\b|[\W\d_]*$")


def digest(line: str) -> str:
    """Return what a line is known by, whatever its indentation: 12 hex digits."""
    return hashlib.blake2b(collapse(line).encode("utf-8", "replace"), digest_size=6).hexdigest()


def telling(line: str) -> bool:
    """Return whether a line says something of its own.

    >>> telling("    }"), telling("import os, sys, re"), telling("return cents / 100.0")
    (False, False, True)
    """
    bare = line.strip()
    return len(bare) >= SHORTEST and not _PLAIN.match(bare)


def written(old: str, new: str) -> list[str]:
    """Return the digests of telling lines that an edit brought, at most LINES, spread over it."""
    before = {line.strip() for line in old.splitlines()}
    lines = [line for line in new.splitlines() if telling(line) and line.strip() not in before]
    step = max(1, -(-len(lines) // LINES))
    return [digest(line) for line in lines[::step]]


def standing(wrote: Sequence[str], texts: Iterable[str]) -> float:
    """Return the share of written lines that some texts still have, 0..1; 1.0 of nothing written."""
    wanted = set(wrote)
    if not wanted:
        return 1.0
    found = {
        d for text in texts for line in text.splitlines() if telling(line) and (d := digest(line)) in wanted
    }
    return len(found) / len(wanted)
