"""The ranking of files that change together, on statistics made by hand."""

from __future__ import annotations

import math
import random

import pytest

from benchmarks.cochange import InMemory
from remora.core.cochange import NEVER, FileStat, PairStat, Tie, name, related


def file(path: str, **known) -> FileStat:
    """Return a file that changed once, long ago, unless said otherwise."""
    once = {"commits": 1, "heat": 0.0, "reach": 0.0, "last": 0, "last_date": "2026-01-01"}
    return FileStat(path, **{**once, **known})


def files(*paths: str) -> list[FileStat]:
    """Return files that each changed once, long ago."""
    return [file(path) for path in paths]


def pair(a: str, b: str, bond: float = 0.0, commits: int = 1) -> PairStat:
    """Return two files that changed together."""
    return PairStat(a, b, bond, commits, "2026-02-03T00:00:00.000Z")


def paths(table: InMemory, path: str, k: int = 10) -> list[str]:
    """Return the neighbours' names, best first."""
    return [hit.path for hit in related(path, table, k)]


def test_the_score_is_the_formula():
    """One pair, checked by hand: weight decayed, prior by names, factor for recency."""
    known = [file("q/q.x", reach=1.0), file("a/a.y", heat=2.0, reach=1.0, last=245)]
    table = InMemory(250, known, [pair("q/q.x", "a/a.y", 1.0)])
    (hit,) = related("q/q.x", table)
    names = math.exp(4 * 0 / 4)
    heat = 1 + 2 ** (2 - 250 / 40)
    raw = (2 ** (1 - 250 / 250) + 0.003 * heat * names) * math.exp(1.5 / (1 + 5 / 5))
    assert hit.score == pytest.approx(raw / (1 + raw))


def test_a_partner_of_a_partner_is_found_by_the_walk():
    """Two files that never met are related when both change with a third."""
    known = [file("m/m.y", reach=1.0), *files("q/q.x", "b/b.z", "c/c.w")]
    table = InMemory(10, known, [pair("q/q.x", "m/m.y"), pair("m/m.y", "b/b.z")])
    hits = related("q/q.x", table)
    assert [h.path for h in hits] == ["m/m.y", "b/b.z", "c/c.w"]
    assert hits[1].why == ("both change with m/m.y", "changed once, last 2026-01-01")


def test_a_new_file_is_ranked_by_names_alone():
    """Without history the test of the same name and the folder come first."""
    new = file("src/app/users.py", commits=0, heat=NEVER, last=-1)
    table = InMemory(10, [new, *files("tests/test_users.py", "zoo/lion.md")], [])
    hits = related("src/app/users.py", table)
    assert hits[0].path == "tests/test_users.py"
    assert hits[0].why[0] == "same name"


def test_files_that_are_gone_and_the_file_itself_are_never_named():
    """A deleted partner still leads to others, but is no answer."""
    gone = file("m/m.y", present=False)
    table = InMemory(10, [gone, *files("q/q.x", "b/b.z")], [pair("q/q.x", "m/m.y"), pair("m/m.y", "b/b.z")])
    assert paths(table, "q/q.x") == ["b/b.z"]


def test_an_unknown_file_and_an_empty_history_answer():
    """A path nobody has seen gives the hottest files; nothing gives nothing."""
    assert related("x.py", InMemory(0, [], [])) == []
    warm = InMemory(5, [file("hot.md", heat=3.0), file("cold.md")], [])
    assert paths(warm, "unknown/x.py") == ["hot.md", "cold.md"]
    assert related("hot.md", InMemory(5, files("hot.md", "a.md"), []), 0) == []


def test_a_tie_of_the_code_is_part_of_the_score():
    """Without a pair the tie and the prior are multiplied by the names, checked by hand."""
    table = InMemory(250, [file("q/q.x"), file("a/a.y", heat=2.0, last=245)], [])
    (hit,) = related("q/q.x", table, ties={"a/a.y": Tie(0.5, "imports it")})
    heat = 1 + 2 ** (2 - 250 / 40)
    raw = (0.2 * 0.5 + 0.003 * heat) * math.exp(1.5 / (1 + 5 / 5))
    assert hit.score == pytest.approx(raw / (1 + raw))
    assert hit.why == ("imports it", "changed once, last 2026-01-01")


def test_the_closer_tie_comes_first():
    """Of two files that the history says the same of, the one that is tied more closely wins."""
    known = files("q/q.x", "a/a.y", "b/b.y", "c/c.y")
    table = InMemory(500, known, [pair("q/q.x", one.path) for one in known[1:]])
    ties = {"c/c.y": Tie(1.0, "tests it"), "b/b.y": Tie(0.3, "is imported by it")}
    assert [h.path for h in related("q/q.x", table, ties=ties)] == ["c/c.y", "b/b.y", "a/a.y"]
    first = related("q/q.x", table, ties=ties)[0]
    assert first.why == ("changed together in 1 of 1 commits, last 2026-02-03", "tests it")


def test_a_file_that_only_the_graph_knows_is_named():
    """Without any history the ties rank, by strength and names; a file that is gone is not named."""
    ties = {
        "src/b.py": Tie(0.5, "imports it"),
        "zoo/c.md": Tie(0.5, "imports it"),
        "zoo/d.md": Tie(0.1, "is imported by it"),
    }
    hits = related("src/a.py", InMemory(0, [], []), ties=ties)
    assert [h.path for h in hits] == ["src/b.py", "zoo/c.md", "zoo/d.md"]
    assert hits[0].why == ("imports it", "same folder")
    assert hits[2].why == ("is imported by it",)
    gone = InMemory(5, [file("zoo/c.md", present=False)], [])
    assert [h.path for h in related("src/a.py", gone, ties=ties)] == ["src/b.py", "zoo/d.md"]


def test_ties_are_broken_by_path_whatever_the_order():
    """The same statistics in another order give the same answer."""
    known = files("q/q.x", *(f"d{n}/f{n}.y" for n in range(12)))
    pairs = [pair("q/q.x", one.path) for one in known[1:]]
    expected = paths(InMemory(10, known, pairs), "q/q.x")
    assert expected == sorted(expected)
    for seed in range(5):
        random.Random(seed).shuffle(known)
        random.Random(seed).shuffle(pairs)
        assert paths(InMemory(10, known, pairs), "q/q.x") == expected


def test_a_history_of_a_million_commits_does_not_overflow():
    """Weights are logarithms, so the clock may run for ever."""
    old, new = pair("q/q.x", "a/a.y", 0.0), pair("q/q.x", "b/b.y", 1_000_000 / 250)
    known = [file("q/q.x", reach=4000.0), file("a/a.y", heat=0.0), file("b/b.y", heat=25_000.0)]
    hits = related("q/q.x", InMemory(1_000_000, known, [old, new]))
    assert [h.path for h in hits] == ["b/b.y", "a/a.y"]
    assert all(0 <= h.score <= 1 for h in hits)


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("tests/test_core.py", "core"), ("pkg/core_test.go", "core"), ("src/Button.test.tsx", "button"),
        ("src/Button.spec.ts", "button"), ("docs/core.md", "core"), (".gitignore", ".gitignore"),
        ("a/my_mod.py", "my-mod"),
    ],
)  # fmt: skip
def test_stems_leave_out_what_marks_a_test(path, stem):
    """A file and its test have one stem."""
    assert name(path).stem == stem
