"""Formats of values and errors as JSON and as text, shared by all interfaces.

JSON has every field of a record under its own name; a missing value is null, so that a document always has
the same keys. Texts are short and stable, because scripts split them into columns.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from remora.core.errors import EXIT_CODES, NotFound, RemoraError
from remora.core.text import collapse
from remora.core.values import NOTE_KINDS, Hit, MemoryRecord, Origin, Ownership, Receipt, Redaction
from remora.interfaces.words import in_words, say, spoken

if TYPE_CHECKING:
    from remora.app.memory import Memory

SHORT_ID = 8
MOST_AUTHORS = 3
# Characters that `json` does not escape and a terminal executes or hides: DEL, C1, direction marks, tags.
_RAW_IN_JSON = re.compile(
    r"[\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)

GOOD = 0.5  # calibrated relevance from which a hit is clearly about the question
FAINT = 0.1  # relevance below which a hit is hardly about the question
NAMED = 0.8  # graph score from which the question names the hit's file
TOLD = 0.05  # relevance below which a hit is not listed: it only shares a common word with the question


def parents_of(memory: Memory, record: MemoryRecord) -> list[MemoryRecord]:
    """Return the memories that a memory was derived from, without pruned ones."""
    found = []
    for memory_id in record.derived_from:
        with suppress(NotFound):
            found.append(memory.show(memory_id))
    return found


def as_json(value: Any) -> Any:
    """Return a value that `json` can encode: records become objects, non-finite numbers become null.

    >>> as_json(Redaction("password", 1))
    {'kind': 'password', 'count': 1}
    """
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: as_json(part) for name, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): as_json(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json(part) for part in (value if isinstance(value, Sequence) else sorted(value))]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    return str(value)


def dumps(value: Any, *, ascii_only: bool = False) -> str:
    """Return a value as one JSON document, indented, without a line end.

    Control characters and invisible characters are escaped: the data stays exact, and a terminal shows it.
    """
    document = json.dumps(as_json(value), ensure_ascii=ascii_only, indent=2, allow_nan=False)
    return _RAW_IN_JSON.sub(lambda found: json.dumps(found[0])[1:-1], document)


def error_document(error: BaseException) -> dict[str, Any]:
    """Return an error as `{"error": {"kind", "message", "hint", "retryable"}}`.

    >>> from remora.core.errors import NotFound
    >>> error_document(NotFound("there is no memory 'x'"))["error"]["kind"]
    'NotFound'
    """
    return {
        "error": {
            "kind": type(error).__name__,
            "message": str(error) if isinstance(error, RemoraError) else unexpected(error),
            "hint": getattr(error, "hint", ""),
            "retryable": getattr(error, "retryable", False),
        }
    }


def unexpected(error: BaseException) -> str:
    """Return one line about an unexpected error."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}{': ' + str(error.filename) if error.filename else ''}"
    said = " ".join(str(error).split())
    return f"unexpected error ({type(error).__name__}{': ' + said if said else ''})"


def exit_code(error: BaseException) -> int:
    """Return the exit code of an error's class, or of its nearest base class with one.

    >>> from remora.core.errors import StoreBusy
    >>> exit_code(StoreBusy("held")), exit_code(ValueError("?"))
    (11, 1)
    """
    known = (EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES)
    return next(known, EXIT_CODES[RemoraError])


def short(memory_id: str) -> str:
    """Return the first SHORT_ID characters of an id."""
    return memory_id[:SHORT_ID]


def age(iso: str | None, now: float) -> str:
    """Return the age of an instant, in words; the text itself if it is not ISO 8601.

    Args:
        iso: ISO 8601, or another text for a time.
        now: seconds since the epoch.

    >>> age("1970-01-01T00:00:00Z", 7200.0), age("1970-01-01T00:00:00Z", 3 * 86400.0)
    ('2 h ago', '3 days ago')
    """
    return spoken().ago(iso, now)


def when(iso: str | None, now: float) -> str:
    """Return an instant and its age: `2026-01-01 12:00 UTC (3 days ago)`."""
    if not iso:
        return ""
    stamp = f"{iso[:10]} {iso[11:16]} UTC" if iso.endswith("Z") and len(iso) >= 17 else iso
    return f"{stamp} ({age(iso, now)})"


def place(origin: Origin) -> str:
    """Return the place of an origin in short form: a line of a file, a commit, a session or a source.

    >>> place(Origin("user_taught", "2026-01-01", path="AGENTS.md", line=12))
    'AGENTS.md:12'
    """
    if origin.path:
        return f"{origin.path}:{origin.line}" if origin.line else origin.path
    if origin.commit_sha:
        return say("place.commit", sha=origin.commit_sha[:10])
    said = said_by(origin.source)
    return say("place.in", who=said, where=origin.session_id) if origin.session_id else said


def said_by(source: str) -> str:
    """Return the source of a memory as a word."""
    return spoken().known(f"by.{source}", source)


def whence(record: MemoryRecord) -> str:
    """Return the place of a memory's first origin, and the number of further origins."""
    if not record.origins:
        return said_by(record.source)
    more = len(record.origins) - 1
    return place(record.origins[0]) + (f" +{more}" if more else "")


