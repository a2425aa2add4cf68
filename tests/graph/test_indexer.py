"""The graph follows the files, and only what a change touches is read or resolved again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.core.code import Listed
from remora.graph import indexer as module
from remora.graph.file_reader import FileReader
from remora.graph.impact import impact
from remora.graph.indexer import Indexer, Outcome
from remora.store.database import Database
from remora.store.graph import FRESH

Files = Mapping[str, str | bytes]


class World:
    """A project in memory, its graph in a database, and which files each run read."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.files: dict[str, bytes] = {}
        self.read: list[str] = []
        self.refused: dict[str, str] = {}  # files that cannot be had just now, and why
        self.clock = 0

    def put(self, files: Files) -> None:
        """Make the project exactly these files."""
        new = {p: c if isinstance(c, bytes) else c.encode() for p, c in files.items()}
        self.clock += 1
        self.stamps = {p: self.stamps[p] if self.files.get(p) == c else self.clock for p, c in new.items()}
        self.files = new

    stamps: dict[str, int] = {}  # noqa: RUF012  each world sets its own

    def index(self, **how: Any) -> Outcome:
        """Run the indexer over all files."""
        self.read = []

        def read(path: str) -> bytes | str:
            self.read.append(path)
            return self.refused[path] if path in self.refused else self.files.get(path, "gone")

        reader = FileReader(
            read,
            decode=lambda data: data.decode("utf-8", "replace"),
            unwanted=lambda _, data: "generated" if b"@generated" in data else "",
            module_of=lambda path: path.rpartition("/")[0] or ".",
        )
        listed = [Listed(p, len(c), self.stamps[p]) for p, c in sorted(self.files.items())]
        return Indexer(self.db, reader, heat={}).run(listed, now=self.clock, **how)

    def everything(self) -> dict[str, list[Any]]:
        """Return all that the graph holds, without row ids and times."""
        db = self.db.connection
        return {
            "files": db.rows(
                """SELECT path, kind, language, package, test, hash, lines, errors, skipped FROM graph_files
                   ORDER BY path"""
            ),
            "nodes": db.rows(
                """SELECT key, type, label, start_line, end_line, metadata, stale_at FROM graph_nodes
                   ORDER BY key"""
            ),
            "edges": db.rows(
                f"""SELECT a.key, e.type, b.key, e.source, e.files, e.weight, e.confidence, e.line, {FRESH}
                   FROM graph_edges e JOIN graph_nodes a ON a.id = e.from_id
                   JOIN graph_nodes b ON b.id = e.to_id ORDER BY 1, 2, 3, 4"""
            ),
            "closure": db.rows(
                """SELECT a.key, d.key, c.depth, v.key, c.edge_types, c.total_weight, c.confidence, c.source
                   FROM graph_closure c JOIN graph_nodes a ON a.id = c.ancestor_id
                   JOIN graph_nodes d ON d.id = c.descendant_id JOIN graph_nodes v ON v.id = c.via_id
                   ORDER BY 1, 2"""
            ),
            "chunks": db.rows(
                """SELECT f.path, c.kind, c.name, c.start_line, c.end_line, c.text FROM code_chunks c
                   JOIN graph_files f ON f.id = c.file_id ORDER BY 1, 4, 3"""
            ),
            "names": db.rows(
                """SELECT f.path, n.name, n.how FROM graph_names n JOIN graph_files f ON f.id = n.file_id
                   ORDER BY 1, 2"""
            ),
        }

    def is_as_from_nothing(self) -> bool:
        """Return whether a run over the same files with an empty database gives the same graph."""
        with TemporaryDirectory() as folder, world_in(Path(folder)) as fresh:
            fresh.put(self.files)
            fresh.index()
            return self.everything() == fresh.everything()

    def edges(self, kind: str) -> set[tuple[str, str]]:
        """Return the (from, to) keys of the edges of a kind that are not stale."""
        return {(a, b) for a, t, b, *_, fresh in self.everything()["edges"] if t == kind and fresh}


