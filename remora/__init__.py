"""Remora: memory for AI agents. `Memory`, the values it hands out, the errors it raises; nothing else.

Names are loaded when they are first used, so that a short process pays for what it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from remora.app.aio import AsyncMemory, AsyncSession
    from remora.app.memory import Memory
    from remora.app.records.session import Session
    from remora.conversation.conversations import Conversations
    from remora.conversation.memory import ConversationMemory
    from remora.conversation.persistent import PersistentMemory
    from remora.core import errors
    from remora.core.clock import FixedClock, SystemClock
    from remora.core.errors import RemoraError
    from remora.core.events import Event
    from remora.core.reports import InitReport
    from remora.core.values import (
        Context,
        Entry,
        FileHit,
        Hit,
        MemoryDraft,
        MemoryRecord,
        Message,
        Reason,
        Receipt,
    )
    from remora.llm.scripted import ScriptedModel

__version__ = "0.1.0"

_HOMES = {
    "AsyncMemory": "remora.app.aio",
    "ConversationMemory": "remora.conversation.memory",
    "Conversations": "remora.conversation.conversations",
    "Event": "remora.core.events",
    "InitReport": "remora.core.reports",
    "PersistentMemory": "remora.conversation.persistent",
    "AsyncSession": "remora.app.aio",
    "Memory": "remora.app.memory",
    "Session": "remora.app.records.session",
    "errors": "remora.core",
    "FixedClock": "remora.core.clock",
    "SystemClock": "remora.core.clock",
    "RemoraError": "remora.core.errors",
    "ScriptedModel": "remora.llm.scripted",
    **dict.fromkeys(
        (
            "Context",
            "Entry",
            "FileHit",
            "Hit",
            "MemoryDraft",
            "MemoryRecord",
            "Message",
            "Reason",
            "Receipt",
        ),
        "remora.core.values",
    ),
}

__all__ = [
    "AsyncMemory",
    "AsyncSession",
    "Context",
    "ConversationMemory",
    "Conversations",
    "Entry",
    "Event",
    "FileHit",
    "FixedClock",
    "Hit",
    "InitReport",
    "Memory",
    "MemoryDraft",
    "MemoryRecord",
    "Message",
    "PersistentMemory",
    "Reason",
    "Receipt",
    "RemoraError",
    "ScriptedModel",
    "Session",
    "SystemClock",
    "errors",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'remora' has no attribute {name!r}")
    home = __import__(_HOMES[name], fromlist=[name])
    return getattr(home, name)


def __dir__() -> list[str]:
    return __all__
