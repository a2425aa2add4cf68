"""What is written in files is found beside memories, each kind where it belongs."""

from __future__ import annotations

import pytest

from remora.core.clock import to_iso
from remora.core.values import FILE_KINDS, Filters
from remora.retrieval import pipeline
from remora.retrieval.pieces import wanted_notes
from tests.retrieval.worlds import WordEmbedder, World, request


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A world in which a memory and all kinds of written files speak of tokens that expire; read only."""
    with World(tmp_path_factory.mktemp("written"), embedder=WordEmbedder()) as world:
        write(world)
        world.remember("it", "tokens expire at night")
        world.memory.search("tokens")  # looks at the files
        world.memory.catch_up()
        yield world


def write(world):
    """Write a note, an archive, MEMORY.md, a history entry and a line of today's notes."""
    world.memory.entries.add("token-lifetime", "Tokens expire when unused")
    world.memory.entries.add("cli-1", "They agreed that tokens expire at midnight", kind="archive")
    world.memory.journal.write("# Long-term Memory\n\nTokens expire after a day, says the handbook")
    world.memory.journal.add_history("We saw tokens expire too early")
    world.memory.journal.note("do tokens expire?", "yes")


def test_one_search_finds_every_kind(written):
    """Every kind comes in one list, or those asked for; what only retells stands behind what was written."""
    hits = {h.source: h for h in written.search("tokens expire", 20).hits}
    assert set(hits) == {"memory", *FILE_KINDS}
    for kind in ("archive", "history", "daily"):
        assert [r.stage for r in hits[kind].why] == ["paths", "evidence", "source"]
        assert hits[kind].why[2].score < 1.0
    assert [r.stage for r in hits["note"].why] == ["paths", "evidence"]
    chosen = written.search("tokens expire", 20, kinds=("archive", "daily")).hits
    assert {h.source for h in chosen} == {"archive", "daily"}


def test_a_hit_says_where_it_stands(written):
    """An entry is known by its name, a piece of a file by its lines."""
    hits = {h.source: h for h in written.search("tokens expire", 20).hits}
    assert hits["note"].id == "token-lifetime"
    longterm = hits["longterm"]
    assert (longterm.id, longterm.path) == ("MEMORY.md:1-3", str(written.memory.journal.folder / "MEMORY.md"))
    history = hits["history"]
    assert (history.start_line, history.end_line) == (2, 3)
    assert history.time == to_iso(written.clock.now())


def test_archives_answer_only_those_who_ask(written):
    """What is put into a prompt unasked does without the summaries of old conversations."""
    reader = written.reader()
    asked = request("tokens expire", explicit=False)
    found = {h.source for h in pipeline.search(reader, asked).hits}
    assert "archive" not in found
    assert {"longterm", "note", "history", "daily"} <= found
    assert wanted_notes(request(explicit=False)) == ("longterm", "note", "history", "daily")


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
    write(bare)
    assert [h.id for h in bare.search("expire unused", kinds=("note",)).hits] == ["token-lifetime"]
