"""What is written in files is found beside memories, each kind where it belongs."""

from __future__ import annotations

import pytest

from remora.core.values import NOTE_KINDS, Filters
from remora.retrieval import pipeline
from remora.retrieval.notes import wanted
from remora.store.notes import Written
from tests.retrieval.worlds import request

WRITTEN = {
    "longterm": Written("longterm", "", 3, 5, None, "Tokens expire after a day, says the handbook"),
    "note": Written(
        "note", "token-lifetime", None, None, "2026-01-01T00:00:00Z", "Tokens expire when unused"
    ),
    "archive": Written("archive", "cli-1", None, None, None, "They agreed that tokens expire at midnight"),
    "history": Written("history", "", 8, 10, "2026-01-02T00:00:00Z", "We saw tokens expire too early"),
    "daily": Written("daily", "", 1, 1, "2026-01-03T00:00:00Z", "User: do tokens expire? | Assistant: yes"),
}


@pytest.fixture
def written(world):
    """A world in which every kind of note speaks of tokens that expire."""
    with world.space.db.transaction():
        for kind, piece in WRITTEN.items():
            world.space.notes.put(f"{kind}.md", "1", [piece])
    world.memory.catch_up()
    return world


def sources(world, **more):
    """Return the sources of what a search for tokens that expire finds."""
    return {h.source for h in world.search("tokens expire", 20, **more).hits}


def test_one_search_finds_every_kind(written):
    """Memories, notes, archives, history, daily notes and MEMORY.md come in one list."""
    written.remember("it", "tokens expire at night")
    assert sources(written) == {"memory", *NOTE_KINDS}


def test_kinds_choose_among_them(written):
    """Only the sources that are asked for are returned."""
    assert sources(written, kinds=("archive", "daily")) == {"archive", "daily"}


def test_a_hit_says_where_it_stands(written):
    """An entry is known by its name, a piece of a file by its lines."""
    hits = {h.source: h for h in written.search("tokens expire", 20).hits}
    assert hits["note"].id == "token-lifetime"
    folder = written.memory.home / "memory"
    assert (hits["longterm"].id, hits["longterm"].path) == ("longterm.md:3-5", str(folder / "longterm.md"))
    assert (hits["history"].start_line, hits["history"].end_line) == (8, 10)
    assert hits["history"].time == "2026-01-02T00:00:00Z"
    assert [r.stage for r in hits["note"].why] == ["paths", "evidence"]


def test_what_retells_stands_behind_what_was_written_down(written):
    """A note and MEMORY.md are somebody's words; archives, history and daily notes only retell."""
    scores = {h.source: h for h in written.search("tokens expire", 20).hits}
    for kind in ("archive", "history", "daily"):
        assert [r.stage for r in scores[kind].why] == ["paths", "evidence", "source"]
        assert scores[kind].why[2].score < 1.0


def test_archives_answer_only_those_who_ask(written):
    """What is put into a prompt unasked does without the summaries of old conversations."""
    reader = written.reader()
    asked = request("tokens expire", explicit=False)
    found = {h.source for h in pipeline.search(reader, asked).hits}
    assert "archive" not in found
    assert {"longterm", "note", "history", "daily"} <= found
    assert wanted(request(explicit=False)) == ("longterm", "note", "history", "daily")


@pytest.mark.parametrize(
    "filters",
    [Filters(types=("gotcha",)), Filters(files=("a.py",)), Filters(modules=("a",)), Filters(scope="module")],
)
def test_filters_of_memories_leave_notes_out(written, filters):
    """Notes have no type, file, module or scope, so they never pass such a filter."""
    found = pipeline.search(written.reader(), request("tokens expire", filters=filters)).hits
    assert found == []


def test_words_alone_are_enough(bare):
    """Without a model notes are found by their words."""
    with bare.space.db.transaction():
        bare.space.notes.put("note.md", "1", [WRITTEN["note"]])
    assert [h.id for h in bare.search("expire unused").hits] == ["token-lifetime"]
