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
from remora.embeddings.openai import DEFAULT_MODEL, DEFAULT_URL, OpenAIEmbedder
from remora.net.hosts import ApiKey
from tests.servers import ModelServer, Reply, openai_embed, packed, unit, vector

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


def test_floats_are_as_good_as_base64():
    """A server that ignores the encoding gives lists of numbers."""
    with serving(openai_embed(1536, base64_too=False)) as (_, model):
        found = model.embed_query("alpha")
    np.testing.assert_allclose(found, unit(vector("alpha", 1536)[:1024]), atol=1e-6)


def test_a_shuffled_answer_is_put_in_order():
    """The index counts, not the place."""
    texts = ["alpha", "beta", "gamma"]
    with serving(openai_embed(1536, shuffled=True)) as (_, model):
        found = model.embed_documents(texts)
    for row, text in zip(found, texts, strict=True):
        np.testing.assert_allclose(row, unit(vector(text, 1536)[:1024]), atol=1e-6)


def test_a_server_that_refuses_dimensions_is_asked_once():
    """After the 400 the field is left out for good; a model that can be cut is cut here."""
    answer = refuse("dimensions", "this model does not support specifying dimensions", openai_embed(1536))
    with serving(answer) as (server, model):
        found = model.embed_documents(["alpha"])
        model.embed_documents(["beta"])
        assert ["dimensions" in body for body in server.bodies()] == [True, False, False]
    np.testing.assert_allclose(found[0], unit(vector("alpha", 1536)[:1024]), atol=1e-6)


def test_a_model_that_refuses_dimensions_keeps_its_length():
    """A model not trained for it is never cut."""
    answer = refuse("dimensions", "Model does not support matryoshka representation", openai_embed(384))
    with serving(answer, model="bge-tiny", dimensions=128) as (server, model):
        assert model.dims == 384
        assert model.embed_query("alpha").shape == (384,)
        assert model.model_id == f"openai@{server.host}:bge-tiny:384"


def test_a_server_that_refuses_the_encoding_gives_floats():
    """encoding_format is given up like dimensions."""
    answer = refuse("encoding_format", "unknown field encoding_format", openai_embed(1536))
    with serving(answer) as (server, model):
        assert model.embed_query("alpha").shape == (1024,)
        assert len(server.requests) == 2


def test_any_other_refusal_is_an_error():
    """A 400 about something else is not tried in another way."""
    with serving(Reply({"error": {"message": "no such model"}}, 400)) as (server, model):
        with pytest.raises(ProviderError, match="no such model"):
            model.embed_query("alpha")
        assert len(server.requests) == 1


def data(*items: Any) -> dict[str, Any]:
    """Return an answer with these items."""
    return {"data": list(items)}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (data(), "0 embeddings for 1 texts"),
        (data({"index": 1, "embedding": [1.0] * 1024}), "wrong indexes"),
        (data({"index": "0", "embedding": [1.0] * 1024}), "wrong indexes"),
        (
            data({"index": 0, "embedding": [1.0] * 1024}, {"index": 0, "embedding": [1.0] * 1024}),
            "2 embeddings",
        ),
        (data({"index": 0}), "0 embeddings"),
        (data({"index": 0, "embedding": "no base64!"}), "not base64"),
        (data({"index": 0, "embedding": base64.b64encode(b"12345").decode()}), "not base64 of float32"),
        (data({"index": 0, "embedding": packed([float("nan")] * 1024)}), "NaN"),
        (data({"index": 0, "embedding": [1.0] * 512}), "512 numbers instead of 1024"),
    ],
)
def test_answers_that_are_no_vectors_are_errors(answer, words):
    """Counts, indexes, encodings, lengths and numbers are all checked."""
    with serving(answer) as (_, model), pytest.raises(ProviderError, match=words):
        model.embed_query("alpha")


def test_an_answer_without_indexes_is_taken_in_order():
    """Some small servers leave the index out."""

    def answer(request):
        return data(*({"embedding": vector(text, 1024)} for text in request.body["input"]))

    with serving(answer, model="some-model") as (_, model):
        found = model.embed_documents(["alpha", "beta"])
    np.testing.assert_allclose(found[1], unit(vector("beta", 1024)), atol=1e-6)


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
        model.embed_query("beta")
        own = embedder(server, "nomic-embed-text-v1.5", document_prefix="d: ", query_prefix="q: ")
        own.embed_documents(["alpha"])
        own.embed_query("beta")
        own.close()
        sent = [body["input"][0] for body in server.bodies()]
        assert own.model_id != model.model_id
    assert sent == ["search_document: alpha", "search_query: beta", "d: alpha", "q: beta"]


def test_a_huge_text_is_cut_to_what_every_model_takes():
    """8,000 bytes are at most 8,000 tokens in any language; characters are not split."""
    with serving(openai_embed(1536)) as (server, model):
        model.embed_documents(["日" * 10_000, "x" * 10_000_000, "a\x00b"])
        sent = server.bodies()[0]["input"]
    assert [len(text.encode()) for text in sent] == [7998, 8000, 3]
    assert sent[2] == "a b"


def test_requests_stay_within_the_limits_of_hosted_models():
    """No request has more texts than the server takes, nor more bytes than its token limit."""
    with serving(openai_embed(1536)) as (server, model):
        model.embed_documents(["short"] * 70 + ["x" * 8000] * 30)
        sizes = [[len(text) for text in body["input"]] for body in server.bodies()]
    assert max(map(len, sizes)) == 32
    assert max(map(sum, sizes)) <= 200_000
    assert sum(map(len, sizes)) == 100


def test_the_hosted_model_has_an_id_without_host():
    """OpenAI's own server is known by its provider's name; nothing is sent to learn it."""
    model = OpenAIEmbedder(DEFAULT_URL, DEFAULT_MODEL, EmbeddingSettings())
    assert model.model_id == "openai:text-embedding-3-small:1024"
    assert "api.openai.com" in repr(model)
    model.close()
