"""Which files a task will touch: ask the store for each signal of `core.tasks`, and add them up.

Files of code are ranked, tests only when they are asked for: they follow from the files they test. Of
other files those are ranked that the branch in use has changed, or that earlier sessions edited for
something alike. What the task names by its path comes first, whatever it is. What is asked is read once:
one search for the task's words over all parts of code serves the files and the tests, a second one the
words of the first line.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remora.core import tasks
from remora.core.text import STOP_WORDS, shorten
from remora.core.values import FileHit, Hit

if TYPE_CHECKING:
    from remora.retrieval.request import QueryVector
    from remora.store.space import Space

NAMED = 100  # written paths that are looked for
MEANT = 50  # parts nearest in meaning that are looked at
LEAST = 0.005  # score below which a file is not named: it would be shown as 0.00
GIVEN = 3  # reasons that a hit names
SAID_OF = 0.3  # relevance from which a memory speaks for its files
MEANING_ONLY = (
    "no word of the task is known here: only meanings were compared, and one file is always nearest"
)
BRANCH_FIRST = "no word of the task is known here: first are the files that this branch has changed"
SIGNALS = (
    "parts",
    "title",
    "commits",
    "names",
    "frames",
    "paths",
    "branch",
    "meaning",
    "imports",
    "memories",
    "sessions",
)


_SAID = frozenset(SIGNALS) - {"branch", "meaning", "imports"}  # signals that something was found by


UNKNOWN = 0.05  # stands for the share of known words where none is: what is near in meaning may be meant
MOSTLY = 0.5  # of a task's words that must be known here, for its scores to stand as they are


class _Evidence(NamedTuple):
    """Every signal, and for some what a reader should be told: signal → path → words."""

    signals: dict[str, dict[str, float]]
    said: dict[str, dict[str, str]]


def predict(
    space: Space,
    task: str,
    k: int,
    *,
    vector: QueryVector | None = None,
    memories: Sequence[Hit] = (),
    tests: bool = False,
    branch: Collection[str] = (),
    without: frozenset[str] = frozenset(),
    there: Callable[[str], bool] | None = None,
    notes: list[str] | None = None,
) -> list[FileHit]:
    """Return the files that a task will most likely touch, best first, ties by path.

    Args:
        space: the project's database.
        task: its text; the first line counts most.
        k: how many files.
        vector: of the task, where there is a model.
        memories: hits about the task, with their scores.
        tests: rank test files, too.
        branch: files that the branch in use has changed.
        without: signals to leave out, for ablations.
        there: tells whether a file is in the tree; without it those count that the database knows.
        notes: gets what to know about the answer.
    """
    found = _gather(space, task, vector, memories, without, tests=tests)
    if branch and "branch" not in without:
        found.signals["branch"] = dict.fromkeys(branch, tasks.BRANCH)
    scores = tasks.added(found.signals)
    if "imports" not in without:
        edges = _imports(space, scores)
        step = tasks.by_imports(tasks.scaled(scores), edges)
        found.signals["imports"] = {path: tasks.IMPORTED * score for path, score in step.items()}
        scores = tasks.added(found.signals)
    wanted = space.leads.code_files(scores, tests=tests)
    # What is no code is not ranked by its words; where the branch changed it, or sessions for something
    # alike, it is.
    edited = {path for name in ("branch", "sessions") for path in found.signals.get(name, ())}
    wanted |= space.leads.other_files(edited)
    ranked = sorted((path for path in scores if path in wanted), key=lambda p: (-round(scores[p], 12), p))
    most = sum(max(1.0, *votes.values()) for votes in found.signals.values() if votes)
    if ranked and (known := _known(space, task)) < MOSTLY:  # it speaks of something else: so say its scores
        most *= MOSTLY / max(known, UNKNOWN)
    named = _named(space, task, there) if "paths" not in without else []
    named.sort(key=lambda p: -round(scores.get(p, 0.0), 12))  # of those as good, as they are named
    if ranked and not named and notes is not None and not _SAID & {s for s, v in found.signals.items() if v}:
        notes.append(BRANCH_FIRST if found.signals.get("branch") else MEANING_ONLY)
    rest = [path for path in ranked if path not in named and scores[path] / most >= LEAST]
    hits = [FileHit(path, 1.0, (f"{_PLAIN['paths']} (1.00)", *_why(found, path, "paths"))) for path in named]
    hits += [FileHit(path, min(1.0, scores[path] / most), _why(found, path)) for path in rest]
    return hits[:k]


def _known(space: Space, task: str) -> float:
    """Return the share of a task's telling words that the code or a commit's message has; 1.0 without any."""
    zones = tasks.zones(task)
    asked = [w for w in dict.fromkeys(tasks.words(f"{zones.title} {zones.prose}")) if w not in STOP_WORDS]
    if not asked:
        return 1.0
    held = [space.fulltext.term_stats(table, asked).holding for table in ("code_chunks", "git_commits")]
    return sum(any(one[word] for one in held) for word in asked) / len(asked)


def _named(space: Space, task: str, there: Callable[[str], bool] | None) -> list[str]:
    """Return the files that a task names by a path, in order, each once."""
    written = tasks.written_paths(tasks.zones(task))[:NAMED]
    known = space.leads.named(written)
    found = [known.get(path, path) for path in written if path in known or there is not None]
    return [path for path in dict.fromkeys(found) if there is None or there(path)]


def _gather(
    space: Space,
    task: str,
    vector: QueryVector | None,
    memories: Sequence[Hit],
    without: frozenset[str],
    *,
    tests: bool,
) -> _Evidence:
    zones = tasks.zones(task)
    signals: dict[str, dict[str, float]] = {}
    said: dict[str, dict[str, str]] = {}
    total = space.chunks.count()

    def holding(word: str) -> int:
        return space.fulltext.term_stats("code_chunks", [word]).holding[word]

    weights = tasks.word_weights(zones, holding, total) if total else {}
    query = [word for word, times in weights.items() for _ in range(times)]
    own, of_tests = space.chunks.ranked(query, tasks.TOP_PARTS)
    if "parts" not in without:
        parts = [*own, *of_tests] if tests else own
        signals["parts"] = tasks.best_of((score, (path,)) for path, _, score in parts)
        said["parts"] = _first((path, f"words of {name or 'its code'}") for path, name, _ in parts)
    if "title" not in without:
        words = [w for w in dict.fromkeys(tasks.words(zones.title)) if w in weights]
        signals["title"] = tasks.best_of(
            (score, (path,)) for path, _, score in space.chunks.ranked(words, tasks.TOP_PARTS)[0]
        )
    if "commits" not in without:
        query += _said_only(space, zones, weights)
        signals["commits"], said["commits"] = _commits(space, query, tests=tests)
    if "names" not in without:
        signals["names"], said["names"] = _names(space, zones)
    frames, paths = tasks.by_places(tasks.places(task), _ending(space))
    if "frames" not in without:
        signals["frames"] = frames
    if "paths" not in without:
        signals["paths"] = paths
    if vector is not None and "meaning" not in without:
        signals["meaning"] = _meaning(space, vector)
    if "sessions" not in without:
        signals["sessions"], said["sessions"] = _sessions(space, zones)
    if memories and "memories" not in without:
        signals["memories"], said["memories"] = _memories(space, memories)
    return _Evidence(signals, said)


def _said_only(space: Space, zones: tasks.Zones, known: Collection[str]) -> list[str]:
    """Return the words of a task that no code holds but some commit's message does."""

    def holding(word: str) -> int:
        return 0 if word in known else space.fulltext.term_stats("git_commits", [word]).holding[word]

    total = space.commits.count()
    weights = tasks.word_weights(zones, holding, total) if total else {}
    new = [w for w in weights if not space.fulltext.term_stats("code_chunks", [w]).holding[w]]
    return [word for word in new for _ in range(weights[word])]


