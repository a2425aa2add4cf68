"""What a memory gives a session before its work begins, and keeps for the one that goes on with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.app.learning.work_state import leave_work, save_work_state
from remora.core.clock import FixedClock
from remora.core.errors import InvalidInput, ProviderBusy, StoreReadOnly
from remora.core.events import CommandRun, ErrorSeen, FileUse
from remora.core.values import MemoryRecord, Taint, WorkUnitRef
from remora.llm.scripted import ScriptedModel
from remora.observer.observer import Observer
from tests.helpers import SECRET, Repo, environment
from tests.observer.script import Script
from tests.observer.sessions import session
from tests.store.makers import save, there

TASK = "make the token lifetime a setting"


def calibrate(memory: Memory, module: str, ratio: float) -> None:
    """Remember what work in a module took."""
    steps = {"average_actual_steps": 1.0, "average_planned_steps": 1.0, "ratio": ratio, "sample_count": 4}
    payload, text = {"module": module, **steps}, f"Work in {module} took {ratio}"
    memory.remember(text, type="task_calibration", related_modules=[module], payload=payload)


def worked(memory: Memory, name: str, *files: str, asked: str = TASK, edited: str = "auth/tokens.py") -> None:
    """Record a session that read some files."""
    uses = (FileUse(edited, 1, 1, 1, 2), *(FileUse(path, 1, 0, 1, 2) for path in files))
    one = session(name, prompts=(asked,), files=uses)
    save(memory._project.db, memory._project.db.sessions.record, one, (), "1", "2026-02-01T00:00:00.000Z")


def test_blocks_for_planning_and_testing(bare: Memory) -> None:
    """Each has its own kinds; the texts name what is about the module, what was asked for first."""
    record = bare.remember("Polling the gateway failed", type="dead_end", related_modules=["auth"])
    bare.remember("Tokens must expire", type="requirement", related_files=["auth/tokens.py"])
    plan, tested = (ask("", modules=["auth"]) for ask in (bare.plan_context, bare.qa_context))
    assert "Polling the gateway failed" in plan.text
    assert "Tokens must expire" in tested.text
    assert plan.text.index("Tokens must expire") < plan.text.index("Polling the gateway failed")
    bare.prune()
    assert bare.show(record.id).access_count == 1  # it was told, which counts as used
    assert bare.plan_context("", modules=["web"]).text == ""
    by_file = bare.plan_context("", files=[bare.root / "auth" / "tokens.py"])
    assert [hit.text for hit in by_file.hits] == ["Tokens must expire", "Polling the gateway failed"]


def test_the_modules_of_likely_files(repo: Repo, memory: Memory) -> None:
    """Where a task names nothing, the code says where it will be worked on."""
    code = "def token_lifetime():\n    return 24\n"
    repo.commit("start", {"auth/lifetime.py": code, "web/page.py": "def footer():\n    return 1\n"})
    memory.init()
    memory.remember("Polling the gateway failed", type="dead_end", related_modules=["auth"])
    assert "Polling" in memory.plan_context("change token_lifetime").text
    assert memory.plan_context("change the weather").text == ""


def test_branches(repo: Repo, memory: Memory) -> None:
    """What another branch learned, and where its work was left, is told there, or when it is asked for."""
    repo.commit("start", {"a.py": "x = 1\n"})
    memory.remember("Polling failed", type="dead_end", related_modules=["auth"], branch="work")
    assert memory.plan_context("", modules=["auth"]).text == ""
    assert memory.plan_context("", modules=["auth"], branch="work").hits
    assert memory.plan_context("", modules=["auth"], branch="*").hits
    repo.git("checkout", "-q", "-b", "work")
    assert memory.plan_context("", modules=["auth"]).hits
    state = there(left(memory, prompts=(TASK,), todo=["document it"], branch="work"))
    assert state.branch == "work"
    assert "on branch work" in memory.work_state()
    repo.git("checkout", "-q", "main")
    assert memory.work_state() == ""


def test_bad_arguments(bare: Memory, tmp_path: Path) -> None:
    """What cannot be meant is refused by name; a memory opened for reading saves no work."""
    for given in ({"task": 3}, {"modules": "auth"}, {"files": [1]}, {"budget": 0}):
        with pytest.raises(InvalidInput):
            bare.plan_context(**{"task": "x", **given})  # type: ignore[arg-type]
    bare.remember("x is y")
    readonly = Memory.open(bare.root, environ=environment(tmp_path), read_only=True)
    with readonly, pytest.raises(StoreReadOnly):
        left(readonly, todo=["x"])


def test_step_limits(bare: Memory) -> None:
    """The calibrations nearest to the task move the limit, the module's own before those around it."""
    assert bare.step_factor(TASK) is None
    assert bare.step_limit(100, TASK) == 100
    calibrate(bare, "auth", 1.5)
    calibrate(bare, "auth/web", 3.0)
    assert bare.step_factor(modules=["auth"]) == 1.5
    assert bare.step_limit(100, modules=["auth"]) == 150
    assert bare.step_limit(100, files=["auth/web/page.py"]) == 200
    assert bare.step_factor(modules=["auth/cli"]) == 1.5
    assert bare.step_limit(100, modules=["billing"]) == 100
    assert bare.step_limit(100, modules=["auth"], most=120) == 120
    with pytest.raises(InvalidInput):
        bare.step_limit(0)


