"""The code graph's rows: files, nodes and edges, what is stale, and how reads find their way."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.code import EXACT, GUESS, LIKELY, Definition
from remora.store.graph import Brief
from remora.store.space import Space
from tests.store.made_graphs import add_file, add_links, definition, file, link


def small(space: Space) -> dict[str, int]:
    """Two files: `b.py` calls a method of `a.py`; returns ids by key."""
    add_file(space, "src/a.py", [definition("A", 1, 9, "class"), definition("A.run", 3, 5, "method")], ["x"])
    add_file(space, "tests/test_b.py", [definition("test_b", 1, 4, "test")], ["run", "A"])
    add_links(
        space,
        "tests/test_b.py",
        link("tests/test_b.py", "src/a.py", "imports"),
        link("tests/test_b.py", "src/a.py", "calls"),
        link("tests/test_b.py:test_b", "src/a.py:A.run", "calls", LIKELY, 2),
        link("tests/test_b.py:test_b", "src/a.py:gone", "calls"),
    )
    keys = ["src/a.py", "src/a.py:A", "src/a.py:A.run", "tests/test_b.py", "tests/test_b.py:test_b"]
    return space.graph.keys(keys)


def test_file_is_written_and_read_back(space: Space):
    """A file has the row that was written; reading it again replaces that and asks for its links."""
    assert space.graph.is_empty()
    with space.db.transaction():
        first = space.graph.put_file(file("src/a.py", hash="one"), 5)
        space.graph.linked("src/a.py", 6)
    assert not space.graph.is_empty()
    assert space.graph.unlinked() == []
    with space.db.transaction():
        assert space.graph.put_file(file("src/a.py", hash="two", size=11, package="p"), 7) == first
    row = space.graph.file("src/a.py")
    assert row == (first, "src/a.py", "code", "python", 11, 20, "two", "", False, False)
    assert space.graph.files() == {"src/a.py": row}
    assert space.graph.file("src/b.py") is None
    assert space.graph.unlinked() == ["src/a.py"]


def test_files_are_found_by_place_name_and_package(space: Space):
    """Files are found by folder, base name, last parts and package; those left out are not."""
    with space.db.transaction():
        for path, package in (("a/x.go", "p"), ("a/b/x.go", "p"), ("xx.go", "q"), ("a/y.go", "")):
            space.graph.put_file(file(path, package=package), 1)
        space.graph.put_file(file("a/z.go", skipped="too large", package="p"), 1)
    assert space.graph.in_folder("a") == ["a/x.go", "a/y.go"]
    assert space.graph.in_folder("") == ["xx.go"]
    assert space.graph.called("x.go") == ["a/b/x.go", "a/x.go"]
    assert space.graph.ending("b/x.go") == ["a/b/x.go"]
    assert space.graph.ending("a/x.go") == ["a/x.go"]
    assert space.graph.in_package("p") == ["a/b/x.go", "a/x.go"]
    assert space.graph.in_package("") == []
    assert (space.graph.file_count(), space.graph.broken_count()) == (4, 0)


def test_a_package_is_known_by_what_is_inside_of_it(space: Space):
    """A package is there when a file declares it or one inside of it; signs of names are no signs between."""
    with space.db.transaction():
        for path, package in (("a.java", "com.acme.svc"), ("b.php", "Acme\\Model"), ("c.cs", "Core")):
            space.graph.put_file(file(path, package=package), 1)
        space.graph.put_file(file("d.java", skipped="too large", package="org.gone"), 1)
    asked = ["com", "com.acme", "com.acme.svc", "com.ac", "com.acme.sv", "com.acme.svc.x", "Core", "org", ""]
    assert [name for name in asked if space.graph.packages_in(name, ".")] == [
        "com",
        "com.acme",
        "com.acme.svc",
        "Core",
    ]
    assert [
        name for name in ("Acme", "Acme\\Model", "Model", "com") if space.graph.packages_in(name, "\\")
    ] == [
        "Acme",
        "Acme\\Model",
    ]


def test_facts_of_a_file_that_was_left_out_are_not_given(space: Space):
    """Packed facts come back as they were; a file that is left out has none."""
    with space.db.transaction():
        space.graph.put_file(file("a.py", outline=b"o", uses=b"u"), 1)
        space.graph.put_file(file("b.py", outline=b"o", skipped="too large"), 1)
    assert space.graph.facts("a.py") == (b"o", b"u")
    assert space.graph.facts("b.py") == space.graph.facts("c.py") == (None, None)
    assert list(space.graph.outlines()) == [("a.py", b"o")]


def test_node_that_is_still_there_keeps_its_id(space: Space):
    """A file read again keeps the nodes it still defines, gets new ones, and loses the others."""
    add_file(space, "a.py", [definition("f", 1, 2), definition("g", 3, 4)])
    before = space.graph.keys(["a.py", "a.py:f", "a.py:g"])
    changed = Definition("g", "g", "function", 5, 9, 6, signature="def g(x)", doc="Do.\nMore.", bases=("B",))
    add_file(space, "a.py", [changed, definition("h", 10, 11)])
    after = space.graph.keys(["a.py", "a.py:f", "a.py:g", "a.py:h"])
    assert (after["a.py"], after["a.py:g"]) == (before["a.py"], before["a.py:g"])
    assert set(after) == {"a.py", "a.py:g", "a.py:h"}
    node = space.graph.node("a.py:g")
    assert node is not None
    assert (node.type, node.label, node.path, node.symbol) == ("function", "g", "a.py", "g")
    assert (node.start_line, node.end_line) == (5, 9)
    assert node.metadata == {"signature": "def g(x)", "doc": "Do.", "line": 6, "bases": ["B"]}
    assert space.graph.definitions_of("a.py") == {"a.py:g": "g", "a.py:h": "h"}


def test_file_node_has_no_symbol(space: Space):
    """The node of a file stands for the whole of it; a file of data is a configuration."""
    add_file(space, "a.py")
    with space.db.transaction():
        space.graph.put_file(file("c.toml", kind="data", lines=0), 1)
        space.graph.put_nodes(file("c.toml", kind="data", lines=0), (), 1)
    node, config = space.graph.node("a.py"), space.graph.node("c.toml")
    assert node is not None
    assert config is not None
    assert (node.symbol, node.type, node.label, node.end_line) == (None, "file", "a.py", 30)
    assert (config.type, config.start_line, config.end_line) == ("config", 1, 1)


def test_places_are_found_by_name_and_path(space: Space):
    """The definitions of a name come by path and line, all or so many, or those of files that end so."""
    add_file(
        space, "x/a.py", [definition("z.run", 9, 9), definition("run", 12, 12), definition("run#2", 3, 3)]
    )
    add_file(space, "x/a.py.py", [definition("run")])
    add_file(space, "run", [definition("walk")])
    add_file(space, "x/told.js", [definition("run", kind="test")._replace(sentence=True)])
    found = [("x/a.py", "run#2"), ("x/a.py", "z.run"), ("x/a.py", "run"), ("x/a.py.py", "run")]
    assert space.graph.places("run") == found
    assert space.graph.places("run", limit=2) == found[:2]
    assert space.graph.places("run", "a.py") == found[:3]
    assert space.graph.places("run", "x/a.py.py") == found[3:]
    assert space.graph.places("run", ".py") == []
    assert space.graph.places("run", sentences=True) == [*found, ("x/told.js", "run")]


def test_inside_gives_members_and_twins(space: Space):
    """Inside a class are its members at any depth and those of its twins; not what only begins alike."""
    names = ["A", "A.f", "A.f.g", "A#2", "A#2.h", "AB", "AB.i", "B"]
    add_file(space, "a.py", [definition(name, at, at) for at, name in enumerate(names, 1)])
    add_file(space, "a.py2", [definition("A")])
    one, whole = space.graph.node("a.py:A"), space.graph.node("a.py")
    assert one is not None
    assert whole is not None
    keys = [f"a.py:{name}" for name in names]
    assert list(space.graph.inside(one).values()) == keys[1:5]
    assert list(space.graph.inside(whole).values()) == keys


def test_links_become_edges_between_known_nodes(space: Space):
    """Links to what is unknown are dropped; edges between two files are told from those between parts."""
    ids = small(space)
    users = space.graph.users(list(ids.values()), ["calls", "imports"])
    assert [(e.from_id, e.to_id, e.type, e.confidence, e.weight) for e in users] == [
        (ids["tests/test_b.py:test_b"], ids["src/a.py:A.run"], "calls", LIKELY, 2.0)
    ]
    assert [(e.type, e.to_id) for e in space.closure.users([ids["src/a.py"]])] == [
        ("calls,imports", ids["src/a.py"])
    ]
    assert space.graph.counts() == (5, 3, 0)
    add_links(space, "tests/test_b.py")
    assert space.graph.counts() == (5, 0, 0)


def test_users_come_surest_first_and_no_more_than_wanted(space: Space):
    """Users come in the order of what they use, then the surest, then the heaviest."""
    add_file(space, "a.py", [definition("f"), definition("g")])
    names = [definition(name) for name in "hijk"]
    add_file(space, "b.py", names)
    add_links(
        space,
        "b.py",
        link("b.py:h", "a.py:f", "calls", GUESS),
        link("b.py:i", "a.py:f", "calls", EXACT, 1),
        link("b.py:j", "a.py:f", "calls", EXACT, 5),
        link("b.py:k", "a.py:f", "documents"),
        link("b.py:h", "a.py:g", "inherits"),
    )
    ids = space.graph.keys(["a.py:f", "a.py:g", *(f"b.py:{d.name}" for d in names)])
    key = {i: k for k, i in ids.items()}
    kinds = ("calls", "inherits")
    found = [
        [key[e.from_id] for e in space.graph.users([ids["a.py:g"], ids["a.py:f"]], kinds, limit)]
        for limit in (-1, 2)
    ]
    assert found == [["b.py:h", "b.py:j", "b.py:i", "b.py:h"], ["b.py:h", "b.py:j"]]


def test_brief_says_what_a_list_needs(space: Space):
    """A list of nodes says what and where they are, and which are tests."""
    ids = small(space)
    found = space.graph.brief([*ids.values(), 999])
    assert found[ids["src/a.py:A.run"]] == Brief("src/a.py:A.run", "method", "src/a.py", "A.run", test=False)
    assert found[ids["tests/test_b.py"]] == Brief(
        "tests/test_b.py", "file", "tests/test_b.py", None, test=True
    )
    assert set(found) == set(ids.values())


def test_edges_of_a_changed_file_are_stale_at_once(space: Space):
    """A changed file's edges leave every answer; edges that lead to it stay; a touch brings them back."""
    ids = small(space)
    with space.db.transaction():
        space.graph.mark_stale(["tests/test_b.py", "nowhere.py"], 9)
    row = space.graph.file("tests/test_b.py")
    assert row is not None
    assert row.stale
    assert space.graph.users(list(ids.values()), ["calls"]) == []
    assert space.closure.users(list(ids.values())) == []
    assert space.graph.stamps(["tests/test_b.py", "src/a.py"]) == {"src/a.py": (10, 20)}
    assert space.graph.counts()[2] == 3
    with space.db.transaction():
        space.graph.mark_stale(["src/a.py"], 9)
        space.graph.touch("tests/test_b.py", 12, 13)
    assert len(space.graph.users(list(ids.values()), ["calls"])) == 1
    assert space.graph.stamps(["tests/test_b.py"]) == {"tests/test_b.py": (12, 13)}


