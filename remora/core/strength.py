"""Arithmetic of decay, trust and staleness, for ranking and for forgetting.

Sources: sections 7 and 18 of the specification. All functions are pure: time is an argument, in
seconds since the epoch; half-lives and ages are in days; confidences are 0..1.
"""

from __future__ import annotations

import math

from remora.core.clock import days_between, from_iso
from remora.core.evidence import decayed
from remora.core.values import MemoryRecord

# Section 18, in days. Types that are not listed, and decisions, never decay by age.
HALF_LIVES: dict[str, float] = {
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

# Section 7.
SOURCE_TRUST: dict[str, float] = {
    "user_taught": 1.4,
    "agent_explicit": 1.2,
    "qa_auto": 1.1,
    "mcp_auto": 1.0,
    "commit_auto": 1.0,
    "observer_inferred": 0.85,
}

TAINT_FACTOR = 0.7  # section 4: confidence of memories learned after untrusted text
EXPIRED_HALF_LIVES = 3.0  # section 18: unused for three half-lives means forgotten
GRACE_DAYS = 30.0  # section 18: between forgetting and deleting
REVIEW_FILE_NEWER_DAYS = 30.0  # section 7, layer 4
# A memory all of whose files changed since its commit keeps this share of its confidence.
CHANGED_FILES_FLOOR = 0.5
# Layer 2 lowers confidence for a memory unused for longer than one half-life, before decay proper.
STALE_ACCESS_FACTOR = 0.9
EXPLICITLY_STALE_FACTOR = 0.5
DISPUTED_FACTOR = 0.8  # section 14: a colleague calls it wrong, and nobody has decided
DERIVED_REVIEW_FACTOR = 0.6  # derived from a superseded or forgotten memory
# A file that changes daily makes memories about it outdated in days; one that never changes, in years.
BASE_VOLATILITY = 1.0 / 180.0
MAX_VOLATILITY = 1.0 / 7.0


def current_confidence(record: MemoryRecord, now: float) -> float:
    """Return confidence after decay (`decayed`); pinned memories do not decay."""
    half_life = 0.0 if record.pinned else record.decay_half_life_days or 0.0
    return decayed(record.confidence, half_life, record.last_accessed_at, now)


def is_expired(record: MemoryRecord, now: float) -> bool:
    """Return whether pruning may forget a memory: unused for three half-lives, not pinned, not verified."""
    days = record.decay_half_life_days
    if record.deprecated or record.pinned or record.user_verified or not days or days <= 0:
        return False
    return days_between(record.last_accessed_at, now) > days * EXPIRED_HALF_LIVES


def is_deletable(record: MemoryRecord, now: float) -> bool:
    """Return whether pruning may delete a forgotten memory for good: its 30 days of grace are over."""
    if not record.deprecated or record.user_verified or record.pinned or not record.deprecated_at:
        return False
    return days_between(record.deprecated_at, now) > GRACE_DAYS


def volatility(changes_per_day: float) -> float:
    """Return the daily decay rate of recency at a file's change rate, within both bounds.

    >>> volatility(0.0) == BASE_VOLATILITY, volatility(50.0) == MAX_VOLATILITY
    (True, True)
    """
    return min(MAX_VOLATILITY, max(BASE_VOLATILITY, changes_per_day / 10.0))


def recency(record: MemoryRecord, now: float, rate: float = BASE_VOLATILITY) -> float:
    """Return exp(-days since last access · rate), 0..1 (section 7)."""
    return math.exp(-days_between(record.last_accessed_at, now) * rate)


def frequency(access_count: int) -> float:
    """Return ln(1 + accesses) / ln(101), capped at 1 (section 7).

    >>> frequency(0), frequency(100), frequency(5000)
    (0.0, 1.0, 1.0)
    """
    return min(1.0, math.log1p(max(0, access_count)) / math.log1p(100))


def staleness(
    record: MemoryRecord,
    now: float,
    *,
    gone: bool = False,
    changed_files: int = 0,
    newest_change: float | None = None,
) -> tuple[float, tuple[str, ...], bool]:
    """Return (factor 0..1, reasons, needs review) from the four layers of section 7.

    Args:
        record: the memory.
        now: seconds since the epoch.
        gone: all its files are gone, and it is not marked as stale yet.
        changed_files: number of its files that git changed since the memory's commit.
        newest_change: time of the last modification of one of its files on disk, seconds since the epoch.
    """
    factor, reasons, review = 1.0, [], False
    if record.stale_at is not None:
        factor *= EXPLICITLY_STALE_FACTOR
        reasons.append(f"marked stale on {record.stale_at[:10]}")
        review = True
    elif gone:
        factor *= EXPLICITLY_STALE_FACTOR
        reasons.append("its files are gone")
        review = True
    age = days_between(record.last_accessed_at, now)
    if record.decay_half_life_days and not record.pinned and age > record.decay_half_life_days:
        factor *= STALE_ACCESS_FACTOR
        reasons.append(f"not used for {age:.0f} days (half-life {record.decay_half_life_days:.0f})")
    if record.commit_sha and record.related_files and changed_files > 0:
        share = min(1.0, changed_files / len(record.related_files))
        factor *= 1.0 - (1.0 - CHANGED_FILES_FLOOR) * share
        reasons.append(
            f"{changed_files} of {len(record.related_files)} files changed since {record.commit_sha[:8]}"
        )
    if newest_change is not None:
        newer = (newest_change - from_iso(record.created_at)) / 86_400.0
        if newer > REVIEW_FILE_NEWER_DAYS:
            reasons.append(f"a file changed {newer:.0f} days after this was written")
            review = True
    return factor, tuple(reasons), review
