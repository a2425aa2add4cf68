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
from tests.sources.others.looks import lines, write
from tests.sources.others.test_crabtalk import body
from tests.sources.others.test_crabtalk import entry as crab_entry
from tests.sources.others.test_forge import memory as forge_memory
from tests.sources.others.test_golem_items import item

MESSAGES = [
    {
        "role": "user" if n % 2 else "assistant",
        "content": f"message {n}",
        "timestamp": f"2026-02-01T08:00:0{n}.000Z",
    }
    for n in range(1, 5)
]
META = {"_type": "metadata", "key": "telegram:12", "createdAt": "2026-02-01T08:00:00.000Z"}
HISTORY = "\n## 2026-02-27T14:30:00.000Z\nThe user chose webhooks.\n"
NEOCLAW: dict[str, str | bytes] = {
    "workspace/memory/MEMORY.md": "# Long-term Memory\n\n- Lives in Oslo\n",
    "workspace/memory/HISTORY.md": HISTORY,
    "workspace/memory/HISTORY-2026-02.md": HISTORY,
    "sessions/telegram_12.jsonl": lines([{**META, "lastConsolidated": 2}, *MESSAGES]),
}
GOLEMCORE: dict[str, str | bytes] = {
    "sessions/telegram:9.json": json.dumps(
        {
            "id": "telegram:9",
            "state": "PAUSED",
            "createdAt": "2026-02-07T14:00:00Z",
            "messages": [
                {"id": "m1", "role": "user", "content": "Which port?", "timestamp": "2026-02-07T14:15:00Z"},
                {"id": "m2", "role": "assistant", "content": "5432.", "timestamp": "2026-02-07T14:15:01Z"},
            ],
        }
    ),
    "memory/MEMORY.md": "Database is PostgreSQL.\n",
    "memory/2026-02-07.md": "[14:15] User: How? | Assistant: So.\n[14:30] User: And? | Assistant: Thus.\n",
    "memory/items/semantic.jsonl": lines([item(layer="SEMANTIC")]),
}


CRABTALK: dict[str, str | bytes] = {
    "memory.crmem": body(
        crab_entry(1, "deploy", "Roll out in steps.", ("release",)),
        crab_entry(2, "crab-1", "They planned the release.", kind=1),
    ),
}
FORGE_B: dict[str, str | bytes] = {
    **forge_memory("b", "Use spaces in Python.\n", related="\n    - id: mem_a\n      relationship: refines")
}
FORGE: dict[str, str | bytes] = {**forge_memory("a", "Use tabs in Makefiles.\n"), **FORGE_B}
CLAUDE: dict[str, str | bytes] = {
    "memory/MEMORY.md": "- [Tokens](tokens.md) how tokens are signed\n",
    "memory/tokens.md": "---\nname: tokens\ndescription: x\ntype: project\n---\nTokens use ES256.\n",
}
BASIC: dict[str, str | bytes] = {
    "notes/coffee.md": "---\ntitle: Coffee\ntype: note\npermalink: notes/coffee\ntags: [brew]\n---\n\n"
    "# Coffee\n\n- [tip] Rinse the filter first #brew\n- relates_to [[Tea]]\n",
}
ANN = {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["prefers short answers"]}
WORKS = {"type": "relation", "from": "Ann", "to": "Shop", "relationType": "works_on"}
# Of each system: its files, how much of what comes over, and words of it that a search finds.
SYSTEMS: dict[str, tuple[dict[str, str | bytes], dict[str, int], str]] = {
    "neoclaw": (NEOCLAW, {"long-term memory": 1, "history": 1, "sessions": 1, "messages": 4}, "webhooks"),
    "golemcore": (
        GOLEMCORE,
        {"long-term memory": 1, "daily lines": 2, "sessions": 1, "messages": 2, "memories": 1},
        "PostgreSQL",
    ),
    "crabtalk": (CRABTALK, {"entries": 2}, "release"),
    "forge": (FORGE, {"memories": 2, "relations": 1}, "tabs"),
    "claude-code": (CLAUDE, {"memories": 1}, "ES256"),
    "basic-memory": (BASIC, {"entries": 1, "memories": 1}, "filter"),
    "mcp-memory": ({"memory.jsonl": lines([ANN, WORKS])}, {"memories": 2}, "short answers"),
    "auto-claude": ({}, {"memories": 2, "relations": 1}, "gateway clock"),
}


