"""Which answers may change the journal: all of one, or nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remora.core.values import MemoryDraft
from remora.journal.judge import judge, what_is_lost
from remora.journal.reply import Rejected
from tests.journal.made import answer

LIMIT = 8192
LINES = [f"- fact number {n}: the service {n} listens on port {8000 + n}" for n in range(200)]
LARGE = "\n".join(LINES)  # about 10 kB
MIDDLE = "\n".join(LINES[:100])  # about 5 kB
TEMPLATE = "# Long-term Memory\n\n## Preferences\n(none yet)"


def accepted(text, memory="- RS256", limit=LIMIT):
    """Return the reply of an answer that has to be accepted."""
    return judge(text, memory, limit)


def refused(text, memory="- RS256", limit=LIMIT):
    """Return the reason of an answer that has to be rejected."""
    with pytest.raises(Rejected) as caught:
        judge(text, memory, limit)
    return str(caught.value)


def test_two_fields():
    """An entry and a new memory are accepted, trimmed; an object or a list is stored as JSON text."""
    reply = accepted(answer(" They chose ES256.\r\n", "- ES256\r\n- more\n"))
    assert reply == ("They chose ES256.", "- ES256\n- more", (), ())
    reply = accepted(answer({"time": "now", "é": [1]}, ["a", {"b": 2}]))
    assert json.loads(reply.history_entry) == {"time": "now", "é": [1]}
    assert "é" in reply.history_entry
    assert json.loads(reply.memory_update or "") == ["a", {"b": 2}]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"memory_update": "x"}', "history_entry is missing"),
        ('{"history_entry": "x"}', "memory_update is missing"),
        (answer(None), "history_entry is null"),
        (answer(""), "history_entry is blank"),
        (answer({}), "history_entry is blank"),
        (answer(memory=None), "memory_update is null"),
        (answer(memory=""), "memory_update is blank and would empty the memory"),
        (answer(memory="(empty)"), "memory_update is blank"),
    ],
)
def test_half_an_answer_is_none(text, reason):
    """A field that is missing, blank or of a wrong kind makes the whole unusable."""
    assert reason in refused(text)


@pytest.mark.parametrize("said", [LARGE, f"\n{LARGE}  ", "(unchanged)", "No changes.", "*nothing new*"])
def test_an_unchanged_memory(said):
    """The same text, or words that say so, leave the memory as it is."""
    assert accepted(answer(memory=said), memory=LARGE).memory_update is None


# --- what would be lost ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("memory", "update", "loss"),
    [
        # without being asked to, a model may drop up to half of the bytes
        (MIDDLE, "\n".join(LINES[:60]), ""),
        (MIDDLE, "\n".join(LINES[:40]), "without a request to shorten it"),
        # up to 200 bytes are a template or a few facts and may change as a whole
        (TEMPLATE, "- tabs", ""),
        (TEMPLATE, " ", "empty"),
        ("x" * 200, "- tabs", ""),
        ("x" * 201, "- tabs", "from 201 to 6 bytes"),
        # asked to shorten, a model may go down to a quarter of the allowed size; at the limit none is asked
        (LARGE, "y" * (LIMIT // 4), ""),
        (LARGE, "y" * (LIMIT // 4 - 1), "must remain"),
        ("y" * LIMIT, "y" * 3000, "without a request"),
    ],
)
def test_what_a_memory_may_lose(memory, update, loss):
    """An update may shorten and rewrite a memory within bounds; beyond them the loss is told."""
    found = what_is_lost(memory, update, LIMIT)
    assert loss in found
    assert bool(found) == bool(loss)


def test_171_bytes_for_ten_kilobytes():
    """The reported case is refused whether shortening was asked for or not."""
    tiny = "- " + "x" * 169
    assert len(LARGE.encode()) > 10_000
    assert "from" in refused(answer(memory=tiny), LARGE)
    assert "without a request" in refused(answer(memory=tiny), LARGE, 40_960)


# --- facts -------------------------------------------------------------------------------------


def test_facts_are_offered():
    """Good ones become drafts of a model's making, with the files they are about."""
    facts = [
        {"content": " Tokens live 24 h. ", "type": "decision", "files": ["auth/tokens.py", "", 5]},
        {"content": "Use tabs.", "type": "preference", "files": "setup.cfg"},
    ]
    reply = accepted(answer(facts=facts))
    made: dict[str, Any] = {"source": "observer_inferred", "confidence": 0.6}
    assert list(reply.facts) == [
        MemoryDraft("Tokens live 24 h.", "decision", related_files=("auth/tokens.py",), **made),
        MemoryDraft("Use tabs.", "preference", related_files=("setup.cfg",), **made),
    ]
    assert reply.problems == ()


def test_bad_facts_are_skipped_and_told():
    """Those that cannot be used are counted, the others and both fields stand, half signs are mended."""
    facts = [
        "text",
        {"type": "decision"},
        {"content": " ", "type": "decision"},
        {"content": 5, "type": "decision"},
        {"content": "x", "type": "opinion"},
        {"content": "x", "type": ["decision"]},
        {"content": "x" * 1001, "type": "decision"},
        {"content": "Good.", "type": "gotcha", "files": {"a": 1}},
        {"content": "Good.", "type": "gotcha"},
    ]
    reply = accepted(answer(facts=facts))
    assert [(fact.content, fact.related_files) for fact in reply.facts] == [("Good.", ())]
    assert reply.problems == ("facts that could not be used: 7",)
    half = {"content": "c\ud83d", "type": "gotcha"}  # UTF-8 cannot hold it, escaped JSON can
    reply = accepted(answer("a\ud83d", "b\ud83d", facts=[half]))
    assert (reply.history_entry, reply.memory_update) == ("a\ufffd", "b\ufffd")
    assert reply.facts[0].content == "c\ufffd"
