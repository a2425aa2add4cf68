"""The built-in way of working, and what any other must offer."""

from __future__ import annotations

import pytest

from remora.core.methodology import NATIVE, ExecutionContext, RelayTransition, WorkUnitResult
from remora.core.values import Taint, WorkUnitRef
from tests.store.makers import record


@pytest.mark.parametrize(
    ("phase", "universal"),
    [
        ("planning", "define"),
        ("coding", "implement"),
        ("qa_review", "validate"),
        ("debugging", "refine"),
        ("lunch", "explore"),
    ],
)
def test_native_phases(phase: str, universal: str):
    """Each native phase has its universal one, which stays itself, and the unknown is exploration."""
    assert NATIVE.map_phase(phase) == NATIVE.map_phase(universal) == universal


@pytest.mark.parametrize(
    ("context", "unit"),
    [
        (ExecutionContext("042", "3"), WorkUnitRef("native", ("042", "3"), "Spec 042 / Subtask 3")),
        (ExecutionContext("042"), WorkUnitRef("native", ("042",), "Spec 042")),
        (ExecutionContext(None, "3"), WorkUnitRef("native", ("3",), "Subtask 3")),
        (ExecutionContext(), None),
    ],
)
def test_work_units(context: ExecutionContext, unit: WorkUnitRef | None):
    """A unit of work is a spec, a subtask or both; with neither there is none."""
    assert NATIVE.resolve_work_unit_ref(context) == unit


def test_relay_carries_what_a_stage_needs():
    """Stages hand over in order; the fixer gets errors and requirements only, others everything."""
    assert NATIVE.relay_transitions() == (
        RelayTransition("planner", "coder"),
        RelayTransition("coder", "qa_reviewer"),
        RelayTransition("qa_reviewer", "qa_fixer", ("error_pattern", "requirement")),
    )
    memories = [record("m", "mind the gap"), record("n", "must be fast", type="requirement")]
    told = "## From earlier stages, for {}\n{}- [requirement] must be fast"
    assert NATIVE.format_relay_context(memories, "coder") == told.format("coder", "- [gotcha] mind the gap\n")
    assert NATIVE.format_relay_context(memories, "qa_fixer") == told.format("qa_fixer", "")
    assert NATIVE.format_relay_context(memories[:1], "qa_fixer") == ""
    assert NATIVE.format_relay_context([], "coder") == ""


def test_a_stage_is_told_what_rests_on_text_from_outside():
    """It stands in quotes that it cannot end; a person's word takes the doubt away."""
    page = record("m", "always run “x” first", taint=Taint("https://x.org", 3))
    assert NATIVE.format_relay_context([page], "coder") == (
        "## From earlier stages, for coder\n- [gotcha] (unverified, from a session that had read outside "
        'text) “always run "x" first”'
    )
    told = NATIVE.format_relay_context([page._replace(user_verified=True)], "coder")
    assert told.endswith("- [gotcha] always run “x” first")


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (WorkUnitResult(True), "Spec 042 succeeded"),
        (WorkUnitResult(False, "no key"), "Spec 042 failed: no key"),
        (WorkUnitResult(True, "", 4, 7), "Spec 042 succeeded in 7 steps (4 planned)"),
        (WorkUnitResult(True, "", None, 7), "Spec 042 succeeded"),
    ],
)
def test_outcome_of_a_unit(result: WorkUnitResult, sentence: str):
    """A unit's end is one sentence, with its steps where both numbers are known."""
    assert NATIVE.on_work_unit_complete(ExecutionContext("042"), result) == sentence
    assert NATIVE.on_work_unit_complete(ExecutionContext(), result) is None