def auto_claude(folder: Path) -> None:
    """Write a database of Auto Claude with two memories, one of which rests on the other."""
    import apsw

    folder.mkdir(parents=True, exist_ok=True)
    db = apsw.Connection(str(folder / "memory.db"))
    db.execute(
        """CREATE TABLE memories (id TEXT PRIMARY KEY, type TEXT, content TEXT, confidence REAL, tags TEXT,
           related_files TEXT, created_at TEXT, project_id TEXT, relations TEXT, decay_half_life_days REAL)"""
    )
    related = json.dumps([{"targetMemoryId": "m1", "relationType": "derived_from", "confidence": 0.9}])
    row = """INSERT INTO memories VALUES (?, ?, ?, 0.9, '["auth"]', '["src/a.py"]', '2026-01-01T00:00:00Z',
             'p', ?, 60)"""
    db.execute(row, ("m1", "decision", "Tokens are signed with ES256.", "[]"))
    db.execute(row, ("m2", "gotcha", "The clock of the gateway is an hour behind.", related))
    db.close()


def left_by(system: str, root: Path) -> Path:
    """Write what a system leaves and return where."""
    folder = root / "elsewhere" / system
    if system == "auto-claude":
        auto_claude(folder)
    return write(folder, SYSTEMS[system][0])


def counts(**numbers: int) -> dict[str, int]:
    """Return numbers of things, zeros left out."""
    return {name: number for name, number in numbers.items() if number}


@pytest.mark.parametrize("system", SYSTEMS)
def test_it_comes_over_once(bare: Memory, tmp_path: Path, system: str) -> None:
    """A dry run writes nothing; then everything is new and is found, and at the second time it is known."""
    path = left_by(system, tmp_path)
    _, expected, words = SYSTEMS[system]
    everything, there = files(tmp_path), rows(bare)
    tried = bare.move_in(path, dry_run=True)
    assert (tried.dry_run, tried.system, tried.known) == (True, system, {})
    assert tried.new == {kind: number for kind, number in expected.items() if kind != "relations"}
    assert (files(tmp_path), rows(bare)) == (everything, there)
    before = files(path)
    first = bare.move_in(path)
    assert (first.system, first.path, first.dry_run) == (system, str(path), False)
    assert counts(**first.new) == expected
    assert counts(**first.known) == {}
    assert first.redactions == ()
    assert any(words.split()[0].lower() in hit.text.lower() for hit in bare.search(words))
    second = bare.move_in(path)
    assert counts(**second.new) == {}
    assert counts(**second.known) == expected
    assert files(path) == before
    assert bare.move_in(path, system).known == second.known


def test_a_workspace_of_neoclaw(bare: Memory, tmp_path: Path) -> None:
    """The mark of the journal, times and texts are as they were there; the conversation goes on here."""
    bare.move_in(left_by("neoclaw", tmp_path))
    session = bare.session("telegram:12")
    assert session.metadata["createdAt"] == "2026-02-01T08:00:00.000Z"
    assert session.metadata["from"] == "neoclaw"
    assert [m.content for m in session.history()] == [f"message {n}" for n in range(1, 5)]
    assert [m["upTo"] for m in markers(session, "consolidated")] == [2]
    assert [one.messages for one in bare.journal.consolidate()] == [2]
    assert history(bare)[0] == "The user chose webhooks."
    found = in_each_history_file(bare)
    names = sorted(name for name in found if "The user chose webhooks." in found[name])
    assert names == ["HISTORY-2026-02.md", "HISTORY.md"]
    assert bare.journal.show() == "# Long-term Memory\n\n- Lives in Oslo"
    session.append("user", "message 5")
    assert session.compact(1).removed == 4
    log = SessionLog(bare.home / "sessions", "telegram:12", FixedClock())
    assert (log.problems(), log.total(), log.count()) == ([], 5, 2)


