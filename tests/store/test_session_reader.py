"""What sessions showed: stored once, replaced when a session grew, summed over all."""

from __future__ import annotations

from remora.core.events import CommandRun, ErrorSeen, FileUse, Observation, Ran, SeenCount, Signal
from remora.core.values import Taint
from remora.store.database import Database
from remora.store.session_reader import LearnedRow
from remora.store.session_writer import PRIOR, Pair
from tests.store.makers import save

AT = "2026-03-01T12:00:00.000Z"


def use(path: str, reads: int = 1, edits: int = 0) -> FileUse:
    """Return what a session did with a file."""
    return FileUse(path, reads, edits, 1, 4, AT, AT)


def error(fingerprint: str, how: str = "") -> ErrorSeen:
    """Return an error of a session, resolved if it says how."""
    taint = Taint("web page", 2)
    return ErrorSeen(fingerprint, "Bash", "go test", "boom", 2, (3, 5), bool(how), how, ("a.go",), taint)


def session(name: str, day: int, **more: object) -> Observation:
    """Return a session of a day in January."""
    at = f"2026-01-{day:02}T08:00:00.000Z"
    blank = Observation(
        session_id=name,
        host="claude-code",
        kind="build",
        kind_why="edits",
        outcome="success",
        outcome_why="tests passed",
        started=at,
        ended=at,
        steps=9,
        planned=3,
        prompts=(f"fix the cache of {name}",),
        summary="done",
        branch="main",
        signals=(),
        files=(),
        errors=(),
        commands=(),
    )
    return blank._replace(**more)  # type: ignore[arg-type]


def record(db: Database, observation: Observation, *pairs: Pair, seen: str = "1") -> str:
    """Store a session."""
    return save(db, db.sessions.record, observation, pairs, seen, AT)


def sums(db: Database) -> list[list[tuple[object, ...]]]:
    """Return the rows of every table that holds sums."""
    names = ("observer_file_nodes", "observer_co_access_edges")
    found = [db.connection.rows(f"SELECT * FROM {name} ORDER BY 1, 2") for name in names]
    return [*found, db.connection.rows("SELECT module, count FROM observer_module_session_counts ORDER BY 1")]


def test_a_session_is_known_by_how_its_files_looked(db: Database) -> None:
    """Learnt again it counts nothing twice; of what it showed before, nothing stays."""
    record(db, session("s1", 1, files=(use("a.go", 1, 1),), errors=(error("f1"),)))
    record(db, session("s2", 2))
    before = sums(db)
    own = session("s2", 2, files=(use("a.go"), use("web/c.go", 1, 1)), errors=(error("f2"),))
    assert record(db, own, Pair("a.go", "web/c.go", 1)) == "claude-code:s2"
    once = sums(db)
    assert once != before
    record(db, own, Pair("a.go", "web/c.go", 1), seen="2")
    assert sums(db) == once
    assert db.sessions.seen() == {"claude-code:s1": "1", "claude-code:s2": "2"}
    record(db, session("s2", 2))
    assert sums(db) == before
    assert db.sessions.count() == 2
    assert db.connection.check() == []


def test_sums_are_those_of_all_sessions(db: Database) -> None:
    """Files, pairs and modules are counted over sessions; a weight grows with evidence."""
    for number in (1, 2):
        used = (use("a.go", 2, 1), use("b.go", 1, 1))
        record(db, session(f"s{number}", number, files=used), Pair("a.go", "b.go", 1))
    record(db, session("s3", 3, files=(use("a.go"),)))
    files, edges, modules = sums(db)
    assert [(row[0], row[2], row[4]) for row in files] == [("a.go", 7, 3), ("b.go", 4, 2)]
    (edge,) = edges
    assert edge[:2] == ("a.go", "b.go")
    assert edge[3] == 2 / (3 + PRIOR)
    assert (edge[4], edge[5]) == (2, 2)
    assert modules == [(".", 2)]
    assert db.history.co_access(["a.go"], 0.3, 5) == [("a.go", "b.go", 2 / 5)]


def test_modules_are_counted_once_for_each_session_that_changed_them(db: Database) -> None:
    """Also a module that a session came to later; one that is no longer among them counts one less."""
    record(db, session("s1", 1, files=(use("cache/a.go", 1, 1),)))
    record(db, session("s2", 2, files=(use("cache/a.go", 1, 2), use("web/b.go", 1, 1))))
    assert sums(db)[2] == [("cache", 2), ("web", 1)]
    record(db, session("s1", 1, files=(use("docs/a.md", 0, 1), use("web/b.go"))), seen="2")
    assert sums(db)[2] == [("cache", 1), ("docs", 1), ("web", 1)]


def test_signals_are_counted_over_sessions(db: Database) -> None:
    """How many sessions showed something, when first and last, how, and after what from outside."""
    for day in (5, 3, 9):
        at = f"2026-01-{day:02}T09:00:00.000Z"
        taint = Taint("https://x", 2) if day == 9 else None
        shown = Signal("repeated_grep", "parseConfig", 4, at, ("a.go",), {"times": day}, taint=taint)
        record(db, session(f"s{day}", day, signals=(shown,)))
    count = db.sessions.sessions_with("repeated_grep", "parseConfig")
    assert count == SeenCount(3, "2026-01-03T09:00:00.000Z", "2026-01-09T09:00:00.000Z")
    newest = db.sessions.signals("repeated_grep", "parseConfig", 2)
    assert [(row.session_id, row.detail, row.paths, row.taint) for row in newest] == [
        ("claude-code:s5", {"times": 5}, ("a.go",), None),
        ("claude-code:s9", {"times": 9}, ("a.go",), Taint("https://x", 2)),
    ]
    assert db.sessions.sessions_with("repeated_grep", "other") == SeenCount(0, None, None)


