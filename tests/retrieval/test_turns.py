"""Conversations as a source of hits: found by their words, their neighbours, their speaker."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.clock import to_iso
from remora.core.errors import InvalidInput


def talk(world, *lines, session="cli:1"):
    """Append lines of (speaker, text) or (speaker, text, time) to a session; external ids are numbered."""
    made = world.memory.session(session)
    known = made.count()
    for n, (role, text, *time) in enumerate(lines, start=known + 1):
        told = {"time": time[0] if time else "2026-02-01T10:00:00Z", "external_id": f"{session}#{n}"}
        made.extend([{"role": role, "content": text, **told}])


def found(world, query, k=5, **more):
    """Return the texts of the hits."""
    return [h.text for h in world.search(query, k, **more).hits]


WEATHER = [("Bob", f"The weather was mild on day {n}, nothing to report") for n in range(12)]


@pytest.mark.parametrize(("model", "notes"), [("world", ()), ("bare", ("no embedding model",))])
def test_a_turn_is_found_by_its_own_words(model, notes, request):
    """With and without a model the turn that holds the words comes first, and memories stand beside turns."""
    world = request.getfixturevalue(model)
    talk(world, *WEATHER[:6], ("Ann", "My sister moved to Lisbon in May"), *WEATHER[6:])
    talk(world, ("tool", "moved to Lisbon to Lisbon"))
    world.remember("memory", "The servers of Lisbon are new this year")
    found = world.search("who moved to Lisbon", 20)
    hit = found.hits[0]
    assert (hit.text, hit.source, hit.memory) == ("My sister moved to Lisbon in May", "turn", None)
    assert (hit.role, hit.session_id, hit.external_id) == ("Ann", "cli:1", "cli:1#7")
    assert hit.time == "2026-02-01T10:00:00.000Z"
    assert found.hits[1].source == "memory"
    assert "tool" not in {h.role for h in found.hits}
    assert all(0.0 <= h.score <= 1.0 for h in found.hits)
    assert found.notes == world.search("Lisbon", kinds=("turn",)).notes == notes


def test_a_named_speaker_is_not_part_of_what_is_searched_for(world):
    """Vectors are asked without the name, so turns that only mention Ann gain nothing."""
    talk(world, ("Ann", "Hiking makes me happy"), ("Bob", "Ann Ann Ann"), *WEATHER)
    embedder = world.memory._project._given[0]
    embedder.asked.clear()
    assert found(world, "does Ann enjoy hiking")[0] == "Hiking makes me happy"
    assert embedder.asked == ["does enjoy hiking"]


@pytest.mark.parametrize("role", ["user", "User"])
def test_i_means_the_user(world, role):
    """A question in the first person prefers what the user said to what the assistant repeated."""
    talk(world, ("assistant", "You said hiking in the hills is fine"), (role, "hiking in the hills is fine"))
    talk(world, *[("assistant", f"weather report {n}") for n in range(12)])
    first = world.search("where is my hiking fine").hits[0]
    assert first.role == role
    for nobody in ("where is hiking fine", "where is wi-fi hiking fine"):
        plain = next(h for h in world.search(nobody).hits if h.role == role)
        assert first.score > plain.score


def test_a_turn_that_stands_alone_is_not_lowered_for_it(world):
    """A session of one turn has no window; its own words count twice, as in a session of many."""
    talk(world, *WEATHER, session="cli:1")
    talk(world, ("user", "The vault key rotates on Mondays"), session="cli:2")
    hit = world.search("when does the vault key rotate, on Mondays").hits[0]
    assert hit.session_id == "cli:2"
    assert hit.score >= 0.5


def test_filters_that_only_memories_can_pass_leave_turns_out(world):
    """A turn has no type, file, module or scope; where one is asked for, turns are not returned."""
    talk(world, ("user", "The vault key rotates on Mondays"))
    passed: tuple[dict[str, Any], ...] = (
        {},
        {"kinds": ("turn",)},
        {"kinds": ("turn", "memory")},
        {"branch": "main"},
    )
    refused = (
        {"kinds": ("memory",)},
        {"types": ("pattern",)},
        {"files": ("a.py",)},
        {"modules": ("m",)},
        {"scope": "global"},
    )
    for filters in (*passed, *refused):
        for without in ((), ("fts",), ("dense",)):
            hits = world.search("vault key", without=without, **filters).hits
            assert bool(hits) is (filters in passed), filters


def test_only_what_passes_is_found(world):
    """Times, session and speaker narrow every path; what has no known time is in none."""
    talk(
        world,
        ("Ann", "The harbour is closed", "2023-05-08T10:00:00Z"),
        ("Bob", "The harbour is open", "7:31 pm on 21 January, 2022"),
        ("Ann", "The harbour is far", "some day"),
    )
    talk(world, ("Bob", "The harbour is old", "2023-06-01T00:00:00Z"), session="cli:2")

    def texts(**more):
        return sorted(hit.text.rpartition(" ")[2] for hit in world.memory.search("harbour", **more))

    assert texts() == ["closed", "far", "old", "open"]
    assert texts(since="2023") == ["closed", "old"]
    assert texts(until="May 2023") == ["closed", "open"]
    assert texts(since="May 2023", until="8 May 2023") == ["closed"]
    assert texts(session="cli:2") == ["old"]
    assert texts(role="bob") == ["old", "open"]
    assert texts(role="Ann", until="2022") == []
    with pytest.raises(InvalidInput, match=r"since: 'soon' names no day"):
        world.memory.search("harbour", since="soon")


def test_memories_and_notes_pass_alike(world):
    """A memory has the time when it was stored; nobody speaks it, and code has no time."""
    world.remember("old", "The harbour is closed")
    world.clock.advance(days=10)
    world.remember("new", "The harbour is open")
    later = world.clock.now()
    names = [world.name(hit) for hit in world.memory.search("harbour", since=to_iso(later)[:10])]
    assert names == ["new"]
    assert [world.name(hit) for hit in world.memory.search("harbour", until="2026-03-05")] == ["old"]
    assert world.memory.search("harbour", role="user") == []
    assert world.memory.search("harbour", session="cli:1") == []
    assert [world.name_of[m.id] for m in world.memory.list(since="2026-03-05")] == ["new"]


@pytest.mark.parametrize(
    ("asked", "first"),
    [("What about the garden in May?", "2023-05-08"), ("What about the garden in January?", "2022-01-21")],
)
def test_days_that_a_question_names_raise_what_was_said_then(bare, asked, first):
    """Of two turns that say the same, the one of that time comes first."""
    for time in ("2023-05-08", "2022-01-21"):
        talk(bare, ("Ann", "The garden looks fine", time), session=f"cli:{time}")
    assert bare.search(asked).hits[0].time[:10] == first


def test_a_short_question_is_no_answer(bare):
    """It comes after what answers it, but for a request to an assistant, which says what it is about."""
    talk(bare, ("Bob", "Where is the red harbour?"), ("Ann", "We saw the red harbour in the north"))
    assert found(bare, "red harbour")[0] == "We saw the red harbour in the north"
    talk(
        bare, ("user", "Where is the blue lake?"), ("assistant", "You told us of the blue lake"), session="b"
    )
    asks = next(hit for hit in bare.search("blue lake").hits if hit.role == "user")
    assert "a question" not in asks.why[1].note


def test_a_turn_comes_with_those_around_it(world):
    """Two before it and two after it, of its own session, in order."""
    talk(world, *((("Ann", "Bob")[n % 2], f"Line {n} of the talk about number{n}") for n in range(8)))
    talk(world, ("Ann", "Elsewhere entirely"), session="cli:2")
    hit = world.search("number3", 1).hits[0]
    assert [turn.content.split()[1] for turn in hit.context] == ["1", "2", "4", "5"]
    assert [turn.content.split()[1] for turn in world.search("number0", 1).hits[0].context] == ["1", "2"]
    assert world.search("elsewhere entirely", 1).hits[0].context == ()