def _commits(space: Space, query: Sequence[str], *, tests: bool) -> tuple[dict[str, float], dict[str, str]]:
    hits = space.commits.search(query, tasks.TOP_COMMITS)
    rows = space.commits.get_many([i for i, _ in hits])
    today = space.leads.today({path for row in rows.values() for path in row.files})
    found = [(score, rows[i], sorted({today[p] for p in rows[i].files if p in today})) for i, score in hits]
    code = space.leads.code_files({path for _, _, files in found for path in files}, tests=tests)
    kept = [(score, row, [p for p in files if p in code]) for score, row, files in found]
    said = _first(
        (path, f"commit {row.sha[:8]}: {shorten(row.subject, 70)}")
        for _, row, files in kept
        for path in files
    )
    return tasks.by_commits((score, files) for score, _, files in kept), said


def _names(space: Space, zones: tasks.Zones) -> tuple[dict[str, float], dict[str, str]]:
    weights = tasks.names(zones)
    defined = space.leads.definers(weights)
    users = space.leads.user_counts(defined)
    found = tasks.by_names(weights, defined, users, max(1, space.graph.file_count()))
    by_weight = sorted(defined, key=lambda name: (-weights[name] / (1 + users.get(name, 0)), name))
    return found, _first((path, f"defines {name}") for name in by_weight for path, _ in defined[name])


