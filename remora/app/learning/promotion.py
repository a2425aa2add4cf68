"""Record a session beside all earlier ones, and store the memories that the evidence supports by now.

One transaction a session (two if a model writes memories): its rows, the sums over all sessions, its
memories, and the record of what was learned. A memory that a person forgot, or changed since it was learned,
stays as it is; one that Remora retired itself is restored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.app.learning import commit_taint
from remora.app.learning import quotes as quoting
from remora.app.learning.dedup import Novelty
from remora.app.project.branches import became, to_stamp
from remora.app.project.locate import branch_of
from remora.core.change import acting
from remora.core.clock import to_iso
from remora.core.errors import InvalidInput, RemoraError
from remora.core.statement import said_on
from remora.core.text import query_terms, shorten
from remora.core.values import Filters
from remora.lifecycle.flags import (
    BRANCH_GONE,
    OVERTURNED,
    SPOKEN_AGAINST,
    overturned_by,
    retired_for,
)
from remora.lifecycle.prune import is_forgotten
from remora.observer.candidate import Rejected
from remora.observer.couplings import outside
from remora.observer.promotion import Discarded, Promoted, Promotion, promote, tallies
from remora.store.session_reader import LearnedRow
from remora.store.session_writer import Pair

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.events import Observation, Signal
    from remora.core.values import MemoryDraft, MemoryRecord
    from remora.llm.client import LanguageModel
    from remora.observer.candidate import Candidate, Withdrawn
    from remora.observer.evidence import Piece
    from remora.observer.writer import Known
    from remora.sources.branches import Branch


WITHDRAWN = "withdrawn"
WRITER = "written"  # meta key: when a model first wrote memories, ISO 8601
MOST_TELLING = ("stored", "restored", "updated", "merged")
A_PERSON = Discarded("", "a person's word", "it was forgotten or changed here")
OTHERWISE = Discarded("", "overturned", "a later statement says otherwise")
NEW = 5  # pieces of evidence that a session must have added before a model is asked about it again
KNOWN, REMEMBERED = 10, 240  # memories in the model's prompt, and characters of each
TERMS = 32  # terms of the person's words in the search for those memories
BRANCH = Discarded("", "branch", "its branch was deleted unmerged")


class Learnt(NamedTuple):
    """A learned memory: the record, the action and its reason.

    The action is "stored", "merged", "updated" or "restored"; "withdrawn" is a memory of an earlier run that
    more sessions contradict.
    """

    memory: MemoryRecord
    action: str
    why: str


class Taken(NamedTuple):
    """The result of one session: learned memories, dropped candidates with their filter, and problems."""

    learnt: tuple[Learnt, ...]
    discarded: tuple[Discarded, ...]
    notes: tuple[str, ...] = ()


class _Written(NamedTuple):
    """The answer of a model about a session; `digests` names the evidence that it read, empty if none."""

    candidates: tuple[Candidate, ...] = ()
    discarded: tuple[Discarded, ...] = ()
    notes: tuple[str, ...] = ()
    digests: str = ""


class Promoter:
    """Records sessions in the memory of a project; a dry run calls no model.

    `made` is applied to each draft before it is stored, such as to set its unit of work.
    """

    def __init__(
        self,
        project: OpenProject,
        *,
        dry_run: bool = False,
        made: Callable[[MemoryDraft], MemoryDraft] = lambda draft: draft,
    ) -> None:
        self.dry_run = dry_run
        self._made = made
        self._project = project
        self._own = project.store("project")
        self._db = self._own.db
        self._novelty = Novelty(project)
        self._done: dict[str, str] = {}  # the action on each memory so far
        self._branches: dict[str, Branch | None] = {}
        self._gave_up = False  # on the language model
        self._since: str | None = None  # when the current session began

    def take(self, observation: Observation, seen: str, run: int) -> Taken:
        """Record a session and store the memories that the evidence supports by now.

        Args:
            observation: the session; it replaces earlier records of it.
            seen: the fingerprint of its files, to recognise it again.
            run: the number under which `learned` lists its memories.
        """
        self._since = observation.started
        model = self._model()
        with acting(f"observer:{observation.host}:{observation.session_id}"):
            with self._db.transaction():
                pairs, summed = pairs_of(observation), tallies(observation)
                self._db.sessions.record(observation, pairs, seen, self._time(), summed)
                commit_taint.note(self._db, observation, self._time())
                if self._project.settings.learn.quotes:
                    quoting.take_in(self._db, observation, self._stamp(observation.branch))
                if model is None:
                    return self._promoted(observation, run, ())
            # A model takes seconds, so no transaction is open meanwhile. A crash here loses nothing: the
            # transcript is marked as read afterwards, and a second reading replaces these records.
            written = self._written(model, observation)
            with self._db.transaction():
                taken = self._promoted(observation, run, written.candidates)
                if written.digests:
                    self._db.meta.set(_asked(observation), written.digests)
                    if written.candidates:
                        self._db.meta.set(WRITER, self._time())
        return taken._replace(
            discarded=(*taken.discarded, *written.discarded), notes=(*taken.notes, *written.notes)
        )

    def _promoted(self, observation: Observation, run: int, more: Iterable[Candidate]) -> Taken:
        """Filter the candidates of a session and store the rest; call inside a transaction."""
        stored = self._db.sessions
        promotion = promote(observation, stored, similar=self._similar, overtaken=self._overtaken, more=more)
        return self._kept(promotion, run)

    def _time(self) -> str:
        return to_iso(self._project.clock.now())

    def _model(self) -> LanguageModel | None:
        """Return the model that writes memories; None if it is off or failed."""
        if not self._project.settings.learn.synthesis or self.dry_run or self._gave_up:
            return None
        try:
            return self._project.llm("learn")
        except RemoraError:
            return None

    def _written(self, model: LanguageModel, observation: Observation) -> _Written:
        """Ask the model for memories of a session, unless it saw nearly the same evidence before."""
        from remora.observer.evidence import USER, pack
        from remora.observer.writer import write

        pieces = pack(observation, self._db.sessions)
        digests = " ".join(piece.digest for piece in pieces)
        before = str(self._db.meta.get(_asked(observation)) or "").split()
        new = set(digests.split()) - set(before)
        if all(piece.kind == USER for piece in pieces) or len(new) < (NEW if before else 1):
            return _Written()
        seconds = self._project.settings.learn.synthesis_timeout
        try:
            found = list(write(model, observation, pieces, self._known(pieces), timeout=seconds))
        except (RemoraError, OSError) as error:
            self._gave_up = True  # a failing model costs one timeout, not one for each session
            return _Written(notes=(f"the language model failed and was not called again: {error}",))
        fresh = tuple(one for one in found if not isinstance(one, Rejected))
        if self._db.meta.get(WRITER) is None:  # a person reviews the first ones
            fresh = tuple(c._replace(draft=c.draft._replace(needs_review=True)) for c in fresh)
        rejected = [Discarded(one.what, "writer", one.why) for one in found if isinstance(one, Rejected)]
        return _Written(fresh, tuple(rejected), (), digests)

    def _known(self, pieces: Sequence[Piece]) -> list[Known]:
        """Return the untainted memories relevant to the evidence of a session, best first."""
        from remora.observer.evidence import USER  # both are imported only if a model writes
        from remora.observer.writer import Known

        said = " ".join(piece.text for piece in pieces if piece.kind == USER)
        filters = Filters(branch=branch_of(self._project.location.repository))
        found = [i for i, _ in self._db.fulltext.memories(query_terms(said, TERMS), filters, KNOWN)]
        records = self._db.memories.get_many(found)
        clean = (records[i] for i in found if i in records and records[i].taint is None)
        return [Known(one.id, shorten(one.content, REMEMBERED)) for one in clean]

    def _kept(self, promotion: Promotion, run: int) -> Taken:
        """Store the promoted drafts and record them; call inside a transaction."""
        learnt: list[Learnt] = []
        discarded = list(promotion.discarded)
        notes: list[str] = []
        for promoted in (p._replace(draft=self._made(p.draft)) for p in promotion.promoted):
            try:
                one = self._store(promoted)
            except InvalidInput as error:
                notes.append(f"a memory was not stored: {error}")
                continue
            if isinstance(one, Discarded):
                draft = promoted.draft
                discarded.append(one._replace(what=draft.content, external_id=draft.external_id or ""))
            else:
                one = one._replace(memory=self._shown_in(one.memory, promoted))
                learnt.append(self._noted(run, self._of_all(one)))
                if one.action in ("stored", "restored"):
                    self._replace(one.memory, promoted.replaces)
        gone = filter(None, map(self._withdraw, promotion.withdrawn))
        learnt += [self._noted(run, one) for one in gone]
        return Taken(tuple(learnt), tuple(discarded), tuple(notes))

    def _noted(self, run: int, one: Learnt) -> Learnt:
        """Record a learned memory at once: a repetition in the session must not look like a person's edit."""
        row = LearnedRow(one.memory.id, one.action, one.why, one.memory.content, self._time())
        self._db.sessions.note_learned(run, [row])
        return one

    def _of_all(self, one: Learnt) -> Learnt:
        """Return the action of the whole run on a memory: a new one stays "stored" when seen again."""
        done = {one.action, self._done.get(one.memory.id, one.action)}
        action = next(action for action in MOST_TELLING if action in done)
        self._done[one.memory.id] = action
        return one._replace(action=action)

    def _store(self, promoted: Promoted) -> Learnt | Discarded:
        """Store a draft, or return why not: a person forgot or changed the memory that it would refresh."""
        draft = promoted.draft._replace(branch=self._stamp(promoted.draft.branch))
        known = self._db.memories.with_external_id(draft.external_id or "")
        before = self._db.sessions.last_learned(known.id) if known is not None else None
        if known is not None and before is not None and before.text != known.content:
            return A_PERSON
        if known is None and is_forgotten(self._db, draft.external_id or ""):
            return A_PERSON
        intake = self._own.intake
        record = intake.remember(draft, revive=False)
        receipt = record.receipt
        assert receipt is not None
        if receipt.action != "skipped":
            return Learnt(record, receipt.action, promoted.why)
        reason = retired_for(record)
        if not reason:
            return A_PERSON
        if reason.startswith(BRANCH_GONE) and self._is_gone(promoted.draft.branch):
            return BRANCH
        if reason.startswith(OVERTURNED) and said_on(draft.content) <= said_on(record.content):
            return OTHERWISE
        self._own.upkeep.restore(record.id)
        record = intake.remember(draft)
        return Learnt(record, "restored", promoted.why)

    def _shown_in(self, record: MemoryRecord, promoted: Promoted) -> MemoryRecord:
        """Add the earlier sessions that showed a memory to its provenance."""
        known = record.provenance_session_ids
        whole = tuple(dict.fromkeys((*known, *map(_name, promoted.sessions))))
        if whole == known or record.external_id != promoted.draft.external_id:
            return record
        self._db.memories.update(record.id, {"provenance_session_ids": whole})
        return record._replace(provenance_session_ids=whole)

    def _withdraw(self, withdrawn: Withdrawn) -> Learnt | None:
        """Retire a memory that the counts no longer support, unless a person confirmed it."""
        known = self._db.memories.with_external_id(withdrawn.external_id)
        if known is None or not self._is_as_learnt(known):
            return None
        return Learnt(self._own.upkeep.retire(known.id, SPOKEN_AGAINST), WITHDRAWN, withdrawn.why)

    def _replace(self, new: MemoryRecord, ids: Sequence[str]) -> None:
        """Retire the memories that a new one replaces, unless a person verified or pinned them."""
        for record in self._db.memories.get_many(ids).values():
            if not (record.deprecated or record.pinned or record.user_verified or record.id == new.id):
                self._own.upkeep.retire(record.id, overturned_by(new.id))

    def _is_as_learnt(self, record: MemoryRecord) -> bool:
        """Return whether no person has confirmed, pinned or changed a memory since it was learned."""
        before = self._db.sessions.last_learned(record.id)
        touched = record.deprecated or record.pinned or record.user_verified
        return not touched and before is not None and before.text == record.content

    def _is_gone(self, branch: str | None) -> bool:
        """Return whether a session's branch was deleted unmerged."""
        found = self._became(branch) if branch is not None else None
        return found is not None and found.state == "deleted"

    def _overtaken(self, candidate: Candidate) -> str:
        """Return why a candidate no longer holds; "" also for code of a branch that is not checked out.

        A candidate of several sessions is for the whole project: it must hold here, on whatever branch they
        were.
        """
        stamp = self._stamp(candidate.draft.branch)
        elsewhere = stamp is not None and stamp != branch_of(self._project.location.repository)
        return "" if elsewhere else overtaken(self._project, candidate)

    def _stamp(self, branch: str | None) -> str | None:
        return to_stamp(self._became(branch), self._since) if branch is not None else None

    def _became(self, branch: str) -> Branch | None:
        if branch not in self._branches:
            self._branches[branch] = became(self._project, branch)
        return self._branches[branch]

    def _similar(self, draft: MemoryDraft) -> tuple[str, float] | None:
        """Return the memory closest to a draft; the one that it refreshes comes first."""
        if draft.external_id and self._db.memories.with_external_id(draft.external_id) is not None:
            return (draft.external_id, 1.0)
        return self._novelty.closest(draft, self._stamp(draft.branch))


