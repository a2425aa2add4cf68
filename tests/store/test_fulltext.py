"""Words find memories and turns: names in parts, CJK pairs, under any filter, and no query is ever syntax."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.core.text import query_terms, quoted
from remora.core.values import Filters
from remora.store.database import Database
from tests.store.makers import add, database, message, record, save
from tests.tables import table

PROPERTY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


EVERYTHING = Filters()


def found(db: Database, question: str, filters: Filters = EVERYTHING, limit: int = 20) -> list[str]:
    """Return the ids of the memories that a question finds, best first."""
    return [i for i, _ in db.fulltext.memories(query_terms(question), filters, limit)]


def say(db: Database, *texts: str, session: str = "s", start: int = 1) -> list[int]:
    """Append messages to a session's index and return their row ids."""
    with db.connection.transaction(durable=False):
        messages = [message(start + n, text) for n, text in enumerate(texts)]
        return db.turns.add(session, f"{session}.jsonl", messages, 10, "now")


# What is found


@pytest.mark.parametrize(("content", "question"), table(__file__, "questions"))
def test_questions_find(db: Database, content: str, question: str):
    """A memory is found by its words, by parts of its names and by pairs of its CJK signs, not by its id."""
    add(db.memories, record("peculiar-one", content), record("m-2", "something else entirely"))
    assert found(db, question) == ["peculiar-one"]
    assert found(db, "peculiar-one") == []


def test_better_matches_come_first(db: Database):
    """A whole word outranks a part of a name; scores are positive, and equal ones are ordered by id."""
    texts = ["token jwt", "token", "token", "getToken", "other words", "words that differ", "more", "else"]
    made = [record(f"m-{n}", text) for n, text in enumerate(texts)]
    random.Random(1).shuffle(made)
    add(db.memories, *made)
    result = db.fulltext.memories(["jwt", "token"], Filters(), 10)
    assert [i for i, _ in result] == ["m-0", "m-1", "m-2", "m-3"]
    scores = [score for _, score in result]
    assert scores == sorted(scores, reverse=True)
    assert scores[1] == scores[2] > scores[3] > 0


def test_terms_without_words_find_nothing(db: Database):
    """Nothing to look for finds nothing, in every table; of a thousand terms one may find something."""
    add(db.memories, record("m-1", "word999"))
    say(db, "one", "two")
    for terms in ([], ["..."], ["", "\x00", "''"]):
        assert db.fulltext.memories(terms, Filters(), 5) == []
        assert db.fulltext.turns(terms, 5) == []
        assert db.fulltext.turn_windows(terms, 5) == []
    assert [i for i, _ in db.fulltext.memories([f"word{n}" for n in range(1_000)], Filters(), 5)] == ["m-1"]


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [19, 20, 161])
@pytest.mark.parametrize("wanted", [1, 12])
def test_filters_that_hide_nearly_all_matches(db: Database, hidden: int, wanted: int):
    """The best that pass are found however many better matches do not pass."""
    add(
        db.memories,
        *(record(f"hidden-{n:03}", "token", type="decision") for n in range(hidden)),
        *(record(f"wanted-{n:02}", "token " + "and more words " * (n + 1)) for n in range(wanted)),
    )
    expected = [f"wanted-{n:02}" for n in range(wanted)]
    assert found(db, "token", Filters(types=("gotcha",)), limit=10) == expected[:10]


# Queries that nobody meant


SIGNS = st.text(st.sampled_from(list("*\"'():^-+{}\x00 \ud800.,;|&!/")), max_size=4)


@PROPERTY
@given(
    st.lists(st.tuples(SIGNS, st.sampled_from(["alpha", "beta", "AND", "NEAR", "none"]), SIGNS), max_size=5)
)
def test_signs_around_words_mean_nothing(db: Database, parts: list[tuple[str, str, str]]):
    """Whatever signs stand around the words of a query, it finds the memories that hold one of the words."""
    if not db.memories.get("alpha"):
        add(db.memories, *(record(word, word) for word in ("alpha", "beta", "gamma", "alphabet")))
    terms = [before + word + after for before, word, after in parts]
    hits = db.fulltext.memories(terms, Filters(), 5)
    assert {i for i, _ in hits} == {word for _, word, _ in parts} & {"alpha", "beta"}
    stats = db.fulltext.term_stats("memories", terms)
    assert stats.holding == {
        t: int(w in ("alpha", "beta")) for t, (_, w, _) in zip(terms, parts, strict=True)
    }
    assert {i for i, _ in hits} == set(found(db, " ".join(terms)))


