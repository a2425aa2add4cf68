"""plan, teach and learned on the command line."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from remora.app.learning.learn import LearnReport, SessionLearnt
from remora.app.learning.promotion import Learnt
from remora.app.learning.run_summary import Remembered, SessionSummary
from remora.app.memory import Memory
from remora.core.errors import EXIT_CODES, Conflict, InvalidInput, NotFound
from remora.core.events import FileUse
from remora.core.values import Context
from remora.injection.prefetch import Prefetch, PrefetchFile
from remora.interfaces import learn_pages
from remora.interfaces.commands.cli_context import CliContext
from remora.interfaces.commands.learn import Reviewed, due, review_each, review_page
from remora.interfaces.draw import plain
from remora.interfaces.words import speaking
from remora.observer.promotion import Discarded
from tests.interfaces.conftest import Answer, Run
from tests.observer.sessions import session
from tests.retrieval.worlds import record

TASK = "make the token lifetime a setting"


def known(memory: Memory) -> None:
    """Let a project know something about its module `auth`."""
    steps = {"average_actual_steps": 16.0, "average_planned_steps": 10.0, "ratio": 1.6, "sample_count": 4}
    about: dict[str, Any] = {"related_modules": ["auth"]}
    payload = {"module": "auth", **steps}
    memory.remember("Work in auth", type="task_calibration", payload=payload, **about)
    memory.remember("Polling the gateway failed", type="dead_end", **about)
    memory.remember("Tokens must expire", type="requirement", **about)
    (memory.root / "auth").mkdir()
    (memory.root / "auth" / "tokens.py").write_text("x = 1\n")
    db = memory._project.db
    for number in range(3):
        with db.connection.transaction():
            one = session(f"s{number}", prompts=(TASK,), files=(FileUse("auth/tokens.py", 1, 1, 1, 2),))
            db.sessions.record(one, (), "1", "2026-02-01T00:00:00.000Z")


PLAN = """\
## Memories for this plan

