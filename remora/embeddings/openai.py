"""Embeddings from OpenAI and compatible servers: vLLM, TEI, llama.cpp, LM Studio.

Servers reject different fields. A field that one rejects with a 400 (`dimensions`, `encoding_format`) is left
out from then on.
"""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from remora.core.config import EmbeddingSettings
from remora.core.errors import ProviderError
from remora.embeddings.remote import RemoteEmbedder
from remora.embeddings.vectors import LOOK
from remora.net.hosts import ApiKey, host_of, openai_base
from remora.net.http import JsonClient, member, server_said

DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "text-embedding-3-small"
# The default limit of text-embeddings-inference; of hosted models the 300,000 tokens of one request hold it.
BATCH = 32
_WORDS = {"dimensions": ("dimension", "matryoshka"), "encoding_format": ("encoding_format", "base64")}


class OpenAIEmbedder(RemoteEmbedder):
    """A model behind an OpenAI-compatible `/embeddings`.

    The model id contains the host unless it is OpenAI's own: "bge-m3" on two servers may be two
    quantisations.
    """

    def __init__(
        self,
        url: str,
        model: str,
        settings: EmbeddingSettings,
        *,
        key: ApiKey | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare an embedder; arguments as in `RemoteEmbedder`.

        Raises:
            ConfigError: the URL is not one of a server.
        """
        client = JsonClient(openai_base(url), key=key, timeout=settings.timeout)
        hosted = host_of(url) == "api.openai.com"
        super().__init__(
            client,
            model,
            settings,
            name=f"openai:{model}" if hosted else f"openai@{client.host}:{model}",
            batch=BATCH,
            sleep=sleep,
        )
        self._optional: dict[str, Any] = {"encoding_format": "base64"}
        if self._native is None or (self._cuttable and self._native > self._asked):
            self._optional["dimensions"] = self._asked

    def _send(self, texts: list[str], seconds: float) -> Sequence[Any]:
        body = {"model": self._model, "input": texts, **self._optional}
        try:
            answer = self._client.post_json("/embeddings", body, timeout=seconds)
        except ProviderError as error:
            if not self._give_up_a_field(error):
                raise
            return self._send(texts, seconds)
        where = self._client.where("/embeddings")
        return _in_order(member(answer, "data", list, where), len(texts), where)

    def _give_up_a_field(self, error: ProviderError) -> bool:
        if error.status not in (400, 422):
            return False
        for field in list(self._optional):
            if server_said(error, *_WORDS[field]):
                del self._optional[field]
                return True
        return False


def _in_order(data: list[Any], count: int, where: str) -> list[Any]:
    """Return the vectors of `data` by their index, which some servers shuffle and some omit."""
    items = [item for item in data if isinstance(item, Mapping) and "embedding" in item]
    given = [item.get("index", place) for place, item in enumerate(items)]
    indexes = [i for i in given if isinstance(i, int)]
    if len(items) != len(data) or len(indexes) != count or sorted(indexes) != list(range(count)):
        raise ProviderError(
            f"{where} returned an unexpected response: {len(items)} embeddings for {count} texts, "
            "or with wrong indexes",
            hint=LOOK,
            status=200,
        )
    vectors: list[Any] = [None] * count
    for place, item in zip(indexes, items, strict=True):
        vectors[place] = _numbers(item["embedding"], where)
    return vectors


def _numbers(embedding: Any, where: str) -> Any:
    if not isinstance(embedding, str):
        return embedding
    try:
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    except (binascii.Error, ValueError):
        raise ProviderError(
            f"{where} returned an embedding that is not base64 of float32", hint=LOOK, status=200
        ) from None
