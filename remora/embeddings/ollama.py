"""Embeddings from Ollama: its installed models, and vectors from one of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from remora.core.config import EmbeddingSettings
from remora.core.errors import ModelMissing, ProviderError
from remora.embeddings.remote import RemoteEmbedder
from remora.net.http import JsonClient, member, server_said

KEEP_ALIVE = "10m"  # an agent pauses between turns longer than Ollama's own five minutes
BATCH = 8  # on a processor the 8b model takes seconds a text; a request must end within its timeout


class Installed(NamedTuple):
    """A model of an Ollama server. The digest changes if the tag is moved to another file."""

    name: str
    digest: str = ""


def installed(client: JsonClient, *, timeout: float | None = None) -> tuple[Installed, ...]:
    """Return the models of an Ollama server, by name.

    Raises:
        ProviderError: it is no Ollama server, or it failed.
    """
    models = member(client.get_json("/api/tags", timeout=timeout), "models", list, client.where("/api/tags"))
    found = [
        Installed(str(m["name"]), str(m.get("digest") or "").removeprefix("sha256:"))
        for m in models
        if isinstance(m, dict) and m.get("name")
    ]
    return tuple(sorted(found))


def named(models: Sequence[Installed], name: str) -> Installed | None:
    """Return the model of that name; a name without a tag means `:latest`, as in Ollama itself."""
    full = name if ":" in name.rpartition("/")[2] else f"{name}:latest"
    return next((m for m in models if m.name == full), None)


class OllamaEmbedder(RemoteEmbedder):
    """An embedding model of an Ollama server.

    The model id contains the start of the file's digest: a tag that is pulled again may be another
    quantisation under the same name.
    """

    def __init__(
        self,
        client: JsonClient,
        model: Installed,
        settings: EmbeddingSettings,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare an embedder; arguments as in `RemoteEmbedder`."""
        digest = f"@{model.digest[:8]}" if model.digest else ""
        super().__init__(
            client,
            model.name,
            settings,
            name=f"ollama:{model.name}{digest}",
            batch=BATCH,
            sleep=sleep,
        )

    def _send(self, texts: list[str], seconds: float) -> Sequence[Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "input": texts,
            "truncate": True,
            "keep_alive": KEEP_ALIVE,
        }
        if self._cuttable and (self._native is None or self._native > self._asked):
            body["dimensions"] = self._asked
        try:
            answer = self._client.post_json("/api/embed", body, timeout=seconds)
        except ProviderError as error:
            if error.status == 404 and server_said(error, "model"):
                raise ModelMissing(
                    f"Ollama at {self._client.host} does not have the model {self._model}",
                    hint=f"Run `ollama pull {self._model}`.",
                ) from None
            raise
        return member(answer, "embeddings", list, self._client.where("/api/embed"))
