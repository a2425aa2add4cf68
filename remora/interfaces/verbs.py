"""The one list of verbs: what every way in offers, under the same names and with the same help."""

from __future__ import annotations

from typing import NamedTuple


class Verb(NamedTuple):
    """One thing a user can ask for.

    Attributes:
        name: what it is called at every way in; two words for what belongs to a group.
        help: one line that says what it does.
        section: the heading it stands under in an overview; empty in a group.
        method: the method of `Memory` behind it (`entries.add` is one of `memory.entries`, and
            `session.compact` of what `memory.session` returns); empty for what needs no memory.
        hidden: True for what programs call and people need not see.
    """

    name: str
    help: str
    section: str
    method: str
    hidden: bool = False


VERBS: tuple[Verb, ...] = (
    Verb("init", "Read the rule files and git history that are already there.", "Begin", "init"),
    Verb("install", "Connect the hosts of agents: hooks, MCP server, rules.", "Begin", ""),
    Verb("uninstall", "Take out what install added, and leave the rest as it was.", "Begin", ""),
    Verb("move-in", "Bring over what another memory system left on disk.", "Begin", "move_in"),
    Verb("learn", "Learn from what agents did in earlier sessions.", "Begin", "learn"),
    Verb("learned", "List what the last learning added, to confirm, edit or drop.", "Begin", "learned"),
    Verb(
        "reflect",
        "Print a session's evidence, for a model to write memories from.",
        "Begin",
        "reflect",
    ),
    Verb("index", "Read what changed in the code: what it defines, imports and calls.", "Begin", "index"),
    Verb("remember", "Store one statement, or merge it with what it duplicates.", "Remember", "remember"),
    Verb("teach", "Store what a file says that a person wrote, after a look.", "Remember", "teach"),
    Verb("edit", "Change a memory: its text, type, tags or files.", "Remember", "edit"),
    Verb("supersede", "Put a new memory in the place of an old one.", "Remember", "supersede"),
    Verb("search", "Find what is remembered about a question, a name or a path.", "Recall", "search"),
    Verb("context", "Pack what is worth knowing for a task into a block for a prompt.", "Recall", "context"),
    Verb("plan", "Prepare a task: what a plan should know, files, steps.", "Recall", "plan_context"),
    Verb(
        "related", "Show the files that change or are read together with a file.", "Recall", "related_files"
    ),
    Verb("files", "Predict the files that a task will touch.", "Recall", "predict_files"),
    Verb(
        "checks",
        "Suggest commands that check a change: run before, or written down.",
        "Recall",
        "suggest_commands",
    ),
    Verb("impact", "Show what may break when a file or a symbol changes.", "Recall", "impact"),
    Verb("modules", "Show the parts the code falls into and what each is for.", "Recall", "modules"),
    Verb("show", "Show everything that is known about one memory.", "Recall", "show"),
    Verb("list", "List memories, newest first.", "Recall", "list"),
    Verb("session", "Show conversations, shorten them, find what was said.", "Write down", "sessions"),
    Verb("note", "Keep notes under names, and read the archives of conversations.", "Write down", "entries"),
    Verb("journal", "Show MEMORY.md, today's notes and the history.", "Write down", "journal"),
    Verb("quote", "Show what you said in sessions; keep it as memory, or delete it.", "Look after", "quotes"),
    Verb("verify", "Confirm memories as a person; clears review flags and taint.", "Look after", "verify"),
    Verb("pin", "Keep memories from fading and from pruning.", "Look after", "pin"),
    Verb("forget", "Take memories out of every search; restore brings them back.", "Look after", "forget"),
    Verb("restore", "Bring back memories that were forgotten or superseded.", "Look after", "restore"),
    Verb("prune", "Forget what has expired, delete what was forgotten long ago.", "Look after", "prune"),
    Verb("log", "Show what agents were told, when and why, and what followed.", "Look after", "log"),
    Verb("why", "Show where a memory comes from and when it was said.", "Look after", "why"),
    Verb("status", "Show what a session that began now would be told.", "The store", "status"),
    Verb("stats", "Show what is stored, and how much of it.", "The store", "stats"),
    Verb("doctor", "Check everything and say what to do.", "The store", "doctor"),
    Verb("reindex", "Make the search index and the vectors again.", "The store", "reindex"),
    Verb("backup", "Copy all of a project's memory into one file.", "The store", "backup"),
    Verb("recover", "Save what can be read of a damaged database.", "The store", ""),
    Verb("mcp", "Serve the memory to hosts that speak MCP.", "The store", ""),
    Verb("completion", "Print the script that completes commands in a shell.", "The store", ""),
    Verb("hook", "Answer one event of an agent's host.", "The store", "", hidden=True),
    Verb("work", "Embed what has no vector yet, for a bounded time.", "The store", "catch_up", hidden=True),
)

# What the groups among the verbs hold; the first of each is what the group does when nothing is said.
GROUPS: dict[str, tuple[Verb, ...]] = {
    "session": (
        Verb("session list", "List conversations, the one written to last first.", "", "sessions"),
        Verb("session show", "Show the messages of a conversation.", "", "session.messages"),
        Verb("session append", "Add a message to a conversation.", "", "session.append"),
        Verb("session compact", "Put a summary in the place of older messages.", "", "session.compact"),
        Verb("session new", "Tell the journal, then start the conversation anew.", "", "session.new"),
        Verb("session search", "Find what was said in conversations.", "", "search"),
    ),
    "note": (
        Verb("note list", "List notes and archives.", "", "entries.list"),
        Verb("note show", "Show a note or an archive by name or alias.", "", "entries.show"),
        Verb("note add", "Add a note under a new name.", "", "entries.add"),
        Verb("note rename", "Give a note another name; the old one stays an alias.", "", "entries.rename"),
        Verb("note alias", "Bind one more name to a note.", "", "entries.alias"),
        Verb("note write", "Replace what a note says.", "", "entries.write"),
        Verb("note remove", "Delete a note with all its names.", "", "entries.remove"),
        Verb("note search", "Find notes and archives by their words.", "", "entries.search"),
    ),
    "quote": (
        Verb("quote list", "List what you said in sessions, newest first.", "", "quotes"),
        Verb("quote keep", "Make a memory of a quote.", "", "keep_quote"),
        Verb("quote remove", "Delete a quote for good.", "", "remove_quote"),
    ),
    "journal": (
        Verb("journal show", "Show MEMORY.md, or the whole block for a prompt.", "", "journal.show"),
        Verb("journal add", "Add an entry to the history.", "", "journal.add_history"),
        Verb("journal today", "Show today's notes, or those of another day.", "", "journal.today"),
        Verb("journal history", "Show the newest entries of the history.", "", "journal.history"),
        Verb(
            "journal consolidate",
            "Bring what sessions said into the history and MEMORY.md.",
            "",
            "journal.consolidate",
        ),
        Verb("journal versions", "List earlier texts of MEMORY.md.", "", "journal.versions"),
        Verb("journal restore", "Bring an earlier text of MEMORY.md back.", "", "journal.restore"),
    ),
}


def verb(name: str) -> Verb:
    """Return a verb by its name.

    Raises:
        KeyError: there is no such verb.

    >>> verb("search").method
    'search'
    """
    return _BY_NAME[name]


_BY_NAME = {v.name: v for v in (*VERBS, *(v for group in GROUPS.values() for v in group))}
