"""Propose memories from the common evidence of the sessions on a module, for a person's review.

After the 5th, 10th, 20th, 50th and 100th session that changed a module, up to five memories are proposed,
each with its sessions; once a week, couplings of files between modules. With a language model, one call a
module writes them, and every file, name in backticks and number in an answer must be in its evidence; without
one, plain sentences state the same evidence. A proposal that a person forgot does not come back.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.app.learning.dedup import Novelty
from remora.core.clock import days_between, to_iso
from remora.core.errors import InvalidInput, RemoraError
from remora.core.evidence import COUNTED_BY
from remora.core.text import collapse, content_hash, shorten
from remora.core.values import MemoryDraft, Taint
from remora.lifecycle.prune import is_forgotten
from remora.llm.client import Message, extract
from remora.llm.prompts import fill, load

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.values import MemoryRecord
    from remora.llm.client import LanguageModel
    from remora.store.module_evidence import Common

THRESHOLDS = (5, 10, 20, 50, 100)  # sessions on a module
MOST, MOST_MODULES, MOST_SECONDS = 5, 10, 60.0  # memories of a module; modules and seconds of a run
FILES, PAIRS, ERRORS = 12, 12, 8  # items of the evidence
TOGETHER, LIFT, MET = 3, 2.0, 2  # least sessions of a pair, lift over chance, sessions of an error
ACROSS = 5  # least sessions of a pair of files of two modules
ANSWER_TOKENS = 1_200
SHOWN = 20  # sessions in the provenance of a memory
NOVEL = 0.88  # cosine above which a proposal duplicates a memory
WEEK = 7.0  # days
TYPES = ("prefetch_pattern", "causal_dependency", "gotcha", "error_pattern", "module_insight")
CONFIDENCE = 0.6
TAG = "synthesized"
ACROSS_MODULES = "*"  # name in the log for couplings between modules
RAN = "synthesis.ran"  # meta key: when modules were last compared, ISO 8601
_NAME = re.compile(r"`([^`]+)`")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"type": "string"},
                    "content": {"type": "string"},
                    "relatedFiles": {"type": "array", "items": {"type": "string"}},
                    "confidence": {"type": "number"},
                },
                "required": ["type", "content", "relatedFiles", "confidence"],
            },
        }
    },
    "required": ["memories"],
}


class Dropped(NamedTuple):
    """A proposal that was not stored, and the reason."""

    content: str
    why: str


class Synthesized(NamedTuple):
    """The result of one module.

    Attributes:
        module: its name; "*" for couplings between modules.
        threshold: number of sessions that made it due.
        stored: memories that wait for review.
        dropped: proposals that were not stored.
        asked: a language model wrote them.
        note: the reason if the model failed; else empty.
    """

    module: str
    threshold: int
    stored: tuple[MemoryRecord, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    asked: bool = False
    note: str = ""


class _Proposal(NamedTuple):
    type: str
    content: str
    files: tuple[str, ...]
    confidence: float
    sessions: tuple[str, ...]
    key: str


def due(project: OpenProject) -> list[tuple[str, int]]:
    """Return the modules that crossed a threshold since their last synthesis, with the highest crossed."""
    evidence = project.db.module_evidence
    found = []
    for module, count in evidence.counts().items():
        crossed = max((t for t in THRESHOLDS if t <= count), default=0)
        if crossed > evidence.done(module):
            found.append((module, crossed))
    return found


def synthesize(
    project: OpenProject,
    module: str | None = None,
    *,
    dry_run: bool = False,
    asked: bool = True,
    ticks: Callable[[], float] = time.monotonic,
) -> list[Synthesized]:
    """Propose memories of modules from the evidence of sessions; see `Memory.synthesize`.

    Args:
        project: the open project.
        module: one module, due or not; by default those that are due, and once a week the couplings between
            modules.
        dry_run: store and log nothing.
        asked: a person requested it; otherwise a model is only used if `synthesis.model` is on.
        ticks: a clock for the time limit, in seconds.
    """
    project.must_be_writable()
    counts = project.db.module_evidence.counts()
    if module is not None and module not in counts:
        raise InvalidInput(f"no session changed {module!r}", hint="`remora modules` lists the modules.")
    todo = [(module, counts[module])] if module is not None else due(project)[:MOST_MODULES]
    end = ticks() + MOST_SECONDS
    model = _model(project, asked=asked)
    done = []
    for name, threshold in todo:
        if ticks() >= end:
            break
        done.append(_module(project, name, threshold, model, dry_run=dry_run))
    if module is None and ticks() < end and _week_is_over(project):
        done.append(_across(project, dry_run=dry_run))
    return done


def synthesize_when_due(project: OpenProject) -> list[Synthesized]:
    """Run the synthesis that is due, after sessions; nothing if none is."""
    if project.read_only or not project.settings.synthesis.enabled:
        return []
    if not (due(project) or _week_is_over(project)):
        return []
    return synthesize(project, asked=False)


def _model(project: OpenProject, *, asked: bool) -> LanguageModel | None:
    if not (asked or project.settings.synthesis.model):
        return None
    try:
        return project.llm("synthesis")
    except RemoraError:
        return None


def _module(
    project: OpenProject, module: str, threshold: int, model: LanguageModel | None, *, dry_run: bool
) -> Synthesized:
    evidence = project.db.module_evidence
    folder = f"{module}/"
    files = evidence.files(folder, FILES)
    pairs = evidence.pairs(folder, TOGETHER, LIFT, PAIRS)
    sessions = tuple(dict.fromkeys(i for one in files for i in one.ids))
    errors = evidence.errors(sessions, MET, ERRORS) if sessions else []
    said = _told(module, threshold, files, pairs, errors)
    proposals, note = _plain(pairs), ""
    if model is not None:
        try:
            proposals = _written(model, module, said, (*files, *pairs, *errors))
        except RemoraError as error:
            note = f"the model failed: {error}"
    found = _kept(project, module, threshold, proposals[:MOST], said, dry_run=dry_run)
    return found._replace(asked=model is not None, note=note)


def _told(
    module: str, count: int, files: Sequence[Common], pairs: Sequence[Common], errors: Sequence[Common]
) -> str:
    """Return the evidence as text: the model's prompt, and the reference for the check of its answer."""
    lines = [f"Module: {module}", f"Sessions: {count}", "", "Top files:"]
    lines += [f"{one.what[0]}: {one.sessions} sessions" for one in files]
    lines += ["", "Used together:"]
    lines += [f"{one.what[0]} + {one.what[1]}: {one.sessions} sessions" for one in pairs]
    lines += ["", "Recurring errors:"]
    for one in errors:
        message, how, tool = one.told
        fixed = f", resolved: {shorten(collapse(how), 200)}" if how else ""
        lines.append(f"{tool}: {shorten(collapse(message), 200)}: {one.sessions} sessions{fixed}")
    return "\n".join(lines)


