"""Consolidate a part of a conversation into a history entry and an updated MEMORY.md.

A model produces both; without one, or if it fails, the history entry is made of the conversation's own words
and MEMORY.md is unchanged. The outcome describes each case.

Everything from reading MEMORY.md to writing it happens under the lock of `TURN`, so that two sessions never
start from the same memory and overwrite each other. The model's time begins with the lock, not with the wait
for it. The messages are best given as a function: it is called under the lock and sees the latest
consolidation of another process.

The session is marked (`done`) after everything is durable. The next consolidation, or `recover_interrupted`,
finishes after a crash in between (see `pending`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from remora.core.clock import to_iso
from remora.core.config import JournalSettings
from remora.core.errors import RemoraError
from remora.core.extract import extract
from remora.core.tokens import scripts
from remora.core.values import MemoryDraft, Message
from remora.disk.files import lock
from remora.journal.files import Journal
from remora.journal.judge import Reply, judge
from remora.journal.pending import Done, Intent, aside, carry_out, recover
from remora.journal.prompt import SCHEMA, build_prompt
from remora.journal.reply import Rejected
from remora.llm.client import Completion, LanguageModel, complete_in_time
from remora.llm.client import Message as Prompt

TURN = ".consolidation"
FALLBACK_HEAD = "[raw-fallback] Consolidation failed. Recent messages:"
FALLBACK_MESSAGES, FALLBACK_CHARS = 10, 200
RETRY_AFTER = 1.0  # seconds
MOST_TOKENS = 32_768  # of an answer, however large the memory
ENTRY_CHARS = 2_500  # an entry is read, not searched only

_TURNS_WAITED = 4  # consolidations of others, at their longest, that one waits for
_TURN_SLACK = 10.0  # seconds

How = Literal["model", "extract", "raw-fallback", "nothing"]
Messages = Sequence[Message] | Callable[[], Sequence[Message]]


class Outcome(NamedTuple):
    """The result of a consolidation.

    `how`: "model", "extract" (there is no model), "raw-fallback" (the model failed, `notes` has the reason)
    or "nothing". `facts` are memories proposed by the model, not yet stored. `kept_aside` holds unused text.
    `seconds` counts from the start of the turn.
    """

    how: How
    history_entry: str = ""
    memory_changed: bool = False
    facts: tuple[MemoryDraft, ...] = ()
    notes: tuple[str, ...] = ()
    kept_aside: Path | None = None
    seconds: float = 0.0


class _Draft(NamedTuple):
    """The text of a consolidation before it is written."""

    how: How
    entry: str
    update: str | None = None
    facts: tuple[MemoryDraft, ...] = ()
    notes: tuple[str, ...] = ()
    kept_aside: Path | None = None


def consolidate(
    journal: Journal,
    messages: Messages,
    model: LanguageModel | None,
    settings: JournalSettings,
    *,
    session_id: str = "",
    done: Done = lambda _session, _up_to: None,
    sleep: Callable[[float], None] = time.sleep,
) -> Outcome:
    """Consolidate messages into the journal, once.

    Args:
        journal: the target.
        messages: oldest first, or a function that returns them; it is called inside the turn.
        model: None for the deterministic extract.
        settings: limits of time, tokens and the memory's size.
        session_id: the session of the messages.
        done: called with the session's id and the `seq` of its last consolidated message, after everything is
            durable. It may be called again with the same numbers after a crash, and for other sessions whose
            consolidation was interrupted.
        sleep: waits before the second attempt of the model.

    Raises:
        StoreBusy: the turn did not come. Nothing was written.
        StoreError: the history could not be written. The session is not marked; the next consolidation writes
            the entry.
    """
    if not settings.enabled:
        return Outcome("nothing", notes=("the journal is off",))
    wait = _TURNS_WAITED * settings.consolidation_timeout + _TURN_SLACK
    with lock(journal.folder / TURN, timeout=wait):
        began = time.monotonic()
        before = recover(journal, done)
        told = messages() if callable(messages) else messages
        told = [m for m in told if not 0 < m.seq <= before.reached.get(session_id, 0)]
        if not any(m.content.strip() for m in told):
            return Outcome("nothing", notes=before.notes, seconds=time.monotonic() - began)
        memory = journal.read_memory()
        seen = "" if memory.problem else memory.text
        if model is None:
            draft = _Draft("extract", extracted_entry(told, session_id))
        else:
            draft = _ask(journal, seen, told, model, settings, sleep)
        now = to_iso(journal.clock.now())
        intent = Intent(session_id, max(m.seq for m in told), now, draft.entry, seen, draft.update)
        carried = carry_out(journal, intent, done)
    return Outcome(
        draft.how,
        draft.entry,
        carried.memory_changed,
        draft.facts,
        (*before.notes, *draft.notes, *carried.notes),
        carried.kept_aside or draft.kept_aside,
        time.monotonic() - began,
    )


def recover_interrupted(journal: Journal, done: Done) -> None:
    """Finish consolidations that a crash interrupted; see `consolidate` for `done`.

    Raises:
        StoreBusy: a consolidation is running.
    """
    with lock(journal.folder / TURN, timeout=_TURN_SLACK):
        recover(journal, done)


def _ask(
    journal: Journal,
    memory: str,
    messages: Sequence[Message],
    model: LanguageModel,
    settings: JournalSettings,
    sleep: Callable[[float], None],
) -> _Draft:
    prompt, left_out = build_prompt(memory, messages, settings.max_memory_size)
    asked = ask(model, prompt, memory, settings, sleep)
    reply = asked.reply
    if reply is None:
        kept, notes = aside(journal, asked.answer, asked.problem) if asked.answer else (None, ())
        return _Draft("raw-fallback", raw_fallback(messages), notes=(asked.problem, *notes), kept_aside=kept)
    times = [m.time for m in messages if m.time]
    facts = tuple(fact._replace(created_at=times[-1] if times else None) for fact in reply.facts)
    return _Draft("model", reply.history_entry, reply.memory_update, facts, (*left_out, *reply.problems))


def raw_fallback(messages: Sequence[Message]) -> str:
    """Return the entry of a failed consolidation: the beginnings of the last ten messages."""
    spoken = [m for m in messages if m.content.strip()][-FALLBACK_MESSAGES:]
    lines = [f"{m.role}: {' '.join(m.content.splitlines())[:FALLBACK_CHARS]}" for m in spoken]
    return "\n".join([FALLBACK_HEAD, *lines])


def extracted_entry(messages: Sequence[Message], session_id: str = "") -> str:
    """Return the time of a conversation's last message, if it has one, and an extract of the conversation.

    Args:
        messages: oldest first.
        session_id: named in the first line, if there is one.
    """
    times = [m.time for m in messages if m.time]
    stamp = f"[{times[-1][:10]} {times[-1][11:16]}] " if times else ""
    return stamp + extract(messages, ENTRY_CHARS, session_id=session_id)


class Asked(NamedTuple):
    """The result of a request: a reply, or the error and the unused answer, if any."""

    reply: Reply | None
    problem: str = ""
    answer: str = ""


def ask(
    model: LanguageModel,
    prompt: str,
    memory: str,
    settings: JournalSettings,
    sleep: Callable[[float], None],
) -> Asked:
    """Return a model's judged reply; the failure of a model is a result, not an error.

    Args:
        model: any language model.
        prompt: the request.
        memory: the long-term memory in the prompt.
        settings: the time limit and the tokens of the answer. A memory that would not fit gets more.
        sleep: waits before the second attempt.
    """
    deadline = time.monotonic() + settings.consolidation_timeout
    needed = scripts(memory) * 5 // 4 + 1_024  # JSON escapes and the history entry come on top
    tokens = max(settings.consolidation_tokens, min(needed, MOST_TOKENS))

    def attempt() -> Completion:
        left = max(0.05, deadline - time.monotonic())
        asked = [Prompt("user", prompt)]
        return complete_in_time(model, asked, max_tokens=tokens, schema=SCHEMA, timeout=left)

    try:
        try:
            answer = attempt()
        except RemoraError as error:
            if not error.retryable or deadline - time.monotonic() <= RETRY_AFTER:
                raise
            sleep(RETRY_AFTER)
            answer = attempt()
    except (RemoraError, OSError) as error:
        return Asked(None, f"{type(error).__name__}: {error}")
    try:
        return Asked(judge(answer.text, memory, settings.max_memory_size, answer.finish_reason))
    except Rejected as reason:
        return Asked(None, f"the answer of {model.model_id} was rejected: {reason}", answer.text)
