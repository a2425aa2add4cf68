"""Methodology plugins: map a way of working to the six universal phases and its units of work.

Retrieval knows only the six phases. A plugin translates the terms of a methodology (spec, coding,
qa_review, …) and returns the work unit of a context. `NATIVE` is built in; others register
an object under the entry point group `remora.methodologies`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from remora.core.values import PHASES, MemoryRecord, WorkUnitRef


class RelayTransition(NamedTuple):
    """A transition between two stages of a pipeline, and the memory types it carries (empty: all)."""

    from_stage: str
    to_stage: str
    types: tuple[str, ...] = ()


class ExecutionContext(NamedTuple):
    """The known facts about the current work."""

    spec_number: str | None = None
    subtask_id: str | None = None
    phase: str | None = None
    extra: Mapping[str, str] | None = None


class WorkUnitResult(NamedTuple):
    """The result of a unit of work."""

    success: bool
    summary: str = ""
    steps_planned: int | None = None
    steps_taken: int | None = None


@runtime_checkable
class Methodology(Protocol):
    """The interface of a methodology plugin. `id` and `display_name` are plain strings."""

    id: str
    display_name: str
    custom_memory_types: tuple[str, ...]

    def map_phase(self, phase: str) -> str:
        """Return the universal phase of a phase of this methodology; never fails."""
        ...

    def resolve_work_unit_ref(self, context: ExecutionContext) -> WorkUnitRef | None:
        """Return the unit of work of a context, None if there is none."""
        ...

    def relay_transitions(self) -> Sequence[RelayTransition]:
        """Return the transitions between stages, in order."""
        ...

    def format_relay_context(self, memories: Sequence[MemoryRecord], to_stage: str) -> str:
        """Return the text for a stage about the memories of earlier stages.

        Tainted memories that no person verified rest on external text: the text says so (`handed`).
        """
        ...

    def on_work_unit_complete(self, context: ExecutionContext, result: WorkUnitResult) -> str | None:
        """Return a sentence to remember as the outcome of a unit of work, None for none."""
        ...


def handed(memory: MemoryRecord) -> str:
    """Return a memory's text for a stage; an unverified tainted one is in quotes that it cannot end.

    A memory that rests on external text may repeat a stranger's instruction.
    """
    if memory.taint is None or memory.user_verified:
        return memory.content
    text = memory.content.replace("“", '"').replace("”", '"')
    return f"(unverified, from a session that had read outside text) “{text}”"


_NATIVE_PHASES = {
    "planning": "define",
    "spec": "define",
    "coding": "implement",
    "qa_review": "validate",
    "qa_fix": "refine",
    "debugging": "refine",
    "insights": "explore",
}


class NativeMethodology:
    """Specs cut into subtasks: planner, coder, QA reviewer, QA fixer."""

    id = "native"
    display_name = "Native (subtasks)"
    custom_memory_types: tuple[str, ...] = ()

    def map_phase(self, phase: str) -> str:
        """Return the universal phase; a universal phase maps to itself, the unknown to "explore".

        >>> NATIVE.map_phase("qa_fix"), NATIVE.map_phase("implement"), NATIVE.map_phase("lunch")
        ('refine', 'implement', 'explore')
        """
        return _NATIVE_PHASES.get(phase, phase if phase in PHASES else "explore")

    def resolve_work_unit_ref(self, context: ExecutionContext) -> WorkUnitRef | None:
        """Return `Spec N / Subtask M`.

        >>> NATIVE.resolve_work_unit_ref(ExecutionContext("042", "3")).label
        'Spec 042 / Subtask 3'
        """
        parts = tuple(p for p in (context.spec_number, context.subtask_id) if p)
        if not parts:
            return None
        spec = f"Spec {context.spec_number}" if context.spec_number else ""
        subtask = f"Subtask {context.subtask_id}" if context.subtask_id else ""
        return WorkUnitRef(self.id, parts, " / ".join(p for p in (spec, subtask) if p))

    def relay_transitions(self) -> Sequence[RelayTransition]:
        """Return planner → coder → QA reviewer → QA fixer; the fixer gets errors and requirements."""
        return (
            RelayTransition("planner", "coder"),
            RelayTransition("coder", "qa_reviewer"),
            RelayTransition("qa_reviewer", "qa_fixer", ("error_pattern", "requirement")),
        )

    def format_relay_context(self, memories: Sequence[MemoryRecord], to_stage: str) -> str:
        """Return one line for each memory that the transition carries, in the given order."""
        carried = next((t.types for t in self.relay_transitions() if t.to_stage == to_stage), ())
        lines = [f"- [{m.type}] {handed(m)}" for m in memories if not carried or m.type in carried]
        return f"## From earlier stages, for {to_stage}\n" + "\n".join(lines) if lines else ""

    def on_work_unit_complete(self, context: ExecutionContext, result: WorkUnitResult) -> str | None:
        """Return the outcome of the unit, with planned and actual steps if both are known."""
        unit = self.resolve_work_unit_ref(context)
        if unit is None:
            return None
        steps = ""
        if result.steps_planned and result.steps_taken is not None:
            steps = f" in {result.steps_taken} steps ({result.steps_planned} planned)"
        detail = f": {result.summary}" if result.summary else ""
        return f"{unit.label} {'succeeded' if result.success else 'failed'}{steps}{detail}"


NATIVE: Methodology = NativeMethodology()
