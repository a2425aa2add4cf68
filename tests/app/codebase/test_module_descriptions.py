"""A pass of the language model over the modules of the code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.app.codebase import module_descriptions as module
from remora.app.codebase.module_descriptions import RAN, describe, describe_when_due
from remora.core.clock import FixedClock, from_iso, to_iso
from remora.core.errors import InvalidInput, ProviderBusy, ProviderError
from remora.disk.files import lock
from remora.llm.scripted import Call, Reply, ScriptedModel
from remora.store.layers import UpperEdge
from tests.graph.projects import db_of, write
from tests.helpers import NOW, environment
from tests.store.makers import there

Opener = Callable[..., Memory]
KINDS = ("is_entrypoint_for", "flows_to", "depends_logically", "defines")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    """Open the memory of three modules with a scripted model, the code indexed."""
    memories: list[Memory] = []
    folder = tmp_path / "shop"
    files = {
        "web/routes.py": "from core.tokens import make\n\ndef login(request):\n    return make(request)\n"
        * 2,
        "core/tokens.py": "def make(user):\n    return 1\n",
        "tests/test_all.py": "def test_a():\n    assert 1\n" * 9,
        "docs/plan.md": "# Plan\n",
    }
    write(folder, files)

    def open_with(*replies: Reply, model: bool = True) -> Memory:
        llm = ScriptedModel(replies) if model else None
        memory = Memory.open(folder, environ=environment(tmp_path), clock=FixedClock(NOW), llm=llm)
        memories.append(memory)
        memory.index()
        return memory

    yield open_with
    for memory in memories:
        memory.close()


def answer(purpose: str, *edges: tuple[str, str, str]) -> str:
    """Return a model's answer."""
    given = [{"type": kind, "from": a, "to": b, "confidence": 0.6} for kind, a, b in edges]
    return json.dumps({"purpose": purpose, "edges": given})


def calls(memory: Memory) -> list[Call]:
    """Return what the scripted model was asked."""
    model = memory._project._given[1]
    assert isinstance(model, ScriptedModel)
    return model.calls


def clock_of(memory: Memory) -> FixedClock:
    """Return the project's clock."""
    clock = memory._project.clock
    assert isinstance(clock, FixedClock)
    return clock


def purposes(memory: Memory) -> dict[str, Any]:
    """Return what layer 2 says modules are for."""
    return {name: about.get("purpose") for name, about in db_of(memory).layers.modules().items()}


def test_every_module_with_code_is_described(opened: Opener) -> None:
    """Most code first, tests last; purposes and edges are stored, and prose is not asked about."""
    memory = opened(
        answer("Serves pages.", ("flows_to", "web/routes.py:login", "core/tokens.py:make")),
        answer("Makes tokens.", ("is_entrypoint_for", "core/tokens.py", "module:core/"), ("x", "y", "z")),
        answer("Tests all."),
    )
    steps: list[tuple[str, int, int]] = []
    report = memory.describe_modules(progress=lambda *step: steps.append(step))
    assert report.described == ("web", "core", "tests")
    assert (report.modules, report.waiting, report.edges, report.dropped) == (4, 0, 2, 1)
    assert (report.calls, report.complete, report.notes) == (3, True, ())
    assert steps == [("describing", n, 3) for n in range(4)]
    assert purposes(memory) == {
        "core": "Makes tokens.", "docs": None, "tests": "Tests all.", "web": "Serves pages.",
    }  # fmt: skip
    edges = db_of(memory).layers.edges_at(["web/routes.py:login"], KINDS)
    assert edges == [UpperEdge("web/routes.py:login", "core/tokens.py:make", "flows_to", 1.0, 0.6)]
    sources = db_of(memory).connection.rows("SELECT DISTINCT source FROM graph_edges WHERE type = 'flows_to'")
    assert sources == [("llm",)]
    assert {m.name: m.purpose for m in memory.modules()}["core"] == "Makes tokens."


