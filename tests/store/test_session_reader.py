"""What sessions showed: stored once, replaced when a session grew, summed over all."""

from __future__ import annotations

from remora.core.events import CommandRun, ErrorSeen, FileUse, Observation, Ran, SeenCount, Signal
from remora.core.values import Taint
from remora.store.database import Database
from remora.store.session_reader import LearnedRow
from remora.store.session_writer import PRIOR, Pair

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
    with db.connection.transaction():
        return db.sessions.record(observation, pairs, seen, AT)


def sums(db: Database) -> list[list[tuple[object, ...]]]:
    """Return the rows of every table that holds sums."""
    names = ("observer_file_nodes", "observer_co_access_edges", "observer_error_patterns")
    found = [db.connection.rows(f"SELECT * FROM {name} ORDER BY 1, 2") for name in names]
    return [*found, db.connection.rows("SELECT module, count FROM observer_module_session_counts ORDER BY 1")]


def test_a_session_is_known_by_how_its_files_looked(db: Database) -> None:
    """Learning it again replaces what it showed and counts nothing twice."""
    pair = Pair("a.go", "b.go", 2)
    whole = session("s1", 3, files=(use("a.go", 2, 1), use("b.go")), errors=(error("f1", "ran it again"),))
    assert record(db, whole, pair) == "claude-code:s1"
    before = sums(db)
    record(db, whole, pair, seen="2")
    assert sums(db) == before
    assert db.sessions.seen() == {"claude-code:s1": "2"}
    assert db.connection.check() == []


def test_what_made_a_command_work_is_kept(db: Database) -> None:
    """An error is read back as it was, with the form that worked and what ran in between."""
    met = error("f1", "use `b` instead")._replace(worked="b", helped=("make c", "make d"))
    record(db, session("s1", 3, errors=(met,)))
    assert [found for _, _, found in db.sessions.errors("f1", 5)] == [met]


def test_sums_are_those_of_all_sessions(db: Database) -> None:
    """Files, pairs, errors and modules are counted over sessions; a weight grows with evidence."""
    for number in (1, 2):
        used = (use("a.go", 2, 1), use("b.go", 1, 1))
        met = (error("f1", "" if number == 2 else "set X"),)
        record(db, session(f"s{number}", number, files=used, errors=met), Pair("a.go", "b.go", 1))
    record(db, session("s3", 3, files=(use("a.go"),)))
    files, edges, errors, modules = sums(db)
    assert [(row[0], row[2], row[4]) for row in files] == [("a.go", 7, 3), ("b.go", 4, 2)]
    (edge,) = edges
    assert edge[:2] == ("a.go", "b.go")
    assert edge[3] == 2 / (3 + PRIOR)
    assert (edge[4], edge[5]) == (2, 2)
    assert [(row[0], row[5], row[7]) for row in errors] == [("f1", 4, "set X")]
    assert modules == [(".", 2)]
    assert db.history.co_access(["a.go"], 0.3, 5) == [("a.go", "b.go", 2 / 5)]


def test_modules_are_counted_once_for_each_session_that_changed_them(db: Database) -> None:
    """Also a module that a session came to later; one that is no longer among them counts one less."""
    record(db, session("s1", 1, files=(use("cache/a.go", 1, 1),)))
    record(db, session("s2", 2, files=(use("cache/a.go", 1, 2), use("web/b.go"))))
    assert sums(db)[3] == [("cache", 2)]
    record(db, session("s2", 2, files=(use("cache/a.go", 1, 2), use("web/b.go", 1, 1))), seen="2")
    assert sums(db)[3] == [("cache", 2), ("web", 1)]
    record(db, session("s1", 1, files=(use("docs/a.md", 0, 1),)), seen="2")
    assert sums(db)[3] == [("cache", 1), ("docs", 1), ("web", 1)]


def test_a_session_that_is_learnt_anew_leaves_nothing_of_before(db: Database) -> None:
    """Its former rows go, and the sums are as if they had never been."""
    record(db, session("s1", 1, files=(use("a.go", 1, 1),), errors=(error("f1"),)))
    record(db, session("s2", 2))
    before = sums(db)
    own = session("s2", 2, files=(use("a.go"), use("web/c.go", 1, 1)), errors=(error("f2"),))
    record(db, own, Pair("a.go", "web/c.go", 1))
    assert sums(db) != before
    record(db, session("s2", 2))
    assert sums(db) == before
    assert db.sessions.count() == 2
    assert db.connection.check() == []


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
    """The way out, the files and the taint of an error are kept with it."""
    record(db, session("s1", 1, errors=(error("f1", "set X"),)))
    ((name, at, found),) = db.sessions.errors("f1", 5)
    assert (name, at) == ("claude-code:s1", "2026-01-01T08:00:00.000Z")
    assert found == error("f1", "set X")
    assert db.sessions.met("f1") == SeenCount(1, at, at)
    assert db.sessions.met("f2") == SeenCount(0, None, None)


