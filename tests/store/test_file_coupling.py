"""The ties of a file: who uses it and whom it uses, as a share of what either has."""

from __future__ import annotations

import math

import pytest

from remora.core.cochange import Tie
from remora.store.database import Database
from tests.store.made_graphs import add_file, add_links, link


def world(db: Database, *edges: tuple[str, str, str]) -> None:
    """Write files and the edges between them."""
    for path in sorted({end for start, to, _ in edges for end in (start, to)}):
        add_file(db, path)
    for start in sorted({start for start, _, _ in edges}):
        add_links(db, start, *(link(start, to, kind) for begin, to, kind in edges if begin == start))


def test_a_lone_pair_is_tied_wholly(db: Database):
    """Two files with nothing else have a tie of 1, said from the other's side."""
    world(db, ("user.py", "base.py", "imports"))
    assert db.file_coupling.of("base.py") == {"user.py": Tie(1.0, "imports it")}
    assert db.file_coupling.of("user.py") == {"base.py": Tie(1.0, "is imported by it")}


def test_a_tie_is_a_share_of_the_end_that_has_less(db: Database):
    """A file with one tie is tied wholly to a hub; one with two ties shares them."""
    world(
        db,
        ("one.py", "hub.py", "imports"),
        ("two.py", "hub.py", "imports"),
        ("two.py", "aside.py", "imports"),
        ("other.py", "hub.py", "imports"),
    )
    found = db.file_coupling.of("hub.py")
    assert {path: tie.strength for path, tie in found.items()} == pytest.approx(
        {"one.py": 1.0, "two.py": 0.5, "other.py": 1.0}
    )
    assert db.file_coupling.of("two.py")["hub.py"].strength == pytest.approx(0.5)


def test_many_uses_weigh_more_but_not_in_proportion(db: Database):
    """The weight of a row grows with the logarithm of its uses."""
    for path in ("a.py", "b.py", "c.py", "d.py"):
        add_file(db, path)
    add_links(db, "a.py", link("a.py", "b.py", count=7), link("a.py", "c.py", count=1))
    add_links(db, "d.py", link("d.py", "b.py"), link("d.py", "c.py"))
    found = db.file_coupling.of("a.py")
    seven, once = 1 + math.log2(8), 1 + math.log2(2)
    assert found["b.py"].strength == pytest.approx(seven / (seven + once))
    assert found["c.py"].strength == pytest.approx(once / (once + once))


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


def test_two_files_that_use_each_other_are_named_once(db: Database):
    """A circle is one tie of both directions, never above 1."""
    world(db, ("a.py", "b.py", "imports"), ("b.py", "a.py", "calls"))
    assert db.file_coupling.of("a.py") == {"b.py": Tie(1.0, "is imported by it and calls it")}


def test_stale_edges_tie_nothing(db: Database):
    """What a changed file uses is unknown until it is read again; what uses it is not."""
    world(db, ("a.py", "b.py", "imports"), ("b.py", "c.py", "imports"))
    db.graph.mark_stale(["b.py"], 5)
    assert db.file_coupling.of("c.py") == {}
    assert db.file_coupling.of("b.py") == {"a.py": Tie(1.0, "imports it")}
    assert db.file_coupling.of("a.py") == {"b.py": Tie(1.0, "is imported by it")}