def test_prefetch(bare: Memory) -> None:
    """Files that sessions there used, with their contents; those at hand are not named again."""
    for path in ("auth/tokens.py", "server/settings.py"):
        (bare.root / path).parent.mkdir()
        (bare.root / path).write_text("x = 1\n")
    for number in range(3):
        worked(bare, f"s{number}", "server/settings.py")
    found = bare.prefetch(TASK, modules=["auth"])
    assert [one.path for one in found] == ["auth/tokens.py", "server/settings.py"]
    assert "     1\tx = 1" in found.text
    assert [one.path for one in bare.prefetch(TASK, files=["auth/tokens.py"])] == ["server/settings.py"]
    assert [one.path for one in bare.prefetch(TASK, modules=["auth"], most=1)] == ["auth/tokens.py"]
    for wrong in ({"most": 0}, {"budget": 0}, {"most": True}):
        with pytest.raises(InvalidInput):
            bare.prefetch(TASK, **wrong)


# Unfinished work


# What the sessions of these tests did, unless a test says otherwise.
DID: dict[str, Any] = {"branch": None, "files": (FileUse("auth/tokens.py", 1, 1, 1, 2),)}


def left(memory: Memory, name: str = "s1", **fields: Any) -> MemoryRecord | None:
    """Save where a session left its work."""
    more = {k: fields.pop(k) for k in ("todo", "taint") if k in fields}
    given = {"outcome": "unknown", "ended": "2026-02-28T10:00:00.000Z", **DID, **fields}
    return save_work_state(memory._project, session(name, **given), **more)


def test_a_session_has_one_state(bare: Memory, clock: FixedClock) -> None:
    """It is replaced when the session stops again, and retired when nothing is left."""
    first = there(left(bare, prompts=(TASK,), todo=["document it"]))
    assert first.type == "work_state"
    clock.advance(days=1)
    files, ended = (FileUse("b.py", 0, 1, 1, 2),), "2026-03-02T10:00:00.000Z"
    second = there(left(bare, prompts=(TASK,), todo=["tell the team"], files=files, ended=ended))
    assert (second.id, second.related_files) == (first.id, ("b.py",))
    (only,) = bare.list(types=["work_state"])
    assert "tell the team" in only.content
    assert "document it" not in only.content
    assert left(bare, outcome="success") is None
    assert bare.list(types=["work_state"]) == []
    again = there(left(bare, prompts=(TASK,), todo=["one more thing"]))
    assert again.id == first.id
    assert "one more thing" in bare.work_state()
    bare.forget(again.id)  # a person's word: the next stop of the session does not bring it back
    assert left(bare, todo=["z"]) is None
    assert bare.work_state() == ""


