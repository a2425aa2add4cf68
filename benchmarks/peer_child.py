"""A store of one kind in one folder, in a process of its own, driven by lines of JSON; see `peers`.

Runs as a script in the environment of its peer, which has neither `benchmarks` nor, in general, Remora.
The driver sends a command a line and gets an answer a line. While a command is at work the child may ask
for vectors instead, `{"embed": [text, …]}`, and gets `{"vectors": [base64 of float32, …]}`: every peer has
the vectors of one model, none of them loads it, and the time that they take is left out.
"""

from __future__ import annotations

import base64
import contextlib
import importlib.metadata
import json
import os
import re
import resource
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

DIMS = 384
Item = Mapping[str, str]  # id, session, role, content, time (may be ""), text: all of it in one line
Embed = Callable[[Sequence[str]], list[bytes]]  # little-endian float32 of each text


class Store(Protocol):
    """What a peer is asked to do."""

    def add(self, items: Sequence[Item]) -> None:
        """Store items that were said one after the other."""
        ...

    def flush(self) -> None:
        """Finish what the store put off until later: whatever was added can be found."""

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of the k best items, best first."""
        ...

    def count(self) -> int:
        """Return the number of items that are there."""
        ...

    def close(self) -> None:
        """Write what is to be written and let go of the files."""
        ...


def floats(vector: bytes) -> list[float]:
    """Return a vector as the list that most stores want."""
    return array("f", vector).tolist()


class _Bare(Store):
    """A table of SQLite with a text and a vector a row; a search multiplies the matrix of all of them."""

    def __init__(self, folder: Path, embed: Embed) -> None:
        import sqlite3

        import numpy as np

        self._np, self._embed = np, embed
        self._db = sqlite3.connect(folder / "bare.db", timeout=60, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("CREATE TABLE IF NOT EXISTS items (id TEXT PRIMARY KEY, text TEXT, vector BLOB)")
        self._matrix: Any = None
        self._rows: list[int] = []

    def add(self, items: Sequence[Item]) -> None:
        vectors = self._embed([item["text"] for item in items])
        self._db.execute("BEGIN IMMEDIATE")
        rows = [(item["id"], item["text"], v) for item, v in zip(items, vectors, strict=True)]
        self._db.executemany("INSERT INTO items VALUES (?, ?, ?)", rows)
        self._db.execute("COMMIT")
        self._matrix = None

    def search(self, query: str, k: int) -> list[str]:
        np = self._np
        if self._matrix is None:
            found = self._db.execute("SELECT rowid, vector FROM items").fetchall()
            self._rows = [row for row, _ in found]
            self._matrix = np.frombuffer(b"".join(v for _, v in found), "<f4").reshape(-1, DIMS)
        scores = self._matrix @ np.frombuffer(self._embed([query])[0], "<f4")
        best = np.argpartition(-scores, min(k, len(scores)) - 1)[:k]
        best = best[np.argsort(-scores[best])]
        rows = [self._rows[at] for at in best]
        marks = ",".join("?" * len(rows))
        sql = f"SELECT rowid, id, text FROM items WHERE rowid IN ({marks})"
        named = {row: key for row, key, _ in self._db.execute(sql, rows)}
        return [named[row] for row in rows]

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM items").fetchone()[0])

    def close(self) -> None:
        self._db.close()


class _Remora(Store):
    """`Memory` with its defaults: a session of the conversation is a session, a speaker is a role."""

    def __init__(self, folder: Path, embed: Embed) -> None:
        import numpy as np

        from remora.app.memory import Memory
        from remora.embeddings.onnx import OnnxEmbedder

        class Vectors:
            """The driver's vectors under the name of the model that made them."""

            model_id = OnnxEmbedder.model_id
            dims = DIMS
            query_prefix = document_prefix = ""

            def embed_documents(self, texts: Sequence[str]) -> Any:
                return np.frombuffer(b"".join(embed(texts)), "<f4").reshape(-1, DIMS)

            def embed_query(self, text: str) -> Any:
                return self.embed_documents([text])[0]

        project = folder / "project"
        project.mkdir(exist_ok=True)
        self._memory = Memory.open(project, embedder=Vectors())

    def add(self, items: Sequence[Item]) -> None:
        for session, said in groupby(items, lambda item: item["session"]):
            self._memory.session(session).extend(
                {"role": item["role"], "content": item["content"], "external_id": item["id"]}
                | ({"time": item["time"]} if item["time"] else {})
                for item in said
            )

    def flush(self) -> None:
        self._memory.catch_up()

    def search(self, query: str, k: int) -> list[str]:
        return [hit.external_id or "" for hit in self._memory.search(query, k, kinds=["turn"])]

    def count(self) -> int:
        return self._memory.stats().turns

    def close(self) -> None:
        self._memory.close()


