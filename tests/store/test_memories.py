"""Memories go in and come out whole; filters, orders, links and the trust that use gives."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.core.errors import StoreError
from remora.core.text import content_hash
from remora.core.values import (
    MEMORY_SCOPES,
    MEMORY_SOURCES,
    MEMORY_TYPES,
    RELATION_TYPES,
    Filters,
    MemoryRecord,
    Origin,
    Relation,
    Taint,
    WorkUnitRef,
)
from remora.store.database import Database
from remora.store.memories import COLUMNS
from tests.store.makers import AT, add, database, record, save
from tests.tables import table

PROPERTY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30)
NAME = st.text("abc/._-é記", min_size=1, max_size=8)
NAMES = st.lists(NAME, max_size=3, unique=True).map(tuple)
STAMP = st.integers(0, 4_000).map(lambda n: f"2026-01-{1 + n % 28:02}T00:00:00.{n % 1000:03}Z")
SHARE = st.floats(0.0, 1.0)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return a strategy that also gives None."""
    return st.none() | strategy


BY_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans(),
    "int": st.integers(0, 2**40),
    "int | None": maybe(st.integers(1, 9)),
    "float": SHARE,
    "float | None": maybe(st.floats(0.1, 1e6)),
    "str": NAME,
    "str | None": maybe(NAME) | TEXT,
    "tuple[str, ...]": NAMES,
}


def made(kind: type[Any], **own: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for a named tuple: a field is drawn as said here, or by its type."""
    types = {name: hint.__forward_arg__ for name, hint in kind.__annotations__.items()}
    drawn = {name: BY_TYPE[hint] for name, hint in types.items() if name not in own}
    return st.builds(kind, **drawn, **own)


def few(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Return a strategy for two of something at most."""
    return st.lists(strategy, max_size=2).map(tuple)


RECORDS = made(
    MemoryRecord,
    type=st.sampled_from(MEMORY_TYPES),
    scope=st.sampled_from(MEMORY_SCOPES),
    source=st.sampled_from(MEMORY_SOURCES),
    content=TEXT,
    **dict.fromkeys(("created_at", "updated_at", "last_accessed_at"), STAMP),
    **dict.fromkeys(("deprecated_at", "stale_at"), maybe(STAMP)),
    work_unit_ref=maybe(made(WorkUnitRef)),
    relations=few(made(Relation, relation_type=st.sampled_from(RELATION_TYPES))),
    origins=few(made(Origin, at=STAMP)),
    taint=maybe(made(Taint)),
    triggers=maybe(st.dictionaries(st.sampled_from(["forbids", "wants", "when"]), few(TEXT).map(list))),
    payload=maybe(st.dictionaries(TEXT, JSON, max_size=3)),
    realm=st.just("project"),
    receipt=st.none(),
)


def ids(found: Sequence[MemoryRecord]) -> list[str]:
    """Return the ids of memories, in order."""
    return [m.id for m in found]


def find(db: Database, **wanted: Any) -> list[str]:
    """Return the ids that `find` gives for some filters (fields of `Filters`) and options."""
    filters = Filters(**{k: wanted.pop(k) for k in list(wanted) if k in Filters._fields})
    return ids(db.memories.find(filters, **wanted))


# Whole records


@PROPERTY
@given(RECORDS)
def test_records_come_back_as_they_went_in(db: Database, one: MemoryRecord):
    """Every field survives the way into the database and out, by every way of reading it."""
    save(db, db.memories.delete, db.selections.all())
    add(db.memories, one)
    assert db.memories.get(one.id) == one
    assert db.memories.get_many([one.id, "nobody?"]) == {one.id: one}
    assert db.memories.find(Filters(branch="*"), include_deprecated=True) == [one]
    if one.external_id is not None:
        assert db.memories.with_external_id(one.external_id) == one


@settings(PROPERTY, max_examples=25)
@given(RECORDS, RECORDS)
def test_updates_come_back_as_they_went_in(db: Database, one: MemoryRecord, other: MemoryRecord):
    """Every field can be changed to any value it may have, and only the named ones change."""
    save(db, db.memories.delete, db.selections.all())
    add(db.memories, one)
    names = [name for name in COLUMNS if name != "id"]
    half = {name: getattr(other, name) for name in names[::2]}
    save(db, db.memories.update, one.id, half)
    assert db.memories.get(one.id) == one._replace(**half)
    save(db, db.memories.update, one.id, {name: getattr(other, name) for name in names})
    assert db.memories.get(one.id) == other._replace(id=one.id)
    assert db.connection.check() == []


def test_ids_are_unique(db: Database):
    """A second memory of one id, or of one external id, is refused; what is not there is no error."""
    add(db.memories, record("m-1", external_id="e"))
    for refused in (record("m-1", "other"), record("m-2", "other", external_id="e")):
        with pytest.raises(StoreError, match="UNIQUE"):
            add(db.memories, refused)
    with pytest.raises(StoreError, match="CHECK"):
        add(db.memories, record("m-3", confidence=1.01))
    assert db.memories.find(Filters()) == [record("m-1", external_id="e")]
    assert db.memories.get("m-2") is None
    assert db.memories.get_many([]) == {}
    assert db.memories.with_external_id("f") is None
    with db.connection.transaction():
        db.memories.delete(["m-2"])
        db.uses.add("s-1", "asked", {"m-2": 3}, AT)
    assert db.revisions.of("m-2") == []


# Filters and orders

WORDS = "one two three four five six seven eight".split()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, empty_file: Path) -> Iterator[Database]:
    """Memories that differ in everything a filter asks for; only read them."""
    path = tmp_path_factory.mktemp("library") / "memory.db"
    shutil.copy(empty_file, path)
    told = [
        record("a", "one", type="gotcha", tags=("x",), related_files=("src/a.py",), created_at="2026-01-05"),
        record("b", "two", type="decision", related_files=("src/auth/jwt.py",), related_modules=("auth",)),
        record("g", "seven", branch="globs", related_files=("app/[id]/*", "**/*.{css,tsx}", "x[^b]?.p*")),
        record("s", "eight", branch="globs", session_id="s1", created_at="2026-02-01"),
        record("c", "three", scope="module", related_files=("src/**",), source="user_taught", pinned=True),
        record("d", "four", branch="topic", tags=("x", "y"), needs_review=True),
        record("e", "five", deprecated=True, related_files=("src/a.py",)),
        record(
            "f",
            "six",
            related_files=("docs/*.md", "README.md"),
            confidence=0.9,
            last_accessed_at="2026-02-01",
        ),
    ]
    with database(path) as db:
        add(db.memories, *told)
        yield db


