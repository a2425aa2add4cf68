"""The code graph as a `Memory` offers it: index, impact, code search, predicted files."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.app.codebase import freshness, impact
from remora.app.codebase import indexing as module
from remora.core.errors import InvalidInput, NotFound, SourceError
from remora.core.reports import IndexReport
from remora.disk.files import lock
from remora.graph import indexer
from remora.retrieval.files import NOTHING_SAID
from tests.graph.scip_bytes import document, index, occurrence
from tests.helpers import FakeEmbedder, Repo

PRICE = 'def price(item):\n    """Return the price of an item."""\n    return item.cents\n'
TOTAL = "def total(items):\n    return sum(price(i) for i in items)\n"
FILES = {
    "shop/__init__.py": "",
    "shop/money.py": f'"""Money."""\n\n\n{PRICE}',
    "shop/cart.py": f"from shop.money import price\n\n\n{TOTAL}",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([]) == 0\n",
    "README.md": "# Shop\n\nSee shop/cart.py.\n",
}


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files below a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")


@pytest.fixture
def shop(bare: Memory) -> Memory:
    """The memory of a small project whose code is indexed, without a model."""
    write(bare.root, FILES)
    bare.index()
    return bare


def test_files_outside_of_the_project_are_refused(shop: Memory, folder: Path, tmp_path: Path):
    """With what is wrong, and before any of the others is read; another folder has a memory of its own."""
    outside = tmp_path / "outside.py"
    outside.write_text("def stranger(): pass\n")
    (tmp_path / "loop").symlink_to("loop")
    for root in (tmp_path, tmp_path / "loop"):
        with pytest.raises(InvalidInput, match="is not in"):
            shop.index(root)
    write(folder, {"shop/cart.py": "def total(items):\n    return 0\n"})
    wrong: list[Any] = ["../outside.py", "shop/../../outside.py", str(outside), "", 3]
    for path in wrong:
        with pytest.raises(InvalidInput) as error:
            shop.index_files(["shop/cart.py", path])
        assert error.value.hint
    (tmp_path / "link").symlink_to(folder)
    paths: list[Any] = ["./shop/../shop/cart.py", folder / "shop/cart.py", f"{tmp_path}/link/shop/cart.py"]
    report = shop.index_files(paths)
    assert (report.read, report.files) == (1, 5)


def test_two_at_once_do_not_disturb_each_other(shop: Memory, folder: Path):
    """The second says that somebody else is at work and changes nothing."""
    write(folder, {"shop/new.py": "def new(): pass\n"})
    with lock(shop._project.location.home / "index"):
        report = shop.index()
    assert not report.complete
    assert report.notes == ("another process is indexing this project; this run does not wait for it",)
    assert shop.index().read == 1


def test_impact_names_what_may_break(shop: Memory, folder: Path):
    """Nearest first, with the way and the tests; memories above the code are no targets."""
    found = shop.impact("shop/money.py:price")
    assert [(i.path, i.symbol, i.depth, i.test) for i in found] == [
        ("shop/cart.py", "total", 1, False),
        ("tests/test_cart.py", "test_total", 2, True),
    ]
    assert found[1].via[0] == "shop/money.py:price <-calls- shop/cart.py:total"
    assert [i.symbol for i in found.tests] == ["test_total"]
    assert [i.path for i in shop.impact("shop/money.py")] == ["shop/cart.py", "tests/test_cart.py"]
    record = shop.remember("Round once", type="pattern", related_files=["shop/money.py"])
    write(folder, {"own.py": OWN})
    assert shop.index().skipped == ()
    with pytest.raises(NotFound):
        shop.impact(f"memory:{record.id}")
    assert "g" in [one.symbol for one in shop.impact("own.py:f")]


# A return type that leads back to its own method ends the chain.
OWN = "class A:\n    def b(self) -> A.b.c: ...\n\n\ndef f(): ...\n\n\ndef g():\n    A().b().d()\n    f()\n"


def test_impact_takes_a_target_by_its_whole_path(shop: Memory, folder: Path):
    """Also over a link; what is outside, or leads nowhere, is not found."""
    assert shop.impact(str(folder / "shop" / "money.py")).target == "shop/money.py"
    (folder.parent / "link").symlink_to(folder)
    assert shop.impact(f"{folder.parent}/link/shop/money.py:price").target == "shop/money.py:price"
    (folder / "loop").symlink_to("loop")
    for nothing in ("nothing", "/etc/passwd", "/", "/\0", str(folder / "loop")):
        with pytest.raises(NotFound):
            shop.impact(nothing)


def test_impact_takes_a_target_as_stack_traces_write_it(bare: Memory, folder: Path):
    """A namespace is the one that the file declares, wherever the file is; a line stands for its file."""
    calculator = "namespace Tidegate.Tariffs;\nclass Calculator {\n  int NightPrice() { return 2; }\n}\n"
    client = "<?php\nnamespace Tidegate\\Web;\nclass Client {\n  function book() { return 1; }\n}\n"
    write(folder, {"src/Calculator.cs": calculator, "lib/Client.php": client})
    bare.index()
    for target, meant in (
        ("Tidegate.Tariffs.Calculator.NightPrice", "src/Calculator.cs:Calculator.NightPrice"),
        ("\\Tidegate\\Web\\Client->book()", "lib/Client.php:Client.book"),
        ("src/Calculator.cs:3", "src/Calculator.cs"),
        ("src/Calculator.cs:3:17", "src/Calculator.cs"),
    ):
        assert bare.impact(target).target == meant
    with pytest.raises(NotFound):
        bare.impact("Other.Tariffs.Calculator")


def test_what_is_remembered_about_a_target_comes_in_order(shop: Memory):
    """What is linked to the node, what names the symbol, then the newest; globs once read."""

    def about(text: str, day: str, *files: str, **more: str) -> str:
        given: dict[str, Any] = {"related_files": files, "type": "gotcha", **more}
        return shop.remember(text, created_at=f"{day}T00:00:00Z", **given).id

    old = about("The currency is kept apart", "2026-01-01", "shop/money.py")
    new = about("Amounts are whole cents", "2026-02-01", "shop/money.py")
    named = about("price never rounds", "2025-01-01", "shop/money.py")
    linked = about("It rounds half up", "2024-01-01", target_node_id="shop/money.py:price")
    folder = about("The shop has no database of its own", "2023-01-01", "shop/", type="decision")
    pattern = about("Money is for the shop alone", "2022-01-01", "shop/*.py", type="pattern")
    about("Tests are slow", "2022-01-01", "tests/*.py", type="pattern")
    assert [m.id for m in shop.impact("price").memories] == [linked, named, new, old, folder]
    shop.index()
    assert {m.id for m in shop.impact("price").memories} == {linked, named, new, old, folder, pattern}
    shop.forget(pattern)
    assert pattern not in {m.id for m in shop.impact("price").memories}


def test_many_changed_files_are_left_out_until_they_are_read(
    shop: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """A switched branch does not make a question wait."""
    monkeypatch.setattr(freshness, "FEW", 0)
    write(folder, {"shop/cart.py": FILES["shop/cart.py"] + "\n# longer\n"})
    found = shop.impact("shop/money.py:price")
    assert list(found) == []
    said = "shop/cart.py changed since the last `remora index` and is not in this answer yet"
    assert found.notes[0] == f"{said}; run it again"
    assert shop.related_files("shop/money.py", 9) == []
    for compares in ("up_to_date", "look_now"):
        monkeypatch.setattr(impact, compares, freshness.notices)
    assert shop.impact("shop/money.py:price").notes[0] == (
        "1 file changed since the last run and is left out until the next `remora index`"
    )


USE = "import { format } from './date'"
COMPONENTS = {
    "src/date.ts": "export function format(day: Date) { return String(day) }\n",
    "src/Card.vue": f"<template>\n<b>{{{{ f() }}}}</b>\n</template>\n<script setup lang='ts'>\n{USE}\n"
    "const f = () => format(new Date())\n</script>\n",
    "src/Day.svelte": f"<script>\n{USE}\nlet day = format(new Date())\n</script>\n<p>{{day}}</p>\n",
    "src/page.astro": f"---\nimport Card from './Card.vue'\n{USE}\nformat(new Date())\n---\n<Card />\n",
    "src/plain.astro": "<p>format('./date')</p>\n<script type='application/ld+json'>format()</script>\n",
    "shop/cart.py": "def total(): pass\n",
    "shop/made.py": "# @generated\ndef made(): pass\n",
    "conf/cart.pkl": "x = 1\n",
}


def test_the_script_of_a_component_is_parsed(repo: Repo, memory: Memory):
    """Of Vue, Svelte and Astro; what is not parsed or left out is said to be."""
    repo.commit("Begin", COMPONENTS)
    memory.init()
    users = [one.path for one in memory.impact("src/date.ts")]
    assert users == ["src/Card.vue", "src/Day.svelte", "src/page.astro"]
    first = memory.impact("format", 1)[0]
    assert (first.path, first.symbol) == ("src/Card.vue", "f")
    assert [one.path for one in memory.impact("src/Card.vue")] == ["src/page.astro"]
    assert memory.impact("src/Card.vue").notes == ()
    for target, why in (
        ("conf/cart.pkl", "is not in the code graph"),
        ("shop/made.py", r"shop/made\.py is left out of the code graph: generated"),
    ):
        with pytest.raises(NotFound, match=why):
            memory.impact(target)


def test_a_project_that_was_never_indexed_says_so(bare: Memory):
    """A cold graph is told, not an empty answer alone."""
    said = "the code is not indexed yet; run `remora index`"
    bare.predict_files("make the cart smaller")
    assert said in bare.notes
    assert bare.search("price", kinds=["code"]) == []
    assert said in bare.notes
    with pytest.raises(NotFound) as error:
        bare.impact("nothing")
    assert "not indexed yet" in error.value.hint


def test_code_is_found_by_words_at_once(shop: Memory):
    """A hit is a definition with its file and lines, apart from memories, and tests below what they test."""
    shop.remember("The price of an item is in cents")
    hit = shop.search("price of an item", kinds=["code"])[0]
    assert (hit.source, hit.path, hit.symbol, hit.start_line) == ("code", "shop/money.py", "price", 4)
    assert hit.text.startswith("def price(item):")
    assert {h.source for h in shop.search("price of an item")} == {"memory"}
    assert {h.path for h in shop.search("total", kinds=["code"], files=["tests/"])} == {"tests/test_cart.py"}
    assert shop.search("total", kinds=["code"], types=["gotcha"]) == []
    paths = [h.path for h in shop.search("total items", kinds=["code"])]
    assert paths.index("shop/cart.py") < paths.index("tests/test_cart.py")
    assert shop.search("test total", kinds=["code"])[0].path == "tests/test_cart.py"


def test_code_gets_vectors_behind_everything_else(able: Memory, folder: Path, embedder: FakeEmbedder):
    """`init` leaves parts of code without vectors; `catch_up` makes them; an edit keeps the others'."""
    write(folder, FILES)
    report = able.init()
    assert report.code is not None
    waiting = able.waiting_chunks()
    assert waiting == report.code.chunks > 0
    able.catch_up()
    assert able.waiting_chunks() == 0
    write(folder, {"shop/cart.py": "import os\n" + FILES["shop/cart.py"]})
    able.index()
    assert able.waiting_chunks() == 1  # the head of the module; the function only moved
    assert able._project.db.vectors.count("chunk", embedder.model_id) == waiting - 1