def test_links_of_a_file_that_changed_meanwhile_are_stale(space: Space):
    """Names resolved from what a file said before its last change do not count as fresh."""
    ids = small(space)
    with space.db.transaction():
        space.graph.mark_stale(["tests/test_b.py"], 9)
        new = link("tests/test_b.py", "src/a.py", "imports")
        space.graph.put_links("tests/test_b.py", [new], "ast", 10)
        space.graph.linked("tests/test_b.py", 10)
    assert space.closure.users([ids["src/a.py"]]) == []


def test_edges_of_other_sources_come_back_when_a_file_is_read(space: Space):
    """What others say of a file holds again once the changed file is read and linked."""
    small(space)
    add_links(space, "src/a.py", link("src/a.py", "tests/test_b.py", "co_change"), source="git")
    with space.db.transaction():
        space.graph.mark_stale(["src/a.py"], 9)
    assert space.graph.counts()[2] == 1
    add_file(space, "src/a.py")
    assert space.graph.counts()[2] == 1
    add_links(space, "src/a.py")
    assert space.graph.counts()[2] == 0


def test_deleted_file_leaves_nothing_behind(space: Space):
    """With a file go its nodes, its names and the edges at either end."""
    small(space)
    assert space.graph.pointing_at("src/a.py") == ["tests/test_b.py"]
    assert space.graph.using(["run"]) == ["tests/test_b.py"]
    with space.db.transaction():
        space.graph.delete_file("src/a.py")
    assert space.graph.counts() == (2, 0, 0)
    assert space.graph.node("src/a.py:A") is None
    assert space.db.value("SELECT count(*) FROM graph_closure") == 0
    with space.db.transaction():
        space.graph.delete_file("tests/test_b.py")
    assert space.graph.using(["run", "x"]) == []
    assert space.db.check() == []


