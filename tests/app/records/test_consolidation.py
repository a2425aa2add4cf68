"""What a conversation said reaches the journal once, whatever fails or dies in between."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from remora import Memory, Session
from remora.app.records.consolidation import Consolidation
from remora.conversation.log import SessionLog
from remora.core.clock import FixedClock
from remora.core.errors import StoreError
from remora.core.values import ToolCall
from tests.app.records.conftest import talked
from tests.app.talks import contents, history, in_each_history_file, markers, memory_of, opened, start, talk
from tests.helpers import SECRET, environment, files, holds
from tests.journal.made import answer

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def fact(content: str, **more: Any) -> dict[str, Any]:
    """Return a fact as a model offers it."""
    return {"content": content, "type": "decision", **more}


def test_the_journal_gets_what_left(bare: Memory, session: Session) -> None:
    """A compaction tells the journal of what it removed; what stayed is told later, and nothing twice."""
    session.extend(talk(30))
    told = session.compact(4).consolidation
    assert told is not None
    assert (told.session_id, told.how, told.messages, told.notes) == ("cli:42", "extract", 26, ())
    assert history(bare) == [told.entry]
    (rest,) = bare.journal.consolidate("cli:42")
    assert (rest.how, rest.messages) == ("extract", 4)
    assert "message 30" in rest.entry
    assert "message 25" not in rest.entry
    before = {name: data for name, data in files(bare.journal.folder).items() if name.endswith(".md")}
    assert bare.journal.consolidate("cli:42")[0]._replace(seconds=0.0) == Consolidation("cli:42", "nothing")
    assert bare.journal.consolidate() == []
    assert history(bare) == [told.entry, rest.entry]
    assert before.items() <= files(bare.journal.folder).items()
    assert [m["upTo"] for m in markers(session, "consolidated")] == [26, 30]


def test_new(bare: Memory, session: Session) -> None:
    """A new start tells the journal only what it does not know, and is empty when the call returns."""
    session.extend(talk(30))
    session.compact(4)
    done = session.new()
    assert (done.how, done.messages) == ("extract", 4)
    assert (contents(session), len(session.history())) == ([], 30)
    session.append("user", "message 31")
    assert contents(session) == ["message 31"]
    assert (session.new().messages, session.count()) == (1, 0)
    assert session.new()[:3] == ("cli:42", "nothing", 0)
    session.append("assistant", "", tool_calls=[ToolCall("c1", "bash", {"command": "make"})])
    assert session.new()[:3] == ("cli:42", "nothing", 0)  # there is nothing to tell of tools alone
    assert [m["upTo"] for m in markers(session, "consolidated")] == [26, 30, 31, 32]
    assert bare.journal.consolidate() == []
    assert len(history(bare)) == 3


def test_a_history_that_cannot_be_written(bare: Memory, session: Session) -> None:
    """The session stays as it was, unmarked, and the next try brings everything over."""
    said = session.extend(talk(6))
    paths = [bare.journal.folder / name for name in ("HISTORY.md", "HISTORY-2026-03.md")]
    for path in paths:
        path.mkdir(parents=True)
    with pytest.raises(StoreError):
        session.new()
    with pytest.raises(StoreError):
        bare.journal.consolidate()
    assert session.messages() == said
    assert markers(session, "consolidated") == markers(session, "clear") == []
    for path in paths:
        path.rmdir()
    assert session.new().notes == (f"a consolidation of {session.id} was finished",)
    assert (len(history(bare)), session.count()) == (1, 0)
    assert markers(session, "consolidated")[-1]["upTo"] == 6


def test_without_the_journal(tmp_path: Path, folder: Path) -> None:
    """A journal that is off gets nothing, and a new start needs none."""
    with Memory.open(folder, environ=environment(tmp_path, REMORA_JOURNAL_ENABLED="false")) as memory:
        session = memory.session("cli:42")
        session.extend(talk(30))
        assert session.compact(4).consolidation is None
        done = session.new()
        assert (done.how, done.notes, session.count()) == ("nothing", ("the journal is off",), 0)
        assert memory.journal.note("a", "b") == session.note_today() == ""
        assert not (memory.journal.folder / "HISTORY.md").exists()
    with Memory.open(folder, environ=environment(tmp_path)) as memory:  # it is caught up with later
        assert [one.messages for one in memory.journal.consolidate()] == [30]


# With a model


def test_facts_become_memories(tmp_path: Path) -> None:
    """Each is an inference of its session, found by a search, with files as the project names them.

    The context is emptied after the model has answered, not before.
    """
    paths = [str(tmp_path / "shop" / "src" / "tokens.py"), "src/app.py"]
    seen: list[int] = []

    def reply(_: object) -> str:
        seen.append(memory.session("cli:42").count())
        facts = [fact("Tokens are signed with ES256.", files=paths), fact("The key is in the vault.")]
        return answer("[2026-03-01 12:00] They greeted.", "- They are polite", facts=facts)

    with talked(tmp_path, 6, reply) as (memory, session, model):
        done = session.new()
        assert (done.how, done.entry, done.notes) == ("model", "[2026-03-01 12:00] They greeted.", ())
        assert (done.memory_changed, memory.journal.show()) == (True, "- They are polite")
        assert (seen, session.count()) == ([6], 0)
        first, second = done.facts
        assert first.content == "Tokens are signed with ES256."
        assert second.content == "The key is in the vault."
        known = {(m.source, m.session_id, m.type) for m in done.facts}
        assert known == {("observer_inferred", "cli:42", "decision")}
        assert (first.related_files, first.confidence) == (("src/tokens.py", "src/app.py"), 0.6)
        assert memory.search("ES256", kinds=["memory"])[0].memory == memory.show(first.id)
    assert len(model.calls) == 1


def test_a_bad_fact_takes_no_good_one_with_it(tmp_path: Path) -> None:
    """What cannot be stored is said; one that is known is merged, one that was forgotten stays so."""
    offered = [
        fact("Tokens are signed with ES256."),
        fact(SECRET),
        fact("It is of a type that nobody knows.", type="rumour"),
        "no fact at all",
        fact("Releases are cut on Mondays."),
        fact("The key is in the vault."),
    ]
    with talked(tmp_path, 6, answer(facts=offered)) as (memory, session, _):
        known = memory.remember("Tokens are signed with ES256.", type="decision")
        gone = memory.forget(memory.remember("Releases are cut on Mondays.", type="decision").id)
        done = session.new()
        assert [m.content for m in done.facts] == [known.content, "The key is in the vault."]
        assert [m.receipt and m.receipt.action for m in done.facts] == ["merged", "stored"]
        assert {note.split(":")[0] for note in done.notes} == {
            "facts that could not be used",
            "a fact was not stored",
        }
        assert memory.show(gone.id).deprecated
        assert {m.id for m in memory.list()} == {m.id for m in done.facts}
        assert (len(history(memory)), session.count()) == (1, 0)


def test_secrets(tmp_path: Path) -> None:
    """No secret leaves the machine: not from the log, not from MEMORY.md; none that a model says is kept."""
    memory, model = memory_of(tmp_path, answer(memory="- ES256", facts=[fact(f"The key is {SECRET}.")]))
    with memory:
        memory.journal.folder.mkdir(parents=True)
        (memory.journal.folder / "MEMORY.md").write_text(f"- deploy with {SECRET}\n", "utf-8")
        SessionLog(memory.home / "sessions", "cli:42", FixedClock()).append(
            {"role": "user", "content": f"Use {SECRET} there"}
        )
        done = memory.session("cli:42").new()
        assert done.how == "model"
        assert [m.content for m in done.facts] == ["The key is [REDACTED:github-token]."]
    asked = model.calls[0].messages[-1].content
    assert SECRET not in asked
    assert "- deploy with [REDACTED:github-token]" in asked
    assert "Use [REDACTED:github-token] there" in asked
    kept = {Path(name).parts[-2] for name in holds(tmp_path, SECRET)}
    assert kept == {"sessions", "versions"}  # the log and the text that a person wrote


def test_all_sessions(bare: Memory) -> None:
    """Every session that said something new is brought in by itself; a damaged log takes no other with it."""
    for name in ("cli:1", "cli:2", "web:1"):
        bare.session(name).extend(talk(3, text=f"said in {name}"))
    bare.session("web:1").new()
    path = bare.session("cli:1")._log.path
    path.write_text("{broken\n" + path.read_text("utf-8").split("\n", 1)[1], "utf-8")
    newer = bare.home / "sessions" / "cli%3a9.jsonl"
    newer.write_text('{"_type": "metadata", "version": 99, "key": "cli:9"}\n', "utf-8")
    (bare.home / "sessions" / "~abc.jsonl").write_text("{}\n", "utf-8")
    done = {one.session_id: one for one in bare.journal.consolidate()}
    assert {name: one.messages for name, one in done.items() if one.messages} == {"cli:1": 3, "cli:2": 3}
    assert all(one.notes for one in done.values() if one.how == "nothing")
    assert len(history(bare)) == 3
    assert [bare.session(name).count() for name in ("cli:1", "cli:2", "web:1")] == [3, 3, 0]


DEATHS: dict[str, tuple[str, str, int]] = {
    "before the intent": ("remora.journal.pending", "write_atomic", 1),
    "before the month": ("remora.journal.pending", "append_line", 2),
    "before the mark": ("remora.conversation.log.SessionLog", "mark_consolidated", 1),
    "before the facts": ("remora.app.records.consolidation", "_store", 1),
    "before the clear": ("remora.conversation.log.SessionLog", "clear", 1),
}
SCRIPT = """
import signal
from importlib import import_module
from remora.llm.scripted import ScriptedModel
from tests.journal.made import answer

