"""The ledger: which calls are written, when, and what counts for the limit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from remora.app.memory import Memory
from tests.helpers import environment
from tests.servers import ModelServer, Reply, Request


def vectors(request: Request) -> object:
    """Answer as an OpenAI-compatible server does, with a vector of eight numbers for each text."""
    rows = [[1.0, float(len(text) % 5), *[0.5] * 6] for text in request.body["input"]]
    return {"data": [{"index": place, "embedding": row} for place, row in enumerate(rows)]}


def scores(request: Request) -> object:
    """Answer as a reranking server does."""
    return {"results": [{"index": n, "relevance_score": 0.5} for n in range(len(request.body["documents"]))]}


@contextmanager
def used(folder: Path, data: Path, rerank: object) -> Iterator[tuple[Memory, ModelServer]]:
    """Use a memory whose embedder and reranker are a server on this machine; give it as opened later."""
    with ModelServer() as server:
        server.on("POST /v1/embeddings", vectors).on("POST /v1/rerank", rerank)
        environ = environment(
            data,
            REMORA_EMBEDDING_PROVIDER="openai",
            REMORA_EMBEDDING_URL=f"{server.url}/v1",
            REMORA_EMBEDDING_MODEL="small",
            REMORA_RERANK_PROVIDER="vllm",
            REMORA_RERANK_URL=server.url,
        )
        with Memory.open(folder, environ=environ) as memory:
            memory.remember("The till closes at nine")
            memory.remember("The till opens at eight")
            memory.catch_up()
            assert memory.search("when does the till close")
        with Memory.open(folder, environ=environ) as memory:
            yield memory, server


def test_embeddings_and_reranking_are_counted(tmp_path: Path, folder: Path) -> None:
    """Calls of a server that embeds and of one that reranks stand in the ledger, and not in the limit."""
    with used(folder, tmp_path, scores) as (memory, server):
        found, paths = memory.costs(), server.paths()
    calls = {row.purpose: row.calls for row in found.rows}
    asked_once = 1  # how long its vectors are
    assert calls == {"embeddings": paths.count("/v1/embeddings") - asked_once, "rerank": 1}
    assert all(
        row.estimated == row.calls and row.input_tokens > 0 and row.money is None for row in found.rows
    )
    assert found.today == 0


def test_a_server_that_fails_is_counted(tmp_path: Path, folder: Path) -> None:
    """A reranker that answers with an error leaves the search as it is, and a failed call."""
    with used(folder, tmp_path, Reply(status=500)) as (memory, _):
        (row,) = [row for row in memory.costs().rows if row.purpose == "rerank"]
    assert (row.calls, row.failed) == (1, 1)
