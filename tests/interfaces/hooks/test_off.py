"""Off: for a project or for one session nothing is told, noted or learned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.app.agent.session_end import work
from remora.app.project.off import Off, never_learn
from remora.core.clock import FixedClock
from remora.core.errors import NotFound
from remora.disk.live import read
from remora.interfaces.hooks.statusline import line
from remora.sources.transcripts.paths import slug
from tests.interfaces.hooks.called import World
from tests.interfaces.hooks.test_learning import TOLD, told
from tests.sources.transcripts.records import claude, put

Ask = Callable[..., Any]
HOST = "gemini"


def _opened(world: World, **more: Any) -> Memory:
    return Memory.open(world.root, environ=world.environ, **more)


def _said(reply: Any) -> str:
    return str(reply["hookSpecificOutput"]["additionalContext"]) if reply else ""


def _learnt(world: World) -> list[str]:
    with _opened(world, read_only=True) as memory:
        return [m.content for m in memory.list() if m.source in ("observer_inferred", "user_taught")]


def _tell(world: World, ask: Ask, *numbers: int) -> None:
    """Tell events of a session at a host without transcripts."""
    for number in numbers:
        ask(told(world, HOST, number, TOLD[HOST][number]), HOST)


def test_a_project_that_is_off_hears_and_keeps_nothing(world: World, ask: Ask) -> None:
    """From a start, and from the next event of a session that goes on; what events tell is not learned."""
    assert _said(ask(world.edit()))
    with _opened(world) as memory:
        assert memory.hears()
        since = memory.turn_off()
        assert (memory.off_since(), memory.status().off, memory.turn_off()) == (since, since, since)
        assert not memory.hears()  # nor does an agent at work record anything
    size = world.live().stat().st_size
    assert ask(world.edit("toolu_2")) is None
    assert ask(world.event("UserPromptSubmit", prompt="Always use tenant keys from now on.")) is None
    assert world.live().stat().st_size == size
    assert "off here" in line({"session_id": "s1"}, world.environ)
    assert ask(world.event("SessionStart", session_id="s2", source="startup")) is None
    late = {**world.edit("toolu_3"), "session_id": "s4"}
    assert ask(late) is None  # its first moment is noted before it is known whose it is
    assert "cart.py" not in world.live("s4").read_text("utf-8")
    _tell(world, ask, *range(len(TOLD[HOST])))
    work(world.environ, idle=0.0)
    assert _learnt(world) == []
    captured = [p for p in (world.data / "projects").rglob("captured/*") if p.is_file()]
    assert not any("tenant" in path.read_text("utf-8") for path in captured)
    with _opened(world) as memory:
        assert (memory.turn_on(), memory.off_since()) == ("", "")
    assert _said(ask({**world.edit("toolu_4"), "session_id": "s3"}))
    assert _said(ask({**late, "tool_use_id": "toolu_5"}))  # the same session is told again


def test_the_person_sees_that_the_agent_was_told(
    world: World, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the person's language, where the host has a channel for that; nothing of it reaches the model."""
    told_once = ask(world.edit())
    assert told_once["systemMessage"] == "remora: the agent was told a memory"
    assert "systemMessage" not in _said(told_once)
    assert "the agent was told" not in _said(told_once)
    assert ask(world.edit("toolu_2")) is None
    monkeypatch.setenv("REMORA_LANG", "fr")
    again = ask({**world.edit("toolu_3"), "session_id": "s2"})
    assert again["systemMessage"] == "remora\u202f: l’agent a reçu un souvenir"
    monkeypatch.setenv("REMORA_INJECT_NOTICE", "false")
    unseen = ask({**world.edit("toolu_4"), "session_id": "s3"})
    assert _said(unseen)
    assert "systemMessage" not in unseen


