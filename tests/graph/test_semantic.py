"""What a language model is asked about a module, and what of its answer is believed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.graph import semantic
from remora.graph.modules import grouping
from remora.graph.semantic import Answer, checked, digests, prompt
from remora.store.layers import UpperEdge
from tests.graph.projects import db_of, indexed
from tests.helpers import SECRET

KNOWN = {"a/x.py", "a/x.py:run", "b/y.py", "b/y.py:read", "module:a/", "module:b/"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """The memory of two modules, indexed."""
    files = {
        "web/routes.py": (
            '"""Routes."""\nfrom core.tokens import make\n\ndef login(request: str) -> str:\n'
            '    """Let a user in."""\n    return make(request)\n'
        ),
        "core/tokens.py": 'def make(user):\n    """Make a token.\n\n    Hidden."""\n    return 1\n',
        "core/test_tokens.py": "from core.tokens import make\n\ndef test_make():\n    assert make(1)\n",
    }
    with indexed(tmp_path, files) as found:
        yield found


def asked(memory: Memory, name: str, limit: int = semantic.PROMPT_CHARS) -> str:
    """Return the outline that a model would see of a module."""
    db = db_of(memory)
    system, user = prompt(db, grouping(db), name, limit)
    assert (system.role, user.role) == ("system", "user")
    assert len(system.content) + len(user.content) <= limit
    return user.content


def of(answer: dict[str, Any]) -> Answer:
    """Return what is believed of an answer about module a."""
    return checked(
        {"purpose": "", "edges": [], **answer},
        inside=lambda key: key == "module:a/" or key.startswith("a/"),
        existing=KNOWN.intersection,
    )


def edge(kind: str, start: str, end: str, **more: object) -> dict[str, object]:
    """Return an edge as a model writes it."""
    return {"type": kind, "from": start, "to": end, **more}


def test_the_outline(memory: Memory) -> None:
    """A model sees files, definitions with signature and first line of doc, and edges to other modules."""
    assert asked(memory, "core").splitlines() == [
        "module module:core/ has 2 files",
        "is used by module:web/ (web/routes.py -> core/tokens.py)",
        "",
        "core/tokens.py (python, 5 lines)",
        "  core/tokens.py:make [function] def make(user) - Make a token.",
        "core/test_tokens.py (python, 4 lines, test)",
        "  core/test_tokens.py:test_make [test] def test_make()",
    ]
    assert "depends on module:core/ (web/routes.py -> core/tokens.py)" in asked(memory, "web")


def test_the_outline_is_bounded(memory: Memory) -> None:
    """What does not fit is left out by whole lines."""
    whole = asked(memory, "core").splitlines()
    short = asked(memory, "core", limit=len(semantic._TASK) + 100).splitlines()
    assert 0 < len(short) < len(whole)
    assert short == whole[: len(short)]


def test_long_lines_are_cut(memory: Memory) -> None:
    """A signature of any length takes one line of bounded length."""
    arguments = ", ".join(f"argument_{n}=None" for n in range(100))
    (memory.root / "core" / "wide.py").write_text(f"def wide({arguments}):\n    return 1\n", "utf-8")
    memory.index()
    assert max(len(line) for line in asked(memory, "core").splitlines()) <= semantic.LINE_CHARS + 2


def test_no_secret_leaves(memory: Memory) -> None:
    """A secret in a default value is taken out, wherever it stands."""
    text = f'def connect(token="{SECRET}"):\n    """Use {SECRET}."""\n    return token\n'
    (memory.root / "core" / "net.py").write_text(text, "utf-8")
    memory.index()
    seen = asked(memory, "core")
    assert "core/net.py:connect" in seen
    assert SECRET not in seen
    assert SECRET[:12] not in seen


def test_a_digest_follows_the_outline(memory: Memory) -> None:
    """A body may change; a signature, a new definition or a new file changes its module's digest alone."""
    db = db_of(memory)

    def now() -> dict[str, str]:
        memory.index()
        return digests(db, grouping(db))

    before = now()
    tokens = memory.root / "core" / "tokens.py"
    text = tokens.read_text("utf-8")
    tokens.write_text(text.replace("return 1", "return 2 + 3"), "utf-8")
    assert now() == before
    for change in (text.replace("(user)", "(user, key)"), text + "\ndef other():\n    return 1\n"):
        tokens.write_text(change, "utf-8")
        assert {name for name, digest in now().items() if digest != before[name]} == {"core"}
    tokens.write_text(text, "utf-8")
    assert now() == before
    (memory.root / "web" / "more.py").write_text("", "utf-8")
    assert {name for name, digest in now().items() if digest != before[name]} == {"web"}


def test_edges_that_are_kept() -> None:
    """Edges between what exists are kept, the surest first; confidence is capped, weights are shares."""
    found = of(
        {
            "purpose": "Runs  things. Does more.",
            "edges": [
                edge("flows_to", "a/x.py:run", "b/y.py:read", confidence=0.99, weight=0.5),
                edge("is_entrypoint_for", "a/x.py", "module:a"),
                edge("depends_logically", "module:a/", "module:b/", confidence=0.2),
            ],
        }
    )
    assert found == Answer(
        "Runs things.",
        (
            UpperEdge("a/x.py:run", "b/y.py:read", "flows_to", 0.5, 0.7),
            UpperEdge("a/x.py", "module:a/", "is_entrypoint_for", 1.0, 0.5),
            UpperEdge("module:a/", "module:b/", "depends_logically", 1.0, 0.2),
        ),
        0,
    )


@pytest.mark.parametrize(
    "bad",
    [
        edge("calls", "a/x.py", "b/y.py"),
        edge("flows_to", "a/x.py", "c/z.py"),
        edge("flows_to", "b/y.py", "a/x.py"),
        edge("flows_to", "a/x.py", "a/x.py"),
        edge("flows_to", "a/x.py", "b/y.py", confidence=2),
        edge("flows_to", "a/x.py", "b/y.py", weight=float("nan")),
        edge("flows_to", "a/x.py", "b/y.py", weight=True),
        {"type": ["flows_to"], "from": {}, "to": 1},
        None,
    ],
)
def test_what_is_dropped(bad: object) -> None:
    """Unknown kinds, unknown or foreign ends, loops, impossible numbers and other shapes are counted."""
    good = edge("flows_to", "a/x.py:run", "b/y.py")
    found = of({"edges": [bad, good]})
    assert (len(found.edges), found.dropped) == (1, 1)


def test_one_answer_adds_only_so_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said twice counts once, as the surest; beyond the most edges the least sure are dropped."""
    monkeypatch.setattr(semantic, "MOST_EDGES", 1)
    twice = [edge("flows_to", "a/x.py", "b/y.py", confidence=c) for c in (0.1, 0.3, 0.2)]
    assert of({"edges": twice}).edges == (UpperEdge("a/x.py", "b/y.py", "flows_to", 1.0, 0.3),)
    found = of({"edges": [*twice, edge("flows_to", "a/x.py", "module:b")]})
    assert [e.to_key for e in found.edges] == ["module:b/"]
    assert found.dropped == 1


def test_a_purpose_is_clean() -> None:
    """It is one short sentence without secrets, whatever the model wrote."""
    assert SECRET not in of({"purpose": f"Uses {SECRET} for all"}).purpose
    assert of({"purpose": "\u202eAll\x1b[31m of it.\nMore."}).purpose == "All of it."
    assert len(of({"purpose": "word " * 500}).purpose) <= 200
