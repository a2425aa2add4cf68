"""What other memory systems left comes over once, as it was, without secrets, and what is here stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.conversation.log import SessionLog
from remora.core.clock import FixedClock
from remora.core.errors import InvalidInput, NotFound, StoreReadOnly
from remora.core.values import Redaction
from tests.app.talks import contents, ended, history, in_each_history_file, markers, opened, start
from tests.helpers import SECRET, environment, files, holds, rows
from tests.sources.others.left import leave
from tests.sources.others.looks import Files, lines, write
from tests.sources.others.test_crabtalk import body, entry
from tests.sources.others.test_forge import memory as forge_memory
from tests.sources.others.test_golem_items import SEMANTIC, item
from tests.sources.others.test_golemcore import DAY, MESSAGES, SESSION
from tests.sources.others.test_neoclaw import BEGAN, HISTORY, LONGTERM, META, SAID

# Of each system: how much of what comes over, and words of it that a search finds.
SYSTEMS: dict[str, tuple[dict[str, int], str]] = {
    "neoclaw": ({"long-term memory": 1, "history": 2, "sessions": 1, "messages": 2}, "webhooks"),
    "golemcore": (
        {"long-term memory": 1, "daily lines": 3, "sessions": 1, "messages": 3, "memories": 2},
        "PostgreSQL",
    ),
    "crabtalk": ({"entries": 3}, "release"),
    "forge": ({"memories": 2, "relations": 1}, "tabs"),
    "claude-code": ({"memories": 2}, "bastion"),
    "basic-memory": ({"entries": 1, "memories": 2}, "stateless"),
    "mcp-memory": ({"memories": 4}, "short answers"),
    "auto-claude": ({"memories": 2, "relations": 1}, "gateway clock"),
}
FACTS = "# Facts\n\n## User\n- Lives in Oslo"
CHOSE = "[2026-02-27 14:30] The user chose webhooks."


def left_by(system: str, root: Path) -> Path:
    """Write what a system leaves and return where."""
    return leave(system, root / "elsewhere" / system)


def counts(numbers: dict[str, int]) -> dict[str, int]:
    """Return numbers of things, zeros left out."""
    return {name: number for name, number in numbers.items() if number}


@pytest.mark.parametrize("system", SYSTEMS)
def test_it_comes_over_once(bare: Memory, tmp_path: Path, system: str) -> None:
    """A dry run writes nothing; then everything is new and is found, and at the second time it is known."""
    path = left_by(system, tmp_path)
    expected, words = SYSTEMS[system]
    everything, there = files(tmp_path), rows(bare)
    tried = bare.move_in(path, dry_run=True)
    assert (tried.dry_run, tried.system, tried.known) == (True, system, {})
    assert tried.new == {kind: number for kind, number in expected.items() if kind != "relations"}
    assert (files(tmp_path), rows(bare)) == (everything, there)
    before = files(path)
    first = bare.move_in(path)
    assert (first.system, first.path, first.dry_run) == (system, str(path), False)
    assert (counts(first.new), counts(first.known), first.redactions) == (expected, {}, ())
    assert any(words.split()[0].lower() in hit.text.lower() for hit in bare.search(words))
    second = bare.move_in(path)
    assert (counts(second.new), counts(second.known)) == ({}, expected)
    assert files(path) == before
    assert bare.move_in(path, system).known == second.known


def test_a_workspace_of_neoclaw(bare: Memory, tmp_path: Path) -> None:
    """The mark of the journal, times and texts are as they were there; the conversation goes on here."""
    bare.move_in(left_by("neoclaw", tmp_path))
    session = bare.session("telegram:12")
    assert (session.metadata["createdAt"], session.metadata["from"]) == (BEGAN, "neoclaw")
    assert [m.content for m in session.history()] == ["Which port?", "5432."]
    assert [m["upTo"] for m in markers(session, "consolidated")] == [1]
    assert [one.messages for one in bare.journal.consolidate()] == [1]
    assert CHOSE in history(bare)
    found = in_each_history_file(bare)
    assert sorted(name for name in found if CHOSE in found[name]) == ["HISTORY-2026-02.md", "HISTORY.md"]
    assert bare.journal.show() == FACTS
    session.append("user", "And the host?")
    assert session.compact(1).removed == 2
    log = SessionLog(bare.home / "sessions", "telegram:12", FixedClock())
    assert (log.problems(), log.total(), log.count()) == ([], 3, 2)


def test_a_workspace_of_golemcore(bare: Memory, tmp_path: Path) -> None:
    """The state of a session, the lines of a day and a typed memory come over."""
    bare.journal.write("- They use tabs.")
    first, second = DAY.splitlines()
    day = bare.journal.folder / "2026-02-07.md"
    day.write_text(f"{first}\nBy hand.", "utf-8")
    done = bare.move_in(left_by("golemcore", tmp_path))
    assert (done.new["daily lines"], done.known["daily lines"]) == (2, 1)
    session = bare.session("telegram:12345")
    assert session.metadata["state"] == "PAUSED"
    assert session.metadata["createdAt"] == "2026-02-07T14:00:00.123Z"
    assert contents(session) == ["Which port?", "", "5432"]
    assert day.read_text("utf-8").splitlines() == [first, "By hand.", second]
    assert bare.journal.show() == "- They use tabs.\n\n## From golemcore\n\nDatabase is PostgreSQL."
    assert [one.path.read_text("utf-8") for one in bare.journal.versions()] == ["- They use tabs."]
    days = sorted(path.name for path in bare.journal.folder.glob("2026*"))
    assert days == ["2026-02-06.md", "2026-02-07.md"]


def test_a_memory_of_crabtalk(bare: Memory, tmp_path: Path) -> None:
    """A note has its alias, kind and time; a name that is taken here stays ours."""
    path = left_by("crabtalk", tmp_path)
    bare.entries.add("deploy", "Ours.")
    bare.entries.add("crab-1", "Our archive.", kind="archive")
    bare.entries.add("ours", "x", aliases=["release"])
    assert bare.move_in(path).new["entries"] == 3
    assert bare.entries.show("deploy").content == "Ours."
    theirs = bare.entries.show("deploy (from crabtalk)")
    assert (theirs.content, theirs.aliases) == ("Roll out in steps.", ())
    assert bare.move_in(path).new.get("entries", 0) == 0
    assert len(bare.entries.list()) == 6
    (tmp_path / "other").mkdir()
    with Memory.open(tmp_path / "other", environ=environment(tmp_path)) as other:
        other.move_in(path)
        note = other.entries.show("release")
        assert (note.name, note.kind, note.created_at) == ("deploy", "note", "2020-01-01T00:00:00Z")


@pytest.mark.parametrize("system", ["forge", "auto-claude"])
def test_relations(bare: Memory, tmp_path: Path, system: str) -> None:
    """Links become relations between the memories; one that was taken away here does not come back."""
    path = left_by(system, tmp_path)
    bare.move_in(path)
    (source,) = [m for m in bare.list() if m.relations]
    (found,) = source.relations
    assert (found.relation_type, found.auto_extracted) == ("derived_from", True)
    assert found.target_memory_id in {m.id for m in bare.list(tag=f"from:{system}")} - {source.id}
    bare.edit(source.id, relations=())
    bare.move_in(path)
    assert bare.show(source.id).relations == ()


def test_the_users_own_memories(bare: Memory, tmp_path: Path) -> None:
    """What is true in every project there is so here; doing it again finds it."""
    own, other = forge_memory("a", "They live in Oslo.", scope="user"), forge_memory("b", "Use spaces.")
    path = write(tmp_path / "forge", own | other)
    assert bare.move_in(path).new["memories"] == 2
    assert [m.content for m in bare.list(user=True)] == ["They live in Oslo."]
    assert [m.content for m in bare.list(user=False)] == ["Use spaces."]
    bare.forget(bare.list(user=True)[0].id)
    assert counts(bare.move_in(path).new) == {}
    assert bare.list(user=True) == []


def test_what_was_changed_here_stays(bare: Memory, tmp_path: Path) -> None:
    """Lines that were taken away, and messages of a session that was cleared: none comes back."""
    there = [left_by(system, tmp_path) for system in ("golemcore", "neoclaw")]
    for path in there:
        bare.move_in(path)
    bare.journal.write("- They use tabs.")
    (bare.journal.folder / "2026-02-07.md").write_text("Nothing.\n", "utf-8")
    for kept in bare.journal.folder.glob("HISTORY*.md"):
        kept.write_text("", "utf-8")
    session = bare.session("telegram:12345")
    session.clear()
    session.set_state("TERMINATED")
    assert [counts(bare.move_in(path).new) for path in there] == [{}, {}]
    assert bare.journal.show() == "- They use tabs."
    assert bare.journal.day(max(bare.journal.days())) == "Nothing."
    assert (history(bare), contents(session)) == ([], [])
    assert bare.session("telegram:12345").metadata["state"] == "TERMINATED"


def test_what_is_new_there_comes(bare: Memory, tmp_path: Path) -> None:
    """Messages, days and memories that were added there come at the next time; ours are left alone."""
    path = left_by("golemcore", tmp_path)
    bare.session("telegram:12345").append("user", "Ours", external_id="ours")
    done = bare.move_in(path)
    assert (done.known["sessions"], done.new["messages"]) == (1, 3)
    asked = [*MESSAGES, {"id": "m9", "role": "user", "content": "And the host?"}]
    more = item(id="i9", fingerprint="f9", title="", content="Deploy on Fridays.")
    files = {"sessions/telegram:12345.json": json.dumps(SESSION | {"messages": asked})}
    files |= {"memory/2026-02-07.md": f"{DAY}[15:00] User: ? | Assistant: 5.\n"}
    write(path, files | {SEMANTIC: lines([item(), more])})
    assert counts(bare.move_in(path).new) == {"messages": 1, "daily lines": 1, "memories": 1}
    session = bare.session("telegram:12345")
    assert contents(session) == ["Ours", "Which port?", "", "5432", "And the host?"]
    assert session.metadata.get("state") != "PAUSED"
    bare.session("telegram:12").append("user", "Ours", external_id="ours")
    bare.move_in(left_by("neoclaw", tmp_path))
    assert contents(bare.session("telegram:12")) == ["Ours", "Which port?", "5432."]
    assert markers(bare.session("telegram:12"), "consolidated") == []


def test_secrets(bare: Memory, tmp_path: Path) -> None:
    """They are taken out of everything that comes, names too, and counted."""
    said = {"role": "user", "content": f"Use {SECRET}", "timestamp": BEGAN}
    crab = body(entry(1, f"key {SECRET}", f"It is {SECRET}.", f"alias {SECRET}"))
    systems: dict[str, Files] = {
        "neoclaw": {
            LONGTERM: f"- the key is {SECRET}\n",
            HISTORY: f"\n## 2026-02-27T14:30:00.000Z\nThey used {SECRET}.\n",
            "sessions/cli_1.jsonl": lines([META, said]),
            "sessions/cli_2.jsonl": lines([META | {"key": f"cli:{SECRET}"}, said]),
        },
        "golemcore": {
            "memory/2026-02-07.md": f"[14:15] User: How? | Assistant: With {SECRET}.\n",
            SEMANTIC: lines([item(content=f"The key of the vault is {SECRET}.")]),
        },
        "crabtalk": {"memory.crmem": crab},
    }
    for name, there in systems.items():
        done = bare.move_in(write(tmp_path / "elsewhere" / name, there), name)
        assert {r.kind for r in done.redactions} == {"github-token"}
        assert SECRET not in repr(done._replace(skipped=()))
        skipped = [one for one in done.skipped if one.why == "its id holds a secret"]
        assert len(skipped) == (name == "neoclaw")
    assert done.redactions == (Redaction("github-token", 3),)
    assert [e.name for e in bare.entries.list()] == ["key [REDACTED:github-token]"]
    bare.search("key")
    assert holds(bare.home, SECRET) == []


def test_what_nobody_knows(bare: Memory, tmp_path: Path) -> None:
    """A missing path, an unknown system, files of nobody and our own are errors; an unclear folder asks."""
    for system in (None, "neoclaw"):
        with pytest.raises(NotFound, match="nowhere"):
            bare.move_in(tmp_path / "nowhere", system)
    with pytest.raises(InvalidInput, match="no reader for 'eliza'") as caught:
        bare.move_in(tmp_path, "eliza")
    assert "neoclaw" in caught.value.hint
    with pytest.raises(NotFound, match="no files of a supported system"):
        bare.move_in(write(tmp_path / "odd", {"letter.txt": "Dear Ann"}))
    unclear = write(tmp_path / "unclear", {"memory/MEMORY.md": "- They use tabs.\n"})
    with pytest.raises(InvalidInput, match="neoclaw, golemcore, claude-code"):
        bare.move_in(unclear)
    assert bare.move_in(unclear, "neoclaw").new == {"long-term memory": 1}
    bare.journal.add_history("Our journal looks like that of a system it was learned from.")
    for path in (bare.home, bare.home / "memory", tmp_path / "data"):
        with pytest.raises(InvalidInput, match="belongs to Remora"):
            bare.move_in(path)


def test_one_bad_thing_takes_no_good_one_with_it(bare: Memory, tmp_path: Path) -> None:
    """What cannot be read or stored is named with its place; the rest comes over."""
    cut = lines([META | {"key": "cli:14"}, "{", SAID[0]])
    bad = {"sessions/telegram_13.jsonl": "{broken\n", "sessions/telegram_14.jsonl": cut}
    done = bare.move_in(write(left_by("neoclaw", tmp_path), bad), "neoclaw")
    assert done.new["sessions"] == 2
    assert {one.what.partition(":")[0] for one in done.skipped} >= set(bad)
    assert all(one.seen == one.taken + one.skipped for one in done.counts)


@pytest.mark.slow
def test_a_crash_in_between(tmp_path: Path, folder: Path) -> None:
    """A process that dies before it has noted what came over: the next one brings nothing twice."""
    there = [left_by(system, tmp_path) for system in ("neoclaw", "crabtalk")]
    with opened(tmp_path) as memory:
        memory.entries.add("deploy", "Ours.")
        memory.entries.add("crab-1", "Our archive.", kind="archive")
    script = """
        import signal
        from remora.app.importing.other_systems import Move
        from remora.conversation.log import SessionLog

        SessionLog.update_metadata = Move._save = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        memory.move_in(Path({path!r}))
        """
    for path in there:
        process = start(script.format(path=str(path)), tmp_path)
        process.communicate(timeout=60)
        assert process.returncode == -9
    with opened(tmp_path) as memory:
        assert [counts(memory.move_in(path).new) for path in there] == [{}, {}]
        names = sorted(e.name for e in memory.entries.list())
        assert names == ["crab-1", "crab-1 (from crabtalk)", "deploy", "deploy (from crabtalk)", "plan"]
        assert (history(memory)[-1], memory.journal.show()) == (CHOSE, FACTS)
        assert memory.session("telegram:12").metadata["from"] == "neoclaw"
    assert folder.exists()


@pytest.mark.slow
def test_two_at_once(tmp_path: Path, folder: Path) -> None:
    """Two processes move the same things in: each comes over once."""
    for system in ("neoclaw", "forge"):
        left_by(system, tmp_path)
    script = """
        done = [memory.move_in(root / "elsewhere" / system) for system in ("neoclaw", "forge")]
        say({kind: number for one in done for kind, number in one.new.items()})
        """
    new = [ended(process)[0][0] for process in [start(script, tmp_path) for _ in range(2)]]
    total = {kind: sum(one.get(kind, 0) for one in new) for kind in {**new[0], **new[1]}}
    assert counts(total) == SYSTEMS["neoclaw"][0] | SYSTEMS["forge"][0]
    with opened(tmp_path) as memory:
        assert len(memory.list()) == 2
        assert len(memory.session("telegram:12").history()) == 2
    assert folder.exists()


def test_progress_and_reading_only(tmp_path: Path, folder: Path) -> None:
    """Progress is told; who opened for reading may look what there is, and no more."""
    path = left_by("crabtalk", tmp_path)
    steps: list[tuple[Any, ...]] = []
    environ = environment(tmp_path)
    with Memory.open(folder, environ=environ) as memory:
        memory.move_in(path, progress=lambda *step: steps.append(step))
    assert steps == [("notes", 3, 3)]
    before = files(tmp_path)
    with Memory.open(folder, environ=environ, read_only=True) as memory:
        with pytest.raises(StoreReadOnly):
            memory.move_in(path)
        assert memory.move_in(path, dry_run=True).new["entries"] == 3
    assert files(tmp_path) == before
