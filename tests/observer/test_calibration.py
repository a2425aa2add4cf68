"""What work in a module costs."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.events import Observation
from remora.core.payloads import validate
from remora.observer.calibration import calibrations
from remora.observer.candidate import Candidate, Withdrawn
from tests.observer.sessions import on, seen_of


def of(*sessions: Observation) -> list[Candidate | Withdrawn]:
    """Return what the last session says of its modules."""
    return list(calibrations(sessions[-1], seen_of(*sessions)))


def told(*sessions: Observation) -> list[Candidate]:
    """Return the memories among them."""
    return [c for c in of(*sessions) if isinstance(c, Candidate)]


def beside(found: Candidate) -> dict[str, Any]:
    """Return the checked payload of a memory without where it comes from."""
    payload = validate(found.draft.type, found.draft.payload) or {}
    return {name: value for name, value in payload.items() if name != "provenance"}


def planned(day: int, folder: str, steps: int, things: int = 5, **fields: Any) -> Observation:
    """Return a session that worked in one folder with a plan."""
    return on(day, f"s{day}", edits=(f"{folder}/a.go",), steps=steps, planned=things, **fields)


USUAL = [planned(day, "cli", 50) for day in range(1, 10)]


def test_a_module_that_takes_more_than_planned_is_told() -> None:
    """Against what a planned thing costs over the whole project; three sessions at least."""
    slow = [planned(day, "store", 150) for day in (11, 12, 13)]
    (found,) = told(*USUAL, *slow)
    assert found.draft.content == (
        "Work in `store` takes 2.0 times the steps that its plans suggest: about 150 for 5 planned things "
        "(seen in 3 sessions, last 2026-01-13)."
    )
    assert beside(found) == {
        "module": "store",
        "average_actual_steps": 150.0,
        "average_planned_steps": 75.0,
        "ratio": 2.0,
        "sample_count": 3,
    }
    assert (found.draft.related_modules, found.draft.branch) == (("store",), None)
    assert told(*USUAL, *slow[:2]) == []


def test_a_module_that_meets_its_plans_is_withdrawn() -> None:
    """What is as expected is not worth a memory, and one that was told before goes."""
    (gone, *_) = [w for w in of(*USUAL) if isinstance(w, Withdrawn)]
    assert gone.why == "its plans are accurate now"


def test_failed_sessions_do_not_count() -> None:
    """How long a failure took says nothing of the work."""
    failed = [planned(day, "store", 150, outcome="failure") for day in (11, 12, 13)]
    assert told(*USUAL, *failed) == []


@pytest.mark.parametrize(
    ("tokens", "expected"), [((90_000, 110_000, 100_000), True), ((None, None, None), False)]
)
def test_tokens_are_told_where_the_host_counts_them(tokens: tuple[int | None, ...], expected: bool) -> None:
    """The middle of three sessions or more."""
    sessions = [on(5 + n, f"s{n}", edits=("cli/a.go",), tokens=t) for n, t in enumerate(tokens)]
    found = told(*sessions)
    assert [c.draft.type for c in found] == (["context_cost"] if expected else [])
    if expected:
        assert "takes about 100,000 input tokens, 90,000 to 110,000" in found[0].draft.content