def test_a_task_is_led_to_its_files(shop: Memory, folder: Path):
    """Words and names speak for a file, and the reasons say so; one that is gone is not named."""
    found = shop.predict_files("price() should round the cents of an item", 3)
    assert found[0].path == "shop/money.py"
    assert any(reason.startswith("defines price") for reason in found[0].why)
    assert all(0.0 <= hit.score <= 1.0 for hit in found)
    assert "tests/test_cart.py" not in {hit.path for hit in found}
    asked = "an empty cart's total is an int"
    for task in (asked, "from shop.cart import (Cart)"):
        assert shop.predict_files(task, 9)[0].path == "shop/cart.py"
    assert "tests/test_cart.py" in {h.path for h in shop.predict_files(asked, 9, tests=True)}
    with pytest.raises(InvalidInput):
        shop.predict_files("   ")
    (folder / "shop/cart.py").unlink()
    assert "shop/cart.py" not in [hit.path for hit in shop.predict_files("total of all items")]
    assert "shop/cart.py changed since" in shop.notes[-1]


def test_a_task_is_led_to_the_files_of_earlier_commits(repo: Repo, memory: Memory):
    """What a commit said leads to what it touched; an example comes after the code, unless it is named."""
    repo.commit("Fix the flux capacitor", {"lib/a.py": "x = 1\n", "lib/b.py": "y = 1\n"})
    repo.commit("Tidy", {"lib/b.py": "y = 2\n"})
    shown = "from lib.sea import level\n\ndef tide_table(harbour):\n    return [level(h) for h in harbour]\n"
    code = "def level(hour):\n    return hour\n"
    repo.commit("Begin", {"lib/sea.py": code, "docs/snippets/table.py": shown})
    memory.init()
    found = memory.predict_files("flux capacitor leaks", 2)
    assert {hit.path for hit in found} == {"lib/a.py", "lib/b.py"}
    assert "Fix the flux capacitor" in found[0].why[0]
    task = "tide_table misses an hour of a harbour"
    paths = [h.path for h in memory.predict_files(task)]
    assert paths[0] == "lib/sea.py"
    assert "docs/snippets/table.py" in paths
    assert memory.predict_files(f"{task}\nSee docs/snippets/table.py")[0].path == "docs/snippets/table.py"


