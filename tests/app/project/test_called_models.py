"""Whatever a model does that a caller handed in, each verb goes on without it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from remora import FixedClock, Memory, ScriptedModel
from remora.app.project.called_models import CalledEmbedder, CalledModel, CalledReranker, Ledger, asked
from remora.core.errors import ProviderBusy, ProviderError
from tests.app.talks import talk
from tests.helpers import NOW, SECRET, FakeEmbedder, environment, texts

SLOW = "TimeoutError: locator.click: Timeout 5000ms exceeded while waiting for the button Save"
ANSWERS = {
    "raises": RuntimeError("out of memory"),
    "raises its own": type("CudaError", (Exception,), {})("no device"),
    "times out": TimeoutError(),
    "nothing": None,
    "a number": 7,
    "bytes": b"text",
    "half a character": "\ud800",
    "text": "yes",
}


class Unwell:
    """A model, an embedder and a reranker that raises what it is given, or answers that."""

    model_id, dims, query_prefix, document_prefix = "unwell:1", 32, "", ""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.calls = 0

    def _answer(self, *_: Any, **__: Any) -> Any:
        self.calls += 1
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    complete = embed_documents = embed_query = rerank = _answer


class Nameless:
    """A model of which nothing can be asked, not even its name."""

    def __getattr__(self, name: str) -> Any:
        raise LookupError(name)


UNMETERED = Ledger(None, FixedClock(NOW))
VECTORS: dict[str, Any] = {
    **ANSWERS,
    "NaN": [[math.nan] * 32],
    "too many": np.ones((40, 32), np.float32),
    "too short": [[1.0] * 3],
    "uneven": [[1.0], [1.0, 2.0]],
    "a list in a list": [[[1.0] * 32]],
}
SCORES: dict[str, Any] = {**ANSWERS, "one": [1.0], "NaN": [math.nan] * 8, "words": ["high"] * 8}
VERBS: dict[str, Callable[[Memory], Any]] = {
    "search": lambda m: m.search("when do tokens expire"),
    "context": lambda m: m.context("change how tokens expire"),
    "remember": lambda m: m.remember("Sessions live in Redis"),
    "compact": lambda m: m.session("cli:1").compact(2),
    "compact_if_needed": lambda m: m.session("cli:1").compact_if_needed(200),
    "new": lambda m: m.session("cli:1").new(),
    "consolidate": lambda m: m.journal.consolidate(),
    "observe_ui": lambda m: m.observe_ui("mcp__playwright__browser_click", SLOW),
    "learn": lambda m: m.learn(),
    "predict_files": lambda m: m.predict_files("change how tokens expire"),
    "plan_context": lambda m: m.plan_context("change how tokens expire"),
    "reindex": lambda m: m.reindex(),
    "catch_up": lambda m: m.catch_up(),
    "describe_modules": lambda m: m.describe_modules(),
    "doctor": lambda m: m.doctor(),
}


def opened(tmp_path: Path, folder: Path, **parts: Any) -> Memory:
    """Return a memory with two statements and a conversation of 30 messages."""
    environ = environment(tmp_path, REMORA_SEARCH_HYDE="true", REMORA_LEARN_SYNTHESIS="true")
    memory = Memory.open(folder, environ=environ, clock=FixedClock(NOW), **parts)
    memory.remember("Tokens expire after 24 h")
    memory.remember("Tokens are signed with ES256 when they are made")
    memory.session("cli:1").extend(talk(30, text="Why does a fixture lack a clock in test"))
    return memory


UNWELL: dict[str, Any] = {
    **{name: Unwell(ANSWERS[name]) for name in ("raises", "raises its own", "a number", "nothing")},
    "without a name": Nameless(),
}


@pytest.mark.parametrize("unwell", UNWELL.values(), ids=UNWELL)
def test_no_verb_fails_for_its_models(tmp_path: Path, folder: Path, unwell: Any) -> None:
    """With a model, an embedder and a reranker that all fail alike, every verb does what it does without."""
    with opened(tmp_path, folder, llm=unwell, embedder=unwell, reranker=unwell) as memory:
        for verb in VERBS.values():
            verb(memory)
        assert "Tokens expire after 24 h" in texts(memory.list())
        assert "Tokens expire after 24 h" in texts(memory.search("when do tokens expire"))


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_model(tmp_path: Path, folder: Path, answer: str) -> None:
    """A model that fails costs the summary its wording only, and the notes say why."""
    model = Unwell(ANSWERS[answer])
    with opened(tmp_path, folder, llm=model) as memory:
        done = memory.session("cli:1").compact(2)
        assert (done.how, done.removed) == ("extract", 28)
        assert model.calls > 0
        assert any("the model failed" in note for note in done.notes)
        assert memory.session("cli:1").new().how != "model"
        assert memory.session("cli:1").messages() == []


@pytest.mark.parametrize("answer", VECTORS)
def test_an_embedder(tmp_path: Path, folder: Path, answer: str) -> None:
    """An embedder that fails leaves the search by words, with a note, and stores no vector."""
    embedder = Unwell(VECTORS[answer])
    with opened(tmp_path, folder, embedder=embedder) as memory:
        assert "Tokens expire after 24 h" in texts(memory.search("when do tokens expire"))
        assert any("no vector" in note for note in memory.notes)
        assert embedder.calls > 0
        assert memory._project.db.vectors.models() == {}


@pytest.mark.parametrize("answer", SCORES)
def test_a_reranker(tmp_path: Path, folder: Path, answer: str) -> None:
    """A reranker that fails leaves the order as it was, with a note."""
    with opened(tmp_path, folder) as memory:
        plain = texts(memory.search("when do tokens expire"))
    judge = Unwell(SCORES[answer])
    with opened(tmp_path, folder, reranker=judge) as memory:
        assert texts(memory.search("when do tokens expire")) == plain
        assert any("not reranked" in note for note in memory.notes)
        assert judge.calls > 0


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), SystemExit(3), asyncio.CancelledError(), AssertionError("wrong script")]
)
def test_what_passes(tmp_path: Path, folder: Path, error: BaseException) -> None:
    """An interrupt, an exit, a cancelled task and the failed assertion of a test's fake are not kept back."""
    with opened(tmp_path, folder, reranker=Unwell(error)) as memory, pytest.raises(type(error)):
        memory.search("when do tokens expire")
    with opened(tmp_path, folder, llm=Unwell(error)) as memory, pytest.raises(type(error)):
        memory.session("cli:1").compact(2)


