"""The map of a project's modules."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from remora import Memory
from remora.core.clock import FixedClock
from remora.core.values import MemoryDraft
from remora.graph.modules import ModuleInfo, files_named, grouping, module_map, module_named
from remora.interfaces import project_pages
from remora.interfaces.draw import plain
from remora.store.layers import UpperEdge, module_key
from tests.graph.projects import db_of, indexed, write
from tests.helpers import NOW, Repo, environment
from tests.store.made_graphs import add_file, definition, link

SHOP = {
    "shop/auth/__init__.py": '"""Who may do what. And more about it."""\n',
    "shop/auth/tokens.py": (
        '"""Tokens."""\nfrom shop.store import db\n\ndef make(user):\n    """Make one."""\n'
        "    return db.save(user)\n\ndef check(token):\n    return db.load(token)\n"
    ),
    "shop/store/__init__.py": "",
    "shop/store/README.md": "# Store\n\nKeeps rows on disk, for later. Nothing else.\n",
    "shop/store/db.py": "def save(row):\n    return row\n\ndef load(key):\n    return key\n",
    "shop/web/routes.py": (
        "from shop.auth.tokens import check, make\nfrom shop.store.db import save\n\n"
        "def login(request):\n    return make(request)\n\ndef page(request):\n    return check(request)\n"
    ),
    "tests/unit/test_tokens.py": (
        "from shop.auth.tokens import make\n\ndef test_make():\n    assert make('ada')\n"
    ),
    "notes/plan.md": "# Plan\n\nA plan of what is to come.\n",
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """The memory of an empty folder."""
    (tmp_path / "shop").mkdir()
    with Memory.open(tmp_path / "shop", environ=environment(tmp_path), clock=FixedClock(NOW)) as found:
        yield found


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Memory]:
    """The memory of a small shop, indexed."""
    with indexed(tmp_path, SHOP) as found:
        yield found


@pytest.fixture(scope="module")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ModuleInfo]:
    """The modules of a small shop by name, in order."""
    with indexed(tmp_path_factory.mktemp("mapped"), SHOP) as found:
        return by_name(found)


def by_name(memory: Memory) -> dict[str, ModuleInfo]:
    """Return the modules by name."""
    return {module.name: module for module in memory.modules()}


def test_modules_are_folders(mapped: dict[str, ModuleInfo]) -> None:
    """Files, lines of code, languages and definitions are counted by folder; most code comes first."""
    assert list(mapped)[-1] == "notes"
    auth = mapped["shop/auth"]
    assert (auth.files, auth.lines, auth.symbols, auth.languages) == (2, 10, 2, ("python",))
    plan = mapped["notes"]
    assert (plan.files, plan.lines, plan.symbols, plan.languages) == (1, 0, 0, ())


def test_dependence_between_modules(mapped: dict[str, ModuleInfo]) -> None:
    """A module depends on those whose files its files use, the strongest first; tests count for theirs."""
    assert (mapped["shop/auth"].tests, mapped["shop/store"].tests) == (1, 0)
    assert mapped["shop/web"].depends_on == ("shop/auth", "shop/store")
    assert mapped["shop/auth"].depends_on == ("shop/store",)
    assert set(mapped["shop/store"].used_by) == {"shop/auth", "shop/web"}
    assert mapped["shop/store"].depends_on == ()


def test_what_a_language_model_said_of_a_module_is_shown(shop: Memory) -> None:
    """What others enter it by, and what else it needs, the surest first; between its own parts nothing."""
    db, group = db_of(shop), grouping(db_of(shop))
    login, auth, web = "shop/web/routes.py:login", module_key("shop/auth"), module_key("shop/web")
    said = [
        UpperEdge(login, auth, "is_entrypoint_for", 1.0, 0.5),
        UpperEdge("shop/web/routes.py", auth, "is_entrypoint_for", 1.0, 0.6),
        UpperEdge(web, module_key("notes"), "depends_logically", 1.0, 0.6),
        UpperEdge(web, login, "depends_logically", 1.0, 0.6),
        UpperEdge(web, "shop/store/db.py:save", "depends_logically", 1.0, 0.7),
    ]
    paths = {name: [file.path for file in files] for name, files in group.files.items()}
    with db.connection.transaction():
        db.layers.place_modules(paths, 1)
        assert db.layers.describe_module("shop/web", paths["shop/web"], said, {"purpose": "p"}, 1) == 5
    modules = by_name(shop)
    assert modules["shop/auth"].entries == ("shop/web/routes.py", login)
    assert (modules["shop/web"].entries, modules["shop/web"].needs) == ((), ("shop/store", "notes"))
    shown = plain(project_pages.modules(shop.modules()))
    assert "entry points of shop/auth: shop/web/routes.py, shop/web/routes.py:login" in shown
    assert "shop/web must change with shop/store, notes" in shown


def test_purpose_comes_from_the_best_source(mapped: dict[str, ModuleInfo]) -> None:
    """The package's own doc says it in one sentence, else nothing does."""
    assert mapped["shop/auth"].purpose == "Who may do what."
    assert mapped["shop/store"].purpose == ""


PURPOSES = {
    # docs of definitions say nothing of their module
    "bill": (
        {
            "a.py": 'def a(x):\n    """Return the invoice of a customer."""\n',
            "b.py": "def send_late_invoice(x):\n    return x\n",
        },
        "",
    ),
    # a notice of copyright is passed over
    "law": (
        {
            "a.go": "// Copyright 2020 The Authors. All rights reserved.\n\npackage law\n\nfunc A() {}\n",
            "b.go": "// Package law writes laws. It does so well.\npackage law\n\nfunc B() {}\n",
        },
        "Package law writes laws.",
    ),
    # and so are encodings, settings of editors and switches of a language
    "coding": ({"count.py": "# -*- coding: utf-8 -*-\ndef count():\n    return 1\n"}, ""),
}