@pytest.mark.parametrize(("told", "expected"), table(__file__, "filters"))
def test_filters(library: Database, told: str, expected: str):
    """Each filter lets through what it names and nothing else."""
    wanted: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in json.loads(told).items()
    }
    assert sorted(find(library, **wanted)) == list(expected)
    if not wanted.keys() - set(Filters._fields):
        filters = Filters(**wanted)
        assert library.memories.ids_passing(filters) == set(expected)
        assert library.memories.ids_passing(filters, ["a", "x"]) == set(expected) & {"a"}
        found = library.fulltext.memories(WORDS, filters, 10)
        assert {i for i, _ in found} == set(expected)


def test_orders_are_total(db: Database):
    """However memories were written, each order lists them alike, ties by id; pages do not overlap."""
    made = [
        record(f"m-{n:02}", f"text {n}", confidence=0.5 + n % 2 / 4, created_at=f"2026-01-0{1 + n % 3}")
        for n in range(12)
    ]
    expected = {
        "created": sorted(sorted(made, key=lambda m: m.id), key=lambda m: m.created_at, reverse=True),
        "accessed": sorted(made, key=lambda m: m.id),
        "confidence": sorted(made, key=lambda m: (-m.confidence, m.id)),
    }
    random.Random(0).shuffle(made)
    add(db.memories, *made)
    for order, wanted in expected.items():
        assert find(db, order=order) == ids(wanted)
        pages = [find(db, order=order, limit=5, offset=offset) for offset in (0, 5, 10)]
        assert [i for page in pages for i in page] == ids(wanted)


# Files, ancestry, duplicates


def test_on_files(library: Database):
    """Files find the memories that name them, by themselves or by a glob, most confident first, live only."""
    files = ["docs/x.md", "src/a.py"]
    assert ids(library.memories.on_files(["src/a.py"], Filters(), 9)) == ["a", "c"]
    assert ids(library.memories.on_files(files, Filters(), 9)) == ["f", "a", "c"]
    assert ids(library.memories.on_files(files, Filters(), 1)) == ["f"]
    assert ids(library.memories.on_files(files, Filters(types=("decision",)), 9)) == []
    assert ids(library.memories.on_files([], Filters(), 9)) == []


def test_indexes_follow_updates(db: Database):
    """A memory is found by the words, the hash and the files that it has now, forgotten or not."""
    old, new = "alpha beta gamma delta", "one two three four"
    add(db.memories, record("m-1", old, related_files=("a.py", "b.py")), record("m-2", "other"))
    save(db, db.memories.update, "m-1", {"content": new, "related_files": ("b.py", "c.py", "c.py")})
    found = [[i for i, _ in db.fulltext.memories(text.split(), Filters(), 5)] for text in (old, new)]
    assert found == [[], ["m-1"]]
    assert [find(db, files=(f,)) for f in ("a.py", "b.py", "c.py")] == [[], ["m-1"], ["m-1"]]
    add(db.memories, record("m-0", "One Two  three FOUR", deprecated=True))
    assert ids(db.memories.with_hash(content_hash(new))) == ["m-1", "m-0"]
    assert db.memories.with_hash("") == []
    save(db, db.memories.delete, ["m-1"])
    assert db.connection.value("SELECT count(*) FROM memory_files") == 0


def test_counts(db: Database):
    """Counts tell live from forgotten, and each type and mark of the live ones."""
    add(
        db.memories,
        record("a", "a", pinned=True, user_verified=True),
        record("b", "b", type="decision", needs_review=True, taint=Taint("web_fetch")),
        record("c", "c", deprecated=True, pinned=True),
    )
    assert db.memories.counts() == {
        "live": 2,
        "deprecated": 1,
        "needs_review": 1,
        "pinned": 1,
        "verified": 1,
        "tainted": 1,
        "type:decision": 1,
        "type:gotcha": 1,
    }
