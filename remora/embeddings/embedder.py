"""The protocol of an embedder, and the choice of the best available tier.

The tiers, best first: a Qwen3 embedding model in Ollama, chosen by the machine's memory; an OpenAI-compatible
server, if the settings name one; the bundled model; none, which leaves keyword and graph search. A configured
provider takes precedence and raises its errors. Every skipped tier adds a reason, for `remora doctor`.

No text leaves the machine because of a key in the environment alone: the hosted tier requires `embedding.url`
or `embedding.provider = "openai"`.

This module imports neither numpy nor an HTTP client; they are imported for the chosen tier. Probing Ollama
costs a bare TCP connect, under a millisecond if it is not running.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from remora.core.config import EmbeddingSettings
from remora.core.errors import ConfigError, ModelMissing, ProviderBusy, RemoraError
from remora.disk.places import data_folder
from remora.net.hosts import address_of, host_of, is_loopback, key_for, ollama_url, reachable
from remora.net.listeners import require_trusted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from remora.embeddings.ollama import Installed

FAMILY = "qwen3-embedding"
SERVED = ("ollama", "openai")  # tiers that a server computes
PROBE_SECONDS = 0.15  # for a server on this machine
PATIENT_SECONDS = 1.5  # for a server elsewhere, or one that the settings ask for
LIST_SECONDS = 2.0  # for the list of its models


class Embedder(Protocol):
    """Turns text into vectors: float32, finite, length 1; a blank text gives zeros."""

    @property
    def model_id(self) -> str:
        """Provider, model, quantisation and dimensions: equal only if vectors may be compared."""
        ...

    @property
    def dims(self) -> int:
        """Length of the vectors."""
        ...

    @property
    def query_prefix(self) -> str:
        """The prefix of a query."""
        ...

    @property
    def document_prefix(self) -> str:
        """The prefix of a document."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an (n, dims) matrix, one row for each text, in order."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the (dims,) vector of a query."""
        ...


class Choice(NamedTuple):
    """The tier in use ("ollama", "openai", "onnx", "none") and the reasons, one sentence each."""

    embedder: Embedder | None
    tier: str
    reasons: tuple[str, ...] = ()

    def close(self) -> None:
        """Close the connections or the model of the embedder, if any."""
        close = getattr(self.embedder, "close", None)
        if close is not None:
            close()


GIB = 1 << 30
# The sizes of Qwen3 and the memory of a machine from which each is the best choice. With context and buffers
# a size takes twice its 4-bit weights of 4.7, 2.5 and 0.6 GB; the rest is for an editor and its tools.
BEST_FROM = {"8b": 32 * GIB, "4b": 8 * GIB, "0.6b": 0}


def total_memory() -> int | None:
    """Return the bytes of memory of this machine; None if unknown, as on Windows."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def choose(
    settings: EmbeddingSettings,
    *,
    environ: Mapping[str, str],
    probe: Callable[[str, int, float], bool] = reachable,
    memory: Callable[[], int | None] = total_memory,
) -> Choice:
    """Return the embedder of the configured provider, or of the best available tier.

    Args:
        settings: the section `[embedding]`.
        environ: the process environment: OLLAMA_HOST, OPENAI_BASE_URL and the key's variable.
        probe: whether something listens at (host, port), within seconds.
        memory: bytes of memory of this machine, None if unknown.

    Raises:
        ModelMissing: the configured provider lacks its model, its package or its key.
        ProviderError: the configured provider does not answer, or returns an invalid answer.
        ConfigError: an invalid URL or key.
    """
    search = _Search(settings, environ, probe, memory, [])
    if settings.provider == "none":
        return Choice(None, "none", ("embedding.provider is none: keyword and graph search only",))
    if settings.provider != "auto":
        embedder = search.configured()
        return Choice(embedder, settings.provider, (*search.reasons, "requested by embedding.provider"))
    return search.best()


