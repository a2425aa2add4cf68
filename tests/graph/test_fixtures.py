"""Fixtures of pytest: what a test takes leads to them, and what they give is known."""

from __future__ import annotations

import pytest

from remora.core.code import EXACT, GUESS_BELOW, LIKELY
from tests.graph.projects import Project, facts_of

APP = {
    "app/__init__.py": "",
    "app/cart.py": """class Cart:
    def total(self): return 1
class Other:
    def total(self): return 2
def make() -> Cart: return Cart()
""",
}
TOTAL, TEST = "app/cart.py:Cart.total", "tests/test_money.py"
HEAD = "import pytest\nfrom pytest import fixture\nfrom app.cart import Cart, Other, make\n"
CART = f"{HEAD}@pytest.fixture\ndef cart():\n    return Cart()\n"
NAMED = f"{HEAD}@pytest.fixture(name='cart')\ndef x():\n    return Cart()\n"
TAKES = "def test_total(cart):\n    assert cart.total() == 1\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("@pytest.fixture\ndef cart(): return Cart()", ("cart", "Cart")),
        ("@pytest.fixture(scope='module', name='cart')\ndef other(): return Cart()", ("cart", "Cart")),
        ("@pytest.fixture()\ndef cart() -> Cart: return unknown()", ("cart", "Cart")),
        ("@pytest.fixture\ndef cart() -> Iterator[Cart]:\n    yield x", ("cart", "Cart")),
        ("@pytest.fixture\ndef cart() -> 'Generator[m.Cart, None, None]':\n    yield x", ("cart", "m.Cart")),
        ("@pytest_asyncio.fixture\nasync def cart(): return await make()", ("cart", "make()")),
        ("@pytest.fixture\ndef cart():\n    c = Cart()\n    c.add(1)\n    return c", ("cart", "Cart")),
        ("@pytest.fixture\ndef cart():\n    with Cart() as c:\n        yield c", ("cart", "Cart")),
        ("@pytest.fixture\ndef cart():\n    if x:\n        return None\n    return Cart()", ("cart", "Cart")),
        ("@pytest.fixture\ndef cart():\n    def f(): return Cart()\n    return f", ("cart", "")),
        ("@pytest.fixture\ndef cart():\n    if x:\n        return Other()\n    return Cart()", ("cart", "")),
        ("@pytest.fixture\ndef cart(): return Cart().items", ("cart", "")),
        ("@pytest.fixture\ndef cart() -> dict[str, Cart]: return {}", ("cart", "")),
        ("@pytest.mark.usefixtures('a')\ndef cart(): return Cart()", ("", "")),
        ("def cart(): return Cart()", ("", "")),
    ],
)
def test_what_a_fixture_gives(source: str, expected: tuple[str, str]) -> None:
    """A fixture has a name for tests and the one type of all that it returns or yields."""
    definition = facts_of(source.encode(), "python").outline.definitions[0]
    assert (definition.fixture, definition.gives) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def test_a(a, b: B, *, c): pass", ["a", "b", "c"]),
        ("class TestA:\n    def test_a(self, a): pass", ["a"]),
        ("@pytest.fixture\ndef one(a): pass", ["a"]),
        ("@pytest.mark.usefixtures('a', \"b\")\nclass TestA: pass", ["a", "b"]),
        ("@pytest.mark.parametrize('a, b', [])\ndef test_a(a, b, c): pass", ["c"]),
        ("@pytest.mark.parametrize(['a'], [], indirect=True)\ndef test_a(a): pass", ["a"]),
        ("class Helper:\n    def test_a(self, a): pass", []),
    ],
)
def test_what_tests_take(source: str, expected: list[str]) -> None:
    """Parameters of tests and fixtures without a default take fixtures, and so do marks."""
    uses = facts_of(source.encode(), "python").uses.references
    assert [row.name for row in uses if row.kind == "fixture"] == expected