def _asked(observation: Observation) -> str:
    return f"written:{observation.host}:{observation.session_id}"


def _name(session: str) -> str:
    """Return the host's own id of a session; ids in the database have the host's name before it."""
    return session.partition(":")[2]


def pairs_of(observation: Observation) -> list[Pair]:
    """Return the pairs of files of a session's co-access signals, in both orders."""
    return [pair for signal in observation.signals if signal.type == "co_access" for pair in _both(signal)]


def _both(signal: Signal) -> Iterator[Pair]:
    paths, detail = signal.paths, signal.detail
    for (a, b), way in ((paths[:2], "forward"), (paths[1::-1], "backward")):
        if times := detail.get(way) or 0:
            yield Pair(a, b, int(times))


def overtaken(project: OpenProject, candidate: Candidate) -> str:
    """Return why a candidate no longer holds by the current code; empty if it does, or without an index.

    Sessions undo or move much of their work later, and a memory of it would mislead.
    """
    if not project.db.chunks.any():
        return ""
    files = [path for path in candidate.draft.related_files if not outside(path)]
    gone = [path for path in files if not _exists(project.location.root / path)]
    together = candidate.signal == "co_access"
    if gone and (together or len(gone) == len(files)):
        return f"`{gone[0]}` no longer exists"
    if together and files[1:] and project.db.file_coupling.of(files[0]).keys() >= {*files[1:]}:
        return "the code already links these files"
    return ""


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