def test_what_did_not_change_is_not_asked_again(opened: Opener) -> None:
    """A second pass costs no call; after a change only the changed module is asked about, and replaced.

    Where the model fails then, what was said stays.
    """
    memory = opened(
        answer("Serves pages."),
        answer("Makes tokens.", ("flows_to", "core/tokens.py:make", "web/routes.py:login")),
        answer("Tests all."),
        ProviderError("it broke"),
        answer("Makes and breaks tokens."),
    )
    memory.describe_modules()
    assert memory.describe_modules().calls == 0
    more = "def make(user):\n    return 1\n\ndef drop(token):\n    return 0\n"
    (memory.root / "core" / "tokens.py").write_text(more, "utf-8")
    memory.index()
    memory.describe_modules()
    assert purposes(memory)["core"] == "Makes tokens."
    assert len(db_of(memory).layers.edges_at(["core/tokens.py:make"], KINDS)) == 1
    report = memory.describe_modules()
    assert (report.described, report.calls) == (("core",), 1)
    assert purposes(memory)["core"] == "Makes and breaks tokens."
    assert db_of(memory).layers.edges_at(["core/tokens.py:make"], KINDS) == []


def test_where_most_changed_comes_first(opened: Opener) -> None:
    """Of modules whose outline changed, the one with the most code read since; new ones come after them."""
    memory = opened(*[answer(str(n)) for n in range(6)])
    (memory.root / "web/still.py").write_text("def still():\n    return 1\n" * 40, "utf-8")
    memory.index()
    memory.describe_modules(2)
    clock_of(memory).advance(seconds=60.0)
    (memory.root / "web/new.py").write_text("def new():\n    return 1\n", "utf-8")
    (memory.root / "core/tokens.py").write_text("def drop(user):\n    return 1\n" * 9, "utf-8")
    memory.index()
    assert [memory.describe_modules(1).described for _ in range(3)] == [("core",), ("web",), ("tests",)]


