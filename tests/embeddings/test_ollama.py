"""Ollama, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import numpy as np
import pytest

from remora.core.config import EmbeddingSettings
from remora.core.errors import ModelMissing, ProviderBusy, ProviderError
from remora.embeddings.known import known
from remora.embeddings.ollama import Installed, OllamaEmbedder, installed, named
from remora.net.http import JsonClient
from tests.servers import ModelServer, Reply, ollama_embed, unit, vector

QWEN = Installed("qwen3-embedding:4b", "ab12cd34ef")
NO_MODEL = Reply({"error": 'model "qwen3-embedding:4b" not found, try pulling it first'}, 404)


@contextmanager
def serving(
    *answers: Any, model: Installed = QWEN, **more: Any
) -> Iterator[tuple[ModelServer, OllamaEmbedder]]:
    """Give a server with these answers to `/api/embed`, and an embedder of it."""
    listening = ModelServer().on("POST /api/embed", *answers)
    with listening as server, closing(embedder(server, model, **more)) as made:
        yield server, made


def embedder(server: ModelServer, model: Installed = QWEN, **more) -> OllamaEmbedder:
    """Return an embedder of a server that never really sleeps."""
    settings = EmbeddingSettings(**more)
    return OllamaEmbedder(JsonClient(server.url), model, settings, sleep=lambda _: None)


def test_qwen3_is_asked_for_1024_dimensions_and_gets_its_query_prefix():
    """Documents go as they are, queries with Qwen3's instruction; the vectors have length 1."""
    with serving(ollama_embed(2560)) as (server, qwen):
        assert qwen.dims == 1024  # known without asking
        documents = qwen.embed_documents(["alpha beta", "gamma"])
        query = qwen.embed_query("alpha")
        first, second = server.bodies()
    assert first["input"] == ["alpha beta", "gamma"]
    assert (first["dimensions"], first["truncate"], first["keep_alive"]) == (1024, True, "10m")
    assert second["input"] == [known("qwen3-embedding:4b").query_prefix + "alpha"]
    assert second["input"][0].startswith("Instruct: ")
    assert second["input"][0].endswith("\nQuery:alpha")
    assert documents.shape == (2, 1024)
    assert documents.dtype == query.dtype == np.float32
    np.testing.assert_allclose(documents[0], unit(vector("alpha beta", 2560)[:1024]), atol=1e-6)


def test_the_id_names_model_file_and_dimensions():
    """Two quantisations under one tag, two lengths, or another document prefix never share an id."""
    with ModelServer() as server:
        ids = [
            embedder(server).model_id,
            embedder(server, Installed(QWEN.name, "ffff0000")).model_id,
            embedder(server, dimensions=512).model_id,
            embedder(server, document_prefix="passage: ").model_id,
            embedder(server, Installed("qwen3-embedding:8b", "ab12cd34ef")).model_id,
        ]
        assert ids[0] == "ollama:qwen3-embedding:4b@ab12cd34:1024"
        assert len(set(ids)) == len(ids)
        assert embedder(server, query_prefix="q: ").model_id == ids[0]
        assert server.requests == []


@pytest.mark.parametrize(
    ("name", "settings", "length"),
    [("all-minilm:latest", {"dimensions": 256}, 384), ("qwen3-embedding:0.6b", {}, 1024)],
)
def test_a_model_that_cannot_be_cut_keeps_its_length(name, settings, length):
    """A vector of all-minilm is never cut, and one of the smallest qwen3 need not be."""
    with serving(ollama_embed(length), model=Installed(name), **settings) as (server, model):
        assert model.embed_documents(["alpha"]).shape == (1, length)
        assert model.dims == length
        assert len(server.requests) == 1
        assert "dimensions" not in server.bodies()[0]


def test_a_model_that_is_not_installed_says_what_to_run():
    """Ollama's 404 that names the model is a missing model; another one is the server's error."""
    with serving(NO_MODEL, Reply({"error": "no such path"}, 404)) as (_, qwen):
        with pytest.raises(ModelMissing, match="qwen3-embedding:4b") as caught:
            qwen.embed_query("alpha")
        assert caught.value.hint == "Run `ollama pull qwen3-embedding:4b`."
        with pytest.raises(ProviderError, match="404") as refused:
            qwen.embed_query("alpha")
        assert not isinstance(refused.value, ModelMissing)


