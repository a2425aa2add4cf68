"""Every client of a model server against every way in which a server fails.

A real server answers in each provider's own shape; the clients are built as the settings build them. Only
their waiting is taken over, so that nothing sleeps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

from remora.core.config import EmbeddingSettings, LlmSettings, RerankSettings
from remora.core.errors import ProviderBusy, ProviderError
from remora.embeddings.embedder import choose
from remora.llm import providers, rerankers
from remora.llm.client import Message
from tests.servers import ModelServer, Reply, ollama_embed, openai_embed

OLLAMA, SMALL = "qwen3-embedding:4b", "text-embedding-3-small"
DOCUMENTS = ["none", "best match"]
LIMITED, LOADING = "too many requests, slow down", "the model is still being loaded"
RESULTS = {"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]}
Ask = Callable[[], Any]


class Client(NamedTuple):
    """A client: how to build and ask it, and what its provider's servers say.

    Attributes:
        build: from a server to the client and a question.
        route: where it asks.
        good: an answer that it can use.
        refusal: the body around an error's words.
        shapes: JSON that is no answer to it.
        tries: attempts while the server is busy. A reranker has little time and asks once.
    """

    build: Callable[[ModelServer], tuple[Any, Ask]]
    route: str
    good: Any
    refusal: Callable[[str], Any]
    shapes: tuple[Any, ...]
    tries: int = 6


def embedding(provider: str, model: str) -> Callable[[ModelServer], tuple[Any, Ask]]:
    """Return how the embedder of a provider is built, and asked for a vector."""

    def build(server: ModelServer) -> tuple[Any, Ask]:
        server.on("GET /api/tags", {"models": [{"name": OLLAMA, "digest": "ab12cd34ef"}]})
        embedder = choose(
            EmbeddingSettings(provider=provider, url=server.url, model=model), environ={}
        ).embedder
        assert embedder is not None
        return embedder, lambda: embedder.embed_query("alpha").shape

    return build


def language(provider: str) -> Callable[[ModelServer], tuple[Any, Ask]]:
    """Return how the language model of a provider is built, and asked for a completion."""

    def build(server: ModelServer) -> tuple[Any, Ask]:
        model = providers.build(LlmSettings(provider=provider, model="m", url=server.url), {})
        assert model is not None
        return model, lambda: model.complete([Message("user", "Capital of France?")], max_tokens=9).text

    return build


def judge(provider: str) -> Callable[[ModelServer], tuple[Any, Ask]]:
    """Return how the reranker of a provider is built, and asked for scores."""

    def build(server: ModelServer) -> tuple[Any, Ask]:
        reranker = rerankers.build(RerankSettings(provider=provider, url=server.url), {})
        assert reranker is not None
        return reranker, lambda: reranker.rerank("match", DOCUMENTS, timeout=5.0)

    return build


def openai_error(words: str) -> Any:
    """Return an error's words as OpenAI and most that speak its protocol send them."""
    return {"error": {"message": words, "type": "server_error", "code": None}}


def claude_error(words: str) -> Any:
    """Return an error's words as Anthropic sends them."""
    return {"type": "error", "error": {"type": "api_error", "message": words}, "request_id": "r"}