@contextmanager
def world_in(folder: Path) -> Iterator[World]:
    """Give a world with an empty database."""
    db = Database(folder / "memory.db", realm="project", project_id="p")
    try:
        yield World(db)
    finally:
        db.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Give a world with an empty database."""
    with world_in(tmp_path) as made:
        yield made


@pytest.fixture
def shop(world: World) -> World:
    """Give a world with a small shop, indexed."""
    world.put(SHOP)
    world.index()
    return world


SHOP = {
    "shop/__init__.py": "",
    "shop/cart.py": """from shop.money import price


def total(items):
    return sum(price(i) for i in items)
""",
    "shop/money.py": "def price(item):\n    return item.cents / 100\n",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([]) == 0\n",
}


def test_a_first_run_reads_everything(world: World):
    """Files, definitions, edges between them and parts to be found are all there; progress is told."""
    world.put(SHOP)
    said: list[tuple[str, int, int]] = []
    outcome = world.index(progress=lambda *step: said.append(step))
    assert (outcome.read, outcome.resolved, outcome.deleted, outcome.complete) == (4, 4, 0, True)
    assert said == [("reading", 4, 4), ("resolving", 4, 4)]
    assert ("shop/cart.py:total", "shop/money.py:price") in world.edges("calls")
    assert ("shop/cart.py", "shop/money.py") in world.edges("imports")
    assert [(i.path, i.depth) for i in impact(world.db, "shop/money.py").impacts] == [
        ("shop/cart.py", 1),
        ("tests/test_cart.py", 2),
    ]
    parts = """SELECT c.name FROM code_chunks c JOIN graph_files f ON f.id = c.file_id
               WHERE f.path = 'shop/cart.py' ORDER BY c.start_line"""
    assert world.db.connection.column(parts) == ["", "total"]


def test_only_what_changed_is_read_and_only_what_it_touches_resolved(world: World):
    """A second run reads nothing, a new time resolves nothing, an edit of a body or of data one file."""
    files = {**SHOP, "config.json": "{}", "use.py": "import config\n"}
    world.put(files)
    world.index()
    before = world.everything()
    assert (world.index().unchanged, world.read) == (6, [])
    world.stamps["shop/money.py"] += 100
    outcome = world.index()
    assert (outcome.read, outcome.resolved, outcome.unchanged) == (0, 0, 6)
    assert (world.index().unchanged, world.read) == (6, [])
    assert world.everything() == before
    for path, text in (("shop/money.py", "def price(item):\n    return 1\n"), ("config.json", '{"a": 1}')):
        files[path] = text
        world.put(files)
        outcome = world.index()
        assert (outcome.read, outcome.resolved, world.read) == (1, 1, [path])


def test_a_deleted_file_leaves_nothing_behind(shop: World):
    """Its nodes, edges, parts and closure rows go; those who imported it are resolved again."""
    shop.put({p: c for p, c in SHOP.items() if p != "shop/money.py"})
    outcome = shop.index()
    assert (outcome.read, outcome.deleted) == (0, 1)
    assert not [row for rows in shop.everything().values() for row in rows if "shop/money.py" in row]


def test_what_changed_is_stale_before_it_is_read(shop: World):
    """A run that stops before reading has taken the old edges out of every answer."""
    shop.put({**SHOP, "shop/cart.py": "import os\n"})
    outcome = shop.index(stop=lambda: True)
    assert not outcome.complete
    ids = shop.db.graph.keys(["shop/money.py", "shop/money.py:price"])
    assert shop.db.graph.users(list(ids.values()), ("calls", "imports")) == []
    assert shop.db.closure.users([ids["shop/money.py"]]) == []
    shop.index()
    assert shop.edges("imports") == {("tests/test_cart.py", "shop/cart.py")}


@pytest.mark.parametrize("stops", [0, 1, 2, 3])
def test_an_interrupted_run_is_finished_by_the_next(
    world: World, monkeypatch: pytest.MonkeyPatch, stops: int
):
    """Wherever a run ended, the next one leads to the graph of a run from nothing."""
    monkeypatch.setattr(module, "BATCH_FILES", 1)
    world.put(SHOP)
    answers = iter([False] * stops + [True] * 100)
    assert not world.index(stop=lambda: next(answers)).complete
    assert world.index().complete
    assert world.is_as_from_nothing()


@pytest.mark.parametrize("step", ["reading", "resolving"])
def test_what_a_killed_run_had_touched_is_resolved_by_the_next(world: World, step: str):
    """A run that ends without a word loses nothing: who waited for a new name still gets it."""
    world.put({**SHOP, "shop/money.py": "", "shop/old.py": "def price(): pass\n"})
    world.index()

    def killed(what: str, *_: int) -> None:
        if what == step:
            raise KeyboardInterrupt

    world.put(SHOP)
    with pytest.raises(KeyboardInterrupt):
        world.index(progress=killed)
    assert world.index().complete
    assert ("shop/cart.py:total", "shop/money.py:price") in world.edges("calls")
    assert world.is_as_from_nothing()


def test_a_file_that_could_not_be_had_is_tried_again(world: World):
    """Permissions and folders that were away come back without a new time on the file."""
    world.refused = {"shop/money.py": "unreadable", "shop/cart.py": "gone"}
    world.put(SHOP)
    assert {s.why for s in world.index().skipped} == {"unreadable", "gone"}
    assert len(world.index().skipped) == 2
    world.refused = {}
    outcome = world.index()
    assert (outcome.read, outcome.skipped, outcome.complete) == (2, (), True)
    assert world.is_as_from_nothing()


def test_a_file_that_cannot_be_read_is_left_out_with_its_reason(world: World):
    """It is named once; it is looked at again when it changes."""
    world.put({**SHOP, "shop/gen.py": "# @generated\ndef f(): pass\n"})
    outcome = world.index()
    assert [(s.what, s.why) for s in outcome.skipped] == [("shop/gen.py", "generated")]
    assert world.index().skipped == ()
    assert world.db.graph.node("shop/gen.py") is None
    world.put({**SHOP, "shop/gen.py": "def f(): pass\n"})
    world.index()
    assert world.db.graph.node("shop/gen.py:f") is not None


def test_secrets_never_reach_the_database(world: World):
    """A password in the source is taken out of parts, facts and signatures; lines stay in place."""
    world.put(
        {"a.py": 'PASSWORD = "hunter2-Xy7!pq"\n\n\ndef connect(password="hunter2-Xy7!pq"):\n    return 1\n'}
    )
    world.index()
    assert b"hunter2" not in b"".join(p.read_bytes() for p in Path(world.db.connection.path).parent.iterdir())
    lines = "SELECT start_line, end_line FROM graph_nodes WHERE key = 'a.py:connect'"
    assert world.db.connection.row(lines) == (4, 5)


def test_a_new_version_reads_every_file_again(shop: World, monkeypatch: pytest.MonkeyPatch):
    """What an older version read is not trusted."""
    monkeypatch.setattr(module, "VERSION", module.VERSION + 1)
    assert shop.index().read == 4


NAMES = ("alpha", "beta", "gamma")
MODULES = ("one", "two", "three", "pkg/__init__", "pkg/four", "tests/test_one", "tests/conftest", "conftest")


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Draw a small module: imports, functions and classes that use each other's names."""
    lines: list[str] = []
    for other in draw(st.lists(st.sampled_from(MODULES), max_size=3, unique=True)):
        dotted = other.replace("/__init__", "").replace("/", ".")
        kind = draw(st.sampled_from(["import", "from", "star", "alias", "class"]))
        name = draw(st.sampled_from(NAMES))
        lines.append(
            {
                "import": f"import {dotted}",
                "from": f"from {dotted} import {name}",
                "star": f"from {dotted} import *",
                "alias": f"from {dotted} import {name} as {draw(st.sampled_from(NAMES))}",
                "class": f"from {dotted} import {name.title()}",
            }[kind]
        )
    if draw(st.integers(0, 9)) == 9:
        lines.append(f"__all__ = ['{draw(st.sampled_from(NAMES))}']")
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True)):
        base, called = draw(st.sampled_from(NAMES)), draw(st.sampled_from(NAMES))
        lines += draw(
            st.sampled_from(
                [
                    [f"def {name}():", f"    return {called}()"],
                    [f"def {name}() -> {base.title()}:", f"    return {called}()"],
                    [f"class {name}({base}):", f"    def {called}(self):", f"        return self.{base}()"],
                    [f"def {name}():", f"    it = {base}()", f"    return it.{called}()"],
                    ["@fixture", f"def {name}({called}):", f"    return {base.title()}()"],
                    [
                        f"class {name.title()}:",
                        f"    def {called}(self, {base}: {base.title()}):",
                        f"        self.{base} = {base}",
                        f"        self.{base}.{name}()",
                    ],
                    [f"def test_{name}({base}):", f"    it = {base}", f"    it.{called}()"],
                ]
            )
        )
    return "\n".join(lines) + "\n"