def _ending(space: Space) -> Callable[[str], list[str]]:
    def ending(written: str) -> list[str]:
        return tasks.by_suffix(written, space.graph.called(written.rpartition("/")[2]))

    return ending


def _meaning(space: Space, vector: QueryVector) -> dict[str, float]:
    near = space.nearest("chunk", vector.model_id).search(vector.vector, MEANT)
    files = space.chunks.paths_of([int(n.owner_id) for n in near])
    known = [(n.cosine, files[int(n.owner_id)]) for n in near if int(n.owner_id) in files]
    if not known:
        return {}
    # Cosines of parts lie close together: what counts is how far one stands above the last looked at.
    least = min(cosine for cosine, _ in known)
    return tasks.best_of((cosine - least, (path,)) for cosine, path in known)


def _memories(space: Space, hits: Sequence[Hit]) -> tuple[dict[str, float], dict[str, str]]:
    found: dict[str, float] = {}
    said: dict[str, str] = {}
    told = [(hit, hit.memory) for hit in hits if hit.memory is not None and hit.score >= SAID_OF]
    files = space.memories.files_of([memory.id for _, memory in told])
    for hit, memory in told:
        for path in files.get(memory.id, memory.related_files):
            if hit.score > found.get(path, 0.0):
                found[path] = hit.score
                said[path] = f"{memory.type}: {shorten(hit.text, 70)}"
    return found, said


def _sessions(space: Space, zones: tasks.Zones) -> tuple[dict[str, float], dict[str, str]]:
    """Return what sessions of agents edited that were asked for something alike."""
    asked = [w for w in dict.fromkeys(tasks.words(f"{zones.title} {zones.prose}")) if w not in STOP_WORDS]
    hits = space.observed.like(asked[: tasks.TERMS], tasks.TOP_SESSIONS)
    edited = space.observed.edited([session for session, _ in hits])
    today = space.leads.today({path for files in edited.values() for path in files})
    found = [
        (score, session, sorted({today[p] for p in edited.get(session, ()) if p in today}))
        for session, score in hits
    ]
    started = {row.id: (row.started_at or "")[:10] for row in space.observed.rows([i for i, _ in hits])}
    said = _first((path, f"edited in a session of {started[i]}") for _, i, files in found for path in files)
    return tasks.by_commits((score, files) for score, _, files in found), said


def _imports(space: Space, scores: Mapping[str, float]) -> list[tuple[str, str]]:
    best = sorted(scores, key=lambda path: (-scores[path], path))[: tasks.TOP_FILES]
    return space.leads.imported(best)


def _first(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path, words in pairs:
        found.setdefault(path, words)
    return found


_PLAIN = {
    "title": "words of the task's first line",
    "frames": "in the traceback",
    "paths": "named in the task",
    "branch": "changed on this branch",
    "meaning": "close in meaning",
    "imports": "imported by files above",
}


def _why(found: _Evidence, path: str, said: str = "") -> tuple[str, ...]:
    """Return what speaks most for a file, in words, strongest first; without a signal that was said."""
    given = [
        (votes[path], name)
        for name, votes in found.signals.items()
        if votes.get(path, 0.0) > 0.0 and name != said
    ]
    given.sort(key=lambda item: (-item[0], SIGNALS.index(item[1])))
    if "parts" in (names := {name for _, name in given}) and "title" in names:  # the same words, said twice
        given = [(vote, name) for vote, name in given if name != "title"]
    return tuple(
        f"{found.said.get(name, {}).get(path) or _PLAIN.get(name, name)} ({vote:.2f})"
        for vote, name in given[: GIVEN - bool(said)]
    )
