"""File prediction: read each signal of `core.tasks` from the store, and combine them.

Code files are ranked, tests only on request: they follow from the files they test. With tests every file is
ranked; otherwise, of the files that are no code, only those changed on the current branch or in earlier
sessions. Files named in the task by their path come first, whatever they are; examples in documentation come
after all other code, unless this branch or a session changed them. One search for the task's words over all
chunks of code serves the files and the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from remora.core import tasks
from remora.core.tasks import SIGNALS, WEIGHTS
from remora.core.text import STOP_WORDS, shorten
from remora.core.values import FileHit

if TYPE_CHECKING:
    from remora.retrieval.request import QueryVector
    from remora.store.database import Database

NAMED = 100  # written paths that are looked for
MEANT = 50  # parts nearest in meaning that are looked at
LEAST = 0.005  # score below which a file is not named: it would be shown as 0.00
GIVEN = 3  # reasons that a hit names
NOTHING_SAID = (
    "no word of the task occurs in this project; the files are ranked by the changes of this branch, "
    "earlier sessions and commits"
)
_EXAMPLES = frozenset("doc docs documentation example examples sample samples tutorial tutorials".split())
# Signals that also count for files that are no code.
_EDITED = ("branch", "sessions", "often", "lately", "called")
# Signals that do not depend on the task's words.
_UNSAID = frozenset({"branch", "meaning", "imports", "often", "lately", "heat"})

UNKNOWN = 0.02  # share of known words if none is known, because files may be close in meaning
MOSTLY = 0.5  # of a task's words that must be known here, for its scores to stand as they are

Said = dict[str, dict[str, str]]  # explanations: signal → path → words
Votes = dict[str, dict[str, float]]  # the value of every signal: signal → path → value


def predict(
    db: Database,
    task: str,
    k: int,
    *,
    vector: QueryVector | None,
    tests: bool,
    branch: Collection[str],
    without: frozenset[str],
    there: Callable[[str], bool] | None,
    notes: list[str],
) -> list[FileHit]:
    """Return the files that a task will most likely touch, best first, ties by path.

    Args:
        db: the project's database.
        task: its text; the first line counts most.
        k: maximum number of files.
        vector: of the task, if there is a model.
        tests: rank every file, including tests.
        branch: files changed on the current branch.
        without: signals to leave out, for ablations.
        there: whether a file is in the tree; without it the files in the database count.
        notes: receives remarks on the answer.
    """
    signals, said = _gather(db, task, vector, without, tests=tests)
    if "branch" not in without:
        signals["branch"] = dict.fromkeys(branch, 1.0)
    signals = _standing_out(db, signals, without, there, tests=tests)
    scores = tasks.weighed(signals)
    most = sum(WEIGHTS[name] for name in signals)
    if scores and (known := _known(db, task)) < MOSTLY:  # most of its words are unknown: lower the scores
        most *= MOSTLY / max(known, UNKNOWN)
    names = named(db, task, there) if "paths" not in without else []
    names.sort(key=lambda p: -round(scores.get(p, 0.0), 12))  # of those as good, as they are named
    if scores and not names and not signals.keys() - _UNSAID:
        notes.append(NOTHING_SAID)
    likely = (path for path in tasks.ranked(scores) if scores[path] / most >= LEAST)
    edited = {path for name in ("branch", "sessions", "lately") for path in signals.get(name, ())}
    rest = [path for path in likely if path not in names]
    rest = sorted(rest, key=lambda path: path not in edited and is_example(path))[:k]
    hits = [
        FileHit(path, 1.0, (f"{_PLAIN['paths']} (1.00)", *_why(signals, said, path, "paths")))
        for path in names
    ]
    hits += [FileHit(path, min(1.0, scores[path] / most), _why(signals, said, path)) for path in rest]
    return hits[:k]


def is_example(path: str) -> bool:
    """Return whether a file lies in a folder of documentation or examples.

    >>> is_example("docs/snippets/run.py"), is_example("src/docs.py")
    (True, False)
    """
    return not _EXAMPLES.isdisjoint(path.lower().split("/")[:-1])


def _standing_out(
    db: Database,
    signals: Votes,
    without: frozenset[str],
    there: Callable[[str], bool] | None,
    *,
    tests: bool,
) -> Votes:
    """Return each signal's value for the ranked files, those that stand out, from 0 to 1."""
    if "imports" not in without:
        words = {name: votes for name, votes in signals.items() if name not in _UNSAID}
        scores = tasks.weighed(words)
        best = sorted(scores, key=lambda path: (-scores[path], path))[: tasks.TOP_FILES]
        signals["imports"] = tasks.by_imports(tasks.scaled(scores), db.file_prediction.imported(best))
    paths = {path for votes in signals.values() for path in votes}
    wanted = db.file_prediction.code_files(paths, tests=tests)
    edited = {path for name in _EDITED for path in signals.get(name, ())}
    others = db.file_prediction.other_files(paths if tests else edited)
    wanted |= {path for path in others if there is None or there(path)}  # commits keep deleted files
    kept: Votes = {}
    for name, votes in signals.items():
        own = {path: vote for path, vote in votes.items() if path in wanted}
        kept[name] = own if name == "branch" else tasks.standing_out(own)
    return {name: votes for name, votes in kept.items() if votes}


