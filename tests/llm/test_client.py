"""Records out of answers: what is found, what is refused, and what is asked again."""

from __future__ import annotations

import json

import pytest

from remora.core.errors import ProviderError
from remora.llm.client import Completion, Message, extract, find_object, fit
from remora.llm.scripted import ScriptedModel

SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "kind": {"enum": ["a", "b"]},
        "facts": {"type": "array", "items": {"type": "object", "required": ["text"]}},
    },
    "required": ["title"],
}
TASK = [Message("system", "You extract."), Message("user", "The text.")]


@pytest.mark.parametrize(
    "text",
    [
        '{"title": "x"}',
        'Here you are:\n```json\n{"title": "x"}\n```\nAnything else?',
        '<think>maybe {"title": "wrong"} or not</think>\n{"title": "x"}',
        '{"title": "x", "note": "use <think> and </think> as tags"}',
        'An object like {"name": 1} will not do, {this} is none, but {"title": "x"} is.',
        '{"title": "x", "kind": "a", "facts": [{"text": "t"}]} {"title": "second"}',
    ],
)
def test_the_first_object_that_fits_is_found(text):
    """Prose, fences, thinking, and objects that do not fit are passed over."""
    found, why = find_object(text, SCHEMA)
    assert found is not None
    assert found["title"] == "x"
    assert why == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no JSON object in it"),
        ('{"title": "x"', "there is no JSON object in it"),
        ("{}", "'title' is missing"),
        ('{"title": 5}', "'title' is not of type string"),
        ('{"title": "x", "kind": "c"}', "'kind' is 'c', not one of a, b"),
        ('{"title": "x", "facts": {}}', "'facts' is not of type array"),
        ('{"title": "x", "facts": [{"text": 1}, {}]}', "'facts[1].text' is missing"),
    ],
)
def test_what_does_not_fit_says_why(text, why):
    """The reason names the place in the answer."""
    assert find_object(text, SCHEMA) == (None, why)


def test_endless_braces_end_soon():
    """An answer of nothing but braces is given up after 200 of them."""
    assert find_object("{" * 100_000, SCHEMA)[0] is None


@pytest.mark.parametrize(
    ("value", "kind", "fits"),
    [
        (True, "integer", False),
        (1.0, "integer", True),
        (1.5, "integer", False),
        (None, ["string", "null"], True),
        ("x", "of a kind we do not know", True),
    ],
)
def test_types_are_json_types(value, kind, fits):
    """A boolean is no number; 1.0 is an integer; a list of types means any of them."""
    assert (fit(value, {"type": kind}) == "") is fits


def test_the_schema_is_asked_for_in_words_and_as_a_constraint():
    """The wish joins the last user message: two of one role in a row break some templates."""
    model = ScriptedModel(['{"title": "x"}'])
    assert extract(model, TASK, SCHEMA, timeout=3.0) == {"title": "x"}
    call = model.calls[0]
    assert [m.role for m in call.messages] == ["system", "user"]
    assert call.messages[1].content.startswith("The text.\n\nAnswer with one JSON object")
    assert json.dumps(SCHEMA) in call.messages[1].content
    assert (call.schema, call.timeout, call.temperature) == (SCHEMA, 3.0, 0.0)


def test_an_answer_that_does_not_fit_is_sent_back_once():
    """The model sees its answer and the reason, and may do better."""
    model = ScriptedModel(["I would say x.", '{"title": "x"}'])
    assert extract(model, TASK, SCHEMA) == {"title": "x"}
    again = model.calls[1].messages
    assert [m.role for m in again] == ["system", "user", "assistant", "user"]
    assert "there is no JSON object in it" in again[-1].content


def test_an_answer_that_was_cut_gets_twice_the_room():
    """finish_reason length means that more tokens help, not more words."""
    cut = Completion('{"title": "x', "length")
    model = ScriptedModel([cut, '{"title": "x"}'])
    assert extract(model, TASK, SCHEMA, max_tokens=50) == {"title": "x"}
    assert [call.max_tokens for call in model.calls] == [50, 100]
    assert model.calls[1].messages == model.calls[0].messages


def test_two_bad_answers_are_an_error():
    """The error says what was wrong with the last one."""
    model = ScriptedModel(["no", '{"title": 5}'])
    with pytest.raises(ProviderError, match="'title' is not of type string"):
        extract(model, TASK, SCHEMA)
    assert model.left == 0