data = st.sampled_from(["{}", "[1]"])
projects = st.builds(
    lambda *parts: {path: text for part in parts for path, text in part.items()},
    st.dictionaries(st.sampled_from([f"{m}.py" for m in MODULES]), sources(), max_size=6),
    st.dictionaries(st.sampled_from(["x.json", "pkg/alpha.json", "readme.md"]), data, max_size=2),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(projects, min_size=2, max_size=4))
def test_any_sequence_of_edits_gives_the_graph_of_a_run_from_nothing(
    tmp_path_factory: pytest.TempPathFactory, states: list[dict[str, str]]
):
    """Following the changes or reading everything at the end is the same."""
    with world_in(tmp_path_factory.mktemp("followed")) as followed:
        for state in states:
            followed.put(state)
            followed.index()
        assert followed.is_as_from_nothing()


def test_a_module_that_is_handed_on_shows_a_new_name(world: World):
    """Who reads a name off a module is resolved again, also through a package."""
    files = {
        "helpers.py": "def run(): pass\n",
        "pkg/__init__.py": "from . import tools\n",
        "pkg/tools.py": "def tools(): pass\n",
        "near.py": "from pkg import tools\n\ntools.run()\n",
        "far.py": "import pkg\n\npkg.tools.run()\n",
        "apart.py": "from pkg.tools import tools\nimport run\n\nrun.tools()\ntools()\n",
    }
    world.put(files)
    world.index()
    files["pkg/tools.py"] = "from helpers import run\n\ndef tools(): pass\n"
    world.put(files)
    assert world.index().resolved == 3
    assert {("near.py", "helpers.py:run"), ("far.py", "helpers.py:run")} <= world.edges("calls")
    assert world.is_as_from_nothing()