def _plain(pairs: Sequence[Common]) -> list[_Proposal]:
    """Return the couplings in the evidence as plain sentences.

    Errors are left out: those that sessions resolved in the same way are learned already, and the others need
    a reader.
    """
    found = []
    for one in pairs:
        a, b = one.what
        text = f"`{a}` and `{b}` are used together: in {one.sessions} sessions"
        key = f"synthesis:pair:{a}:{b}"
        found.append(_Proposal("causal_dependency", text, one.what, CONFIDENCE, one.ids, key))
    return found


def _written(model: LanguageModel, module: str, said: str, evidence: Sequence[Common]) -> list[_Proposal]:
    """Return the proposals of a model about the evidence, which `said` tells; invalid items are dropped."""
    prompt = fill(load("remora.app.learning", "synthesis"), most=str(MOST))
    messages = [Message("system", prompt), Message("user", said)]
    answer = extract(model, messages, SCHEMA, max_tokens=ANSWER_TOKENS)
    found = []
    for item in answer.get("memories", ()):
        if not isinstance(item, dict) or not isinstance(item.get("content"), str):
            continue
        named = tuple(str(path) for path in item.get("relatedFiles", ()) if isinstance(path, str))
        behind = [one for one in evidence if set(one.what).intersection(named)] or evidence
        sessions = tuple(dict.fromkeys(i for one in behind for i in one.ids))
        sure = item.get("confidence")
        confidence = min(max(float(sure), 0.0), CONFIDENCE) if isinstance(sure, int | float) else CONFIDENCE
        text = collapse(item["content"])
        key = f"synthesis:{module}:{content_hash(text)[:16]}"
        found.append(_Proposal(str(item.get("type")), text, named, confidence, sessions, key))
    return found


