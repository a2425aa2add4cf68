"""Statistics of files survive the way into the database, and answer as those in memory do."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from remora.core.cochange import CROWD, NEVER, FileStat, PairStat, Tree, related
from remora.core.values import Author, Ownership
from remora.store.history import CLOCK
from remora.store.space import Space
from tests.store.makers import AT, add, record


def file(path: str, **known) -> FileStat:
    """Return a file that changed once unless said otherwise."""
    return FileStat(path, **{"commits": 1, "heat": 0.5, "reach": -1.5, "last": 3, **known})


def pair(a: str, b: str, bond: float = 1.0) -> PairStat:
    """Return two files that changed together."""
    return PairStat(a, b, bond, 2, "2026-01-02T00:00:00.000Z")


def write(
    space: Space,
    files: Sequence[FileStat] = (),
    pairs: Sequence[PairStat] = (),
    removed: Sequence[str] = (),
    modules: Mapping[str, str] | None = None,
) -> None:
    """Write statistics in a transaction of their own."""
    with space.db.transaction(durable=False):
        space.history.write(removed=removed, files=files, pairs=pairs, modules=modules or {})


def test_files_come_back_as_they_went_in(space: Space):
    """Every statistic of a file is kept, for files that are gone and files that never changed too."""
    files = [
        FileStat("a/b.py", 7, 3.25, 2.5, 9, "2025-01-01", "2026-01-01", True, (("Ada L.", 5), ("Börje", 2))),
        FileStat("gone.py", 2, 1.0, NEVER, 4, "2025-01-01", "2025-02-01", present=False),
        FileStat("new.py"),
    ]
    write(space, files)
    assert space.history.all_files() == files
    assert space.history.stats(["gone.py", "nobody"]) == {"gone.py": files[1]}
    assert space.history.stats([]) == {}
    assert space.history.counts() == (2, 0)


def test_rewritten_files_replace_the_old_rows(space: Space):
    """A file written again has its new numbers, module and presence."""
    write(space, [file("src/user_store.py")], modules={"src/user_store.py": "src"})
    assert space.history.modules() == {"src": 1}
    assert space.history.lookalikes("lib/user_store.ts") == {"src/user_store.py"}
    newer = file("src/user_store.py", commits=9, present=False)
    write(space, [newer], modules={"src/user_store.py": "core"})
    assert space.history.all_files() == [newer]
    assert space.history.modules() == {}
    assert space.history.lookalikes("lib/user_store.ts") == set()
    write(space, [file("src/user_store.py")])
    assert space.history.lookalikes("lib/user_store.ts") == {"src/user_store.py"}
    assert space.db.check() == []


def test_whose_a_file_is(space: Space):
    """A file's module and its authors are given back, of one that is gone too; the largest module first."""
    known = file("src/a.py", commits=5, first_date="2025-01-01", last_date="2026-01-01")
    gone = file("old.py", present=False)
    never = FileStat("web/new.py")
    write(
        space,
        [known._replace(authors=(("Ada", 3), ("Bo", 2))), gone, never, file("src/b.py"), file("lib/c.py")],
        modules={"src/a.py": "src", "src/b.py": "src", "old.py": ".", "web/new.py": "web", "lib/c.py": "lib"},
    )
    who = (Author("Ada", 3), Author("Bo", 2))
    assert space.history.ownership("src/a.py") == Ownership(
        "src/a.py", "src", 5, who, "2025-01-01", "2026-01-01"
    )
    assert space.history.ownership("old.py") == Ownership("old.py", ".", 1, present=False)
    assert space.history.ownership("web/new.py") == Ownership("web/new.py", "web")
    assert space.history.ownership("nobody.py") is None
    assert list(space.history.modules().items()) == [("src", 2), ("lib", 1), ("web", 1)]