def _distinctive(zones: tasks.Zones) -> list[str]:
    """Return the words of a task's title and prose that are no stop words, each once."""
    asked = dict.fromkeys(tasks.words(f"{zones.title} {zones.prose}"))
    return [word for word in asked if word not in STOP_WORDS]


def _known(db: Database, task: str) -> float:
    """Return the share of a task's distinctive words that code or commit messages hold; 1.0 without any."""
    asked = _distinctive(tasks.zones(task))
    if not asked:
        return 1.0
    held = [db.fulltext.term_stats(table, asked).holding for table in ("code_chunks", "git_commits")]
    return sum(any(one[word] for one in held) for word in asked) / len(asked)


def named(db: Database, task: str, there: Callable[[str], bool] | None) -> list[str]:
    """Return the files that a task names by a path, in order, each once."""
    written = tasks.written_paths(tasks.zones(task))[:NAMED]
    known = db.file_prediction.named(written)
    if there is None:
        return list(dict.fromkeys(known[path] for path in written if path in known))
    return list(filter(there, dict.fromkeys(known.get(path, path) for path in written)))


def _gather(
    db: Database,
    task: str,
    vector: QueryVector | None,
    without: frozenset[str],
    *,
    tests: bool,
) -> tuple[Votes, Said]:
    zones = tasks.zones(task)
    signals: Votes = {}
    said: Said = {}
    total = db.chunks.count()

    def holding(word: str) -> int:
        return db.fulltext.term_stats("code_chunks", [word]).holding[word]

    words = tasks.word_weights(zones, holding, total) if total else {}
    query = [word for word, times in words.items() for _ in range(times)]
    if "parts" not in without:
        own, of_tests = db.chunks.ranked(query, tasks.TOP_PARTS)
        parts = [*own, *of_tests] if tests else own
        signals["parts"] = tasks.best_of((score, (path,)) for path, _, score in parts)
        said["parts"] = _first((path, f"words of {name or 'its code'}") for path, name, _ in parts)
    if "commits" not in without:
        query += _said_only(db, zones, words)
        signals["commits"], said["commits"] = _commits(db, query)
    if "names" not in without:
        signals["names"], said["names"] = _names(db, zones)

    if "called" not in without:
        signals["called"] = tasks.by_paths(zones, db.file_prediction.paths())

    def ending(written: str) -> list[str]:
        return tasks.by_suffix(written, db.graph.called(written.rpartition("/")[2]))

    frames, paths = tasks.by_places(tasks.places(task), ending)
    modules: dict[str, float] = {}
    for name in tasks.modules(task):
        means = next((found for path in tasks.module_files(name) if (found := ending(path))), [])
        modules |= {path: max(modules.get(path, 0.0), 1.0 / len(means)) for path in means}
    cited = {"frames": frames, "paths": paths, "modules": modules}
    signals |= {name: votes for name, votes in cited.items() if name not in without}
    if vector is not None and "meaning" not in without:
        signals["meaning"] = _meaning(db, vector)
    _habits(db, signals, without)
    if "sessions" not in without:
        signals["sessions"], said["sessions"] = _sessions(db, zones)
    return signals, said


def _habits(db: Database, signals: Votes, without: frozenset[str]) -> None:
    """Add the files that sessions and commits change in general, independent of the task."""
    commits = db.commits.newest(tasks.COMMITS)
    groups = db.sessions.newest_edits(tasks.SESSIONS), [one.files for one in commits]
    today = db.file_prediction.today({path for group in groups for files in group for path in files})
    sessions, changes = (
        [there for files in group if (there := {today[p] for p in files if p in today})] for group in groups
    )
    found = {
        "often": tasks.by_number(sessions),
        "lately": tasks.by_last(sessions),
        "heat": tasks.by_heat(changes),
    }
    signals |= {name: votes for name, votes in found.items() if name not in without}


