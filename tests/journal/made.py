"""What the journal's tests share: a journal with a fixed clock, messages, answers of a model, processes."""

from __future__ import annotations

import json
import textwrap
from datetime import UTC
from pathlib import Path
from subprocess import Popen
from typing import Any

from remora.core.clock import FixedClock, to_iso
from remora.core.config import JournalSettings
from remora.core.values import Message, ToolCall
from remora.journal.files import Journal
from remora.llm.scripted import Call
from tests.processes import started

NOW = "2026-02-27T14:30:00.000Z"
SETTINGS = JournalSettings()
HEAD = """
import os
import re
import sys
from datetime import UTC
from pathlib import Path
from remora.core.clock import SystemClock
from remora.core.config import JournalSettings
from remora.core.values import Message
from remora.journal.consolidate import consolidate
from remora.journal.files import Journal
from remora.llm.scripted import ScriptedModel
from tests.journal.made import answer, journal_in, longer_memory

folder = Path(sys.argv[1])
journal = Journal(folder / "memory", SystemClock(), UTC)
"""


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


def longer_memory(call: Call, *lines: str) -> str:
    """Return the memory that a model is shown, with some lines more."""
    shown = call.messages[0].content.split("## Current Long-term Memory\n\n")[1].split("\n\n## Conv")[0]
    return "\n".join([*([] if shown == "(empty)" else [shown]), *(f"- {line}" for line in lines)])


def history(journal: Journal) -> str:
    """Return HISTORY.md, empty where there is none."""
    return journal.history_path.read_text("utf-8") if journal.history_path.exists() else ""


def aside(journal: Journal) -> list[str]:
    """Return the texts that were kept aside, oldest first."""
    return [path.read_text("utf-8") for path in sorted((journal.folder / "rejected").glob("*.txt"))]


def no_sleep(_: float) -> None:
    """Wait for nothing."""


class Marks(list[tuple[str, int]]):
    """The sessions that were marked as consolidated, in order; calling it marks one."""

    def __call__(self, session: str, up_to: int) -> None:
        """Remember a mark."""
        self.append((session, up_to))


def start(script: str, folder: Path, *words: str) -> Popen[str]:
    """Start a Python process on a script that knows the journal in a folder, and how to consolidate."""
    return started(HEAD + textwrap.dedent(script), str(folder), *words)