def test_purposes_of_modules(memory: Memory) -> None:
    """A purpose is what a module says of itself, without what is said to programs and lawyers."""
    for name, (files, _) in PURPOSES.items():
        write(memory.root, {f"{name}/{file}": text for file, text in files.items()})
    write(memory.root, {"go.mod": "module example.org/x\n"})
    memory.index()
    modules = by_name(memory)
    assert {name: modules[name].purpose for name in PURPOSES} == {
        name: purpose for name, (_, purpose) in PURPOSES.items()
    }


def test_an_insight_wins(shop: Memory) -> None:
    """A live memory of type module_insight says what a module is for, by its module or by its files."""
    told = shop.remember(
        "Auth issues tokens, and nothing else does. Ask Ada.",
        type="module_insight",
        related_modules=["shop.auth"],
    )
    shop.remember("Web only routes.", type="module_insight", related_files=["shop/web/routes.py"])
    modules = by_name(shop)
    assert modules["shop/auth"].purpose == "Auth issues tokens, and nothing else does."
    assert modules["shop/web"].purpose == "Web only routes."
    shop.forget(told.id)
    assert by_name(shop)["shop/auth"].purpose == "Who may do what."


def test_memories_and_coverage(shop: Memory) -> None:
    """Memories count by file, glob, folder, module and node, each once; forgotten ones do not."""
    shop.remember("Tokens are opaque", type="gotcha", related_files=["shop/auth/tokens.py"])
    shop.remember("All of auth is audited", type="gotcha", related_files=["shop/auth/**", "shop/auth/"])
    shop.remember("Auth is old", type="gotcha", related_modules=["shop/auth", "auth"])
    shop.remember("Saving is slow", type="gotcha", target_node_id="shop/store/db.py:save")
    gone = shop.remember("Rows are never deleted", type="gotcha", related_files=["shop/store/db.py"])
    modules = by_name(shop)
    assert (modules["shop/auth"].memories, modules["shop/auth"].covered) == (3, 1.0)
    assert modules["shop/store"].memories == 2
    assert modules["shop/store"].covered == pytest.approx(1 / 3)
    assert (modules["shop/web"].memories, modules["shop/web"].covered) == (0, 0.0)
    shop.forget(gone.id)
    assert by_name(shop)["shop/store"].memories == 1


def test_hot_files_come_from_git(tmp_path: Path) -> None:
    """The three files that changed most lately are named, most first."""
    repo = Repo(tmp_path / "hot").init()
    for name, often in (("a", 1), ("b", 4), ("c", 2), ("d", 3)):
        for turn in range(often):
            repo.commit(f"{name} {turn}", {f"pkg/core/{name}.py": f"X = {turn}\n"})
    with Memory.open(tmp_path / "hot", environ=environment(tmp_path), clock=FixedClock(NOW)) as memory:
        memory.init()
        memory.index()
        (core,) = memory.modules()
    assert core.hot == ("pkg/core/b.py", "pkg/core/d.py", "pkg/core/c.py")


def test_a_flat_project_is_one_module(memory: Memory) -> None:
    """Files in one folder stay together, however many they are and whichever use each other."""
    assert memory.modules() == []
    write(memory.root, {f"m{n}.py": f"import m{n // 2}\n" for n in range(40)})
    memory.index()
    assert [m.name for m in memory.modules()] == ["."]


def test_the_number_is_bounded(shop: Memory) -> None:
    """Of many modules the largest are returned, in the same order as all."""
    assert module_map(db_of(shop), limit=2) == shop.modules()[:2]


def test_stale_edges_do_not_count(shop: Memory) -> None:
    """What a changed file uses is left out until the file is read again."""
    db = db_of(shop)
    with db.connection.transaction():
        db.graph.mark_stale(["shop/auth/tokens.py"], 1)
    assert by_name(shop)["shop/auth"].depends_on == ()


def test_what_a_memory_means_by_a_module() -> None:
    """Names match exactly, with dots for slashes, or by their last folder where that is unique."""
    names = ["a/core", "b/core", "b/web"]
    assert module_named("b.core", names) == "b/core"
    assert module_named("web/", names) == "b/web"
    assert module_named("core", names) is None
    assert module_named("", names) is None
    assert files_named("a.py", ["a.py"]) == ["a.py"]
    assert files_named("b.py", ["a.py"]) == []


@pytest.mark.slow
def test_a_large_project_is_quick(memory: Memory) -> None:
    """1,500 files with 3,000 definitions, 15,000 edges and 200 memories are mapped in 0.3 s."""
    db = db_of(memory)
    paths = [f"pkg/m{n // 30:02d}/f{n:04d}.py" for n in range(1_500)]
    for path in paths:
        add_file(db, path, [definition(f"f{i}", i, i) for i in range(2)])
    with db.connection.transaction(durable=False):
        for n, path in enumerate(paths):
            links = [link(path, paths[(n * 7 + i * 11) % 1_500], "imports") for i in range(1, 11)]
            db.graph.put_links(path, links, "ast", 1)
    facts = [f"Fact {n} holds for that file number {n}" for n in range(200)]
    memory.remember_many(
        [MemoryDraft(fact, "gotcha", related_files=(paths[n * 3],)) for n, fact in enumerate(facts)]
    )
    times = []
    for _ in range(3):
        started = time.process_time()
        assert len(module_map(db)) == 50
        times.append(time.process_time() - started)
    assert min(times) < 0.3