def _across(project: OpenProject, *, dry_run: bool) -> Synthesized:
    """Propose couplings of files of different modules that the imports do not show."""
    from remora.core.paths import module_of

    known = project.db.module_evidence.pairs("", ACROSS, LIFT, 200)
    pairs = [one for one in known if module_of(one.what[0]) != module_of(one.what[1])]
    hidden = [one for one in pairs if not project.db.module_evidence.imports(*one.what)]
    proposals = [p._replace(key=p.key.replace(":pair:", ":across:")) for p in _plain(hidden[:MOST])]
    said = _told(ACROSS_MODULES, 0, (), hidden, ())
    week = int(project.clock.now() // (7 * 86_400))
    found = _kept(project, ACROSS_MODULES, week, proposals, said, dry_run=dry_run)
    if not dry_run:
        with project.db.transaction():
            project.db.meta.set(RAN, to_iso(project.clock.now()))
    return found


def _week_is_over(project: OpenProject) -> bool:
    last = project.db.meta.get(RAN)
    started = project.db.module_evidence.counts()
    return bool(started) and (last is None or days_between(last, project.clock.now()) >= WEEK)


def _kept(
    project: OpenProject,
    module: str,
    threshold: int,
    proposals: Sequence[_Proposal],
    said: str,
    *,
    dry_run: bool,
) -> Synthesized:
    """Check proposals against the evidence and the known memories, and store the rest for review."""
    db = project.db
    novelty = Novelty(project)
    fresh, dropped = [], []
    for one in proposals:
        draft = _draft(project, one)
        why = _wrong(one, said) or _known(project, novelty, draft)
        if why:
            dropped.append(Dropped(one.content, why))
        else:
            fresh.append((one, draft))
    if dry_run:
        would = tuple(Dropped(one.content, "dry run") for one, _ in fresh)
        return Synthesized(module, threshold, (), (*dropped, *would))
    stored = []
    with db.transaction():
        made = project.store("project").intake.remember_many([d for _, d in fresh], revive=False)
        for (one, _), record in zip(fresh, made, strict=True):
            if record.receipt is not None and record.receipt.action == "stored":
                names = tuple(i.partition(":")[2] for i in one.sessions[:SHOWN])
                db.memories.update(record.id, {"provenance_session_ids": names})
                stored.append(record._replace(provenance_session_ids=names))
        db.module_evidence.log(module, threshold, int(project.clock.now() * 1000), len(stored))
    return Synthesized(module, threshold, tuple(stored), tuple(dropped))


def _draft(project: OpenProject, one: _Proposal) -> MemoryDraft:
    source = project.db.module_evidence.taints(one.sessions) if one.sessions else ""
    return MemoryDraft(
        content=one.content,
        type=one.type if one.type in TYPES else "module_insight",
        source=COUNTED_BY,
        confidence=one.confidence,
        related_files=one.files,
        tags=(TAG,),
        needs_review=True,
        external_id=one.key,
        taint=Taint(source) if source else None,
    )


def _wrong(one: _Proposal, said: str) -> str:
    """Return a part of a proposal that is not in the evidence; empty if all of it is."""
    if one.type not in TYPES:
        return f"{one.type} is not a type that sessions can support"
    named = (*one.files, *_NAME.findall(one.content))
    invented = [name for name in named if not re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", said)]
    if invented:
        return f"names {invented[0]}, which is not in the evidence"
    numbers = set(_NUMBER.findall(one.content)) - set(_NUMBER.findall(said))
    return f"states {min(numbers)}, which is not in the evidence" if numbers else ""


def _known(project: OpenProject, novelty: Novelty, draft: MemoryDraft) -> str:
    """Return why a proposal is not new; empty if it is."""
    if is_forgotten(project.db, draft.external_id or ""):
        return "a person forgot it"
    if project.db.memories.with_external_id(draft.external_id or "") is not None:
        return "it was proposed before"
    near = novelty.closest(draft, None)
    return f"{near[0]} already states it" if near is not None and near[1] > NOVEL else ""
