"""Memories of the course of a session: words of the user, work, verdicts, commits, hand-overs."""

from __future__ import annotations

from typing import Any

from remora.core.events import CommitMade
from remora.core.methodology import ExecutionContext, WorkUnitResult
from remora.core.values import MemoryRecord, Taint, WorkUnitRef
from remora.observer.candidate import Candidate, Rejected
from remora.observer.producers import (
    belongs,
    commits,
    for_unit,
    handed_on,
    outcome,
    promotes_early,
    said,
    unit_ended,
    verdicts,
)
from remora.observer.seen import SeenHere
from tests.observer import sessions
from tests.observer.sessions import met, session

REPORT = "Done! Added the `--long` flag to `newStatusCmd()`, so that `status` can show every setting again."
ASK = "can you add a `--long` flag to the status command?"
TIDIED = (
    "Added `//nolint:errcheck` to the call of `client.Enqueue` that may fail.\n"
    "Removed the redundant `return` statement at the end of `detach()`."
)
WHY = "feat(list): sort by date\n\nBranches were sorted by name, which put old work first in the list."


def units(*exchanges: Any, **fields: Any) -> list[Candidate | Rejected]:
    """Return the work that a session tells of."""
    return list(outcome(session(exchanges=exchanges, **fields), SeenHere()))


def test_work_is_told_with_request_report_and_files() -> None:
    """Sources before tests; the session is the key, so that a second reading refreshes it."""
    (found,) = units(sessions.said(ASK, REPORT, "cli/status_test.go", "cli/status.go", taint=Taint("/x", 2)))
    assert isinstance(found, Candidate)
    assert found.draft.content == (
        "Asked: add a `--long` flag to the status command. Done: Added the `--long` flag to "
        "`newStatusCmd()`, so that `status` can show every setting again. "
        "Changed `cli/status.go` and `cli/status_test.go` (seen once, 2026-01-05)."
    )
    assert (found.draft.type, found.draft.taint, found.draft.source) == (
        "work_unit_outcome",
        Taint("/x", 2),
        "observer_inferred",
    )
    (again,) = units(sessions.said(ASK, REPORT + " Twice.", "cli/status_test.go", "cli/status.go"))
    assert isinstance(again, Candidate)
    assert again.draft.external_id == found.draft.external_id


def test_small_empty_refused_and_committed_work_is_left_out() -> None:
    """One file, tests only, a report without content, a refusal after it, a commit that tells of it."""
    files = ("cli/status.go", "cli/root.go")
    done = sessions.said(ASK, REPORT, *files)
    for exchanges, commit, why in (
        ((sessions.said(ASK, REPORT, "cli/status.go"),), (), "fewer than 2 files"),
        ((sessions.said(ASK, REPORT, "cli/a_test.go", "docs/a.md"),), (), "only tests and documents"),
        ((sessions.said(ASK, "Done! All tests pass.", *files),), (), "says nothing that lasts"),
        ((sessions.said(ASK, TIDIED, *files),), (), "only tidied up"),
        ((sessions.said(ASK, f"{REPORT} The `list` tests are still failing.", *files),), (), "still fails"),
        ((done, sessions.said("that is wrong, it still fails", "Hm.")), (), "refused it afterwards"),
        ((done,), (CommitMade(WHY, 12, None, files),), "a commit tells of it"),
    ):
        first = units(*exchanges, commits=commit)[0]
        assert isinstance(first, Rejected)
        assert why in first.why
    both = tuple(
        sessions.shows("backtrack", path, 9, paths=(path,), detail={"after_steps": 8}) for path in files
    )
    (back,) = units(done, signals=both)
    assert isinstance(back, Rejected)
    assert back.why == "the session took it back"
    assert isinstance(units(done, signals=both[:1])[0], Candidate)
    more = (
        "Added `logging.WithAgent` to `newAgentHook()` and removed the redundant attributes of each log call."
    )
    assert isinstance(units(sessions.said(ASK, more, *files))[0], Candidate)
    assert units(done, outcome="unknown") == []
    assert units(done, kind="insights") == []


def test_the_telling_unit_of_a_session_is_kept() -> None:
    """Reasons, a clear request and files weigh; a second one is told where it says why."""
    plain = sessions.said(
        "and the other one?", "Changed the `status` text in both of the places.", "a.go", "b.go"
    )
    found = [c for c in units(plain, sessions.said(ASK, REPORT, "a.go", "b.go")) if isinstance(c, Candidate)]
    assert len(found) == 1
    assert "--long" in found[0].draft.content
    why = "Moved the check to `status.go`, because `list` had a copy of it that nobody knew of."
    more = sessions.said("and the check?", why, "a.go", "b.go")
    both = units(more, sessions.said(ASK, REPORT, "a.go", "b.go"))
    assert [("--long" in c.draft.content) for c in both if isinstance(c, Candidate)] == [True, False]


def test_a_commit_made_again_is_one_memory() -> None:
    """An amended commit has the files of both, the later message, and what taints either."""
    again = f"{WHY} Branches are read once."
    made = (
        CommitMade(WHY, 3, None, ("cli/list.go",), Taint("/x", 1), ("one",), ("e3",)),
        CommitMade(again, 7, None, ("cli/list_test.go", "cli/list.go"), None, ("two",), ("e7",)),
    )
    (found,) = commits(session(commits=made), SeenHere())
    assert isinstance(found, Candidate)
    assert found.draft.related_files == ("cli/list.go", "cli/list_test.go")
    assert found.draft.taint == Taint("/x", 1)
    assert "`cli/list.go` and `cli/list_test.go`" in found.draft.content


