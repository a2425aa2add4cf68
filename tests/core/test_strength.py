"""Decay, trust, forgetting and staleness, in numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core import strength as s
from remora.core.clock import DAY_SECONDS, from_iso, to_iso
from remora.core.evidence import decayed
from remora.core.values import MEMORY_SOURCES, MEMORY_TYPES, MemoryRecord
from tests.store import makers
from tests.store.makers import AT


def record(**changes: Any) -> MemoryRecord:
    """Return a gotcha of confidence 0.8 with a half-life of 60 days, used last at AT."""
    return makers.record("m", **{"decay_half_life_days": 60.0, **changes})


def after(days: float) -> float:
    """Return the instant so many days after AT."""
    return from_iso(AT) + days * DAY_SECONDS


# Tables


def test_half_lives_are_the_specifications():
    """Section 18's half-lives by type; decisions and types without one never decay."""
    assert set(s.HALF_LIVES) < set(MEMORY_TYPES)
    assert s.HALF_LIVES == {
        "work_state": 7.0,
        "e2e_observation": 30.0,
        "error_pattern": 60.0,
        "gotcha": 60.0,
        "module_insight": 90.0,
        "dead_end": 90.0,
        "causal_dependency": 120.0,
        "workflow_recipe": 120.0,
        "task_calibration": 180.0,
    }


def test_every_source_has_a_trust():
    """Section 7's multipliers, one for each source; a person's word weighs most."""
    assert set(s.SOURCE_TRUST) == set(MEMORY_SOURCES)
    assert s.SOURCE_TRUST["user_taught"] == max(s.SOURCE_TRUST.values()) == 1.4
    assert s.SOURCE_TRUST["observer_inferred"] == min(s.SOURCE_TRUST.values()) == 0.85


# Decay


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 0.8), (60, 0.4), (120, 0.2), (30, 0.8 / math.sqrt(2)), (600, 0.8 / 1024)]
)
def test_confidence_halves(days: float, expected: float):
    """Each half-life without use halves the confidence."""
    assert s.current_confidence(record(), after(days)) == pytest.approx(expected)


@pytest.mark.parametrize(
    "kept",
    [
        {"pinned": True},
        {"decay_half_life_days": None},
        {"decay_half_life_days": 0.0},
        {"decay_half_life_days": math.inf},
    ],
)
def test_what_does_not_decay(kept: dict[str, Any]):
    """Pinned memories, and those without a half-life that means something, stay as sure as they were."""
    assert s.current_confidence(record(**kept), after(10_000)) == 0.8
    assert not s.is_expired(record(**kept), after(10_000))


def test_time_of_the_last_use():
    """It may have a zone; a text that is no time is long ago."""
    assert decayed(0.8, 60.0, "2026-01-01T02:00:00+02:00", after(60)) == pytest.approx(0.4)
    assert decayed(0.8, 60.0, "2026-01-01T00:00:00", after(60)) == pytest.approx(0.4)
    assert decayed(0.8, 60.0, "never", after(60)) < 0.01


def test_clock_going_backwards():
    """Before its last use a memory is neither older nor younger than then."""
    assert s.current_confidence(record(), after(-400)) == 0.8
    assert s.recency(record(), after(-400)) == 1.0
    assert not s.is_expired(record(), after(-400))
    assert s.staleness(record(), after(-400)) == (1.0, (), False)


@given(st.floats(0, 1), st.floats(0.01, 1e4), st.floats(-1e4, 1e5), st.floats(0, 1e4))
def test_decay_only_falls(confidence: float, half_life: float, days: float, more: float):
    """Confidence stays between 0 and where it was, and never rises with time alone."""
    one = record(confidence=confidence, decay_half_life_days=half_life)
    first, later = s.current_confidence(one, after(days)), s.current_confidence(one, after(days + more))
    assert 0.0 <= later <= first <= confidence


# Forgetting and deleting


GONE = {"deprecated": True, "deprecated_at": AT}


