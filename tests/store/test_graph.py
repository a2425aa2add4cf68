"""The code graph's rows: files, nodes and edges, what is stale, and how reads find their way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remora.core.code import EXACT, GUESS, LIKELY, Definition
from remora.store.database import Database
from remora.store.graph import Brief
from tests.store.made_graphs import add_file, add_links, definition, file, link
from tests.store.makers import save, there


def small(db: Database) -> dict[str, int]:
    """Two files: `b.py` calls a method of `a.py`; returns ids by key."""
    add_file(db, "src/a.py", [definition("A", 1, 9, "class"), definition("A.run", 3, 5, "method")], ["x"])
    add_file(db, "tests/test_b.py", [definition("test_b", 1, 4, "test")], ["run", "A"])
    add_links(
        db,
        "tests/test_b.py",
        link("tests/test_b.py", "src/a.py", "imports"),
        link("tests/test_b.py", "src/a.py", "calls"),
        link("tests/test_b.py:test_b", "src/a.py:A.run", "calls", LIKELY, 2),
        link("tests/test_b.py:test_b", "src/a.py:gone", "calls"),
    )
    keys = ["src/a.py", "src/a.py:A", "src/a.py:A.run", "tests/test_b.py", "tests/test_b.py:test_b"]
    return db.graph.keys(keys)


def test_file_is_written_and_read_back(db: Database):
    """A file has the row that was written; reading it again replaces that and asks for its links."""
    assert db.graph.is_empty()
    with db.connection.transaction():
        first = db.graph.put_file(file("src/a.py", hash="one", outline=b"o", uses=b"u"), 5)
        db.graph.put_file(file("z.py", outline=b"o", skipped="too large"), 1)
        db.graph.linked("src/a.py", 6)
    assert not db.graph.is_empty()
    assert db.graph.facts("src/a.py") == (b"o", b"u")
    assert db.graph.facts("z.py") == db.graph.facts("c.py") == (None, None)
    assert db.graph.unlinked() == []
    with db.connection.transaction():
        assert db.graph.put_file(file("src/a.py", hash="two", size=11, package="p"), 7) == first
    row = db.graph.file("src/a.py")
    assert row == ("src/a.py", "code", "python", 11, 20, "two", "", False)
    assert db.graph.files()["src/a.py"] == row
    assert db.graph.file("src/b.py") is None
    assert db.graph.unlinked() == ["src/a.py"]
    for ask in (lambda: db.graph.unlink(["src/a.py", "nowhere.py"]), db.graph.unlink_all):
        with db.connection.transaction():
            db.graph.linked("src/a.py", 8)
            ask()
        assert db.graph.unlinked() == ["src/a.py"]


def test_files_are_found_by_place_name_and_package(db: Database):
    """Files are found by folder, base name, last parts and package, in any script; those left out are not."""
    odd = "größe %'\"/文件.go"
    with db.connection.transaction():
        for path, package in (("a/x.go", "p"), ("a/b/x.go", "p"), ("xx.go", "q"), (odd, "")):
            db.graph.put_file(file(path, package=package), 1)
        db.graph.put_file(file("a/z.go", skipped="too large", package="p"), 1)
    assert db.graph.in_folder("a") == ["a/x.go"]
    assert db.graph.in_folder("") == ["xx.go"]
    assert db.graph.called("x.go") == ["a/b/x.go", "a/x.go"]
    assert db.graph.ending("b/x.go") == ["a/b/x.go"]
    assert db.graph.ending("a/x.go") == ["a/x.go"]
    assert db.graph.ending("文件.go") == [odd]
    assert db.graph.in_package("p") == ["a/b/x.go", "a/x.go"]
    assert db.graph.in_package("") == []
    assert (db.graph.file_count(), db.graph.broken_count()) == (4, 0)


def test_node_that_is_still_there_keeps_its_id(db: Database):
    """A file read again keeps the nodes it still defines, gets new ones, and loses the others."""
    add_file(db, "a.py", [definition("f", 1, 2), definition("g", 3, 4)])
    before = db.graph.keys(["a.py", "a.py:f", "a.py:g"])
    changed = Definition("g", "g", "function", 5, 9, 6, signature="def g(x)", doc="Do.\nMore.", bases=("B",))
    add_file(db, "a.py", [changed, definition("h", 10, 11)])
    after = db.graph.keys(["a.py", "a.py:f", "a.py:g", "a.py:h"])
    assert (after["a.py"], after["a.py:g"]) == (before["a.py"], before["a.py:g"])
    assert set(after) == {"a.py", "a.py:g", "a.py:h"}
    node = there(db.graph.node("a.py:g"))
    assert (node.type, node.label, node.path, node.symbol) == ("function", "g", "a.py", "g")
    lines = "SELECT start_line, end_line, metadata FROM graph_nodes WHERE key = ?"
    start, end, about = there(db.connection.row(lines, ("a.py:g",)))
    assert (start, end) == (5, 9)
    assert json.loads(about) == {"signature": "def g(x)", "doc": "Do.", "line": 6, "bases": ["B"]}
    whole = there(db.graph.node("a.py"))
    assert (whole.symbol, whole.type, whole.label) == (None, "file", "a.py")
    assert db.connection.row(lines, ("a.py",)) == (1, 30, "{}")


def test_places_are_found_by_name_and_path(db: Database):
    """The definitions of a name come by path and line, all or so many, or those of files that end so."""
    add_file(db, "x/a.py", [definition("z.run", 9, 9), definition("run", 12, 12), definition("run#2", 3, 3)])
    add_file(db, "x/a.py.py", [definition("run")])
    add_file(db, "run", [definition("walk")])
    add_file(db, "x/told.js", [definition("run", kind="test")._replace(sentence=True)])
    found = [("x/a.py", "run#2"), ("x/a.py", "z.run"), ("x/a.py", "run"), ("x/a.py.py", "run")]
    assert db.graph.places("run") == found
    assert db.graph.places("run", limit=2) == found[:2]
    assert db.graph.places("run", "a.py") == found[:3]
    assert db.graph.places("run", "x/a.py.py") == found[3:]
    assert db.graph.places("run", ".py") == []
    assert db.graph.places("run", sentences=True) == [*found, ("x/told.js", "run")]


def test_inside_gives_members_and_twins(db: Database):
    """Inside a class are its members at any depth and those of its twins; not what only begins alike."""
    names = ["A", "A.f", "A.f.g", "A#2", "A#2.h", "AB", "AB.i", "B"]
    add_file(db, "a.py", [definition(name, at, at) for at, name in enumerate(names, 1)])
    add_file(db, "a.py2", [definition("A")])
    one, whole = db.graph.node("a.py:A"), db.graph.node("a.py")
    assert one is not None
    assert whole is not None
    keys = [f"a.py:{name}" for name in names]
    assert list(db.graph.inside(one).values()) == keys[1:5]
    assert list(db.graph.inside(whole).values()) == keys


def test_links_become_edges_between_known_nodes(db: Database):
    """Links to what is unknown are dropped; edges between two files are told from those between parts."""
    ids = small(db)
    test, run = ids["tests/test_b.py:test_b"], ids["src/a.py:A.run"]
    users = db.graph.users(list(ids.values()), ["calls", "imports"])
    found = [(e.from_id, e.to_id, e.type, e.confidence, e.weight) for e in users]
    assert found == [(test, run, "calls", LIKELY, 2.0)]
    between = [(e.type, e.to_id) for e in db.closure.users([ids["src/a.py"]])]
    assert between == [("calls,imports", ids["src/a.py"])]
    assert db.graph.counts() == (5, 3, 0)
    brief = db.graph.brief([*ids.values(), 999])
    assert brief[run] == Brief("src/a.py:A.run", "method", "src/a.py", "A.run", test=False)
    whole = Brief("tests/test_b.py", "file", "tests/test_b.py", None, test=True)
    assert brief[ids["tests/test_b.py"]] == whole
    assert set(brief) == set(ids.values())
    add_links(db, "tests/test_b.py")
    assert db.graph.counts() == (5, 0, 0)


def test_users_come_surest_first_and_no_more_than_wanted(db: Database):
    """Users come in the order of what they use, then the surest, then the heaviest."""
    add_file(db, "a.py", [definition("f"), definition("g")])
    add_file(db, "b.py", [definition(name) for name in "hijk"])
    add_links(
        db,
        "b.py",
        link("b.py:h", "a.py:f", "calls", GUESS),
        link("b.py:i", "a.py:f", "calls", EXACT, 1),
        link("b.py:j", "a.py:f", "calls", EXACT, 5),
        link("b.py:k", "a.py:f", "tests"),
        link("b.py:h", "a.py:g", "inherits"),
    )
    ids = db.graph.keys(["a.py:f", "a.py:g", *(f"b.py:{name}" for name in "hijk")])
    key = {i: k for k, i in ids.items()}
    for limit, expected in ((-1, "hjih"), (2, "hj")):
        found = db.graph.users([ids["a.py:g"], ids["a.py:f"]], ("calls", "inherits"), limit)
        assert [key[e.from_id] for e in found] == [f"b.py:{name}" for name in expected]


def test_edges_of_a_changed_file_are_stale_at_once(db: Database):
    """A changed file's edges leave every answer; edges that lead to it stay; a touch brings them back."""
    ids = small(db)
    path = "tests/test_b.py"
    save(db, db.graph.mark_stale, [path, "nowhere.py"], 9)
    row = there(db.graph.file(path))
    assert row.stale
    assert db.graph.users(list(ids.values()), ["calls"]) == []
    assert db.closure.users(list(ids.values())) == []
    assert db.graph.stamps([path, "src/a.py"]) == {"src/a.py": (10, 20)}
    assert (db.graph.counts()[2], db.overview.stale_files()) == (3, 1)
    with db.connection.transaction():
        db.graph.mark_stale(["src/a.py"], 9)
        db.graph.touch(path, 12, 13)
    assert len(db.graph.users(list(ids.values()), ["calls"])) == 1
    assert db.graph.stamps([path]) == {path: (12, 13)}