def test_commits_tell_why() -> None:
    """Only messages with a body, no routine, six a session, of changes that were seen."""
    made = (
        CommitMade(WHY, 3, "2026-01-05T10:20:00.000Z", ("cli/list.go",), Taint("/x", 1)),
        CommitMade("fix: typo in the help text", 4),
        CommitMade(f"docs: update comments\n\n{'word ' * 12}", 5),
        CommitMade(f"fix(list): address review feedback\n\n{'word ' * 12}", 5, None, ("cli/list.go",)),
        CommitMade(f"feat: what nobody saw change\n\n{'It was too short before this. ' * 3}", 5),
        *(
            CommitMade(
                f"feat: part {n} of the list\n\n{'The list was too short before this. ' * 3}",
                n,
                None,
                ("cli/list.go",),
                None,
                (f"digest {n}",),
            )
            for n in range(6, 12)
        ),
    )
    found = list(commits(session(commits=made), SeenHere()))
    kept = [c for c in found if isinstance(c, Candidate)]
    assert kept[0].draft.content == (
        "feat(list): sort by date. Branches were sorted by name, which put old work first in the list. "
        "Changed `cli/list.go` (committed 2026-01-05)."
    )
    assert (len(kept), len(found)) == (6, 11)
    assert [c.wrote for c in kept] == [(), *((f"digest {n}",) for n in range(6, 11))]
    assert (kept[0].draft.source, kept[0].draft.taint) == ("commit_auto", Taint("/x", 1))


def test_a_check_that_the_user_reported_and_that_passes_is_a_verdict() -> None:
    """With what made it pass; a test that was made to fit, or one the user asked for, is none."""
    error = met("Error: the generated client is out of date", "after `make client`")
    report = "The client is generated from the schema, which had a new field, so it was generated again."
    exchange = sessions.said("mise run lint fails, can you take a look?", report, "a.go", step=20)
    (found,) = verdicts(session(exchanges=(exchange,), errors=(error,)), SeenHere())
    assert found.draft.content.startswith(
        "`make lint` fails with “Error: the generated client is out of date”."
    )
    assert "It passes since: The client is generated from the schema" in found.draft.content
    assert (found.draft.type, found.draft.source) == ("error_pattern", "qa_auto")
    asked = sessions.said("write a test that fails for this build", report, "a.go", step=20)
    assert list(verdicts(session(exchanges=(asked,), errors=(error,)), SeenHere())) == []
    rule = met("a.go:3:1: GetClient returns interface (ireturn)")  # told with what other sessions did
    assert list(verdicts(session(exchanges=(exchange,), errors=(rule,)), SeenHere())) == []
    fitted = met("--- FAIL: TestX (0.1s): expected 2, got 1", "changed `x_test.go`: `2` became `1`")
    assert list(verdicts(session(exchanges=(exchange,), errors=(fitted,)), SeenHere())) == []
    assert (
        list(verdicts(session(exchanges=(exchange,), errors=(error,), outcome="unknown"), SeenHere())) == []
    )


def test_standing_words_of_the_user_are_kept_once() -> None:
    """In their words, with the day; the prompts of a host without exchanges count too."""
    prompt = "note that we should always run `make fmt` together with `make lint`"
    found = list(said(session(exchanges=(sessions.said(prompt, "ok"),), prompts=(prompt,)), SeenHere()))
    assert [c.draft.content for c in found] == [
        "We should always run `make fmt` together with `make lint`. (said by the user, 2026-01-05)"
    ]
    assert (found[0].draft.type, found[0].draft.taint, found[0].priority) == ("preference", None, 0.95)


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
    day, spec = "2026-01-05T10:00:00.000Z", WorkUnitRef("native", ("042",), "Spec 042")
    third = WorkUnitRef("native", ("042", "3"), "Spec 042 / Subtask 3")
    made = MemoryRecord(
        *("a", "gotcha", "text", 0.8, (), (), (), day, day, day, 0, "module", "observer_inferred", "p")
    )._replace(work_unit_ref=third)
    assert belongs(made, third)
    assert belongs(made, spec)
    assert belongs(made._replace(work_unit_ref=spec), third)
    assert not belongs(made, WorkUnitRef("native", ("042", "4"), ""))
    assert not belongs(made, third._replace(methodology="other"))
    assert not belongs(made, None)
    assert not belongs(made._replace(work_unit_ref=None), spec)


def test_stages_hand_on_what_their_transition_carries() -> None:
    """Everything, the types it names, or nothing where two stages do not meet."""
    day = "2026-01-05T10:00:00.000Z"
    records = [
        MemoryRecord(t, t, "text", 0.8, (), (), (), day, day, day, 0, "global", "observer_inferred", "p")
        for t in ("gotcha", "error_pattern", "requirement")
    ]
    assert handed_on(records, "planner", "coder") == records
    assert [r.type for r in handed_on(records, "qa_reviewer", "qa_fixer")] == ["error_pattern", "requirement"]
    assert handed_on(records, "planner", "qa_fixer") == []