def said(content: Any) -> Any:
    """Return an answer of /chat/completions."""
    return {"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]}


NOT_THESE: tuple[Any, ...] = ({"hello": "world"}, None, 5, "text")
SCORES: tuple[Any, ...] = ({}, [], [{"index": 0}], ["a"])
NO_SCORES: tuple[Any, ...] = (*NOT_THESE, [], *({"results": scores} for scores in SCORES))
HUGE = 10**400  # JSON has whole numbers of any length
BAD_DATA: tuple[Any, ...] = ({}, [], [5], [{"index": 0}])
BAD_VECTORS: tuple[Any, ...] = (None, {"a": 1}, [HUGE] * 1024)
BAD_LISTS: tuple[Any, ...] = ({}, [], [None], [{"a": 1}], [[HUGE] * 2560])
BAD_CHOICES: tuple[Any, ...] = ({}, [], [None], [{"text": "Paris"}])
CLIENTS = {
    "openai embeddings": Client(
        embedding("openai", SMALL),
        "POST /v1/embeddings",
        openai_embed(1536),
        openai_error,
        (
            *NOT_THESE,
            *({"data": data} for data in BAD_DATA),
            *({"data": [{"index": 0, "embedding": e}]} for e in BAD_VECTORS),
            *({"data": [{"index": i, "embedding": [1.0] * 1024}]} for i in ([0], 0.0)),
        ),
    ),
    "ollama embeddings": Client(
        embedding("ollama", OLLAMA),
        "POST /api/embed",
        ollama_embed(2560),
        lambda words: {"error": words},
        (*NOT_THESE, [], *({"embeddings": e} for e in BAD_LISTS)),
    ),
    "openai model": Client(
        language("openai"),
        "POST /v1/chat/completions",
        said("Paris"),
        openai_error,
        (
            *NOT_THESE,
            *({"choices": choices} for choices in BAD_CHOICES),
            *map(said, ({"text": "Paris"}, 5, [{"type": "text", "text": ["Paris"]}])),
        ),
    ),
    "ollama model": Client(
        language("ollama"),
        "POST /api/chat",
        {"message": {"role": "assistant", "content": "Paris"}, "done": True, "done_reason": "stop"},
        lambda words: {"error": words},
        (*NOT_THESE, [], {"message": "Paris"}, {"message": {"content": ["Paris"]}}),
    ),
    "anthropic model": Client(
        language("anthropic"),
        "POST /v1/messages",
        {"content": [{"type": "text", "text": "Paris"}], "stop_reason": "end_turn"},
        claude_error,
        (*NOT_THESE, [], {"content": "Paris"}, {"content": [{"type": "text", "text": {"a": 1}}]}),
    ),
    "cohere": Client(
        judge("cohere"), "POST /v2/rerank", RESULTS, lambda words: {"message": words}, NO_SCORES, tries=1
    ),
    "tei": Client(
        judge("tei"),
        "POST /rerank",
        [{"index": 1, "score": 0.9}, {"index": 0, "score": 0.1}],
        lambda words: {"error": words, "error_type": "Overloaded"},
        (*NOT_THESE, [], [5], [{"index": 0}], *([{"index": 0, "score": s}] for s in (HUGE, float("nan")))),
        tries=1,
    ),
}
GOOD = {"embeddings": (1024,), "model": "Paris"}  # by the end of the name; a reranker gives scores


def good(name: str) -> Any:
    """Return what a client gives for its good answer."""
    return GOOD.get(name.rpartition(" ")[2], [0.1, 0.9])


@contextmanager
def opened(client: Client) -> Iterator[tuple[ModelServer, Ask, list[float]]]:
    """Start a server and build its client; yields both and the seconds that the client waits for."""
    waits: list[float] = []
    with ModelServer() as server:
        built, ask = client.build(server)
        if hasattr(built, "_sleep"):
            built._sleep = waits.append
        yield server, ask, waits
        built.close()


def limited(client: Client, seconds: str = "3") -> Reply:
    """Return a provider's 429."""
    return Reply(client.refusal(LIMITED), 429, {"Retry-After": seconds})


def loading(client: Client) -> Reply:
    """Return a provider's 503, which names no time."""
    return Reply(client.refusal(LOADING), 503)


class Fault(NamedTuple):
    """What a server does, and what a caller gets to know of it; `words` is a pattern.

    `waits` are those of a client that tries until it gives up.
    """

    replies: Callable[[Client], list[Any]]
    error: type[ProviderError]
    words: str
    hint: str
    status: int
    waits: tuple[float, ...] = ()
    retry_after: float | None = None


FAULTS = {
    "429 with Retry-After": Fault(
        lambda c: [limited(c)], ProviderBusy, f"answered 429: .*{LIMITED}", "later", 429, (3.0,) * 5, 3.0
    ),
    "429 for longer than there is time": Fault(
        lambda c: [limited(c, "3600")], ProviderBusy, LIMITED, "later", 429, retry_after=3600.0
    ),
    "503 while loading": Fault(
        lambda c: [loading(c)],
        ProviderBusy,
        f"answered 503: .*{LOADING}",
        "later",
        503,
        (0.25, 0.5, 1.0, 2.0, 4.0),
    ),
    "truncated body": Fault(
        lambda c: [truncated(c)], ProviderError, "closed the connection during its answer", "Try again", 200
    ),
    "not JSON": Fault(
        lambda c: [Reply(b"<html>Welcome to nginx</html>")],
        ProviderError,
        "a body that is not JSON: <html>Welcome to nginx</html>",
        "Check that the URL",
        200,
    ),
    "another shape": Fault(
        lambda c: [Reply(shape) for shape in c.shapes],
        ProviderError,
        "unexpected response|not a number$|not numbers$|did not return 1 vectors|no score for any",
        "Check that",
        200,
    ),
}


def truncated(client: Client) -> Callable[[Any], Reply]:
    """Return half of the good answer, as a connection that breaks leaves it."""

    def reply(request: Any) -> Reply:
        answer = client.good(request) if callable(client.good) else client.good
        return Reply(answer, cut=True)

    return reply


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", CLIENTS)
def test_a_failure_is_told_as_what_it_is(name: str, fault: str) -> None:
    """Type, words, hint, status and attempts are right for each failure, and the client works afterwards."""
    client, expected = CLIENTS[name], FAULTS[fault]
    with opened(client) as (server, ask, waits):
        for reply in expected.replies(client):
            server.on(client.route, reply)
            server.requests.clear()
            waits.clear()
            with pytest.raises(ProviderError) as caught:
                ask()
            error = caught.value
            assert type(error) is expected.error
            assert server.host in str(error)
            assert re.search(expected.words, str(error))
            assert expected.hint in error.hint
            assert error.status == expected.status
            assert getattr(error, "retry_after", None) == expected.retry_after
            assert error.retryable is (expected.error is ProviderBusy)
            assert waits == list(expected.waits[: client.tries - 1])
            assert server.paths() == [client.route.partition(" ")[2]] * (1 + len(waits))
        server.on(client.route, client.good)
        assert ask() == good(name)


@pytest.mark.parametrize(("busy", "wait"), [(limited, 3.0), (loading, 0.25)], ids=["429", "503"])
@pytest.mark.parametrize("name", [name for name, client in CLIENTS.items() if client.tries > 1])
def test_a_busy_server_is_asked_again(name: str, busy: Callable[[Client], Reply], wait: float) -> None:
    """The caller sees only the answer; the client has waited as long as the server asked it to."""
    client = CLIENTS[name]
    with opened(client) as (server, ask, waits):
        server.on(client.route, busy(client), client.good)
        server.requests.clear()
        assert ask() == good(name)
        assert waits == [wait]
        assert len(server.requests) == 2
