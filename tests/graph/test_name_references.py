"""What names a definition without a call: found in the text, as a guess, and what is none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from remora import Memory
from remora.graph import name_references
from remora.graph.impact import POSSIBLE
from tests.graph.projects import indexed

FILES = {
    "lib/keys.py": '''"""key_of and on_click."""

__all__ = ["key_of"]


def key_of(x):
    """The key_of an entry."""
    return x[0]


def on_click(e):
    # on_click is called late
    return e


def alone(e):
    return e


class Cart:
    @property
    def total(self):
        return 1

    def show(self):
        return self.total

    def wire(self, bus):
        bus.on(self.handler)

    def handler(self, e):
        return e


TABLE = {"a": on_click}
''',
    "lib/__init__.py": "from lib.keys import Cart, key_of\n",
    "web/a.py": """from lib import Cart, key_of


def order(xs):
    return sorted(xs, key=key_of)


def price(c: Cart) -> float:
    return c.total * 2


def other(total=3):
    total = 5
    return total


def call():
    return key_of([1])
""",
    "web/c.py": "from lib import key_of\n\n\ndef pick(xs):\n    return max(xs, key=key_of)\n",
    "web/own.py": """from lib.keys import TABLE


class Bill:
    def total(self):
        return 2


def on_click(e):
    return TABLE


def bind(b, bill: Bill):
    b.on(on_click)
    return bill.total()
""",
    "far.py": "def sort(xs, key_of):\n    return key_of, xs.total\n",
    "web/routes.js": """import { handler } from './pages';
router.get('/', handler);
export function setup(r) { r.get('/', handler); }
""",
    "web/pages.js": "export function handler(req) { return 1; }\n",
    "shop/Shop.java": """package shop;
public class Shop {
    private int price() { return 1; }
    public Object late() { return map(this::price); }
    public int now(int price) { return price; }
}
""",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """The memory of files that name each other's definitions; read only."""
    with indexed(tmp_path_factory.mktemp("references"), FILES) as found:
        yield found


def named(memory: Memory, target: str) -> set[str]:
    """Return what only names a target."""
    found = [i for i in memory.impact(target) if "<-names it-" in i.via[-1]]
    assert all((i.depth, i.confidence, i.guess) == (1, POSSIBLE, True) for i in found)
    return {f"{i.path}:{i.symbol}" if i.symbol else i.path for i in found}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("lib/keys.py:key_of", {"web/a.py:order", "web/c.py:pick", "lib/keys.py"}),
        ("lib/keys.py:on_click", {"lib/keys.py"}),
        ("lib/keys.py:Cart", {"web/a.py:price"}),
        ("lib/keys.py:Cart.total", {"lib/keys.py:Cart.show", "web/a.py:price"}),
        ("lib/keys.py:Cart.handler", {"lib/keys.py:Cart.wire"}),
        ("web/pages.js:handler", {"web/routes.js:setup"}),
        ("web/own.py:on_click", {"web/own.py:bind"}),
        ("web/own.py:Bill.total", set()),
        ("lib/keys.py:alone", set()),
    ],
)
def test_what_names_a_definition(memory: Memory, target: str, expected: set[str]):
    """Reads, values and types count, over a re-export too; comments, other definitions and calls do not."""
    assert named(memory, target) == expected


def test_a_name_is_looked_for_where_it_can_be_seen(memory: Memory):
    """A file that imports the definition's from nowhere is not asked, whatever it says."""
    assert not {key for key in named(memory, "lib/keys.py:key_of") if key.startswith("far.py")}


def test_an_empty_answer_says_what_was_not_looked_at(memory: Memory):
    """Only calls, imports and bases are followed, and a name that is everywhere is not looked for."""
    found = memory.impact("lib/keys.py:alone")
    assert list(found) == []
    (note,) = found.notes
    assert "only calls, imports and bases are followed" in note
    assert "references to alone were searched by name in lib/keys.py" in note


def test_a_common_name_only_gives_a_note(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    """What stands in too many parts of the code says nothing."""
    monkeypatch.setattr(name_references, "MOST", 1)
    found = memory.impact("lib/keys.py:key_of")
    assert named(memory, "lib/keys.py:key_of") == set()
    assert any("key_of is too common a name" in note for note in found.notes)
