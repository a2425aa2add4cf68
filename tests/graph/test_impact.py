"""What a change may break: files and symbols, with the ways, the guesses, and never what is stale."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from remora.core.code import EXACT, GUESS, LIKELY, Impact, Link
from remora.core.errors import Conflict, InvalidInput, NotFound
from remora.graph.impact import POSSIBLE, find, impact
from remora.store.database import Database
from tests.store.made_graphs import add_file, add_links, definition, file, link
from tests.tables import table


@contextmanager
def database(folder: Path) -> Iterator[Database]:
    """Open a project database without code."""
    found = Database(folder / "memory.db", realm="project", project_id="p1")
    try:
        yield found
    finally:
        found.close()


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A project database without code."""
    with database(tmp_path) as found:
        yield found


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A small shop, read only."""
    with database(tmp_path_factory.mktemp("shop")) as found:
        yield with_shop(found)


@pytest.fixture
def own_shop(db: Database) -> Database:
    """A small shop to be changed."""
    return with_shop(db)


SHOP = """
shop/money.py Money@1-20:class Money.add@3-6:method Money.show@8-9:method parse@22-25
shop/cart.py Cart@1-30:class Cart.total@3-6:method load@32-40 uses:Money,add
shop/tax.py Tax@1-9:class rate@11-12 uses:Money
shop/web.py page@1-9 uses:Cart
main.py uses:page
tests/test_cart.py test_total@1-5:test helper@7-9
pick.py uses:show