def test_precise_edges_replace_resolved_ones(space: Space):
    """Where an index covers both files as they are, our calls between them go; imports and sure sums stay."""
    ids = small(space)
    own = [
        link("tests/test_b.py", "src/a.py", "imports"),
        link("tests/test_b.py", "src/a.py", "calls"),
        link("tests/test_b.py:test_b", "src/a.py:A.run", "calls"),
    ]
    add_links(space, "tests/test_b.py", *own)
    precise = link("tests/test_b.py:test_b", "src/a.py:A", "calls", 1.0)

    def settle(*covered: str) -> list[tuple[int, str]]:
        with space.db.transaction():
            space.other_sources.cover(dict.fromkeys(covered, ("h", b"x")))
        add_links(space, "tests/test_b.py", *own)
        add_links(space, "tests/test_b.py", precise, source="scip")
        return [(e.to_id, e.source) for e in space.graph.users(list(ids.values()), ["calls"])]

    both = [(ids["src/a.py:A"], "scip"), (ids["src/a.py:A.run"], "ast")]
    assert sorted(settle()) == sorted(both)
    assert sorted(settle("tests/test_b.py")) == sorted(both)  # nothing is known of what it leads to
    assert sorted(settle("src/a.py")) == sorted(both)
    assert settle("src/a.py", "tests/test_b.py") == both[:1]
    assert [e.type for e in space.closure.users([ids["src/a.py"]])] == ["calls,imports"]
    assert space.other_sources.count_from("scip") == 1
    with space.db.transaction():
        space.graph.put_file(file("src/a.py", hash="other"), 3)
    assert not space.other_sources.covers("src/a.py", "other")
    assert space.other_sources.links_of("src/a.py") is None
    assert space.other_sources.links_of("tests/test_b.py") == b"x"
    assert space.other_sources.covered() == ["src/a.py", "tests/test_b.py"]
    with space.db.transaction():
        assert space.other_sources.drop_from("scip") == ["tests/test_b.py"]
    assert space.other_sources.count_from("scip") == 0


