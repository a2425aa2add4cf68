"""Sessions of hosts: what is learned of them, what is not where it is off, and what a status bar says."""

from __future__ import annotations

import json
import subprocess
import sys
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
from remora.interfaces.hooks.hosts import HOSTS, host_named
from remora.interfaces.hooks.statusline import line
from remora.sources.transcripts.paths import slug
from tests.app.hooked import Hooked
from tests.helpers import environment
from tests.interfaces.hooks.called import World
from tests.interfaces.hooks.schemas import goldens
from tests.sources.transcripts.records import claude, put
from tests.tables import table

Ask = Callable[..., Any]
ERROR = "pytest: error: unrecognized arguments: --fast"
# A flag that fails, a change, the flag again, the command without it: each moment by the file of its event.
TOLD = {host: names.split() for host, names in table(__file__, "told")}
CALLS = ("u1", "u3", "tool-1", "tool-3", "call_1", "call_2")
HOST = "gemini"
LAST = len(TOLD[HOST]) - 1


def told(world: World, host: str, number: int, name: str) -> dict[str, Any]:
    """Return the event of a file, with the words of our session, and ids of calls of its own."""
    text = json.dumps(goldens(host)[name]["stdin"])
    command = "pytest --fast tests" if "fail" in name.lower() else "pytest tests"
    asked = "Make the cache longer. From now on always use tenant keys in the cache, never global ones."
    words = {
        "/w/app/src": str(world.root),
        "/w/app": str(world.root),
        "fix the cache test": asked,
        "pytest -q": command,
        "npm test": command,
        "2 failed": ERROR,
        "2 failing": ERROR,
        "Done.": "The cache is longer now, with a tenant key for each entry and a test of both.",
        **{f'"{call}"': f'"{call}-{number}"' for call in CALLS},
    }
    for old, new in words.items():
        text = text.replace(old, new)
    found: dict[str, Any] = json.loads(text)
    return found


def opened(world: World, **more: Any) -> Memory:
    """Open the memory of the world's project."""
    return Memory.open(world.root, environ=world.environ, **more)


def said(reply: Any) -> str:
    """Return what the model is told."""
    return str(reply["hookSpecificOutput"]["additionalContext"]) if reply else ""


def learnt(world: World) -> dict[str, str]:
    """Return what was learned, by type."""
    with opened(world, read_only=True) as memory:
        sources = ("observer_inferred", "user_taught")
        return {m.type: m.content for m in memory.list() if m.source in sources}


def tell(world: World, ask: Ask, *numbers: int) -> None:
    """Tell events of a session at a host without transcripts."""
    for number in numbers:
        ask(told(world, HOST, number, TOLD[HOST][number]), HOST)


def test_every_host_without_transcripts_is_here() -> None:
    """Whoever adds a host says here how a session of it looks."""
    assert set(TOLD) == {name for name in HOSTS if not host_named(name).TRANSCRIPTS}


