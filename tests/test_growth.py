"""The time that a pattern or a scanner takes grows with the length of the text, not with its square."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice

import pytest

from benchmarks import growth
from benchmarks.patterns import EVERYWHERE, Found, all_patterns, hard_texts
from benchmarks.scanners import Scanner, failures, of_pattern, scanners
from remora.core import tasks
from remora.graph import manifests

SHARES = 3  # so that several workers can share them


@cache
def every_pattern() -> list[Found]:
    """All patterns, found once by each worker."""
    return all_patterns()


def said(found: list[Scanner]) -> list[str]:
    """What is wrong with some scanners, each in a line."""
    return [f"{one.name} {bad}" for one in found for bad in failures(one)]


def test_every_pattern_is_linear():
    """A text made to be hard for a pattern takes it at most 2.5 times as long when it is twice as long."""
    assert said([of_pattern(found) for found in every_pattern()]) == []


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_every_scanner_is_linear(share: int):
    """A text of one bit repeated takes a function at most 2.5 times as long when it is twice as long."""
    assert said(list(islice(scanners(), share, None, SHARES))) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [
        r"\w+\.py",
        r"(?s)<li>(.*?)</li>",
        r"(?:[\w-]+[:-])*up",
    ],
)
def test_a_pattern_that_is_not_linear_is_found(pattern: str):
    """The texts that are derived from a pattern show each of the usual ways to be quadratic or worse."""
    found = Found("here", re.compile(pattern), frozenset({EVERYWHERE}))
    assert failures(of_pattern(found))


@pytest.mark.slow
def test_a_scanner_that_is_not_linear_is_found():
    """A function that looks again at all that stands before each sign fails the measure."""
    slow = Scanner("slow", lambda text: [list(text[:at]).count("b") for at in range(len(text))], (("", "a"),))
    assert any(failures(slow) for _ in range(3))  # on a busy machine one measure may miss it


def test_patterns_are_found_wherever_they_stand():
    """Those of names, of tables and their rows, of objects, of calls in functions, and of secrets."""
    places = {found.place for found in every_pattern()}
    assert len(places) > 600
    for place in (
        "remora.core.names:_BARE",
        "remora.shell.purposes:_TASK_OF",
        "remora.core.secret_rules:SHAPES",
        "remora.observer.fingerprint:_RULES",
    ):
        assert place in places, place
    assert any(re.fullmatch(r"remora\.core\.directive:\d+", place) for place in places)  # in a function


def test_hard_texts_begin_with_what_leads_to_a_loop():
    """A loop behind a word is only reached by texts that begin with the word."""
    assert ("<!--", "a") in hard_texts(re.compile("<!--a*-->"))


@pytest.mark.slow
def test_a_measure_goes_on_until_the_times_can_be_trusted():
    """A measure of three lengths has times above the floor, or says that nothing grows."""
    slow = re.compile(r"\w+\.py").search
    assert any(growth.measured(slow, "", "a").factor > growth.GROWTH for _ in range(3))  # as above
    assert growth.measured(re.compile("a").search, "", "a").factor == 0.0


def test_what_the_scanners_read_stays() -> None:
    """Comments, paths behind dots, frames and modules are read as they were when nothing was bounded."""
    assert manifests.loose_json('{"a": "x // \\" /* y */,]", /* c */ "b": [1, ], // d\n}') == {
        "a": 'x // " /* y */,]',
        "b": [1],
    }
    assert manifests.toml('[a.b]\nc."d.e" = 1\n') == {"a": {"b": {"c": {"d.e": 1}}}}
    assert manifests.go_module('\n\n  module "a.b/c"\n') == "a.b/c"
    assert tasks.zones("a <!-- b --> c <!-- d").title == "a   c <!-- d"
    assert tasks.places("x:a/b.py (c.py:3) d.py in f") == tasks.Places(("c.py", "d.py"), ("a/b.py",))
