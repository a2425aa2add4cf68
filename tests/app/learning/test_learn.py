"""Learning from transcripts: read once, again when they grew, and never against a person's word."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from remora.app.learning import learn as learning
from remora.app.learning.learn import LearnReport
from remora.app.memory import Memory
from remora.app.project import branches
from remora.core.errors import InvalidInput, NotFound, ProviderError, SourceError, StoreReadOnly
from remora.core.values import MemoryRecord
from remora.interfaces import draw, learn_pages, project_pages
from remora.llm.scripted import Call, ScriptedModel
from remora.sources import branches as sources
from tests.app.conftest import Opens
from tests.helpers import SECRET, Repo, environment, holds
from tests.sources.transcripts.hosts.homes_kit import Machine
from tests.sources.transcripts.test_entire import Repository

CORRECTION = "No, we always use the gateway for refreshing tokens, never the client itself."


class Talk:
    """One session of Claude Code, line by line."""

    def __init__(self, name: str, day: int, cwd: str | Path, branch: str = "main") -> None:
        self.name, self.cwd, self.branch = name, str(cwd), branch
        self.day, self.number = day, 0
        self.lines: list[dict[str, Any]] = []

    def _line(self, kind: str, content: Any, **more: Any) -> None:
        self.number += 1
        self.lines.append(
            {
                "type": kind,
                "uuid": f"{self.name}-{self.number}",
                "parentUuid": None,
                "isSidechain": False,
                "sessionId": self.name,
                "cwd": self.cwd,
                "gitBranch": self.branch,
                "timestamp": f"2026-01-{self.day:02}T08:{self.number // 60:02}:{self.number % 60:02}.000Z",
                "message": {"role": kind, "content": content, **more},
            }
        )

    def user(self, text: str) -> Talk:
        """The user says something."""
        self._line("user", text)
        return self

    def reply(self, text: str) -> Talk:
        """The model says something."""
        self._line("assistant", [{"type": "text", "text": text}], id=f"m{self.number}")
        return self

    def tool(self, tool: str, result: str = "ok", *, error: bool = False, **given: Any) -> Talk:
        """The model uses a tool and gets a result."""
        call = f"{self.name}-call-{self.number}"
        block = {"type": "tool_use", "id": call, "name": tool, "input": given}
        self._line("assistant", [block], id=f"m{self.number}")
        answer = {"type": "tool_result", "tool_use_id": call, "content": result, "is_error": error}
        self._line("user", [answer])
        return self

    def edit(self, path: str) -> Talk:
        """The model reads and edits a file."""
        self.tool("Read", "text", file_path=f"{self.cwd}/{path}")
        return self.tool("Edit", file_path=f"{self.cwd}/{path}", old_string="a", new_string=f"b{self.number}")

    def save(self, folder: Path) -> Path:
        """Write the session's file."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in self.lines), "utf-8")
        return path


def work(name: str, day: int, cwd: str | Path, branch: str = "main") -> Talk:
    """Return a session that changes two files, fails a check, makes it pass and hears a correction."""
    talk = Talk(name, day, cwd, branch).user("Please make the token lifetime a setting of the server")
    talk.edit("auth/tokens.py").edit("server/settings.py")
    talk.tool("Bash", "Exit code 1\nlint.cfg: file is out of date", error=True, command="make lint")
    talk.tool("Bash", "done", command="make config").tool("Bash", "all fine", command="make lint")
    talk.tool("Bash", "12 passed", command="make test")
    talk.user(CORRECTION).edit("auth/tokens.py").tool("Bash", "12 passed", command="make test")
    return talk.reply("The lifetime is a setting now; all 12 tests pass.").user("thanks, works")


@pytest.fixture
def learn(memory: Memory, tmp_path: Path) -> Callable[..., LearnReport]:
    """Write sessions, and learn from all that were written."""

    def call(*talks: Talk, **more: Any) -> LearnReport:
        for talk in talks:
            talk.save(tmp_path / "talks")
        return memory.learn(tmp_path / "talks", **more)

    return call


@pytest.fixture
def fresh(repo: Repo, tmp_path: Path) -> Repo:
    """A repository on the branch topic, which has no commit yet; a session of that branch is written."""
    repo.commit("start", {"a.py": "a = 1\n"})
    repo.git("checkout", "-q", "-b", "topic")
    work("s1", 9, repo.root, "topic").save(tmp_path / "talks")
    return repo


@pytest.fixture
def topic(fresh: Repo) -> Repo:
    """The same with a commit of the branch."""
    fresh.commit("work on topic", {"b.py": "b = 1\n"})
    return fresh


def cached(root: Path, day: int) -> Talk:
    """Return a second session of the branch topic, with a rule of its own."""
    talk = work("s2", day, root, "topic")
    return talk.user("No, we never keep a token in the cache of the server.").edit("a.py")


def on_topic(memory: Memory) -> list[MemoryRecord]:
    """Return what is known on the branch topic alone."""
    return [record for record in memory.list() if record.branch == "topic"]


def several(tmp_path: Path, memory: Memory, number: int = 4) -> None:
    """Write several sessions of the same work."""
    for day in range(1, number + 1):
        work(f"s{day}", day, memory.root).save(tmp_path / "talks")


