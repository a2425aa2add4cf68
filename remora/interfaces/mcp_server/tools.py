"""Tools of the MCP server: each calls the memory and formats the answer in a few lines.

They raise `RemoraError`; `server` converts it to errors of the protocol.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from remora.core.clock import Clock
from remora.core.errors import InvalidInput
from remora.core.text import collapse, safe, shorten
from remora.core.values import MemoryRecord
from remora.interfaces.mcp_server import answers
from remora.interfaces.mcp_server.answers import bounded, hit_line, lines, memory_line, said, source
from remora.interfaces.mcp_server.lazy_memory import Holder
from remora.interfaces.mcp_server.log import Log
from remora.interfaces.present import (
    TOLD,
    answered,
    counted,
    is_empty,
    listed,
    receipt_sentence,
    redaction_sentence,
    short,
)
from remora.interfaces.words import say
from remora.retrieval.packing import block

if TYPE_CHECKING:
    from remora.app.memory import Memory

MOST_IDS = 20  # in one call that changes memories
MOST_TOKENS = 8_000  # maximum of the budget; hosts warn at 10,000
MOST_COMPARED = 20_000  # characters; a memory has no more
LIKELY_FILES = 5
CHECKS = 3
TASK_TOKENS = 1_500  # default budget of `context_for_task`


def one_or_many(value: Any) -> Any:
    """Return a list for the forms that models write instead: a single text or object, or JSON in a string.

    >>> one_or_many("gotcha"), one_or_many('["a", "b"]'), one_or_many({"id": "a"})
    (['gotcha'], ['a', 'b'], [{'id': 'a'}])
    """
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except ValueError:
            return [value]
    return [value] if value.strip() else []


def without_nulls(value: Any) -> Any:
    """Return an object without the nulls that models write for fields that they leave out.

    >>> without_nulls({"query": "mailer", "since": None})
    {'query': 'mailer'}
    """
    if not isinstance(value, dict):
        return value
    return {name: one for name, one in value.items() if one is not None}


# Those that an agent may state; the others are made by Remora.
STATED_TYPES = (
    "decision",
    "preference",
    "requirement",
    "gotcha",
    "dead_end",
    "workflow_recipe",
    "pattern",
    "module_insight",
    "error_pattern",
)
_Many = BeforeValidator(one_or_many)
Query = Annotated[str, Field(description="A question, name, path or error.")]
Type = Annotated[str, Field(description=f"Guessed when left out: {', '.join(STATED_TYPES)}.")]
Types = Annotated[Sequence[str], _Many, Field(description="Such as gotcha, decision.")]
MinScore = Annotated[float, Field(ge=0, le=1)]
Words = Annotated[Sequence[str], _Many]
Files = Annotated[Sequence[str], _Many, Field(description="Paths from the repository's root.")]
Parents = Annotated[Sequence[str], _Many, Field(description="Ids of memories that it rests on.")]
Forbids = Annotated[
    Sequence[str],
    _Many,
    Field(
        description="What breaks it, every spelling: words of a command (git push --force), a path or glob, "
        "or code of a line: `requests.get(...verify=False)`. Whole words; ... is any text."
    ),
]
When = Annotated[
    Sequence[str],
    _Many,
    Field(
        description="Where (any): an event (commit, push, pr), command, path or glob, code, branch NAME. "
        "With forbids, both must match."
    ),
]
Wants = Annotated[
    Sequence[str],
    _Many,
    Field(description="What satisfies it (make test): not shown if the action has it, or it ran."),
]
Unless = Annotated[
    Sequence[str],
    _Many,
    Field(description="Exceptions, also branch NAME: not shown if the action has one."),
]
Id = Annotated[str, Field(description="Whole, or its first 8 characters.")]


class Correction(BaseModel):
    """What a person said is wrong with a memory."""

    id: str
    what: Literal["wrong", "outdated", "narrow", "silent"] = Field(
        description="wrong: needs right; outdated: right may say what holds now; narrow: holds only for "
        "files, modules or a branch; silent: never to be given as advice."
    )
    right: str = Field("", description="In the person's words.")
    files: Words = []
    modules: Words = []
    branch: str = ""


Wrong = Annotated[Sequence[Annotated[Correction, BeforeValidator(without_nulls)]], _Many]
Limit = Annotated[int, Field(ge=1, le=50)]
Depth = Annotated[int, Field(ge=1, le=10)]
Budget = Annotated[int, Field(ge=200, le=MOST_TOKENS, description="Tokens, about.")]
Target = Annotated[str, Field(description="path/file.py, path/file.py:Class.method, or a unique symbol.")]
Phase = Annotated[
    Literal["define", "implement", "validate", "refine", "explore", "reflect"],
    Field(description="Kind of work."),
]


class Tools:
    """The tools on the memory of one project; `descriptions.TOOLS` describes them."""

    def __init__(self, holder: Holder, clock: Clock) -> None:
        self.holder = holder
        self.clock = clock
        self.log = Log(clock.now())

    def search_memory(
        self,
        query: Query,
        types: Types = (),
        files: Files = (),
        kinds: Words = (),
        limit: Limit = 8,
        min_score: MinScore = TOLD,
        since: str = "",
        until: str = "",
        session: str = "",
        role: str = "",
        around: bool = False,
    ) -> str:
        """Return the best hits for a query."""
        now = self.clock.now()
        with self.holder.use() as memory:
            hits = memory.search(
                query,
                limit,
                types=types or None,
                files=files or None,
                kinds=kinds or None,
                min_score=min_score,
                since=since,
                until=until,
                session=session,
                role=role,
            )
            notes = _notes(memory)
            empty = not hits and is_empty(memory)
        self.log.handed_out("search_memory", query, hits, now)
        asked = repr(shorten(safe(query[:1_000]), 80))
        narrowed = types or files or kinds or since or until or session or role
        if not hits:
            return lines(_nothing(asked, empty=empty, filtered=bool(narrowed)), notes)
        clear = answered(hits)
        hits = answers.worth_showing(hits, clear=clear)
        head = f"{counted(len(hits), 'hit')} for {asked}, best first:"
        if not clear:
            head = f"No hit is clearly about {asked}; these are closest:"
        more = "{} more did not fit; ask for something narrower."
        return bounded([head], [hit_line(hit, now, around=around) for hit in hits], notes, more=more)

    def record_memory(
        self,
        content: str,
        type: Type = "",  # noqa: A002  the field's own name
        files: Files = (),
        modules: Words = (),
        tags: Words = (),
        derived_from: Parents = (),
        forbids: Forbids = (),
        when: When = (),
        wants: Wants = (),
        unless: Unless = (),
    ) -> str:
        """Store a statement of the agent, and return the result."""
        now = self.clock.now()
        # A text that repeats an unverified memory is derived from it, and so unverified, too.
        told = {"forbids": forbids, "when": when, "wants": wants, "unless": unless}
        echoes = self.log.echoes(content[:MOST_COMPARED])
        with self.holder.use(writes=True) as memory:
            if not memory.hears():
                raise InvalidInput(
                    "Remora is off here; nothing was recorded", hint="A person can run `remora on`."
                )
            # An unknown parent is refused: it might have been an unverified one.
            parents = dict.fromkeys((*(parent.id for parent in _shown(memory, derived_from)), *echoes))
            record = memory.remember(
                content,
                **memory.as_said(content[:MOST_COMPARED]),
                type=type.strip() or None,
                related_files=files,
                related_modules=modules,
                tags=tags,
                derived_from=tuple(parents),
                triggers={name: value for name, value in told.items() if value} or None,
            )
            memory.tell_session(record.id)
        self.log.recorded(record, now)
        return _received(record)

    def get_session_context(self) -> str:
        """Return the log of this session."""
        with self.holder.use() as memory:
            return answers.session_context(memory, self.log, self.clock.now())

    def analyze_impact(self, target: Target, depth: Depth = 2, limit: Limit = 30) -> str:
        """Return the code that may break when a target changes, tests to run, and memories about it."""
        now = self.clock.now()
        with self.holder.use() as memory:
            found = memory.impact(target, depth, limit=limit)
        known = found.memories[:5]
        self.log.shown("analyze_impact", target, known, now)
        blocks = []
        for impact in found:
            marks = [m for m, on in (("test", impact.test), ("a guess", impact.guess)) if on]
            how = ", ".join([impact.uses, *marks])
            blocks.append(f"- depth {impact.depth}: {collapse(impact.place)} ({how})")
        head = (
            f"{counted(len(found), 'place')} may break when {collapse(found.target)} changes, nearest first:"
        )
        if not found:
            head = f"No file that depends on {collapse(found.target)} is known."
        tests = listed(dict.fromkeys(collapse(impact.path) for impact in found.tests), 10)
        tail = [f"Tests to run: {tests}" if tests else "", *(f"note: {note}" for note in found.notes)]
        more = "{} more are left out; ask with a smaller depth."
        return bounded([*answers.remembered(known, now), head], blocks, tail, more=more)

    def get_dependencies(self, target: Target, limit: Limit = 15) -> str:
        """Return the dependencies, users and co-changed files of a file."""
        with self.holder.use() as memory:
            return answers.dependencies(memory, target, limit)

    def context_for_task(
        self, task: str, phase: Phase = "implement", files: Files = (), budget: Budget = TASK_TOKENS
    ) -> str:
        """Return memories about a task, files that it may touch, and commands that check it."""
        now = self.clock.now()
        with self.holder.use() as memory:
            likely = [f.path for f in memory.predict_files(task, LIKELY_FILES, habits=False)]
            packed = memory.context(task, phase, budget * 3 // 4, recent_files=files)
            notes = _notes(memory)
            checks = memory.suggest_commands(CHECKS, task=task, files=likely)
        self.log.handed_out("context_for_task", task, packed.hits, now)
        tail = []
        if packed.left_out:
            tail.append(f"{packed.left_out} more did not fit; a larger budget or search_memory shows them.")
        if likely:
            tail.append(f"Files it may touch: {', '.join(map(collapse, likely))}")
        if checks:
            commands = listed(f"`{shorten(c.command, 100)}`" for c in checks)
            tail.append(f"Commands that check such work: {commands}")
        text = block(packed.hits, ids=True) or "No memory is relevant to this task."
        return lines(f"{text}\n" if tail else text, tail, notes)

    def why(self, memory_id: Id) -> str:
        """Return origins, trust and recent recalls of a memory."""
        with self.holder.use() as memory:
            return answers.explained(memory, memory_id.strip(), self.log, self.clock.now())

    def forget(self, ids: Words) -> str:
        """Forget memories; an unknown id raises before the first change."""
        wanted = _wanted(ids, "forget")
        told = []
        with self.holder.use(writes=True) as memory:
            olds = _shown(memory, wanted)
            for old in olds:
                what = "already forgotten" if old.deprecated else "forgotten"
                told += _dropped(old, memory.forget(old.id), what)
            flagged = {short(d.id) for old in olds if not old.deprecated for d in memory.dependents(old.id)}
        if flagged:
            told.append(f"Dependent memories marked for review: {listed(sorted(flagged))}.")
        restore = " ".join(short(old.id) for old in olds)
        return lines(told, f"A person can restore with `remora restore {restore}`.")

    def review(self, confirm: Words = (), drop: Words = (), wrong: Wrong = (), limit: Limit = 10) -> str:
        """Return the memories that need review; or apply the user's decisions, after checking all ids."""
        if not confirm and not drop and not wrong:
            return self.waiting(limit)
        _wanted([*confirm, *drop, *(one.id for one in wrong)], "review")
        with self.holder.use(writes=True) as memory:
            yes, no = _shown(memory, confirm), _shown(memory, drop)
            bad = _shown(memory, [one.id for one in wrong])
            named = Counter(record.id for record in (*yes, *no, *bad))
            if named and named.most_common(1)[0][1] > 1:
                twice = short(named.most_common(1)[0][0])
                raise InvalidInput(
                    f"{twice} is named twice; nothing was changed", hint="Ask the person which is meant."
                )
            _must_be_safe(yes)
            told = []
            for record in yes:
                memory.verify(record.id)
                told.append(_changed(record, "confirmed"))
            for record in no:
                told += _dropped(record, memory.forget(record.id), "dropped")
            for record, one in zip(bad, wrong, strict=True):
                done = memory.wrong(
                    record.id,
                    one.what,
                    right=one.right or None,
                    files=one.files,
                    modules=one.modules,
                    branch=one.branch or None,
                )
                told.append(_changed(record, say(f"corrected.{done.choice}")))
                if done.new is not None:
                    told.append(_changed(done.new, "holds now"))
        return lines(told)

    def waiting(self, limit: Limit = 10) -> str:
        """Return the memories that need review."""
        now = self.clock.now()
        with self.holder.use() as memory:
            found = memory.list(needs_review=True, limit=limit + 1)
        shown = found[:limit]
        self.log.shown("review", "", shown, now)
        if not found:
            return "Nothing waits for review."
        blocks = []
        for record in shown:
            reason = shorten(record.review_reason, 200) if record.review_reason else ""
            why = f"\n  reason: {reason}" if reason else ""
            blocks.append(memory_line(record, now, tokens=150) + why)
        head = "These memories wait for review. Show them to the person and ask; do not decide yourself."
        tail = ["There are more; ask with a greater limit."] if len(found) > limit else []
        return bounded([head], blocks, tail, more="{} more did not fit; ask about these first.")


