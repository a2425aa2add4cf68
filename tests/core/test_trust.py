"""Trust levels: which events move a level, and when."""

from __future__ import annotations

import pytest

from remora.core.trust import COUNTED, Standing, Trust, after_session, missing

# What a person did in each of sixty sessions, and the level after it. A letter is a session: "k" keeps one
# learned memory, "." does nothing, "w" calls one wrong, "u" stands for four uses without a word.
SCRIPTS = {
    "a person who confirms": ("kkk" + "u" * 57, "112" + "2" * 9 + "3" * 48),
    "a person who never reviews": ("u" * 60, "1" * 9 + "2" * 51),
    "a person who corrects much": ("kkk" + "w" * 57, "112" + "2" * 57),
    "one correction in the beginning": ("wkkk" + "u" * 56, "112" + "2" * 27 + "3" * 30),
    "nothing confirmed, and one correction": ("w" + "u" * 59, "1" * 60),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_sixty_sessions(name: str) -> None:
    """After each the level is the one that was written down by hand."""
    script, expected = SCRIPTS[name]
    trust, found = Trust(), ""
    confirmed = learned = wrong = uses = 0
    for number, letter in enumerate(script):
        confirmed += letter == "k"
        learned += letter in "kw"
        wrong += letter == "w"
        uses += 4 if letter == "u" else 1
        trust = after_session(trust, f"cli:{number}", Standing(confirmed, learned, wrong, uses))
        found += str(trust.level)
    assert len(expected) == 60
    assert found == expected


def test_a_session_counts_once() -> None:
    """However often it is learned again."""
    trust = after_session(Trust(), "cli:1", Standing())
    assert after_session(trust, "cli:1", Standing()) == trust
    assert trust.sessions == 1


def test_the_ids_that_are_kept_are_bounded() -> None:
    """A heavy user's state stays small."""
    trust = Trust(level=3)
    for number in range(COUNTED + 50):
        trust = after_session(trust, f"cli:{number}", Standing())
    assert len(trust.seen) == COUNTED


def test_a_chosen_level_stays() -> None:
    """Events move it no more, up or down."""
    trust = Trust(1, auto=False)
    for number in range(30):
        trust = after_session(trust, f"cli:{number}", Standing(9, 9, 0, 90))
    assert trust.level == 1
    assert missing(trust, Standing()) == ()


@pytest.mark.parametrize(
    ("corrections", "uses", "rises"),
    [(1, 8, True), (2, 39, False), (0, 40, True), (1, 40, False), (1, 200, True), (10, 300, False)],
)
def test_few_corrections_are_told_by_an_interval(corrections: int, uses: int, rises: bool) -> None:
    """Its upper end must be below 5 % once there are 40 uses; before, one correction is allowed."""
    trust = Trust(2, sessions=9)
    after = after_session(trust, "cli:1", Standing(1, 1, corrections, uses))
    assert (after.level == 3) is rises


def test_what_is_missing_is_told() -> None:
    """In phrases, the way without reviews included; nothing more at the levels that only a person sets."""
    assert missing(Trust(sessions=1), Standing(0, 4)) == (
        "2 more sessions",
        "50% of the learned memories confirmed (0% now)",
        "or without a correction: 9 more sessions",
    )
    assert missing(Trust(2, sessions=10), Standing(0, 4, 3, 10)) == (
        "a memory that you confirmed",
        "fewer corrections: under 5% of uses",
    )
    assert missing(Trust(3), Standing()) == ()
