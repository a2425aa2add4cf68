"""Fields out of whatever a model answers, and reasons where there are none."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.journal.reply import MAX_CHARS, Rejected, read_fields

BOTH = {"history_entry": "They chose ES256.", "memory_update": "- ES256"}
TEXT = json.dumps(BOTH)


@pytest.mark.parametrize(
    "answer",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}",
        f"<think>braces {{ and more</think>{TEXT}",
        json.dumps(TEXT),  # JSON in a JSON string
        json.dumps([BOTH]),
        f"Here you are:\n```json\n{TEXT}\n```\nAnything else?",
        f"I use {{curly}} braces. {TEXT}",
        f'{{"note": 1}} and then {TEXT}',
        TEXT.replace("}", ",}"),  # a comma too many
        '{history: 1, "history_entry" : "They chose ES256.", "memory_update" : "- ES256"}',
    ],
)
def test_the_forms(answer):
    """The fields are read as JSON, from the JSON in an answer, or each by itself."""
    found = read_fields(answer)
    assert {k: found[k] for k in BOTH} == BOTH


@pytest.mark.parametrize("text", ["{", "}", "{}}{", 'a } " { b', "```", "}\n```\n{", "\\"])
def test_signs_inside_strings_fool_nobody(text):
    """Braces, quotes, fences and, against strict JSON, raw line ends in a field are text, in every tier."""
    fields = {"history_entry": text, "memory_update": f"x {text}"}
    whole = json.dumps(fields)
    for answer in (whole, f"Here: {whole} ok", f"```json\n{whole}\n```"):
        assert read_fields(answer) == fields
    raw = '{"history_entry": "one\ntwo", "memory_update": "# A\n\n- b"}'
    for answer in (raw, f"So: {raw}", raw.replace("}", ",}")):
        assert read_fields(answer)["memory_update"] == "# A\n\n- b"


@pytest.mark.parametrize("cut", range(1, len(TEXT)))
def test_an_answer_that_was_cut_anywhere(cut):
    """No beginning of an answer gives both fields."""
    for answer in (TEXT[:cut], f"Sure: {TEXT[:cut]}", f"```json\n{TEXT[:cut]}"):
        with suppress(Rejected):
            assert list(read_fields(answer)) == ["history_entry"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty"),
        ("<think>and then", "empty"),
        ("I have updated the memory.", "no JSON object"),
        ("null", "no JSON object"),
        ('{"history_entry": "He said "no" to it", "memory_update": "- "dark" mode is liked"}', "."),
        ("{" * 100_000, "no JSON object"),
        ("x" * (MAX_CHARS + 1), "characters"),
    ],
)
def test_answers_without_fields(answer, reason):
    """What is no object with the keys is not read, and the reason says what it is."""
    with pytest.raises(Rejected, match=reason):
        read_fields(answer)
    with pytest.raises(Rejected, match="cut off"):
        read_fields(TEXT, "length")


@given(st.text(), st.text())
def test_every_pair_of_texts_comes_back(entry, update):
    """Fields that are written as JSON are read as they were, bare, in prose and in a fence."""
    text = json.dumps({"history_entry": entry, "memory_update": update})
    for answer in (text, f"Sure.\n{text}", f"```json\n{text}\n```"):
        found = read_fields(answer)
        assert (found["history_entry"], found["memory_update"]) == (entry, update)


@given(st.text() | st.text(alphabet='{}[]":\\, \nahistory_entry'))
def test_any_text_is_read_or_refused(text):
    """Nothing that a model writes is an error."""
    with suppress(Rejected):
        assert isinstance(read_fields(text), dict)


def test_a_long_answer_is_refused_in_time():
    """Many opening braces before a long text cost no more than a moment."""
    began = time.perf_counter()
    with pytest.raises(Rejected):
        read_fields('{"a":' * 500 + "x" * 200_000 + '"history_entry": "x')
    assert time.perf_counter() - began < 2