def test_a_guess_gives_way_to_a_precise_edge_of_its_name(space: Space):
    """It may lead where the index says nothing; one of another name stays."""
    ids = small(space)
    add_file(space, "c.py", [definition("run"), definition("walk")])
    ids |= space.graph.keys(["c.py:run", "c.py:walk"])
    with space.db.transaction():
        space.other_sources.cover(dict.fromkeys(("src/a.py", "tests/test_b.py"), ("h", b"x")))
    add_links(space, "tests/test_b.py", link("tests/test_b.py:test_b", "src/a.py:A.run"), source="scip")
    guesses = [link("tests/test_b.py:test_b", f"c.py:{name}", "calls", 0.4) for name in ("run", "walk")]
    add_links(space, "tests/test_b.py", *guesses)
    found = [(e.to_id, e.source) for e in space.graph.users(list(ids.values()), ["calls"])]
    assert sorted(found) == sorted([(ids["src/a.py:A.run"], "scip"), (ids["c.py:walk"], "ast")])


def test_unlinking_asks_for_links_again(space: Space):
    """Files can be asked for one by one or all together; those left out never."""
    small(space)
    with space.db.transaction():
        space.graph.put_file(file("z.py", skipped="binary"), 1)
        space.graph.linked("src/a.py", 1)
    assert space.graph.unlinked() == []
    with space.db.transaction():
        space.graph.unlink(["src/a.py", "nowhere.py"])
    assert space.graph.unlinked() == ["src/a.py"]
    with space.db.transaction():
        space.graph.unlink_all()
    assert space.graph.unlinked() == ["src/a.py", "tests/test_b.py"]


