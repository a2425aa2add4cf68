"""A server that stops answering is waited for once, not once for each batch."""

from __future__ import annotations

import pytest

from remora.core.clock import FixedClock
from remora.core.config import EmbeddingSettings
from remora.core.errors import ProviderBusy
from remora.embeddings.remote import PAUSE, RemoteEmbedder
from remora.net.http import JsonClient


class Server(RemoteEmbedder):
    """An embedder whose server answers, limits (429) or is gone (0), as `status` says."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__(
            JsonClient("http://127.0.0.1:9"),
            "m",
            EmbeddingSettings(),
            name="test:m",
            batch=1,
            sleep=lambda seconds: clock.advance(seconds=seconds),
            now=clock.now,
        )
        self.status = 200
        self.requests = 0

    def _send(self, texts: list[str], seconds: float) -> list[list[float]]:
        self.requests += 1
        if self.status != 200:
            raise ProviderBusy("not now", status=self.status)
        return [[1.0, 0.0] for _ in texts]


def test_a_server_that_is_gone_costs_its_budget_once():
    """After one request without an answer the next ones fail at once, and PAUSE later it is asked again."""
    clock = FixedClock(0.0)
    server = Server(clock)
    server.embed_query("before")
    server.status = 0
    with pytest.raises(ProviderBusy):
        server.embed_documents(["a", "b"])
    waited, asked = clock.now(), server.requests
    assert 0 < waited <= 30
    for _ in range(100):
        with pytest.raises(ProviderBusy, match="did not answer recently"):
            server.embed_query("again")
    assert (clock.now(), server.requests) == (waited, asked)
    server.status = 200
    clock.advance(seconds=PAUSE)
    assert server.embed_query("back").shape == (2,)
    assert server.embed_query("and stays").shape == (2,)


def test_a_server_that_limits_is_asked_again():
    """A refusal for now is an answer: the next text is tried without a pause."""
    server = Server(FixedClock())
    server.status = 429
    with pytest.raises(ProviderBusy):
        server.embed_query("first")
    server.status = 200
    assert server.embed_query("second").shape == (2,)