def test_a_workspace_of_golemcore(bare: Memory, tmp_path: Path) -> None:
    """The state of a session, the lines of a day and a typed memory come over."""
    bare.journal.write("- They use tabs.")
    day = bare.journal.folder / "2026-02-07.md"
    day.write_text("[14:15] User: How? | Assistant: So.\nBy hand.", "utf-8")
    done = bare.move_in(left_by("golemcore", tmp_path))
    assert (done.new["daily lines"], done.known["daily lines"]) == (1, 1)
    session = bare.session("telegram:9")
    assert session.metadata["state"] == "PAUSED"
    assert session.metadata["createdAt"] == "2026-02-07T14:00:00.000Z"
    assert contents(session) == ["Which port?", "5432."]
    assert day.read_text("utf-8").splitlines() == [
        "[14:15] User: How? | Assistant: So.",
        "By hand.",
        "[14:30] User: And? | Assistant: Thus.",
    ]
    assert bare.journal.show() == "- They use tabs.\n\n## From golemcore\n\nDatabase is PostgreSQL."
    assert [one.path.read_text("utf-8") for one in bare.journal.versions()] == ["- They use tabs."]
    assert [path.name for path in bare.journal.folder.glob("2026*")] == ["2026-02-07.md"]


def test_a_memory_of_crabtalk(bare: Memory, tmp_path: Path) -> None:
    """A note has its alias, kind and time; a name that is taken here stays ours."""
    path = left_by("crabtalk", tmp_path)
    bare.entries.add("deploy", "Ours.")
    bare.entries.add("crab-1", "Our archive.", kind="archive")
    bare.entries.add("ours", "x", aliases=["release"])
    assert bare.move_in(path).new["entries"] == 2
    assert bare.entries.show("deploy").content == "Ours."
    theirs = bare.entries.show("deploy (from crabtalk)")
    assert (theirs.content, theirs.aliases) == ("Roll out in steps.", ())
    assert bare.move_in(path).new.get("entries", 0) == 0
    assert len(bare.entries.list()) == 5
    (tmp_path / "other").mkdir()
    with Memory.open(tmp_path / "other", environ=environment(tmp_path)) as other:
        other.move_in(path)
        note = other.entries.show("release")
        assert (note.name, note.kind, note.created_at) == ("deploy", "note", "2020-01-01T00:00:00Z")


def test_relations(bare: Memory, tmp_path: Path) -> None:
    """Links become relations between the memories; one that was taken away here does not come back."""
    for system, relation in (("forge", "derived_from"), ("auto-claude", "derived_from")):
        path = left_by(system, tmp_path)
        bare.move_in(path)
        (source,) = [m for m in bare.list(tag=f"from:{system}") if m.relations]
        (found,) = source.relations
        assert (found.relation_type, found.auto_extracted) == (relation, True)
        assert found.target_memory_id is not None
        assert bare.show(found.target_memory_id).tags[0] == f"from:{system}"
        bare.edit(source.id, relations=())
        bare.move_in(path)
        assert bare.show(source.id).relations == ()


def test_the_users_own_memories(bare: Memory, tmp_path: Path) -> None:
    """What is true in every project there is so here; doing it again finds it."""
    path = write(tmp_path / "forge", {**forge_memory("a", "They live in Oslo.", scope="user"), **FORGE_B})
    assert bare.move_in(path).new["memories"] == 2
    assert [m.content for m in bare.list(user=True)] == ["They live in Oslo."]
    assert [m.content for m in bare.list(user=False)] == ["Use spaces in Python."]
    bare.forget(bare.list(user=True)[0].id)
    assert counts(**bare.move_in(path).new) == {}
    assert bare.list(user=True) == []


def test_our_own_folder_is_not_moved_in(bare: Memory, tmp_path: Path) -> None:
    """Our journal looks like that of a system it was learned from; it is refused."""
    bare.journal.add_history("They chose.")
    for path in (bare.home, bare.home / "memory", tmp_path / "data"):
        with pytest.raises(InvalidInput, match="belongs to Remora"):
            bare.move_in(path)


