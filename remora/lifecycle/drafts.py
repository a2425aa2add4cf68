"""Validate a proposed memory field by field, clean it and remove its secrets, before it is stored.

Drafts come from outside: a wrong type, a lone surrogate or a megabyte of binary data is refused with the name
of the field, so that the store holds valid values only. Secrets are removed from free text. An identifier (an
id, a branch) cannot be shortened: one that holds a secret is refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from remora.core import payloads
from remora.core.clock import from_iso, to_iso
from remora.core.errors import InvalidInput
from remora.core.statement import is_statement
from remora.core.text import clean, collapse, controls, shorten, sound
from remora.core.values import (
    MEMORY_SCOPES,
    MEMORY_SOURCES,
    MEMORY_TYPES,
    RELATION_TYPES,
    TRIGGER_FIELDS,
    MemoryDraft,
    Redaction,
    Relation,
    Taint,
    WorkUnitRef,
)
from remora.lifecycle.redaction import holds_secret, redact_json

MAX_CONTENT_CHARS = 20_000  # a memory is a statement; a document belongs in a file
MOST_PATTERNS = 40  # in one list of triggers; a hook holds them against each action
MAX_PAYLOAD_CHARS = 100_000
MAX_LIST_ITEMS = 200
MAX_NAME_CHARS = 1_000
CITATION_CHARS = 40  # section 3
MAX_DAYS = 1e6
MAX_WHOLE = 2**53  # every JSON reader represents it exactly
BINARY_SHARE = 0.1  # share of control and replacement characters
_IDENTITIES = (
    "session_id",
    "commit_sha",
    "branch",
    "methodology",
    "external_id",
    "chunk_type",
    "target_node_id",
)
_R = TypeVar("_R", Relation, Taint, WorkUnitRef)
_FLAGS = ("needs_review", "user_verified", "pinned")
_WHOLE = ("chunk_start_line", "chunk_end_line", "origin_line")


class Prepared(NamedTuple):
    """A draft that may be stored: cleaned, redacted, checked."""

    draft: MemoryDraft
    redactions: tuple[Redaction, ...]

    @property
    def taken_out(self) -> int:
        """Number of secrets missing from the memory: found now, or marked as redacted in its text before."""
        return max(sum(r.count for r in self.redactions), self.draft.content.count("[REDACTED:"))


def prepare(draft: MemoryDraft, custom_types: Callable[[], Iterable[str]] = tuple) -> Prepared:
    """Return a draft in the form that may be stored, with the redactions.

    Args:
        draft: the proposed memory.
        custom_types: returns the types that plugins add; called only for a type that is not built in.

    Raises:
        InvalidInput: the draft cannot be stored.
    """
    if not isinstance(draft, MemoryDraft):
        raise InvalidInput(f"a draft must be a MemoryDraft, not {type(draft).__name__}")
    counts: dict[str, int] = {}
    content = _content(draft.content)
    if draft.type not in MEMORY_TYPES:
        one_of("type", draft.type, (*MEMORY_TYPES, *custom_types()))
    one_of("source", draft.source, MEMORY_SOURCES)
    one_of("scope", draft.scope, MEMORY_SCOPES)
    content = str(redact_json(content, counts))
    if not _says_something(content):
        raise InvalidInput("content is only a secret", hint="Describe its purpose, without the value.")
    citation = _text("citation_text", draft.citation_text) or content
    changes: dict[str, Any] = {
        "content": content,
        "confidence": _share("confidence", draft.confidence),
        "citation_text": shorten(str(redact_json(citation, counts)), CITATION_CHARS),
        "tags": _names("tags", draft.tags, counts),
        "related_files": _names("related_files", _paths(draft.related_files), counts),
        "related_modules": _names("related_modules", _paths(draft.related_modules), counts),
        **{name: _identities(name, getattr(draft, name)) for name in ("derived_from", "impacted_node_ids")},
        "relations": _relations(draft.relations, counts),
        "triggers": _triggers(draft.triggers, counts),
        "payload": _payload(draft.type, draft.payload, counts),
        "taint": _taint(draft.taint, counts),
        "work_unit_ref": _work_unit(draft.work_unit_ref, counts),
        "created_at": checked_instant("created_at", draft.created_at),
        "decay_half_life_days": _days("decay_half_life_days", draft.decay_half_life_days),
        "said": _free_text("said", draft.said, counts),
        "context_prefix": _free_text("context_prefix", draft.context_prefix, counts),
        "origin_path": _free_text("origin_path", draft.origin_path, counts),
        **{name: _optional_identity(name, getattr(draft, name)) for name in _IDENTITIES},
        **{name: _flag(name, getattr(draft, name)) for name in _FLAGS},
        **{name: _whole(name, getattr(draft, name)) for name in _WHOLE},
    }
    redactions = tuple(Redaction(kind, number) for kind, number in sorted(counts.items()))
    return Prepared(draft._replace(**changes), redactions)


def require_statement(prepared: Prepared) -> None:
    """Check that a statement can be understood on its own: a single word cannot.

    Imported drafts are not checked.

    Raises:
        InvalidInput: the content has fewer than two words, or only the name of a secret.
    """
    content = prepared.draft.content
    if is_statement(content):
        return
    if prepared.taken_out:
        raise InvalidInput("content is only a secret", hint="Describe its purpose, without the value.")
    raise InvalidInput(f"content is too short: {content!r:.60}", hint="Write what to remember as a sentence.")


def _content(text: object) -> str:
    """Return a content that can be stored."""
    if not isinstance(text, str):
        raise InvalidInput(f"content must be text, not {type(text).__name__}")
    if len(text) > MAX_CONTENT_CHARS:
        raise InvalidInput(
            f"content has {len(text):,} characters; a memory has at most {MAX_CONTENT_CHARS:,}",
            hint="Store a summary with the path of the file that contains the rest.",
        )
    decoded = sound(text)
    stripped = decoded.strip()
    cleaned = clean(stripped).strip()
    if controls(stripped) + decoded.count("\ufffd") > BINARY_SHARE * len(decoded):
        raise InvalidInput("content looks like binary data", hint="Remember text; name the file instead.")
    if not any(c.isalnum() for c in cleaned):
        raise InvalidInput("content is empty", hint="Write what to remember as a sentence.")
    return cleaned


def one_of(name: str, value: str, known: Sequence[str]) -> None:
    """Check that a value is among the known ones.

    Raises:
        InvalidInput: it is not.
    """
    if value not in known:
        raise InvalidInput(f"unknown {name} {value!r:.60}", hint=f"Choose one of {', '.join(known)}.")


def _says_something(redacted: str) -> bool:
    outside = "".join(part.partition("]")[2] for part in f"]{redacted}".split("[REDACTED:"))
    return any(c.isalnum() for c in outside)


def _text(name: str, value: object) -> str | None:
    """Return a short text, valid and clean; None for None and for blank text."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be text, not {type(value).__name__}")
    if len(value) > MAX_CONTENT_CHARS:
        raise InvalidInput(f"{name} has {len(value):,} characters; the maximum is {MAX_CONTENT_CHARS:,}")
    return collapse(clean(sound(value))) or None