def _received(record: MemoryRecord) -> str:
    told = [f"{short(record.id)} {receipt_sentence(record)}."]
    if (receipt := record.receipt) is not None:
        told += [redaction_sentence(receipt.redactions), *receipt.notes]
        if receipt.action != "stored":
            told.append(f"It says:{said(shorten(record.content, 300), quoted=record.taint is not None)}")
    if record.triggers:
        lists = (f"{name} {', '.join(given)}" for name, given in record.triggers.items() if given)
        told.append(shorten(f"Shown by its patterns: {'; '.join(lists)}", 400))
    if record.taint is not None:
        told.append(
            f"It is unverified: it repeats text learned after reading {source(record.taint.source)}. "
            f"A person can confirm it with `remora verify {short(record.id)}`."
        )
    elif record.needs_review:
        told.append("It waits for review" + (f": {record.review_reason}" if record.review_reason else ""))
    return lines(told)


def _changed(record: MemoryRecord, what: str) -> str:
    text = said(shorten(record.content, 120), quoted=record.taint is not None)
    return f"{short(record.id)} {what}:{text}"


def _dropped(old: MemoryRecord, gone: MemoryRecord, what: str) -> list[str]:
    notes = gone.receipt.notes if gone.receipt is not None else ()
    return [_changed(old, what), *notes]


