"""The frozen records that cross package lines.

They are NamedTuples: light enough for a hook's short process, immutable, and cheap to copy with
`_replace`. External values are validated before they become one of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

MemoryType = Literal[
    "gotcha",  # a trap or a constraint that is not obvious
    "decision",  # an architectural decision with its rationale
    "preference",  # how the user or the project likes things done
    "pattern",  # a reusable way to implement something
    "requirement",  # what the software must do
    "error_pattern",  # a recurring error and its fix
    "module_insight",  # what a module is for
    "prefetch_pattern",  # files always or often read together
    "work_state",  # partial work, for the next session
    "causal_dependency",  # file A must be touched when file B changes
    "task_calibration",  # actual against planned steps
    "e2e_observation",  # a fact about the user interface, seen through a tool
    "dead_end",  # an approach tried and given up
    "work_unit_outcome",  # how a unit of work ended
    "workflow_recipe",  # a procedure, step by step
    "context_cost",  # tokens that a module costs
]
MemorySource = Literal[
    "agent_explicit", "observer_inferred", "qa_auto", "mcp_auto", "commit_auto", "user_taught"
]
MemoryScope = Literal["global", "module", "work_unit", "session"]
RelationType = Literal["required_with", "conflicts_with", "validates", "supersedes", "derived_from"]
Phase = Literal["define", "implement", "validate", "refine", "explore", "reflect"]
HitSource = Literal[
    "memory", "commit", "session", "longterm", "note", "archive", "history", "daily", "quote", "turn", "code"
]
EntryKind = Literal["note", "archive"]

MEMORY_TYPES: tuple[str, ...] = get_args(MemoryType)
MEMORY_SOURCES: tuple[str, ...] = get_args(MemorySource)
MEMORY_SCOPES: tuple[str, ...] = get_args(MemoryScope)
TRIGGER_FIELDS = ("forbids", "when", "wants", "unless")  # lists of patterns; see `core.pattern_triggers`
RELATION_TYPES: tuple[str, ...] = get_args(RelationType)
PHASES: tuple[str, ...] = get_args(Phase)
HIT_SOURCES: tuple[str, ...] = get_args(HitSource)
MEMORY_KINDS = ("memory", "commit", "session")  # of rows of `memories`; see `core.evidence`
FILE_KINDS = ("longterm", "note", "archive", "history", "daily")  # sources of hits in journal and entry files
NOTE_KINDS = (*FILE_KINDS, "quote")  # of rows of `notes`
MOST_LISTED = 10_000_000  # memories of one list
ENTRY_KINDS: tuple[str, ...] = get_args(EntryKind)


class WorkUnitRef(NamedTuple):
    """The unit of work of a memory, in the terms of a methodology."""

    methodology: str
    hierarchy: tuple[str, ...]
    label: str


class Relation(NamedTuple):
    """A typed link from a memory to another memory or to a file; one of the two targets is set."""

    relation_type: str
    target_memory_id: str | None = None
    target_file_path: str | None = None
    confidence: float = 1.0
    auto_extracted: bool = False


class Taint(NamedTuple):
    """Where untrusted text entered a memory's ancestry; only a person's word removes it."""

    source: str
    step: int | None = None


class Origin(NamedTuple):
    """One source of a memory. Merged memories keep the origins of all their parts."""

    source: str
    at: str
    session_id: str | None = None
    commit_sha: str | None = None
    path: str | None = None
    line: int | None = None
    text: str | None = None  # the words, if they differ from the memory's own


class Redaction(NamedTuple):
    """The number of redacted secrets of one kind. Never the value."""

    kind: str
    count: int  # type: ignore[assignment]  # hides tuple.count, which is not needed here


class Receipt(NamedTuple):
    """The result of storing or changing a memory.

    `action` is "stored", "merged" (into a duplicate: `merged_with` is its id, `similarity` is 1.0 for the
    same text), "updated", "skipped", "restored" or "forgotten".
    """

    action: str
    merged_with: str | None = None
    similarity: float = 0.0
    redactions: tuple[Redaction, ...] = ()
    notes: tuple[str, ...] = ()


class MemoryDraft(NamedTuple):
    """A proposed memory; the store sets its id, dates and half-life."""

    content: str
    type: str = "pattern"
    source: str = "agent_explicit"
    scope: str = "global"
    confidence: float = 0.8
    tags: tuple[str, ...] = ()
    related_files: tuple[str, ...] = ()
    related_modules: tuple[str, ...] = ()
    session_id: str | None = None
    commit_sha: str | None = None
    branch: str | None = None
    work_unit_ref: WorkUnitRef | None = None
    methodology: str | None = None
    relations: tuple[Relation, ...] = ()
    derived_from: tuple[str, ...] = ()
    taint: Taint | None = None
    payload: Mapping[str, Any] | None = None
    citation_text: str | None = None
    said: str | None = None  # the words of a person that it restates; kept with its origin
    decay_half_life_days: float | None = None  # None: the default of its type
    needs_review: bool = False
    user_verified: bool = False
    pinned: bool = False
    external_id: str | None = None
    chunk_type: str | None = None
    chunk_start_line: int | None = None
    chunk_end_line: int | None = None
    context_prefix: str | None = None
    target_node_id: str | None = None
    impacted_node_ids: tuple[str, ...] = ()
    triggers: Mapping[str, Any] | None = None  # patterns by TRIGGER_FIELDS; None: read from the text
    created_at: str | None = None  # when it became true, if not now
    origin_path: str | None = None
    origin_line: int | None = None


class MemoryRecord(NamedTuple):
    """A stored memory. Dates are ISO 8601 in UTC; confidence is 0..1 before decay."""

    id: str
    type: str
    content: str
    confidence: float
    tags: tuple[str, ...]
    related_files: tuple[str, ...]
    related_modules: tuple[str, ...]
    created_at: str
    updated_at: str
    last_accessed_at: str
    access_count: int
    scope: str
    source: str
    project_id: str
    session_id: str | None = None
    commit_sha: str | None = None
    branch: str | None = None
    work_unit_ref: WorkUnitRef | None = None
    methodology: str | None = None
    relations: tuple[Relation, ...] = ()
    derived_from: tuple[str, ...] = ()
    provenance_session_ids: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    taint: Taint | None = None
    payload: Mapping[str, Any] | None = None
    citation_text: str | None = None
    decay_half_life_days: float | None = None  # None: never decays
    needs_review: bool = False
    review_reason: str | None = None
    user_verified: bool = False
    pinned: bool = False
    deprecated: bool = False
    deprecated_at: str | None = None
    stale_at: str | None = None
    superseded_by: str | None = None
    redaction_count: int = 0
    external_id: str | None = None
    chunk_type: str | None = None
    chunk_start_line: int | None = None
    chunk_end_line: int | None = None
    context_prefix: str | None = None
    target_node_id: str | None = None
    impacted_node_ids: tuple[str, ...] = ()
    triggers: Mapping[str, Any] | None = None
    trust_level_scope: str = "personal"
    silent: bool = False
    embedding_model_id: str | None = None
    realm: str = "project"  # the database that contains it
    receipt: Receipt | None = None  # set on what `remember` returns, never stored


class Turn(NamedTuple):
    """One message of a conversation as the search index sees it.

    `position` counts the indexed turns of a session from 0 without gaps. `time` is the speaker's own text for
    its time, `at` the same as ISO 8601 in UTC, None if unknown.
    """

    id: int
    session_id: str
    seq: int
    position: int
    role: str
    content: str
    time: str | None = None
    external_id: str | None = None
    at: str | None = None


class ToolCall(NamedTuple):
    """A tool call of a message; `arguments` is any JSON value, as the model gave it."""

    id: str
    name: str
    arguments: Any = None


class Message(NamedTuple):
    """One message of a session's log.

    `seq` counts from 1 in the log; 0 is a message outside the log (a summary). `time` is ISO 8601
    in UTC; `time_text` is the caller's own text for it, if that was not ISO 8601.
    """

    seq: int
    role: str
    content: str
    time: str | None = None
    external_id: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None
    metadata: Mapping[str, Any] | None = None
    time_text: str | None = None


RESULT_ROLES = frozenset({"tool", "function"})


def is_result(message: Message) -> bool:
    """Return whether a message is a tool result; one that calls tools itself is not."""
    return not message.tool_calls and (
        message.role.lower() in RESULT_ROLES or message.tool_call_id is not None
    )


class Entry(NamedTuple):
    """One entry of the entry store: a person's or an agent's note, or the archive of a compaction.

    `name` and `aliases` resolve to it; each is unique among all names and aliases. `created_at` is
    ISO 8601 in UTC, to the second. `kind` is "note" or "archive".
    """

    id: int
    name: str
    content: str
    kind: str = "note"
    aliases: tuple[str, ...] = ()
    created_at: str = ""


class Filters(NamedTuple):
    """The filters of a search, applied to every candidate path. An empty filter passes everything.

    `since` (inclusive) and `until` (exclusive) are ISO 8601. Results without a time, session or role do not
    pass a filter on it.
    """

    types: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    scope: str | None = None
    branch: str | None = None
    kinds: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    session: str | None = None
    role: str | None = None

    @property
    def folders(self) -> tuple[str, ...]:
        """The modules as filters on files: a memory about a file of a module is about the module."""
        return tuple(f"{module}/" for module in self.modules)

    @property
    def said(self) -> bool:
        """Whether a filter on time, session or role is set."""
        return any(one is not None for one in (self.since, self.until, self.session, self.role))


class Reason(NamedTuple):
    """The effect of one stage on a hit's rank.

    `rank` is its place after the stage, from 1; `score` is the stage's score or factor.
    """

    stage: str
    score: float
    rank: int | None = None
    note: str = ""

    def __str__(self) -> str:
        place = f" #{self.rank}" if self.rank is not None else ""
        return f"{self.stage}{place} {self.score:.3f}" + (f": {self.note}" if self.note else "")


def quote_id(number: int) -> str:
    """Return the name of a quote for people and agents.

    >>> quote_id(12)
    'q12'
    """
    return f"q{number}"


class Hit(NamedTuple):
    """One search result. `score` is a calibrated relevance, 0..1, higher is better."""

    id: str
    source: str
    text: str
    score: float
    why: tuple[Reason, ...] = ()
    memory: MemoryRecord | None = None
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    external_id: str | None = None
    session_id: str | None = None
    role: str | None = None
    time: str | None = None
    realm: str = "project"
    disagrees_with: tuple[str, ...] = ()
    symbol: str | None = None  # of code: the qualified name of the definition
    answers: str = ""  # of a quote: the end of the message it answers
    context: tuple[Turn, ...] = ()  # of a turn: the two before it and the two after it
    amended_by: tuple[str, ...] = ()  # of a turn: later turns of its speaker on the same subject

    @property
    def kind(self) -> str:
        """The type of a memory, "commit" for the record of one, or the source of any other hit."""
        if self.memory is None:
            return self.source
        return "commit" if self.memory.source == "commit_auto" else self.memory.type


class Context(NamedTuple):
    """A packed block for a prompt: the text, the hits in it and its size in tokens (estimated)."""

    text: str
    hits: tuple[Hit, ...]
    tokens: int
    budget: int
    phase: str
    left_out: int = 0


class FileHit(NamedTuple):
    """A file with a score (0..1, higher is closer) and the evidence in words."""

    path: str
    score: float
    why: tuple[str, ...] = ()


class Author(NamedTuple):
    """An author of changes to a file, and the number of commits. A name, never an address."""

    name: str
    commits: int


class Ownership(NamedTuple):
    """A file's module and its authors, from the git history.

    Attributes:
        module: see `core.paths.module_of`; "." is the root.
        commits: number of commits that changed it; very large commits do not count.
        authors: their authors, most first.
        first_date, last_date: of those commits, ISO 8601; "" if there are none.
        present: False for a deleted file.
    """

    path: str
    module: str
    commits: int = 0
    authors: tuple[Author, ...] = ()
    first_date: str = ""
    last_date: str = ""
    present: bool = True


HISTORY = "git history"  # skipped by `init` if git could not read it


class Skipped(NamedTuple):
    """An item that was not stored, and the reason."""

    what: str
    why: str


class Used(NamedTuple):
    """A memory that was used in a session.

    Attributes:
        memory_id: its id.
        how: its purpose in words, if known.
        ok: whether it helped; None if unknown.
    """

    memory_id: str
    how: str = ""
    ok: bool | None = None
