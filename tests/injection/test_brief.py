"""The block at the start of a session."""

from __future__ import annotations

from remora.checks.suggest import Suggestion
from remora.core.clock import from_iso
from remora.core.tokens import ceil_chars_4
from remora.core.values import Taint
from remora.injection.brief import Material, brief
from tests.store.makers import AT, record

NOW = from_iso(AT)
RULES = [
    record("d-1", "Money is kept in cents", type="decision", confidence=0.9),
    record("p-1", "Prefer small modules", type="preference", confidence=0.9, pinned=True),
    record("g-1", "The cache outlives a request", confidence=0.9, payload={"sessions": 4}),
]


def made(*records: object, tokens: int = 1_000, **more: object) -> tuple[str, tuple[str, ...]]:
    """Return the text of a brief and the memories in it."""
    material = Material(records or RULES, held="40 memories", **more)  # type: ignore[arg-type]
    found = brief(material, tokens=tokens, threshold=0.65, now=NOW)
    return found.text, found.ids


def test_a_brief_in_full():
    """Where it stopped, how work is checked, what is remembered, and how to ask for more."""
    text, ids = made(
        commands=[
            Suggestion("make all", "build", 0.9, "CLAUDE.md names it"),
            Suggestion("make lint", "lint", 0.8, "Makefile; run in 9 of 10", "run in 9 of 10"),
            Suggestion("x", "test", 0.1, "once", "once"),
        ],
        state="## Where the last session left this work [Memory #w-1]\n- Asked for: “a parser”",
        state_id="w-1",
    )
    assert text == (
        "Remora, the memory of this project:\n"
        "Where the last session left this work [Memory #w-1]:\n"
        "- Asked for: “a parser”\n"
        "How work is checked here, from the root of the project:\n"
        "- `make lint` (run in 9 of 10)\n"
        "Memories:\n"
        "- Prefer small modules [Memory #p-1]\n"
        "- The cache outlives a request [Memory #g-1]\n"
        "- Money is kept in cents [Memory #d-1]\n"
        "(40 memories in all; search_memory or `remora search` finds the rest, also by file or error.)"
    )
    assert ids == ("w-1", "p-1", "g-1", "d-1")


def test_it_keeps_to_its_budget():
    """What does not fit is passed over, whole; the last line counts too."""
    many = [
        record(f"d-{n}", f"fact {'abcdefgh'[n % 8] * (n + 2)} " + "word " * (n % 40), type="decision")
        for n in range(60)
    ]
    text, ids = made(*many, tokens=300)
    assert ceil_chars_4(text) <= 300
    assert 3 < len(ids) < 60


def test_what_two_files_say_in_nearly_the_same_words_is_told_once():
    """The one with more worth stays."""
    text = "Themes are plain JSON in themes/ and validate against website/static/schema.json"
    again = text.replace("JSON in", "JSON files in").replace("and validate", "and all validate")
    other = record("p-2", "Segments are Go files in src/ and register in src/config.go", type="preference")
    twice = (record("p-1", text, type="preference"), record("d-1", again, type="decision"))
    assert made(*twice, other)[1] == ("d-1", "p-2")


def test_what_is_not_sure_is_left_out():
    """Not sure, out of date, faded, of use elsewhere only, a rule nobody vouches for, or says nothing."""
    doubtful = [
        record("a", type="decision", confidence=0.6),
        record("b", type="decision", stale_at=AT),
        record("c", type="gotcha", decay_half_life_days=1.0, last_accessed_at="2025-12-01T00:00:00.000Z"),
        record("d", type="error_pattern", confidence=0.9),
        record("e", "Tabs are kept in this shop", type="preference", confidence=0.9, taint=Taint("web", 3)),
        record("f", type="decision", confidence=0.9, deprecated=True),
    ]
    doubtful += [
        record("g", "x", type="decision", confidence=0.9),
        record("m", type="requirement", confidence=0.9, scope="module", related_files=("web/**",)),
        record("h", "The admin password is [REDACTED:password]", type="decision", pinned=True),
    ]
    assert made(*doubtful) == ("", ())
    assert made(doubtful[0]._replace(pinned=True), doubtful[4]._replace(user_verified=True))[1] == ("a", "e")


def test_what_contradicts_itself_or_lost_its_ground_is_left_out():
    """Neither of two that say the opposite; nothing that rests on what was superseded."""
    text, ids = made(
        record("a", "We decided to use Postgres for the queue", type="decision", confidence=0.9),
        record("b", "We decided not to use Postgres for the queue", type="decision", confidence=0.9),
        record(
            "c", "Jobs are picked by BLPOP", type="decision", needs_review=True, review_reason="rests on x"
        ),
        record("d", "Errors are values", type="decision", needs_review=True),
    )
    assert ids == ("d",)
    assert "Postgres" not in text


def test_whose_it_is_when_it_is_no_project_s():
    """What a person holds true everywhere is told as that, and what nobody vouches for is quoted."""
    web = record("g", "The port is 81", pinned=True, taint=Taint("web", 3), payload={"sessions": "many"})
    text, _ = made(record("u", "Use tabs", type="preference", realm="user"), web)
    assert "- (the user's own, for every project) Use tabs [Memory #u]" in text
    assert "(unverified, from a session that had read outside text) “The port is 81”" in text
