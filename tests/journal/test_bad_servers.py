"""Model servers that behave badly, over real HTTP: the messages are safe and the outcome can be seen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from remora.journal.consolidate import Outcome, consolidate
from remora.journal.files import Journal
from remora.journal.history import entries
from remora.llm.providers import OpenAIModel
from tests.journal.made import SETTINGS, Marks, answer, aside, journal_in, no_sleep, talk
from tests.servers import ModelServer, Reply

CHAT = "POST /v1/chat/completions"
LARGE = "\n".join(f"- fact number {n}: the service {n} listens on port {8000 + n}" for n in range(200))
TINY = "- " + "x" * 169
SAME = answer(memory=LARGE)


def says(content: Any, reason: str = "stop") -> dict[str, Any]:
    """Return an answer of /chat/completions."""
    message = {"role": "assistant", "content": content}
    return {"choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": {}}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server on this machine."""
    with ModelServer() as running:
        yield running


def consolidated(server: ModelServer, journal: Journal, reply: Any) -> tuple[Outcome, Marks]:
    """Consolidate twelve messages with a server that gives one reply; return also what was marked."""
    marks = Marks()
    server.on(CHAT, reply)
    journal.write_memory(LARGE)
    settings = SETTINGS._replace(consolidation_timeout=5.0)
    with closing(OpenAIModel(server.url, "m", sleep=no_sleep)) as model:
        outcome = consolidate(journal, talk(12), model, settings, session_id="s", done=marks, sleep=no_sleep)
    return outcome, marks


@pytest.mark.parametrize(
    ("reply", "note", "kept"),
    [
        (says("I have updated your memory with what we said."), "no JSON object", True),
        (says(SAME[: len(SAME) // 2]), "memory_update is missing", True),
        (says(SAME, "length"), "token limit", True),
        (says(answer(memory=TINY)), "must remain", True),
        (says(""), "returned no text", False),
        (Reply(b"<html>Bad Gateway</html>", 200), "ProviderError", False),
        (Reply({"error": {"message": "it broke"}}, 500), "500", False),
        (Reply({"error": {"message": "slow down"}}, 429, {"retry-after": "60"}), "429", False),
        (Reply(says(SAME), cut=True), "Provider", False),
    ],
)
def test_every_bad_reply_leaves_the_end_of_the_conversation(server, tmp_path, reply, note, kept):
    """The raw entry holds the last ten messages, the memory stays to the byte, the note names the failure."""
    journal = journal_in(tmp_path)
    outcome, marks = consolidated(server, journal, reply)
    assert outcome.how == "raw-fallback"
    assert note in outcome.notes[0]
    [entry] = entries(journal.folder)
    assert entry.text == outcome.history_entry
    head, *said = entry.text.split("\n")
    assert head == "[raw-fallback] Consolidation failed. Recent messages:"
    assert [line.partition(": ")[2] for line in said] == [f"message {n}" for n in range(3, 13)]
    assert journal.memory_path.read_text("utf-8") == LARGE
    assert journal.versions() == []
    assert marks == [("s", 12)]
    assert [note in text for text in aside(journal)] == [True] * kept
    assert (outcome.kept_aside is not None) is kept
