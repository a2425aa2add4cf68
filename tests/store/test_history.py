"""Statistics of files survive the way into the database, and answer as those in memory do."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from benchmarks.cochange import lookalikes
from remora.core.cochange import CROWD, NEVER, FileStat, PairStat
from remora.core.values import Author, Ownership
from remora.store.database import Database
from remora.store.history import CommitRow
from tests.store.makers import AT, save


def file(path: str, **known) -> FileStat:
    """Return a file that changed once unless said otherwise."""
    return FileStat(path, **{"commits": 1, "heat": 0.5, "reach": -1.5, "last": 3, **known})


def pair(a: str, b: str, bond: float = 1.0) -> PairStat:
    """Return two files that changed together."""
    return PairStat(a, b, bond, 2, "2026-01-02T00:00:00.000Z")


def write(
    db: Database,
    files: Sequence[FileStat] = (),
    pairs: Sequence[PairStat] = (),
    removed: Sequence[str] = (),
    modules: Mapping[str, str] | None = None,
) -> None:
    """Write statistics in a transaction of their own."""
    save(db, db.history.write, removed=removed, files=files, pairs=pairs, modules=modules or {})


def test_files_come_back_as_they_went_in(db: Database):
    """Every statistic of a file is kept; the hottest are those that are there and changed most."""
    files = [
        FileStat("a/b.py", 7, 3.25, 2.5, 9, "2025-01-01", "2026-01-01", True, (("Ada L.", 5), ("Börje", 2))),
        file("c.py", heat=5.0),
        file("d.py", heat=3.25),
        FileStat("gone.py", 2, 9.0, NEVER, 4, "2025-01-01", "2025-02-01", present=False),
        FileStat("new.py"),
    ]
    write(db, files, [pair("a/b.py", "c.py")])
    assert db.history.all_files() == files
    assert db.history.stats(["gone.py", "nobody"]) == {"gone.py": files[3]}
    assert db.history.stats([]) == {}
    assert db.history.counts() == (4, 1)
    assert db.history.hottest(9) == ["c.py", "a/b.py", "d.py"]
    assert db.history.hottest(1) == ["c.py"]
    save(db, db.history.clear)
    assert db.history.counts() == (0, 0)
    assert db.history.lookalikes("zz/c.pyc") == set()


def test_rewritten_files_replace_the_old_rows(db: Database):
    """A file written again has its new numbers, module and presence."""
    write(db, [file("src/user_store.py")], modules={"src/user_store.py": "src"})
    assert db.history.modules() == {"src": 1}
    assert db.history.lookalikes("lib/user_store.ts") == {"src/user_store.py"}
    newer = file("src/user_store.py", commits=9, present=False)
    write(db, [newer], modules={"src/user_store.py": "core"})
    assert db.history.all_files() == [newer]
    assert db.history.modules() == {}
    assert db.history.lookalikes("lib/user_store.ts") == set()
    write(db, [file("src/user_store.py")])
    assert db.history.lookalikes("lib/user_store.ts") == {"src/user_store.py"}
    assert db.connection.check() == []


def test_whose_a_file_is(db: Database):
    """A file's module and its authors are given back, of one that is gone too; the largest module first."""
    dates = ("2025-01-01", "2026-01-01")
    known = FileStat("src/a.py", 5, 0.5, -1.5, 3, *dates, authors=(("Ada", 3), ("Bo", 2)))
    gone, never = file("old.py", present=False), FileStat("web/new.py")
    modules = {"src/a.py": "src", "src/b.py": "src", "old.py": ".", "web/new.py": "web", "lib/c.py": "lib"}
    write(db, [known, gone, never, file("src/b.py"), file("lib/c.py")], modules=modules)
    who = (Author("Ada", 3), Author("Bo", 2))
    assert db.history.ownership("src/a.py") == Ownership("src/a.py", "src", 5, who, *dates)
    assert db.history.ownership("old.py") == Ownership("old.py", ".", 1, present=False)
    assert db.history.ownership("web/new.py") == Ownership("web/new.py", "web")
    assert db.history.ownership("nobody.py") is None
    assert list(db.history.modules().items()) == [("src", 2), ("lib", 1), ("web", 1)]


