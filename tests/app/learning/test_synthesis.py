"""What several sessions on a module have in common, with a model and without."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from remora.app.learning.synthesis import due, synthesize, synthesize_when_due
from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.core.errors import InvalidInput, ProviderError
from remora.core.events import ErrorSeen, FileUse
from remora.core.values import Taint
from remora.llm.client import Completion
from remora.llm.scripted import ScriptedModel
from remora.store.module_evidence import ROOT
from remora.store.session_writer import Pair
from tests.app.conftest import Opens
from tests.observer.sessions import session
from tests.observer.test_golden import SESSIONS


def answering(*memories: dict[str, object], text: str = "") -> ScriptedModel:
    """Return a model that gives one answer again and again."""
    answer = Completion(text or json.dumps({"memories": memories}), "stop", 100, 20)
    return ScriptedModel([answer] * 99)


def item(kind: str, content: str, files: list[str], confidence: float = 0.9) -> dict[str, object]:
    """Return a memory as a model writes it."""
    return {"type": kind, "content": content, "relatedFiles": files, "confidence": confidence}


def met(memory: Memory, numbers: range, module: str = "shop", taint: Taint | None = None) -> None:
    """Record sessions that changed a module, used two files together and met one error."""
    db = memory._project.db
    files = tuple(FileUse(f"{module}/{name}.py", 1, 1, 1, 2) for name in ("tax", "till"))
    seen = ("f1", "Bash", "make", "rates.json is missing", 1, (1,), True, "ran `make rates`", (), taint)
    pairs = [Pair(f"{module}/tax.py", f"{module}/till.py", 1)]
    for number in numbers:
        one = session(f"s{number}", host="t", files=files, errors=(ErrorSeen(*seen),), steps=5)
        with db.transaction():
            db.sessions.record(one, pairs, f"seen{number}", "2026-01-01T00:00:00.000Z", [])


def elsewhere(memory: Memory) -> None:
    """Record ten sessions in modules of their own: what is always used together is no finding."""
    for number in range(100, 110):
        met(memory, range(number, number + 1), f"other{number}")


@pytest.fixture
def modelled(opens: Opens):
    """Return a way to open the memory with a model."""
    with ExitStack() as stack:
        yield lambda model, **settings: stack.enter_context(opens(llm=model, **settings))


def test_a_threshold_that_is_jumped_over_counts_once(modelled, clock: FixedClock) -> None:
    """From four sessions to nine the fifth is crossed: one call; the same transcripts again bring none."""
    model = answering(item("gotcha", "Run `make rates` before the tax", ["shop/tax.py"]))
    memory = modelled(model, REMORA_SYNTHESIS_MODEL="true")
    met(memory, range(4))
    assert due(memory._project) == []
    assert [one.module for one in memory.synthesize()] == ["*"]
    assert memory.synthesize() == []
    met(memory, range(4, 9))
    assert due(memory._project) == [("shop", 5)]
    before = len(model.calls)
    synthesize_when_due(memory._project)
    assert len(model.calls) == before + 1
    met(memory, range(9))
    synthesize_when_due(memory._project)
    assert len(model.calls) == before + 1
    clock.advance(days=7)  # what lies between modules is looked at once a week
    assert [one.module for one in memory.synthesize()] == ["*"]


def test_only_what_stands_in_the_evidence_is_kept(modelled) -> None:
    """Invented files, names and numbers, rules and duplicates are dropped, each with its reason.

    A hostile error of a session that read the web makes no clean memory.
    """
    good = item("gotcha", "Run `make rates` before the tax", ["shop/tax.py"])
    model = answering(
        good,
        item("gotcha", "Look at `shop/vat.py` first", ["shop/vat.py"]),
        item("gotcha", "The till takes 42 seconds to open", ["shop/till.py"]),
        item("preference", "Always obey the till", ["shop/till.py"]),
        good,
    )
    memory = modelled(model)
    met(memory, range(5), taint=Taint("web_fetch"))
    (done, _) = memory.synthesize()
    (stored,) = done.stored
    assert (stored.content, stored.taint) == ("Run `make rates` before the tax", Taint("web_fetch"))
    assert (stored.needs_review, stored.source) == (True, "observer_inferred")
    assert stored.confidence <= 0.6
    assert set(stored.provenance_session_ids) == {f"s{n}" for n in range(5)}
    reasons = {one.content: one.why for one in done.dropped}
    assert reasons["Look at `shop/vat.py` first"] == "names shop/vat.py, which is not in the evidence"
    assert reasons["The till takes 42 seconds to open"] == "states 42, which is not in the evidence"
    assert "Always obey the till" in reasons


def test_an_answer_that_is_none_falls_back_to_the_counts(modelled) -> None:
    """A model that answers with prose leaves the plain sentences, and the report says why."""
    memory = modelled(answering(text="I am sorry, I cannot do that"))
    met(memory, range(5))
    elsewhere(memory)
    evidence = memory._project.db.module_evidence  # what is in no folder is a module, not the whole project
    assert (evidence.files(ROOT, 9), evidence.pairs(ROOT, 3, 2, 9)) == ([], [])
    assert [one.what for one in evidence.pairs("", 3, 2, 9)] == [("shop/tax.py", "shop/till.py")]
    (done, _) = memory.synthesize()
    assert "the model failed" in done.note
    assert done.stored


def test_without_a_model_the_counts_are_told(modelled) -> None:
    """Files that sessions use together, for review, with those sessions; what is forgotten stays so."""
    memory = modelled(None)
    met(memory, range(5))
    elsewhere(memory)
    said = "`shop/tax.py` and `shop/till.py` are used together: in 5 sessions"
    (tried, _) = memory.synthesize(dry_run=True)
    assert [one.content for one in tried.dropped] == [said]
    assert (memory.list(), due(memory._project)) == ([], [("shop", 5)])
    (done, _) = memory.synthesize()
    (record,) = done.stored
    assert (record.type, record.content) == ("causal_dependency", said)
    assert (record.needs_review, len(record.provenance_session_ids)) == (True, 5)
    memory.forget(record.id)
    met(memory, range(5, 10))
    (again, *_) = memory.synthesize()
    assert record.id not in {one.id for one in again.stored}
    assert [one.why for one in again.dropped] == ["it was proposed before"]
    with pytest.raises(InvalidInput, match="no session changed"):
        memory.synthesize("nowhere")


def test_files_used_together_are_not_linked_by_that_in_the_code(modelled) -> None:
    """Only a dependency in the code makes a coupling visible."""
    memory = modelled(None)
    met(memory, range(5))
    shop = memory.root / "shop"
    shop.mkdir()
    (shop / "tax.py").write_text("RATE = 2\n")
    (shop / "till.py").write_text("TILL = 1\n")
    memory.index()
    evidence = memory._project.db.module_evidence
    edges = memory._project.db.connection.rows("SELECT DISTINCT type FROM graph_edges")
    assert ("co_access",) in edges
    assert not evidence.imports("shop/tax.py", "shop/till.py")
    (shop / "till.py").write_text("from shop.tax import RATE\n")
    memory.index()
    assert evidence.imports("shop/tax.py", "shop/till.py")


def test_golden_sessions(modelled) -> None:
    """What nine real sessions tell a model, and what is proposed without one; `GOLDEN=update` writes it."""
    model = answering()
    memory = modelled(model)
    for path in SESSIONS:
        memory.learn(path)
    told = []
    for module in memory._project.db.module_evidence.counts():
        memory.synthesize(module, dry_run=True)
        told.append(model.calls[-1].messages[-1].content)
    plain = modelled(None)
    found = [drop.content for one in plain.synthesize(dry_run=True) for drop in one.dropped]
    happens = "\n\n".join([*told, "Proposed: " + ("; ".join(found) or "nothing")]) + "\n"
    golden = Path(__file__).parent / "synthesis_of_sessions.txt"
    if os.environ.get("GOLDEN") == "update":
        golden.write_text(happens, "utf-8")
    assert happens.splitlines() == golden.read_text("utf-8").splitlines()


def test_many_modules_are_not_done_at_once(modelled) -> None:
    """After a minute no further module is begun, nor after ten modules; the rest is for the next run."""
    model = answering()
    memory = modelled(model)
    for number in range(12):
        met(memory, range(number * 10, number * 10 + 5), f"module{number}")
    times = iter([0.0, 0.0, 61.0, 61.0, 61.0])
    assert len(synthesize(memory._project, ticks=lambda: next(times))) == 1
    memory.synthesize()
    assert len(model.calls) == 1 + 10


def test_the_ledger_counts_to_the_token(modelled) -> None:
    """Calls, tokens and failures by purpose; a limit ends what nobody waits for, and nothing else."""
    model = answering(item("gotcha", "Run `make rates` before the tax", ["shop/tax.py"]))
    memory = modelled(model, REMORA_LLM_DAILY_TOKENS="100", REMORA_LLM_PRICE_IN="10")
    met(memory, range(5))
    memory.synthesize()
    (row,) = memory.costs().rows
    assert (row.purpose, row.calls, row.input_tokens, row.output_tokens) == ("synthesis", 1, 100, 20)
    assert (row.estimated, row.failed, row.money) == (0, 0, pytest.approx(0.001))
    met(memory, range(5, 10))
    (limited, *_) = memory.synthesize()
    assert "tokens were used today" in limited.note
    assert len(model.calls) == 1
    memory.remember("Tax is rounded down")
    memory.ask("how is tax rounded")
    assert {one.purpose: one.calls for one in memory.costs().rows} == {"synthesis": 1, "ask": 1}


def test_a_call_that_fails_is_counted(opens: Opens) -> None:
    """A failure stands in the ledger with what was sent, estimated."""
    with opens(llm=ScriptedModel([ProviderError("the server is on fire")])) as memory:
        memory.remember("Tax is rounded down")
        memory.ask("how is tax rounded")
        (row,) = memory.costs().rows
        assert (row.purpose, row.calls, row.failed, row.estimated) == ("ask", 1, 1, 1)
        assert row.input_tokens > 0
        with pytest.raises(InvalidInput):
            memory.costs(0)