@pytest.mark.parametrize("fixture", ["return Cart()", "yield Cart()", "return make()"])
def test_a_test_calls_its_fixture_and_what_that_gives(fixture: str) -> None:
    """The fixture is called for certain, and a method of what it gives is no guess."""
    conftest = f"{HEAD}@pytest.fixture\ndef cart():\n    {fixture}\n"
    project = Project({**APP, "tests/conftest.py": conftest, TEST: TAKES})
    assert project.calls(TEST, "test_total") == {"tests/conftest.py:cart": EXACT, TOTAL: LIKELY}
    assert project.targets(TEST, "tests", "test_total") == {TOTAL: LIKELY}
    assert project.targets(TEST, "calls") == {"tests/conftest.py": EXACT, "app/cart.py": LIKELY}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"conftest.py": CART, "tests/conftest.py": CART}, "tests/conftest.py:cart"),
        ({"tests/conftest.py": CART, TEST: f"{CART}{TAKES}"}, f"{TEST}:cart"),
        ({"tests/conftest.py": "from tests.made import cart\n", "tests/made.py": CART}, "tests/made.py:cart"),
        ({"tests/conftest.py": "from tests.made import *\n", "tests/made.py": CART}, "tests/made.py:cart"),
        ({"tests/made.py": CART}, ""),
        ({"tests/conftest.py": "def cart(): pass\n"}, ""),
        ({"tests/conftest.py": CART.replace("fixture\n", "fixture(name='x')\n")}, ""),
        ({"tests/conftest.py": NAMED}, "tests/conftest.py:x"),
    ],
)  # fmt: skip
def test_the_nearest_fixture_is_taken(files: dict[str, str], expected: str) -> None:
    """A fixture is that of the file, then of the folders above; what none of them has is nobody's."""
    project = Project({**APP, TEST: TAKES, **files})
    sure = {key for key, sure in project.calls(TEST, "test_total").items() if sure > GUESS_BELOW}
    assert sure == ({expected, TOTAL} if expected else set())


CLASSES = f"""{HEAD}from tests.base import Base
@pytest.fixture
def cart(cart): return Other()
@pytest.mark.usefixtures("cart")
class TestOne(Base):
    @pytest.fixture(autouse=True)
    def ready(self, cart, nothing): pass
    def test_a(self, cart): cart.total()
class TestTwo:
    @pytest.fixture
    def cart(self, cart): return Cart()
    def test_c(self, cart): cart.total()
def test_d(cart): cart.total()
def test_e(cart=Cart()): cart.total()
def helper(cart): cart.total()
"""


def test_fixtures_of_classes_come_first() -> None:
    """A class has its own fixtures and those of its bases; one of the same name is the one further out."""
    base = f"{HEAD}class Base:\n    @fixture\n    def cart(self): return Cart()\n"
    files = {**APP, "tests/base.py": base, "tests/conftest.py": CART, TEST: CLASSES}
    project, other = Project(files), "app/cart.py:Other.total"
    calls = {name: set(project.calls(TEST, name)) - {"app/cart.py:Cart", "app/cart.py:Other"} for name in (
        "TestOne", "TestOne.ready", "TestOne.test_a", "TestTwo.cart", "TestTwo.test_c",
        "cart", "test_d", "test_e", "helper")}  # fmt: skip
    assert calls == {
        "TestOne": {"tests/base.py:Base.cart"},
        "TestOne.ready": {"tests/base.py:Base.cart"},
        "TestOne.test_a": {"tests/base.py:Base.cart", TOTAL},
        "TestTwo.cart": {f"{TEST}:cart"},
        "TestTwo.test_c": {f"{TEST}:TestTwo.cart", TOTAL},
        "cart": {"tests/conftest.py:cart"},
        "test_d": {f"{TEST}:cart", other},
        "test_e": set(),
        "helper": set(),
    }


def test_fixtures_are_of_tests_alone() -> None:
    """Outside of tests a parameter is no fixture, whatever the function is called."""
    project = Project({**APP, "conftest.py": CART, "app/use.py": TAKES})
    assert project.calls("app/use.py", "test_total") == {}