def test_what_is_edited_together(db: Database) -> None:
    """The files that a file was edited with, and in how many sessions."""
    record(db, session("s1", 1, files=(use("a.go", 1, 1), use("b.go", 0, 2), use("c.go"))))
    record(db, session("s2", 2, files=(use("a.go", 1, 1), use("b.go"))))
    observed = db.sessions
    assert {path: count.sessions for path, count in observed.co_edits("a.go").items()} == {"b.go": 1}
    assert observed.edits("a.go").sessions == 2
    assert observed.files(["claude-code:s1"], edited=True) == {"claude-code:s1": ["a.go", "b.go"]}


def test_what_sessions_used(db: Database) -> None:
    """Every file that a session read or edited; the newest sessions that edited below a folder."""
    record(db, session("s1", 1, files=(use("auth/a.go", 1, 1), use("b.go"))))
    record(db, session("s2", 2, files=(use("auth/web/c.go", 0, 1), use("auth/a.go", 0, 2))))
    record(db, session("s3", 3, files=(use("auth/a.go"), use("authors/x.go", 0, 1))))
    observed = db.sessions
    assert observed.files(["claude-code:s1", "claude-code:s3", "nobody"]) == {
        "claude-code:s1": ["auth/a.go", "b.go"],
        "claude-code:s3": ["auth/a.go", "authors/x.go"],
    }
    assert observed.working_in("auth", 9) == ["claude-code:s2", "claude-code:s1"]
    assert observed.working_in("auth", 1) == ["claude-code:s2"]
    assert observed.working_in("auth/web", 9) == ["claude-code:s2"]
    assert observed.working_in("aut", 9) == observed.working_in("", 9) == []


def test_sessions_like_a_task(db: Database) -> None:
    """Words of the prompts find sessions, the best first."""
    record(db, session("s1", 1))
    record(db, session("s2", 2, prompts=("write the release notes",)))
    assert [i for i, _ in db.sessions.like(["release"], 5)] == ["claude-code:s2"]
    assert db.sessions.like([], 5) == []


def test_commands_of_the_newest_sessions(db: Database) -> None:
    """What was run and did more than look, newest first."""
    test = CommandRun("go test ./...", "test", 3, 1, 2, 8)
    record(db, session("s1", 1, commands=(test,)))
    record(db, session("s2", 2, commands=(test, CommandRun("ls", "look", 1, 0, 1, 1))))
    assert db.sessions.commands(5) == [
        Ran("claude-code:s2", "go test ./...", 3, 1, last=False),
        Ran("claude-code:s1", "go test ./...", 3, 1, last=False),
    ]
    assert [ran.session_id for ran in db.sessions.commands(1)] == ["claude-code:s2"]
    assert [row.id for row in db.sessions.rows(["claude-code:s2", "claude-code:s9"])] == ["claude-code:s2"]
    assert [row.id for row in db.sessions.sessions()] == ["claude-code:s2", "claude-code:s1"]


def test_a_command_is_kept_with_the_variables_set_for_it(db: Database) -> None:
    """With other variables it is another one, that passed or failed on its own."""
    plain = CommandRun("pytest", "test", 1, 1, 2, 2)
    again = CommandRun("pytest", "test", 2, 0, 3, 4, with_variables="PYTHONPATH=. pytest")
    record(db, session("s1", 1, commands=(plain, again)))
    assert db.sessions.commands(5) == [
        Ran("claude-code:s1", "PYTHONPATH=. pytest", 2, 0, last=False),
        Ran("claude-code:s1", "pytest", 1, 1, last=False),
    ]


def test_commands_after_the_last_edit(db: Database) -> None:
    """The last use of what a session edited is where its work ended; without an edit nothing is behind it."""
    before, after = CommandRun("make lint", "lint", 1, 0, 2, 2), CommandRun("make test", "test", 1, 0, 9, 9)
    record(db, session("s1", 1, commands=(before, after), files=(use("a.py", edits=1),)))
    record(db, session("s2", 2, commands=(after,)))
    assert [(ran.command, ran.last) for ran in db.sessions.commands(5)] == [
        ("make test", False),
        ("make test", True),
        ("make lint", False),
    ]


def test_commands_that_fail_each_time(db: Database) -> None:
    """The same error in enough sessions, and no pass in the last of them or since."""
    no, yes = CommandRun("go test", "test", 1, 1, 3, 3), CommandRun("go test", "test", 1, 0, 3, 3)
    record(
        db,
        session("s1", 1, errors=(error("f1", "instead")._replace(worked="make test"),), commands=(yes,)),
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
    assert [ran.session_id for ran in db.sessions.commands(5)] == [
        "claude-code:s3",
        "claude-code:s2",
    ]


def test_what_sessions_changed_since(db: Database) -> None:
    """The sessions that edited a file, the newest first; reading one is no change."""
    record(db, session("s1", 1, files=(use("a.go", edits=1),)))
    record(db, session("s2", 2, files=(use("a.go"),)))
    record(db, session("s3", 3, files=(use("a.go", edits=1), use("b.go")), outcome="failure"))
    found = db.sessions.changed_after("2025-12-31T00:00:00.000Z")
    assert [one.id for one in found] == ["claude-code:s3", "claude-code:s1"]
    assert (found[1].branch, found[1].prompt) == ("main", "fix the cache of s1")
    assert db.sessions.changed_after("2026-01-03T00:00:00.000Z") == found[:1]


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