class _Chroma(Store):
    """A persistent client and one collection with an embedding function."""

    def __init__(self, folder: Path, embed: Embed) -> None:
        import chromadb
        import numpy as np
        from chromadb.api.types import EmbeddingFunction
        from chromadb.config import Settings

        class Vectors(EmbeddingFunction):
            """The driver's vectors."""

            def __init__(self) -> None:
                pass

            def __call__(self, input: Any) -> Any:  # noqa: A002  the name that Chroma asks for
                return [np.frombuffer(v, "<f4") for v in embed(input)]

            @staticmethod
            def name() -> str:
                return "driver"

            def get_config(self) -> dict[str, Any]:
                return {}

            @staticmethod
            def build_from_config(config: dict[str, Any]) -> Any:  # noqa: ARG004
                return Vectors()

        settings = Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(path=str(folder / "chroma"), settings=settings)
        self._items = self._client.get_or_create_collection("memories", embedding_function=Vectors())

    def add(self, items: Sequence[Item]) -> None:
        self._items.add(
            ids=[item["id"] for item in items],
            documents=[item["text"] for item in items],
            metadatas=[{"session": item["session"], "role": item["role"]} for item in items],
        )

    def search(self, query: str, k: int) -> list[str]:
        found: list[str] = self._items.query(query_texts=[query], n_results=k)["ids"][0]
        return found

    def count(self) -> int:
        return int(self._items.count())

    def close(self) -> None:
        with contextlib.suppress(AttributeError):
            self._client.close()


class _LangGraph(Store):
    """`SqliteStore` with an index over the text of every item."""

    def __init__(self, folder: Path, embed: Embed) -> None:
        from langgraph.store.base import PutOp
        from langgraph.store.sqlite import SqliteStore

        def vectors(texts: Sequence[str]) -> list[list[float]]:
            return [floats(v) for v in embed(texts)]

        self._put = PutOp
        self._end = contextlib.ExitStack()
        index: Any = {"dims": DIMS, "embed": vectors, "fields": ["text"]}
        opened = SqliteStore.from_conn_string(str(folder / "store.db"), index=index)
        self._store = self._end.enter_context(opened)
        self._store.setup()

    def add(self, items: Sequence[Item]) -> None:
        kept = ("text", "session", "role")
        self._store.batch(
            [self._put(("memories",), item["id"], {name: item[name] for name in kept}) for item in items]
        )

    def search(self, query: str, k: int) -> list[str]:
        return [item.key for item in self._store.search(("memories",), query=query, limit=k)]

    def count(self) -> int:
        return int(self._store.conn.execute("SELECT count(*) FROM store").fetchone()[0])

    def close(self) -> None:
        self._end.close()


