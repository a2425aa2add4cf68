"""Which answers may change the journal: all of one, or nothing."""

from __future__ import annotations

import json

import pytest

from remora.core.values import MemoryDraft
from remora.journal.judge import judge, what_is_lost
from remora.journal.reply import Rejected
from tests.journal.made import answer

LIMIT = 8192
LINES = [f"- fact number {n}: the service {n} listens on port {8000 + n}" for n in range(200)]
LARGE = "\n".join(LINES)  # about 10 kB
MIDDLE = "\n".join(LINES[:100])  # about 5 kB


def accepted(text, memory="- RS256", limit=LIMIT, **more):
    """Return the reply of an answer that has to be accepted."""
    return judge(text, memory, limit, **more)


def refused(text, memory="- RS256", limit=LIMIT, **more):
    """Return the reason of an answer that has to be rejected."""
    with pytest.raises(Rejected) as caught:
        judge(text, memory, limit, **more)
    return str(caught.value)


def test_two_texts():
    """An entry and a new memory are accepted, trimmed."""
    reply = accepted(answer(" They chose ES256.\r\n", "- ES256\r\n- more\n"))
    assert reply == ("They chose ES256.", "- ES256\n- more", (), ())


def test_objects_and_lists_become_json():
    """A field that is an object or a list is stored as JSON text."""
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


def test_171_bytes_for_ten_kilobytes():
    """The reported case is refused whether shortening was asked for or not."""
    tiny = "- " + "x" * 169
    assert len(LARGE.encode()) > 10_000
    assert "from" in refused(answer(memory=tiny), LARGE)
    assert "without a request" in refused(answer(memory=tiny), LARGE, 40_960)


def test_a_memory_may_lose_half_but_not_more():
    """Without being asked to, a model may drop up to half of the bytes."""
    assert what_is_lost(MIDDLE, "\n".join(LINES[:60]), LIMIT) == ""
    assert "without a request to shorten it" in what_is_lost(MIDDLE, "\n".join(LINES[:40]), LIMIT)


def test_a_memory_may_be_put_in_another_order():
    """Other lines with the same words are no loss."""
    assert what_is_lost(MIDDLE, " ".join(line[2:] for line in reversed(LINES[:100])), LIMIT) == ""


def test_a_memory_may_not_be_replaced():
    """A text of the same length about something else is a loss."""
    chat = (
        "I have updated your long-term memory with everything that was discussed today, as you asked. " * 60
    )
    assert "words of the memory" in what_is_lost(MIDDLE, chat, LIMIT)


def test_scripts_without_spaces_count_by_pairs():
    """A Chinese memory may be changed in part, and not be replaced."""
    memory = "".join(f"用户喜欢第{chr(0x4E00 + 7 * n)}种方案，因为它更快。" for n in range(40))
    assert what_is_lost(memory, memory.replace("更快", "更安全"), LIMIT) == ""
    other = "".join(chr(0x6000 + n) for n in range(400))
    assert "words of the memory" in what_is_lost(memory, other, LIMIT)


def test_a_short_memory_may_be_rewritten():
    """Up to 80 bytes are a template and may change as a whole; of up to 400, some facts, a quarter stays."""
    template = "# Long-term Memory\n\n## Preferences\n(none yet)"
    assert what_is_lost(template, "- tabs", LIMIT) == ""
    assert what_is_lost("x" * 80, "- tabs", LIMIT) == ""
    assert what_is_lost("x" * 81, "- tabs", LIMIT) != ""
    assert what_is_lost("x" * 400, "y" * 100, LIMIT) == ""
    assert what_is_lost("x" * 400, "y" * 99, LIMIT) != ""
    assert what_is_lost("x" * 401, "y" * 100, LIMIT) != ""
    assert what_is_lost(template, " ", LIMIT) != ""


def test_what_may_remain_of_a_memory_over_its_size():
    """Asked to shorten, a model may go down to a quarter of the allowed size, and no further."""
    assert what_is_lost(LARGE, "y" * (LIMIT // 4), LIMIT) == ""
    assert "must remain" in what_is_lost(LARGE, "y" * (LIMIT // 4 - 1), LIMIT)
    exact = "y" * LIMIT  # exactly the limit: nothing was asked
    assert "without a request" in what_is_lost(exact, "y" * 3000, LIMIT)


# --- facts -------------------------------------------------------------------------------------


def test_facts_are_offered():
    """Good ones become drafts of a model's making, with the files they are about."""
    facts = [
        {"content": " Tokens live 24 h. ", "type": "decision", "files": ["auth/tokens.py", "", 5]},
        {"content": "Use tabs.", "type": "preference", "files": "setup.cfg"},
    ]
    reply = accepted(answer(facts=facts))
    first, second = reply.facts
    assert first == MemoryDraft(
        "Tokens live 24 h.",
        "decision",
        source="observer_inferred",
        confidence=0.6,
        related_files=("auth/tokens.py",),
    )
    assert second.related_files == ("setup.cfg",)
    assert reply.problems == ()


def test_bad_facts_are_skipped_and_told():
    """Each one that cannot be used is named, and the others and both fields stand."""
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


def test_half_signs_are_mended():
    """Escaped halves of a sign, which UTF-8 cannot hold, do not reach the files."""
    facts = r'[{"content": "c\ud83d", "type": "gotcha"}]'
    text = rf'{{"history_entry": "a\ud83d", "memory_update": "b\ud83d", "facts": {facts}}}'
    reply = accepted(text)
    assert (reply.history_entry, reply.memory_update) == ("a\ufffd", "b\ufffd")
    assert reply.facts[0].content == "c\ufffd"
