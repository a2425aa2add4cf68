"""Model servers that behave badly, over real HTTP: the messages are safe and the outcome can be seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from remora.journal.consolidate import Outcome, consolidate
from remora.journal.files import Journal
from remora.journal.history import entries
from remora.llm.providers import OpenAIModel
from tests.journal.made import SETTINGS, answer, aside, journal_in, no_sleep, talk
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


def consolidated(server: ModelServer, journal: Journal, reply: Any) -> Outcome:
    """Consolidate twelve messages with a server that gives one reply."""
    server.on(CHAT, reply)
    journal.write_memory(LARGE)
    model = OpenAIModel(server.url, "m", sleep=no_sleep)
    settings = SETTINGS._replace(consolidation_timeout=5.0)
    try:
        return consolidate(
            journal, talk(12), model, settings, session_id="s", done=MARKS.mark, sleep=no_sleep
        )
    finally:
        model.close()


class Marks:
    """Remembers what was marked."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int]] = []

    def mark(self, session: str, up_to: int) -> None:
        """Take one mark."""
        self.seen.append((session, up_to))


MARKS = Marks()


@pytest.fixture(autouse=True)
def no_marks() -> None:
    """Begin without marks."""
    MARKS.seen.clear()


@pytest.mark.parametrize(
    ("reply", "note", "kept"),
    [
        (says("I have updated your memory with what we said."), "no JSON object", True),
        (says(SAME[: len(SAME) // 2]), "JSON does not end", True),
        (says(SAME, "length"), "token limit", True),
        (says(answer(None, None)), "history_entry is null", True),
        (says(answer(memory="")), "would empty the memory", True),
        (says(answer(memory=TINY)), "must remain", True),
        (says("[]"), "not an object", True),
        (says(""), "returned no text", False),
        ({"choices": []}, "ProviderError", False),
        (Reply(b"<html>Bad Gateway</html>", 200), "ProviderError", False),
        (Reply({"error": {"message": "it broke"}}, 500), "500", False),
        (Reply({"error": {"message": "slow down"}}, 429, {"retry-after": "60"}), "429", False),
        (Reply({"error": {"message": "bad key"}}, 401), "401", False),
        (Reply(says(SAME), cut=True), "Provider", False),
    ],
)
def test_every_bad_reply_leaves_the_end_of_the_conversation(server, tmp_path, reply, note, kept):
    """The raw entry holds the last ten messages, the memory stays to the byte, the note names the failure."""
    journal = journal_in(tmp_path)
    outcome = consolidated(server, journal, reply)
    assert outcome.how == "raw-fallback"
    assert note in outcome.notes[0]
    [entry] = entries(journal.folder)
    assert entry.text == outcome.history_entry
    assert [line.partition(": ")[2] for line in entry.text.split("\n")[1:]] == [
        f"message {n}" for n in range(3, 13)
    ]
    assert journal.memory_path.read_text("utf-8") == LARGE
    assert journal.versions() == []
    assert entry.text.split("\n")[0] == "[raw-fallback] Consolidation failed. Recent messages:"
    assert MARKS.seen == [("s", 12)]
    assert [note in text for text in aside(journal)] == [True] * kept
    assert (outcome.kept_aside is not None) is kept


@pytest.mark.parametrize(
    "content",
    [
        f"Here is the JSON:\n\n```\n{SAME}\n```\nLet me know!",
        f"<think>What changed {{here}}?</think>\n{SAME}",
        SAME.replace("\\n", "\n"),
    ],
    ids=["prose", "thinking", "raw line ends"],
)
def test_answers_that_only_look_bad_are_used(server, tmp_path, content):
    """Fences, prose around it, thinking, wrappers and raw line ends cost nothing."""
    journal = journal_in(tmp_path)
    outcome = consolidated(server, journal, says(content))
    assert (outcome.how, outcome.notes) == ("model", ())
    assert [e.text for e in entries(journal.folder)] == ["[2026-02-27 14:30] They chose ES256."]
    assert journal.read_memory().text == LARGE
