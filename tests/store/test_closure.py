"""The closure of files: exact after every change, and without what is stale."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.core.cochange import Tie
from remora.core.code import EXACT, GUESS, LIKELY, Link
from remora.store.database import Database
from tests.store.made_graphs import add_file, add_links, link
from tests.store.makers import save

PATHS = tuple(f"{name}.py" for name in "abcde")


def rows(db: Database) -> list[tuple[object, ...]]:
    """Return every row of the closure, with keys in place of ids."""
    return db.connection.rows(
        """SELECT a.key, d.key, c.depth, v.key, c.edge_types, c.total_weight, c.confidence, c.source
           FROM graph_closure c JOIN graph_nodes a ON a.id = c.ancestor_id
           JOIN graph_nodes d ON d.id = c.descendant_id LEFT JOIN graph_nodes v ON v.id = c.via_id
           ORDER BY 1, 2"""
    )


def rebuilt(db: Database) -> list[tuple[object, ...]]:
    """Return what a closure made from nothing holds; the one that is there stays."""
    with db.connection.transaction(undo=True):
        db.closure.rebuild()
        return rows(db)


def users(db: Database, *ids: int, limit: int = -1) -> list[int]:
    """Return the ids of the direct dependents of files."""
    return [edge.from_id for edge in db.closure.users(ids, limit)]


def test_edges_of_two_files_are_one_row(db: Database):
    """Edges between two files make one row with all kinds, the surest's confidence and more weight.

    An unsure edge, a file that changes along and one that calls itself make none.
    """
    ids = {path: add_file(db, path) for path in ("a.py", "b.py", "c.py")}
    add_links(db, "b.py", link("b.py", "a.py", "imports", LIKELY, 3), link("b.py", "a.py", "calls", EXACT, 4))
    (found,) = db.closure.users([ids["a.py"]])
    assert (found.type, found.confidence, found.source) == ("calls,imports", EXACT, "ast")
    assert found.weight == pytest.approx(EXACT * 4)  # 1 + log2(1 + 3 + 4)
    none = [link("c.py", "a.py", "calls", GUESS), link("c.py", "a.py", "co_change"), link("c.py", "c.py")]
    add_links(db, "c.py", *none)
    assert db.closure.count() == 1
    add_links(db, "c.py", link("c.py", "a.py", count=50))
    heaviest = [users(db, ids["a.py"], limit=limit) for limit in (-1, 1, 0)]
    assert heaviest == [[ids["c.py"], ids["b.py"]], [ids["c.py"]], []]


def test_stale_files_are_left_out(db: Database):
    """A changed file depends on nothing until it is read again; only direct dependents and uses are near."""
    ids = {path: add_file(db, path) for path in ("c.py", "b.py", "a.py")}
    add_links(db, "c.py", link("c.py", "b.py", count=9))
    add_links(db, "b.py", link("b.py", "a.py", "imports"))
    near = [(path, other) for path, other, _ in db.closure.near(["b.py", "nowhere.py"])]
    assert near == [("b.py", "c.py"), ("b.py", "a.py")]
    save(db, db.graph.mark_stale, ["b.py"], 5)
    assert users(db, ids["a.py"]) == []
    assert users(db, ids["b.py"]) == [ids["c.py"]]
    assert [other for _, other, _ in db.closure.near(["b.py"])] == ["c.py"]
    assert db.closure.near(["a.py"]) == []
    save(db, db.graph.touch, "b.py", 10, 20)
    assert users(db, ids["a.py"]) == [ids["b.py"]]
    save(db, db.graph.delete_file, "b.py")
    assert users(db, *ids.values()) == []
    assert db.closure.count() == 0
    assert add_file(db, "n.py") > max(ids.values())  # what was read of b.py is not said of n.py


def test_using_names_importers_that_use_a_name(db: Database):
    """Of the files that import one, those are given that use a name; stale ones and mere callers are not."""
    a = add_file(db, "a.py")
    for path, names in (("b.py", ["run"]), ("test_c.py", ["run"]), ("d.py", ["walk"]), ("e.py", ["run"])):
        add_file(db, path, names=names)
        add_links(db, path, link(path, "a.py", "calls" if path == "e.py" else "imports"))
    assert db.closure.using(a, "run") == [("b.py", False), ("test_c.py", True)]
    save(db, db.graph.mark_stale, ["b.py"], 5)
    assert db.closure.using(a, "run") == [("test_c.py", True)]


PATH = st.sampled_from(PATHS)
KIND = st.sampled_from(("imports", "calls", "tests", "co_change"))
LINKS = st.lists(
    st.tuples(PATH, KIND, st.sampled_from((EXACT, LIKELY, GUESS, 1.0)), st.sampled_from((1, 2, 9))),
    max_size=2,
)
STEP = st.one_of(
    st.tuples(
        st.just("link"),
        st.dictionaries(PATH, LINKS, min_size=1, max_size=4),
        st.sampled_from(("ast", "scip")),
    ),
    st.tuples(st.just("delete"), st.sets(PATH, min_size=1, max_size=2), st.just("")),
    st.tuples(st.just("write"), st.sets(PATH, min_size=1, max_size=3), st.just("")),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, min_size=1, max_size=10))
def test_any_sequence_of_changes_gives_what_a_rebuild_gives(db: Database, steps):
    """Links of several files that come, go and change at once, and deleted files, leave the exact rows."""
    save(db, db.graph.clear)
    for name in PATHS:
        add_file(db, name)
    waiting: set[str] = set()
    for what, given_, source in steps:
        with db.connection.transaction(durable=False):
            if what == "delete":
                for name in given_:
                    db.graph.delete_file(name)
            elif what == "write":  # as a file that is read again: the word of a compiler is of the past
                for name in sorted(given_):
                    add_file(db, name)
                    db.graph.put_links(name, (), "scip", 1)
                waiting |= given_
            else:
                _link(db, {**dict.fromkeys(waiting), **given_}, source)
                waiting = set()
        if what == "link":
            assert rows(db) == rebuilt(db)
    _link(db, dict.fromkeys(PATHS), "")
    assert rows(db) == rebuilt(db)


def _link(db: Database, given_, source: str) -> None:
    """Write new links of several files, then follow them; None leaves a file's links as they are."""
    with db.connection.transaction(durable=False):
        for name, wanted in given_.items():
            if wanted is not None:
                links = {(to, kind): Link(name, to, kind, sure, 1, n) for to, kind, sure, n in wanted}
                db.graph.put_links(name, list(links.values()), source, 1)
                db.other_sources.prefer_precise(name)
        db.closure.update(db.graph.keys(list(given_)).values())