def test_a_mark_stays_until_names_are_resolved_anew(db: Database):
    """A file that was read, or linked by what it said before, may have edges of the text before."""
    ids = small(db)
    path = "tests/test_b.py"
    with db.connection.transaction():
        db.graph.mark_stale([path], 9)
        db.graph.put_links(path, [link(path, "src/a.py", "imports")], "ast", 10)
        db.graph.linked(path, 10)
    assert db.closure.users([ids["src/a.py"]]) == []
    with db.connection.transaction():
        db.graph.unlink([path])
        db.graph.touch(path, 12, 13)
    assert db.closure.users([ids["src/a.py"]]) == []
    save(db, db.graph.linked, path, 10)
    assert len(db.closure.users([ids["src/a.py"]])) == 1


def test_precise_edges_replace_resolved_ones(db: Database):
    """Where an index covers both files as they are, our calls between them go; imports and sure sums stay."""
    ids = small(db)
    own = [
        link("tests/test_b.py", "src/a.py", "imports"),
        link("tests/test_b.py", "src/a.py", "calls"),
        link("tests/test_b.py:test_b", "src/a.py:A.run", "calls"),
    ]
    add_links(db, "tests/test_b.py", *own)
    precise = link("tests/test_b.py:test_b", "src/a.py:A", "calls", 1.0)

    def settle(*covered: str) -> list[tuple[int, str]]:
        save(db, db.other_sources.cover, covered)
        add_links(db, "tests/test_b.py", *own)
        add_links(db, "tests/test_b.py", precise, source="scip")
        return [(e.to_id, e.source) for e in db.graph.users(list(ids.values()), ["calls"])]

    both = [(ids["src/a.py:A"], "scip"), (ids["src/a.py:A.run"], "ast")]
    assert sorted(settle()) == sorted(both)
    assert sorted(settle("tests/test_b.py")) == sorted(both)  # nothing is known of what it leads to
    assert sorted(settle("src/a.py")) == sorted(both)
    assert settle("src/a.py", "tests/test_b.py") == both[:1]
    assert [e.type for e in db.closure.users([ids["src/a.py"]])] == ["calls,imports"]
    assert db.other_sources.count_from("scip") == 1
    save(db, db.other_sources.uncover, "src/a.py")
    assert db.other_sources.covered() == ["tests/test_b.py"]
    assert db.other_sources.count_from("scip") == 1
    with db.connection.transaction():
        assert db.other_sources.drop_from("scip") == ["tests/test_b.py"]
    assert db.other_sources.count_from("scip") == 0