@pytest.mark.parametrize(
    ("due", "days", "changes", "expected"),
    [
        (s.is_expired, 180, {}, False),
        (s.is_expired, 181, {}, True),
        (s.is_expired, 181, {"user_verified": True}, False),
        (s.is_expired, 181, {"deprecated": True}, False),
        (s.is_expired, 22, {"decay_half_life_days": 7.0}, True),
        (s.is_deletable, 30, GONE, False),
        (s.is_deletable, 31, GONE, True),
        (s.is_deletable, 31, GONE | {"user_verified": True}, False),
        (s.is_deletable, 31, GONE | {"deprecated": False}, False),
        (s.is_deletable, 31, GONE | {"deprecated_at": None}, False),
        (s.is_deletable, -90, GONE, False),
    ],
)
def test_when_a_memory_goes(
    due: Callable[[MemoryRecord, float], bool], days: float, changes: dict[str, Any], expected: bool
):
    """Unused for three half-lives it is forgotten, thirty days later deleted, unless a person keeps it."""
    assert due(record(**changes), after(days)) is expected


# Ranking


def test_volatility_is_bounded():
    """A tenth of the changes a day is the rate at which memories age, between half a year and a week."""
    rates = [s.volatility(changes) for changes in (0.0, 0.5, 1.0, 50.0)]
    assert rates == pytest.approx([1 / 180, 0.05, 0.1, 1 / 7])


def test_recency_and_frequency():
    """Recency falls with the days at the rate of the files; frequency is a logarithm, at most 1."""
    assert s.recency(record(), after(0), 0.1) == 1.0
    assert s.recency(record(), after(10), 0.1) == pytest.approx(math.exp(-1))
    found = [s.frequency(times) for times in (-3, 0, 9, 100, 10**9)]
    assert found == pytest.approx([0.0, 0.0, math.log(10) / math.log(101), 1.0, 1.0])


# Staleness

FRESH = (1.0, (), False)
NEWER = "a file changed 31 days after this was written"
FILES: dict[str, Any] = {"commit_sha": "abcdef123456", "related_files": ("a", "b", "c", "d")}


@pytest.mark.parametrize(
    ("changes", "days", "seen", "expected"),
    [
        (FILES, 59, {"changed_files": 0, "newest_change": after(20)}, FRESH),
        # The first layer: it was marked.
        ({"stale_at": "2026-02-03T00:00:00.000Z"}, 1, {}, (0.5, ("marked stale on 2026-02-03",), True)),
        # The second layer: it is not used.
        ({}, 60, {}, FRESH),
        ({}, 61, {}, (0.9, ("not used for 61 days (half-life 60)",), False)),
        ({"pinned": True}, 600, {}, FRESH),
        ({"decay_half_life_days": None}, 600, {}, FRESH),
        # The third layer: files changed since its commit; to half at most.
        (FILES, 1, {"changed_files": 4}, (0.5, ("4 of 4 files changed since abcdef12",), False)),
        (FILES, 1, {"changed_files": 9}, (0.5, ("9 of 4 files changed since abcdef12",), False)),
        ({**FILES, "commit_sha": None}, 1, {"changed_files": 3}, FRESH),
        ({**FILES, "related_files": ()}, 1, {"changed_files": 3}, FRESH),
        # The fourth layer: a file changed more than thirty days after it was written.
        ({}, 1, {"newest_change": after(30)}, FRESH),
        ({}, 1, {"newest_change": after(31.4)}, (1.0, (NEWER,), True)),
        ({}, 1, {"newest_change": after(-400)}, FRESH),
    ],
)
def test_staleness(
    changes: dict[str, Any], days: float, seen: dict[str, Any], expected: tuple[float, tuple[str, ...], bool]
):
    """Each layer has its factor, its reason, and whether a person should look."""
    assert s.staleness(record(**changes), after(days), **seen) == expected


def test_layers_multiply():
    """What several layers find adds up: factors multiply, reasons stand in order."""
    one = record(stale_at=to_iso(after(2)), commit_sha="abcdef123456", related_files=("a", "b"))
    factor, reasons, review = s.staleness(one, after(90), changed_files=1, newest_change=after(80))
    assert factor == pytest.approx(0.5 * 0.9 * 0.75)
    assert [r.split()[0] for r in reasons] == ["marked", "not", "1", "a"]
    assert review
