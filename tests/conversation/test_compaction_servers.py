"""Whatever a model server does, a compaction ends with a usable summary and says what happened.

Real HTTP against a local server that misbehaves. In every case the log keeps every message, the context
begins with a summary within its room, and the marker's details tell how it was made.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from remora.conversation.cut import room
from remora.conversation.log import SessionLog
from remora.core.clock import FixedClock
from remora.llm.providers import OpenAIModel
from tests.conversation.compaction import SETTINGS, compact, context_of
from tests.servers import ModelServer, Reply

QUICK = SETTINGS._replace(summary_timeout=1.5)
GOOD = "The harbour timetable was chosen over the tide table; src/harbour.py holds it. The tests pass."


class Case(NamedTuple):
    """A server's answer, and what becomes of it."""

    reply: Any
    how: str
    note: str
    text: str = ""


def answer(text: Any, reason: str = "stop") -> dict[str, Any]:
    """Return the body of a chat completion."""
    return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": reason}]}


CASES = {
    "prose": Case(answer(GOOD), "model", "", GOOD),
    "length": Case(answer(GOOD + " And th", "length"), "model", "cut at 500 tokens", GOOD),
    "empty": Case(answer(""), "extract", "returned no text"),
    "object for text": Case(answer({"summary": GOOD}), "extract", "unexpected response"),
    "not JSON": Case(Reply(b"<html>Bad gateway</html>"), "extract", "not JSON"),
    "500": Case(Reply({"error": {"message": "CUDA out of memory"}}, 500), "extract", "CUDA out of memory"),
    "cut body": Case(Reply(answer(GOOD), cut=True), "extract", "closed the connection"),
    "hang": Case(Reply(answer(GOOD), delay=30), "extract", "did not answer within"),
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that gets its answer from the test."""
    with ModelServer() as running:
        yield running


def talk(folder: Path) -> SessionLog:
    """Return a log of forty messages."""
    log = SessionLog(folder, "cli:42", FixedClock())
    log.extend(
        {
            "role": ("user", "assistant")[i % 2],
            "content": f"Message {i} about src/harbour.py and its timetable.",
        }
        for i in range(1, 41)
    )
    return log


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_answer_ends_in_a_usable_summary(case: Case, server: ModelServer, tmp_path: Path) -> None:
    """Raw messages safe, a summary within bounds, the outcome in the marker, and all in time."""
    log = talk(tmp_path)
    before = log.history()
    server.on("POST /v1/chat/completions", case.reply)
    model = OpenAIModel(server.url, "m", timeout=30)
    started = time.monotonic()
    try:
        removed, summary = compact(log, 10, model, QUICK)
    finally:
        model.close()
    assert time.monotonic() - started < 5
    assert summary is not None
    assert (removed, summary.how) == (30, case.how)
    assert case.note in summary.note
    assert bool(summary.note) == bool(case.note)
    assert (case.text or "30 messages, extracted") in summary.text
    assert len(summary.text) <= room(QUICK)
    assert log.history() == before
    context = context_of(log)
    assert context[0].content == f"[Conversation summary]\n{summary.text}"
    assert context[1:] == before[30:]
    assert log.boundary is not None
    assert log.boundary.details == {"flattenedTo": 40, "how": summary.how, "note": summary.note}
