"""What commits said, and which files they touched."""

from __future__ import annotations

from remora.store.commits import CommitRow
from remora.store.database import Database


def commit(sha: str, clock: int, subject: str, *files: str, body: str = "") -> CommitRow:
    """Return a commit of that day."""
    return CommitRow(sha, clock, "2025-01-01T00:00:00.000Z", subject, body, files)


def test_a_commit_is_found_by_the_words_of_its_message(db: Database):
    """Subject counts more than body; parts of joined names are words."""
    with db.connection.transaction():
        db.commits.add(
            [
                commit("a", 1, "fix token refresh", "auth.py"),
                commit("b", 2, "docs", "readme.md", body="mention the token"),
                commit("c", 3, "rename getUserToken", "users.py"),
            ]
        )
    found = db.commits.search(["token"], 10)
    rows = db.commits.get_many([i for i, _ in found])
    assert {rows[i].sha for i, _ in found} == {"a", "b", "c"}
    assert rows[found[0][0]].files == ("auth.py",)
    assert db.commits.search([], 10) == []


def test_a_commit_is_stored_once(db: Database):
    """Reading the history again adds nothing."""
    with db.connection.transaction():
        db.commits.add([commit("a", 1, "one", "a.py")])
        db.commits.add([commit("a", 9, "other words", "b.py"), commit("b", 2, "two", "b.py")])
    assert db.commits.count() == 2
    assert db.commits.search(["other"], 5) == []


def test_only_the_newest_are_kept(db: Database):
    """What goes leaves the index too."""
    with db.connection.transaction():
        db.commits.add([commit(str(n), n, f"change number{n}", "a.py") for n in range(10)])
        db.commits.keep_newest(3)
    assert db.commits.count() == 3
    assert db.commits.search(["number0"], 5) == []
    assert len(db.commits.search(["number9"], 5)) == 1
    assert db.connection.check() == []
