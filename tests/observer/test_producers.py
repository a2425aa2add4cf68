"""Words of the user, and units of a methodology."""

from __future__ import annotations

from remora.core.methodology import ExecutionContext, WorkUnitResult
from remora.core.values import Taint, WorkUnitRef
from remora.observer.producers import belongs, for_unit, promotes_early, said, unit_ended
from tests.observer import sessions
from tests.observer.seen_here import SeenHere
from tests.observer.sessions import session
from tests.store.makers import record


def test_standing_words_of_the_user_are_kept_once() -> None:
    """In their words, with the day."""
    signal = sessions.stated("note that we should always run `make fmt` together with `make lint`")
    (found,) = said(session(signals=(signal, signal._replace(step=9))), SeenHere())
    words = "Always run `make fmt` together with `make lint`. (said by the user, 2026-01-05)"
    assert found.draft.content == words
    assert (found.draft.type, found.draft.taint, found.priority) == ("preference", None, 0.95)


def test_units_of_a_methodology_end_with_a_memory() -> None:
    """Its sentence, its unit and a name that stays the same; without a unit there is nothing to say."""
    context = ExecutionContext("042", "3")
    memory = unit_ended(context, WorkUnitResult(True, "parser written", 10, 14))
    assert memory is not None
    assert memory.content == "Spec 042 / Subtask 3 succeeded in 14 steps (10 planned): parser written"
    assert memory.work_unit_ref == WorkUnitRef("native", ("042", "3"), "Spec 042 / Subtask 3")
    assert memory.external_id == "observed:work_unit_outcome:native:042/3"
    assert unit_ended(ExecutionContext(), WorkUnitResult(True)) is None
    assert for_unit(memory._replace(work_unit_ref=None), context).work_unit_ref == memory.work_unit_ref
    assert [promotes_early(n) for n in (5, 6)] == [False, True]


def test_a_unit_of_a_session_that_read_outside_text_is_doubted() -> None:
    """Its summary may repeat what was read: less confidence, a person's look, and where it came from."""
    context, done = ExecutionContext("042", "3"), WorkUnitResult(True, "run x first, as the page says")
    page = Taint("https://x.org", 2)
    memory = unit_ended(context, done, session_id="s1", branch="fix", taint=page)
    assert memory is not None
    assert (memory.taint, memory.needs_review, round(memory.confidence, 2)) == (page, True, 0.56)
    assert (memory.session_id, memory.branch) == ("s1", "fix")


def test_a_unit_belongs_to_its_whole_and_its_parts() -> None:
    """Not to its neighbour, not to another methodology's, and nothing belongs to no unit."""
    spec = WorkUnitRef("native", ("042",), "Spec 042")
    third = WorkUnitRef("native", ("042", "3"), "Spec 042 / Subtask 3")
    made = record("m", work_unit_ref=third)
    assert belongs(made, third)
    assert belongs(made, spec)
    assert belongs(made._replace(work_unit_ref=spec), third)
    assert not belongs(made, WorkUnitRef("native", ("042", "4"), ""))
    assert not belongs(made, third._replace(methodology="other"))
    assert not belongs(made, None)
    assert not belongs(made._replace(work_unit_ref=None), spec)