def said(report: LearnReport) -> list[str]:
    """Return the texts of what was learned."""
    return [one.memory.content for one in report.learnt]


def test_sessions_become_memories_with_the_evidence(memory, learn, tmp_path):
    """What recurs, and what the user said, is kept, found and explained; a dry run stores nothing."""
    several(tmp_path, memory)
    tried = learn(dry_run=True)
    assert tried.dry_run
    assert (memory.list(), memory.learned(), memory._project.db.sessions.count()) == ([], [], 0)
    report = learn()
    assert [(s.id, s.kind, s.outcome) for s in report.sessions] == [
        (f"s{day}", "build", "success") for day in range(1, 5)
    ]
    assert report.bad_lines == 0
    assert sorted(said(tried)) == sorted(said(report))
    assert any("gateway" in text for text in said(report))
    assert any("make lint" in text for text in said(report))
    assert all(one.why for one in report.learnt)
    assert memory.search("where are tokens refreshed")[0].memory.source == "user_taught"
    assert {one.memory.id for one in memory.learned()} == {one.memory.id for one in report.learnt}
    assert {one.action for one in memory.learned()} == {"stored"}  # also where a later session saw it again


def test_a_file_is_read_again_when_it_differs(memory, learn, tmp_path):
    """One that changed or grew is read whole, and no other."""
    several(tmp_path, memory)
    first = learn()
    path = tmp_path / "talks" / "s2.jsonl"
    assert learn(dry_run=True).unchanged == 4
    report = learn()
    assert (report.run, report.sessions, report.learnt, report.unchanged) == (0, (), (), 4)
    assert len(learn(again=True).sessions) == 4
    assert len(memory.list(limit=1000)) == len(first.learnt)
    path.write_bytes(path.read_bytes().replace(b"make lint", b"make chek"))
    report = learn()
    assert (report.run, [s.id for s in report.sessions]) == (first.run + 2, ["s2"])
    report = learn(work("s2", 2, memory.root).edit("web/page.py"))
    assert ([s.id for s in report.sessions], report.unchanged) == (["s2"], 3)
    observed = memory._project.db.sessions
    assert observed.count() == 4
    assert observed.edits("web/page.py").sessions == 1
    assert observed.edits("auth/tokens.py").sessions == 4


def test_what_the_team_did_is_learned_when_asked_for(opens, tmp_path):
    """From the branch of the Entire CLI, once; a later checkpoint of a session replaces what it had shown."""
    repository = Repository(tmp_path / "shop")
    talks = [work(f"s{day}", day, "/home/anna/app") for day in (1, 2)]
    for number, talk in enumerate(talks):
        text = talk.save(tmp_path / "hers").read_text("utf-8")
        repository.checkpoint(f"a1b2c3d4e5f{number}", talk.name, "Claude Code", {"full.jsonl": text})
    with opens() as memory:
        assert not memory.learn().sessions
        learnt = memory.learn(hosts=["entire"])
        assert [(s.id, s.host) for s in learnt.sessions] == [("s1", "claude-code"), ("s2", "claude-code")]
        assert any("gateway" in text for text in said(learnt))
        assert memory.learn(hosts=["entire"]).unchanged == 2
        text = talks[1].user("One more thing, please.").save(tmp_path / "hers").read_text("utf-8")
        repository.checkpoint("b1b2c3d4e5f6", "s2", "Claude Code", {"full.jsonl": text}, day=3)
        again = memory.learn(hosts=["entire"])
        assert ([s.id for s in again.sessions], again.unchanged) == (["s2"], 1)


def ruled(day: int, root: Path, words: str, branch: str = "main") -> Talk:
    """Return a session in which the user gives a rule."""
    return work(f"s{day}", day, root, branch).user(words).edit("auth/tokens.py").reply("It is so now.")


def rules(memory: Memory, word: str) -> list[str]:
    """Return the rules with a word, without where they were said."""
    return sorted(m.content.partition(" (")[0] for m in memory.list() if word in m.content)


PNPM, BUN = "Use pnpm, not npm.", "From now on use bun, not pnpm."
MONEY = "Always use the `Money` class for prices."
CENTS = "Never use the `Money` class for prices, use integer cents."


def test_what_the_user_takes_back_is_over(learn, memory):
    """The later word counts, also when the earlier session is read again; who changes back is heard, too."""
    root = memory.root
    learn(ruled(1, root, PNPM), ruled(2, root, MONEY))
    learn(ruled(3, root, BUN), ruled(4, root, CENTS))
    assert (rules(memory, "pnpm"), rules(memory, "Money")) == ([BUN], [CENTS])
    again = learn(again=True)
    assert (rules(memory, "pnpm"), rules(memory, "Money")) == ([BUN], [CENTS])
    assert again.discarded["overturned"] == 2
    learn(ruled(5, root, "Use pnpm, not bun. From now on use pnpm, not npm."))
    assert BUN not in rules(memory, "pnpm")
    for again_so in [m for m in memory.list() if "use pnpm, not npm" in m.content.lower()]:
        memory.forget(again_so.id)
    assert BUN in rules(memory, "pnpm")


