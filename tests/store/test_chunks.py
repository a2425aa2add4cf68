"""Parts of files in the database: which keep their ids, how words find them, who waits for a vector."""

from __future__ import annotations

from collections.abc import Sequence

from remora.core.code import Chunk
from remora.store.space import Space
from tests.store.made_graphs import add_file, file


def part(name: str, start: int, text: str, kind: str = "function") -> Chunk:
    """Return a part of two lines."""
    return Chunk(kind, name, start, start + 1, text, f"File: a.py | function: {name}", f"About {name}.")


def put(space: Space, chunks: Sequence[Chunk], path: str = "a.py", priority: float = 0.0) -> dict[str, int]:
    """Write the parts of a file; returns their ids by name."""
    add_file(space, path)
    row = space.graph.file(path)
    assert row is not None
    with space.db.transaction():
        space.chunks.put(row.id, path, chunks, priority)
    return {c.name: c.id for c in space.chunks.of_files([path], 100)}


def embed(space: Space, *ids: int) -> None:
    """Give parts a vector and take them off the queue."""
    with space.db.transaction():
        for i in ids:
            space.db.execute(
                """INSERT INTO embeddings(owner_kind, owner_id, model_id, dims, embedding, created_at)
                   VALUES ('chunk', ?, 'm', 1, x'00', '')""",
                (str(i),),
            )
        space.chunks.done(ids)


def left(space: Space) -> list[int]:
    """Return how many rows hang on parts: words, vectors, and places in the queue."""
    tables = ("code_chunks", "code_chunks_fts_docsize", "embeddings", "code_chunk_queue")
    return [space.db.value(f"SELECT count(*) FROM {table}") for table in tables]


def test_parts_are_read_back_as_written(space: Space):
    """A part comes back with its file, by id and by file."""
    ids = put(space, [part("f", 1, "def f(): pass"), part("g", 4, "def g(): pass")])
    row = space.chunks.get_many([ids["f"], 99])[ids["f"]]
    assert row == (
        *(ids["f"], "a.py", "python", False, "function", "f", 1, 2),
        *("File: a.py | function: f", "About f.", "def f(): pass"),
    )
    assert space.chunks.paths_of([ids["g"], 99]) == {ids["g"]: "a.py"}
    assert [c.name for c in space.chunks.of_files(["a.py", "b.py"], 1)] == ["f"]
    assert (space.chunks.count(), space.chunks.any()) == (2, True)


def test_empty_index_answers_with_nothing(space: Space):
    """Without parts there is nothing to find, nothing to count, nothing to wait for."""
    assert (space.chunks.count(), space.chunks.any(), space.chunks.pending_count()) == (0, False, 0)
    assert space.chunks.search(["x"], 5) == []
    assert space.chunks.get_many([1]) == {}


def test_parts_that_moved_keep_their_vectors(space: Space):
    """When lines are inserted above, the same texts keep ids, words and vectors, and get new lines."""
    before = put(space, [part("f", 1, "def f(): one"), part("g", 4, "def g(): two")])
    embed(space, *before.values())
    moved = [part("f", 11, "def f(): one"), part("g", 14, "def g(): two")]
    after = put(space, [part("new", 1, "def new(): three"), *moved])
    assert (after["f"], after["g"]) == (before["f"], before["g"])
    lines = [(c.name, c.start_line, c.end_line) for c in space.chunks.of_files(["a.py"], 9)]
    assert lines == [("new", 1, 2), ("f", 11, 12), ("g", 14, 15)]
    assert [c.name for c in space.chunks.pending(9)] == ["new"]
    assert left(space) == [3, 3, 2, 1]
    assert space.db.check() == []


def test_changed_part_is_a_new_one(space: Space):
    """A text, name or doc that differs is a new part; what hung on the old one is gone."""
    before = put(space, [part("f", 1, "def f(): alpha"), part("g", 4, "def g(): beta")])
    embed(space, *before.values())
    after = put(space, [part("f", 1, "def f(): gamma"), part("g", 4, "def g(): beta")._replace(doc="Else.")])
    assert set(after.values()).isdisjoint(before.values())
    assert left(space) == [2, 2, 0, 2]
    assert space.chunks.search(["alpha"], 5) == []
    assert [i for i, _ in space.chunks.search(["gamma"], 5)] == [after["f"]]
    assert space.db.check() == []


def test_same_text_twice_is_two_parts(space: Space):
    """Equal parts of one file stay as many as they are, and the first ones keep their ids."""
    same = part("f", 1, "pass")
    put(space, [same, same._replace(start_line=5, end_line=6)])
    first = [c.id for c in space.chunks.of_files(["a.py"], 9)]
    put(space, [same, same._replace(start_line=7, end_line=8), same._replace(start_line=9, end_line=9)])
    rows = space.chunks.of_files(["a.py"], 9)
    assert [c.start_line for c in rows] == [1, 7, 9]
    assert [c.id for c in rows[:2]] == first
    put(space, [same])
    assert [c.id for c in space.chunks.of_files(["a.py"], 9)] == first[:1]
    assert left(space) == [1, 1, 0, 1]


