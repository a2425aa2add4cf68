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
CHINESE = "".join(f"用户喜欢第{chr(0x4E00 + 7 * n)}种方案，因为它更快。" for n in range(40))
TEMPLATE = "# Long-term Memory\n\n## Preferences\n(none yet)"
WORDS = "words of the memory"


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
        # other lines with the same words are no loss, the same length about something else is one
        (MIDDLE, " ".join(line[2:] for line in reversed(LINES[:100])), ""),
        (MIDDLE, "I have updated your long-term memory with everything that was discussed. " * 80, WORDS),
        # Chinese counts by pairs of signs
        (CHINESE, CHINESE.replace("更快", "更安全"), ""),
        (CHINESE, "".join(chr(0x6000 + n) for n in range(400)), WORDS),
        # up to 80 bytes are a template and may change as a whole; of up to 400, some facts, a quarter stays
        (TEMPLATE, "- tabs", ""),
        (TEMPLATE, " ", "empty"),
        ("x" * 80, "- tabs", ""),
        ("x" * 81, "- tabs", "from 81 to 6 bytes"),
        ("x" * 400, "y" * 100, ""),
        ("x" * 400, "y" * 99, "from 400 to 99 bytes"),
        ("x" * 401, "y" * 100, "from 401 to 100 bytes"),
        # asked to shorten, a model may go down to a quarter of the allowed size; at the limit none is asked
        (LARGE, "y" * (LIMIT // 4), ""),
        (LARGE, "y" * (LIMIT // 4 - 1), "must remain"),
        ("y" * LIMIT, "y" * 3000, "without a request"),
    ],
)
def test_what_a_memory_may_lose(memory, update, loss):
    """An update may shorten, reorder and rewrite a memory within bounds; beyond them the loss is told."""
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
    """Each one that cannot be used is named, the others and both fields stand, half signs are mended."""
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
    assert [problem.partition(":")[0] for problem in reply.problems] == [f"fact {n}" for n in range(1, 8)]
    half = {"content": "c\ud83d", "type": "gotcha"}  # UTF-8 cannot hold it, escaped JSON can
    reply = accepted(answer("a\ud83d", "b\ud83d", facts=[half]))
    assert (reply.history_entry, reply.memory_update) == ("a\ufffd", "b\ufffd")
    assert reply.facts[0].content == "c\ufffd"
