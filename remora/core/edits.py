"""Extract the removed and the added text of an edit from the arguments of its tool, down to changed lines.

A hook loads this module before every tool call, so it imports little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from remora.core.cut import both_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Arguments that hold the text before and after, in the spellings of all hosts.
OLD = ("old_string", "oldString", "old_str", "oldText", "old_text")
NEW = tuple(
    "new_string newString new_str newText new_text new_source insert_text code content contents "
    "file_text text".split()
)
MOST = 50  # maximum number of edits read from one call


def edits_of(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the edits of a call that makes several; empty for a call that makes one."""
    several = given.get("edits") or given.get("replacements")
    return [one for one in several[:MOST] if isinstance(one, dict)] if isinstance(several, list) else []


def sides(given: Mapping[str, Any], limit: int) -> tuple[str, str]:
    r"""Return the text that an edit removes and the text that it adds, each cut to `limit` characters.

    Args:
        given: the arguments of the tool.
        limit: in characters, for each text.

    >>> sides({"edits": [{"old_string": "a", "new_string": "b"}, {"oldText": "", "newText": "c"}]}, 100)
    ('a', 'b\nc')
    """
    edits = edits_of(given) or [given]
    return _side(edits, OLD, limit), _side(edits, NEW, limit)


def joined(texts: Iterable[str], limit: int) -> str:
    """Return the non-empty texts of several edits, joined and cut to size."""
    return both_ends("\n".join(text for text in texts if text), limit)


def changed_lines(old: str, new: str) -> tuple[str, str]:
    r"""Return the differing lines of two texts, without their common lines at both ends.

    >>> changed_lines("a\nb\nc", "a\nx\nc")
    ('b', 'x')
    """
    a, b = old.split("\n"), new.split("\n")
    most = min(len(a), len(b))
    start = next((n for n in range(most) if a[n] != b[n]), most)
    end = next((n for n in range(most - start) if a[-1 - n] != b[-1 - n]), most - start)
    return "\n".join(a[start : len(a) - end]).strip("\n"), "\n".join(b[start : len(b) - end]).strip("\n")


def _side(edits: Iterable[Mapping[str, Any]], names: tuple[str, ...], limit: int) -> str:
    texts = (next((edit[name] for name in names if isinstance(edit.get(name), str)), "") for edit in edits)
    return joined((both_ends(text, limit) for text in texts), limit)
