"""Whatever a model server does, a compaction ends with a usable summary and says what happened.

Real HTTP against a local server that misbehaves. In every case the log keeps every message, the context
begins with a summary within its room, and the marker's details tell how it was made.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from remora.conversation.cut import room
from remora.conversation.log import SessionLog
from remora.llm.providers import OpenAIModel
from tests.conversation.compaction import SETTINGS, compact, context_of
from tests.conversation.logs import open_log
from tests.servers import ModelServer, Reply

QUICK = SETTINGS._replace(summary_timeout=1.5)
GOOD = "The harbour timetable was chosen over the tide table; src/harbour.py holds it. The tests pass."
EXTRACT = "30 messages, extracted"


def answer(text: Any, reason: str = "stop") -> dict[str, Any]:
    """Return the body of a chat completion."""
    return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": reason}]}


CASES = {  # a server's answer, how the summary is made, its note, and its text
    "prose": (answer(GOOD), "model", "", GOOD),
    "length": (answer(GOOD + " And th", "length"), "model", "cut at 500 tokens", GOOD),
    "empty": (answer(""), "extract", "returned no text", EXTRACT),
    "object for text": (answer({"summary": GOOD}), "extract", "unexpected response", EXTRACT),
    "not JSON": (Reply(b"<html>Bad gateway</html>"), "extract", "not JSON", EXTRACT),
    "500": (Reply({"error": {"message": "CUDA: no memory"}}, 500), "extract", "CUDA: no memory", EXTRACT),
    "cut body": (Reply(answer(GOOD), cut=True), "extract", "closed the connection", EXTRACT),
    "hang": (Reply(answer(GOOD), delay=30), "extract", "did not answer within", EXTRACT),
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that gets its answer from the test."""
    with ModelServer() as running:
        yield running


def talk(folder: Path) -> SessionLog:
    """Return a log of forty messages."""
    log = open_log(folder)
    said = [f"Message {i} about src/harbour.py and its timetable." for i in range(1, 41)]
    log.extend({"role": ("assistant", "user")[i % 2], "content": text} for i, text in enumerate(said))
    return log


@pytest.mark.parametrize(("reply", "how", "note", "text"), CASES.values(), ids=CASES)
def test_every_answer_ends_in_a_usable_summary(
    server: ModelServer, tmp_path: Path, reply: Any, how: str, note: str, text: str
) -> None:
    """Raw messages safe, a summary within bounds, the outcome in the marker, and all in time."""
    log = talk(tmp_path)
    before = log.history()
    server.on("POST /v1/chat/completions", reply)
    started = time.monotonic()
    with closing(OpenAIModel(server.url, "m", timeout=30)) as model:
        removed, summary = compact(log, 10, model, QUICK)
    assert time.monotonic() - started < 5
    assert summary is not None
    assert (removed, summary.how) == (30, how)
    assert note in summary.note
    assert bool(summary.note) == bool(note)
    assert text in summary.text
    assert len(summary.text) <= room(QUICK)
    assert log.history() == before
    context = context_of(log)
    assert context[0].content == f"[Conversation summary]\n{summary.text}"
    assert context[1:] == before[30:]
    assert log.boundary is not None
    assert log.boundary.details == {"flattenedTo": 40, "how": summary.how, "note": summary.note}