def test_a_task_is_led_to_what_the_branch_has_changed(repo: Repo, memory: Memory):
    """A branch is a piece of work: its files come first among those that are meant, also documents."""
    files = {f"lib/{name}.py": f"def {name}(order):\n    return order\n" for name in ("save", "load", "send")}
    repo.commit("Begin", {**files, "docs/orders.md": "Orders\n"})
    memory.init()
    task = "the order is empty"
    assert [h.path for h in memory.predict_files(task, 2)] == ["lib/load.py", "lib/save.py"]
    repo.git("checkout", "-q", "-b", "sending")
    repo.commit("More", {"lib/send.py": files["lib/send.py"] + "\n", "docs/orders.md": "All orders\n"})
    found = {h.path: h.why[0] for h in memory.predict_files(task, 4)}
    assert next(iter(found)) == "lib/send.py"
    assert found["lib/send.py"] == found["docs/orders.md"] == "changed on this branch (2.00)"
    assert "docs/orders.md" in [h.path for h in memory.predict_files("zzz qqq")]
    assert NOTHING_SAID in memory.notes


@contextmanager
def watched(shop: Memory) -> Iterator[list[IndexReport]]:
    """Watch the files in a block, after the first round; give the rounds."""
    stop, begun = threading.Event(), threading.Event()
    rounds: list[IndexReport] = []

    def said(report: IndexReport) -> None:
        rounds.append(report)
        begun.set()

    thread = threading.Thread(target=shop.watch, args=(stop, said), kwargs={"debounce_ms": 50})
    thread.start()
    try:
        assert begun.wait(10)
        yield rounds
    finally:
        stop.set()
        thread.join(10)
    assert not thread.is_alive()