def test_partners_come_strongest_first(db: Database):
    """A file's pairs are seen from either side, by strength, then by name, up to the limit."""
    write(db, pairs=[pair("a", "b", 1.0), pair("a", "d", 3.0), pair("c", "a", 1.0)])
    assert db.history.partners(["a", "b", "x"], 9) == {
        "a": [pair("a", "d", 3.0), pair("a", "b"), pair("a", "c")],
        "b": [pair("b", "a")],
        "x": [],
    }
    assert [p.other for p in db.history.partners(["a"], 2)["a"]] == ["d", "b"]
    assert db.history.all_pairs() == [pair("a", "b"), pair("a", "c"), pair("a", "d", 3.0)]
    write(db, pairs=[pair("b", "a", 7.0)])
    assert [p.bond for p in db.history.partners(["a"], 1)["a"]] == [7.0]
    assert db.history.counts() == (0, 3)


def test_renamed_files_leave_no_pairs(db: Database):
    """What is removed disappears from files, pairs and names; the pairs under the new name stay."""
    write(db, [file("old.py"), file("x.py")], [pair("old.py", "x.py"), pair("x.py", "y.py")])
    write(db, [file("new.py")], [pair("new.py", "x.py", 2.0)], removed=["old.py", "never.py"])
    assert [f.path for f in db.history.all_files()] == ["new.py", "x.py"]
    assert db.history.all_pairs() == [pair("new.py", "x.py", 2.0), pair("x.py", "y.py")]
    assert db.history.partners(["old.py", "x.py"], 9) == {
        "old.py": [],
        "x.py": [pair("x.py", "new.py", 2.0), pair("x.py", "y.py")],
    }
    assert db.history.lookalikes("zz/old.pyc") == set()
    assert db.connection.value("SELECT count(*) FROM git_file_words WHERE path = 'old.py'") == 0


@pytest.mark.parametrize("seed", range(2))
def test_lookalikes_equal_those_in_memory(db: Database, seed: int):
    """Names find the same files as in memory, in crowded folders and after changes too."""
    rng = random.Random(seed)
    words = ["user", "store", "auth", "token", "test", "api", "view", "model", "Cache", "i18n"]
    known: dict[str, FileStat] = {}
    crowd = [f"crowd/{rng.choice(words)}_{n}.py" for n in range(CROWD + seed)]
    for _ in range(3):
        fresh = [
            f"{rng.choice(['src', 'lib/api', 'tests', ''])}/{rng.choice(words)}{rng.choice(['_', '', '-'])}"
            f"{rng.choice(words)}.{rng.choice(['py', 'ts', 'test.ts'])}".lstrip("/")
            for _ in range(40)
        ]
        removed = rng.sample(sorted(set(known) - set(crowd)), min(5, len(known)))
        paths = [path for path in dict.fromkeys([*crowd, *fresh]) if path not in removed]
        files = [file(path, present=path in crowd or rng.random() < 0.8) for path in paths]
        write(db, files, removed=removed)
        known = {path: one for path, one in known.items() if path not in removed}
        known |= {one.path: one for one in files}
        present = [path for path, one in known.items() if one.present]
        others = ("src/user_store.go", "crowd/new.py", "x/crowd.go", "nothing/alike.xyz")
        for path in (*rng.sample(sorted(known), 25), *others):
            assert set(db.history.lookalikes(path)) == lookalikes(path, present), path


def test_named(db: Database):
    """A name finds the present files that are called so or end so, the shortest path first."""
    write(db, [file(p) for p in ("src/api/auth.py", "auth.py", "lib/auth.py", "src/oauth.py")])
    write(db, [file("old/auth.py", present=False)])
    assert db.history.named(["auth.py"]) == ["auth.py", "lib/auth.py", "src/api/auth.py"]
    assert db.history.named(["api/auth.py", "oauth.py"]) == ["src/oauth.py", "src/api/auth.py"]
    assert db.history.named(["auth.py"], limit=1) == ["auth.py"]
    assert db.history.named(["uth.py", "%", "", "*"]) == []


