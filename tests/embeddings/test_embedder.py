"""The choice of the tier: what wins, what is passed over, and the reasons that are left."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from remora.core.config import EmbeddingSettings
from remora.core.errors import ConfigError, ModelMissing, ProviderBusy, ProviderError
from remora.embeddings.embedder import GIB, Choice, choose, pick_size, total_memory
from remora.embeddings.ollama import Installed
from tests.servers import ModelServer, Reply, free_port, ollama_embed

AUTO = EmbeddingSettings()


def tags(*names: str) -> dict[str, Any]:
    """Return what /api/tags says of these models."""
    return {"models": [{"name": name, "digest": f"{n}" * 12} for n, name in enumerate(names)]}


def nobody(host: str, port: int, seconds: float) -> bool:
    """Find no server anywhere."""
    return False


def chosen(
    settings: EmbeddingSettings = AUTO,
    environ: dict[str, str] | None = None,
    *,
    memory: int = 64 * GIB,
    **more: Any,
) -> Choice:
    """Return a choice on a machine with so much memory."""
    return choose(settings, environ=environ or {}, memory=lambda: memory, **more)


def model(settings: EmbeddingSettings = AUTO, environ: dict[str, str] | None = None, **more: Any) -> str:
    """Return the id of the model that is chosen, after its tier, and close it again."""
    choice = chosen(settings, environ, **more)
    assert choice.embedder is not None
    choice.close()
    assert choice.embedder.model_id.startswith(f"{choice.tier}:")
    return choice.embedder.model_id


def test_without_any_server_the_bundled_model_is_taken():
    """Nothing listens, no URL: the bundled model, with a reason for each tier passed over."""
    asked: list[tuple[str, int, float]] = []

    def probe(*where: Any) -> bool:
        asked.append(where)
        return False

    assert model(probe=probe) == "onnx:all-MiniLM-L6-v2-int8-dynamic:384"
    assert asked == [("127.0.0.1", 11434, 0.15)]
    assert chosen(probe=nobody).reasons == (
        "ollama: Nothing listens at 127.0.0.1:11434.",
        "openai: embedding.url is not set.",
    )


def test_a_key_alone_sends_nothing_anywhere():
    """OPENAI_API_KEY in the environment is no consent."""
    choice = chosen(environ={"OPENAI_API_KEY": "sk-live-1234567890"}, probe=nobody)
    assert (choice.tier, choice.reasons[1]) == ("onnx", "openai: embedding.url is not set.")


def test_without_the_bundled_model_there_is_none(monkeypatch):
    """A missing package leaves keyword search, and says so."""
    monkeypatch.setattr("remora.embeddings.onnx.PACKAGES", ("no_such_package",))
    choice = chosen(probe=nobody)
    assert (choice.embedder, choice.tier) == (None, "none")
    assert choice.reasons[-2].startswith("onnx: The bundled model requires packages")
    assert choice.reasons[-1] == "no embedder: keyword and graph search only"
    choice.close()


def test_ollama_on_its_host_wins_over_the_bundled_model():
    """OLLAMA_HOST is asked; the size fits the memory; the embedder works."""
    with ModelServer() as server:
        server.on("GET /api/tags", tags("llama3:8b", "qwen3-embedding:0.6b", "qwen3-embedding:4b"))
        server.on("POST /api/embed", ollama_embed(2560))
        choice = chosen(environ={"OLLAMA_HOST": server.host})
        assert choice.tier == "ollama"
        assert choice.embedder is not None
        assert choice.embedder.model_id == "ollama:qwen3-embedding:4b@22222222:1024"
        assert choice.embedder.embed_query("alpha").shape == (1024,)
        reason = "qwen3-embedding:4b: the best installed size for the memory of this machine"
        assert choice.reasons == (reason,)
        choice.close()


GI = {"8b": Installed("qwen3-embedding:8b"), "4b": Installed("qwen3-embedding:4b")}
GI["0.6b"] = Installed("qwen3-embedding:0.6b")


@pytest.mark.parametrize(
    ("have", "memory", "taken"),
    [
        (("8b", "4b", "0.6b"), 33, "8b"),
        (("8b", "4b", "0.6b"), 31, "4b"),
        (("8b", "4b", "0.6b"), 7, "0.6b"),
        (("0.6b",), 64, "0.6b"),
        (("8b",), 16, "8b"),  # not the best, but there is no other
        (("8b", "4b"), 0, "4b"),
        ((), 64, None),
    ],
)
def test_the_size_fits_the_memory(have, memory, taken):
    """8b from 32 GiB, 4b from 8, else 0.6b; of what is installed; the smallest if it is unknown."""
    model = pick_size([GI[tag] for tag in have], memory * GIB)
    assert model == (GI[taken] if taken else None)


def test_the_memory_of_this_machine_is_known():
    """Where the system tells it."""
    memory = total_memory()
    assert memory is None if sys.platform == "win32" else 1 << 20 < (memory or 0) < 1 << 50


def test_another_quantisation_of_a_size_counts_as_that_size():
    """qwen3-embedding:4b-q8_0 is a 4b."""
    q8 = Installed("qwen3-embedding:4b-q8_0")
    assert pick_size([GI["8b"], q8], 16 * GIB) == q8


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (tags("llama3:8b"), "has no qwen3-embedding model. Run `ollama pull qwen3-embedding:4b`."),
        (Reply({"error": "broken"}, 500), "answered 500:"),
        (Reply(b"<html>", 200), "not JSON"),
        ({"other": 1}, "no 'models'"),
    ],
)
def test_an_ollama_that_cannot_be_used_is_passed_over(answer, words):
    """No fitting model, a failing server, another kind, a bad address: a reason, and the next tier."""
    with ModelServer().on("GET /api/tags", answer) as server:
        choice = chosen(environ={"OLLAMA_HOST": server.host})
    assert choice.tier == "onnx"
    assert words in choice.reasons[0]
    bad = chosen(environ={"OLLAMA_HOST": "http://bad host:x"}).reasons[0]
    assert bad.startswith("ollama: 'http://bad host:x' is not the URL")


def test_a_named_model_is_taken_from_ollama():
    """embedding.model names any embedding model that Ollama has, and its length is asked for."""
    with ModelServer().on("GET /api/tags", tags("nomic-embed-text:latest")) as server:
        choice = chosen(AUTO._replace(model="nomic-embed-text"), {"OLLAMA_HOST": server.host})
        assert choice.embedder is not None
        assert choice.embedder.model_id == "ollama:nomic-embed-text:latest@00000000:768"
        assert choice.embedder.query_prefix == "search_query: "
        choice.close()
    with ModelServer().on("GET /api/tags", tags("mine:1")).on("POST /api/embed", ollama_embed(512)) as server:
        settings = AUTO._replace(model="mine:1")
        assert model(settings, {"OLLAMA_HOST": server.host}) == "ollama:mine:1@00000000:512"


def test_a_url_in_the_settings_is_the_second_tier():
    """With embedding.url the OpenAI-compatible server is taken when Ollama is not there."""
    with ModelServer() as server:
        settings = AUTO._replace(url=server.url, model="bge-m3")
        choice = chosen(settings, {"OLLAMA_HOST": f"127.0.0.1:{free_port()}"})
        assert choice.tier == "openai"
        assert repr(choice.embedder) == f"OpenAIEmbedder(openai@{server.host}:bge-m3 at {server.host})"
        choice.close()
        assert server.requests == []
    choice = chosen(settings, probe=nobody)
    gone = f"openai: Nothing listens at {server.host}. Start the server at embedding.url."
    assert (choice.tier, choice.reasons[1]) == ("onnx", gone)


def test_what_is_configured_is_taken_without_looking_further():
    """No probe where the provider is none or onnx; one that does not exist is an error."""

    def forbidden(*_: object) -> bool:
        raise AssertionError("nobody may be asked")

    choice = chosen(AUTO._replace(provider="none"), probe=forbidden)
    assert (choice.embedder, choice.tier) == (None, "none")
    assert choice.reasons == ("embedding.provider is none: keyword and graph search only",)
    assert chosen(AUTO._replace(provider="onnx"), probe=forbidden).tier == "onnx"
    with pytest.raises(ConfigError, match="magic"):
        chosen(AUTO._replace(provider="magic"))


def test_a_configured_ollama_that_is_not_there_is_an_error():
    """Nothing is taken in its place; the hint says what to do."""
    with pytest.raises(ProviderBusy, match=r"127\.0\.0\.1:11434") as caught:
        chosen(AUTO._replace(provider="ollama"), probe=nobody)
    assert "Start Ollama" in caught.value.hint


@pytest.mark.parametrize("model", ["", "bge-m3"])
def test_a_configured_ollama_that_cannot_serve_is_an_error(model):
    """Without the model the hint is the command that installs it; a failure comes in its own words."""
    settings = AUTO._replace(provider="ollama", model=model)
    failure = Reply({"error": "out of memory"}, 500)
    with ModelServer().on("GET /api/tags", tags("llama3:8b"), failure) as server:
        with pytest.raises(ModelMissing) as caught:
            chosen(settings._replace(url=server.url))
        assert caught.value.hint == f"Run `ollama pull {model or 'qwen3-embedding:4b'}`."
        with pytest.raises(ProviderError, match="out of memory"):
            chosen(settings._replace(url=server.url))


def test_configured_openai_needs_a_key():
    """The hint names the variable; with it the default model is taken at 1,024 dimensions."""
    settings = AUTO._replace(provider="openai")
    with pytest.raises(ModelMissing) as caught:
        chosen(settings)
    assert caught.value.hint == "The server requires a key; set OPENAI_API_KEY."
    key = {"OPENAI_API_KEY": "sk-live-1234567890"}
    assert model(settings, key) == "openai:text-embedding-3-small:1024"
    assert "1234567890" not in repr(chosen(settings, key))


def test_another_openai_compatible_server_needs_a_models_name():
    """There is no default model on somebody's own server; a key is not needed."""
    settings = AUTO._replace(provider="openai", url="http://gpu-box:8000")
    with pytest.raises(ModelMissing, match="gpu-box") as caught:
        chosen(settings)
    assert caught.value.hint == "Set embedding.model."
    assert chosen(settings._replace(model="bge-m3")).tier == "openai"
