"""Who changes a memory, what is done to it and why, as the log of changes keeps it."""

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
PERSON = "person"  # an author; the log adds the device
_AUTHOR: ContextVar[str] = ContextVar("author", default="")


class Change(NamedTuple):
    """What is done to a memory.

    Attributes:
        op: one of Op.
        why: the reason in words, empty where the operation says it all.
        author: who does it where `acting` names nobody: "person", "agent:HOST:SESSION", "observer:SESSION",
            "synthesis:MODEL" or "system:JOB"; empty for whoever opened the memory.
    """

    op: Op = "edit"
    why: str = ""
    author: str = ""


@contextmanager
def acting(author: str) -> Iterator[None]:
    """Name the author of every change that is made inside, in this thread.

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
    """Return who makes a change: who acts, who is named with it, or else who opened the memory."""
    return _AUTHOR.get() or change.author or opened_by
