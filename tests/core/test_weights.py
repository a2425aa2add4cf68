"""What the signals for files count: a flat ranking nothing, and a project's past only by more than chance."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from remora.core.weights import FLOORS, SHIPPED, K, Task, fit, recall, standing_out, weighed


def task(number: int, wanted: str, **signals: Mapping[str, float]) -> Task:
    """Return a task that touched one file; its number keeps the files of others apart."""
    return Task(signals, (), frozenset({f"{number}/{wanted}"}))


def crowd(number: int, name: str) -> dict[str, float]:
    """Return K files that a signal is equally sure of, in a task."""
    return {f"{number}/{name}{n:02}": 1.0 for n in range(K)}


def test_what_thirty_others_beat_counts_nothing() -> None:
    """Only how far a file stands above the thirty-first counts; with fewer files each keeps its share."""
    scores = {f"f{n:02}": 100.0 - n for n in range(50)}
    found = standing_out(scores)
    assert len(found) == 30
    assert found["f00"] == pytest.approx(0.30)
    assert standing_out({"a": 0.0}) == {}
    assert standing_out({"a": 4.0, "b": 1.0}) == {"a": 1.0, "b": 0.25}


def test_the_sum_is_weighed() -> None:
    """A signal without a weight says nothing, one of weight two says twice as much."""
    signals = {"parts": {"a": 0.5}, "branch": {"a": 1.0, "b": 1.0}, "unheard": {"c": 1.0}}
    assert weighed(signals, {"parts": 1.0, "branch": 2.0}) == {"a": 2.5, "b": 2.0}


def test_what_a_task_names_comes_before_all_scores() -> None:
    """A named file is among the first, whatever the signals say."""
    named = Task({"parts": crowd(1, "x")}, ("1/named",), frozenset({"1/named"}))
    assert recall(named, SHIPPED) == 1.0


def test_a_signal_that_misleads_loses_its_weight() -> None:
    """Where what changes most hides what the names say, each task of twenty shows it, so it counts less."""
    past = [task(n, "y", heat=crowd(n, "x"), names={f"{n}/y": 0.9}) for n in range(20)]
    found = fit(past)
    assert (found.shipped, found.recall) == (0.0, 1.0)
    assert found.weights == {**SHIPPED, "heat": found.weights["heat"]}
    assert found.weights["heat"] < SHIPPED["heat"]


def test_chance_changes_nothing() -> None:
    """One task of twenty that another weight would help is no reason for it."""
    past = [task(n, "a", parts={f"{n}/a": 1.0}) for n in range(19)]
    past.append(task(19, "y", heat=crowd(19, "x"), names={"19/y": 0.9}))
    found = fit(past)
    assert found.recall == found.shipped == 0.95
    assert found.weights == SHIPPED


def test_what_is_used_is_never_below_a_simple_ranking() -> None:
    """Where the mixture loses to a floor and no single step mends it, the search begins at that floor."""
    past = [
        task(
            n,
            "y",
            often={**dict.fromkeys(crowd(n, "x"), 0.5), f"{n}/y": 1.0},
            heat=crowd(n, "x"),
            commits=crowd(n, "x"),
            names=crowd(n, "x"),
            parts=crowd(n, "x"),
        )
        for n in range(20)
    ]
    found = fit(past)
    assert found.floor == "frequency"
    assert found.recall == found.floor_recall == 1.0 > found.shipped
    assert all(found.recall >= sum(recall(one, floor) for one in past) / 20 for floor in FLOORS.values())


def test_what_the_code_says_is_never_raised() -> None:
    """The code as it is knows how a task ended, so its signals count at most what they ship with."""
    past = [task(n, "y", heat=crowd(n, "x"), parts={f"{n}/y": 0.9}) for n in range(20)]
    found = fit(past)
    assert found.recall == 1.0
    assert found.weights["parts"] <= SHIPPED["parts"]
    assert found.weights["heat"] < SHIPPED["heat"]


def test_the_newest_tasks_must_not_lose() -> None:
    """What would have helped long ago and hurts of late is not taken over."""
    old = [task(n, "y", heat=crowd(n, "x"), names={f"{n}/y": 0.95}) for n in range(16)]
    new = [
        task(n, "y", heat={f"{n}/y": 1.0}, names=dict.fromkeys(crowd(n, "x"), 0.97)) for n in range(16, 24)
    ]
    assert fit(old).weights["heat"] < SHIPPED["heat"]
    assert fit([*old, *new]).weights == SHIPPED