class _Search(NamedTuple):
    """One search through the tiers; `reasons` collects the reasons for skipped tiers."""

    settings: EmbeddingSettings
    environ: Mapping[str, str]
    probe: Callable[[str, int, float], bool]
    memory: Callable[[], int | None]
    reasons: list[str]

    def configured(self) -> Embedder:
        """Return the embedder of the configured provider."""
        provider = self.settings.provider
        if provider == "ollama":
            return self.ollama(self.settings.url or self.ollama_of_environment())
        if provider == "openai":
            return self.openai(self.settings.url or self.environ.get("OPENAI_BASE_URL", ""))
        if provider == "onnx":
            return self.bundled()
        raise ConfigError(f"embedding.provider is {provider!r}, which is not a known provider")

    def best(self) -> Choice:
        """Return the first available tier."""
        tiers: tuple[tuple[str, Callable[[], Embedder]], ...] = (
            ("ollama", lambda: self.ollama(self.ollama_of_environment())),
            ("openai", self.openai_if_named),
            ("onnx", self.bundled),
        )
        for tier, build in tiers:
            try:
                return Choice(build(), tier, tuple(self.reasons))
            except RemoraError as error:
                self.reasons.append(f"{tier}: {error}." + (f" {error.hint}" if error.hint else ""))
        return Choice(None, "none", (*self.reasons, "no embedder: keyword and graph search only"))

    def ollama_of_environment(self) -> str:
        """Return the default URL of Ollama: this machine, whatever OLLAMA_HOST says.

        Raises:
            ProviderError: OLLAMA_HOST names another machine.
        """
        url = ollama_url(self.environ)
        if not is_loopback(host_of(url)):
            require_trusted(url, Path(data_folder(self.environ)))
        return url

    def ollama(self, url: str) -> Embedder:
        """Return the embedder of an Ollama server."""
        host, port = address_of(url)
        near = is_loopback(host)
        auto = self.settings.provider == "auto"
        if not self.probe(host, port, PROBE_SECONDS if near and auto else PATIENT_SECONDS):
            raise ProviderBusy(
                f"Nothing listens at {host}:{port}",
                hint="Start Ollama, or set OLLAMA_HOST if it runs elsewhere." if not auto else "",
            )
        if not self.settings.url:
            require_trusted(url, Path(data_folder(self.environ)))
        from remora.embeddings.ollama import OllamaEmbedder, installed
        from remora.net.http import JsonClient

        client = JsonClient(url, timeout=self.settings.timeout)
        try:
            model = self.ollama_model(installed(client, timeout=LIST_SECONDS), where=client.host)
            return OllamaEmbedder(client, model, self.settings)
        except RemoraError:
            client.close()
            raise

    def ollama_model(self, models: Sequence[Installed], *, where: str) -> Installed:
        """Return the configured model, or the best size of Qwen3."""
        from remora.embeddings.ollama import named

        wanted = self.settings.model
        if wanted:
            found = named(models, wanted)
            if found is None:
                raise ModelMissing(
                    f"Ollama at {where} does not have the model {wanted}",
                    hint=f"Run `ollama pull {wanted}`.",
                )
            return found
        model = pick_size(models, self.memory() or 0)
        if model is None:
            raise ModelMissing(
                f"Ollama at {where} has no {FAMILY} model", hint=f"Run `ollama pull {FAMILY}:4b`."
            )
        self.reasons.append(f"{model.name}: the best installed size for the memory of this machine")
        return model

    def openai_if_named(self) -> Embedder:
        """Return the OpenAI-compatible embedder if the settings name a URL."""
        if not self.settings.url:
            raise ModelMissing("embedding.url is not set")
        host, port = address_of(self.settings.url)
        # Another host may be reachable through a proxy only, so it is not probed.
        if is_loopback(host) and not self.probe(host, port, PROBE_SECONDS):
            raise ProviderBusy(f"Nothing listens at {host}:{port}", hint="Start the server at embedding.url.")
        return self.openai(self.settings.url)

    def openai(self, url: str) -> Embedder:
        """Return the embedder of an OpenAI-compatible server."""
        from remora.embeddings.openai import DEFAULT_MODEL, DEFAULT_URL, OpenAIEmbedder

        url = url or DEFAULT_URL
        address_of(url)
        key = key_for(self.settings.api_key_env, self.environ, url)
        official = host_of(url) == host_of(DEFAULT_URL)
        if official and not key:
            raise ModelMissing("OpenAI's server requires a key, and none is set", hint=key.hint)
        if not official and not self.settings.model:
            raise ModelMissing(
                f"The server at {host_of(url)} requires a model name", hint="Set embedding.model."
            )
        return OpenAIEmbedder(url, self.settings.model or DEFAULT_MODEL, self.settings, key=key)

    def bundled(self) -> Embedder:
        """Return the bundled model after checking its files."""
        from remora.embeddings.onnx import OnnxEmbedder

        embedder = OnnxEmbedder()
        embedder.check()
        return embedder


def pick_size(models: Sequence[Installed], memory: int) -> Installed | None:
    """Return the best installed Qwen3 for a machine; None if none is installed.

    That is the best size for its memory, else the largest smaller one, else the smallest larger one.

    Args:
        models: the installed models of the server.
        memory: bytes of memory of this machine, 0 if unknown.
    """
    right = [size for size, least in BEST_FROM.items() if memory >= least]
    order = [*right, *(size for size in reversed(BEST_FROM) if size not in right)]
    # A size may be installed as one of its quantisations, "4b-q8_0".
    fitting = (m for size in order for m in models if m.name.startswith(f"{FAMILY}:{size}"))
    return next(fitting, None)
