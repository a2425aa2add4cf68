"""What the journal's tests share: a journal with a fixed clock, messages, and answers of a model."""

from __future__ import annotations

import json
from datetime import UTC
from pathlib import Path
from typing import Any

from remora.core.clock import FixedClock, to_iso
from remora.core.config import JournalSettings
from remora.core.values import Message, ToolCall
from remora.journal.files import Journal

NOW = "2026-02-27T14:30:00.000Z"
SETTINGS = JournalSettings()


def journal_in(folder: Path, now: str = NOW, **more: Any) -> Journal:
    """Return a journal whose clock stands still and whose zone is UTC."""
    return Journal(folder / "memory", FixedClock(now), more.pop("zone", UTC), **more)


def talk(count: int = 4, *, first: int = 1, text: str = "message") -> list[Message]:
    """Return messages of a user and an assistant in turn, a minute apart, from `first` on."""
    start = 1_772_000_000.0
    return [
        Message(seq, "user" if seq % 2 else "assistant", f"{text} {seq}", time=to_iso(start + 60 * seq))
        for seq in range(first, first + count)
    ]


def call(name: str, content: str = "") -> Message:
    """Return an assistant's message that asks for a tool."""
    return Message(1, "assistant", content, time=NOW, tool_calls=(ToolCall("c1", name, {}),))


def answer(entry: Any = "[2026-02-27 14:30] They chose ES256.", memory: Any = "- ES256", **more: Any) -> str:
    """Return a model's answer with both keys, as JSON."""
    return json.dumps({"history_entry": entry, "memory_update": memory, **more})


def history(journal: Journal) -> str:
    """Return HISTORY.md, empty where there is none."""
    return journal.history_path.read_text("utf-8") if journal.history_path.exists() else ""


def aside(journal: Journal) -> list[str]:
    """Return the texts that were kept aside, oldest first."""
    return [path.read_text("utf-8") for path in sorted((journal.folder / "rejected").glob("*.txt"))]


def no_sleep(_: float) -> None:
    """Wait for nothing."""
