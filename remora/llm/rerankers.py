"""Rerankers over HTTP: one class for Cohere, Jina, TEI, llama.cpp and vLLM.

They differ in the path, in the name of the document list and in the shape of the answer, as listed in the
table below. Their scores have different scales (logits, 0 to 1), so a caller uses the order, or calibrates
for each model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from remora.core.config import RerankSettings
from remora.core.errors import ConfigError, ModelMissing, ProviderError
from remora.net.hosts import host_of, key_for
from remora.net.http import JsonClient

LOOK = "Check that rerank.provider matches the server at the URL."
MOST = 1e9  # of a score; real ones stay below 100
MAX_CHARS = 8_000  # rerankers read 512 to 8,192 tokens; more than this is cut by all of them anyway


class Shape(NamedTuple):
    """The request format of a provider. Fields specific to some are in `extra`."""

    path: str
    documents: str = "documents"
    url: str = ""
    model: str = ""
    variable: str = ""
    named: bool = True  # the request names the model
    counted: bool = True  # the request says how many results we want: all
    extra: Mapping[str, Any] = {}


SHAPES: dict[str, Shape] = {
    "cohere": Shape(
        "/v2/rerank", url="https://api.cohere.com", model="rerank-v3.5", variable="COHERE_API_KEY"
    ),
    "jina": Shape(
        "/v1/rerank",
        url="https://api.jina.ai",
        model="jina-reranker-v2-base-multilingual",
        variable="JINA_API_KEY",
        extra={"return_documents": False},
    ),
    "tei": Shape("/rerank", documents="texts", named=False, counted=False, extra={"truncate": True}),
    "llamacpp": Shape("/v1/rerank"),
    "vllm": Shape("/v1/rerank"),
}


def scores_of(answer: Any, count: int, where: str) -> list[float]:
    """Return the scores in an answer of any of the shapes, by document.

    A repeated index keeps its first score (results come best first); an index out of range is ignored.

    >>> scores_of({"results": [{"index": 1, "relevance_score": 0.75}]}, 2, "host")
    [-0.25, 0.75]
    """
    results = answer
    if isinstance(answer, dict):
        results = answer.get("results", answer.get("data"))
    if not isinstance(results, list):
        raise ProviderError(
            f"{where} returned an unexpected response: no list of results",
            hint=LOOK,
            status=200,
        )
    found: dict[int, float] = {}
    for result in results:
        index = result.get("index") if isinstance(result, dict) else None
        if not isinstance(index, int) or not 0 <= index < count:
            continue
        score = result.get("relevance_score", result.get("score"))
        if not isinstance(score, int | float) or not -MOST <= score <= MOST:  # also NaN
            raise ProviderError(f"{where} returned a score that is not a number", hint=LOOK, status=200)
        found.setdefault(index, float(score))
    if not found:
        raise ProviderError(f"{where} returned no score for any of {count} documents", hint=LOOK, status=200)
    last = min(found.values()) - 1.0
    return [found.get(index, last) for index in range(count)]


class HttpReranker:
    """A reranking model behind a server."""

    def __init__(self, client: JsonClient, shape: Shape, model: str) -> None:
        self._client = client
        self._shape = shape
        self._model = model

    def __repr__(self) -> str:
        return f"HttpReranker({self._model or 'its model'} at {self._client.host})"

    @property
    def model_id(self) -> str:
        """Model and host, for reports."""
        return f"{self._model or 'reranker'}@{self._client.host}"

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        """Return one score for each document; documents omitted by the server come last; see `Reranker`.

        There are no retries.

        Raises:
            ProviderError: no answer in time, an unknown shape, no score at all, a score that is not a number.
        """
        if not documents:
            return []
        shape = self._shape
        texts = [text[:MAX_CHARS] or " " for text in documents]
        body: dict[str, Any] = {"query": query[:MAX_CHARS], shape.documents: texts, **shape.extra}
        if shape.named and self._model:
            body["model"] = self._model
        if shape.counted:
            body["top_n"] = len(texts)
        answer = self._client.post_json(shape.path, body, timeout=timeout)
        return scores_of(answer, len(texts), self._client.where(shape.path))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def build(settings: RerankSettings, environ: Mapping[str, str]) -> HttpReranker | None:
    """Return the configured reranker over HTTP, None for "auto", "none" and "local"; nothing is sent.

    Raises:
        ConfigError: a local server without a URL, or an invalid URL or key.
        ModelMissing: a hosted provider without a key.
    """
    shape = SHAPES.get(settings.provider)
    if shape is None:
        return None
    url = settings.url or shape.url
    if not url:
        raise ConfigError(
            f"rerank.provider is {settings.provider}, but rerank.url is empty",
            hint="Set rerank.url, for example http://localhost:8080.",
        )
    variable = settings.api_key_env or shape.variable
    key = key_for(variable, environ, url)
    if not key and shape.url and host_of(url) == host_of(shape.url):
        raise ModelMissing(f"{host_of(url)} requires a key, and none is set", hint=key.hint)
    base = url.rstrip("/").removesuffix(shape.path).removesuffix("/v1")
    client = JsonClient(base, key=key, timeout=settings.budget_ms / 1000)
    return HttpReranker(client, shape, settings.model or shape.model)