def test_the_error() -> None:
    """The error names the exception, hides secrets, keeps its cause, and says whether to try again."""

    def refuse() -> None:
        raise ValueError(f"bad key {SECRET}")

    with pytest.raises(ProviderError, match=r"^ValueError: bad key ") as caught:
        asked("reranker", refuse)
    assert SECRET not in str(caught.value)
    assert isinstance(caught.value.__cause__, ValueError)
    assert not caught.value.retryable
    assert "reranker" in caught.value.hint
    late: Any = Unwell(ConnectionResetError("gone"))
    with pytest.raises(ProviderBusy, match="ConnectionResetError: gone"):
        CalledReranker(late, "", UNMETERED).rerank("q", ["a"], timeout=1.0)


def test_a_model_that_is_well() -> None:
    """What a good model answers comes through to the last bit; vectors of another length are scaled to 1."""
    good = FakeEmbedder()
    called = CalledEmbedder(good, UNMETERED)
    assert (called.model_id, called.dims) == (good.model_id, 32)
    assert called.embed_query("tokens").tobytes() == good.embed_query("tokens").tobytes()
    assert called.embed_documents(["a", "b"]).tobytes() == good.embed_documents(["a", "b"]).tobytes()
    long: Any = Unwell([3.0, 4.0, *[0.0] * 30])
    scaled = CalledEmbedder(long, UNMETERED).embed_query("x")
    assert scaled[:2].tolist() == pytest.approx([0.6, 0.8])
    model = CalledModel(ScriptedModel(["yes"]), UNMETERED, "ask", 0)
    assert model.complete([], max_tokens=1).text == "yes"
