"""Couplings: files that change together over sessions although their names do not show it.

Changes count, not reads: an agent reads much that it does not need. Sessions of one branch and day are one
occasion, because they are mostly one piece of work. A pair is reported if

    it changed together on three occasions or more
    on most of the occasions that changed the first file; with only three, on each
    clearly more often than by chance (lift), given how often each of them changes
    and the names do not show it: a test beside its file, a header, the same name with another ending

A sweeping session (a rename over the whole tree) tells nothing about pairs and proposes none. A pair is
reported once, from the file that predicts the other better; all partners of one file make one memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from remora.core.cochange import name
from remora.core.events import Observation, SeenCount
from remora.core.values import Relation
from remora.observer.candidate import Candidate, Withdrawn, candidate, code, external_id, shown_by
from remora.observer.paths import is_lock, is_test
from remora.shell.location import inside
from remora.store.session_reader import SessionReader

SWEEPING = 40  # files; a session that changed more does not show which of them belong together
SESSIONS = 3  # occasions on which a pair must have changed together
SHARE = 0.6  # of the occasions that changed the first file, with one miss added
LIFT = 1.8  # times as often as chance
PARTNERS = 3  # in one memory, at most
CONFIDENCE = 0.65
_MANIFESTS = ("go.mod", "package.json", "Cargo.toml", "pyproject.toml")


def coupled(session: Observation, seen: SessionReader) -> Iterator[Candidate | Withdrawn]:
    """Yield one candidate for each changed file with partners; memories that no longer hold are withdrawn."""
    changed = sorted({use.path for use in session.files if use.edits and not outside(use.path)})
    if len(changed) > SWEEPING:
        return
    for path in changed:
        own = seen.edits(path)
        if own.sessions < SESSIONS:
            continue
        partners = _partners(path, own.sessions, seen)
        if partners:
            yield _candidate(session, path, own, partners)
        else:
            yield Withdrawn(
                external_id("causal_dependency", "co_access", path), "no file changes with it any longer"
            )


def outside(path: str) -> bool:
    """Return whether a path lies outside the repository, or is a lock file or a manifest."""
    return not inside(path) or is_lock(path) or path.rsplit("/", 1)[-1] in _MANIFESTS


def obvious(a: str, b: str) -> bool:
    """Return whether the names of two files show that they belong together.

    >>> obvious("cli/clean.go", "cli/clean_test.go"), obvious("src/a.c", "include/a.h")
    (True, True)
    >>> obvious("cli/clean.go", "strategy/strategy.go")
    False
    """
    return name(a).stem == name(b).stem


def goes_without_saying(path: str, other: str) -> bool:
    """Return whether a coupling need not be reported: the names show it, or `other` is no source file.

    >>> goes_without_saying("tests/test_a.py", "src/b.py"), goes_without_saying("src/b.py", "src/schema.sql")
    (True, False)
    """
    return outside(other) or obvious(path, other) or (is_test(path) and not is_test(other))


def _partners(path: str, own: int, seen: SessionReader) -> list[tuple[str, SeenCount]]:
    """Return the files that usually change with a file, the most frequent first."""
    total = seen.totals().sessions
    found: list[tuple[float, str, SeenCount]] = []
    for other, both in seen.co_edits(path).items():
        if both.sessions < SESSIONS or goes_without_saying(path, other):
            continue
        theirs = max(seen.edits(other).sessions, both.sessions)
        share, back = both.sessions / (own + 1), both.sessions / (theirs + 1)
        lift = both.sessions * total / (own * theirs)
        if both.sessions == SESSIONS < own:
            continue
        if share < SHARE or lift < LIFT or back > share or (back == share and other < path):
            continue
        found.append((-share, other, both))
    return [(other, both) for _, other, both in sorted(found)[:PARTNERS]]


def _candidate(
    session: Observation, path: str, own: SeenCount, partners: list[tuple[str, SeenCount]]
) -> Candidate:
    weakest = min((both for _, both in partners), key=lambda both: both.sessions)
    words = [f"{code(other)} ({both.sessions} of {own.sessions} times)" for other, both in partners]
    what = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    count = SeenCount(own.sessions, own.first, max(both.last or "" for _, both in partners) or own.last)
    content = f"When {code(path)} is changed, {what} usually {'changes' if len(words) == 1 else 'change'} too"
    others = [other for other, _ in partners]
    made = candidate(
        session,
        "causal_dependency",
        f"{content}; last {(count.last or '')[:10]}.",
        signal="co_access",
        key=path,
        confidence=CONFIDENCE,
        seen=weakest,
        evidence=shown_by(session, *(("file_access", file) for file in (path, *others))),
        why=f"changed together on {weakest.sessions} days, last {(weakest.last or '')[:10]}",
        files=(path, *others),
        tags=("co-change",),
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
    return made._replace(draft=made.draft._replace(relations=relations))