def test_a_guess_gives_way_to_a_precise_edge_of_its_name(db: Database):
    """It may lead where the index says nothing; one of another name stays."""
    ids = small(db)
    add_file(db, "c.py", [definition("run"), definition("walk")])
    ids |= db.graph.keys(["c.py:run", "c.py:walk"])
    save(db, db.other_sources.cover, ["src/a.py", "tests/test_b.py"])
    add_links(db, "tests/test_b.py", link("tests/test_b.py:test_b", "src/a.py:A.run"), source="scip")
    guesses = [link("tests/test_b.py:test_b", f"c.py:{name}", "calls", 0.4) for name in ("run", "walk")]
    add_links(db, "tests/test_b.py", *guesses)
    found = [(e.to_id, e.source) for e in db.graph.users(list(ids.values()), ["calls"])]
    assert sorted(found) == sorted([(ids["src/a.py:A.run"], "scip"), (ids["c.py:walk"], "ast")])


ASKED = {
    "users": lambda s, ids: s.graph.users(ids, ["calls", "inherits"], 50),
    "users of files": lambda s, ids: s.closure.users(ids, 50),
    "brief": lambda s, ids: s.graph.brief(ids),
    "using names": lambda s, _: s.graph.using(["run"]),
    "places": lambda s, _: s.graph.places("run", "a.py"),
    "in_package": lambda s, _: s.graph.in_package("p"),
    "pointing_at": lambda s, _: s.graph.pointing_at("src/a.py"),
    "near": lambda s, _: s.closure.near(["src/a.py"]),
    "using": lambda s, ids: s.closure.using(ids[0], "run", 50),
    "update": lambda s, ids: s.closure.update(ids),
    "delete": lambda s, _: s.graph.delete_file("src/a.py"),
    "mark_stale": lambda s, _: s.graph.mark_stale(["src/a.py"], 3),
    "put_links": lambda s, _: s.graph.put_links("src/a.py", [link("src/a.py", "tests/test_b.py")], "ast", 1),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_no_question_reads_a_whole_table(ask, db: Database, monkeypatch: pytest.MonkeyPatch):
    """What is asked for each result or each edit goes over indexes; none scans nodes, edges or names."""
    ids = list(small(db).values())
    asked: list[tuple[str, Any]] = []
    for way in ("rows", "row", "execute"):
        kept = getattr(db.connection, way)

        def noted(sql: str, values=(), kept=kept):
            asked.append((sql, values))
            return kept(sql, values)

        monkeypatch.setattr(db.connection, way, noted)
    save(db, ask, db, ids)
    monkeypatch.undo()
    assert asked
    steps = [row for sql, given in asked for row in db.connection.rows(f"EXPLAIN QUERY PLAN {sql}", given)]
    plans = [step[3] for step in steps]
    few = ("VIRTUAL TABLE", "idx_gn_stale")  # what was asked for, and the few files that are stale
    read = [plan for plan in plans if plan.startswith("SCAN ") and not any(word in plan for word in few)]
    made = {f"SCAN {plan.split()[1]}" for plan in plans if plan.startswith(("CO-ROUTINE", "MATERIALIZE"))}
    read = [plan for plan in read if plan not in made]
    assert [plan for plan in read if not plan.startswith(("SCAN (subquery", "SCAN CONSTANT"))] == []


def test_names_are_asked_by_how_they_are_used(db: Database):
    """In one of some ways, and among some files."""
    small(db)
    rows = dict(db.connection.rows("SELECT path, id FROM graph_files"))
    with db.connection.transaction():
        db.graph.set_names(rows["src/a.py"], {"go": 1, "run": 2})
        db.graph.set_names(rows["tests/test_b.py"], {"run": 4, "x": 0})
        db.graph.set_names(rows["src/a.py"], {"go": 1, "run": 6})
    assert db.graph.using(["run"]) == ["src/a.py", "tests/test_b.py"]
    assert db.graph.using(["run"], 2) == ["src/a.py"]
    assert db.graph.using(["run", "x"], among=["tests/test_b.py", "nowhere.py"]) == ["tests/test_b.py"]
    assert db.graph.using(["go"], 2, among=["src/a.py"]) == []


def test_methods_are_overridden_below_certain_bases(db: Database):
    """Also past a class without the method; a guess is no base, a constructor overrides nothing."""
    for path, name in (("a.py", "A"), ("b.py", "B"), ("c.py", "C")):
        kept = ("run", "__init__") if name != "B" else ("__init__",)
        members = [definition(f"{name}.{one}", 2, 2, "method") for one in kept]
        add_file(db, path, [definition(name, 1, 9, "class"), *members])
    add_links(db, "b.py", link("b.py:B", "a.py:A", "inherits"))
    add_links(db, "c.py", link("c.py:C", "b.py:B", "inherits"))
    run, init, last = db.graph.keys(["a.py:A.run", "a.py:A.__init__", "c.py:C.run"]).values()
    assert [edge[:3] for edge in db.graph.overriding(run)] == [(last, run, "overrides")]
    assert [edge[:3] for edge in db.graph.overriding(last, upwards=True)] == [(run, last, "overrides")]
    assert db.graph.overriding(init) == db.graph.overriding(run, upwards=True) == []
    add_links(db, "a.py", link("a.py:A", "c.py:C", "inherits"))
    assert len(db.graph.overriding(run)) == len(db.graph.overriding(run, upwards=True)) == 1
    add_links(db, "b.py", link("b.py:B", "a.py:A", "inherits", GUESS))
    assert db.graph.overriding(run) == []