def test_a_watch_tries_again_when_another_process_is_at_work(
    shop: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """A change is read within a moment, or as soon as the index is free; setting the event ends the watch."""
    monkeypatch.setattr(module, "WAIT", 0.1)
    with watched(shop) as rounds:
        time.sleep(0.3)  # the system's watch begins after the first round
        with lock(shop._project.location.home / "index"):
            write(folder, {"shop/more.py": "def more():\n    return 1\n"})
            time.sleep(0.7)
            assert len(rounds) == 1
        deadline = time.monotonic() + 10
        while len(rounds) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
    assert [report.read for report in rounds[1:]] == [1]


def test_what_a_memory_is_linked_to_stays_with_it(shop: Memory):
    """A duplicate brings its link, an edit changes it, a new memory takes it over; neighbours come up."""
    first = shop.remember("price never rounds", type="gotcha")
    merged = shop.remember("price never rounds", type="gotcha", target_node_id="shop/money.py:price")
    assert (merged.id, merged.target_node_id) == (first.id, "shop/money.py:price")
    edited = shop.edit(first.id, impacted_node_ids=["shop/cart.py:total"])
    assert edited.impacted_node_ids == ("shop/cart.py:total",)
    new = shop.supersede(first.id, "price rounds down")
    assert (new.target_node_id, new.impacted_node_ids) == ("shop/money.py:price", ("shop/cart.py:total",))
    shop.forget(new.id)
    record = shop.remember("Cents are whole numbers", related_files=["shop/money.py"])
    shop.remember("Colours are blue", related_files=["README.md"])
    hit = shop.search("what should I know", recent_files=["shop/cart.py"])[0]
    assert hit.id == record.id
    assert "shop/money.py is linked to shop/cart.py in the code" in str(hit.why[0])


def test_history_follows_a_file_that_comes_back(repo: Repo, memory: Memory):
    """A file that left the graph between two runs has its edges of git again afterwards."""
    for number in range(3):
        repo.commit(f"Change {number}", {"lib/a.py": f"x = {number}\n", "lib/b.py": f"y = {number}\n"})
    memory.init()
    sources = memory._project.db.other_sources
    assert sources.count_from("git") == 2
    (repo.root / "lib/a.py").rename(repo.root / "away")
    memory.index_files(["lib/a.py"])
    assert sources.count_from("git") == 0
    (repo.root / "away").rename(repo.root / "lib/a.py")
    memory.index()
    assert sources.count_from("git") == 2


def test_a_project_that_goes_away_while_it_is_read_comes_back_whole(shop: Memory, folder: Path):
    """A folder that is unmounted, also in the middle of a run, has all its files when it is mounted again."""
    write(folder, {f"shop/m{n}.py": f"def f{n}(): pass\n" for n in range(120)})
    away = folder.with_name("elsewhere")

    def gone(what: str, done: int, of: int) -> None:
        if (what, done < of, folder.is_dir()) == ("reading", True, True):
            folder.rename(away)

    with pytest.raises(SourceError, match="cannot read"):
        shop.index(progress=gone)
    away.rename(folder)
    report = shop.index()
    assert (report.files, report.deleted, report.skipped, report.complete) == (125, 0, (), True)
    assert shop.impact("f119").target == "shop/m119.py:f119"
    folder.rename(away)
    found = shop.impact("shop/money.py:price")
    assert [i.symbol for i in found] == ["total", "test_total"]
    assert found.notes == (f"{folder} does not exist; this is its state at the last `remora index`",)
    for read in (shop.index, lambda: shop.index_files(["shop/cart.py"])):
        with pytest.raises(SourceError, match="cannot read"):
            read()
    away.rename(folder)
    assert (shop.index().unchanged, shop.impact("shop/money.py:price").notes) == (125, ())


def test_a_precise_index_is_preferred(called: Memory, monkeypatch: pytest.MonkeyPatch):
    """Edges of a SCIP index replace what was resolved in the files it covers, and go with it."""
    scip = called.root / "index.scip"
    scip.write_bytes(of_called("a.py", "b.py"))
    for _ in range(2):
        assert called.index().precise == 1
        assert sources(called, "b.py:f", "c.py:h") == ["scip", "ast"]
    scip.write_bytes(of_called(*CALLED))
    report = called.index()
    assert (report.notes, dict(report.left_out)) == ((), {})  # it is used, not left out
    assert sources(called, "b.py:f", "c.py:h") == ["scip", "scip"]
    monkeypatch.setattr(indexer, "VERSION", indexer.VERSION + 1)  # everything is read anew
    assert called.index().precise > 0
    assert sources(called, "b.py:f") == ["scip"]
    scip.unlink()
    assert called.index().precise == 0
    assert sources(called, "b.py:f") == ["ast"]


CALLED = {
    "a.py": "from b import f\nfrom c import h\n\n\ndef main():\n    f()\n    h()\n",
    "b.py": "def f():\n    pass\n",
    "c.py": "def h():\n    pass\n",
}
NAMED_SO = "scip-python python p 1 `{}`/{}()."


def of_called(*paths: str) -> bytes:
    """Return a SCIP index of some of the files whose functions `main` calls."""
    main, f, h = (NAMED_SO.format(*name) for name in (("a", "main"), ("b", "f"), ("c", "h")))
    uses = [occurrence([at, 14, 15], name) for at, name in enumerate((f, h))]
    uses += [occurrence([at, 4, 5], name) for at, name in ((5, f), (6, h))]
    documents = {
        "a.py": document("a.py", [occurrence([4, 4, 8], main, 1), *uses]),
        "b.py": document("b.py", [occurrence([0, 4, 5], f, 1)]),
        "c.py": document("c.py", [occurrence([0, 4, 5], h, 1)]),
    }
    return index(*(documents[path] for path in paths))


def sources(memory: Memory, *targets: str) -> list[str]:
    """Return which source says of each target that `main`, and nobody else, depends on it."""
    found = [[(i.symbol, i.source) for i in memory.impact(target, depth=1)] for target in targets]
    return [source for ((symbol, source),) in found if symbol == "main"]


@pytest.fixture
def called(bare: Memory) -> Memory:
    """The memory of a folder with the files of `CALLED`, not indexed yet."""
    write(bare.root, CALLED)
    return bare


def test_a_precise_index_says_nothing_of_files_that_are_newer(called: Memory):
    """What leads to a file that changed since is what we read ourselves, and the report counts them."""
    scip = called.root / "index.scip"
    scip.write_bytes(of_called(*CALLED))
    later = scip.stat().st_mtime_ns + 10**9
    os.utime(called.root / "b.py", ns=(later, later))
    for _ in range(2):
        assert called.index().notes == ("index.scip is older than 1 file; rebuild it",)
        assert sources(called, "b.py:f", "c.py:h") == ["ast", "scip"]
    os.utime(scip, ns=(later, later))
    report = called.index()
    assert (report.notes, report.precise > 0) == ((), True)


@pytest.mark.parametrize("whole", [True, False])
def test_a_file_that_changes_is_covered_no_longer(called: Memory, whole: bool):
    """What leads to it or from it is what we read ourselves, also after the edit is taken back."""
    scip, h, f = called.root / "index.scip", "c.py:h", "b.py:f"
    scip.write_bytes(of_called(*CALLED))

    def put(path: str, text: str) -> Memory:
        (called.root / path).write_text(text)
        called.index() if whole else called.index_files([path])
        return called

    called.index()
    assert sources(called, h, f) == ["scip", "scip"]
    assert sources(put("b.py", "def ff():\n    pass\n"), h) == ["scip"]
    assert sources(put("b.py", CALLED["b.py"]), h, f) == ["scip", "ast"]
    assert sources(put("a.py", CALLED["a.py"] + "\n\ndef f():\n    pass\n"), h) == ["ast"]
    assert sources(put("a.py", CALLED["a.py"]), h, f) == ["ast", "ast"]
    scip.touch()
    called.index()
    assert sources(called, h, f) == ["scip", "scip"]
    (called.root / "b.py").unlink()
    called.index()
    assert sources(put("b.py", CALLED["b.py"]), h, f) == ["scip", "ast"]


def test_a_memory_follows_its_file(repo: Repo, memory: Memory):
    """Renamed twice, or first moved and then named, a file is known by its new name and its old one."""
    text = "def consume(request):\n    return request\n" * 3
    repo.commit("Begin", {"lib/sink.py": text, "main.py": "from lib.sink import consume\n\nconsume(1)\n"})
    memory.init()
    memory.index()
    told = memory.remember("The sink is called twice per request", related_files=["lib/sink.py"])
    node = memory.remember("Consume must not block", target_node_id="lib/sink.py:consume")
    for old, new in (("lib/sink.py", "lib/pipe.py"), ("lib/pipe.py", "lib/drain.py")):
        (repo.root / old).rename(repo.root / new)
        repo.commit(f"Rename {old}", {"main.py": f"from {new[:-3].replace('/', '.')} import consume\n"})
    late = memory.remember("The sink is slow", related_files=["lib/sink.py"])
    memory.index()
    memory.init()
    later = memory.remember("A sink has no state at all", related_files=["lib/pipe.py"])
    memory.edit(told.id, related_files=["lib/sink.py", "main.py"])
    about = {told.id, late.id, later.id}
    for path in ("lib/drain.py", "lib/sink.py"):
        assert {m.id for m in memory.list(files=[path])} >= about - {later.id}
    assert {m.id for m in memory.impact("lib/drain.py").memories} == about
    assert next(m.id for m in memory.impact("lib/drain.py:consume").memories) == node.id
    assert told.id in {h.id for h in memory.search("state of things", files=["lib/drain.py"])}
    assert memory.show(told.id).related_files == ("lib/sink.py", "main.py")
    assert memory.init().stored == 0


def test_a_file_that_a_task_names_comes_first(repo: Repo, memory: Memory):
    """Code, a test, a document, a script: by its path, or by a name with an ending that one file has."""
    files = {
        "shop/cart.py": "def total(items):\n    return sum(items)\n",
        "shop/run.py": "def crashes(scripts):\n    return scripts\n",
        "tests/unit/test_cart.py": "from shop.cart import total\n\ndef test_total():\n    total([])\n",
        "docs/guide.md": "# Guide\n\nHow to run it.\n",
        "docs/README.md": "# More\n",
        "pyproject.toml": "[project]\nname = 'shop'\n",
        "scripts/run": "echo run\n",
        "README.md": "# Shop\n",
        "a/notes.txt": "one\n",
        "b/notes.txt": "two\n",
        "data.bin": "\0\1\n",
    }
    repo.commit("Begin", files)
    memory.init()
    memory.index()
    (repo.root / "new.cfg").write_text("a = 1\n", "utf-8")
    for task, named in (
        ("bump the version in pyproject.toml", "pyproject.toml"),
        ("unit/test_cart.py: flaky total", "tests/unit/test_cart.py"),
        ("scripts/run crashes", "scripts/run"),
        ("cart totals are wrong\n\nSee `guide.md`.", "docs/guide.md"),
        ("README.md is old", "README.md"),
        ("look at data.bin!", "data.bin"),
        ("set a in new.cfg to 2", "new.cfg"),
    ):
        hit = memory.predict_files(task, 3)[0]
        assert (hit.path, hit.why[0]) == (named, "named in the task (1.00)"), task
    found = memory.predict_files("move total from shop/cart.py to docs/guide.md and README.md")
    assert [h.path for h in found[:3]] == ["shop/cart.py", "docs/guide.md", "README.md"]
    (repo.root / "docs/guide.md").unlink()
    both = {hit.path for hit in memory.predict_files("notes.txt of carts", 3)}
    assert {"a/notes.txt", "b/notes.txt"} <= both  # which one is not said
    for task in (
        "run total and/or crashes",
        "total of ../outside.txt and .git/config and https://x.org/README.md",
        "total of docs/guide.md",  # it is gone
        "cart\n\n```\npyproject.toml\n```",
    ):
        whys = [why for hit in memory.predict_files(task) for why in hit.why]
        assert "named in the task (1.00)" not in whys, task


def test_a_task_that_nothing_speaks_of(able: Memory, folder: Path, embedder: FakeEmbedder):
    """Where no word of it is known, nothing is named, or with a model what is nearest, and a note says so."""
    write(folder, FILES)
    able.index()
    embedder.broken = True
    assert able.predict_files("zzz qqq") == []
    assert NOTHING_SAID not in able.notes
    embedder.broken = False
    able.catch_up()
    assert able.predict_files("zzz qqq")
    assert NOTHING_SAID in able.notes
    assert able.predict_files("zzz total")
    assert NOTHING_SAID not in able.notes