def test_a_length_that_changes_is_an_error():
    """What was learned from the first answer holds for all of them, and what is known of a name."""
    with serving(ollama_embed(384), ollama_embed(768), model=Installed("my-own:latest")) as (_, model):
        model.embed_documents(["alpha"])
        with pytest.raises(ProviderError, match="768 numbers instead of 384"):
            model.embed_documents(["alpha"])
    for answer, words in (
        (ollama_embed(768), "768 numbers instead"),
        ({"embeddings": []}, "did not return 1 vectors"),
    ):
        with serving(answer) as (_, qwen), pytest.raises(ProviderError, match=words):
            qwen.embed_query("alpha")


def test_a_server_that_hangs_is_given_up():
    """The timeout is an error that may pass, not a hang."""
    given_up = pytest.raises(ProviderBusy, match="did not answer")
    with serving(Reply({}, delay=30), timeout=0.2) as (_, qwen), given_up:
        qwen.embed_query("alpha")


def test_blank_texts_give_zeros_and_are_not_sent():
    """Empty, white space and control characters: a row of zeros each, the others in their places."""
    with serving(ollama_embed(2560)) as (server, qwen):
        found = qwen.embed_documents(["", "alpha", " \n", "\x00\x01"])
        assert not qwen.embed_query("").any()
        assert qwen.embed_documents([]).shape == (0, 1024)
        assert [body["input"] for body in server.bodies()] == [["alpha"]]
    assert found[1].any()
    assert not found[[0, 2, 3]].any()


def test_texts_go_in_small_batches_in_order():
    """Twenty texts are three requests of at most eight; an older Ollama that cuts nothing is cut here."""
    texts = [f"word{n}" for n in range(20)]
    with serving(ollama_embed(2560, cuts=False)) as (server, qwen):
        found = qwen.embed_documents(texts)
        assert [len(body["input"]) for body in server.bodies()] == [8, 8, 4]
    for row, text in zip(found, texts, strict=True):
        np.testing.assert_allclose(row, unit(vector(text, 2560)[:1024]), atol=1e-6)


def test_a_text_that_is_too_long_is_found_and_cut_alone():
    """The server refuses what is over 2,000 characters; the short texts beside it stay whole."""
    sent: list[int] = []

    def picky(request):
        sent.append(len(request.body["input"]))
        if any(len(text) > 2000 for text in request.body["input"]):
            return Reply({"error": "the input length exceeds the context length"}, 400)
        return ollama_embed(2560)(request)

    long = "word " * 1000
    with serving(picky) as (_, qwen):
        found = qwen.embed_documents(["alpha", "beta", long, "gamma"])
        alone = qwen.embed_documents([long])
    np.testing.assert_allclose(found[1], unit(vector("beta", 2560)[:1024]), atol=1e-6)
    np.testing.assert_array_equal(found[2], alone[0])
    assert found[2].any()


def test_a_refusal_that_no_cut_helps_is_raised():
    """A server that finds everything too long ends in its own error, after a few tries."""
    refusal = Reply({"error": "the input length exceeds the context length"}, 400)
    with serving(refusal) as (server, qwen):
        with pytest.raises(ProviderError, match="context length"):
            qwen.embed_documents(["word " * 3000])
        assert [len(body["input"][0]) for body in server.bodies()] == [8000, 1500, 500]


def test_the_models_of_a_server_are_listed():
    """Names and digests, sorted; entries without a name are left out."""
    tags = {"models": [{"name": "b:latest", "digest": "sha256:22"}, {"digest": "x"}, {"name": "a:1"}, 5]}
    with ModelServer().on("GET /api/tags", tags) as server, closing(JsonClient(server.url)) as client:
        models = installed(client)
    assert models == (Installed("a:1"), Installed("b:latest", "22"))
    assert named(models, "b") == models[1]
    assert named(models, "a:1") == models[0]
    assert named(models, "a") is None
