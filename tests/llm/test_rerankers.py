"""Five kinds of rerankers behind one function, against a real server in each one's shape."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.config import RerankSettings
from remora.core.errors import ConfigError, ModelMissing, ProviderBusy
from remora.llm.rerankers import build
from tests.servers import ModelServer, Reply

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


def settings(provider: str, url: str, **more: Any) -> RerankSettings:
    """Return the settings of a provider."""
    return RerankSettings(provider=provider, url=url, **more)


@pytest.mark.parametrize("provider", ROUTES)
def test_scores_come_back_in_the_order_of_the_documents(provider):
    """Whatever the shape, one score a document, in input order; returned texts are ignored."""
    with ModelServer().on(ROUTES[provider], answer_of(provider)) as server:
        judge = build(settings(provider, server.url, model="m"), {})
        assert judge is not None
        assert judge.rerank("match", DOCUMENTS, timeout=5.0) == [0.1, 0.9, 0.4]
        judge.close()
        body = server.bodies()[0]
    assert body["query"] == "match"
    if provider == "tei":
        assert body == {"query": "match", "texts": DOCUMENTS, "truncate": True}
    else:
        assert (body["model"], body["documents"], body["top_n"]) == ("m", DOCUMENTS, 3)


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/rerank"])
def test_the_url_may_hold_a_part_of_the_path(tail):
    """With or without /v1, and with the whole path, the same place is asked."""
    with ModelServer().on("POST /v1/rerank", answer_of("vllm")) as server:
        judge = build(settings("vllm", server.url + tail), {})
        assert judge is not None
        assert judge.rerank("match", DOCUMENTS, timeout=5.0)[1] == 0.9
        judge.close()


def test_documents_that_are_left_out_come_last():
    """A server that gives only the best leaves the others below them, and odd indexes are ignored."""
    pairs = [(2, -3.5), (7, 9.0), (2, 5.0), (-1, 9.0)]
    with ModelServer().on("POST /rerank", answer_of("tei", pairs)) as server:
        judge = build(settings("tei", server.url), {})
        assert judge is not None
        assert judge.rerank("match", DOCUMENTS, timeout=5.0) == [-4.5, -4.5, -3.5]
        judge.close()


def test_a_slow_reranker_is_given_up_in_time():
    """The caller's timeout holds, and the server is not asked twice."""
    with ModelServer().on("POST /rerank", Reply([], delay=30)) as server:
        judge = build(settings("tei", server.url), {})
        assert judge is not None
        with pytest.raises(ProviderBusy, match=r"did not answer within 0\.2 s"):
            judge.rerank("match", DOCUMENTS, timeout=0.2)
        judge.close()
        assert len(server.requests) == 1


def test_nothing_to_rank_asks_nobody():
    """No documents, no request; an empty one is sent as a space, which no server refuses."""
    with ModelServer().on("POST /rerank", answer_of("tei")) as server:
        judge = build(settings("tei", server.url), {})
        assert judge is not None
        assert judge.rerank("match", [], timeout=5.0) == []
        judge.rerank("match", ["", "a" * 10_000, "b"], timeout=5.0)
        judge.close()
        assert [len(text) for text in server.bodies()[0]["texts"]] == [1, 8000, 1]


def test_the_key_of_a_variable_of_ones_own_is_sent():
    """A server of one's own may want a key; it is a bearer token."""
    with ModelServer().on("POST /v1/rerank", answer_of("llamacpp")) as server:
        judge = build(settings("llamacpp", server.url, api_key_env="MY_KEY"), {"MY_KEY": "secret-1"})
        assert judge is not None
        judge.rerank("match", DOCUMENTS, timeout=5.0)
        assert server.requests[0].headers["authorization"] == "Bearer secret-1"
        assert "secret-1" not in repr(judge)
        assert judge.model_id == f"reranker@{server.host}"
        judge.close()


@pytest.mark.parametrize("provider", ["auto", "none", "local"])
def test_some_providers_are_not_ours_to_build(provider):
    """auto, none and local are decided elsewhere."""
    assert build(RerankSettings(provider=provider), {}) is None


@pytest.mark.parametrize("provider", ["tei", "llamacpp", "vllm"])
def test_a_local_server_needs_a_url(provider):
    """Ports differ between versions, so none is guessed."""
    with pytest.raises(ConfigError, match=r"rerank\.url is empty"):
        build(RerankSettings(provider=provider), {})


@pytest.mark.parametrize(("provider", "variable"), [("cohere", "COHERE_API_KEY"), ("jina", "JINA_API_KEY")])
def test_a_hosted_provider_needs_its_key(provider, variable):
    """Without it the hint names the variable; with it the default model is taken."""
    with pytest.raises(ModelMissing) as caught:
        build(RerankSettings(provider=provider), {})
    assert variable in caught.value.hint
    judge = build(RerankSettings(provider=provider), {variable: "secret-1234"})
    assert judge is not None
    assert judge.model_id.partition("@")[0]
    judge.close()