shop/cart.py -imports-> shop/money.py
shop/cart.py -calls-> shop/money.py
shop/cart.py:Cart.total -calls-> shop/money.py:Money.add likely
shop/cart.py:load -calls-> shop/money.py:parse
shop/tax.py -imports-> shop/money.py
shop/tax.py:Tax -inherits-> shop/money.py:Money
shop/tax.py:rate -calls-> shop/tax.py:Tax
shop/web.py -imports-> shop/cart.py
shop/web.py:page -calls-> shop/cart.py:Cart.total
shop/web.py:page -calls-> shop/cart.py:load guess
main.py -imports-> shop/web.py
main.py -calls-> shop/web.py:page
main.py -calls-> shop/web.py
tests/test_cart.py -tests-> shop/cart.py likely
tests/test_cart.py:test_total -tests-> shop/cart.py:Cart.total
pick.py -imports-> shop/money.py
"""


def with_shop(db: Database) -> Database:
    """Add a small shop: money is used by cart, cart by web, web by main; tests/test_cart.py tests cart."""
    return drawn(db, SHOP)


def drawn(db: Database, text: str) -> Database:
    """Add the files, definitions and edges that a text draws."""
    files, edges = (part.splitlines() for part in text.strip().split("\n\n"))
    for line in files:
        path, *words = line.split()
        used = [name for word in words if word.startswith("uses:") for name in word[5:].split(",")]
        defined = [re.split("[@:-]", word) for word in words if not word.startswith("uses:")]
        add_file(db, path, [definition(name, int(a), int(b), *kind) for name, a, b, *kind in defined], used)
    links: dict[str, list[Link]] = {}
    for line in edges:
        start, kind, end, *sure = line.split()
        confidence = {"likely": LIKELY, "guess": GUESS}.get("".join(sure), EXACT)
        links.setdefault(start.partition(":")[0], []).append(link(start, end, kind[1:-2], confidence))
    for path, of_path in links.items():
        add_links(db, path, *of_path)
    return db


def reached(impacts: list[Impact]) -> list[tuple[str, int]]:
    """Return (path or path:symbol, depth) of impacts."""
    return [(f"{i.path}:{i.symbol}" if i.symbol else i.path, i.depth) for i in impacts]


def test_file_affects_files_to_any_depth(shop: Database):
    """What imports a file is a step away; further ones follow by walking on, each with its way."""
    found = impact(shop, "shop/money.py", depth=3)
    assert found.target.key == "shop/money.py"
    assert reached(found.impacts) == [
        ("pick.py", 1),
        ("shop/cart.py", 1),
        ("shop/tax.py", 1),
        ("shop/web.py", 2),
        ("tests/test_cart.py", 2),
        ("main.py", 3),
    ]
    main = found.impacts[-1]
    assert main.via == (
        "shop/money.py <-calls,imports- shop/cart.py",
        "shop/cart.py <-imports- shop/web.py",
        "shop/web.py <-calls,imports- main.py",
    )
    assert main.confidence == pytest.approx(EXACT**3)
    test = found.impacts[4]
    assert (test.test, test.kind) == (True, "file")
    assert test.confidence == pytest.approx(EXACT * LIKELY)
    assert (found.notes, found.cut) == ((), False)
    assert [len(impact(shop, "shop/money.py", depth).impacts) for depth in (1, 2, 10)] == [3, 5, 6]


def test_symbol_affects_its_callers_and_their_callers(shop: Database):
    """Who calls a method, who calls that, and top-level code as its file; tests are told."""
    found = impact(shop, "shop/money.py:Money.add", depth=5)
    assert reached(found.impacts) == [
        ("shop/cart.py:Cart.total", 1),
        ("shop/web.py:page", 2),
        ("tests/test_cart.py:test_total", 2),
        ("main.py", 3),
    ]
    assert [(i.test, i.kind) for i in found.impacts[1:]] == [
        (False, "function"),
        (True, "test"),
        (False, "file"),
    ]
    main = found.impacts[-1]
    assert main.via == (
        "shop/money.py:Money.add <-calls- shop/cart.py:Cart.total",
        "shop/cart.py:Cart.total <-calls- shop/web.py:page",
        "shop/web.py:page <-calls- main.py",
    )
    assert main.symbol is None
    assert main.confidence == pytest.approx(LIKELY * EXACT * EXACT)


def test_class_changes_with_everything_in_it(shop: Database):
    """A class affects its subclasses, what uses its members, and what may use it by name."""
    found = impact(shop, "Money", depth=2)
    assert reached(found.impacts) == [
        ("shop/tax.py:Tax", 1),
        ("shop/cart.py:Cart.total", 1),
        ("shop/tax.py:rate", 2),
        ("shop/web.py:page", 2),
        ("tests/test_cart.py:test_total", 2),
    ]
    assert found.impacts[0].via == ("shop/money.py:Money <-inherits- shop/tax.py:Tax",)


def test_top_level_code_does_not_stand_for_the_rest_of_its_file(own_shop: Database):
    """That a file's top level calls a symbol says nothing about who uses other things of that file."""
    add_file(own_shop, "run.py")
    add_links(own_shop, "run.py", link("run.py", "main.py", "imports"), link("run.py", "main.py", "calls"))
    assert reached(impact(own_shop, "page", 5).impacts) == [("main.py", 1)]
    assert reached(impact(own_shop, "shop/web.py", 5).impacts) == [("main.py", 1), ("run.py", 2)]


def test_guess_is_told_as_one(shop: Database):
    """A call that was not resolved for certain makes a guess of what it leads to, and a note."""
    found = impact(shop, "load", depth=1)
    (page,) = found.impacts
    assert (page.symbol, page.confidence, page.guess) == ("page", GUESS, True)
    assert found.notes == ("1 result depends on a call that could not be resolved with certainty",)
    assert impact(shop, "load", depth=2).notes == (
        "2 results depend on calls that could not be resolved with certainty",
    )
    assert impact(shop, "Cart.total", depth=1).notes == ()


def test_surest_way_of_the_shortest_counts(db: Database):
    """Of several ways as short the one with the most confidence is shown."""
    add_file(db, "a.py", [definition("f")])
    add_file(db, "b.py", [definition("g"), definition("h")])
    add_file(db, "c.py", [definition("i")])
    to_f = (link("b.py:g", "a.py:f", "calls", GUESS), link("b.py:h", "a.py:f", "calls", EXACT))
    add_links(db, "b.py", *to_f)
    add_links(db, "c.py", link("c.py:i", "b.py:g", "calls", 1.0), link("c.py:i", "b.py:h", "calls", LIKELY))
    (last,) = (i for i in impact(db, "f").impacts if i.depth == 2)
    assert last.via[-1] == "b.py:h <-calls- c.py:i"
    assert last.confidence == pytest.approx(EXACT * LIKELY)