CART = "class Cart:\n    def total(self): pass\n"
FIXTURE = "from pytest import fixture\n\n@fixture\ndef cart() -> Cart:\n    return Cart()\n"


@pytest.mark.parametrize(
    ("path", "text", "key"),
    [
        ("tests/conftest.py", f"from old.cart import Cart\n{FIXTURE}", "old/cart.py:Cart.total"),
        ("shop/__init__.py", "from old.cart import Cart\n", "old/cart.py:Cart.total"),
        ("tests/unit/conftest.py", f"from old.cart import Cart\n{FIXTURE}", "old/cart.py:Cart.total"),
        ("shop/cart.py", f"{CART}    def more(self): pass\n", "shop/cart.py:Cart.total"),
    ],
)
def test_tests_follow_their_fixtures(world: World, path: str, text: str, key: str):
    """A test finds what its fixture gives, though it imports none of the files on the way there."""
    files = {
        "shop/__init__.py": "from shop.cart import Cart\n",
        "shop/cart.py": CART,
        "old/cart.py": CART,
        "tests/conftest.py": f"from shop import Cart\n{FIXTURE}",
        "tests/unit/test_cart.py": "def test_total(cart):\n    cart.total()\n",
    }
    world.put(files)
    world.index()
    test = "tests/unit/test_cart.py:test_total"
    assert (test, "shop/cart.py:Cart.total") in world.edges("tests")
    world.put({**files, path: text})
    world.index()
    assert {to for by, to in world.edges("tests") if by == test} == {key}
    assert world.is_as_from_nothing()
