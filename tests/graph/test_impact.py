"""What a change may break: files and symbols, with the ways, the guesses, and never what is stale."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remora.core.code import EXACT, GUESS, LIKELY, Impact
from remora.core.errors import Conflict, InvalidInput, NotFound
from remora.graph.impact import POSSIBLE, find, impact
from remora.store.space import Space
from tests.store.made_graphs import add_file, add_links, definition, link


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Space]:
    """A project database without code."""
    found = Space.open(tmp_path / "memory.db", realm="project", project_id="p1")
    yield found
    found.close()


@pytest.fixture
def shop(space: Space) -> Space:
    """A small shop: money is used by cart, cart by web, web by main; tests/test_cart.py tests cart."""
    add_file(
        space,
        "shop/money.py",
        [
            definition("Money", 1, 20, "class"),
            definition("Money.add", 3, 6, "method"),
            definition("Money.show", 8, 9, "method"),
            definition("parse", 22, 25),
        ],
    )
    add_file(
        space,
        "shop/cart.py",
        [definition("Cart", 1, 30, "class"), definition("Cart.total", 3, 6, "method"), definition("load", 32, 40)],
        ["Money", "add"],
    )
    add_file(space, "shop/tax.py", [definition("Tax", 1, 9, "class"), definition("rate", 11, 12)], ["Money"])
    add_file(space, "shop/web.py", [definition("page", 1, 9)], ["Cart"])
    add_file(space, "main.py", [], ["page"])
    add_file(space, "tests/test_cart.py", [definition("test_total", 1, 5, "test"), definition("helper", 7, 9)])
    add_file(space, "pick.py", [], ["show"])
    add_links(
        space,
        "shop/cart.py",
        link("shop/cart.py", "shop/money.py", "imports"),
        link("shop/cart.py", "shop/money.py", "calls"),
        link("shop/cart.py:Cart.total", "shop/money.py:Money.add", "calls", LIKELY),
        link("shop/cart.py:load", "shop/money.py:parse", "calls"),
    )
    add_links(
        space,
        "shop/tax.py",
        link("shop/tax.py", "shop/money.py", "imports"),
        link("shop/tax.py:Tax", "shop/money.py:Money", "inherits"),
        link("shop/tax.py:rate", "shop/tax.py:Tax", "calls"),
    )
    add_links(
        space,
        "shop/web.py",
        link("shop/web.py", "shop/cart.py", "imports"),
        link("shop/web.py:page", "shop/cart.py:Cart.total", "calls"),
        link("shop/web.py:page", "shop/cart.py:load", "calls", GUESS),
    )
    add_links(
        space,
        "main.py",
        link("main.py", "shop/web.py", "imports"),
        link("main.py", "shop/web.py:page", "calls"),
        link("main.py", "shop/web.py", "calls"),
    )
    add_links(
        space,
        "tests/test_cart.py",
        link("tests/test_cart.py", "shop/cart.py", "tests", LIKELY),
        link("tests/test_cart.py:test_total", "shop/cart.py:Cart.total", "tests"),
    )
    add_links(space, "pick.py", link("pick.py", "shop/money.py", "imports"))
    return space


def reached(impacts: list[Impact]) -> list[tuple[str, int]]:
    """Return (path or path:symbol, depth) of impacts."""
    return [(f"{i.path}:{i.symbol}" if i.symbol else i.path, i.depth) for i in impacts]


def test_file_affects_files_to_any_depth(shop: Space):
    """What imports a file is a step away; further ones follow by walking on, with the way that leads there."""
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
        "shop/web.py <-calls- main.py",
    )
    assert main.confidence == pytest.approx(EXACT**3)
    test = found.impacts[4]
    assert (test.test, test.confidence, test.kind) == (True, pytest.approx(EXACT * LIKELY), "file")
    assert (found.notes, found.cut) == ((), False)


@pytest.mark.parametrize(("depth", "count"), [(1, 3), (2, 5), (3, 6), (10, 6)])
def test_depth_of_a_file_is_kept(shop: Space, depth: int, count: int):
    """Nothing further than the depth is listed, and a way that ends is not the limit."""
    found = impact(shop, "shop/money.py", depth)
    assert len(found.impacts) == count
    assert max(i.depth for i in found.impacts) <= depth
    assert not found.cut


def test_symbol_affects_its_callers_and_their_callers(shop: Space):
    """Who calls a method, who calls that, and top-level code as its file; tests are told."""
    found = impact(shop, "shop/money.py:Money.add", depth=5)
    assert reached(found.impacts) == [
        ("shop/cart.py:Cart.total", 1),
        ("shop/web.py:page", 2),
        ("tests/test_cart.py:test_total", 2),
        ("main.py", 3),
    ]
    total, page, test, main = found.impacts
    assert (total.confidence, total.via) == (LIKELY, ("shop/money.py:Money.add <-calls- shop/cart.py:Cart.total",))
    assert (page.test, test.test, test.kind) == (False, True, "test")
    assert (main.symbol, main.kind) == (None, "file")
    assert main.via[1:] == (
        "shop/cart.py:Cart.total <-calls- shop/web.py:page",
        "shop/web.py:page <-calls- main.py",
    )
    assert main.confidence == pytest.approx(LIKELY * EXACT * EXACT)


def test_class_changes_with_everything_in_it(shop: Space):
    """A class affects its subclasses, what uses its members, and what may use it by name."""
    found = impact(shop, "Money", depth=2)
    assert reached(found.impacts) == [
        ("shop/tax.py:Tax", 1),
        ("shop/cart.py:Cart.total", 1),
        ("shop/tax.py:rate", 2),
        ("tests/test_cart.py:test_total", 2),
        ("shop/web.py:page", 2),
    ] or {(k, d) for k, d in reached(found.impacts)} == {
        ("shop/tax.py:Tax", 1),
        ("shop/cart.py:Cart.total", 1),
        ("shop/tax.py:rate", 2),
        ("tests/test_cart.py:test_total", 2),
        ("shop/web.py:page", 2),
    }
