"""OpenAI-compatible embeddings, and the ways in which servers differ, against a real server."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import numpy as np
import pytest

from remora.core.config import EmbeddingSettings
from remora.core.errors import ProviderError
from remora.embeddings.openai import OpenAIEmbedder
from remora.net.hosts import ApiKey
from tests.servers import ModelServer, Reply, openai_embed, unit, vector

PATH = "POST /v1/embeddings"
SMALL = "text-embedding-3-small"


@contextmanager
def serving(*answers: Any, model: str = SMALL, **more: Any) -> Iterator[tuple[ModelServer, OpenAIEmbedder]]:
    """Give a server with these answers to `/embeddings`, and an embedder of it."""
    with ModelServer().on(PATH, *answers) as server, closing(embedder(server, model, **more)) as made:
        yield server, made


def embedder(server: ModelServer, model: str = SMALL, key: ApiKey | None = None, **more) -> OpenAIEmbedder:
    """Return an embedder of a server that never really sleeps."""
    return OpenAIEmbedder(server.url, model, EmbeddingSettings(**more), key=key, sleep=lambda _: None)


def refuse(field: str, words: str, answer):
    """Return an answer that refuses a field with a 400 as long as it is there."""

    def reply(request):
        if field in request.body:
            return Reply({"error": {"message": words, "type": "invalid_request_error"}}, 400)
        return answer(request)

    return reply


def without_indexes(request):
    """Answer as some small servers do."""
    return {"data": [{"embedding": vector(text, 1536)} for text in request.body["input"]]}


def test_1024_dimensions_as_base64_are_asked_for():
    """The request names model, dimensions and encoding; the key is sent; the vectors have length 1."""
    with serving(openai_embed(1536), key=ApiKey("sk-test-123456")) as (server, model):
        found = model.embed_documents(["alpha", "beta"])
        request = server.requests[0]
    assert request.body == {
        "model": SMALL,
        "input": ["alpha", "beta"],
        "dimensions": 1024,
        "encoding_format": "base64",
    }
    assert request.headers["authorization"] == "Bearer sk-test-123456"
    np.testing.assert_allclose(found[1], unit(vector("beta", 1536)[:1024]), atol=1e-6)


@pytest.mark.parametrize(
    "answer", [openai_embed(1536, shuffled=True), openai_embed(1536, base64_too=False), without_indexes]
)
def test_servers_may_answer_in_their_own_way(answer):
    """The index counts, or the place where there is none; lists of numbers are as good as base64."""
    texts = ["alpha", "beta", "gamma"]
    with serving(answer) as (_, model):
        found = model.embed_documents(texts)
    for row, text in zip(found, texts, strict=True):
        np.testing.assert_allclose(row, unit(vector(text, 1536)[:1024]), atol=1e-6)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("dimensions", "this model does not support specifying dimensions"),
        ("encoding_format", "unknown field encoding_format"),
    ],
)
def test_a_field_that_a_server_refuses_is_left_out_for_good(field, words):
    """After the 400; a model that can be cut is cut here. Another refusal is an error."""
    with serving(refuse(field, words, openai_embed(1536))) as (server, model):
        found = model.embed_documents(["alpha"])
        model.embed_documents(["beta"])
        assert [field in body for body in server.bodies()] == [True, False, False]
    np.testing.assert_allclose(found[0], unit(vector("alpha", 1536)[:1024]), atol=1e-6)
    with serving(Reply({"error": {"message": "no such model"}}, 400)) as (server, model):
        with pytest.raises(ProviderError, match="no such model"):
            model.embed_query("alpha")
        assert len(server.requests) == 1


def test_a_model_that_refuses_dimensions_keeps_its_length():
    """A model not trained for it is never cut."""
    answer = refuse("dimensions", "Model does not support matryoshka representation", openai_embed(384))
    with serving(answer, model="bge-tiny", dimensions=128) as (server, model):
        assert (model.dims, model.embed_query("alpha").shape) == (384, (384,))
        assert model.model_id == f"openai@{server.host}:bge-tiny:384"


FIRST = {"index": 0, "embedding": [1.0] * 1024}


def data(*items: Any) -> dict[str, Any]:
    """Return an answer with these items."""
    return {"data": list(items)}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (data({**FIRST, "index": 1}), "wrong indexes"),
        (data(FIRST, FIRST), "2 embeddings"),
        (data({"index": 0, "embedding": "no base64!"}), "not base64"),
        (data({"index": 0, "embedding": base64.b64encode(b"12345").decode()}), "not base64 of float32"),
        (data({"index": 0, "embedding": [1.0] * 512}), "512 numbers instead of 1024"),
    ],
)
def test_answers_that_are_no_vectors_are_errors(answer, words):
    """Counts, indexes, encodings, lengths and numbers are all checked."""
    with serving(answer) as (_, model), pytest.raises(ProviderError, match=words):
        model.embed_query("alpha")


def test_an_unknown_models_dimensions_are_learnt_once():
    """Asking for the id sends one short text; after an answer nothing more is sent."""
    with serving(openai_embed(768), model="mystery", dimensions=768) as (server, model):
        model.embed_query("alpha")
        assert model.model_id == f"openai@{server.host}:mystery:768"
        assert len(server.requests) == 1
        other = embedder(server, "mystery", dimensions=768)
        assert (other.dims, other.model_id) == (768, model.model_id)
        assert len(server.requests) == 2
        other.close()


def test_prefixes_of_known_models_are_added():
    """nomic-embed-text wants one for queries and one for documents; the settings may say otherwise."""
    with serving(openai_embed(768), model="nomic-embed-text-v1.5") as (server, model):
        model.embed_documents(["alpha"])
        own = embedder(server, "nomic-embed-text-v1.5", document_prefix="d: ", query_prefix="q: ")
        own.embed_documents(["alpha"])
        own.embed_query("beta")
        own.close()
        sent = [body["input"][0] for body in server.bodies()]
        assert own.model_id != model.model_id
    assert sent == ["search_document: alpha", "d: alpha", "q: beta"]


def test_a_huge_text_is_cut_to_what_every_model_takes():
    """8,000 bytes are at most 8,000 tokens in any language; characters are not split."""
    with serving(openai_embed(1536)) as (server, model):
        model.embed_documents(["日" * 10_000, "x" * 10_000_000, "a\x00b"])
        sent = server.bodies()[0]["input"]
    assert [len(text.encode()) for text in sent] == [7998, 8000, 3]
    assert sent[2] == "a b"


def test_requests_stay_within_the_limits_of_servers():
    """No request has more texts than a server takes."""
    with serving(openai_embed(1536)) as (server, model):
        model.embed_documents(["short"] * 70)
        assert [len(body["input"]) for body in server.bodies()] == [32, 32, 6]