def _free_text(name: str, value: object, counts: dict[str, int]) -> str | None:
    text = _text(name, value)
    return None if text is None else str(redact_json(text, counts))[:MAX_NAME_CHARS]


def _optional_identity(name: str, value: object) -> str | None:
    text = _text(name, value)
    return None if text is None else _identity(name, text)


def _identity(name: str, text: str) -> str:
    if len(text) > MAX_NAME_CHARS:
        raise InvalidInput(f"{name} has {len(text):,} characters; the maximum is {MAX_NAME_CHARS:,}")
    if holds_secret(text):
        raise InvalidInput(f"{name} holds a secret", hint="Give it a name that can be stored.")
    return text


def _identities(name: str, values: object) -> tuple[str, ...]:
    return tuple(_identity(name, text) for text in _texts(name, values))


def _texts(name: str, values: object) -> list[str]:
    if values is None:
        return []
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidInput(f"{name} must be a list of texts, not {type(values).__name__}")
    found: dict[str, None] = {}
    for value in values:
        if not isinstance(value, str):
            raise InvalidInput(f"{name} must be a list of texts, not of {type(value).__name__}")
        text = collapse(clean(sound(value)))
        if text:
            found[text] = None
    if len(found) > MAX_LIST_ITEMS:
        raise InvalidInput(f"{name} has {len(found)} items; the maximum is {MAX_LIST_ITEMS}")
    return list(found)


def _names(name: str, values: object, counts: dict[str, int]) -> tuple[str, ...]:
    clean_names = (str(redact_json(text, counts))[:MAX_NAME_CHARS] for text in _texts(name, values))
    return tuple(dict.fromkeys(clean_names))