def _wanted(ids: Sequence[str], tool: str) -> list[str]:
    given = [i.strip() for i in ids]
    if not given or not all(given):
        raise InvalidInput(f"{tool} needs the ids of memories", hint="search_memory shows them.")
    if len(given) > MOST_IDS:
        raise InvalidInput(f"{tool} takes at most {MOST_IDS} ids in one call, not {len(given)}")
    return given


def _shown(memory: Memory, ids: Sequence[str]) -> list[MemoryRecord]:
    return list({record.id: record for record in (memory.show(i.strip()) for i in ids)}.values())


def _must_be_safe(records: Sequence[MemoryRecord]) -> None:
    """Check that no memory is tainted: the untrusted text may have told the agent to confirm it.

    Raises:
        InvalidInput: a memory is tainted.
    """
    if unsafe := [short(record.id) for record in records if record.taint is not None]:
        raise InvalidInput(
            f"{listed(unsafe)} rests on untrusted text, which only a person can confirm; nothing was changed",
            hint=f"At a terminal: `remora verify {' '.join(unsafe)}`.",
        )


def _notes(memory: Memory) -> list[str]:
    """Return the notes of an answer; omit "no embedding model" if the settings turned it off."""
    wanted = memory.settings.embedding.provider == "none"
    return [f"note: {n}" for n in memory.notes if not (wanted and n == "no embedding model")]


def _nothing(asked: str, *, empty: bool, filtered: bool) -> str:
    if empty:
        return (
            "Nothing is remembered in this project yet. A person can run `remora init` to read rule files, "
            "history and code; record_memory stores a statement."
        )
    return f"Nothing is remembered about {asked}" + (" that matches the filters." if filtered else ".")