def test_going_on(bare: Memory, clock: FixedClock) -> None:
    """The own state first; else the newest, and with a task the newest about the same."""
    assert bare.work_state() == ""
    left(bare, "s1", prompts=(TASK,), todo=["document the setting"], ended="2026-02-27T10:00:00.000Z")
    left(bare, "s2", prompts=("float the footer",), todo=["on phones"], ended="2026-02-28T10:00:00.000Z")
    assert "float the footer" in bare.work_state()
    assert "float the footer" in bare.work_state("continue")
    assert TASK in bare.work_state("the lifetime of a token is no setting yet")
    assert bare.work_state("rewrite the parser") == ""
    assert TASK in bare.work_state("rewrite the parser", session_id="s1")
    assert "float the footer" in bare.work_state(session_id="another")
    clock.advance(days=20)
    assert bare.work_state() == ""
    assert TASK in bare.work_state(session_id="s1")


def learnt(memory: Memory, name: str, **fields: Any) -> None:
    """Record a session as a run of `learn` does, and keep where it left its work."""
    one = session(name, **{**DID, **fields})
    save(memory._project.db, memory._project.db.sessions.record, one, (), "1", one.ended or "")
    save_work_state(memory._project, one)


def broken(memory: Memory, name: str = "s1", ended: str = "2026-02-27T10:00:00.000Z") -> None:
    """Record a session that ends with a failing check."""
    failed = ErrorSeen("f1", "Bash", "make test", "1 failed", 1, (39,), resolved=False)
    ran = CommandRun("make test", "test", 1, 1, 39, 39)
    did: dict[str, Any] = {"outcome": "failure", "errors": (failed,), "commands": (ran,)}
    learnt(memory, name, ended=ended, prompts=("paginate the list of orders",), **did)


def states(memory: Memory) -> list[str]:
    """Return the sessions whose unfinished work is kept."""
    return [m.session_id or "" for m in memory.list(types=["work_state"])]


def test_work_that_a_later_session_went_on_with_is_not_told(bare: Memory) -> None:
    """A task is told of it until a session with the same task changed files, even if it broke off earlier.

    Without a task only the newest session is told of.
    """
    task = "paginate the list of orders"
    broken(bare)
    assert "Failing at the end: `make test`" in bare.work_state(task)
    same = ("continue and fix the pagination of the orders",)
    learnt(bare, "s2", ended="2026-02-28T10:00:00.000Z", prompts=same, files=())
    assert "Failing" in bare.work_state(task)
    assert "Failing" in bare.work_state()
    learnt(bare, "s3", ended="2026-02-28T10:00:00.000Z", prompts=same)
    assert bare.work_state(task) == ""
    broken(bare, ended="2026-03-01T10:00:00.000Z")  # it went on, and broke it again
    assert "Failing" in bare.work_state(task)
    learnt(bare, "s4", ended="2026-03-01T11:00:00.000Z", prompts=("float the footer",))
    assert bare.work_state() == ""
    assert "Failing" in bare.work_state("the list of orders has no pages")
    assert states(bare) == ["s1"]


def test_what_rests_on_outside_text_is_marked(bare: Memory) -> None:
    """Its taint stays with the state, and secrets do not come in."""
    state = there(left(bare, todo=[f"set TOKEN={SECRET}"], taint=Taint("web_fetch", 2)))
    assert (state.taint, state.needs_review) == (Taint("web_fetch", 2), True)
    assert "read text from outside" in bare.work_state()
    assert SECRET not in bare.work_state() + str(state)


def watched(name: str, asked: str, *todos: tuple[str, str]) -> Observer:
    """Watch a session that edits a file and writes down its plan."""
    script = Script(name).step()
    script.add("user_prompt", text=asked, step=0)
    plan = [{"content": content, "status": status} for content, status in todos]
    script.edit("auth/tokens.py").call("TodoWrite", "plan", "ok", extra={"todos": plan})
    script.add("reply", text="Committed and pushed.")
    watching = Observer(name, "claude-code", strict=True)
    for event in script.events:
        watching.observe(event)
    return watching


def test_the_state_of_a_session_that_was_watched(bare: Memory) -> None:
    """What its plan leaves open comes from the observer; a session of long ago leaves nothing."""
    watching = watched("s1", TASK, ("add it", "completed"), ("document it", "pending"))
    assert leave_work(bare._project, watching, watching.finalize()) is None  # it ended in January
    found = watching.finalize()._replace(ended="2026-02-28T10:00:00.000Z", branch=None)
    record = there(leave_work(bare._project, watching, found))
    assert record.last_accessed_at == "2026-02-28T10:00:00.000Z"
    assert "Still to do: document it." in bare.work_state(TASK)