place, name, times = {death!r}
module, _, owner = place.rpartition(".")
owner = import_module(place) if owner.islower() else getattr(import_module(module), owner)
real, left = getattr(owner, name), [times]

def dies(*given, **named):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*given, **named)

setattr(owner, name, dies)
memory._project._given = (None, ScriptedModel([answer("They chose.", "- ES256")]), None)
memory.session("cli:42").new()
"""


@posix
@pytest.mark.parametrize("death", DEATHS.values(), ids=DEATHS)
def test_a_process_that_dies(tmp_path: Path, folder: Path, death: Sequence[Any]) -> None:
    """Killed between any two steps: the history has what was said once, and the session its mark."""
    with opened(tmp_path) as memory:
        memory.session("cli:42").extend(talk(6))
    process = start(SCRIPT.format(death=tuple(death)), tmp_path)
    _, problems = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, problems
    with opened(tmp_path) as memory:
        session = memory.session("cli:42")
        assert session.count() == 6
        memory.journal.consolidate()
        memory.journal.consolidate()
        assert markers(session, "consolidated")[-1]["upTo"] == 6
        (entry,) = history(memory)
        early = death[1] == "write_atomic"
        assert entry.startswith("[") if early else entry == "They chose."
        assert list(in_each_history_file(memory).values()) == [{entry: 1}] * 2
        assert memory.journal.show() == ("" if early else "- ES256")
        assert session.new().how == "nothing"
        assert session.count() == 0
    assert folder.exists()