@pytest.mark.parametrize("host", sorted(TOLD))
def test_a_session_is_learnt(world: World, ask: Ask, monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    """What the person wants from now on, and the error of the command; nothing was left open."""
    monkeypatch.chdir(world.root)  # where Windsurf's hook for a prompt finds itself
    for number, name in enumerate(TOLD[host]):
        ask(told(world, host, number, name), host)
    (done,) = work(world.environ, idle=0.0)
    assert done.problem == ""
    assert "always use tenant keys in the cache" in learnt(world)["preference"]
    assert "work_state" not in learnt(world)
    with opened(world, read_only=True) as memory:
        (session,) = memory._project.db.sessions.sessions()
        assert (session.host, session.kind, session.outcome) == (host, "build", "success")
        ((_, _, message),) = memory._project.db.sessions.errors_met()
        assert "unrecognized arguments: --fast" in message


# Off


def test_a_project_that_is_off_hears_and_keeps_nothing(world: World, ask: Ask) -> None:
    """From a start, and from the next event of a session that goes on; what events tell is not learned."""
    assert said(ask(world.edit()))
    with opened(world) as memory:
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
    tell(world, ask, *range(LAST + 1))
    work(world.environ, idle=0.0)
    assert learnt(world) == {}
    captured = [p for p in (world.data / "projects").rglob("captured/*") if p.is_file()]
    assert not any("tenant" in path.read_text("utf-8") for path in captured)
    with opened(world) as memory:
        assert (memory.turn_on(), memory.off_since()) == ("", "")
    assert said(ask({**world.edit("toolu_4"), "session_id": "s3"}))
    assert said(ask({**late, "tool_use_id": "toolu_5"}))  # the same session is told again


@pytest.mark.parametrize("again", [False, True])
def test_one_session_is_off(world: World, ask: Ask, again: bool) -> None:
    """It is never learned, also if it is switched on again; others go on."""
    tell(world, ask, *range(3))
    with opened(world) as memory:
        session = memory.turn_off("")
        assert session.startswith(f"{HOST}:")
        if again:
            assert memory.turn_on(session.partition(":")[2]) == session
        assert memory.off_since() == ""
        with pytest.raises(NotFound, match="matches 'nobody'"):
            memory.turn_off("nobody")
    tell(world, ask, *range(3, LAST + 1))
    (live,) = (world.data / "live").glob(f"{HOST}*")
    assert (read(str(live))[1][-1]["k"] == "off") is not again
    work(world.environ, idle=0.0)
    assert learnt(world) == {}
    assert said(ask(world.edit()))


def test_a_session_that_was_learned_in_a_pause_can_be_switched_off(world: World, ask: Ask) -> None:
    """Nothing more of it is learned or written into the journal; what was captured of it goes."""
    tell(world, ask, *range(LAST))
    work(world.environ, idle=0.0)
    before = learnt(world)
    assert before
    with opened(world) as memory:
        history = sorted(p.read_bytes() for p in memory.home.rglob("*.md"))
        assert history
        (live,) = (world.data / "live").glob(f"{HOST}*")
        head = read(str(live))[0]
        assert head is not None
        session = memory.turn_off(head.session)
    assert not list((world.data / "projects").rglob(f"captured/{HOST}*"))
    tell(world, ask, LAST)
    work(world.environ, idle=0.0)
    assert learnt(world) == before
    with opened(world) as memory:
        assert sorted(p.read_bytes() for p in memory.home.rglob("*.md")) == history
        assert memory.turn_on(session.partition(":")[2]) == session


def test_a_transcript_teaches_nothing_of_the_time(world: World, tmp_path: Path) -> None:
    """What a person said before and after counts; Claude Code writes it all into one file."""
    clock = FixedClock(1_767_614_410.0)  # ten seconds after the first line
    with opened(world, clock=clock) as memory:
        memory.turn_off()
        clock.advance(seconds=20)
        memory.turn_on()
        wanted = {5: "use pnpm here, never npm", 20: "use yarn here, never bun", 40: "write the tests first"}
        more: dict[str, Any] = {"origin": {"kind": "human"}, "cwd": str(world.root)}
        lines = [
            claude("user", f"u{at}", f"From now on always {text}.", promptId=f"p{at}", at=at, **more)
            for at, text in wanted.items()
        ]
        memory.learn(put(tmp_path / "s9.jsonl", lines))
        found = " ".join(m.content for m in memory.list())
    assert [word in found for word in ("pnpm", "yarn", "write the tests first")] == [True, False, True]


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


# What the person sees


def test_the_person_sees_that_the_agent_was_told(
    world: World, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the person's language, where the host has a channel for that; nothing of it reaches the model."""
    once = ask(world.edit())
    assert once["systemMessage"] == "remora: the agent was told a memory"
    assert "systemMessage" not in said(once)
    assert "the agent was told" not in said(once)
    assert ask(world.edit("toolu_2")) is None
    monkeypatch.setenv("REMORA_LANG", "fr")
    again = ask({**world.edit("toolu_3"), "session_id": "s2"})
    assert again["systemMessage"] == "remora\u202f: l’agent a reçu un souvenir"
    monkeypatch.setenv("REMORA_INJECT_NOTICE", "false")
    unseen = ask({**world.edit("toolu_4"), "session_id": "s3"})
    assert said(unseen)
    assert "systemMessage" not in unseen


def test_a_status_bar_counts(world: World) -> None:
    """Memories, texts said in this session, and what waits; nothing of a session that is not there."""
    with opened(world) as memory:
        memory.remember("The till closes at nine", type="gotcha", needs_review=True)
    Hooked(world.root, world.environ).start()
    shown = line({"session_id": "s1"}, world.environ)
    assert shown.startswith("remora: 3 memories · told ")
    assert shown.endswith(" · 1 to review")
    assert [line({"session_id": one}, world.environ) for one in ("", "nobody", 7)] == [""] * 3


@pytest.mark.parametrize("text", ["{", "[]", '{"session_id": "nobody"}'])
def test_a_status_bar_never_fails(tmp_path: Path, text: str) -> None:
    """Whatever stands on stdin, one line comes out and the exit code is 0."""
    command = [sys.executable, "-c", "from remora.interfaces.entry import main; main()", "statusline"]
    env = {**environment(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, input=text, capture_output=True, text=True, env=env, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")