def _paths(values: object) -> object:
    """Return paths as git writes them, with forward slashes; path objects become texts."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        return values
    plain = (os.fspath(v) if isinstance(v, os.PathLike) else v for v in values)
    return [v.replace("\\", "/").removeprefix("./") if isinstance(v, str) else v for v in plain]


def _relations(values: object, counts: dict[str, int]) -> tuple[Relation, ...]:
    if not isinstance(values, list | tuple):
        raise InvalidInput(f"relations must be a list of Relation, not {type(values).__name__}")
    found = []
    for number, value in enumerate(values):
        one = _record(f"relations[{number}]", value, Relation)
        one_of("relation", one.relation_type, RELATION_TYPES)
        target = _optional_identity("target_memory_id", one.target_memory_id)
        path = _free_text("target_file_path", one.target_file_path, counts)
        if (target is None) == (path is None):
            raise InvalidInput("a relation must have one target: target_memory_id or target_file_path")
        share = _share("a relation's confidence", one.confidence)
        extracted = _flag("auto_extracted", one.auto_extracted)
        found.append(Relation(one.relation_type, target, path, share, extracted))
    return tuple(found)


def _payload(memory_type: str, value: object, counts: dict[str, int]) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidInput(f"payload must be a mapping, not {type(value).__name__}")
    try:
        checked = payloads.validate(memory_type, value)
        text = sound(json.dumps(redact_json(checked, counts), ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"the payload is not valid for {memory_type}: {error}") from None
    if len(text) > MAX_PAYLOAD_CHARS:
        raise InvalidInput(f"payload has {len(text):,} characters; the maximum is {MAX_PAYLOAD_CHARS:,}")
    return dict(json.loads(text))


def _triggers(value: object, counts: dict[str, int]) -> dict[str, list[str]] | None:
    """Return the triggers of a memory: lists of patterns under TRIGGER_FIELDS."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or not set(value) <= set(TRIGGER_FIELDS):
        raise InvalidInput(f"triggers must be a mapping with {', '.join(TRIGGER_FIELDS)}")
    found = {name: list(_names(name, value[name], counts)) for name in TRIGGER_FIELDS if value.get(name)}
    if any(len(patterns) > MOST_PATTERNS for patterns in found.values()):
        raise InvalidInput(f"a list of triggers has more than {MOST_PATTERNS} patterns")
    return found or None


def _taint(value: object, counts: dict[str, int]) -> Taint | None:
    if value is None:
        return None
    taint = _record("taint", value, Taint)
    source = _free_text("taint", taint.source, counts)
    if source is None:
        raise InvalidInput("taint must be a Taint that names its source", hint='Taint("web_fetch", step=12)')
    return Taint(source, _whole("taint.step", taint.step))


def _work_unit(value: object, counts: dict[str, int]) -> WorkUnitRef | None:
    if value is None:
        return None
    unit = _record("work_unit_ref", value, WorkUnitRef)
    methodology = _optional_identity("methodology", unit.methodology)
    label = _free_text("label", unit.label, counts)
    if methodology is None or label is None:
        raise InvalidInput("a work unit must have a methodology and a label")
    return WorkUnitRef(methodology, _names("hierarchy", unit.hierarchy, counts), label)


def _record(name: str, value: object, record: type[_R]) -> _R:
    """Return a record; a mapping of its fields may stand for it, in which None counts as missing."""
    if isinstance(value, Mapping):
        try:
            value = record(**{field: one for field, one in value.items() if one is not None})
        except TypeError:
            hint = f"Its fields are {', '.join(record._fields)}."
            raise InvalidInput(f"{name} has missing or unknown fields", hint=hint) from None
    if not isinstance(value, record):
        raise InvalidInput(f"{name} must be a {record.__name__}, not {type(value).__name__}")
    return value


def checked_instant(name: str, value: object) -> str | None:
    """Return an ISO 8601 time in UTC in Remora's form, None for None.

    Raises:
        InvalidInput: the value is no time, or outside the years 1000 to 9999.
    """
    if value is None:
        return None
    stamp = ""
    if isinstance(value, str):
        with suppress(ValueError, OverflowError, OSError):
            stamp = to_iso(from_iso(value))
    if len(stamp) != len("2026-01-01T00:00:00.000Z"):
        raise InvalidInput(f"{name} must be an ISO 8601 time, not {value!r:.60}")
    return stamp


def _share(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise InvalidInput(f"{name} must be between 0 and 1, not {value!r:.60}")
    return float(value)


def _days(name: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_DAYS:
        raise InvalidInput(f"{name} must be a number of days, 0 for never, not {value!r:.60}")
    return float(value)


def _whole(name: str, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_WHOLE:
        raise InvalidInput(f"{name} must be a whole number, not {value!r:.60}")
    return value


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} must be true or false, not {value!r:.60}")
    return value