@pytest.mark.parametrize("unit", ["token ", "数"])
def test_ten_megabytes_of_query(db: Database, unit: str):
    """A query of ten megabytes is answered from its beginning, at once."""
    add(db.memories, record("m-1", "the token expiry"), record("m-2", "else"))
    question = unit * (10_000_000 // len(unit))
    started = time.monotonic()
    assert found(db, question) == (["m-1"] if "token" in unit else [])
    assert time.monotonic() - started < 2


# The index follows the rows


def test_changes_are_found_at_once(db: Database):
    """A memory is found by its words, tags and files as they are now, and not at all when it is deleted."""
    add(db.memories, record("m-1", "alpha", tags=("one",)))
    with db.connection.transaction():
        db.memories.update("m-1", {"content": "beta"})
        db.memories.update("m-1", {"tags": ("rateLimit",)})
        db.memories.update("m-1", {"related_files": ("src/gammaRay.py",)})
    assert [found(db, w) for w in ("alpha", "one")] == [[], []]
    assert [found(db, w) for w in ("limit", "gammaRay", "ray", "beta")] == [["m-1"]] * 4
    assert db.connection.check() == []
    with db.connection.transaction():
        db.connection.execute("DELETE FROM memories_fts")
        db.fulltext.rebuild_memories()
    assert [found(db, w) for w in ("limit", "ray", "beta")] == [["m-1"]] * 3
    save(db, db.memories.delete, ["m-1"])
    assert found(db, "beta") == []
    assert db.connection.check() == []


WORDS = ["alpha", "getUserById", "数据库", "max_retry", "src/a.py", "token"]


@pytest.mark.parametrize("seed", range(2))
def test_index_equals_rows_after_anything(db: Database, seed: int):
    """After random inserts, edits, deletions and rolled-back work, searches find what the rows say."""
    rng = random.Random(seed)
    rows: dict[str, tuple[str, bool]] = {}

    def text() -> str:
        return " ".join(rng.choices(WORDS, k=rng.randint(1, 4)))

    def step() -> None:
        memory_id = f"m-{rng.randint(0, 15):02}"
        if memory_id not in rows:
            rows[memory_id] = (text(), True)
            add(db.memories, record(memory_id, rows[memory_id][0]))
            return
        content, live = rows[memory_id]
        action = rng.choice(["edit", "touch", "hide", "delete"])
        if action == "delete":
            save(db, db.memories.delete, [memory_id])
            del rows[memory_id]
            return
        ways: dict[str, dict[str, Any]] = {
            "edit": {"content": text()},
            "touch": {"confidence": 0.5, "content": content},
            "hide": {"deprecated": live},
        }
        save(db, db.memories.update, memory_id, ways[action])
        rows[memory_id] = (ways[action].get("content", content), live != (action == "hide"))

    for _ in range(60):
        if rng.random() < 0.15:
            before = dict(rows)
            with pytest.raises(InterruptedError), db.connection.transaction(durable=False):  # noqa: PT012
                step()
                step()
                raise InterruptedError
            rows.clear()
            rows.update(before)
        else:
            step()
    for word in WORDS:
        expected = {i for i, (content, live) in rows.items() if live and word in content.split()}
        assert set(found(db, word, limit=99)) == expected
    assert set(found(db, "user", limit=99)) == set(found(db, "getUserById", limit=99))
    assert db.connection.check() == []


# Turns


def test_windows_end_with_their_session(db: Database):
    """A first turn has no neighbour in the session before; of long neighbours 600 characters count."""
    first = say(db, "start " + "filler " * 100 + "ending", "beta", session="a")
    second = say(db, "gamma", "delta", session="b")
    assert sorted(i for i, _ in db.fulltext.turn_windows(["start"], 9)) == first
    assert [i for i, _ in db.fulltext.turn_windows(["ending"], 9)] == first[:1]
    assert sorted(i for i, _ in db.fulltext.turn_windows(["gamma"], 9)) == second
    save(db, db.turns.forget_session, "a")
    assert db.fulltext.turns(["start", "beta"], 9) == db.fulltext.turn_windows(["beta"], 9) == []
    assert [i for i, _ in db.fulltext.turns(["gamma", "beta"], 9)] == second[:1]
    assert db.connection.check() == []


def test_windows_equal_rows_after_batches(db: Database):
    """However a conversation arrives, in batches or turn by turn, its windows are the same."""
    rng = random.Random(0)
    texts = [f"w{n} {rng.choice(WORDS)}" for n in range(17)]
    start = 0
    while start < len(texts):
        size = rng.randint(1, 4)
        say(db, *texts[start : start + size], start=start + 1)
        start += size
    say(db, "lonely", session="other")
    expected = apsw.Connection(":memory:")
    expected.execute("CREATE VIRTUAL TABLE f USING fts5(words, tokenize = 'porter unicode61')")
    for n in range(len(texts)):
        window = " ".join(texts[max(0, n - 2) : n + 3])
        expected.execute("INSERT INTO f(rowid, words) VALUES (?, ?)", (n + 1, window))
    for term in (*(f"w{n}" for n in range(len(texts))), *WORDS):
        sql = "SELECT rowid, -bm25(f) AS score FROM f WHERE f MATCH ? ORDER BY score DESC, rowid"
        assert db.fulltext.turn_windows([term], 99) == list(expected.execute(sql, (quoted(term),)))
    assert [i for i, _ in db.fulltext.turns(["w5"], 9)] == [6]
    expected.close()
    assert db.fulltext.turn_windows(["lonely"], 9) == []
    assert db.connection.check() == []


# How common a word is


def holding(db: Database, terms: Sequence[str], table: str = "memories") -> tuple[int, list[int]]:
    """Return the number of rows, and how many hold each term."""
    stats = db.fulltext.term_stats(table, terms)
    return stats.rows, [stats.holding[t] for t in terms]


def test_term_stats_count_rows(db: Database):
    """Each term is counted by the rows that hold it, as the search would find them."""
    add(db.memories, record("a", "token token"), record("b", "getToken"), record("c", "other"))
    say(db, "a token", "nothing")
    assert holding(db, ["token", "other", "nothing", "..."]) == (3, [2, 1, 0, 0])
    assert holding(db, ["token", "nothing"], "turns") == (2, [1, 1])
    assert holding(db, []) == (3, [])


def test_term_stats_follow_writes(db: Database):
    """Counts are made again after a commit of any connection; those of an undone one are not remembered."""
    add(db.memories, record("a", "token"))
    assert holding(db, ["token"]) == (1, [1])
    with pytest.raises(InterruptedError), db.connection.transaction():  # noqa: PT012
        add(db.memories, record("b", "token"))
        assert holding(db, ["token"]) == (2, [2])
        raise InterruptedError
    assert holding(db, ["token"]) == (1, [1])
    with database(db.connection.path) as other:
        add(other.memories, record("c", "token"))
    assert holding(db, ["token"]) == (2, [2])
    save(db, db.memories.delete, ["a"])
    assert holding(db, ["token"]) == (1, [1])


def test_how_many_memories_speak_of_a_name(db: Database) -> None:
    """Live ones with the name in their text, whatever else they are called or filed under."""
    add(db.memories, record("m1", "retry_budget is 7"), record("m2", "The retry_budget, in full"))
    add(db.memories, record("m3", "the budget for a retry", tags=("retry_budget",)))
    add(db.memories, record("m4", "retry_budget was 6", deprecated=True))
    assert [db.fulltext.naming("retry_budget", limit) for limit in (9, 1)] == [2, 1]
    assert db.fulltext.naming('no "such" name', 9) == 0


def test_turns_are_found_by_speaker_and_time(db: Database):
    """A turn is found by the name of who said it and by the words of its time."""
    spoken = [message(1, "so", role="Ann"), message(2, "never mind", time_text="1:56 pm on 8 May, 2023")]
    save(db, db.turns.add, "s", "s.jsonl", spoken, 10, "now")
    assert [i for i, _ in db.fulltext.turns(["ann"], 5)] == [1]
    assert [i for i, _ in db.fulltext.turns(["may"], 5)] == [2]