def test_of_two_rules_the_later_counts_in_whatever_order_they_are_learnt(learn, memory):
    """Who learns the newer session first is not told the older rule again."""
    learn(ruled(2, memory.root, BUN))
    learn(ruled(1, memory.root, PNPM))
    assert rules(memory, "pnpm") == [BUN]


def test_what_is_taken_back_elsewhere_or_was_edited_stays(topic, memory, learn):
    """A branch has no word on the rule of the project; what a person wrote is not taken back by a guess."""
    learn(ruled(11, topic.root, PNPM))
    learn(ruled(12, topic.root, BUN, "topic"))
    assert rules(memory, "pnpm") == [BUN, PNPM]
    (rule,) = [m for m in memory.list() if m.content.startswith("Use pnpm")]
    memory.edit(rule.id, content="Use pnpm, not npm, but for /legacy.")
    learn(ruled(13, topic.root, "Use yarn, not pnpm."))
    assert rules(memory, "pnpm")[1:] == ["Use pnpm, not npm, but for /legacy.", "Use yarn, not pnpm."]


def test_what_is_learnt_in_the_end_was_not_left_out(learn, memory, tmp_path):
    """What a failed session showed, and others prove, is told once: as learned."""
    several(tmp_path, memory)
    failed = work("s5", 5, memory.root)
    del failed.lines[-2:]
    failed.edit("auth/tokens.py")
    failed.tool("Bash", "Exit code 1\n2 failed", error=True, command="make test")
    report = learn(failed.reply("The integration tests fail."))
    assert [s.outcome for s in report.sessions].count("failure") == 1
    assert {one.memory.external_id for one in report.learnt}.isdisjoint(
        e.external_id for e in report.left_out
    )


def test_a_memory_names_every_session_that_showed_it(memory, learn):
    """Also those from before there were enough; one that a session showed alone names that one."""
    for day in range(1, 5):
        learn(work(f"s{day}", day, memory.root))
    learn(work("s5", 5, memory.root).user("Always write the changelog in French."))
    found = {record.content: sorted(record.provenance_session_ids) for record in memory.list()}
    (recipe,) = [ids for text, ids in found.items() if text.startswith("A change is checked here")]
    (said,) = [ids for text, ids in found.items() if "changelog in French" in text]
    assert (recipe, said) == (["s1", "s2", "s3", "s4", "s5"], ["s5"])


def forked(talk: Talk, name: str, day: int = 1) -> Talk:
    """Return a fork of a session, which holds all its lines."""
    fork = Talk(name, day, talk.cwd)
    fork.lines = [{**line, "sessionId": name} for line in talk.lines]
    fork.number = 500
    return fork


@pytest.mark.parametrize(("name", "later"), [("s2", True), ("a", False), ("z", False)])
def test_what_a_fork_copied_counts_once(memory, learn, name, later):
    """What both hold is the origin's, learned before or together, whatever their files are called."""
    talk = work("s1", 1, memory.root)
    first = learn(talk).sessions if later else ()
    fork = forked(talk, name).user("Now rename the setting, too").edit("web/page.py")
    first, second = first + learn(*([fork] if later else [talk, fork])).sessions
    assert (first.id, second.id) == ("s1", name)
    assert first.prompt.startswith("Please make the token lifetime")
    assert second.prompt == "Now rename the setting, too"
    assert (first.steps, second.steps) == (12, 2)
    observed = memory._project.db.sessions
    assert observed.edits("auth/tokens.py").sessions == 1
    assert observed.edits("web/page.py").sessions == 1


def test_a_session_and_its_copy_count_once(memory, learn, tmp_path):
    """A session replaces a copy that SpecStory wrote of it, which stays when Claude Code deletes its own."""

    def copied(session: str) -> list[str]:
        head = f"<!-- Claude Code Session {session} (2026-01-05 12:00:00Z) -->"
        told = f"{head}\n\n_**User**_\n\n{CORRECTION}\n\n_**Agent**_\n\nDone.\n"
        (tmp_path / "talks").mkdir(exist_ok=True)
        (tmp_path / "talks" / "copy.md").write_text(told, "utf-8")
        return [one.host for one in learn().sessions]

    assert copied("session-0001") == ["specstory"]
    learn(work("session-0001", 1, memory.root))
    assert {row.id for row in memory._project.db.sessions.sessions()} == {"claude-code:session-0001"}
    (tmp_path / "talks" / "session-0001.jsonl").unlink()
    assert copied("session-0001") == []
    assert copied("session-0002") == ["specstory"]


@pytest.mark.parametrize("later", [False, True], ids=["one run", "a later run"])
def test_a_fork_of_a_session_that_read_a_page_is_tainted(memory, learn, later):
    """The reading was copied and counts once, with the origin; what the fork made of it is tainted too."""
    talk = work("s1", 1, memory.root).tool("WebFetch", "page", url="https://x.org/", prompt="?")
    if later:
        learn(talk)
    fork = forked(talk, "s2", 2).tool("Bash", "ok", command="make evil-test").edit("web/page.py")
    learn(talk, fork)
    ran = memory._project.db.sessions.commands(5)
    assert {one.command for one in ran} == {"make test", "make lint", "make config"}


