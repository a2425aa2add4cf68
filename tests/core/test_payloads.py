"""Payloads of the extended types have their shape; anything else is refused with the field's name."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.errors import InvalidInput
from remora.core.payloads import MAX_DEPTH, validate

GOOD: dict[str, dict[str, Any]] = {
    "workflow_recipe": {
        "task_pattern": "add a handler",
        "steps": [{"order": 1, "description": "write it", "canonical_file": "src/a.py", "canonical_line": 3}],
        "last_validated_at": "2026-01-01",
        "success_count": 0,
    },
    "dead_end": {
        "approach_tried": "regex",
        "why_it_failed": "folding",
        "alternative_used": "parser",
        "task_context": "headers",
    },
    "prefetch_pattern": {
        "always_read_files": ["a.py"],
        "frequently_read_files": [],
        "module_trigger": "auth",
        "session_count": 3,
    },
    "task_calibration": {
        "module": "auth",
        "methodology": "native",
        "average_actual_steps": 7.5,
        "average_planned_steps": 4,
        "ratio": 1.875,
        "sample_count": 2,
    },
}
NEEDED = {
    "workflow_recipe": {"task_pattern", "steps"},
    "dead_end": {"approach_tried", "why_it_failed"},
    "prefetch_pattern": {"always_read_files", "frequently_read_files", "module_trigger", "session_count"},
    "task_calibration": {"module", "average_actual_steps", "average_planned_steps", "ratio", "sample_count"},
}
KINDS = sorted(GOOD)


@pytest.mark.parametrize("kind", KINDS)
def test_needed_and_optional_fields(kind: str):
    """Each needed field is asked for by name; the others may be missing or None."""
    for name in GOOD[kind]:
        for rest in ({k: v for k, v in GOOD[kind].items() if k != name}, {**GOOD[kind], name: None}):
            if name in NEEDED[kind]:
                with pytest.raises(InvalidInput, match=f"{kind} needs '{name}'") as caught:
                    validate(kind, rest)
                assert name in caught.value.hint
            else:
                assert validate(kind, rest) == {k: v for k, v in GOOD[kind].items() if k != name}


@pytest.mark.parametrize("kind", KINDS)
def test_unknown_fields(kind: str):
    """A field that a type does not have is refused, whatever its name is made of."""
    names: list[Any] = ["colour", 5, ("a", "b")]
    for name in names:
        with pytest.raises(InvalidInput, match="has no field"):
            validate(kind, {**GOOD[kind], name: "x", "zz": 1})


@pytest.mark.parametrize("payload", ["text", 5, ["a"], (("a", 1),), object()])
@pytest.mark.parametrize("kind", ["dead_end", "decision"])
def test_payloads_are_mappings(kind: str, payload: Any):
    """Anything but a mapping is refused."""
    with pytest.raises(InvalidInput, match="must be a mapping"):
        validate(kind, payload)


@pytest.mark.parametrize("kind", KINDS)
def test_where_it_comes_from_may_stand_beside_it(kind: str):
    """A mapping of JSON values under `provenance`, and nothing else there."""
    whence = {"signal": "co_access", "steps": [1, 2], "events": ["a"], "first": None}
    assert validate(kind, {**GOOD[kind], "provenance": whence}) == {**GOOD[kind], "provenance": whence}
    for wrong in ("text", ["a"], {"x": object()}):
        with pytest.raises(InvalidInput, match="provenance"):
            validate(kind, {**GOOD[kind], "provenance": wrong})


WRONG: list[tuple[str, str, list[Any]]] = [
    ("dead_end", "approach_tried", ["", "  ", 5, True, ["x"], {"a": 1}]),
    ("task_calibration", "ratio", ["1", True, -0.1, math.nan, math.inf, -math.inf, [1]]),
    ("task_calibration", "sample_count", [0, -1, 1.5, 2.0, "2", True, math.nan]),
    ("prefetch_pattern", "session_count", [-1, 0.5, "x"]),
    ("prefetch_pattern", "always_read_files", ["a.py", 5, {"a": 1}, [5], ["a", None], {"a"}]),
    ("workflow_recipe", "success_count", [-1, 1.5]),
    ("workflow_recipe", "steps", [[], "step", 5, {"a": 1}, [None], [["x", "y"]], [{}], [{"order": 1}]]),
    ("workflow_recipe", "steps", [[{"description": " "}], [{"description": "a", "colour": "red"}]]),
    *[
        ("workflow_recipe", "steps", [[{"description": "a", name: wrong}]])
        for name, wrong in (("order", "first"), ("order", True), ("canonical_line", 0), ("canonical_file", 3))
    ],
]


@pytest.mark.parametrize(("kind", "name", "values"), WRONG)
def test_wrong_values(kind: str, name: str, values: list[Any]):
    """A value of the wrong kind or size is refused by the name of its field, as our error and no other."""
    for value in values:
        with pytest.raises(InvalidInput, match=f"{kind}.{name}"):
            validate(kind, {**GOOD[kind], name: value})


def test_steps_are_numbered_and_sorted():
    """Steps may be plain sentences, in a tuple too: numbered as they stand, in the order they claim."""
    last = {"description": "zeroth", "order": 0, "canonical_file": None}
    steps = ("first", {"description": "second"}, last)
    found = validate("workflow_recipe", {"task_pattern": "x", "steps": steps})
    assert found is not None
    numbered = enumerate(("zeroth", "first", "second"))
    assert found["steps"] == [{"order": number, "description": text} for number, text in numbered]


# Types without a shape


def test_free_payloads():
    """Other types take any JSON values, as a copy, or none."""
    payload = {"a": None, "b": [1, 2.5, "x", True, {"c": []}], "数": "é"}
    found = validate("decision", payload)
    assert found == payload
    assert found is not payload
    assert validate("decision", None) is validate("dead_end", None) is None


@pytest.mark.parametrize(
    "value", [object(), math.nan, math.inf, {1: "x"}, {"a": {2: 3}}, b"bytes", {"a", "b"}, [object()], 1j]
)
def test_what_json_cannot_hold(value: Any):
    """A value that JSON has no form for is refused by its place."""
    with pytest.raises(InvalidInput, match=r"payload\.x"):
        validate("decision", {"x": value})


def test_endless_nesting():
    """A payload that contains itself, or is nested without end, is refused."""
    loop: dict[str, Any] = {}
    loop["self"] = loop
    with pytest.raises(InvalidInput, match="nested"):
        validate("decision", loop)
    deep: Any = "end"
    for _ in range(MAX_DEPTH):
        deep = [deep]
    with pytest.raises(InvalidInput, match="nested"):
        validate("decision", {"x": deep})
    assert validate("decision", {"x": deep[0]}) == {"x": deep[0]}


def test_half_signs_are_replaced():
    """Texts come back as UTF-8 can hold them, in free payloads and in shaped ones."""
    assert validate("decision", {"a\ud800": ["\udfff"]}) == {"a\ufffd": ["\ufffd"]}
    found = validate("dead_end", {"approach_tried": "x\ud800", "why_it_failed": "y"})
    assert found is not None
    assert found["approach_tried"] == "x\ufffd"


KEYS = st.text(max_size=3)
NUMBERS = st.none() | st.booleans() | st.integers() | st.floats()
ANYTHING = st.recursive(
    NUMBERS | st.text(st.characters(), max_size=4) | st.binary(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.integers(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from([n for p in GOOD.values() for n in p]) | KEYS


@given(st.sampled_from([*KINDS, "decision"]), st.dictionaries(FIELDS, ANYTHING, max_size=5))
def test_any_payload_is_stored_or_refused(kind: str, payload: dict[str, Any]):
    """Whatever comes in, it is valid JSON afterwards or an InvalidInput."""
    full = {**GOOD.get(kind, {}), **payload}
    for one in (payload, full):
        try:
            found = validate(kind, one)
        except InvalidInput:
            continue
        text = json.dumps(found, allow_nan=False, ensure_ascii=False)
        text.encode()
        assert validate(kind, json.loads(text)) == json.loads(text)