def test_what_a_session_was_at_when_it_ended_well_is_done(bare: Memory) -> None:
    """The last thing of a plan is seldom ticked off; one that was never begun is still open."""
    plan = (("commit", "completed"), ("push", "in_progress"))
    for name, more in (("s1", ()), ("s2", (("write the changelog", "pending"),))):
        watching = watched(name, "rename the export button", *plan, *more)
        found = watching.finalize(outcome="success")
        leave_work(bare._project, watching, found._replace(ended="2026-02-28T10:00:00.000Z", branch=None))
    assert states(bare) == ["s2"]
    assert "write the changelog" in bare.work_state()
    assert "push" not in bare.work_state()


# What interfaces showed

SLOW = "TimeoutError: locator.click: Timeout 5000ms exceeded."


def test_an_observation_of_an_interface(bare: Memory, tmp_path: Path, clock: FixedClock) -> None:
    """It is stored as from outside, for a person to look at; never twice, nor after somebody forgot it."""
    unit = WorkUnitRef("native", ("042", "1"), "Spec 042 / Subtask 1")
    tool = "mcp__playwright__browser_click"
    about: dict[str, Any] = {"related_files": ["web/page.tsx"], "related_modules": ["web"]}
    given = {"element": "Save"}
    record = bare.observe_ui(tool, SLOW, arguments=given, session_id="s1", step=7, work_unit=unit, **about)
    assert record is not None
    assert (record.type, record.source, record.scope) == ("e2e_observation", "mcp_auto", "global")
    assert (record.needs_review, record.taint) == (True, Taint(tool, 7))
    assert record.confidence == pytest.approx(0.75 * 0.7)
    assert record.payload is not None
    assert (record.payload["observation_type"], record.payload["judged_by"]) == ("timing", "rules")
    assert (record.session_id, record.work_unit_ref) == ("s1", unit)
    assert "had read outside text) “" in bare.qa_context("", modules=["web"]).text
    assert bare.observe_ui(tool, SLOW.replace("5000", "3000"), arguments=given) is None
    with Memory.open(bare.root, environ=environment(tmp_path), clock=clock) as again:
        assert again.observe_ui(tool, SLOW, arguments=given) is None
        again.forget(record.id)
        assert again.observe_ui(tool, SLOW, arguments=given) is None
    assert bare.list(types=["e2e_observation"]) == []


def test_a_model_judges(tmp_path: Path, folder: Path, clock: FixedClock) -> None:
    """It is asked once for each new answer; where it fails the rules answer, with a note.

    Nothing is kept of other tools, of ordinary answers, nor of what is nothing but a secret.
    """
    secret = f"C: {SECRET} {SECRET} {SECRET} {SECRET}"
    model = ScriptedModel([secret, "C: The dialog closes at once.", "F: nothing", ProviderBusy("loading")])
    with Memory.open(folder, environ=environment(tmp_path), clock=clock, llm=model) as memory:
        assert memory.observe_ui("browser_click", "a page of several words") is None
        assert memory.observe_ui("Bash", SLOW) is None
        page = "### Page state of the shop\n- dialog: closed now"
        record = there(memory.observe_ui("browser_click", page))
        assert record.content == "The dialog closes at once."
        assert record.payload is not None
        assert record.payload["judged_by"] == "scripted"
        assert memory.observe_ui("browser_click", page) is None
        assert memory.observe_ui("browser_click", page + " and open again") is None
        slow = there(memory.observe_ui("browser_click", SLOW))
        assert "loading" in memory.notes[0]
        assert len(model.calls) == 4
    with Memory.open(folder, environ=environment(tmp_path), clock=clock) as memory:
        assert memory.observe_ui("browser_snapshot", "- heading: Welcome to the shop of Ada") is None
        assert memory.observe_ui("browser_snapshot", None) is None
        assert {one.id for one in memory.list()} == {record.id, slow.id}