class _Mem0(Store):
    """`Memory.add(infer=False)` over its local Qdrant: no model of language is called."""

    def __init__(self, folder: Path, embed: Embed) -> None:
        from mem0 import Memory
        from mem0.embeddings.base import EmbeddingBase

        class Vectors(EmbeddingBase):
            """The driver's vectors."""

            def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
                return floats(embed([text])[0])

            def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> Any:  # noqa: ARG002
                return [floats(v) for v in embed(texts)]

        unused = {"provider": "openai", "config": {"api_key": "unused"}}
        place = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": DIMS}
        self._memory = Memory.from_config(
            {
                "llm": unused,
                "embedder": unused,
                "vector_store": {"provider": "qdrant", "config": place},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = Vectors()

    def add(self, items: Sequence[Item]) -> None:
        for item in items:
            message = {"role": "user", "name": item["role"], "content": item["text"]}
            kept = {"item": item["id"], "session": item["session"]}
            self._memory.add([message], user_id="peer", metadata=kept, infer=False)

    def search(self, query: str, k: int) -> list[str]:
        found = self._memory.search(query, filters={"user_id": "peer"}, top_k=k)["results"]
        return [hit["metadata"]["item"] for hit in found]

    def count(self) -> int:
        return int(self._memory.vector_store.client.count(self._memory.collection_name).count)

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._memory.close()


class _MemSearch(Store):
    """A Markdown file a session with a heading a turn, indexed by Milvus Lite."""

    _ID = re.compile(r"<!-- id (.+?) -->")

    def __init__(self, folder: Path, embed: Embed) -> None:
        import asyncio

        from memsearch import core

        class Vectors:
            """The driver's vectors."""

            model_name = "driver"
            dimension = DIMS
            batch_size = 512

            async def embed(self, texts: list[str]) -> list[list[float]]:
                return [floats(v) for v in embed(texts)]

        self._notes = folder / "memory"
        self._notes.mkdir(exist_ok=True)
        core.get_provider = lambda *_, **__: Vectors()  # there is no public way to bring one's own
        self._run = asyncio.new_event_loop().run_until_complete
        self._memory = core.MemSearch([self._notes], milvus_uri=str(folder / "milvus.db"))

    def add(self, items: Sequence[Item]) -> None:
        for session, said in groupby(items, lambda item: item["session"]):
            note = self._notes / f"{re.sub(r'[^a-z0-9]', '-', session)}.md"
            with note.open("a", encoding="utf-8") as file:
                for item in said:
                    file.write(f"## {item['role']}\n<!-- id {item['id']} -->\n{item['text']}\n\n")
            self._run(self._memory.index_file(note))

    def search(self, query: str, k: int) -> list[str]:
        found = self._run(self._memory.search(query, top_k=k))
        return [named[1] for hit in found if (named := self._ID.search(hit["content"]))]

    def count(self) -> int:
        self._memory._store._ensure_collection_for_write()
        client, name = self._memory._store._client, self._memory._store._collection
        return int(client.query(name, filter="", output_fields=["count(*)"])[0]["count(*)"])

    def close(self) -> None:
        self._memory.close()


STORES: dict[str, Callable[[Path, Embed], Store]] = {
    "remora": _Remora,
    "bare": _Bare,
    "chroma": _Chroma,
    "langgraph": _LangGraph,
    "mem0": _Mem0,
    "memsearch": _MemSearch,
}


class Line:
    """The line to the driver: commands, answers, and questions for vectors in between.

    Attributes:
        embedding: processor seconds that asking for vectors and decoding them took.
        embedded: how many vectors were asked for.
    """

    def __init__(self) -> None:
        # What a library prints must not come between the answers.
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        self._one_at_a_time = threading.Lock()
        self.embedding = 0.0
        self.embedded = 0

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of some texts."""
        started = time.thread_time()
        with self._one_at_a_time:
            self.say({"embed": list(texts)})
            answer = json.loads(sys.stdin.readline())["vectors"]
        vectors = [base64.b64decode(vector) for vector in answer]
        self.embedding += time.thread_time() - started
        self.embedded += len(texts)
        return vectors

    def say(self, answer: Mapping[str, Any]) -> None:
        """Send an answer."""
        self._out.write(json.dumps(answer) + "\n")
        self._out.flush()

    def processor(self) -> float:
        """Return the user and system seconds of this process and its ended children, without embedding."""
        both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(used.ru_utime + used.ru_stime for used in both) - self.embedding

    def commands(self) -> Iterator[dict[str, Any]]:
        """Yield the commands of the driver until it hangs up."""
        for line in iter(sys.stdin.readline, ""):
            yield json.loads(line)


def peak() -> int:
    """Return the most bytes that this process has held; not those of the process that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        return int(found[1]) * 1024 if found else 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used * (1 if sys.platform == "darwin" else 1024)


def stay_here() -> list[str]:
    """Refuse every connection of Python's sockets to another machine; return the list of those refused."""
    refused: list[str] = []

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect":
            address = arguments[1]
            host = address[0] if isinstance(address, tuple) else ""
        elif event == "socket.getaddrinfo":
            host = arguments[0] or ""
        else:
            return
        host = host.decode() if isinstance(host, bytes) else str(host)
        if host not in ("", "localhost", "127.0.0.1", "::1", "0.0.0.0", "::"):
            refused.append(host)
            raise PermissionError(f"no network in this benchmark: {host}")

    sys.addaudithook(watch)
    return refused


def write(store: Store, items: Sequence[Item]) -> dict[str, Any]:
    """Store items one by one, whatever becomes of each; return how many failed, and the first error."""
    errors = []
    for item in items:
        try:
            store.add([item])
        except Exception as error:  # noqa: BLE001  whatever a store raises is what is counted
            errors.append(said(error))
    try:
        store.flush()
    except Exception as error:  # noqa: BLE001
        errors.append(said(error))
    return {"errors": len(errors), "first": errors[0] if errors else ""}


def said(error: BaseException) -> str:
    """Return an error as one line of text."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def versions(packages: Sequence[str]) -> dict[str, str]:
    """Return the installed versions of packages, without those that are not installed."""
    found = {}
    for name in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def serve(make: Callable[[Path, Embed], Store], folder: Path, packages: Sequence[str]) -> None:
    """Open a store and obey the driver until it says "close" or hangs up."""
    line, refused = Line(), stay_here()
    try:
        store = make(folder, line.embed)
    except Exception as error:  # noqa: BLE001  the driver reports what cannot be opened
        line.say({"error": said(error)})
        return
    line.say({"processor": line.processor(), "versions": versions(packages)})
    for command in line.commands():
        before, vectors = line.processor(), line.embedded
        answer: dict[str, Any] = {}
        try:
            if command["do"] == "ingest":
                store.add(command["items"])
            elif command["do"] == "flush":
                store.flush()
            elif command["do"] == "search":
                answer["ids"] = store.search(command["query"], command["k"])
            elif command["do"] == "write":
                answer = write(store, command["items"])
            elif command["do"] == "count":
                answer["count"] = store.count()
            else:
                store.close()
        except Exception as error:  # noqa: BLE001  the driver decides what an error means
            answer = {"error": said(error)}
        answer |= {"processor": line.processor() - before, "embedded": line.embedded - vectors}
        if command["do"] == "close":
            line.say(answer | {"peak": peak(), "refused": refused})
            return
        line.say(answer)


if __name__ == "__main__":
    serve(STORES[sys.argv[1]], Path(sys.argv[2]), sys.argv[3:])
