"""What a stream of commits teaches about files, kept across runs."""

from __future__ import annotations

import pytest

from remora.core.cochange import FileStat, PairStat, change_rate
from remora.core.paths import module_of
from remora.sources.git import Commit, FileChange
from remora.sources.history import AUTHORS_KEPT, CoChange, renames


def commit(n: int, *changes: str, author: str = "Ada") -> Commit:
    """Return commit n; a change is "a.py", "+a.py", "-a.py" or "a.py>b.py"."""
    files = []
    for change in changes:
        old, _, new = change.partition(">")
        if new:
            files.append(FileChange("R", new, old))
        else:
            files.append(FileChange({"+": "A", "-": "D"}.get(old[0], "M"), old.lstrip("+-")))
    return Commit(f"{n:040x}", (), f"2026-01-{n + 1:02d}T00:00:00.000Z", author, f"c{n}", "", tuple(files))


def learnt(*commits: Commit) -> CoChange:
    """Return the statistics of some commits."""
    history = CoChange()
    for one in commits:
        history.learn(one)
    return history


def pair(history: CoChange, a: str, b: str):
    """Return the statistics of two files, None when they never changed together."""
    return next((p for p in history.changed_pairs() if (p.path, p.other) == (min(a, b), max(a, b))), None)


def test_files_of_one_commit_are_a_pair():
    """Each pair is counted once, with the date it last happened."""
    history = learnt(commit(0, "a", "b"), commit(1, "a", "b", "c"), commit(2, "a"))
    found = pair(history, "b", "a")
    assert (found.commits, found.last_date) == (2, "2026-01-02T00:00:00.000Z")
    assert history.stat("a").commits == 3
    assert len(history.changed_pairs()) == 3


def test_a_small_commit_says_more_than_a_large_one():
    """The weight falls with the square root of the other files."""
    small, large = learnt(commit(0, "a", "b")), learnt(commit(0, "a", "b", *"cdefg"))
    assert pair(small, "a", "b").bond == pytest.approx(0.0)
    assert pair(large, "a", "b").bond == pytest.approx(-1.2925, abs=1e-4)  # log2 of 1 / sqrt(6)


def test_a_huge_commit_teaches_only_what_exists_and_what_moved():
    """A reformat of the whole tree makes no pairs and no heat."""
    history = learnt(commit(0, "a", "b"), commit(1, *(f"f{n}" for n in range(40)), "a>z"))
    assert history.stat("f0").commits == 0
    assert pair(history, "z", "b").commits == 1
    assert "a" not in history.tree
    assert "f0" in history.tree
    assert history.clock() == 2


def test_a_rename_keeps_what_was_known():
    """Counts, pairs, dates and authors of the old name belong to the new one."""
    history = learnt(commit(0, "a", "b", author="Bob"), commit(1, "a>c", author="Eve"), commit(2, "c", "b"))
    stat = history.stat("c")
    assert (stat.commits, stat.first_date, stat.authors) == (
        3,
        "2026-01-01T00:00:00.000Z",
        (("Ada", 1), ("Bob", 1), ("Eve", 1)),
    )
    assert pair(history, "b", "c").commits == 2
    assert history.stat("a") == FileStat("a", present=False)


def test_a_rename_onto_a_known_file_adds_up():
    """Two histories become one; their own pair is forgotten."""
    history = learnt(commit(0, "a", "b"), commit(1, "b", "x"), commit(2, "a", "x"), commit(3, "a>b"))
    assert pair(history, "b", "x").commits == 2
    assert [(p.path, p.other) for p in history.changed_pairs()] == [("b", "x")]
    stat, only = history.stat("b"), pair(history, "b", "x")
    assert stat.reach == pytest.approx(only.bond)
    assert stat.commits == 5


def test_a_file_that_changed_folders_counts_as_renamed():
    """Deleted here and added there under the same unique name is a move."""
    moved = commit(1, "-old/x.py", "+new/x.py", "-old/y.py", "+p/z.py", "+q/z.py", "-r/z.py")
    assert renames(moved.files) == [("old/x.py", "new/x.py")]
    history = learnt(commit(0, "old/x.py", "b"), moved)
    assert pair(history, "new/x.py", "b").commits == 1


def test_learning_in_two_runs_is_learning_in_one():
    """What is stored between the runs is enough to go on, and only changed rows are written again."""
    commits = [
        commit(0, "+a", "+b", "+c"), commit(1, "a", "b"), commit(2, "+d"), commit(3, "a>e", "d"),
        commit(4, "b", "c"),
        commit(5, "-d"), commit(6, "+a", "b"), commit(7, "e>f", "c"), commit(8, "f>e"), commit(9),
    ]  # fmt: skip
    whole = learnt(*commits)
    for cut in range(len(commits)):
        files: dict[str, FileStat] = {}
        pairs: dict[tuple[str, str], PairStat] = {}
        clock = 0
        for part in (commits[:cut], commits[cut:]):
            run = CoChange(clock, files.values(), pairs.values())
            for one in part:
                run.learn(one)
            for gone in run.removed:
                files.pop(gone, None)
                pairs = {k: v for k, v in pairs.items() if gone not in k}
            files |= {f.path: f for f in run.changed_files()}
            pairs |= {(p.path, p.other): p for p in run.changed_pairs()}
            clock = run.clock()
        assert clock == whole.clock()
        assert {p: f for p, f in files.items() if f.present or f.commits} == {
            f.path: f for f in whole.changed_files()
        }
        assert sorted(pairs.values()) == whole.changed_pairs()


def test_the_tree_can_be_set_from_what_exists():
    """A shortened history does not know files that never changed, nor those a merge removed."""
    history = learnt(commit(0, "a", "b"))
    history.set_tree(["b", "never-changed"])
    assert [(f.path, f.present, f.commits) for f in history.changed_files()] == [
        ("a", False, 1), ("b", True, 1), ("never-changed", True, 0),
    ]  # fmt: skip


def test_authors_are_names_most_first_and_few():
    """Ownership needs the main authors only."""
    people = AUTHORS_KEPT + 2
    history = learnt(*(commit(n, "a", author=f"P{n % people:02}") for n in range(people + 2)))
    authors = history.stat("a").authors
    assert authors[:2] == (("P00", 2), ("P01", 2))
    assert len(authors) == AUTHORS_KEPT


def test_change_rate_is_commits_a_day():
    """A file younger than a day counts as a day old."""
    assert change_rate(FileStat("a", commits=6), 12.0) == 0.5
    assert change_rate(FileStat("a", commits=6), 0.1) == 6.0


def test_module_of():
    """Containers lead to a module but are none themselves."""
    modules = {
        "docs/index.md": "docs",
        "src/main.ts": "src",
        "remora/sources/deep/er/x.py": "remora/sources",
        "src/main/java/com/acme/shop/cart/Cart.java": "src/main/java/com/acme/shop",
    }
    assert {path: module_of(path) for path in modules} == modules