def plain(session: str, day: int, path: str, *, reads: str = "") -> list[str]:
    """Return a session of our own events, whose keys count from one in each session."""
    at = f"2026-01-{day:02}T08:00:00.000Z"
    told: list[dict[str, Any]] = [{"kind": "user_prompt", "text": "Please make the lifetime a setting"}]
    for action, more in (
        ("fetch", {"url": reads}),
        ("edit", {"paths": [path]}),
        ("run", {"command": "make shop-test"}),
    ):
        if action != "fetch" or reads:
            told.append({"kind": "tool_call", "action": action, "tool": action, "call_id": action, **more})
            told.append({"kind": "tool_result", "action": action, "tool": action, "call_id": action, **more})
    return [
        json.dumps({"session_id": session, "key": f"k{n}", "at": at, "step": n, **one})
        for n, one in enumerate(told, start=1)
    ]


@pytest.mark.parametrize("one_file", [False, True], ids=["two files", "one file"])
def test_keys_of_our_own_events_are_a_sessions_own(memory, learn, tmp_path, one_file):
    """Where keys begin anew in each session, the second is read whole, and is no fork of the first."""
    head = json.dumps({"remora": "events", "version": 1, "host": "my-agent"})
    first = plain("s1", 1, "auth/tokens.py", reads="https://example.org/page")
    second = plain("s2", 2, "web/page.py")
    (tmp_path / "talks").mkdir()
    files = [[head, *first, *second]] if one_file else [[head, *first], [head, *second]]
    for number, lines in enumerate(files):
        (tmp_path / "talks" / f"{number}.jsonl").write_text("\n".join(lines) + "\n")
    report = learn()
    assert [(s.id, s.events) for s in report.sessions] == [("s1", 7), ("s2", 5)]
    observed = memory._project.db.sessions
    assert observed.edits("web/page.py").sessions == 1
    assert [one.session_id for one in observed.commands(5)] == ["my-agent:s2"]  # not tainted


@pytest.mark.parametrize(("bad", "named"), [(45, 45), (60, 50)])
def test_the_first_lines_that_could_not_be_read_are_named(memory, learn, tmp_path, bad, named):
    """All are counted; a file that is nobody's transcript is no line, and told apart; mended, it is whole."""
    for day, number in ((1, bad), (2, 10)):
        with work(f"s{day}", day, memory.root).save(tmp_path / "talks").open("a") as file:
            file.write("{broken\n" * number)
    (tmp_path / "talks" / "notes.jsonl").write_text("nothing\n")
    report = learn()
    assert report.bad_lines == bad + 10
    assert len([one for one in report.skipped if "s1.jsonl:" in one.what]) == named
    assert report.named == 50
    (left,) = report.skipped[report.named :]
    page = draw.plain(learn_pages.report(report))
    assert f"{bad + 10} lines could not be read" in page
    assert f"not read: {tmp_path}/talks/notes.jsonl: not a transcript of a known host" in page
    assert left.what == f"{tmp_path}/talks/notes.jsonl"
    assert learn(work("s1", 1, memory.root)).bad_lines == 0


def test_a_persons_word_stays(memory, learn, tmp_path):
    """What was forgotten or edited is neither brought back nor written over; what is confirmed stays so."""
    several(tmp_path, memory)
    gone, changed, *others = (one.memory.id for one in learn().learnt)
    memory.forget(gone)
    memory.edit(changed, content="Tokens are refreshed by the gateway alone, says Ann")
    confirmed = {memory.verify(one).id for one in others}
    after = learn(*(work(f"s{day}", day, memory.root) for day in (7, 8)))
    assert memory.show(gone).deprecated
    assert memory.show(changed).content == "Tokens are refreshed by the gateway alone, says Ann"
    assert after.discarded["a person's word"] >= 2
    assert Counter(one.filter for one in after.left_out) == after.discarded
    assert "updated" in {one.action for one in after.learnt if one.memory.id in confirmed}
    assert all(memory.show(one).user_verified and not memory.show(one).needs_review for one in confirmed)


def test_what_was_pruned_comes_back_and_what_a_person_forgot_does_not(tmp_path, learn, memory, clock):
    """What the machine let go returns, also once it is deleted; a person's word outlives the text."""
    several(tmp_path, memory)
    learn()
    clock.advance(days=3_650)
    first, second = sorted(memory.prune().forget, key=lambda m: m.type == "error_pattern")
    assert "pruned" in (memory.show(first.id).review_reason or "")
    memory.forget(second.id)
    report = learn(again=True)
    back = memory.show(first.id)
    assert (back.deprecated, back.review_reason, back.needs_review) == (False, None, first.needs_review)
    assert [one.action for one in report.learnt if one.memory.id == first.id] == ["restored"]
    assert memory.show(second.id).deprecated
    assert report.discarded["a person's word"] == 1
    clock.advance(days=3_650)
    pruned = memory.prune()
    assert ([m.id for m in pruned.delete], [m.id for m in pruned.forget]) == ([second.id], [first.id])
    clock.advance(days=40)
    assert [m.id for m in memory.prune().delete] == [first.id]
    assert learn(again=True).discarded["a person's word"] == 1
    assert first.content in {m.content for m in memory.list()}
    assert second.content not in {m.content for m in memory.list(include_forgotten=True)}
    kept = memory._project.db.connection.rows("SELECT * FROM meta WHERE key LIKE 'forgotten:%'")
    assert kept
    assert "lint" not in str(kept)


