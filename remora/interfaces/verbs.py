"""The one list of verbs: what every way in offers, under the same names and with the same help."""

from __future__ import annotations

from typing import NamedTuple


class Verb(NamedTuple):
    """One thing a user can ask for.

    Attributes:
        name: what it is called at every way in.
        help: one line that says what it does.
        section: the heading it stands under in an overview.
        method: the method of `Memory` behind it; empty for what needs no memory.
        hidden: True for what programs call and people need not see.
    """

    name: str
    help: str
    section: str
    method: str
    hidden: bool = False


VERBS: tuple[Verb, ...] = (
    Verb("init", "Read the rule files and git history that are already there.", "Begin", "init"),
    Verb("index", "Read what changed in the code: what it defines, imports and calls.", "Begin", "index"),
    Verb("remember", "Store one statement, or merge it with what it duplicates.", "Remember", "remember"),
    Verb("edit", "Change a memory: its text, type, tags or files.", "Remember", "edit"),
    Verb("supersede", "Put a new memory in the place of an old one.", "Remember", "supersede"),
    Verb("search", "Find what is remembered about a question, a name or a path.", "Recall", "search"),
    Verb("context", "Pack what is worth knowing for a task into a block for a prompt.", "Recall", "context"),
    Verb(
        "related", "Show the files that change or are read together with a file.", "Recall", "related_files"
    ),
    Verb("files", "Predict the files that a task will touch.", "Recall", "predict_files"),
    Verb("impact", "Show what may break when a file or a symbol changes.", "Recall", "impact"),
    Verb("modules", "Show the parts the code falls into and what each is for.", "Recall", "modules"),
    Verb("show", "Show everything that is known about one memory.", "Recall", "show"),
    Verb("list", "List memories, newest first.", "Recall", "list"),
    Verb("verify", "Confirm memories as a person; clears review flags and taint.", "Look after", "verify"),
    Verb("pin", "Keep memories from fading and from pruning.", "Look after", "pin"),
    Verb("forget", "Take memories out of every search; restore brings them back.", "Look after", "forget"),
    Verb("restore", "Bring back memories that were forgotten or superseded.", "Look after", "restore"),
    Verb("prune", "Forget what has expired, delete what was forgotten long ago.", "Look after", "prune"),
    Verb("stats", "Show what is stored, and how much of it.", "The store", "stats"),
    Verb("doctor", "Check everything and say what to do.", "The store", "doctor"),
    Verb("reindex", "Make the search index and the vectors again.", "The store", "reindex"),
    Verb("completion", "Print the script that completes commands in a shell.", "The store", ""),
    Verb("work", "Embed what has no vector yet, for a bounded time.", "The store", "catch_up", hidden=True),
)


def verb(name: str) -> Verb:
    """Return a verb by its name.

    Raises:
        KeyError: there is no such verb.

    >>> verb("search").method
    'search'
    """
    return _BY_NAME[name]


_BY_NAME = {v.name: v for v in VERBS}