def test_by_itself_a_few_are_described_once_a_day(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits goes on the next day, and what came of it is noted."""
    monkeypatch.setattr(module, "DAILY_MODULES", 2)
    memory = opened(*[answer(str(n)) for n in range(5)])
    first = there(describe_when_due(memory._project))
    assert (first.described, first.waiting) == (("web", "core"), 1)
    ran = {"at": to_iso(from_iso(NOW)), "described": 2, "waiting": 1, "notes": []}
    assert db_of(memory).meta.get(RAN) == ran
    clock_of(memory).advance(seconds=86_000.0)
    assert describe_when_due(memory._project) is None
    clock_of(memory).advance(seconds=400.0)
    second = there(describe_when_due(memory._project))
    assert (second.described, len(calls(memory))) == (("tests",), 3)


def test_by_itself_a_model_that_fails_is_asked_again_the_next_day(opened: Opener) -> None:
    """Its trouble is noted, and nothing is raised."""
    memory = opened(ProviderError("the model is away"), *[answer(str(n)) for n in range(5)])
    assert there(describe_when_due(memory._project)).described == ()
    assert "the model is away" in db_of(memory).meta.get(RAN)["notes"][0]
    assert describe_when_due(memory._project) is None
    clock_of(memory).advance(seconds=90_000.0)
    assert there(describe_when_due(memory._project)).described == ("core", "tests", "web")


@pytest.mark.parametrize("why", ["no model", "off", "no code"])
def test_by_itself_nothing_is_described(opened: Opener, why: str) -> None:
    """Without a model, where the user turned it off, and without code, nothing is asked or noted."""
    memory = opened(answer("x"), model=why != "no model")
    project = memory._project
    if why == "off":
        project.settings = project.settings._replace(llm=project.settings.llm._replace(describe=False))
    if why == "no code":
        with db_of(memory).connection.transaction():
            db_of(memory).graph.clear()
    assert describe_when_due(project) is None
    assert db_of(memory).meta.get(RAN) is None
    assert why == "no model" or calls(memory) == []


def test_limits(opened: Opener) -> None:
    """At most so many modules, calls and seconds, also of a call; the rest waits for the next pass."""
    memory = opened(*[answer(str(n)) for n in range(9)])
    first = memory.describe_modules(1)
    assert (first.described, first.waiting, first.complete) == (("web",), 2, False)
    second = memory.describe_modules(calls=1)
    assert (second.described, second.notes) == (("core",), ("the limit of 1 calls is reached",))
    ticks = iter([0.0, 99.0, 99.0])
    third = describe(memory._project, seconds=10.0, ticks=lambda: next(ticks))
    assert (third.described, third.notes) == ((), ("the limit of 10 s is reached",))
    describe(memory._project, seconds=30.0, ticks=lambda: 5.0)
    assert calls(memory)[-1].timeout == 30.0
    for wrong in ({"modules": 0}, {"seconds": 0.0}):
        with pytest.raises(InvalidInput):
            memory.describe_modules(**wrong)


def test_without_a_model_or_an_index(opened: Opener, tmp_path: Path) -> None:
    """Nothing is done and the report says why."""
    report = opened(model=False).describe_modules()
    assert report.notes == ("descriptions of modules need a language model; llm.provider is none",)
    assert (report.complete, report.modules) == (False, 0)
    (tmp_path / "bare").mkdir()
    with Memory.open(tmp_path / "bare", environ=environment(tmp_path), llm=ScriptedModel([])) as memory:
        assert "not indexed" in memory.describe_modules().notes[0]


@pytest.mark.parametrize("error", [ProviderBusy("it is loading"), ProviderError("it broke")])
def test_a_failing_model_stops_the_pass(opened: Opener, error: Exception) -> None:
    """What was described stays; the module that failed comes last the next time. One process asks."""
    memory = opened(answer("Serves pages."), error, answer("Tests all."), answer("Makes tokens."))
    with lock(memory.home / "semantic", timeout=1.0):
        report = memory.describe_modules()
    assert report.notes == ("another process is describing this project's modules",)
    report = memory.describe_modules()
    assert (report.described, report.waiting) == (("web",), 2)
    assert report.notes == (f"stopped at core: {error}",)
    assert purposes(memory)["web"] == "Serves pages."
    again = memory.describe_modules()
    assert (again.described, again.complete) == (("tests", "core"), True)


def test_it_survives_reading_files_again_and_goes_with_them(opened: Opener) -> None:
    """Edits leave layer 2 as it is; its edges end with a definition, a module's node with its last file."""
    memory = opened(
        answer("Serves pages.", ("flows_to", "web/routes.py:login", "core/tokens.py:make")),
        answer("Makes tokens."),
        answer("Tests all."),
    )
    memory.describe_modules()
    for name in ("web/routes.py", "core/tokens.py"):
        path = memory.root / name
        path.write_text("# more\n" + path.read_text("utf-8"), "utf-8")
    assert memory.index().read == 2
    assert len(db_of(memory).layers.edges_at(["web/routes.py:login"], KINDS)) == 1
    assert purposes(memory)["web"] == "Serves pages."
    (memory.root / "core" / "tokens.py").unlink()
    memory.index()
    assert db_of(memory).layers.edges_at(["web/routes.py:login"], KINDS) == []
    assert set(purposes(memory)) == {"docs", "tests", "web"}


def test_impact_tells_what_a_model_says_and_goes_no_further(opened: Opener) -> None:
    """Layer 2 is no dependence of the code: it is a guess at one step, with who said so, and ends there."""
    memory = opened(
        answer(
            "Serves.",
            ("depends_logically", "web/routes.py:login", "tests/test_all.py:test_a"),
            ("flows_to", "web/routes.py:login", "core/tokens.py:make"),
            ("depends_logically", "web/routes.py", "module:core/"),
        ),
        answer("Makes.", ("depends_logically", "core/tokens.py", "web/routes.py")),
        answer("Tests."),
    )
    assert list(memory.impact("tests/test_all.py")) == []
    before = list(memory.impact("core/tokens.py:make"))
    assert memory.describe_modules().edges == 4
    for target in ("tests/test_all.py", "tests/test_all.py:test_a"):
        found = memory.impact(target)
        assert [(i.path, i.symbol, i.depth, i.source, i.guess) for i in found] == [
            ("web/routes.py", "login", 1, "llm", True)
        ]
        assert "<-depends on it, a model says-" in found[0].via[0]
        assert any("statements of a language model" in note for note in found.notes)
    assert [(i.path, i.symbol, i.source) for i in memory.impact("core/tokens.py:make")] == [
        (i.path, i.symbol, i.source) for i in before
    ]
    (taker,) = memory.impact("web/routes.py:login")
    assert (taker.symbol, "receives data from it" in taker.via[0]) == ("make", True)
