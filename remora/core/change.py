"""A change of a memory in the change log: its author, operation and reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, NamedTuple

Op = Literal[
    "create",
    "edit",
    "supersede",
    "retire",
    "restore",
    "pin",
    "unpin",
    "verify",
    "flag",
    "dispute",
    "comment",
    "resolve",
    "share",
    "unshare",
    "erase",
]
PERSON = "person"  # an author; the log appends the device
_AUTHOR: ContextVar[str] = ContextVar("author", default="")


class Change(NamedTuple):
    """A change of a memory.

    Attributes:
        op: one of Op.
        why: the reason in words, empty if the operation is self-explanatory.
        author: used outside of `acting`: "person", "agent:HOST:SESSION", "observer:SESSION",
            "synthesis:MODEL" or "system:JOB"; empty for the author that opened the memory.
    """

    op: Op = "edit"
    why: str = ""
    author: str = ""


@contextmanager
def acting(author: str) -> Iterator[None]:
    """Set the author of every change inside the block, in this thread.

    >>> with acting("system:prune"):
    ...     author_of(Change("retire"), "person")
    'system:prune'
    """
    token = _AUTHOR.set(author)
    try:
        yield
    finally:
        _AUTHOR.reset(token)


def author_of(change: Change, opened_by: str) -> str:
    """Return a change's author: the one set by `acting`, else the change's own, else `opened_by`."""
    return _AUTHOR.get() or change.author or opened_by