def test_possible_use_is_named_at_the_first_step(shop: Database):
    """A file that imports the target's and uses its name unresolved is listed, as a guess with the reason."""
    found = impact(shop, "Money.show")
    way = "shop/money.py:Money.show <-imports shop/money.py and uses the name show- pick.py"
    assert found.impacts == [Impact("pick.py", None, 1, (way,), POSSIBLE)]
    assert found.impacts[0].guess
    assert len(found.notes) == 1
    assert "shop/tax.py" not in {i.path for i in impact(shop, "parse").impacts}


def test_changed_file_is_never_in_an_answer(own_shop: Database):
    """From the moment a file is known to have changed, no way leads from it or over it."""
    with own_shop.connection.transaction():
        own_shop.graph.mark_stale(["shop/cart.py"], 5)
    assert reached(impact(own_shop, "shop/money.py", 5).impacts) == [("pick.py", 1), ("shop/tax.py", 1)]
    assert impact(own_shop, "Money.add", 5).impacts == []
    assert reached(impact(own_shop, "Cart.total", 1).impacts) == [
        ("shop/web.py:page", 1),
        ("tests/test_cart.py:test_total", 1),
    ]
    with own_shop.connection.transaction():
        own_shop.graph.mark_stale(["pick.py"], 5)
    assert impact(own_shop, "Money.show").impacts == []


def test_walk_in_circles_ends(db: Database):
    """Things that use each other are listed once, and the target never."""
    for path in ("a.py", "b.py", "c.py"):
        add_file(db, path, [definition("f")])
    for path, other in (("a.py", "b.py"), ("b.py", "c.py"), ("c.py", "a.py")):
        add_links(db, path, link(path, other, "imports"), link(f"{path}:f", f"{other}:f"))
    assert reached(impact(db, "a.py", 10).impacts) == [("c.py", 1), ("b.py", 2)]
    assert reached(impact(db, "a.py:f", 10).impacts) == [("c.py:f", 1), ("b.py:f", 2)]


def hub(db: Database, users: int) -> None:
    """A file and a function in it that many files use, each used by one more."""
    add_file(db, "hub.py", [definition("hub")])
    for number in range(users):
        for path, other in ((f"u{number:03}.py", "hub.py"), (f"v{number:03}.py", f"u{number:03}.py")):
            add_file(db, path, [definition("use")])
            target = "hub.py:hub" if other == "hub.py" else f"{other}:use"
            imports = link(path, other, "imports", EXACT, 1 + (number == 7))
            add_links(db, path, imports, link(f"{path}:use", target, "calls", EXACT - number / 1000))


@pytest.mark.parametrize("target", ["hub.py", "hub.py:hub"])
def test_limit_keeps_the_nearest_and_says_so(db: Database, target: str):
    """What more than the limit depends on is answered with the nearest and surest, and a note."""
    hub(db, 30)
    cut = impact(db, target, 3, limit=20)
    assert [i.depth for i in cut.impacts] == [1] * 20
    assert (cut.cut, cut.notes) == (True, ("showing the first 20 results; there are more",))
    assert "u007.py" in {i.path for i in cut.impacts}
    some = impact(db, target, 3, limit=40)
    assert ([i.depth for i in some.impacts], some.cut) == ([1] * 30 + [2] * 10, True)
    whole = impact(db, target, 3, limit=60)
    assert [i.depth for i in whole.impacts] == [1] * 30 + [2] * 30
    assert (whole.cut, whole.notes) == (False, ())
    assert [impact(db, target, 1, limit=limit).cut for limit in (29, 30)] == [True, False]
    if target == "hub.py:hub":
        surest = [i.path for i in impact(db, target, 2, limit=5).impacts]
        assert surest == [f"u{number:03}.py" for number in range(5)]