def test_partners_come_strongest_first(space: Space):
    """A file's pairs are seen from either side, by strength, then by name, up to the limit."""
    write(space, pairs=[pair("a", "b", 1.0), pair("a", "d", 3.0), pair("c", "a", 1.0)])
    assert space.history.partners(["a", "b", "x"], 9) == {
        "a": [pair("a", "d", 3.0), pair("a", "b"), pair("a", "c")],
        "b": [pair("b", "a")],
        "x": [],
    }
    assert [p.other for p in space.history.partners(["a"], 2)["a"]] == ["d", "b"]
    assert space.history.all_pairs() == [pair("a", "b"), pair("a", "c"), pair("a", "d", 3.0)]
    write(space, pairs=[pair("b", "a", 7.0)])
    assert [p.bond for p in space.history.partners(["a"], 1)["a"]] == [7.0]
    assert space.history.counts() == (0, 3)


def test_renamed_files_leave_no_pairs(space: Space):
    """What is removed disappears from files, pairs and names; the pairs under the new name stay."""
    write(space, [file("old.py"), file("x.py")], [pair("old.py", "x.py"), pair("x.py", "y.py")])
    write(space, [file("new.py")], [pair("new.py", "x.py", 2.0)], removed=["old.py", "never.py"])
    assert [f.path for f in space.history.all_files()] == ["new.py", "x.py"]
    assert space.history.all_pairs() == [pair("new.py", "x.py", 2.0), pair("x.py", "y.py")]
    assert space.history.partners(["old.py", "x.py"], 9) == {
        "old.py": [],
        "x.py": [pair("x.py", "new.py", 2.0), pair("x.py", "y.py")],
    }
    assert space.history.lookalikes("zz/old.pyc") == set()
    assert space.db.value("SELECT count(*) FROM git_file_words WHERE path = 'old.py'") == 0


def test_hottest(space: Space):
    """The files that change most come first, then by name; what is gone or never changed does not come."""
    write(
        space,
        [
            file("b", heat=2.0),
            file("a", heat=2.0),
            file("c", heat=9.0, present=False),
            file("d", heat=5.0),
            FileStat("e"),
        ],
    )
    assert space.history.hottest(9) == ["d", "a", "b"]
    assert space.history.hottest(1) == ["d"]


@pytest.mark.parametrize("seed", range(6))
def test_lookalikes_equal_those_in_memory(space: Space, seed: int):
    """Names find the files that `core.cochange.Tree` finds, in crowded folders and after changes too."""
    rng = random.Random(seed)
    words = ["user", "store", "auth", "token", "test", "api", "view", "model", "Cache", "i18n"]
    tree = Tree()
    known: dict[str, FileStat] = {}
    crowd = [f"crowd/{rng.choice(words)}_{n}.py" for n in range(CROWD + seed % 3 - 1)]
    for _ in range(3):
        fresh = [
            f"{rng.choice(['src', 'lib/api', 'tests', ''])}/{rng.choice(words)}{rng.choice(['_', '', '-'])}"
            f"{rng.choice(words)}.{rng.choice(['py', 'ts', 'test.ts'])}".lstrip("/")
            for _ in range(40)
        ]
        files = [
            file(path, present=path in crowd or rng.random() < 0.8)
            for path in dict.fromkeys([*crowd, *fresh])
        ]
        removed = rng.sample(sorted(set(known) - set(crowd)), min(5, len(known)))
        for path in removed:
            known.pop(path)
            tree.remove(path)
        files = [f for f in files if f.path not in removed]
        write(space, files, removed=removed)
        for one in files:
            known[one.path] = one
            (tree.add if one.present else tree.remove)(one.path)
        asked = [
            *rng.sample(sorted(known), 25),
            "src/user_store.go",
            "crowd/new.py",
            "x/crowd.go",
            "nothing/alike.xyz",
        ]
        for path in asked:
            assert set(space.history.lookalikes(path)) == tree.lookalikes(path), path


def test_related_reads_the_database(space: Space):
    """The ranking of neighbours works on the database as on tables in memory."""
    write(
        space,
        [file("q/main.py", reach=2.0), file("a/one.py"), file("b/two.py"), file("gone.py", present=False)],
        [
            pair("q/main.py", "a/one.py", 2.0),
            pair("q/main.py", "b/two.py", 1.0),
            pair("q/main.py", "gone.py", 5.0),
        ],
    )
    with space.db.transaction():
        space.meta.set(CLOCK, 4)
    assert space.history.clock() == 4
    hits = related("q/main.py", space.history)
    assert [h.path for h in hits] == ["a/one.py", "b/two.py"]
    assert "changed together in 2 of 2 commits" in hits[0].why[0]