def test_what_was_withdrawn_comes_back_when_it_holds_again(memory, learn: Callable[..., LearnReport]):
    """It went because more sessions spoke against it."""
    numbers = iter(range(1, 100))

    def more(sessions: int, *paths: str) -> LearnReport:
        talks = [Talk(f"s{n}", 1 + n // 2, memory.root) for n in islice(numbers, sessions)]
        for talk in talks:
            talk.user("Please make the token lifetime a setting of the server")
            for path in paths:
                talk.edit(path)
            talk.tool("Bash", "12 passed", command="make test")
            talk.reply("The lifetime is a setting now; all 12 tests pass.").user("thanks, works")
        return learn(*talks)

    more(20, "docs/page.md", "web/other.css")
    report = more(4, "auth/tokens.py", "server/settings.go")
    (known,) = [one.memory for one in report.learnt if "auth/tokens.py" in str(one.memory.related_files)][:1]
    assert known.type == "causal_dependency"
    assert more(2, "auth/tokens.py").withdrawn == 1
    assert "more sessions speak against it" in (memory.show(known.id).review_reason or "")
    more(6, "server/settings.go")
    more(3, "auth/tokens.py", "server/settings.go")
    assert not memory.show(known.id).deprecated


def test_secrets_stay_out(memory, learn):
    """A secret in a prompt is taken out of what is learned from it, and counted."""
    talk = work("s1", 1, memory.root)
    talk.user(f"No, we always use the token {SECRET} for the release, never the one of the team.")
    assert not any(SECRET in text for text in said(learn(talk.edit("auth/tokens.py").reply("Done."))))
    rows = memory._project.db.connection.rows("SELECT prompt, summary FROM observer_sessions")
    assert not any(SECRET in text for row in rows for text in row)
    assert holds(memory.home, SECRET) == []


def place_of(memory: Memory) -> Path:
    """Return where Claude Code keeps the transcripts of a project."""
    projects = Path(memory._project.environ["HOME"]) / ".claude" / "projects"
    return projects / re.sub(r"\W|_", "-", str(memory.root))


def test_the_sessions_of_this_machine(memory):
    """Without a path what Claude Code keeps of the project is read; the model at work gets it as evidence.

    That is of the session written to last, or of one by its id, and none where there are no transcripts.
    """
    assert memory.reflect().evidence == ""
    for number, (name, text) in enumerate((("s1", "Use port 8090."), ("t2", "Use bun.")), 1):
        path = Talk(name, number, memory.root).user(text).reply("It is so now.").save(place_of(memory))
        os.utime(path, (1_000 * number, 1_000 * number))
    work("s2", 2, "/somewhere/else").save(place_of(memory).with_name("-somewhere-else"))
    assert {s.id for s in memory.learn().sessions} == {"s1", "t2"}
    assert memory.learn(hosts=["codex"]).sessions == ()
    found = memory.reflect()
    assert (found.session_id, found.evidence) == ("t2", "U1: Use bun.\nR1: It is so now.")
    assert found.instructions in found.text
    assert memory.reflect("s").evidence.startswith("U1: Use port 8090.")
    with pytest.raises(NotFound, match="no session u3"):
        memory.reflect("u3")


def test_no_copy_of_a_database_stays(tmp_path, monkeypatch):
    """A database that its host has open is copied to be read, and may be large."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "copies"))
    (tmp_path / "copies").mkdir()
    machine = Machine(tmp_path / "m", "opencode")
    (path,) = (p for p in machine.files() if p.suffix == ".db")
    with closing(sqlite3.connect(path)) as host:
        host.execute("PRAGMA journal_mode = WAL")
        host.execute("CREATE TABLE other (x)")
        with Memory.open(machine.root, environ={**environment(tmp_path), **machine.environ}) as opened:
            for told in (lambda: opened.learn().sessions, lambda: opened.reflect().evidence):
                assert told()
                assert list((tmp_path / "copies").glob("remora-*")) == []


def test_wrong_wishes_are_refused(memory, learn, opens, tmp_path):
    """A file, host or run that there is not, with those that there are; nobody's transcript; reading only."""
    with pytest.raises(NotFound):
        memory.learn(tmp_path / "nowhere")
    (tmp_path / "notes.jsonl").write_text('{"a": 1}\n')
    with pytest.raises((SourceError, InvalidInput)):
        memory.learn(tmp_path / "notes.jsonl")
    with pytest.raises(InvalidInput, match="unknown host"):
        memory.learn(hosts=["emacs"])
    with pytest.raises(NotFound, match="there is no run 1") as caught:
        memory.learned(1)
    assert "remora learn" in caught.value.hint
    for day in (5, 6):
        learn(work(f"s{day}", day, memory.root))
    with pytest.raises(NotFound, match="there is no run 99") as caught:
        memory.session_summary(99)
    assert caught.value.hint == "There are runs 1 to 2."
    with opens(read_only=True) as reader, pytest.raises(StoreReadOnly):
        reader.learn(tmp_path)


def test_files_and_commands_follow_from_sessions(memory, learn, tmp_path):
    """What sessions edited speaks for a task's files; what they ran is suggested to check with."""
    for path in ("auth/tokens.py", "server/settings.py", "web/page.py", "docs/tokens.md"):
        (memory.root / path).parent.mkdir(exist_ok=True)
        (memory.root / path).write_text("x = 1\n")
    memory.index()
    several(tmp_path, memory)
    learn(work("s9", 9, memory.root).edit("docs/tokens.md"))
    found = memory.predict_files("make the token lifetime a setting", k=3)
    assert "docs/tokens.md" in {hit.path for hit in found}
    found = [hit for hit in found if hit.path.endswith(".py")]
    assert {hit.path for hit in found} == {"auth/tokens.py", "server/settings.py"}
    assert any("edited in a session of 2026-01-" in why for hit in found for why in hit.why)
    assert {s.command for s in memory.suggest_commands(k=2)} == {"make lint", "make test"}
    assert [s.command for s in memory.suggest_commands(purposes=["test"])] == ["make test"]
    with pytest.raises(InvalidInput, match="unknown purpose"):
        memory.suggest_commands(purposes=["lunch"])
    partners = {hit.path for hit in memory.related_files("auth/tokens.py")}
    assert "server/settings.py" in partners


def test_what_never_passed_is_not_suggested(memory, learn, tmp_path):
    """Not in the brief either; where a check only passed with variables, they are shown, without secrets."""
    missing = "Exit code 2\nmake: *** No rule to make target 'check'.  Stop."
    no_module = "Exit code 2\nModuleNotFoundError: No module named 'app'"
    needed = "export API_TOKEN=hunter2hunter2 && PYTHONPATH=. pytest -q tests"
    for day in (1, 2, 3):
        talk = Talk(f"s{day}", day, memory.root).user("Please make the token lifetime a setting")
        talk.tool("Bash", "npm error enoent Could not read package.json", error=True, command="npm test")
        talk.tool("Bash", missing, error=True, command="make check")
        talk.tool("Bash", no_module, error=True, command="pytest -q tests")
        talk.tool("Bash", "3 passed", command=needed).edit("a.py")
        talk.tool("Bash", "Exit code 1\n1 failed", error=True, command="python -m unittest")
        talk.edit("a.py").tool("Bash", "OK", command="python -m unittest")
        learn(talk.reply("Done; all tests pass."))
    right = ["API_TOKEN=[REDACTED:secret] PYTHONPATH=. pytest -q tests", "python -m unittest"]
    assert [(s.command, s.why) for s in memory.suggest_commands()] == [
        (command, "ran and passed in 3 of the last 3 sessions") for command in right
    ]
    about = {c.key for m in memory.list() for c in memory.why(m.id).triggers if c.kind == "command"}
    assert about == {"make check", "npm test", "pytest tests"}
    brief = memory.status().brief
    assert "PYTHONPATH=. pytest -q tests" in brief
    assert not any(wrong in brief for wrong in ("npm test", "make check", "hunter2"))


def test_what_a_memory_warns_of_is_not_suggested(memory, learn, tmp_path):
    """A check that failed for a flag that there is not is no way to check work, however often it was run."""
    wrong, right = "python3 -m unittest --fail-fast", "python3 -m unittest --failfast"
    told = "Exit code 2\npython3 -m unittest: error: unrecognized arguments: --fail-fast"
    for day in (1, 2):
        talk = Talk(f"s{day}", day, memory.root).user("Please make the token lifetime a setting")
        for _ in range(2):
            talk.tool("Bash", told, error=True, command=wrong).tool("Bash", "OK", command=right)
        talk.edit("a.py").reply("Done; all tests pass.").save(tmp_path / "talks")
    assert any("fails with" in text and wrong in text for text in said(learn()))
    assert [s.command for s in memory.suggest_commands(k=5)] == [right]


def test_what_is_learnt_on_a_branch_follows_it(topic, memory, learn, tmp_path):
    """It is for the branch, the project's when the branch is merged, and over when it is deleted."""
    topic.git("checkout", "-q", "-b", "other", "main")
    topic.commit("work on other", {"c.py": "b = 1\n"})
    talk = work("s2", 10, topic.root, "other")
    talk.lines = json.loads(json.dumps(talk.lines).replace("gateway", "broker"))
    learnt = [one.memory for one in learn(talk).learnt]
    rules = {one.branch: one for one in learnt if "refreshing" in one.content}
    assert set(rules) == {"topic", "other"}
    topic.git("checkout", "-q", "main")
    assert memory.search("gateway or broker for refreshing", kinds=["memory"]) == []
    topic.git("merge", "-q", "--squash", "topic")
    topic.git("commit", "-q", "-m", "topic (#1)")
    topic.git("branch", "-D", "topic", "other")
    report = learn()
    assert [name for name, _ in report.merged] == ["topic"]
    assert [name for name, _ in report.retired] == ["other"]
    assert memory.show(rules["topic"].id).branch is None
    over = memory.show(rules["other"].id)
    assert over.deprecated
    assert "learnt on a branch that was deleted unmerged: other" in (over.review_reason or "")
    assert memory.restore(over.id).review_reason is None


def test_what_went_with_a_branch_comes_back_with_it(topic, memory, learn):
    """Git shows later that it was merged after all; what a person forgot meanwhile stays forgotten."""
    head = topic.git("rev-parse", "HEAD")
    learn(cached(topic.root, 10))
    first, second = on_topic(memory)
    dropped(topic)
    assert learn().retired == (("topic", 2),)
    memory.restore(second.id)
    memory.forget(second.id)
    assert learn().revived == ()
    learn(again=True)
    assert memory.show(first.id).deprecated
    topic.git("merge", "-q", "--no-ff", head)
    assert learn().revived == (("topic", 1),)
    assert whole(memory, first.id)
    assert memory.show(second.id).deprecated


def dropped(repo: Repo) -> None:
    """Delete the branch topic, which is not merged."""
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-D", "topic")


def whole(memory: Memory, memory_id: str) -> bool:
    """Return whether a memory is the project's, and nothing is said against it."""
    one = memory.show(memory_id)
    return (one.deprecated, one.branch, one.review_reason) == (False, None, None)


def test_branches_that_have_not_moved_are_not_asked_for_again(topic, memory, learn, monkeypatch):
    """To look for a squashed branch takes seconds in a large repository."""
    asked: list[list[str]] = []

    def follow(repository, names):
        asked.append(sorted(names))
        return sources.follow(repository, names)

    monkeypatch.setattr(branches, "follow", follow)
    learn()
    assert ["topic"] in asked
    asked.clear()
    learn()
    assert asked == []
    topic.commit("more work", {"b.py": "b = 2\n"})
    learn()
    assert asked == [["topic"]]
    topic.git("checkout", "-q", "main")
    topic.git("merge", "-q", "--no-ff", "topic")
    learn()
    late = memory.remember("The server of topic needs no key any more", branch="topic")
    learn()
    assert memory.show(late.id).branch is None


def test_what_went_with_a_branch_is_learnt_again_elsewhere(topic, memory, learn):
    """A later session of the project shows the same, and it is the project's then."""
    learn()
    (known,) = on_topic(memory)
    dropped(topic)
    assert learn().retired == (("topic", 1),)
    assert learn(again=True).discarded["branch"] == 1
    learn(work("s2", 2, topic.root))
    assert whole(memory, known.id)
    assert not learn().retired


def written(call) -> str:
    """Return a model's answer that makes a memory of the first piece that the person said."""
    first = call.messages[-1].content.partition("U1: ")[2].partition("\n")[0].partition(" [answers")[0]
    memory = {"content": first, "type": "preference", "evidence": ["U1"]}
    return json.dumps({"memories": [memory, {**memory, "content": f"{first} Use port 1234."}]})


def talk_of_ports(folder: Path, more: int = 0) -> Path:
    """Write a session in which a person asks for the gateway and the agent reports; return its folder."""
    one = Talk("s1", 1, folder / "shop").user("Tokens are refreshed through the gateway alone here.")
    one.reply("The gateway now refreshes the tokens, and the client asks it.")
    for number in range(more):
        one.user(f"Look at part {number} of the client, please.").reply(f"Part {number} is as it should be.")
    return one.save(folder / "talks").parent


@pytest.fixture
def writing(opens: Opens) -> Iterator[Callable[..., tuple[Memory, ScriptedModel]]]:
    """Open the project with a model that writes down what sessions taught."""
    with ExitStack() as stack:

        def opened(*replies: Any, synthesis: bool = True) -> tuple[Memory, ScriptedModel]:
            model = ScriptedModel(replies)
            memory = opens(llm=model, REMORA_LEARN_SYNTHESIS=str(synthesis).lower())
            return stack.enter_context(memory), model

        yield opened


def test_a_model_writes_what_a_session_taught(writing, tmp_path):
    """What rests on the evidence is stored with its place, the rest is counted, and it is asked once."""
    memory, model = writing(written, written)
    report = memory.learn(talk_of_ports(tmp_path))
    (one,) = [learnt.memory for learnt in report.learnt if "written" in learnt.memory.tags]
    assert one.content == "Tokens are refreshed through the gateway alone here."
    assert (one.type, (one.payload or {})["events"]) == ("preference", ["s1-1:prompt"])
    assert report.discarded["writer"] == 1
    assert memory.learn(tmp_path / "talks", again=True).notes == ()
    assert len(model.calls) == 1
    for more, calls in ((1, 1), (4, 2)):  # one piece more is no reason to ask again, five are
        memory.learn(talk_of_ports(tmp_path, more))
        assert len(model.calls) == calls
    assert sum("written" in one.tags for one in memory.list()) == 1


@pytest.mark.parametrize("verified", [False, True])
def test_what_a_person_says_later_takes_the_place_of_what_was_written(writing, tmp_path, verified):
    """A model names what no longer holds; what a person confirmed stays."""

    def replacing(call: Call) -> str:
        (name,) = re.findall(r"^(K\d+): .*through the gateway", call.messages[-1].content, re.MULTILINE)
        content = "Tokens are refreshed by the server itself now."
        item = {"content": content, "type": "preference", "evidence": ["U1"], "replaces": [name]}
        return json.dumps({"memories": [item]})

    memory, _ = writing(written, replacing)
    report = memory.learn(talk_of_ports(tmp_path))
    (old,) = [one.memory for one in report.learnt if "written" in one.memory.tags]
    if verified:
        memory.verify(old.id)
    talk = Talk("s2", 2, memory.root)
    talk.user("Tokens are refreshed by the server itself now, not through the gateway.")
    path = talk.edit("auth/tokens.py").reply("Done.").save(tmp_path / "later")
    assert len(memory.learn(path.parent).learnt) >= 1
    assert memory.show(old.id).deprecated is not verified


def test_a_model_that_fails_costs_one_wait(writing, tmp_path):
    """Of several sessions, or of what a browser showed: the rules say what they know, the report why."""
    memory, model = writing(ProviderError("it is down"), written)
    talks = talk_of_ports(tmp_path)
    Talk("s2", 2, memory.root).user(CORRECTION).reply("Done.").save(talks)
    report = memory.learn(talks)
    assert report.notes == ("the language model failed and was not called again: it is down",)
    assert any("gateway" in text for text in said(report))
    assert len(model.calls) == 1
    memory, model = writing(ProviderError("it is down"), synthesis=False)
    memory.learn(browsing(memory.root, "s3", 3, range(4)))
    assert len(model.calls) == 1
    (one,) = memory.list(types=["e2e_observation"])
    assert shown(memory) == ["rules"]
    assert "Timeout 5000ms exceeded." in one.content


def browsing(folder: Path, name: str, day: int, pages: range) -> Path:
    """Write a session in which a browser showed some pages; return its transcript."""
    one = Talk(name, day, str(folder)).user("Look at the shop in the browser.")
    for number in pages:
        page = f"The page of {'abcdefghijkl'[number]} greets the visitor"
        one.tool("mcp__playwright__browser_snapshot", page)
    one.tool("mcp__playwright__browser_click", "TimeoutError: locator.click: Timeout 5000ms exceeded.")
    return one.reply("Seen.").save(folder.parent / "talks")


def shown(memory: Memory) -> list[str]:
    """Return by whom what interfaces showed was judged."""
    return sorted((m.payload or {})["judged_by"] for m in memory.list(types=["e2e_observation"]))


def test_a_model_says_what_a_browser_showed(writing, monkeypatch) -> None:
    """A few times a run; rules judge the rest."""
    answers = (f"C: Page number {n} greets whoever visits it." for n in range(40))
    memory, model = writing(*answers, synthesis=False)
    monkeypatch.setattr("remora.app.learning.learn.MAX_CALLS", 5)
    memory.learn(browsing(memory.root, "s1", 1, range(7)))
    assert len(model.calls) == 5
    assert "The page of a greets" in model.calls[0].messages[-1].content
    assert shown(memory) == ["rules", *["scripted"] * 5]


def test_a_branch_without_a_commit_keeps_what_was_learnt_there(fresh, memory, learn):
    """Its work was not committed yet: it is the branch's, and goes with it when it is deleted unmerged.

    One that only took in what is new elsewhere came no further by its own work.
    """
    learn()
    (known,) = on_topic(memory)
    fresh.git("checkout", "-q", "main")
    fresh.day = 10
    fresh.commit("other", {"c.py": "c = 1\n"})
    fresh.git("checkout", "-q", "topic")
    fresh.git("merge", "-q", "main")
    assert learn().merged == ()
    assert memory.show(known.id).branch == "topic"
    fresh.commit("work on topic", {"b.py": "b = 1\n"})
    assert not learn().merged
    dropped(fresh)
    report = memory.init()
    assert report.branches_retired == (("topic", 1),)
    page = draw.plain(project_pages.initialised(report))
    assert "topic was deleted unmerged: 1 memory forgotten" in page
    assert memory.show(known.id).deprecated


def test_a_branch_that_was_merged_by_moving_on_is_the_projects(repo, memory, learn):
    """It has no commit of its own, and stands on one that was made after the session began."""
    repo.day = 20
    repo.commit("start", {"a.py": "a = 1\n"})
    repo.git("branch", "topic")
    learn(work("s1", 9, repo.root, "topic"))
    assert [record.branch for record in memory.list()] == [None]


def test_a_session_that_cannot_be_read_is_named_and_the_others_are_learnt(
    memory, learn, tmp_path, monkeypatch
):
    """Whatever its reading raises, or where it takes longer than its size allows, it is skipped."""
    several(tmp_path, memory, 3)
    bad, _, slow = sorted((tmp_path / "talks").glob("*.jsonl"))
    slow.write_text(slow.read_text() + "\n" * 1_000)
    size = slow.stat().st_size
    read, seconds = learning._Run._transcript, learning._seconds

    def failing(self, transcript, looks):
        if transcript.path == bad:
            raise RecursionError("deep")
        read(self, transcript, looks)

    monkeypatch.setattr(learning._Run, "_transcript", failing)
    monkeypatch.setattr(learning, "_seconds", lambda looks: -1.0 if str(size) in looks else seconds(looks))
    report = learn()
    assert {(s.what, s.why) for s in report.skipped} == {
        (str(bad), "RecursionError: deep"),
        (str(slow), "took more than -1 s to read"),
    }
    assert [s.id for s in report.sessions] == ["s2"]
    assert seconds("1000000:7,2000000:8") == pytest.approx(16.0)
