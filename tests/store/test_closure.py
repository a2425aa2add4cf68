"""The closure of files: exact after every change, and never a way over what is stale."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.core.code import EXACT, GUESS, LIKELY, Link
from remora.store.space import Space
from tests.store.made_graphs import add_file, add_links, link

PATHS = tuple(f"{name}.py" for name in "abcde")


def rows(space: Space) -> list[tuple[object, ...]]:
    """Return every row of the closure, with keys in place of ids."""
    return space.db.rows(
        """SELECT a.key, d.key, c.depth, v.key, c.edge_types, c.total_weight, c.confidence, c.source
           FROM graph_closure c JOIN graph_nodes a ON a.id = c.ancestor_id
           JOIN graph_nodes d ON d.id = c.descendant_id LEFT JOIN graph_nodes v ON v.id = c.via_id
           ORDER BY 1, 2"""
    )


class Undone(Exception):
    """Ends a transaction without a trace."""


def rebuilt(space: Space) -> list[tuple[object, ...]]:
    """Return what a closure made from nothing holds; the one that is there stays."""
    found: list[tuple[object, ...]] = []
    with contextlib.suppress(Undone), space.db.transaction(durable=False):
        assert space.closure.rebuild() == space.closure.count()
        found = rows(space)
        raise Undone
    return found


def from_nothing(space: Space, path: Path) -> list[tuple[object, ...]]:
    """Return the closure of the same edges in a new file, where the files came in another order."""
    edges = space.db.rows(
        """SELECT a.key, b.key, e.type, e.confidence, e.weight, e.source FROM graph_edges e
           JOIN graph_nodes a ON a.id = e.from_id JOIN graph_nodes b ON b.id = e.to_id"""
    )
    other = Space.open(path, realm="project", project_id="p1")
    try:
        for name in reversed(PATHS):
            add_file(other, name)
        with other.db.transaction(durable=False):
            for source in ("ast", "scip"):
                for name in PATHS:
                    own = [
                        Link(e[0], e[1], e[2], e[3], 1, int(e[4]))
                        for e in edges
                        if (e[0], e[5]) == (name, source)
                    ]
                    other.graph.put_links(name, own, source, 1)
            other.closure.rebuild()
        return rows(other)
    finally:
        other.close()


def chain(space: Space, *paths: str, kind: str = "imports") -> dict[str, int]:
    """Let each file import the next; returns their nodes' ids."""
    ids = {path: add_file(space, path) for path in paths}
    for first, second in pairwise(paths):
        add_links(space, first, link(first, second, kind))
    return ids


def test_what_imports_a_file_depends_on_it_to_depth_two(space: Space):
    """A file that imports one is a step away, what imports that file two, and further ones have no row."""
    ids = chain(space, "d.py", "c.py", "b.py", "a.py")
    found = space.closure.dependents(ids["a.py"])
    assert [(d.key, d.depth, d.via, d.kinds) for d in found] == [
        ("b.py", 1, "a.py", "imports"),
        ("c.py", 2, "b.py", "imports > imports"),
    ]
    assert [d.confidence for d in found] == [EXACT, round(EXACT * EXACT, 6)]
    assert space.closure.dependents(ids["d.py"]) == []
    assert [d.key for d in space.closure.dependents(ids["a.py"], 1)] == ["b.py"]
    assert space.closure.count() == 5


def test_edges_of_two_files_are_one_row(space: Space):
    """Several edges between two files make one row with all kinds, the surest's confidence, more weight."""
    a, _ = add_file(space, "a.py"), add_file(space, "b.py")
    add_links(
        space, "b.py", link("b.py", "a.py", "imports", LIKELY, 3), link("b.py", "a.py", "calls", EXACT, 4)
    )
    (found,) = space.closure.dependents(a)
    assert (found.kinds, found.confidence, found.source) == ("calls,imports", EXACT, "ast")
    assert found.weight == pytest.approx(EXACT * 4)  # 1 + log2(1 + 3 + 4)


def test_guesses_and_other_kinds_do_not_make_files_depend(space: Space):
    """An unsure edge, a document or a file that changes along are no dependence; nor is a file on itself."""
    a, _ = add_file(space, "a.py"), add_file(space, "b.py")
    add_links(
        space,
        "b.py",
        link("b.py", "a.py", "calls", GUESS),
        link("b.py", "a.py", "documents"),
        link("b.py", "a.py", "co_change"),
        link("b.py", "b.py", "calls"),
    )
    assert space.closure.dependents(a) == []
    assert rebuilt(space) == []


def test_direct_way_wins_over_a_longer_one(space: Space):
    """A file that can be reached in one and in two steps has the row of one step, then the other's."""
    ids = chain(space, "c.py", "b.py", "a.py")
    add_links(space, "c.py", link("c.py", "a.py"), link("c.py", "b.py", "imports"))
    assert {(d.key, d.depth) for d in space.closure.dependents(ids["a.py"])} == {("c.py", 1), ("b.py", 1)}
    add_links(space, "c.py", link("c.py", "b.py", "imports"))
    assert [(d.key, d.depth) for d in space.closure.dependents(ids["a.py"])] == [("b.py", 1), ("c.py", 2)]