def test_many_edges_from_the_same_place_are_not_taken_for_many_users(db: Database):
    """A first look that is full of one caller's edges does not hide the others."""
    add_file(db, "a.py", [definition("A", 1, 999, "class")])
    members = [definition(f"A.m{number}", number, number, "method") for number in range(1, 31)]
    add_file(db, "a.py", [definition("A", 1, 999, "class"), *members])
    add_file(db, "b.py", [definition("f"), definition("g")])
    every = [link("b.py:f", f"a.py:{member.qualname}") for member in members]
    more = [link("b.py:f", f"a.py:{member.qualname}", "tests") for member in members]
    add_links(db, "b.py", *every, *more, link("b.py:g", "a.py:A.m30", "calls", GUESS))
    found = impact(db, "A", 1, limit=2)
    assert reached(found.impacts) == [("b.py:f", 1), ("b.py:g", 1)]
    assert not found.cut


def test_twins_belong_to_the_target(db: Database):
    """Overloads and setters carry a number; a change of the name is a change of all of them."""
    add_file(db, "a.py", [definition("A.x", 1, 2), definition("A.x#2", 3, 4)])
    add_file(db, "b.py", [definition("f"), definition("g")])
    add_links(db, "b.py", link("b.py:f", "a.py:A.x"), link("b.py:g", "a.py:A.x#2"))
    assert reached(impact(db, "A.x").impacts) == [("b.py:f", 1), ("b.py:g", 1)]
    assert reached(impact(db, "A.x#2").impacts) == [("b.py:g", 1)]


@pytest.mark.parametrize(("target", "key"), table(__file__, "targets"))
def test_target_is_found_by_what_people_write(shop: Database, target: str, key: str):
    """Paths, qualified and bare names, `::`, and dotted modules all name the one thing they can mean."""
    assert find(shop.graph, target)[0].key == key


@pytest.mark.parametrize(
    "target", ["shop/money.py:nothing", "other.py:add", "oney.add", "Cart.add", "ney.py", ":"]
)
def test_unknown_target_is_refused(shop: Database, target: str):
    """What is not in the graph is not found, and the hint says how it may be asked for."""
    with pytest.raises(NotFound, match="is not in the code graph") as caught:
        find(shop.graph, target)
    assert "remora index" in caught.value.hint


def test_ambiguous_target_names_what_it_may_be(own_shop: Database):
    """A name that several things have is not guessed at: the error lists them by full name."""
    for number in range(60):
        add_file(own_shop, f"x/m{number:02}.py", [definition("add"), definition(f"A{number}.add", 2, 3)])
    add_file(own_shop, "other/cart.py")
    names = ", ".join(f"x/m{number:02}.py:add" for number in range(6))
    with pytest.raises(Conflict, match=f"'add' is ambiguous: {names} or [0-9]+ others"):
        find(own_shop.graph, "add")
    with pytest.raises(Conflict, match=r"is ambiguous: other/cart\.py, shop/cart\.py"):
        find(own_shop.graph, "cart.py")
    told = {"m03.py:add": "x/m03.py:add", "m03.add": "x/m03.py:add", "A59.add": "x/m59.py:A59.add"}
    assert {target: find(own_shop.graph, target)[0].key for target in told} == told


def test_bare_name_is_the_most_visible_definition(db: Database):
    """Top level, then members, then what a function holds, then tests; the others are named in a note."""
    add_file(db, "a.py", [definition("echo", 1, 2)])
    add_file(db, "b.py", [definition("B", 1, 9, "class"), definition("B.echo", 2, 3, "method")])
    add_file(db, "c.py", [definition("f", 1, 9), definition("f.echo", 2, 3), definition("f.say", 4, 5)])
    add_file(db, "n.cs", [definition("N", 1, 9, "module"), definition("N.only", 2, 3)])
    add_file(db, "echo/f.py")
    add_file(db, "tests/test_a.py", [definition("test_f", 1, 9, "test"), definition("test_f.echo", 2, 3)])
    add_file(db, "tests/help.py", [definition("say", 2, 3), definition("only", 2, 3)])
    spoken = [definition(name, 1, 9, "test")._replace(sentence=True) for name in ("echo", "echo.reads")]
    add_file(db, "x.test.js", spoken)
    found = impact(db, "echo")
    assert found.target.key == "a.py:echo"
    others = "b.py:B.echo, c.py:f.echo, tests/test_a.py:test_f.echo"
    assert found.notes[0] == f"'echo' may also mean {others}"
    assert find(db.graph, "say") == (db.graph.node("c.py:f.say"), "'say' may also mean tests/help.py:say")
    meant = {"only": "n.cs:N.only", "reads": "x.test.js:echo.reads", "x.test.js:echo": "x.test.js:echo"}
    assert {target: find(db.graph, target)[0].key for target in meant} == meant
    assert find(db.graph, "echo/")[0].key == "echo/"
    assert impact(db, "a.py:echo").notes == found.notes[1:]