def test_id_of_a_part_that_is_gone_is_not_given_again(space: Space):
    """A vector that an index still holds in memory never stands for another text."""
    first = put(space, [part("f", 1, "one")])["f"]
    put(space, [])
    assert put(space, [part("g", 1, "two")])["g"] > first


def test_deleted_file_takes_its_parts_along(space: Space):
    """With a file go its parts, their words, vectors and places in the queue; others stay."""
    ids = put(space, [part("f", 1, "def f(): one"), part("g", 4, "def g(): two")])
    put(space, [part("h", 1, "def h(): one")], "b.py")
    embed(space, ids["f"])
    with space.db.transaction():
        space.graph.delete_file("a.py")
    assert left(space) == [1, 1, 0, 1]
    assert [c.path for c in space.chunks.get_many(list(range(9))).values()] == ["b.py"]
    assert space.db.check() == []
    with space.db.transaction():
        space.graph.clear()
    assert left(space) == [0, 0, 0, 0]
    assert space.db.check() == []


def test_words_find_names_in_parts(space: Space):
    """Parts are found by words of text, doc and path, and by the parts of joined names; best first."""
    ids = put(
        space,
        [
            part("parseHTTPHeader", 1, "def parseHTTPHeader(raw_line): return raw_line"),
            part("other", 9, "def other(): parse"),
        ],
        "net/wire_format.py",
    )
    assert [i for i, _ in space.chunks.search(["header"], 5)] == [ids["parseHTTPHeader"]]
    assert {i for i, _ in space.chunks.search(["wire"], 5)} == set(ids.values())
    found = space.chunks.search(["parsehttpheader", "parse"], 5)
    assert [i for i, _ in found] == [ids["parseHTTPHeader"], ids["other"]]
    assert found[0][1] > found[1][1] > 0
    assert space.chunks.search(["parsehttpheader", "parse"], 1) == found[:1]
    assert space.chunks.search([], 5) == []


def test_ranked_tells_code_from_tests(space: Space):
    """The best parts of code and of tests are ranked apart, by the words of their texts alone."""
    put(space, [part("alpha", 1, "beta gamma gamma"), part("f", 4, "gamma")], "a.py")
    put(space, [part("test_f", 1, "gamma")], "test_a.py")
    own, tests = space.chunks.ranked(["gamma", "alpha"], 5)
    assert [(path, name) for path, name, _ in own] == [("a.py", "alpha"), ("a.py", "f")]
    assert [(path, name) for path, name, _ in tests] == [("test_a.py", "test_f")]
    assert [len(found) for found in space.chunks.ranked(["gamma"], 1)] == [1, 1]
    assert space.chunks.ranked([], 5) == ([], [])


def test_signs_of_the_query_language_are_only_text(space: Space):
    """Quotes, stars and words like OR in a query mean themselves."""
    put(space, [part("f", 1, "a OR b")])
    assert len(space.chunks.search(['"', "*", "OR", "NEAR("], 5)) == 1
    assert space.chunks.search(['"'], 5) == []


def test_parts_of_busy_files_get_their_vectors_first(space: Space):
    """The queue is ordered by how busy a file is, then by age; what is done leaves it."""
    calm = put(space, [part("f", 1, "one")], "calm.py", 0.1)
    busy = put(space, [part("g", 1, "two"), part("h", 4, "three")], "busy.py", 0.9)
    assert [c.name for c in space.chunks.pending(9)] == ["g", "h", "f"]
    assert [c.name for c in space.chunks.pending(1)] == ["g"]
    with space.db.transaction():
        space.chunks.done([busy["g"], busy["h"]])
    assert [c.id for c in space.chunks.pending(9)] == [calm["f"]]
    assert space.chunks.pending_count() == 1


def test_queue_all_asks_for_what_a_model_has_no_vector_of(space: Space):
    """After a change of model every part without a vector of the new one waits."""
    ids = put(space, [part("f", 1, "one"), part("g", 4, "two")])
    embed(space, *ids.values())
    with space.db.transaction():
        space.chunks.queue_all("m")
    assert space.chunks.pending_count() == 0
    with space.db.transaction():
        space.chunks.queue_all("other")
    assert [c.name for c in space.chunks.pending(9)] == ["f", "g"]


def test_part_of_a_test_file_says_so(space: Space):
    """A part knows whether its file is a test, and the language of the file."""
    with space.db.transaction():
        row = space.graph.put_file(file("spec/x.rb", language="ruby", test=True), 1)
        space.chunks.put(row, "spec/x.rb", [part("x", 1, "it")])
    (found,) = space.chunks.of_files(["spec/x.rb"], 9)
    assert (found.test, found.language) == (True, "ruby")
