"""The trust level of a project: what is said at which, where it is kept, and who moves it."""

from __future__ import annotations

from typing import Any

import pytest

from remora.app.memory import Memory
from remora.core.errors import InvalidInput
from remora.core.trust import UPGRADED
from tests.app.conftest import Opens


def said(memory: Memory) -> str:
    """Return what a new session is told before a command."""
    with memory.loop(f"s-{len(memory.log(1_000))}") as loop:
        return loop.before("Bash", {"command": "terraform apply"})


def noted(memory: Memory, confidence: float, **more: Any) -> None:
    """Store a trap of an agent's that is said before that command."""
    text = "Never run `terraform apply` without a plan file"
    memory.remember(text, type="gotcha", confidence=confidence, **more)


def test_a_memory_below_the_level_waits(opens: Opens) -> None:
    """Silent at level 1, said at level 2, where a store of an earlier version begins."""
    with opens() as memory:
        noted(memory, 0.66)
        assert said(memory) == ""
        memory.trust(2)
        assert "plan file" in said(memory)
    with opens("old") as memory:
        db = memory._project.db
        with db.transaction():
            db.meta.set(UPGRADED, "2026-01-01T00:00:00.000Z")
        noted(memory, 0.66)
        assert memory.trust().level == 2
        assert "plan file" in said(memory)


@pytest.mark.parametrize(
    ("confidence", "how"),
    [(0.3, {"pinned": True}), (0.3, {"user_verified": True}), (0.5, {"source": "user_taught"})],
)
def test_what_a_person_holds_to_is_said_at_every_level(bare: Memory, confidence: float, how: Any) -> None:
    """Also at a low confidence."""
    noted(bare, confidence, **how)
    assert bare.trust(1).level == 1
    assert "plan file" in said(bare)


def test_an_error_that_came_back_is_told_and_marked(bare: Memory) -> None:
    """At level 1 too: quoted, and called unconfirmed; at a level that trusts it, plainly."""
    text = "ERROR: relation users does not exist"
    known = f"`make db` fails with “{text}”: run `make migrate` first"
    bare.remember(known, type="error_pattern", confidence=0.7)
    told = {}
    for level in (1, 2):
        bare.trust(level)
        with bare.loop(f"s-{level}") as loop:
            told[level] = loop.after("Bash", {"command": "make db"}, text, failed=True)
    assert "(unconfirmed) “`make db` fails" in told[1]
    assert "make migrate" in told[2]
    assert "unconfirmed" not in told[2]


def test_the_level_is_the_project_s(opens: Opens) -> None:
    """It survives the program, another project has its own; one that there is not is refused."""
    with opens() as memory:
        memory.trust(3)
    with opens() as memory:
        for level in (0, 5, "high", True):
            with pytest.raises(InvalidInput):
                memory.trust(level)
        assert memory.trust().level == 3
        assert not memory.trust().auto
        assert memory.trust("auto").auto
    with opens("other") as memory:
        assert memory.trust().level == 1


@pytest.mark.parametrize(("threshold", "level", "told"), [("0.9", 4, False), ("0.5", 1, True)])
def test_the_setting_wins(opens: Opens, threshold: str, level: int, told: bool) -> None:
    """Where a threshold is set, the level does not matter."""
    with opens(REMORA_INJECT_THRESHOLD=threshold) as memory:
        noted(memory, 0.7)
        memory.trust(level)
        assert ("plan file" in said(memory)) is told
        assert memory.trust().threshold == float(threshold)


def test_sessions_in_which_something_was_said_raise_it(bare: Memory) -> None:
    """Ten without a correction are enough for level 2, without a single review."""
    noted(bare, 0.9)
    for _ in range(9):
        assert said(bare)
    assert bare.trust().level == 1
    assert said(bare)
    assert bare.trust() == bare.trust()
    assert bare.trust().level == 2


def test_three_wrong_in_a_session_are_an_offer(bare: Memory) -> None:
    """It is made once there is a level to go down from; nothing moves by itself."""
    bare.trust(2)
    ids = [bare.remember(f"The {name} queue is slow at noon").id for name in ("red", "blue", "green")]
    assert [bare.wrong(i, "outdated").offer for i in ids] == [False, False, True]
    assert bare.trust().level == 2