def world(db: Database, *edges: tuple[str, str, str]) -> None:
    """Write files and the edges between them."""
    for path in sorted({end for start, to, _ in edges for end in (start, to)}):
        add_file(db, path)
    for start in sorted({start for start, _, _ in edges}):
        add_links(db, start, *(link(start, to, kind) for begin, to, kind in edges if begin == start))


def test_a_tie_is_a_share_of_the_end_that_has_less(db: Database):
    """A file with one tie is tied wholly to a hub; one with two shares them, by the logarithm of its uses."""
    for path in ("hub.py", "one.py", "two.py", "aside.py"):
        add_file(db, path)
    add_links(db, "one.py", link("one.py", "hub.py", "imports"))
    add_links(db, "two.py", link("two.py", "hub.py", count=7), link("two.py", "aside.py"))
    add_links(db, "aside.py", link("aside.py", "hub.py"))
    assert db.file_coupling.of("one.py") == {"hub.py": Tie(1.0, "is imported by it")}
    seven, once = 1 + math.log2(8), 1 + math.log2(2)
    found = {path: tie.strength for path, tie in db.file_coupling.of("hub.py").items()}
    assert found == pytest.approx({"one.py": 1.0, "two.py": seven / (seven + once), "aside.py": 0.5})


@pytest.mark.parametrize(
    ("kinds", "does", "is_done"),
    [
        (("calls", "imports"), "imports it", "is imported by it"),
        (("calls",), "calls it", "is called by it"),
        (("imports", "inherits"), "inherits from it", "is a base of it"),
        (("implements", "calls"), "implements it", "is implemented by it"),
        (("imports", "tests", "calls"), "tests it", "is tested by it"),
    ],
)
def test_the_strongest_kind_is_named(db: Database, kinds: tuple[str, ...], does: str, is_done: str):
    """Of several edges the one that says most is put into words, from either side."""
    world(db, *(("a.py", "b.py", kind) for kind in kinds))
    assert db.file_coupling.of("b.py")["a.py"].why == does
    assert db.file_coupling.of("a.py")["b.py"].why == is_done


def test_stale_edges_tie_nothing(db: Database):
    """What a changed file uses is unknown until it is read; what uses it is not. A circle is one tie."""
    world(db, ("a.py", "b.py", "imports"), ("b.py", "a.py", "calls"), ("b.py", "c.py", "imports"))
    assert db.file_coupling.of("a.py") == {"b.py": Tie(1.0, "is imported by it and calls it")}
    db.graph.mark_stale(["b.py"], 5)
    assert db.file_coupling.of("c.py") == {}
    assert db.file_coupling.of("b.py") == {"a.py": Tie(1.0, "imports it")}
    assert db.file_coupling.of("a.py") == {"b.py": Tie(1.0, "is imported by it")}