def test_what_was_changed_here_stays(bare: Memory, tmp_path: Path) -> None:
    """Lines that were taken away, and messages of a session that was cleared: none comes back."""
    for system in ("golemcore", "neoclaw"):
        bare.move_in(left_by(system, tmp_path))
    bare.journal.write("- They use tabs.")
    (bare.journal.folder / "2026-02-07.md").write_text("Nothing.\n", "utf-8")
    for name in ("HISTORY.md", "HISTORY-2026-02.md"):
        (bare.journal.folder / name).write_text("", "utf-8")
    bare.session("telegram:9").clear()
    bare.session("telegram:9").set_state("TERMINATED")
    for system in ("golemcore", "neoclaw"):
        done = bare.move_in(left_by(system, tmp_path))
        assert counts(**done.new) == {}
    assert bare.journal.show() == "- They use tabs."
    assert bare.journal.day(bare.journal.days()[0]) == "Nothing."
    assert history(bare) == []
    assert contents(bare.session("telegram:9")) == []
    assert bare.session("telegram:9").metadata["state"] == "TERMINATED"


def test_what_is_new_there_comes(bare: Memory, tmp_path: Path) -> None:
    """Messages, entries, days and memories that were added there come at the next time, and nothing else."""
    path = left_by("golemcore", tmp_path)
    bare.move_in(path)
    session = json.loads(str(GOLEMCORE["sessions/telegram:9.json"]))
    session["messages"].append({"id": "m3", "role": "user", "content": "And the host?"})
    write(
        path,
        {
            "sessions/telegram:9.json": json.dumps(session),
            "memory/2026-02-07.md": f"{GOLEMCORE['memory/2026-02-07.md']!s}[15:00] User: ? | Assistant: 5.\n",
            "memory/items/semantic.jsonl": lines(
                [
                    item(layer="SEMANTIC"),
                    item(id="i9", fingerprint="f9", title="", content="Deploy on Fridays."),
                ]
            ),
        },
    )
    done = bare.move_in(path)
    assert counts(**done.new) == {"messages": 1, "daily lines": 1, "memories": 1}
    assert contents(bare.session("telegram:9"))[-1] == "And the host?"


def test_a_session_that_is_here_too(bare: Memory, tmp_path: Path) -> None:
    """Messages join a conversation that has the same id; its boundary and state are left alone."""
    bare.session("telegram:12").append("user", "Ours", external_id="ours")
    done = bare.move_in(left_by("neoclaw", tmp_path))
    assert (done.new.get("sessions", 0), done.known["sessions"], done.new["messages"]) == (0, 1, 4)
    session = bare.session("telegram:12")
    assert [m.content for m in session.history()] == ["Ours", *(f"message {n}" for n in range(1, 5))]
    assert markers(session, "consolidated") == []


def test_secrets(bare: Memory, tmp_path: Path) -> None:
    """They are taken out of everything that comes, names too, and counted."""
    said = {"role": "user", "content": f"Use {SECRET}", "timestamp": "2026-02-01T08:00:01.000Z"}
    meta = {"_type": "metadata", "key": "cli:1", "createdAt": "2026-02-01T08:00:00.000Z"}
    neoclaw: dict[str, str | bytes] = {
        "workspace/memory/MEMORY.md": f"- the key is {SECRET}\n",
        "workspace/memory/HISTORY.md": f"\n## 2026-02-27T14:30:00.000Z\nThey used {SECRET}.\n",
        "sessions/cli_1.jsonl": lines([meta, said]),
        "sessions/cli_2.jsonl": lines([meta | {"key": f"cli:{SECRET}"}, said]),
    }
    golemcore: dict[str, str | bytes] = {
        "memory/2026-02-07.md": f"[14:15] User: How? | Assistant: With {SECRET}.\n",
        "memory/items/semantic.jsonl": lines([item(content=f"The key of the vault is {SECRET}.")]),
    }
    crabtalk: dict[str, str | bytes] = {
        "memory.crmem": body(crab_entry(1, f"key {SECRET}", f"It is {SECRET}.", (f"alias {SECRET}",))),
    }
    for name, there in (("neoclaw", neoclaw), ("golemcore", golemcore), ("crabtalk", crabtalk)):
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
    """A missing path, an unknown system and files of nobody are errors; an unclear folder asks."""
    for system in (None, "neoclaw"):
        with pytest.raises(NotFound, match="nowhere"):
            bare.move_in(tmp_path / "nowhere", system)
    with pytest.raises(InvalidInput, match="no reader for 'eliza'") as caught:
        bare.move_in(tmp_path, "eliza")
    assert "neoclaw" in caught.value.hint
    path = write(tmp_path / "odd", {"letter.txt": "Dear Ann"})
    with pytest.raises(NotFound, match="no files of a supported system"):
        bare.move_in(path)
    unclear = write(tmp_path / "unclear", {"memory/MEMORY.md": "- They use tabs.\n"})
    with pytest.raises(InvalidInput, match="neoclaw, golemcore, claude-code"):
        bare.move_in(unclear)
    assert bare.move_in(unclear, "neoclaw").new == {"long-term memory": 1}


