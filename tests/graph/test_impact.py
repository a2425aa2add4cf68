"""What a change may break: files and symbols, with the ways, the guesses, and never what is stale.

`corpora/impact.graphs` holds graphs: `@ what is shown` begins one, drawn as files with what they define, an
empty line, and edges; the graph below `@ tree` is that of each that follows and has none. `? target depth
limit` asks, with the answer below it: how far, what, how sure, and the way there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from remora.core.code import EXACT, GUESS, LIKELY, Impact, Link
from remora.core.errors import Conflict, InvalidInput, NotFound
from remora.graph.impact import find, impact
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


GRAPHS = Path(__file__).parent / "corpora" / "impact.graphs"


def with_shop(db: Database) -> Database:
    """Add a small shop: money is used by cart, cart by web, web by main; tests/test_cart.py tests cart."""
    return drawn(db, next(graphs())[1])


def graphs() -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield what each graph shows, its drawing, and the answer to each question."""
    tree = ""
    for section in re.split(r"^@ ", GRAPHS.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        told, *asked = re.split(r"^\? ", section, flags=re.MULTILINE)
        title, _, own = told.partition("\n")
        if title == "tree":
            tree = own.strip()
            continue
        answers = {question: text.strip("\n") for question, _, text in (q.partition("\n") for q in asked)}
        yield title, own.strip() or tree, answers


def drawn(db: Database, text: str) -> Database:
    """Add the files, definitions and edges that a text draws."""
    files, edges = (part.splitlines() for part in text.split("\n\n"))
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


def answer(db: Database, question: str) -> str:
    """Return what a change may break, line by line, with the notes."""
    target, depth, *limit = question.split()
    found = impact(db, target, int(depth), *map(int, limit))
    lines = []
    for i in found.impacts:
        marks = "".join(f" {mark}" for mark, is_so in (("test", i.test), ("guess", i.guess)) if is_so)
        name = f"{i.path}:{i.symbol}" if i.symbol else i.path
        lines += [f"{i.depth} {i.kind} {name} {i.confidence:.4f}{marks}", *(f"    {way}" for way in i.via)]
    lines += [f"note: {note}" for note in found.notes]
    return "\n".join([f"of {found.target.key}", *lines])


@pytest.mark.parametrize(("graph", "asked"), [g[1:] for g in graphs()], ids=[g[0] for g in graphs()])
def test_a_change_may_break_what_is_told(db: Database, graph: str, asked: dict[str, str]):
    """Each question has exactly the answer that stands below it."""
    assert asked
    drawn(db, graph)
    assert {question: answer(db, question) for question in asked} == asked


def reached(impacts: list[Impact]) -> list[tuple[str, int]]:
    """Return (path or path:symbol, depth) of impacts."""
    return [(f"{i.path}:{i.symbol}" if i.symbol else i.path, i.depth) for i in impacts]


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
    assert cut.notes == ("showing the first 20 results; there are more",)
    assert "u007.py" in {i.path for i in cut.impacts}
    whole = impact(db, target, 3, limit=60)
    assert [i.depth for i in whole.impacts] == [1] * 30 + [2] * 30
    assert whole.notes == ()
    assert [bool(impact(db, target, 1, limit=limit).notes) for limit in (29, 30)] == [True, False]
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
    assert not any("there are more" in note for note in found.notes)


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
