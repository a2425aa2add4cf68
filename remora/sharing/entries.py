"""Entries of the shared log: signed changes of memories and of membership.

In transit an entry is one line of JSON. The signature covers the header with the digest of the body, so that
the body of an erased memory can be emptied and the line still verifies. Fields of newer versions are kept and
passed on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from remora.core.errors import InvalidInput
from remora.sharing.keys import is_signed, sign

VERSION = 1
MAX_BYTES = 1_000_000  # of a line
MEMBERSHIP = ("space", "invite", "join", "role", "leave")
TALK = ("dispute", "comment", "resolve")
# The header in a line, for the first fields of `Entry`.
_HEADER = ("space", "device", "n", "rev", "memory", "parents", "hlc", "scope", "op", "author")
_HLC = 19


class Entry(NamedTuple):
    """One entry.

    Attributes:
        space: id of its log.
        device: id of the device that wrote it.
        n: number among the entries of the device, from 1, without gaps.
        rev: id of the change, as in `memory_revisions`.
        memory_id: id of the changed memory; empty for a membership entry.
        parents: shared changes of the memory that its author had seen.
        hlc: its time; see `store.revisions`.
        scope: "project:KEY", "team", "organization"; empty for a membership entry.
        op: see `core.change.Op`, and MEMBERSHIP.
        author: the kind of author: "person", "agent", "observer", "synthesis" or "system".
        fields: changed columns, as stored.
        why: the reason in words.
        line: the transmitted line, without a line break.
    """

    space: str
    device: str
    n: int
    rev: str
    memory_id: str
    parents: tuple[str, ...]
    hlc: str
    scope: str
    op: str
    author: str
    fields: Mapping[str, Any]
    why: str = ""
    line: str = ""

    @property
    def at(self) -> float:
        """Its time by its device's clock, in seconds since the epoch."""
        return int(self.hlc[:13]) / 1000

    @property
    def order(self) -> tuple[str, str, int]:
        """Its sort key among all entries."""
        return (self.hlc, self.device, self.n)


def seal(seed: str, entry: Entry) -> Entry:
    """Return an entry with its signed line.

    Raises:
        InvalidInput: its line would exceed MAX_BYTES.
    """
    body = {"fields": dict(entry.fields), "why": entry.why}
    head = {"v": VERSION, **dict(zip(_HEADER, entry, strict=False)), "digest": _digest(body)}
    line = _canonical({**head, "body": body, "sig": sign(seed, _canonical(head).encode())})
    if len(line.encode()) > MAX_BYTES:
        raise InvalidInput(f"a change of {entry.memory_id[:8]} has more than {MAX_BYTES:,} bytes")
    return parse(line)


def parse(line: str) -> Entry:
    """Return the entry in a line, without verifying it.

    Raises:
        InvalidInput: the line is no entry.
    """
    try:
        found = json.loads(line)
        body = found["body"]
        head = dict(zip(Entry._fields, (found[name] for name in _HEADER), strict=False))
        number, parents = head.pop("n"), head.pop("parents")
        texts = (*head.values(), found["digest"], found["sig"])
        well_formed = (
            all(isinstance(text, str) for text in (*texts, *parents))
            and isinstance(parents, list)
            and isinstance(number, int)
            and number > 0
            and len(found["hlc"]) == _HLC
            and found["hlc"].isdecimal()
            and (body is None or (isinstance(body["fields"], dict) and isinstance(body["why"], str)))
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        well_formed = False
    if not well_formed or len(line) > MAX_BYTES or "\n" in line:
        raise InvalidInput("a line of the shared log is not a valid entry")
    told = body or {"fields": {}, "why": ""}
    return Entry(
        n=number,
        parents=tuple(parents),
        **head,
        fields=told["fields"],
        why=told["why"],
        line=line,
    )


def is_genuine(entry: Entry, key: str) -> bool:
    """Return whether a device with this public key wrote the entry, header and body."""
    found = json.loads(entry.line)
    body, signature = found.pop("body"), found.pop("sig")
    if body is not None and _digest(body) != found["digest"]:
        return False
    return is_signed(key, signature, _canonical(found).encode())


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(body).encode()).hexdigest()


def _canonical(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