def way(space: Space, ids: dict[str, int]) -> tuple[str, str, float]:
    """Return how z.py depends on a.py: over which file, in which way, how surely."""
    (found,) = (d for d in space.closure.dependents(ids["a.py"]) if d.key == "z.py")
    return found.via, found.kinds, found.confidence


def test_of_two_ways_as_short_the_heavier_counts_then_the_surer_then_the_first_by_path(space: Space):
    """Which of the files between was read first decides nothing."""
    ids = {path: add_file(space, path) for path in ("a.py", "m.py", "l.py", "z.py")}
    for between in ("m.py", "l.py"):
        add_links(space, between, link(between, "a.py", "imports"))
    add_links(space, "z.py", link("z.py", "m.py", "imports"), link("z.py", "l.py", "imports"))
    assert way(space, ids)[0] == "l.py"
    add_links(space, "z.py", link("z.py", "m.py", "imports", count=9), link("z.py", "l.py", "imports"))
    assert way(space, ids)[0] == "l.py"
    add_links(space, "m.py", link("m.py", "a.py", "imports", count=9))
    assert way(space, ids)[0] == "m.py"
    # As heavy: three uses that are half as sure, and one that is sure.
    add_links(space, "m.py", link("m.py", "a.py", "imports", 1.0))
    add_links(space, "l.py", link("l.py", "a.py", "imports", 0.5, 7))
    for sure, count in ((1.0, 1), (0.5, 7)):
        steps = (link("z.py", "m.py", "tests", 1.0), link("z.py", "l.py", "calls", sure, count))
        add_links(space, "z.py", *steps)
        assert way(space, ids) == ("m.py", "imports > tests", 1.0)
    assert rows(space) == rebuilt(space)


def test_order_and_cut_of_the_dependents_go_by_path_where_they_weigh_the_same(space: Space):
    """Of files that depend in the same way the limit keeps the first by path, not those read first."""
    ids = {path: add_file(space, path) for path in ("a.py", "d.py", "c.py", "b.py")}
    for path in ("d.py", "c.py", "b.py"):
        add_links(space, path, link(path, "a.py", "imports"))
    assert [d.key for d in space.closure.dependents(ids["a.py"], 1, 2)] == ["b.py", "c.py"]


def test_heavier_dependents_come_first_and_the_limit_keeps_the_nearest(space: Space):
    """At the same depth the heavier come first; a limit cuts the far and the light."""
    ids = {path: add_file(space, path) for path in ("a.py", "b.py", "c.py", "d.py")}
    add_links(space, "b.py", link("b.py", "a.py"))
    add_links(space, "c.py", link("c.py", "a.py", count=50))
    add_links(space, "d.py", link("d.py", "c.py", count=50))
    found = [[d.key for d in space.closure.dependents(ids["a.py"], 2, limit)] for limit in (-1, 3, 2, 1, 0)]
    assert found == [["c.py", "b.py", "d.py"], ["c.py", "b.py", "d.py"], ["c.py", "b.py"], ["c.py"], []]


def test_stale_files_are_left_out_at_either_place(space: Space):
    """A changed file shows no way from it nor over it, until it is read again; it may be asked about."""
    ids = chain(space, "c.py", "b.py", "a.py")
    with space.db.transaction(durable=False):
        space.graph.mark_stale(["b.py"], 5)
    assert space.closure.dependents(ids["a.py"]) == []
    assert [d.key for d in space.closure.dependents(ids["b.py"])] == ["c.py"]
    assert space.closure.near(["b.py"]) == [("b.py", "c.py", 1.9)]
    assert space.closure.near(["a.py"]) == []
    with space.db.transaction(durable=False):
        space.graph.touch("b.py", 10, 20)
    assert [d.key for d in space.closure.dependents(ids["a.py"])] == ["b.py", "c.py"]


def test_near_gives_both_directions(space: Space):
    """The neighbours of files are what they use and what uses them, heaviest first."""
    chain(space, "c.py", "b.py", "a.py")
    add_links(space, "c.py", link("c.py", "b.py", count=9))
    assert [(path, other) for path, other, _ in space.closure.near(["b.py", "nowhere.py"])] == [
        ("b.py", "c.py"),
        ("b.py", "a.py"),
    ]


def test_using_names_importers_that_use_a_name(space: Space):
    """Of the files that import one, those are given that use a name; stale ones and mere callers are not."""
    a = add_file(space, "a.py")
    for path, names in (("b.py", ["run"]), ("test_c.py", ["run"]), ("d.py", ["walk"]), ("e.py", ["run"])):
        add_file(space, path, names=names)
        add_links(space, path, link(path, "a.py", "calls" if path == "e.py" else "imports"))
    assert space.closure.using(a, "run") == [("b.py", False), ("test_c.py", True)]
    with space.db.transaction(durable=False):
        space.graph.mark_stale(["b.py"], 5)
    assert space.closure.using(a, "run") == [("test_c.py", True)]


