"""Files that change together over sessions though nothing in their names says so.

What counts is changes, not reads: an agent reads much that it does not need. A pair is told when

    it changed together in three sessions or more
    in at least half of the sessions that changed the file the sentence starts from
    clearly more often than chance would have it (lift), given how often each of them changes
    and no listing would show it: a test beside its file, a header, the same name with another ending

A sweeping session (a rename over the whole tree) says nothing about pairs and is left out of the
counts. A pair is told once, from the file that predicts the other better; all partners of one file make
one memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from remora.core.cochange import name
from remora.core.events import Observation
from remora.core.values import Relation
from remora.observer import signals
from remora.observer.candidate import Candidate, draft
from remora.observer.seen import SWEEPING, Seen, SeenCount
from remora.observer.sentences import cited, code, seen_words

SESSIONS = 3  # a pair must have changed together in
SHARE = 0.5  # of the sessions that changed the first file
LIFT = 1.8  # times as often as chance
PARTNERS = 3  # that one memory names
CONFIDENCE = 0.65
_EVERYWHERE = ("go.mod", "go.sum", "package.json", "package-lock.json", "yarn.lock", "uv.lock", "Cargo.lock")


def coupled(session: Observation, seen: Seen) -> Iterator[Candidate]:
    """Yield one candidate for each changed file with partners that change with it."""
    changed = sorted({use.path for use in session.files if use.edits and not outside(use.path)})
    if not 2 <= len(changed) <= SWEEPING:
        return
    total = seen.total().sessions
    counts = {path: seen.edits(path) for path in changed}
    pairs = {path: seen.co_edits(path) for path in changed}
    for path in changed:
        partners = _partners(path, counts, pairs[path], total)
        if partners:
            yield _candidate(session, path, counts[path], partners)


def outside(path: str) -> bool:
    """Return whether a path lies outside the repository, or is no source of it."""
    return path.startswith(("/", "~", "..")) or path.rsplit("/", 1)[-1] in _EVERYWHERE


def obvious(a: str, b: str) -> bool:
    """Return whether any listing shows that two files belong together.

    >>> obvious("cli/clean.go", "cli/clean_test.go"), obvious("src/a.c", "include/a.h")
    (True, True)
    >>> obvious("cli/clean.go", "strategy/strategy.go")
    False
    """
    return name(a).stem == name(b).stem


def _partners(
    path: str, counts: Mapping[str, SeenCount], together: Mapping[str, SeenCount], total: int
) -> list[tuple[str, SeenCount]]:
    """Return the partners of a file that changed in this session too, the surest first."""
    own = counts[path].sessions
    found: list[tuple[float, str, SeenCount]] = []
    for other, both in together.items():
        if other not in counts or both.sessions < SESSIONS or obvious(path, other):
            continue
        theirs = counts[other].sessions
        share, back = both.sessions / own, both.sessions / theirs
        lift = both.sessions * total / (own * theirs)
        if share < SHARE or lift < LIFT or back > share or (back == share and other < path):
            continue
        found.append((-share, other, both))
    return [(other, both) for _, other, both in sorted(found)[:PARTNERS]]


def _candidate(
    session: Observation, path: str, own: SeenCount, partners: list[tuple[str, SeenCount]]
) -> Candidate:
    weakest = min((both for _, both in partners), key=lambda both: both.sessions)
    words = [f"{code(other)} ({both.sessions} of {own.sessions} sessions)" for other, both in partners]
    what = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    count = SeenCount(own.sessions, own.first, max(both.last or "" for _, both in partners) or own.last)
    content = f"When {code(path)} is changed, {what} usually {'changes' if len(words) == 1 else 'change'} too"
    memory = draft(
        session,
        "causal_dependency",
        f"{content}; last {(count.last or '')[:10]}.",
        signal="co_access",
        key=path,
        confidence=CONFIDENCE,
        files=(path, *(other for other, _ in partners)),
        tags=("co-change",),
        citation=cited(count, session.session_id),
    )
    relations = tuple(
        Relation(
            "required_with",
            target_file_path=other,
            confidence=both.sessions / own.sessions,
            auto_extracted=True,
        )
        for other, both in partners
    )
    rule = signals.KINDS["co_access"]
    return Candidate(
        "co_access",
        path,
        memory._replace(relations=relations, branch=None),
        rule.score,
        rule.score,
        SESSIONS,
        weakest,
        f"changed together {seen_words(weakest)}",
    )