def test_co_access(db: Database):
    """Files read together are found from either side, unless the edge has a direction; weak edges are not."""
    edges = [("a", "b", 0.9, 0), ("c", "a", 0.5, 0), ("a", "d", 0.5, 1), ("e", "a", 0.8, 1)]
    edges.append(("a", "f", 0.3, 0))
    sql = """INSERT INTO observer_co_access_edges(file_a, file_b, weight, directional, project_id,
             last_observed_at) VALUES (?, ?, ?, ?, 'p1', '')"""
    save(db, db.connection.execute_many, sql, edges)
    assert db.history.co_access(["a"], 0.3, 9) == [("a", "b", 0.9), ("a", "c", 0.5), ("a", "d", 0.5)]
    assert db.history.co_access(["a"], 0.3, 1) == [("a", "b", 0.9)]
    assert db.history.co_access(["d"], 0.3, 9) == db.history.co_access([], 0.3, 9) == []


def test_source_items(db: Database):
    """What was read is known by kind and key, can be noted anew and forgotten."""
    with db.connection.transaction():
        db.history.set_seen("rule", "k1", "m-1", ["CLAUDE.md:3", "ünï.md:1"], AT)
        db.history.set_seen("rule", "k2", None, [], AT)
        db.history.set_seen("commit", "k1", "m-9", [], AT)
    assert db.history.seen("rule") == {"k1": ("m-1", ("CLAUDE.md:3", "ünï.md:1")), "k2": (None, ())}
    with db.connection.transaction():
        db.history.set_seen("rule", "k1", "m-2", ["AGENTS.md:1"], AT)
        db.history.unsee("rule", ["k2", "unknown"])
    assert db.history.seen("rule") == {"k1": ("m-2", ("AGENTS.md:1",))}
    assert db.history.seen("commit") == {"k1": ("m-9", ())}
    assert db.history.seen("other") == {}


def test_renames_are_followed_to_the_end(db: Database) -> None:
    """A file has all names that it had before, over several runs; one that got its own name back, too."""
    with db.connection.transaction():
        db.history.put_moves([("a", "b"), ("x", "y"), ("b", "c")], "2026-01-01T00:00:00Z")
        db.history.put_moves([("c", "d"), ("y", "x")], "2026-01-02T00:00:00Z")
    before = {path: db.history.names_before(path) for path in "abcdxy"}
    assert before == {"a": [], "b": ["a"], "c": list("ab"), "d": list("abc"), "x": ["y"], "y": ["x"]}
    assert db.history.seen("moved")["a"] == (None, ("b", "c", "d"))
    save(db, db.history.clear)
    assert db.history.names_before("d") == []


def commit(sha: str, clock: int, subject: str, *files: str, body: str = "") -> CommitRow:
    """Return a commit of that day."""
    return CommitRow(sha, clock, "2025-01-01T00:00:00.000Z", subject, body, files)


def test_a_commit_is_found_by_the_words_of_its_message(db: Database):
    """Subject counts more than body; parts of joined names are words; one read again adds nothing."""
    made = [
        commit("a", 1, "fix token refresh", "auth.py"),
        commit("b", 2, "docs", "readme.md", body="mention the token"),
        commit("c", 3, "rename getUserToken", "users.py"),
    ]
    with db.connection.transaction():
        db.commits.add(made)
        db.commits.add([commit("a", 9, "other words", "b.py")])
    found = db.commits.search(["token"], 10)
    rows = db.commits.get_many([i for i, _ in found])
    assert {rows[i].sha for i, _ in found} == {"a", "b", "c"}
    assert rows[found[0][0]] == made[0]
    assert db.commits.search(["other"], 5) == db.commits.search([], 10) == []
    save(db, db.commits.keep_newest, 1)
    assert db.commits.count() == 1
    assert len(db.commits.search(["token", "docs"], 10)) == 1
    assert db.connection.check() == []