def hit_key(hit: Hit) -> str:
    """Return the key of a hit for users: the short id of a memory, the id of any other hit."""
    return short(hit.memory.id) if hit.memory is not None else hit.external_id or hit.id


def about(hit: Hit) -> bool:
    """Return whether a hit is clearly about a question: by relevance, or because it names the hit's file."""
    named = any(reason.stage == "graph" and reason.score >= NAMED for reason in hit.why)
    return hit.score >= (FAINT if named else GOOD)


def is_empty(memory: Memory) -> bool:
    """Return whether a project has no memories and no records."""
    return not (memory.list(limit=1) or memory.list(limit=1, records=True))


def answered(hits: Sequence[Hit]) -> bool:
    """Return whether any hit is clearly about a question."""
    return any(map(about, hits))


def hit_whence(hit: Hit) -> str:
    """Return the origin of a hit, in short form."""
    if hit.memory is not None:
        return whence(hit.memory)
    if hit.session_id:
        return say("place.in", who=hit.role, where=hit.session_id) if hit.role else hit.session_id
    if hit.symbol:
        return hit.symbol
    if hit.source in NOTE_KINDS:
        return ""  # its key is the origin: the name of an entry, or the place in a file
    if hit.path:
        return f"{hit.path}:{hit.start_line}" if hit.start_line else hit.path
    return hit.source


def hit_files(hit: Hit) -> tuple[str, ...]:
    """Return the files that a hit is about."""
    if hit.memory is not None:
        return hit.memory.related_files
    return (hit.path,) if hit.path and hit.session_id else ()


def marks(record: MemoryRecord) -> tuple[str, ...]:
    """Return the marks of a memory, such as its trust and review state, a few words each."""
    return tuple(say(f"mark.{name}", value=value) for name, value in _marked(record))


def brief_marks(record: MemoryRecord) -> tuple[str, ...]:
    """Return the marks of a memory as a word or two each, for lists; a branch keeps its name."""
    return tuple(say(f"mark.brief.{name}", value=value) for name, value in _marked(record))


def warns(record: MemoryRecord) -> bool:
    """Return whether a memory has a mark that is a warning."""
    return any(name not in ("yours", "branch", "pinned", "verified") for name, _ in _marked(record))


def _marked(record: MemoryRecord) -> list[tuple[str, str]]:
    due = "due" if record.review_reason else "review"
    found = [
        ("yours", record.realm == "user", ""),
        ("branch", record.branch, record.branch),
        ("pinned", record.pinned, ""),
        ("verified", record.user_verified, ""),
        ("superseded", record.superseded_by, short(record.superseded_by or "")),
        ("forgotten", record.deprecated and not record.superseded_by, ""),
        (due, record.needs_review, in_words(record.review_reason or "")),
        ("tainted", record.taint, record.taint and record.taint.source),
        ("stale", record.stale_at, (record.stale_at or "")[:10]),
    ]
    return [(name, value or "") for name, on, value in found if on]


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "memory", "memories"), counted(1200, "file")
    ('1 memory', '1,200 files')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(items: Iterable[str], most: int = 0) -> str:
    """Return items joined by commas: at most `most` (0 for all), and the number of further ones.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    found = [*items]
    if most and len(found) > most:
        return say("listed", items=", ".join(found[:most]), n=len(found) - most)
    return ", ".join(found)


def redaction_sentence(redactions: Sequence[Redaction]) -> str:
    """Return a sentence about the number and kinds of removed secrets; empty for none."""
    if not redactions:
        return ""
    total = sum(r.count for r in redactions)
    kinds = ", ".join(f"{r.count} {r.kind}" for r in redactions)
    return say("secrets.kinds", n=total, kinds=kinds)


def owned_sentence(owned: Ownership) -> str:
    """Return a sentence about a file's module, number of commits and main authors.

    >>> from remora.core.values import Author
    >>> ada, bo = Author("Ada", 3), Author("Bo", 1)
    >>> owned_sentence(Ownership("a/b/c.py", "a/b", 4, (ada, bo), "2026-01-01", "2026-01-04T12:00:00.000Z"))
    'a/b/c.py is in module a/b; 4 commits: Ada 3, Bo 1; last 2026-01-04'
    """
    where = say("owned.root") if owned.module == "." else say("owned.module", name=owned.module)
    is_in = say("owned.is", path=owned.path, where=where)
    was_in = say("owned.was", path=owned.path, where=where)
    told = [is_in if owned.present else was_in]
    if owned.commits:
        people = ", ".join(f"{a.name} {a.commits:,}" for a in owned.authors[:MOST_AUTHORS])
        told += [
            say("owned.commits", n=owned.commits, people=people),
            say("owned.last", day=owned.last_date[:10]),
        ]
    return collapse(say("semicolon").join(told))


def receipt_sentence(record: MemoryRecord) -> str:
    """Return the result of storing a memory, in words that follow its id."""
    receipt = record.receipt or Receipt("stored")
    alike = (
        say("receipt.same")
        if receipt.similarity >= 1.0
        else say("receipt.alike", share=spoken().percent(receipt.similarity))
    )
    return say(f"receipt.{receipt.action}", type=record.type, alike=alike)
