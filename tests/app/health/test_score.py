"""The score: four shares, each by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora import FixedClock, Memory
from tests.helpers import NOW, Repo, environment


def test_a_score_from_four_shares(tmp_path: Path, folder: Path) -> None:
    """Two of ten wait, two faded, one use in twenty was corrected, half of the code is covered."""
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    for name in ("a", "b"):
        (folder / name / "one.py").write_text("def one():\n    return 1\n")
    clock = FixedClock(NOW)
    with Memory.open(folder, environ=environment(tmp_path), clock=clock) as memory:
        empty = memory.health()
        assert (empty.score, empty.memories, empty.fresh, empty.right) == (None, 0, 0.0, 1.0)
        memory.index()
        old = [memory.remember(f"Gotcha {n} of the gate", type="gotcha") for n in ("one", "two")]
        clock.advance(days=61)  # a gotcha has a half-life of 60 days
        new = [memory.remember(f"The {n} is red", needs_review=n in ("wall", "roof")) for n in NAMES]
        assert memory.health().score is None
        new.append(memory.remember("The lamp is red", related_files=["a/one.py"]))
        with memory._project.db.transaction():
            uses = memory._project.db.uses
            for number in range(19):
                uses.add(f"s{number}", "helped", {new[2].id: 1}, "2026-05-01T00:00:00.000Z")
            uses.add("s19", "wrong", {new[3].id: 1}, "2026-05-01T00:00:00.000Z")
        found = memory.health()
    assert (found.memories, found.waiting, found.outdated) == (10, 2, 0)
    assert found.fresh == 0.8
    assert found.reviewed == 0.8
    assert found.right == pytest.approx(0.5)
    assert found.covered == 0.5
    assert found.score == round(100 * (0.3 * 0.8 + 0.25 * 0.8 + 0.25 * 0.5 + 0.2 * 0.5))
    assert {one.module: one.memories for one in found.modules} == {"a": 1, "b": 0}
    assert {one.id for one in old}.isdisjoint({one.id for one in new})


def test_modules_are_as_hot_as_commits_changed_them(repo: Repo, memory: Memory) -> None:
    """The shares add up to one; what changed lately counts most, and without a history nothing is hot."""
    repo.commit("begin", {"a/one.py": "x = 1\n", "b/one.py": "x = 1\n", "c/one.txt": "prose\n"})
    for number in range(3):
        repo.commit("more", {"b/one.py": f"x = {number}\n"})
    memory.init()
    heat = {one.module: one.heat for one in memory.health().modules}
    assert 0.0 < heat["a"] < heat["b"] / 3
    assert sum(heat.values()) <= 1.0


NAMES = ("wall", "roof", "door", "gate", "fence", "shed", "path")