def test_one_bad_thing_takes_no_good_one_with_it(bare: Memory, tmp_path: Path) -> None:
    """What cannot be read or stored is named with its place; the rest comes over."""
    bad = {
        "sessions/telegram_13.jsonl": "{broken\n",
        "sessions/telegram_14.jsonl": lines(
            [{"_type": "metadata", "key": "cli:14"}, "{", {"role": "user", "content": "x"}]
        ),
    }
    done = bare.move_in(write(left_by("neoclaw", tmp_path), bad), "neoclaw")
    assert done.new["sessions"] == 2
    assert {one.what.partition(":")[0] for one in done.skipped} >= {
        "sessions/telegram_13.jsonl",
        "sessions/telegram_14.jsonl",
    }
    assert all(one.seen == one.taken + one.skipped for one in done.counts)


@pytest.mark.slow
def test_a_crash_in_between(tmp_path: Path, folder: Path) -> None:
    """A process that dies before it has noted what came over: the next one brings nothing twice."""
    for system in ("neoclaw", "crabtalk"):
        left_by(system, tmp_path)
    with opened(tmp_path) as memory:
        memory.entries.add("deploy", "Ours.")
        memory.entries.add("crab-1", "Our archive.", kind="archive")
    script = """
        import signal
        from remora.app.importing.other_systems import Move
        from remora.conversation.log import SessionLog

        SessionLog.update_metadata = Move._save = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        memory.move_in(root / "elsewhere" / {system!r})
        """
    for system in ("neoclaw", "crabtalk"):
        process = start(script.format(system=system), tmp_path)
        process.communicate(timeout=60)
        assert process.returncode == -9
    with opened(tmp_path) as memory:
        for system in ("neoclaw", "crabtalk"):
            done = memory.move_in(tmp_path / "elsewhere" / system)
            assert counts(**done.new) == {}
        names = sorted(e.name for e in memory.entries.list())
        assert names == ["crab-1", "crab-1 (from crabtalk)", "deploy", "deploy (from crabtalk)"]
        assert history(memory) == ["The user chose webhooks."]
        assert memory.journal.show() == "# Long-term Memory\n\n- Lives in Oslo"
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
    assert counts(**total) == SYSTEMS["neoclaw"][1] | SYSTEMS["forge"][1]
    with opened(tmp_path) as memory:
        assert len(memory.list()) == 2
        assert len(memory.session("telegram:12").history()) == 4
    assert folder.exists()


def test_progress_and_reading_only(tmp_path: Path, folder: Path) -> None:
    """Progress is told; who opened for reading may look what there is, and no more."""
    path = left_by("crabtalk", tmp_path)
    steps: list[tuple[Any, ...]] = []
    environ = environment(tmp_path)
    with Memory.open(folder, environ=environ) as memory:
        memory.move_in(path, progress=lambda *step: steps.append(step))
    assert steps == [("notes", 2, 2)]
    before = files(tmp_path)
    with Memory.open(folder, environ=environ, read_only=True) as memory:
        with pytest.raises(StoreReadOnly):
            memory.move_in(path)
        assert memory.move_in(path, dry_run=True).new["entries"] == 2
    assert files(tmp_path) == before
