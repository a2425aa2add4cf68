"""Table of verbs with the names, help and methods that every interface uses."""

from __future__ import annotations

from typing import NamedTuple


class Verb(NamedTuple):
    """One verb.

    Attributes:
        name: the name in every interface; two words for a verb of a group.
        help: one line of help.
        section: the heading in the overview; empty in a group.
        method: the method of `Memory` that it calls (`entries.add` is a method of `memory.entries`, and
            `session.compact` of the result of `memory.session`); empty for verbs without a memory.
        hidden: True for verbs that only programs call.
    """

    name: str
    help: str
    section: str
    method: str
    hidden: bool = False


VERBS: tuple[Verb, ...] = (
    Verb("init", "Read the rule files, git history and code of a project.", "Begin", "init"),
    Verb("install", "Connect coding agents: hooks, MCP server, rules.", "Begin", ""),
    Verb("uninstall", "Remove everything that install added.", "Begin", ""),
    Verb("move-in", "Import the memories of another memory system.", "Begin", "move_in"),
    Verb("learn", "Learn from earlier agent sessions.", "Begin", "learn"),
    Verb("learned", "List the memories of the last learning run, for review.", "Begin", "learned"),
    Verb("synthesize", "Propose memories from several sessions on a module.", "Begin", "synthesize"),
    Verb("reflect", "Print the evidence of a session as a prompt for a model.", "Begin", "reflect"),
    Verb("index", "Index changed code: definitions, imports and calls.", "Begin", "index"),
    Verb("remember", "Store one statement, or merge it with a duplicate.", "Remember", "remember"),
    Verb("teach", "Store the statements of a text file, after a preview.", "Remember", "teach"),
    Verb("edit", "Change a memory: its text, type, tags or files.", "Remember", "edit"),
    Verb("supersede", "Replace a memory with a new one.", "Remember", "supersede"),
    Verb("search", "Search memories by question, name or path.", "Recall", "search"),
    Verb("ask", "Answer a question from memories, with citations.", "Recall", "ask"),
    Verb("context", "Pack the memories relevant to a task into a prompt block.", "Recall", "context"),
    Verb("plan", "Prepare a task: relevant memories, files to load, steps.", "Recall", "plan_context"),
    Verb(
        "related", "Show the files that change or are read together with a file.", "Recall", "related_files"
    ),
    Verb("files", "Predict the files that a task will touch.", "Recall", "predict_files"),
    Verb("checks", "Suggest commands that check a change.", "Recall", "suggest_commands"),
    Verb("impact", "Show what may break when a file or a symbol changes.", "Recall", "impact"),
    Verb("modules", "Show the modules of the code and their purposes.", "Recall", "modules"),
    Verb("show", "Show all details of a memory.", "Recall", "show"),
    Verb("list", "List memories, newest first.", "Recall", "list"),
    Verb("session", "List, show, compact and search conversations.", "Notes and conversations", "sessions"),
    Verb("note", "Keep named notes, and read conversation archives.", "Notes and conversations", "entries"),
    Verb("journal", "Show MEMORY.md, today's notes and the history.", "Notes and conversations", "journal"),
    Verb("quote", "List your quotes from sessions; keep or delete them.", "Review", "quotes"),
    Verb("wrong", "Correct a memory: wrong, outdated, too general or useless.", "Review", "wrong"),
    Verb("trust", "Show or set the trust level for advice.", "Advice", "trust"),
    Verb("verify", "Confirm memories; clears review flags and taint.", "Review", "verify"),
    Verb("pin", "Protect memories from fading and pruning.", "Review", "pin"),
    Verb("forget", "Remove memories from search; restore brings them back.", "Review", "forget"),
    Verb("restore", "Restore forgotten or superseded memories.", "Review", "restore"),
    Verb("prune", "Forget expired memories, delete long-forgotten ones.", "Review", "prune"),
    Verb("preview", "Show the text that an agent would get at an event.", "Advice", "preview"),
    Verb("trial", "Measure the effect of advice against a control group.", "Advice", "trial"),
    Verb("off", "Switch Remora off, for this project or one session.", "Advice", "turn_off"),
    Verb("on", "Switch Remora on again.", "Advice", "turn_on"),
    Verb("statusline", "Print a line for a coding agent's status bar.", "Advice", ""),
    Verb("log", "Show the texts given to agents, with time, reason and effect.", "Advice", "log"),
    Verb("why", "Show the origins of a memory, and when agents got it.", "Advice", "why"),
    Verb("share", "Share a project's memory with other machines and people.", "Sharing", "sharing"),
    Verb("team", "List, invite and change members.", "Sharing", "sharing"),
    Verb("sync", "Exchange changes with the shared log now.", "Sharing", "sharing"),
    Verb("conflicts", "Show conflicting changes of memories, or resolve one.", "Sharing", "sharing"),
    Verb("dispute", "Dispute a shared memory, or resolve a dispute.", "Sharing", "sharing"),
    Verb("status", "Show active sessions and the brief for a new session.", "The store", "status"),
    Verb("panel", "Open the memory of this machine in a browser.", "The store", ""),
    Verb("health", "Show the health score of the memory and open tasks.", "The store", "health"),
    Verb("stats", "Show counts and sizes.", "The store", "stats"),
    Verb("costs", "Show the costs of language models by purpose.", "The store", "costs"),
    Verb("doctor", "Check data, settings and models, with advice.", "The store", "doctor"),
    Verb("reindex", "Rebuild the search index and the vectors.", "The store", "reindex"),
    Verb("backup", "Copy a project's memory into one file.", "The store", "backup"),
    Verb("export", "Write memories, notes and conversations to a file.", "Your data", "export"),
    Verb("import", "Import an export file.", "Your data", "import_file"),
    Verb("erase", "Erase memories, sessions or texts for good.", "Your data", "erase"),
    Verb("privacy", "Show where data is stored and what may leave.", "Your data", "privacy"),
    Verb("recover", "Save the readable rows of a damaged database.", "The store", ""),
    Verb("mcp", "Serve the memory over MCP.", "The store", ""),
    Verb("completion", "Print the shell completion script.", "The store", ""),
    Verb("hook", "Answer one hook event of a coding agent.", "The store", "", hidden=True),
    Verb("work", "Compute missing vectors, for a bounded time.", "The store", "catch_up", hidden=True),
)