def test_state_is_that_of_the_last_run(space: Space):
    """A run leaves its time, commit and counts; clearing forgets everything."""
    assert space.graph.state() is None
    small(space)
    with space.db.transaction():
        space.graph.set_state(now=8, commit="abc", version=2, roots="{}")
    assert space.graph.state() == (8, "abc", 5, 3, 0, 2, "{}")
    with space.db.transaction():
        space.graph.clear()
    assert space.graph.state() is None
    assert space.graph.counts() == (0, 0, 0)
    assert space.graph.is_empty()
    assert space.db.value("SELECT count(*) FROM graph_names") == 0


ASKED = [
    ("users", lambda s, ids: s.graph.users(ids, ["calls", "inherits"], 50)),
    ("users of files", lambda s, ids: s.closure.users(ids, 50)),
    ("brief", lambda s, ids: s.graph.brief(ids)),
    ("using names", lambda s, _: s.graph.using(["run"])),
    ("places", lambda s, _: s.graph.places("run", "a.py")),
    ("in_package", lambda s, _: s.graph.in_package("p")),
    ("packages_in", lambda s, _: s.graph.packages_in("p", ".")),
    ("pointing_at", lambda s, _: s.graph.pointing_at("src/a.py")),
    ("dependents", lambda s, ids: s.closure.dependents(ids[0], 2, 50)),
    ("near", lambda s, _: s.closure.near(["src/a.py"])),
    ("using", lambda s, ids: s.closure.using(ids[0], "run", 50)),
    ("differing", lambda s, ids: s.closure.differing(ids[0])),
    ("around", lambda s, ids: s.closure.around(ids[0])),
    ("delete", lambda s, _: s.graph.delete_file("src/a.py")),
    ("mark_stale", lambda s, _: s.graph.mark_stale(["src/a.py"], 3)),
    (
        "put_links",
        lambda s, _: s.graph.put_links("src/a.py", [link("src/a.py", "tests/test_b.py")], "ast", 1),
    ),
]


