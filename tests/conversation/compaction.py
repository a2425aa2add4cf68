"""What the tests of compaction share: messages by hand, and one compaction of a real log."""

from __future__ import annotations

from typing import Any

from remora.conversation.cut import cut
from remora.conversation.flatten import FLATTENED_TO, settled, working_context
from remora.conversation.log import SessionLog
from remora.conversation.summary import Summary, summarise
from remora.core.config import CompactionSettings
from remora.core.values import Message, ToolCall
from remora.llm.client import LanguageModel

SETTINGS = CompactionSettings()


def said(seq: int, content: str = "", role: str = "user", **more: Any) -> Message:
    """Return a message of the user, or of another role."""
    return Message(seq, role, f"msg{seq}" if content == "" else content, **more)


def calls(seq: int, *names: str, content: str = "", **arguments: Any) -> Message:
    """Return an assistant's message that calls tools; the id of a call is its name."""
    asked = tuple(ToolCall(name, name, arguments or None) for name in names)
    return Message(seq, "assistant", content, tool_calls=asked)


def result(seq: int, name: str, content: str = "done") -> Message:
    """Return the result of the call of that name."""
    return Message(seq, "tool", content, tool_call_id=name, tool_name=name)


def context_of(log: SessionLog) -> list[Message]:
    """Return what an agent gets of a log."""
    return working_context(log.messages(), log.boundary)


def compact(
    log: SessionLog,
    keep_last: int,
    model: LanguageModel | None = None,
    settings: CompactionSettings = SETTINGS,
) -> tuple[int, Summary | None]:
    """Shorten a log as the application does, but for the archive; return how many messages went."""
    messages = log.messages()
    place = cut(messages, keep_last)
    if place == 0:
        return 0, None
    older, kept = messages[:place], messages[place:]
    summary = summarise(older, model, settings)
    log.compact(
        summary.text,
        kept[0].seq if kept else messages[-1].seq + 1,
        details={FLATTENED_TO: settled(messages), "how": summary.how, "note": summary.note},
    )
    return sum(message.seq > 0 for message in older), summary