# The verbs of each group; the first is the default.
GROUPS: dict[str, tuple[Verb, ...]] = {
    "session": (
        Verb("session list", "List conversations, most recent first.", "", "sessions"),
        Verb("session show", "Show the messages of a conversation.", "", "session.messages"),
        Verb("session append", "Add a message to a conversation.", "", "session.append"),
        Verb("session compact", "Replace older messages with a summary.", "", "session.compact"),
        Verb("session new", "Write a conversation into the journal, then restart it.", "", "session.new"),
        Verb("session search", "Search conversations.", "", "search"),
        Verb("session delete", "Erase a conversation for good.", "", "erase"),
    ),
    "note": (
        Verb("note list", "List notes and archives.", "", "entries.list"),
        Verb("note show", "Show a note or an archive by name or alias.", "", "entries.show"),
        Verb("note add", "Add a note under a new name.", "", "entries.add"),
        Verb("note rename", "Rename a note; the old name stays an alias.", "", "entries.rename"),
        Verb("note alias", "Add an alias to a note.", "", "entries.alias"),
        Verb("note write", "Replace the text of a note.", "", "entries.write"),
        Verb("note remove", "Delete a note with all its names.", "", "entries.remove"),
        Verb("note dump", "Write all notes as a folder of Markdown files.", "", "entries.dump"),
        Verb("note load", "Replace all notes by those of a dumped folder.", "", "entries.load"),
        Verb("note search", "Search notes and archives by words.", "", "entries.search"),
    ),
    "quote": (
        Verb("quote list", "List your quotes from sessions, newest first.", "", "quotes"),
        Verb("quote keep", "Store a quote as a memory.", "", "keep_quote"),
        Verb("quote remove", "Delete a quote permanently.", "", "remove_quote"),
    ),
    "share": (
        Verb("share status", "Show where a project is shared, and pending changes.", "", "sharing.status"),
        Verb("share init", "Start sharing a project.", "", "sharing.init"),
        Verb("share join", "Join with an invitation.", "", "sharing.join"),
        Verb("share leave", "Stop sharing a project.", "", "sharing.leave"),
        Verb("share invite", "Invite another machine of yours.", "", "sharing.invite"),
        Verb("share add", "Share memories, or withdraw them.", "", "sharing.share"),
    ),
    "team": (
        Verb("team members", "List the members.", "", "sharing.members"),
        Verb("team create", "Start sharing a project.", "", "sharing.init"),
        Verb("team invite", "Invite a colleague.", "", "sharing.invite"),
        Verb("team join", "Join with an invitation.", "", "sharing.join"),
        Verb("team role", "Change a member's role, or end the membership.", "", "sharing.set_role"),
        Verb("team leave", "Leave the team.", "", "sharing.leave"),
    ),
    "journal": (
        Verb("journal show", "Show MEMORY.md, or the whole prompt block.", "", "journal.show"),
        Verb("journal add", "Add an entry to the history.", "", "journal.add_history"),
        Verb("journal today", "Show today's notes, or those of another day.", "", "journal.today"),
        Verb("journal history", "Show the newest history entries.", "", "journal.history"),
        Verb(
            "journal consolidate",
            "Summarise conversations into the history and MEMORY.md.",
            "",
            "journal.consolidate",
        ),
        Verb("journal versions", "List earlier versions of MEMORY.md.", "", "journal.versions"),
        Verb("journal restore", "Restore an earlier version of MEMORY.md.", "", "journal.restore"),
    ),
}


def verb(name: str) -> Verb:
    """Return a verb by its name.

    Raises:
        KeyError: the verb is unknown.

    >>> verb("search").method
    'search'
    """
    return _BY_NAME[name]


_BY_NAME = {v.name: v for v in (*VERBS, *(v for group in GROUPS.values() for v in group))}