def test_deleted_file_takes_its_ways_along(space: Space):
    """What led over a deleted file is found another way, or not at all."""
    ids = chain(space, "c.py", "b.py", "a.py")
    add_file(space, "e.py")
    add_links(space, "e.py", link("e.py", "a.py"))
    with space.db.transaction(durable=False):
        around = space.closure.around(ids["b.py"])
        space.graph.delete_file("b.py")
        space.closure.make_again(around)
    assert [d.key for d in space.closure.dependents(ids["a.py"])] == ["e.py"]
    assert space.db.value("SELECT count(*) FROM graph_closure") == 1


def test_both_steps_of_a_way_can_go_at_once(space: Space):
    """When two files change together, ways over both of their edges are gone with them."""
    ids = chain(space, "c.py", "b.py", "a.py")
    with space.db.transaction(durable=False):
        for path in ("c.py", "b.py"):
            space.graph.put_links(path, (), "ast", 2)
        space.closure.update([ids["b.py"], ids["c.py"]])
    assert rows(space) == []


def test_edges_lost_before_the_update_are_noticed(space: Space):
    """What a file's rows say is compared with its edges, whenever those were lost."""
    ids = chain(space, "c.py", "b.py", "a.py")
    add_links(space, "b.py", link("b.py", "a.py", "calls", 1.0), source="scip")
    (found, _) = space.closure.dependents(ids["a.py"])
    assert (found.kinds, found.source) == ("calls,imports", "scip")
    with space.db.transaction(durable=False):
        space.other_sources.drop_from("scip")
    assert space.closure.differing(ids["b.py"]) == {ids["a.py"]}
    add_links(space, "b.py", link("b.py", "a.py", "imports"))
    assert space.closure.differing(ids["b.py"]) == set()
    assert rows(space) == rebuilt(space)


def test_number_of_a_deleted_file_is_not_given_to_another(space: Space):
    """A way over a deleted file never leads over a new one before the rows are made again."""
    ids = chain(space, "c.py", "a.py", "b.py")
    with space.db.transaction(durable=False):
        space.graph.delete_file("b.py")
    assert add_file(space, "n.py") > max(ids.values())


STEP = st.one_of(
    st.tuples(
        st.just("link"),
        st.dictionaries(
            st.sampled_from(PATHS),
            st.lists(
                st.tuples(
                    st.sampled_from(PATHS),
                    st.sampled_from(("imports", "calls", "tests", "documents")),
                    st.sampled_from((EXACT, LIKELY, GUESS, 1.0)),
                    st.sampled_from((1, 2, 9)),
                ),
                max_size=2,
            ),
            min_size=1,
            max_size=4,
        ),
        st.sampled_from(("ast", "scip")),
    ),
    st.tuples(st.just("delete"), st.sets(st.sampled_from(PATHS), min_size=1, max_size=2), st.just("")),
    st.tuples(st.just("write"), st.sets(st.sampled_from(PATHS), min_size=1, max_size=3), st.just("")),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, min_size=1, max_size=10))
def test_any_sequence_of_changes_gives_what_a_rebuild_gives(steps, empty_file: Path):
    """Links of several files that come, go and change at once, and deleted files, leave the exact rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        shutil.copy(empty_file, path)
        space = Space.open(path, realm="project", project_id="p1")
        for name in PATHS:
            add_file(space, name)
        again: set[tuple[int, int]] = set()
        waiting: set[str] = set()
        for what, given_, source in steps:
            with space.db.transaction(durable=False):
                if what == "delete":
                    again = _delete(space, given_, again)
                elif what == "write":  # as a file that is read again: the word of a compiler is of the past
                    for name in sorted(given_):
                        add_file(space, name)
                        space.graph.put_links(name, (), "scip", 1)
                    waiting |= given_
                else:
                    _link(space, {**dict.fromkeys(waiting), **given_}, source, again)
                    again, waiting = set(), set()
            if what == "link":
                assert rows(space) == rebuilt(space)
        _link(space, dict.fromkeys(PATHS), "", again)
        other = Path(folder) / "other.db"
        shutil.copy(empty_file, other)
        assert rows(space) == rebuilt(space) == from_nothing(space, other)
        space.close()


def _delete(space: Space, names, again: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Delete files as the indexer does; returns the pairs to be made again later."""
    for name in sorted(names):
        if (node := space.graph.node(name)) is not None:
            pairs = space.closure.around(node.id)
            again = {p for p in again if node.id not in p} | pairs
        space.graph.delete_file(name)
    return again


def _link(space: Space, given_, source: str, again: set[tuple[int, int]]) -> None:
    """Write new links of several files, then follow them; None leaves a file's links as they are."""
    with space.db.transaction(durable=False):
        for name, wanted in given_.items():
            if wanted is not None:
                links = {(to, kind): Link(name, to, kind, sure, 1, n) for to, kind, sure, n in wanted}
                space.graph.put_links(name, list(links.values()), source, 1)
                space.other_sources.prefer_precise(name)
        space.closure.update(space.graph.keys(list(given_)).values(), again)