@pytest.mark.parametrize("again", [False, True])
def test_one_session_is_off(world: World, ask: Ask, again: bool) -> None:
    """It is never learned, also if it is switched on again; others go on."""
    _tell(world, ask, *range(3))
    with _opened(world) as memory:
        session = memory.turn_off("")
        assert session.startswith(f"{HOST}:")
        if again:
            assert memory.turn_on(session.partition(":")[2]) == session
        assert memory.off_since() == ""
        with pytest.raises(NotFound, match="matches 'nobody'"):
            memory.turn_off("nobody")
    _tell(world, ask, *range(3, len(TOLD[HOST])))
    (live,) = (world.data / "live").glob(f"{HOST}*")
    assert (read(str(live))[1][-1]["k"] == "off") is not again
    work(world.environ, idle=0.0)
    assert _learnt(world) == []
    assert _said(ask(world.edit()))


def test_a_transcript_teaches_nothing_of_the_time(world: World, tmp_path: Path) -> None:
    """What a person said before and after counts; Claude Code writes it all into one file."""
    clock = FixedClock(1_767_614_410.0)  # ten seconds after the first line
    with _opened(world, clock=clock) as memory:
        memory.turn_off()
        clock.advance(seconds=20)
        memory.turn_on()
        said = {5: "use pnpm here, never npm", 20: "use yarn here, never bun", 40: "write the tests first"}
        more: dict[str, Any] = {"origin": {"kind": "human"}, "cwd": str(world.root)}
        lines = [
            claude("user", f"u{at}", f"From now on always {text}.", promptId=f"p{at}", at=at, **more)
            for at, text in said.items()
        ]
        memory.learn(put(tmp_path / "s9.jsonl", lines))
    learnt = " ".join(_learnt(world))
    assert "pnpm" in learnt
    assert "write the tests first" in learnt
    assert "yarn" not in learnt


def test_a_session_that_was_learned_in_a_pause_can_be_switched_off(world: World, ask: Ask) -> None:
    """Nothing more of it is learned or written into the journal; what was captured of it goes."""
    last = len(TOLD[HOST]) - 1
    _tell(world, ask, *range(last))
    work(world.environ, idle=0.0)
    learnt = _learnt(world)
    assert learnt
    with _opened(world) as memory:
        history = sorted(p.read_bytes() for p in memory.home.rglob("*.md"))
        assert history
        (live,) = (world.data / "live").glob(f"{HOST}*")
        head = read(str(live))[0]
        assert head is not None
        session = memory.turn_off(head.session)
    assert not list((world.data / "projects").rglob(f"captured/{HOST}*"))
    _tell(world, ask, last)
    work(world.environ, idle=0.0)
    assert _learnt(world) == learnt
    with _opened(world) as memory:
        assert sorted(p.read_bytes() for p in memory.home.rglob("*.md")) == history
        assert memory.turn_on(session.partition(":")[2]) == session


def test_an_event_without_a_time_is_not_learned_where_it_may_have_been_off() -> None:
    """Unless the session is known to have happened while it was on."""
    off = Off(spans=(("2026-01-02", "2026-01-03"),), sessions=frozenset({"s1"}))
    assert off.covers("s2", None)
    assert not Off().covers("s2", None)
    assert [off.covers("s2", f"2026-01-0{day}T00") for day in (1, 2, 3)] == [False, True, False]
    assert off.covers("s1", "2026-01-01T00")
    assert Off(since="2026-01-05").covers("s2", "2026-01-06")


def test_what_a_session_that_is_off_shows_is_no_evidence(world: World, tmp_path: Path) -> None:
    """`remora reflect` prints nothing of it, and an agent in it records nothing."""
    folder = tmp_path / ".claude" / "projects" / slug(str(world.root))
    put(folder / "s1.jsonl", [claude("user", "u1", "Mend the pager", cwd=str(world.root), promptId="p1")])
    with Memory.open(world.root, environ={**world.environ, "HOME": str(tmp_path)}) as memory:
        assert "Mend the pager" in memory.reflect("s1").evidence
        never_learn(memory._project, "s1")
        assert memory.reflect("s1").evidence == ""