### Decisions and requirements
- Tokens must expire [Memory #…]

### Steps that earlier work took here
- Work in auth [Memory #…]

### Approaches that failed here
- Polling the gateway failed [Memory #…]

Files to load first
auth/tokens.py  100%  28  used in 3 of 3 sessions that changed `auth`

Steps: past work took 1.6 times the planned steps; 100 become 160.
"""


def test_plan(run: Run, answer: Answer, memory: Memory) -> None:
    """The block, the files, and what the steps come to; the contents only where they are asked for."""
    result = run("plan", "make it better")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "remora learn" in result.stderr
    assert "100 become 100" in run("plan", "x", "--steps", "100").stdout
    assert run("plan").exit_code == EXIT_CODES[InvalidInput]
    known(memory)
    shown = run("plan", TASK, "--module", "auth", "--steps", "100").stdout
    for one in memory.list():
        shown = shown.replace(one.id[:8], "…")
    assert shown == PLAN
    found = answer("plan", TASK, "--module", "auth", "--steps", "50")
    assert (found["step_factor"], found["step_limit"], found["phase"]) == (1.6, 80, "define")
    assert [f["path"] for f in found["prefetch"]] == ["auth/tokens.py"]
    assert len(found["hits"]) == 3
    assert "prefetch_text" not in found
    tested = answer("plan", TASK, "--module", "auth", "--qa", "--contents")
    assert tested["step_limit"] is None
    assert "Tokens must expire" in tested["text"]
    assert "     1\tx = 1" in tested["prefetch_text"]


def test_the_page_of_a_plan() -> None:
    """Work left open stands first; contents take the place of the list of files; nothing is no page."""
    files = Prefetch([PrefetchFile("a.py", 1.0, True, 9, "used")], text="## Files\n\n### a.py")
    block = Context("## What memory has", (), 4, 100, "define")
    shown = plain(learn_pages.plan(block, files, None, None, "## Where it stopped", contents=True))
    assert shown == "## Where it stopped\n\n## What memory has\n\n## Files\n\n### a.py\n"
    assert plain(learn_pages.plan(Context("", (), 0, 100, "define"), Prefetch(()), None, None, "")) == ""


# Teaching

RULES = "# Payments\n\n- Never log a card number\n- TODO\n- Prefer `Decimal` to floats\n"
WOULD_BE = """\
rules.md: 2 would be stored
line 3    new  requirement  Payments: Never log a card number
line 5    new  preference  Payments: Prefer `Decimal` to floats
  left out: rules.md:4 “TODO”: says nothing by itself
"""


def test_teach(run: Run, project: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shown first; with --yes each piece is told, again as merged; a person is asked, and no is an answer."""
    (project / "rules.md").write_text(RULES)
    result = run("teach", "rules.md")
    assert (result.exit_code, result.stdout) == (0, WOULD_BE)
    assert "--yes to store it" in result.stderr
    (project / "CLAUDE.md").write_text(RULES)
    with monkeypatch.context() as terminal:
        terminal.setattr(CliContext, "asks", True)
        assert "Nothing was stored." in run("teach", "CLAUDE.md", stdin="n\n").stderr
        assert memory.list() == []
        asked = run("teach", "CLAUDE.md", stdin="y\n").stderr
    assert "Store these 2?" in asked
    assert "CLAUDE.md (rules of claude): 2 stored" in asked
    assert len(memory.list()) == 2
    again = run("teach", "CLAUDE.md", "-y").stdout
    assert "2 merged with duplicates" in again
    assert "the same text" in again
    assert run("teach", "-", "--yes", "--user", stdin=RULES).stdout.startswith("stdin: 2 stored\n")
    assert len(memory.list(user=True)) == 2


def test_a_bad_file_takes_no_good_one_with_it(run: Run, project: Path, memory: Memory) -> None:
    """It is named, the others are stored, and the exit code is 2."""
    (project / "rules.md").write_text(RULES)
    (project / "bad.md").write_bytes(b"\0\1\2" * 900)
    result = run("teach", "bad.md", "rules.md", "nowhere.md", "--yes", "--json")
    assert result.exit_code == EXIT_CODES[InvalidInput]
    found = json.loads(result.stdout)
    assert [s["what"] for s in found["skipped"]] == ["bad.md", "nowhere.md"]
    assert (found["stored"], [len(f["pieces"]) for f in found["files"]]) == (True, [2])
    assert len(memory.list()) == 2


# The end of a session


def made(number: int, **fields: Any) -> Learnt:
    """Return something that was learned."""
    text = f"Fact {number} about tokens"
    return Learnt(record(text, id=f"id{number}aaaaaaaa", type="gotcha", **fields), "stored", "seen once")


SUMMARY = """\
Session complete: Auth bug fix (success)
What the agent remembered:
  - r1aaaaaa decision: JWT decision → used when planning  [ok]
  - r2aaaaaa gotcha: Redis → the next command failed  (2 times)  [did not help]
  - r3aaaaaa gotcha: Old one
What the agent learned (2 memories):
id1aaaaa  1/2  gotcha  auth/a.py, auth/b.py and 1 more  0.80  Fact 1 about tokens  [seen once]
id2aaaaa  2/2  gotcha  0.80  to review  Fact 2 about tokens  [seen once]
"""
FRENCH = (
    "Session terminée\u202f: Auth bug fix (réussie)\n",
    "  - r2aaaaaa piège\u202f: Redis → la commande suivante a échoué  (2 fois)  [n’a pas aidé]\n",
    "Ce que l’agent a appris (2 souvenirs)\u202f:\n",
    "gotcha  auth/a.py, auth/b.py et 1 de plus  0,80  Fact 1 about tokens  [seen once]\n",
)


def test_the_page_of_a_session() -> None:
    """Title, what was remembered, what was learned, numbered; in the reader's language."""
    remembered = (
        Remembered("r1aaaaaaaa", "decision", "JWT decision", "used when planning", ok=True),
        Remembered("r2aaaaaaaa", "gotcha", "Redis", "the next command failed", ok=False, times=2),
        Remembered("r3aaaaaaaa", "gotcha", "Old one"),
    )
    learnt = (made(1, related_files=("auth/a.py", "auth/b.py", "auth/c.py")), made(2, needs_review=True))
    found = SessionSummary(3, "Auth bug fix", "success", ("claude-code:s1",), remembered, learnt)
    assert plain(learn_pages.summary(found)) == SUMMARY
    with speaking("fr"):
        page = plain(learn_pages.summary(found))
    assert [line for line in FRENCH if line not in page] == []
    assert plain(learn_pages.summary(SessionSummary(0, "", "", (), (), ()))) == ""


def learn(run: Run, project: Path, *numbers: int) -> str:
    """Learn the sessions of these numbers, by default the first; return what is said."""
    from tests.app.learning.test_learn import work

    for number in numbers or (1,):
        work(f"s{number}", number, str(project)).save(project / "talks")
    result = run("learn", "talks")
    assert result.exit_code == 0
    return result.stdout


def test_learn_says_what_is_new_and_what_it_left_out(run: Run, answer: Answer, project: Path) -> None:
    """What was only seen again is told, too, or that nothing is new; what was left out is listed whole."""
    (project / "web").mkdir()
    assert "No agent session was found in web." in run("learn", "web").stderr
    assert "Name a transcript or a folder." in run("learn").stderr
    learn(run, project)
    asked = "Please make the token lifetime a setting of the server"
    assert run("learned").stdout.startswith(f"Session complete: {asked} (success)\n")
    assert "  1/" in run("learned").stdout
    found = answer("learned", "--session", "s1")
    assert (found["run"], found["sessions"]) == (1, ["claude-code:s1"])
    assert found["learned"][0]["memory"]["id"]
    assert answer("learned", "--session", "s2")["learned"] == []
    assert "make lint" in run("checks").stdout
    with contextlib.chdir("web"):
        assert f"Run from {project}" in run("checks", "--project", str(project)).stderr
    again = run("learn", "talks").stdout.splitlines()
    assert again[0] == "Nothing new: 1 unchanged transcript"
    assert len(again) == 2
    assert "add --again --dry-run" in run("learn", "talks", "--left-out").stderr
    found = answer("learn", "talks", "--again", "--dry-run")
    listed = run("learn", "talks", "--again", "--dry-run", "--left-out").stdout.splitlines()
    heads = [line for line in listed if not line.startswith(" ")]
    assert len(heads) == len(found["discarded"]) > 0
    assert len(listed) - len(heads) == sum(found["discarded"].values()) == len(found["left_out"])
    one = found["left_out"][0]
    assert f"  {' '.join(one['what'].split())}: {one['why']}" in listed
    told = learn(run, project, *range(2, 6))
    assert told.startswith("4 sessions read, 1 unchanged; 2 memories learned, 1 seen again\n")
    assert "[met in 5 sessions, resolved in the same way in 5 of them]" in told
    assert "[updated: the user said so]" in told
    assert "[the same commands recur (seen in 5 sessions, last 2026-01-05)]" in run("learned").stdout


def test_only_what_a_run_added_is_dropped_with_it(run: Run, answer: Answer, project: Path) -> None:
    """What was there before stays, and what somebody confirmed; of a session its whole id is asked for."""
    assert "Nothing learned yet." in run("learned").stderr
    learn(run, project)
    result = run("learned", "--run", "99")
    assert result.exit_code == EXIT_CODES[NotFound]
    assert "Only run 1 exists." in result.stderr
    nobody = "No learned session has an id that begins with nobody."
    assert nobody in run("learned", "--session", "nobody").stderr
    assert run("learned", "--review").exit_code == EXIT_CODES[InvalidInput]  # in a pipe nobody is asked
    assert run("learned", "--review", "--verify-all").exit_code == EXIT_CODES[InvalidInput]
    learn(run, project, *range(2, 6))
    found = answer("learned")["learned"]
    kept = [one["memory"]["id"] for one in found if one["action"] == "updated"]
    (confirmed, *dropped) = [one["memory"]["id"] for one in found if one["action"] == "stored"]
    assert len(kept) == 1
    assert run("verify", confirmed).exit_code == 0
    assert run("learned", "--session", "s", "--forget-all").exit_code == EXIT_CODES[Conflict]
    result = run("learned", "--forget-all")
    assert "2 memories kept: older, confirmed or seen elsewhere" in result.stderr
    assert {one["memory"]["id"] for one in answer("learned")["learned"]} == {*kept, confirmed}
    assert all(answer("show", one)["deprecated"] for one in dropped)
    run("forget", *kept, confirmed)
    assert "The memories of run 2 no longer exist." in run("learned").stderr


def test_what_was_left_out_is_told_with_the_reason() -> None:
    """In words, by filter; and some of it, but for what is never worth a memory."""
    one = SessionLearnt("s1", "codex", None, "build", "success", "", 9, 20, 3, 0, "")
    found = LearnReport(0, (one,), 0, 20, {}, (), {}, (), 0, (), 0, 0.0)._replace(
        discarded={"worth": 3, "standing": 1, "a person's word": 2, "branch": 1, "new filter": 1},
        left_out=(
            Discarded("it edited a file", "worth", "everybody does"),
            Discarded("Polling fails", "standing", "`poll` is no longer there"),
            Discarded("Use tabs", "a person's word", "it was forgotten or changed here"),
        ),
        not_worth={"everybody does": 2, "nobody knows why": 1},
    )
    lines = plain(learn_pages.report(found)).splitlines()
    assert lines[0] == "1 session read, 0 unchanged; 0 memories learned"
    why = "3 not worth a memory, 1 about code that has changed, 2 that you forgot or edited"
    assert lines[3:7] == [
        f"  left out: {why}, 1 from branches deleted unmerged, 1 new filter",
        "    reasons: everybody does (2); nobody knows why (1)",
        "    Polling fails: `poll` is no longer there",
        "    Use tabs: it was forgotten or changed here",
    ]


def test_what_a_review_asks_by_trust_level(memory: Memory) -> None:
    """What needs review comes first; level 2 offers to keep the rest, level 3 asks only about those."""
    sure, doubtful, confirmed = stored(memory, 3)
    sure = sure._replace(memory=sure.memory._replace(needs_review=False))
    confirmed = confirmed._replace(memory=memory.verify(confirmed.memory.id))
    found = [[one.memory.id for one in due([sure, doubtful, confirmed], level)] for level in range(1, 5)]
    assert found == [[doubtful.memory.id, sure.memory.id]] * 2 + [[doubtful.memory.id]] * 2


def test_enter_at_each_trust_level(run: Run, memory: Memory, project: Path, monkeypatch: Any) -> None:
    """At level 1 Enter leaves a memory for later, at level 2 it keeps all."""
    learn(run, project)
    number = len(memory.learned())
    monkeypatch.setattr(CliContext, "asks", True)
    later = run("learned", "--review", stdin="x" + "\n" * (number + 1))  # another letter is asked for again
    assert f"  1/{number}" in later.stdout
    assert f"{number} for later" in later.stdout
    assert "[k] keep, [e] edit, [d] drop, [l] later, [a] keep all, [q] quit" in later.stderr
    run("trust", "2")
    assert f"{number} kept" in run("learned", "--review", stdin="\n").stdout
    assert "Nothing here needs review." in run("learned", "--review").stderr


def test_many_corrections_in_a_session_offer_a_lower_level(run: Run, memory: Memory, project: Path) -> None:
    """The offer stands under what the session taught, until a lower level was chosen."""
    learn(run, project)
    session_id = memory.session_summary().sessions[-1]
    wrong = [memory.remember(f"The {one} is red").id for one in ("door", "roof", "wall")]
    with memory._project.db.transaction():
        memory._project.db.uses.add(session_id, "wrong", dict.fromkeys(wrong, 1), "2026-02-02T00:00:00.000Z")
    run("trust", "2")
    assert "`remora trust` sets a lower level" in run("learned").stderr
    run("trust", "1")
    assert "lower level" not in run("learned").stderr


def reviewed(memory: Memory, found: Sequence[Learnt], letters: str) -> Reviewed:
    """Return what a review does if a person answers with these letters."""
    with CliRunner().isolation("".join(f"{letter}\n" for letter in letters)):
        return review_each(CliContext(), memory, found, 1)


def stored(memory: Memory, number: int) -> list[Learnt]:
    """Remember some things as if they had been learned."""
    kinds = ("gateway", "cache", "footer", "parser", "clock")
    texts = [f"The {kind} has its own quirk" for kind in kinds[:number]]
    return [Learnt(memory.remember(t, needs_review=True), "stored", "seen once") for t in texts]


def test_a_review(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept, edited, dropped and later ones; what is kept or edited is verified; who is gone stops nothing."""
    found = stored(memory, 5)
    assert reviewed(memory, found, "q").later == 5
    for text in (None, found[0].memory.content):  # an edit that changes nothing is for later
        monkeypatch.setattr("click.edit", lambda *_, text=text, **__: text)
        assert reviewed(memory, found[:1], "e").later == 1
    monkeypatch.setattr("click.edit", lambda *_, **__: "The cache has no quirk at all\n")
    memory.forget(found[4].memory.id)
    told = reviewed(memory, found, "kedlk")
    assert [len(part) for part in told[:3]] == [1, 1, 1]
    assert told.later == 1
    assert "is forgotten" in told.problems[0]
    kept, edited, dropped, later = (memory.show(one.memory.id) for one in found[:4])
    assert (kept.user_verified, kept.needs_review) == (True, False)
    assert (edited.content, edited.user_verified) == ("The cache has no quirk at all", True)
    assert dropped.deprecated
    assert later.needs_review
    assert plain(review_page(told)).startswith("1 kept, 1 edited, 1 dropped, 1 for later\n")
    assert plain(review_page(Reviewed())) == "nothing to review\n"
    assert [len(part) for part in reviewed(memory, found[3:4] + found[:2], "la")[:1]] == [2]
