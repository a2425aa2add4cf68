"""Fields out of whatever a model answers, and reasons where there are none."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.journal.reply import MAX_CHARS, Fields, Unreadable, read_fields

BOTH = {"history_entry": "They chose ES256.", "memory_update": "- ES256"}
TEXT = json.dumps(BOTH)


@pytest.mark.parametrize(
    ("answer", "tier"),
    [
        (TEXT, 1),
        (f"  {TEXT}\n", 1),
        (f"```json\n{TEXT}\n```", 1),
        (f"```\n{TEXT}", 1),
        (f"<think>braces {{ and more</think>{TEXT}", 1),
        (json.dumps(TEXT), 1),  # JSON in a JSON string
        (json.dumps([BOTH]), 1),
        (json.dumps([BOTH, {"history_entry": "no"}]), 1),
        (json.dumps({"name": "save_memory", "arguments": BOTH}), 1),
        (json.dumps({"name": "save_memory", "arguments": TEXT}), 1),
        (json.dumps([{"arguments": [TEXT, BOTH]}]).replace(json.dumps(TEXT) + ", ", ""), 1),
        (f"Here you are:\n```json\n{TEXT}\n```\nAnything else?", 2),
        (f"Sure! {TEXT} Done.", 2),
        (f"I use {{curly}} braces. {TEXT}", 2),
        (f'{{"note": 1}} and then {TEXT}', 2),
        (TEXT.replace("{", "").replace("}", ""), 3),
        (TEXT.replace("}", ",}"), 3),  # a comma too many
        ('"history_entry": "They chose ES256."\n"memory_update": "- ES256"', 3),
        ('{history: 1, "history_entry" : "They chose ES256.", "memory_update" : "- ES256"}', 3),
    ],
)
def test_the_tiers(answer, tier):
    """Each form is read in the first tier that can."""
    found = read_fields(answer)
    assert isinstance(found, Fields), found
    assert ({k: found.values[k] for k in BOTH}, found.tier) == (BOTH, tier)


@pytest.mark.parametrize("text", ["{", "}", "{}}{", 'a } " { b', "```", "}\n```\n{", "\\"])
def test_signs_inside_strings_fool_nobody(text):
    """Braces, quotes and fences in a field are text, in every tier."""
    fields = {"history_entry": text, "memory_update": f"x {text}"}
    whole = json.dumps(fields)
    for answer in (whole, f"Here: {whole} ok", f"```json\n{whole}\n```"):
        found = read_fields(answer)
        assert isinstance(found, Fields)
        assert found.values == fields


def test_raw_line_ends_in_strings():
    """A string that goes over several lines is read whole, which strict JSON forbids."""
    answer = '{"history_entry": "one\ntwo", "memory_update": "# A\n\n- b"}'
    for text, tier in ((answer, 1), (f"So: {answer}", 2), (answer.replace("}", ",}"), 3)):
        found = read_fields(text)
        assert isinstance(found, Fields)
        assert (found.values["memory_update"], found.tier) == ("# A\n\n- b", tier)


@pytest.mark.parametrize("cut", range(1, len(TEXT)))
def test_an_answer_that_was_cut_anywhere(cut):
    """No beginning of an answer gives both fields."""
    for answer in (TEXT[:cut], f"Sure: {TEXT[:cut]}", f"```json\n{TEXT[:cut]}"):
        assert isinstance(read_fields(answer), Unreadable)


def test_a_cut_answer_says_so():
    """The reason tells that the end is missing."""
    found = read_fields(TEXT[:-1])
    assert found == Unreadable("the answer was cut off: its JSON does not end")
    assert "cut off" in read_fields(TEXT, "length").reason  # type: ignore[union-attr]


def test_a_quote_that_nobody_escaped_gives_no_half_field():
    """A field that would end at a quote inside it is not read."""
    answer = '{"history_entry": "He said "no" to it", "memory_update": "- "dark" mode is liked"}'
    found = read_fields(answer)
    assert isinstance(found, Unreadable)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("<think>and then", "empty"),
        ("I have updated the memory.", "no JSON object"),
        ("null", "not an object"),
        ("5", "not an object"),
        ("true", "not an object"),
        ('"string"', "not an object"),
        ("[]", "not an object"),
        ('["string"]', "not an object"),
        ("{}", "without the keys"),
        ('{"other": 1}', "without the keys"),
        ('{"arguments": 5}', "without the keys"),
        ("{" * 100_000, "no JSON object"),
        ("[" * 100_000, "no JSON object"),
        ("x" * (MAX_CHARS + 1), "characters"),
    ],
)
def test_answers_without_fields(answer, reason):
    """What is no object with the keys is not read, and the reason says what it is."""
    found = read_fields(answer)
    assert isinstance(found, Unreadable)
    assert reason in found.reason


@given(st.text() | st.text(alphabet='{}[]":\\, \nahistory_entry'))
def test_any_text_is_read_or_refused(text):
    """Nothing that a model writes is an error."""
    assert isinstance(read_fields(text), Fields | Unreadable)


@given(st.text(), st.text())
def test_every_pair_of_texts_comes_back(entry, update):
    """Fields that are written as JSON are read as they were, bare, in prose and in a fence."""
    text = json.dumps({"history_entry": entry, "memory_update": update})
    for answer in (text, f"Sure.\n{text}", f"```json\n{text}\n```"):
        found = read_fields(answer)
        assert isinstance(found, Fields)
        assert (found.values["history_entry"], found.values["memory_update"]) == (entry, update)


def test_a_long_answer_is_refused_in_time():
    """Many opening braces before a long text cost no more than a moment."""
    began = time.perf_counter()
    read_fields('{"a":' * 500 + "x" * 200_000 + '"history_entry": "x')
    assert time.perf_counter() - began < 2
