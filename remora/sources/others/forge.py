"""Read Forge's long-term memory: Markdown files with front matter, one per immutable version of a memory.

The front matter has `id`, `created_at`, `updated_at`, `version`, `scope` (repo or user), `category`,
`supersedes` (the id of the version before), `related` (ids, each with a `relationship`), `session_id` and
`trigger`. Versions form chains. Only the newest of a chain is live; the older ones are reported, not
imported. A version is superseded only by a higher one, so a damaged chain that is a cycle has an end too. If
two versions supersede the same one, both are live.

The external id of a chain is its oldest id, even if that file is gone: a version added later changes the
memory instead of creating a second one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from remora.core.values import MemoryDraft
from remora.sources.instant import instant
from remora.sources.others.files import File, files_of, read_note
from remora.sources.others.import_result import Found, Gatherer, Link, Unreadable

SYSTEM = "forge"
CATEGORIES = {
    "coding-preferences": "preference",
    "project-conventions": "preference",
    "architectural-decisions": "decision",
    "user-facts": "preference",
    "corrections": "gotcha",
    "patterns": "pattern",
}
CONFIDENCE = 0.7  # a classifier took it from a conversation
# A search covers `relates-to`; `supersedes` is the chain itself.
_RELATIONS = {"refines": "derived_from", "contradicts": "conflicts_with"}
_RELATED = re.compile(r"\bid:\s*+(\S{1,200})\s++relationship:\s*+(\S+)")


class Version(NamedTuple):
    """One file: its memory, without the external id of its chain, and its place in the chain."""

    place: str
    id: str
    version: int
    updated_at: str
    supersedes: str
    related: tuple[tuple[str, str], ...]  # relationship, id
    draft: MemoryDraft


def read(path: Path) -> Found:
    """Return the memories of a folder, or of one file."""
    gather = Gatherer(SYSTEM)
    versions: dict[str, Version] = {}
    for file in files_of(path, gather):
        if file.path.suffix != ".md":
            gather.pass_over("files", file.shown, "not a memory file")
            continue
        with gather.taking("memories", file.shown):
            found = parse(file)
            if found.id in versions:
                raise Unreadable(f"the id {found.id} also occurs in {versions[found.id].place}")
            versions[found.id] = found
    _take(versions, gather)
    return gather.found()


def parse(file: File) -> Version:
    """Return the version in a file.

    Raises:
        Unreadable: it has no front matter, or required fields are missing.
    """
    said = read_note(file.path, 1 << 20)
    if not said.front:
        begins = said.first_line == 1 and said.body.startswith("---")
        raise Unreadable("unclosed front matter" if begins else "no front matter")
    for key in ("id", "scope", "category", "version"):
        if not said.value(key):
            raise Unreadable(f"front matter without {key}")
    number = said.value("version")
    if not number.isascii() or not number.isdigit() or not int(number[:12]) > 0:
        raise Unreadable("front matter with a version that is not a positive number")
    created = instant(said.value("created_at")) or ""
    return Version(
        place=file.shown,
        id=said.value("id"),
        version=int(number[:12]),
        updated_at=instant(said.value("updated_at")) or created,
        supersedes="" if (before := said.value("supersedes")) in ("null", "~") else before,
        related=tuple((kind, to) for to, kind in _RELATED.findall(said.value("related"))),
        draft=MemoryDraft(
            content=said.body.strip(),
            type=CATEGORIES.get(said.value("category"), "pattern"),
            source="observer_inferred",
            confidence=CONFIDENCE,
            tags=(f"scope:{said.value('scope')}", said.value("category")),
            session_id=said.value("session_id") or None,
            created_at=created or None,
            origin_path=file.shown,
            origin_line=said.first_line,
        ),
    )


def _take(versions: dict[str, Version], gather: Gatherer) -> None:
    """Keep the newest version of each chain and report the others."""
    superseded = {
        one.supersedes
        for one in versions.values()
        if (before := versions.get(one.supersedes)) and before.version < one.version
    }
    live: dict[str, str] = {}  # id of a version to the external id of its memory
    names: dict[str, str] = {}  # any id to the external id of what it became
    chains = {name: _chain(name, versions) for name in versions if name not in superseded}
    times = Counter(chain[-1] for chain in chains.values())
    for name, chain in chains.items():
        live[name] = f"{SYSTEM}:{chain[-1] if times[chain[-1]] == 1 else name}"
        for member in chain:
            names.setdefault(member, live[name])
    for one in versions.values():
        if one.id in live:
            gather.draft(one.draft._replace(external_id=live[one.id]), one.place)
            for kind, target in one.related:
                if kind in _RELATIONS and target in names:
                    gather.link(Link(live[one.id], _RELATIONS[kind], names[target]))
        else:
            gather.skip("memories", one.place, "an older version of an imported memory")


def _chain(name: str, versions: Mapping[str, Version]) -> list[str]:
    """Return the ids from a version back to its oldest, including one without a file."""
    chain: dict[str, None] = {}
    while name and name not in chain:
        chain[name] = None
        name = versions[name].supersedes if name in versions else ""
    return list(chain)