def test_clock_starts_at_nothing(space: Space):
    """A file that learnt no commit has a clock of 0."""
    assert space.history.clock() == 0


def test_named(space: Space):
    """A name finds the present files that are called so or end so, the shortest path first."""
    write(space, [file(p) for p in ("src/api/auth.py", "auth.py", "lib/auth.py", "src/oauth.py")])
    write(space, [file("old/auth.py", present=False)])
    assert space.history.named(["auth.py"]) == ["auth.py", "lib/auth.py", "src/api/auth.py"]
    assert space.history.named(["api/auth.py", "oauth.py"]) == ["src/oauth.py", "src/api/auth.py"]
    assert space.history.named(["auth.py"], limit=1) == ["auth.py"]
    assert space.history.named(["uth.py", "%", "", "*"]) == []


def test_clear_forgets_all_history(space: Space):
    """Clearing leaves no file, name or pair, and touches nothing else."""
    add(space.memories, record("m-1", related_files=("a.py",)))
    write(space, [file("a.py")], [pair("a.py", "b.py")])
    with space.db.transaction():
        space.history.clear()
    assert space.history.counts() == (0, 0)
    assert space.history.lookalikes("zz/a.pyc") == set()
    assert space.memories.get("m-1") is not None


def test_co_access(space: Space):
    """Files read together are found from either side, unless the edge has a direction; weak edges are not."""
    with space.db.transaction():
        for a, b, weight, directional in (
            ("a", "b", 0.9, 0),
            ("c", "a", 0.5, 0),
            ("a", "d", 0.5, 1),
            ("e", "a", 0.8, 1),
            ("a", "f", 0.3, 0),
        ):
            space.db.execute(
                """INSERT INTO observer_co_access_edges(file_a, file_b, project_id, weight, directional,
                   last_observed_at) VALUES (?, ?, 'p1', ?, ?, '')""",
                (a, b, weight, directional),
            )
    assert space.history.co_access(["a"], 0.3, 9) == [("a", "b", 0.9), ("a", "c", 0.5), ("a", "d", 0.5)]
    assert space.history.co_access(["a"], 0.3, 1) == [("a", "b", 0.9)]
    assert space.history.co_access(["d"], 0.3, 9) == []
    assert space.history.co_access([], 0.3, 9) == []


def test_source_items(space: Space):
    """What was read is known by kind and key, can be noted anew and forgotten."""
    with space.db.transaction():
        space.history.set_seen("rule", "k1", "m-1", ["CLAUDE.md:3", "ünï.md:1"], AT)
        space.history.set_seen("rule", "k2", None, [], AT)
        space.history.set_seen("commit", "k1", "m-9", [], AT)
    assert space.history.seen("rule") == {"k1": ("m-1", ("CLAUDE.md:3", "ünï.md:1")), "k2": (None, ())}
    with space.db.transaction():
        space.history.set_seen("rule", "k1", "m-2", ["AGENTS.md:1"], AT)
        space.history.unsee("rule", ["k2", "unknown"])
    assert space.history.seen("rule") == {"k1": ("m-2", ("AGENTS.md:1",))}
    assert space.history.seen("commit") == {"k1": ("m-9", ())}
    assert space.history.seen("other") == {}


def test_renames_are_followed_to_the_end(space: Space) -> None:
    """A file has all names that it had before, over several runs; one that got its own name back, too."""
    with space.db.transaction():
        space.history.put_moves([("a", "b"), ("x", "y"), ("b", "c")], "2026-01-01T00:00:00Z")
        space.history.put_moves([("c", "d"), ("y", "x")], "2026-01-02T00:00:00Z")
    assert [space.history.names_before(p) for p in ("b", "c", "d", "x", "y", "a")] == [
        ["a"],
        ["a", "b"],
        ["a", "b", "c"],
        ["y"],
        ["x"],
        [],
    ]
    assert space.history.seen("moved")["a"] == (None, ("b", "c", "d"))
    with space.db.transaction():
        space.history.clear()
    assert space.history.names_before("d") == []