@pytest.mark.parametrize(
    ("target", "depth", "limit"),
    [("", 3, 9), (" \n", 3, 9), ("()", 3, 9), ("main.py", 0, 9), ("main.py", 11, 9), ("main.py", 3, 0)],
)
def test_bad_request_is_refused(shop: Database, target: str, depth: int, limit: int):
    """An empty target, a depth out of range and a limit below one are errors of the caller."""
    with pytest.raises(InvalidInput):
        impact(shop, target, depth, limit)


@pytest.mark.parametrize("target", ["hub.py", "hub"])
def test_answer_asks_the_database_a_bounded_number_of_times(
    db: Database, monkeypatch: pytest.MonkeyPatch, target: str
):
    """Two hundred results cost a handful of queries and not one each."""
    hub(db, 60)
    asked: list[str] = []
    kept = db.connection.rows

    def rows(sql: str, values: Any = ()) -> Any:
        asked.append(sql)
        return kept(sql, values)

    monkeypatch.setattr(db.connection, "rows", rows)
    assert len(impact(db, target, 10).impacts) == 120
    assert len(asked) <= 20


def test_a_folder_is_asked_about_as_all_its_files(shop: Database):
    """What is in it is no answer; what is outside is, with the way from a file in it."""
    for name in ("shop", "shop/", "./shop/"):
        found = impact(shop, name)
        assert found.target.key == "shop/"
        assert reached(found.impacts) == [("main.py", 1), ("pick.py", 1), ("tests/test_cart.py", 1)]
        assert found.notes == ("shop/ is a folder: these are the outside dependents of the 4 files in it",)
    assert found.impacts[1].via == ("shop/money.py <-imports- pick.py",)
    assert [i.path for i in impact(shop, "shop", limit=1).impacts] == ["main.py"]
    with pytest.raises(NotFound):
        impact(shop, "sho")


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        ("shop/cart.py:parse", "shop/money.py:parse"),
        ("shop/cart.py:laod", "shop/cart.py:load"),
        ("web/cart.py", "shop/cart.py"),
        ("old/web.py:page", "shop/web.py:page"),
        ("Mony", "shop/money.py:Money"),
    ],
)
def test_what_is_nearly_called_so_is_named(shop: Database, target: str, meant: str):
    """A name that was moved, or written wrong, is told where it is."""
    with pytest.raises(NotFound) as caught:
        find(shop.graph, target)
    assert caught.value.hint.startswith(f"Did you mean {meant}")


def test_where_not_all_fits_code_comes_before_tests(db: Database):
    """At each distance: a limit never leaves tests alone where code depends on the target, too."""
    add_file(db, "a.py", [definition("f")])
    for n in range(4):
        add_file(db, f"tests/t{n}.py", [definition(f"test_{n}", 1, 2, "test")])
        add_links(db, f"tests/t{n}.py", link(f"tests/t{n}.py:test_{n}", "a.py:f", "calls", EXACT))
    add_file(db, "b.py", [definition("g")])
    add_links(db, "b.py", link("b.py:g", "a.py:f", "calls", LIKELY))
    found = impact(db, "f", limit=2)
    assert reached(found.impacts) == [("tests/t0.py:test_0", 1), ("b.py:g", 1)]
    assert found.notes == ("showing the first 2 results; there are more",)


