"""Advice that is held back, what followed in both arms, and memories that go quiet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from remora.app.agent.trial import proposals, units_of, weigh_memories
from remora.app.memory import Memory
from remora.core.errors import InvalidInput
from remora.core.events import CommandRun, Signal
from remora.disk.live import Head
from remora.injection.trial import WARM_UP
from remora.store.injections import Injection
from remora.store.trials import MOMENT, Unit
from tests.app.conftest import Opens
from tests.observer.sessions import session

HEAD = Head("claude-code", "s1")


def store(memory: Memory, *, said: Sequence[Injection] = (), units: Sequence[Unit] = ()) -> None:
    """Store what was said, and what became of it."""
    db = memory._project.db
    with db.transaction():
        db.injections.put(said)
        db.trials.put(units)


def in_trial(opens: Opens, share: str) -> Memory:
    """Return the memory of a project that holds back a share of its advice: the first thirty are over."""
    memory = opens(REMORA_TRIAL_SHARE=share)
    store(memory, said=[said("m", n, "")._replace(text=str(n)) for n in range(WARM_UP)])
    return memory


@pytest.fixture
def trying(opens: Opens) -> Iterator[Memory]:
    """The memory of a project where half of the advice is held back."""
    with in_trial(opens, "0.5") as memory:
        yield memory


TREES = "alder birch cedar dogwood elm fir ginkgo hazel ironwood juniper kapok larch maple nutmeg oak pine"


def edits(memory: Memory, session: str) -> list[str]:
    """Return what an agent is told at edits of the files that have a lesson, in one session."""
    told = []
    with memory.loop(session, host="test") as loop:
        for tree in TREES.split():
            file = {"file_path": str(memory.root / f"{tree}.py"), "old_string": "x", "new_string": "y"}
            told.append(loop.before("Edit", file))
            loop.after("Edit", file, "done")
    return told


def lessons(memory: Memory) -> list[str]:
    """Store a lesson for each of sixteen files."""
    given: dict[str, Any] = {"type": "gotcha", "confidence": 0.95}
    text = "Lesson {} of the shop: check the till before the tax"
    made = [(text.format(tree), [f"{tree}.py"]) for tree in TREES.split()]
    return [memory.remember(text, related_files=files, **given).id for text, files in made]


def test_some_advice_is_held_back_and_noted(trying: Memory) -> None:
    """Half of the moments get nothing, each is a unit, and `why` counts them."""
    ids = lessons(trying)
    told = edits(trying, "s1")
    report = trying.trial()
    assert (report.told, report.held) == (sum(map(bool, told)), sum(not one for one in told))
    assert 1 <= report.held <= 15
    held = [i for i, text in zip(ids, told, strict=True) if not text]
    assert all(trying.why(i).held_back == 1 for i in held)
    assert not any(trying.why(i).said for i in held)


def test_without_a_share_nothing_is_held_back(opens: Opens) -> None:
    """`trial.share = 0` turns the trial off; the first moments of a project are told whatever the share."""
    with opens(REMORA_TRIAL_SHARE="1") as memory:
        lessons(memory)
        assert all(edits(memory, "s1"))
    with in_trial(opens, "0") as memory:
        assert all(edits(memory, "s2"))


def test_a_memory_is_not_held_back_twice_in_a_row(trying: Memory) -> None:
    """What was held back the last time is said the next time it is due."""
    lessons(trying)
    first, second = edits(trying, "s1"), edits(trying, "s2")
    assert all(now for before, now in zip(first, second, strict=True) if not before)


def test_what_a_person_holds_to_is_never_held_back(trying: Memory) -> None:
    """Pinned and verified memories are said at every moment."""
    for number, memory_id in enumerate(lessons(trying)):
        trying.pin(memory_id) if number % 2 else trying.verify(memory_id)
    assert all(edits(trying, "s1"))
    assert trying.trial().held == 0


def line(kind: str, **more: object) -> dict[str, object]:
    """Return a line of a live file."""
    return {"k": kind, "at": 1_760_000_000_000, **more}


def test_what_followed_is_counted_alike_in_both_arms() -> None:
    """The next failure that is not that of the advice, the calls until the next prompt, files read again."""
    after = [
        line("after", a="read", p=["known.py"]),
        line("failed", a="run"),
        line("after", a="run"),
        line("prompt"),
        line("after", a="read", p=["known.py"]),
    ]
    for key, arm in (("said", "said"), ("held", "held")):
        advice = line("said", of="before", t="command", u=[2, "gotcha"], **{key: ["m1"]})
        unit = units_of(HEAD, [advice, *after], {"known.py": 3})[0]
        assert (unit.arm, unit.trigger, unit.shown, unit.had) == (arm, "command", 1, 2)
        assert (unit.failed, unit.calls, unit.rereads) == (1, 3, 1)
    advice = line("said", of="failed", t="error", u=[1, "error_pattern"], said=["m1"], i="c1")
    own, other = line("failed", a="run", i="c1"), line("after", a="run", i="c2")
    (unit, _) = units_of(HEAD, [advice, own, other], {})
    assert unit.failed == 0
    before = line("said", of="before", t="command", said=["m1"])  # as it was before the trial began
    assert [unit.kind for unit in units_of(HEAD, [before, other], {})] == ["session"]


def test_what_came_of_the_session_counts(bare: Memory) -> None:
    """Checks that never failed, and dead ends that were known before and entered again after the advice."""
    bare.remember("Threads for the till: they race", type="dead_end", related_files=["till.py"])
    learned("good", bare, failures=0, paths=())
    learned("bad", bare, failures=1, paths=("till.py",))
    moments = [
        Unit(f"{name}:{at}", MOMENT, f"t:{name}", "said", at, "command", ("gotcha",), 1, 1)
        for name, at in (("good", EARLY), ("bad", EARLY), ("bad", LATE), ("unknown", EARLY))
    ]
    store(bare, units=moments)
    found = {one.unit: (one.passed, one.dead_end) for one in bare._project.db.trials.units(MOMENT)}
    assert found == {
        f"good:{EARLY}": (1, 0),
        f"bad:{EARLY}": (0, 1),
        f"bad:{LATE}": (0, 0),
        f"unknown:{EARLY}": (None, None),
    }
    (figure,) = [one for one in bare.trial().figures if one.name == "dead ends entered again"]
    assert (figure.told.n, round(figure.told.mean, 2)) == (3, 0.33)


EARLY, MIDDLE, LATE = (f"2126-01-01T0{hour}:00:00.000Z" for hour in (1, 2, 3))  # after every memory


def learned(name: str, memory: Memory, *, failures: int, paths: tuple[str, ...]) -> None:
    """Record a session with a check that failed so often, and a change of some files that was taken back."""
    signals = (Signal("backtrack", "a change", 3, MIDDLE, paths),) if paths else ()
    checks = (CommandRun("pytest", "test", failures + 1, failures, 2, 2),)
    seen = session(name, host="t", started=EARLY, signals=signals, commands=checks)
    db = memory._project.db
    with db.transaction():
        db.sessions.record(seen, [], name, EARLY, [])


def said(memory_id: str, number: int, followed: str) -> Injection:
    """Return advice before a command of a session, and what followed."""
    at = f"2026-01-01T00:00:00.{number:03d}Z"
    return Injection(f"t:{number}", "", 0, at, "before", "command", "make", (memory_id,), "x", "y", followed)


def test_what_does_not_help_goes_quiet(bare: Memory) -> None:
    """After ten sessions with the same failure a memory loses its place there, and `why` says so."""
    useless = bare.remember("Run make with -j1 here", type="gotcha", source="agent_explicit")
    useful = bare.remember("Run make from the root here", type="gotcha", source="agent_explicit")
    store(bare, said=[said(useless.id, n, "the next command failed") for n in range(10)])
    store(bare, said=[said(useful.id, 100 + n, "the next command worked") for n in range(10)])
    weigh_memories(bare._project)
    (quiet,) = bare.trial().quiet
    assert (quiet.memory_id, quiet.unhelped) == (useless.id, 10)
    (effect,) = bare.why(useful.id).effects
    assert effect.factor > 1.0
    assert [hit.id for hit in bare.search("make with -j1")][:1] == [useless.id]


def put(
    memory: Memory, arm: str, number: int, failed: int, kind: str = "gotcha", *, shown: int = 1, had: int = 1
) -> None:
    """Store units of one arm, of which the first ones failed."""
    base = len(memory._project.db.trials.units(MOMENT))
    units = []
    for n in range(number):
        at, bad = f"2026-01-01T{base + n:06d}", int(n < failed)
        units.append(Unit(f"u{base + n}", MOMENT, "t:1", arm, at, "command", (kind,), shown, had, bad))
    store(memory, units=units)


def test_weights_are_proposed_and_only_a_person_applies_them(bare: Memory) -> None:
    """Held-back moments that fail more speak for a higher weight; a person applies it and takes it back."""
    put(bare, "said", 200, 20)
    put(bare, "held", 60, 30)
    (proposal,) = bare.trial().proposals
    assert (proposal.phase, proposal.type) == ("validate", "gotcha")
    assert proposal.new > proposal.old
    assert bare.trial().applied == 0
    assert bare.apply_trial() == [proposal]
    assert bare.trial().applied == 1
    assert bare.undo_trial() == 0
    with pytest.raises(InvalidInput, match="no phase weights"):
        bare.undo_trial()


def test_a_confounded_stream_proposes_nothing(bare: Memory) -> None:
    """Gotchas said at hard files go with failures; told and held back fail alike, so nothing is proposed."""
    put(bare, "said", 300, 180)
    put(bare, "held", 60, 36)
    put(bare, "said", 300, 15, "pattern")
    put(bare, "held", 60, 3, "pattern")
    assert proposals(bare._project, bare._project.db.trials.units(MOMENT)) == []
    with pytest.raises(InvalidInput, match="nothing is proposed"):
        bare.apply_trial()


def test_how_many_at_once_follows_the_measurement(bare: Memory) -> None:
    """Where one memory at a time fails clearly less than three, a moment gets one."""
    put(bare, "said", 100, 5, shown=1, had=3)
    put(bare, "said", 100, 60, shown=3, had=3)
    weigh_memories(bare._project)
    assert bare.trial().decided == 1