def test_errors_come_back_as_they_were(db: Database) -> None:
    """The way out, the form that worked, what ran in between and the taint are kept with an error."""
    met = error("f1", "set X")._replace(worked="b", helped=("make c", "make d"))
    record(db, session("s1", 1, errors=(met,)))
    at = "2026-01-01T08:00:00.000Z"
    assert db.sessions.errors("f1", 5) == [("claude-code:s1", at, met)]


def test_what_sessions_used(db: Database) -> None:
    """Files that sessions read or edited, and with what; the newest that edited below a folder, or since."""
    record(db, session("s1", 1, files=(use("auth/a.go", 1, 1), use("b.go", 0, 2), use("c.go"))))
    record(db, session("s2", 2, files=(use("auth/web/c.go", 0, 1), use("auth/a.go", 0, 2))))
    record(db, session("s3", 3, files=(use("auth/a.go"), use("authors/x.go", 0, 1)), prompts=("release",)))
    record(db, session("s4", 4, files=(use("auth/a.go"),)))
    one, two, three = (f"claude-code:s{number}" for number in (1, 2, 3))
    observed = db.sessions
    assert observed.files([one, three, "nobody"]) == {
        one: ["auth/a.go", "b.go", "c.go"],
        three: ["auth/a.go", "authors/x.go"],
    }
    assert observed.files([one], edited=True) == {one: ["auth/a.go", "b.go"]}
    together = {path: count.sessions for path, count in observed.co_edits("auth/a.go").items()}
    assert together == {"b.go": 1, "auth/web/c.go": 1}
    assert observed.edits("auth/a.go").sessions == 2
    assert observed.working_in("auth", 9) == [two, one]
    assert observed.working_in("auth", 1) == observed.working_in("auth/web", 9) == [two]
    assert observed.working_in("aut", 9) == observed.working_in("", 9) == []
    found = observed.changed_after("2025-12-31T00:00:00.000Z")
    assert [row.id for row in found] == [three, two, one]
    assert (found[2].branch, found[2].prompt) == ("main", "fix the cache of s1")
    assert observed.changed_after("2026-01-03T00:00:00.000Z") == found[:1]
    assert [i for i, _ in observed.like(["release"], 5)] == [three]
    assert observed.like([], 5) == []


def test_commands_of_the_newest_sessions(db: Database) -> None:
    """What was run and did more than look, newest first, with its variables; the last after the edits."""
    lint, test = CommandRun("make lint", "lint", 3, 1, 2, 3), CommandRun("make test", "test", 1, 0, 9, 9)
    apart = test._replace(with_variables="CI=1 make test")
    record(db, session("s1", 1, commands=(lint, test, apart), files=(use("a.py", edits=1),)))
    record(db, session("s2", 2, commands=(test, CommandRun("ls", "look", 1, 0, 1, 1))))
    assert sorted(db.sessions.commands(5)) == [
        Ran("claude-code:s1", "CI=1 make test", 1, 0, last=True),
        Ran("claude-code:s1", "make lint", 3, 1, last=False),
        Ran("claude-code:s1", "make test", 1, 0, last=True),
        Ran("claude-code:s2", "make test", 1, 0, last=False),
    ]
    assert db.sessions.commands(5)[0].session_id == "claude-code:s2"
    assert [ran.session_id for ran in db.sessions.commands(1)] == ["claude-code:s2"]
    assert [row.id for row in db.sessions.rows(["claude-code:s2", "claude-code:s9"])] == ["claude-code:s2"]
    assert [row.id for row in db.sessions.sessions()] == ["claude-code:s2", "claude-code:s1"]


def test_commands_that_fail_each_time(db: Database) -> None:
    """The same error in enough sessions, and no pass in the last of them or since."""
    no, yes = CommandRun("go test", "test", 1, 1, 3, 3), CommandRun("go test", "test", 1, 0, 3, 3)
    record(
        db, session("s1", 1, errors=(error("f1", "instead")._replace(worked="make test"),), commands=(yes,))
    )
    assert db.sessions.failing(2) == []
    record(db, session("s2", 2, errors=(error("f1"), error("f2")), commands=(no,)))
    assert db.sessions.failing(2) == [("f1", "go test")]
    record(db, session("s3", 2, commands=(yes,)))
    assert db.sessions.failing(2) == []


def test_commands_after_text_from_outside_are_kept_only_if_known(db: Database) -> None:
    """What a page may have asked for is not offered to be run, until a session ran it of its own accord."""
    asked = CommandRun("make evil", "test", 1, 0, 5, 5, tainted=True)
    record(db, session("s1", 1, commands=(asked,)))
    assert db.sessions.commands(5) == []
    record(db, session("s2", 2, commands=(asked._replace(tainted=False),)))
    record(db, session("s3", 3, commands=(asked,)))
    assert [ran.session_id for ran in db.sessions.commands(5)] == ["claude-code:s3", "claude-code:s2"]


def test_runs_are_looked_through_afterwards(db: Database) -> None:
    """What the last run learned is kept with the reason."""
    assert db.sessions.last_run() == 0
    first = LearnedRow("m1", "stored", "in 3 sessions", "Run go test", AT)
    second = LearnedRow("m1", "updated", "in 4 sessions", "Run go test ./...", AT)
    with db.connection.transaction():
        db.sessions.note_learned(1, [first, first._replace(memory_id="m2")])
        db.sessions.note_learned(2, [second])
    assert db.sessions.last_run() == 2
    assert db.sessions.learned(2) == [second]
    assert [row.memory_id for row in db.sessions.learned(1)] == ["m1", "m2"]
    assert db.sessions.last_learned("m1") == second
    assert db.sessions.last_learned("m9") is None