SERVICES = """
api.py Service@1-5:interface Service.place@2-3:method Base@7-20:class Base.__init__@8-9:method \
Base.place@10-11:method Base.twice@12-13:method
done.py Middle@1-3:class Whole@5-20:class Whole.__init__@6-7:method Whole.place@8-9:method \
Whole.place#2@10-11:method Other@22-30:class Other.place@23-24:method Other.again@25-26:method
helper.py save@1-3
web.py post@1-1 direct@1-1
tests/test_api.py test_place@1-5:test

api.py:Base -implements-> api.py:Service
api.py:Base.twice -calls-> api.py:Base.place
done.py:Middle -inherits-> api.py:Base
done.py:Whole -inherits-> done.py:Middle
done.py:Whole.__init__ -calls-> api.py:Base.__init__
done.py:Whole.place -calls-> helper.py:save
done.py:Other -inherits-> api.py:Base
done.py:Other.again -calls-> api.py:Base.place likely
web.py:post -calls-> api.py:Service.place likely
web.py:direct -calls-> done.py:Whole.place likely
tests/test_api.py:test_place -tests-> api.py:Service.place
"""


@pytest.fixture
def services(db: Database) -> Database:
    """An interface with an abstract and two whole classes; a caller of each, and a helper that one uses."""
    return drawn(db, SERVICES)


def test_a_method_changes_those_that_override_it(services: Database):
    """Each is a step away from the one it overrides; of an interface it is an implementation."""
    found = impact(services, "Service.place")
    assert reached(found.impacts) == [
        ("api.py:Base.place", 1),
        ("tests/test_api.py:test_place", 1),
        ("web.py:post", 1),
        ("api.py:Base.twice", 2),
        ("done.py:Other.place", 2),
        ("done.py:Whole.place", 2),
        ("done.py:Whole.place#2", 2),
        ("done.py:Other.again", 2),
        ("web.py:direct", 3),
    ]
    ways = {i.symbol: i.via[-1] for i in found.impacts}
    assert ways["Base.place"] == "api.py:Service.place <-implements- api.py:Base.place"
    assert ways["Whole.place"] == "api.py:Base.place <-overrides- done.py:Whole.place"
    assert not any(i.guess for i in found.impacts)
    assert reached(impact(services, "Base.__init__").impacts) == [("done.py:Whole.__init__", 1)]


def test_who_calls_a_base_may_call_what_overrides_it(services: Database):
    """That is a guess one step farther than a caller, for tests too; `super` elsewhere means its own."""
    found = impact(services, "Whole.place")
    assert reached(found.impacts) == [
        ("web.py:direct", 1),
        ("api.py:Base.twice", 2),
        ("tests/test_api.py:test_place", 2),
        ("web.py:post", 2),
    ]
    assert [i.guess for i in found.impacts] == [False, True, True, True]
    assert found.impacts[1].via == ("done.py:Whole.place <-calls it through Base- api.py:Base.twice",)
    assert found.impacts[2].via == (
        "done.py:Whole.place <-tests it through Service- tests/test_api.py:test_place",
    )
    assert found.impacts[3].confidence == pytest.approx(EXACT * GUESS)
    assert reached(impact(services, "Whole.place", 1).impacts) == [("web.py:direct", 1)]
    assert ("web.py:post", 3) in reached(impact(services, "helper.py:save").impacts)
    assert ("web.py:post", 2) in reached(impact(services, "done.py:Whole").impacts)


def test_a_caller_does_not_break_what_overrides_it(services: Database):
    """Whose behaviour changes with what it calls has the same form as before."""
    add_file(services, "low.py", [definition("low")])
    add_links(services, "api.py", link("api.py:Base.place", "low.py:low", "calls"))
    add_links(services, "done.py", link("done.py:Other", "api.py:Base", "inherits"))
    assert reached(impact(services, "low").impacts) == [("api.py:Base.place", 1)]


def test_a_language_that_is_not_parsed_is_no_proof_that_nothing_depends(db: Database) -> None:
    """Of a file that is read as text the answer says that its users are not known; of others it does not."""
    add_file(db, "shop/tax.py")
    with db.connection.transaction():
        db.graph.put_file(file("lib/stage.ex")._replace(language="elixir"), 1)
        db.graph.put_nodes(file("lib/stage.ex"), [], 1)
    (note,) = impact(db, "lib/stage.ex").notes
    assert note.startswith(
        "elixir is read as text, not parsed: the users of lib/stage.ex in code are unknown"
    )
    assert impact(db, "shop/tax.py").notes == ()