@pytest.mark.parametrize(("name", "ask"), ASKED, ids=[name for name, _ in ASKED])
def test_no_question_reads_a_whole_table(name: str, ask, space: Space, monkeypatch: pytest.MonkeyPatch):
    """What is asked for each result or each edit goes over indexes; none scans nodes, edges or names."""
    ids = list(small(space).values())
    asked: list[tuple[str, Any]] = []
    for way in ("rows", "row", "execute"):
        kept = getattr(space.db, way)

        def noted(sql: str, values=(), kept=kept):
            asked.append((sql, values))
            return kept(sql, values)

        monkeypatch.setattr(space.db, way, noted)
    with space.db.transaction():
        ask(space, ids)
    monkeypatch.undo()
    assert asked
    plans = [row[3] for sql, values in asked for row in space.db.rows(f"EXPLAIN QUERY PLAN {sql}", values)]
    few = ("VIRTUAL TABLE", "idx_gn_stale")  # what was asked for, and the few files that are stale
    read = [plan for plan in plans if plan.startswith("SCAN ") and not any(word in plan for word in few)]
    made = {f"SCAN {plan.split()[1]}" for plan in plans if plan.startswith(("CO-ROUTINE", "MATERIALIZE"))}
    read = [plan for plan in read if plan not in made]
    assert [plan for plan in read if not plan.startswith(("SCAN (subquery", "SCAN CONSTANT"))] == []


def test_damaged_chunk_index_is_found_by_the_check(space: Space):
    """The check counts parts whose words are missing from the index, and words of parts that are gone."""
    with space.db.transaction():
        space.db.execute("INSERT INTO code_chunks_fts(rowid, text) VALUES (7, 'lost')")
    assert space.db.check() == ["code_chunks_fts and code_chunks differ in 1 rows"]


def test_text_of_any_kind_survives(space: Space):
    """Paths and names of any script, with quotes and percent signs, are found as they are."""
    path = "src/größe %'\"/文件.py"
    add_file(space, path, [definition("Käse.数", 2, 3)], ["数"])
    assert space.graph.places("数") == [(path, "Käse.数")]
    assert space.graph.using(["数"]) == [path]
    assert space.graph.ending("文件.py") == [path]


def test_names_are_asked_by_how_they_are_used(space: Space):
    """In one of some ways, and among some files; what is written again is only what differs."""
    small(space)
    rows = {path: row.id for path, row in space.graph.files().items()}
    with space.db.transaction():
        space.graph.set_names(rows["src/a.py"], {"go": 1, "run": 2})
        space.graph.set_names(rows["tests/test_b.py"], {"run": 4, "x": 0})
        space.graph.set_names(rows["src/a.py"], {"go": 1, "run": 6})
    assert space.graph.using(["run"]) == ["src/a.py", "tests/test_b.py"]
    assert space.graph.using(["run"], 2) == ["src/a.py"]
    assert space.graph.using(["run", "x"], among=["tests/test_b.py", "nowhere.py"]) == ["tests/test_b.py"]
    assert space.graph.using(["go"], 2, among=["src/a.py"]) == []


def test_an_edit_writes_what_differs(space: Space):
    """Edges and nodes that only moved keep all else; those that stay are not touched."""
    small(space)
    path = "tests/test_b.py"
    first = link(path, "src/a.py", "imports")
    with space.db.transaction():
        space.graph.put_links(path, [first, link(path, "src/a.py:A", "calls")], "ast", 10)
        space.graph.put_links(path, [first, link(path, "src/a.py:A", "calls")._replace(line=9)], "ast", 11)
    sql = (
        "SELECT type, line, updated_at FROM graph_edges WHERE source = 'ast' AND updated_at >= 10 ORDER BY 1"
    )
    assert space.db.rows(sql) == [("calls", 9, 11)]


def test_a_mark_stays_until_names_are_resolved(space: Space):
    """A file that was read, and is the same at the next look, may have edges of the text before."""
    ids = small(space)
    with space.db.transaction():
        space.graph.mark_stale(["tests/test_b.py"], 9)
        space.graph.unlink(["tests/test_b.py"])
        space.graph.touch("tests/test_b.py", 12, 13)
    assert space.graph.users(list(ids.values()), ["calls"]) == []
    with space.db.transaction():
        space.graph.linked("tests/test_b.py", 10)
    assert len(space.graph.users(list(ids.values()), ["calls"])) == 1
