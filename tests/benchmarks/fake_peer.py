"""Fake peers for the driver of `peers`, by name: a file of lines, and what may be wrong with a memory."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.peer_child import Embed, Item, Store, serve


class _Keeper(Store):
    """Appends each item to a file and finds those that share the most words with a question."""

    def __init__(self, folder: Path, embed: Embed) -> None:
        self.file = folder / "items.jsonl"
        self.embed = embed

    def add(self, items: Sequence[Item]) -> None:
        self.embed([item["text"] for item in items])
        with self.file.open("a", encoding="utf-8") as file:
            file.write("".join(json.dumps(dict(item)) + "\n" for item in items))

    def search(self, query: str, k: int) -> list[str]:
        asked = set(query.lower().split())
        items = [json.loads(line) for line in self.file.read_text("utf-8").splitlines()]
        items.sort(key=lambda item: -len(asked & set(item["text"].lower().split())))
        return [item["id"] for item in items[:k]]

    def count(self) -> int:
        return len(self.file.read_text("utf-8").splitlines())

    def close(self) -> None:
        pass


class _Loser(_Keeper):
    """Refuses what is stored alone with an even number, and blackens everything that it stores."""

    def add(self, items: Sequence[Item]) -> None:
        if len(items) == 1 and items[0]["id"][-1] in "02468":
            raise ValueError("even")
        super().add([{**item, "text": "x", "content": "x"} for item in items])


class _Broken(_Keeper):
    """Cannot be opened."""

    def __init__(self, folder: Path, embed: Embed) -> None:
        raise OSError(f"nothing can be made in {folder}")


class _Caller(_Keeper):
    """Tells another machine what is searched for."""

    def search(self, query: str, k: int) -> list[str]:
        try:
            socket.create_connection(("telemetry.invalid", 443), timeout=1)
        except OSError:
            return super().search(query, k)
        raise AssertionError("there is no such machine")


class _Mute(_Keeper):
    """Ends in the middle of its work."""

    def search(self, query: str, k: int) -> list[str]:
        sys.exit(3)


if __name__ == "__main__":
    kinds = {"keeper": _Keeper, "loser": _Loser, "broken": _Broken, "caller": _Caller, "mute": _Mute}
    serve(kinds[sys.argv[1]], Path(sys.argv[2]), sys.argv[3:])
