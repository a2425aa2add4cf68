"""The bound of `commands`: what a regression over all other sessions names."""

from __future__ import annotations

from benchmarks.agent_sessions import AgentSession
from benchmarks.learned_commands import Case, learnable


def made(number: int, *verified: str, home: str = "/home/ada", gold: str = "README.md") -> AgentSession:
    """Return a session that ran some checks."""
    at = f"2026-01-{number + 1:02d}T00:00:00Z"
    own = dict.fromkeys(verified, 1)
    records = [{"cwd": f"{home}/project"}]
    return AgentSession(f"s{number}", at, at, "main", "go on", frozenset({gold}), own, records)


def cases(sessions: list[AgentSession]) -> list[Case]:
    """Return each session with those before it; the project names two checks."""
    known = frozenset({"mise run fmt", "mise run lint"})
    return [Case(session, sessions[:number], known) for number, session in enumerate(sessions)]


def test_habits_of_a_person_are_learnt() -> None:
    """Two people with a check each: one command is right from the second session of each on."""
    homes = {"/home/ada": "mise run fmt", "/home/ben": "mise run lint"}
    turns = [(home, check) for _ in range(6) for home, check in homes.items()]
    sessions = [made(n, check, home=home) for n, (home, check) in enumerate(turns)]
    assert learnable(cases(sessions), 1, edited=False) >= 11 / 12


def test_folders_are_known_where_it_is_told_what_is_edited() -> None:
    """Each session tests the package that it edits, another one every time."""
    sessions = [made(n, f"go test ./p{n}", gold=f"p{n}/a.go") for n in range(8)]
    assert learnable(cases(sessions), 1, edited=False) == 0.0
    assert learnable(cases(sessions), 1, edited=True) == 1.0


def test_where_nothing_is_known_nothing_is_named() -> None:
    """The first session of all has no command before it."""
    sessions = [made(n, "mise run lint") for n in range(4)]
    known = frozenset({"mise run lint"})
    later = [Case(session, sessions[:n], known) for n, session in enumerate(sessions) if n]
    first = Case(sessions[0], [], frozenset())
    assert learnable([first, *later], 1, edited=False) == 0.75
    assert learnable([first], 1, edited=False) == 0.0