def _said_only(db: Database, zones: tasks.Zones, known: Collection[str]) -> list[str]:
    """Return the words of a task that occur in commit messages but not in code."""

    def holding(word: str) -> int:
        return 0 if word in known else db.fulltext.term_stats("git_commits", [word]).holding[word]

    total = db.commits.count()
    weights = tasks.word_weights(zones, holding, total) if total else {}
    new = [w for w in weights if not db.fulltext.term_stats("code_chunks", [w]).holding[w]]
    return [word for word in new for _ in range(weights[word])]


def _commits(db: Database, query: Sequence[str]) -> tuple[dict[str, float], dict[str, str]]:
    hits = db.commits.search(query, tasks.TOP_COMMITS)
    rows = db.commits.get_many([i for i, _ in hits])
    today = db.file_prediction.today({path for row in rows.values() for path in row.files})
    found = [(score, rows[i], sorted({today[p] for p in rows[i].files if p in today})) for i, score in hits]
    said = _first(
        (path, f"commit {row.sha[:8]}: {shorten(row.subject, 70)}")
        for _, row, files in found
        for path in files
    )
    return tasks.by_commits((score, files) for score, _, files in found), said


def _names(db: Database, zones: tasks.Zones) -> tuple[dict[str, float], dict[str, str]]:
    weights = tasks.names(zones)
    defined = db.file_prediction.definers(weights)
    users = db.file_prediction.user_counts(defined)
    found = tasks.by_names(weights, defined, users, max(1, db.graph.file_count()))
    by_weight = sorted(defined, key=lambda name: (-weights[name] / (1 + users.get(name, 0)), name))
    return found, _first((path, f"defines {name}") for name in by_weight for path, _ in defined[name])


def _meaning(db: Database, vector: QueryVector) -> dict[str, float]:
    near = db.nearest("chunk", vector.model_id).search(vector.vector, MEANT)
    files = db.chunks.paths_of([int(n.owner_id) for n in near])
    known = [(n.cosine, files[int(n.owner_id)]) for n in near if int(n.owner_id) in files]
    if not known:
        return {}
    # Cosines of parts lie close together: what counts is how far one stands above the last looked at.
    least = min(cosine for cosine, _ in known)
    return tasks.best_of((cosine - least, (path,)) for cosine, path in known)


def _sessions(db: Database, zones: tasks.Zones) -> tuple[dict[str, float], dict[str, str]]:
    """Return the files edited by agent sessions with a similar prompt."""
    hits = db.sessions.like(_distinctive(zones)[: tasks.TERMS], tasks.TOP_SESSIONS)
    edited = db.sessions.files([session for session, _ in hits], edited=True)
    today = db.file_prediction.today({path for files in edited.values() for path in files})
    found = [
        (score, session, sorted({today[p] for p in edited.get(session, ()) if p in today}))
        for session, score in hits
    ]
    started = {row.id: (row.started_at or "")[:10] for row in db.sessions.rows([i for i, _ in hits])}
    said = _first((path, f"edited in a session of {started[i]}") for _, i, files in found for path in files)
    return tasks.by_commits((score, files) for score, _, files in found), said


def _first(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path, words in pairs:
        found.setdefault(path, words)
    return found


_PLAIN = {
    "frames": "in the traceback",
    "paths": "named in the task",
    "modules": "a module named in the task",
    "called": "words of the task in its path",
    "branch": "changed on this branch",
    "meaning": "close in meaning",
    "imports": "imported by files above",
    "often": "edited in many sessions",
    "lately": "edited in the last sessions",
    "heat": "changed often or recently by commits",
}


def _why(signals: Votes, said: Said, path: str, known: str = "") -> tuple[str, ...]:
    """Return the strongest reasons for a file in words, strongest first, without the signal `known`."""
    given = [
        (WEIGHTS[name] * votes[path], name)
        for name, votes in signals.items()
        if path in votes and name != known
    ]
    given.sort(key=lambda item: (-item[0], SIGNALS.index(item[1])))
    return tuple(
        f"{said.get(name, {}).get(path) or _PLAIN.get(name, name)} ({vote:.2f})"
        for vote, name in given[: GIVEN - bool(known)]
    )
