"""Five kinds of rerankers behind one function, against a real server in each one's shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from remora.core.config import RerankSettings
from remora.core.errors import ConfigError, ModelMissing
from remora.llm.rerankers import HttpReranker, build
from tests.servers import ModelServer

DOCUMENTS = ["none", "best match", "some match"]
BEST_FIRST = [(1, 0.9), (2, 0.4), (0, 0.1)]
ROUTES = {
    "cohere": "POST /v2/rerank",
    "jina": "POST /v1/rerank",
    "tei": "POST /rerank",
    "llamacpp": "POST /v1/rerank",
    "vllm": "POST /v1/rerank",
}


def answer_of(provider: str, pairs=BEST_FIRST) -> Any:
    """Return the answer of a provider with these scores."""
    if provider == "tei":
        return [{"index": i, "score": s} for i, s in pairs]
    texts: dict[str, Any] = {
        "jina": {"document": {"text": "returned"}},
        "vllm": {"document": {"text": "returned"}},
    }
    results = [{"index": i, "relevance_score": s, **texts.get(provider, {})} for i, s in pairs]
    return {"id": "x", "results": results, "usage": {"total_tokens": 3}}


@contextmanager
def judging(
    provider: str, answer: Any, tail: str = "", environ: Mapping[str, str] | None = None, **more: Any
) -> Iterator[tuple[ModelServer, HttpReranker]]:
    """Start a server with an answer, and build the reranker of a provider for it."""
    with ModelServer().on(ROUTES[provider], answer) as server:
        judge = build(RerankSettings(provider=provider, url=server.url + tail, **more), environ or {})
        assert judge is not None
        yield server, judge
        judge.close()


@pytest.mark.parametrize("provider", ROUTES)
def test_scores_come_back_in_the_order_of_the_documents(provider):
    """Whatever the shape, one score a document, in input order; returned texts are ignored."""
    with judging(provider, answer_of(provider), model="m") as (server, judge):
        assert judge.rerank("match", DOCUMENTS, timeout=5.0) == [0.1, 0.9, 0.4]
        body = server.bodies()[0]
    assert body["query"] == "match"
    if provider == "tei":
        assert body == {"query": "match", "texts": DOCUMENTS, "truncate": True}
    else:
        assert (body["model"], body["documents"], body["top_n"]) == ("m", DOCUMENTS, 3)


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/rerank"])
def test_the_url_may_hold_a_part_of_the_path(tail):
    """With or without /v1, and with the whole path, the same place is asked."""
    with judging("vllm", answer_of("vllm"), tail) as (_, judge):
        assert judge.rerank("match", DOCUMENTS, timeout=5.0)[1] == 0.9


def test_documents_that_are_left_out_come_last():
    """A server that gives only the best leaves the others below them, and odd indexes are ignored."""
    pairs = [(2, -3.5), (7, 9.0), (2, 5.0), (-1, 9.0)]
    with judging("tei", answer_of("tei", pairs)) as (_, judge):
        assert judge.rerank("match", DOCUMENTS, timeout=5.0) == [-4.5, -4.5, -3.5]


def test_nothing_to_rank_asks_nobody():
    """No documents, no request; an empty one is sent as a space, which no server refuses."""
    with judging("tei", answer_of("tei")) as (server, judge):
        assert judge.rerank("match", [], timeout=5.0) == []
        judge.rerank("match", ["", "a" * 10_000, "b"], timeout=5.0)
        assert [len(text) for text in server.bodies()[0]["texts"]] == [1, 8000, 1]


def test_the_key_of_a_variable_of_ones_own_is_sent():
    """A server of one's own may want a key; it is a bearer token."""
    own = {"MY_KEY": "secret-1"}
    with judging("llamacpp", answer_of("llamacpp"), environ=own, api_key_env="MY_KEY") as (server, judge):
        judge.rerank("match", DOCUMENTS, timeout=5.0)
        assert server.requests[0].headers["authorization"] == "Bearer secret-1"
        assert "secret-1" not in repr(judge)
        assert judge.model_id == f"reranker@{server.host}"


@pytest.mark.parametrize(("provider", "variable"), [("cohere", "COHERE_API_KEY"), ("jina", "JINA_API_KEY")])
def test_a_hosted_provider_needs_its_key(provider, variable):
    """Without it the hint names the variable; with it the default model is taken; others need a URL."""
    with pytest.raises(ConfigError, match=r"rerank\.url is empty"):
        build(RerankSettings(provider="tei"), {})
    assert build(RerankSettings(provider="local"), {}) is None
    with pytest.raises(ModelMissing) as caught:
        build(RerankSettings(provider=provider), {})
    assert variable in caught.value.hint
    judge = build(RerankSettings(provider=provider), {variable: "secret-1234"})
    assert judge is not None
    assert judge.model_id.partition("@")[0]
    judge.close()
