"""Erasing, to the byte: whatever way the words came in, whoever else writes, and after a kill."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from remora.app.health import erase as erasing
from remora.app.memory import Memory
from remora.core.errors import InvalidInput, NotFound
from remora.core.events import Event
from remora.core.values import MemoryDraft
from remora.disk import live
from remora.lifecycle.prune import is_erased, is_forgotten
from remora.store.items import Items
from tests.app.learning.test_learn import Talk
from tests.helpers import environment

WORDS = "amber basalt cobalt dune ember fjord garnet heron indigo jasper".split()


def marker(number: int) -> str:
    """Return a sentence that stands nowhere else."""
    return f"The quokka{number:02} relay of {WORDS[number % 10]} “listens” on port {9000 + number}"


class House:
    """A project with a data folder of its own."""

    def __init__(self, place: Path) -> None:
        self.root, self.data = place / "project", place / "data"
        self.root.mkdir()
        self.environ = environment(place, CLAUDE_CONFIG_DIR=str(place / "claude"))

    def open(self, actor: str = "person") -> Memory:
        """Open the memory."""
        return Memory.open(self.root, environ=self.environ, actor=actor)

    def holding(self, text: str) -> list[str]:
        """Return the files of ours that hold a text, as it is or inside JSON."""
        forms = [
            f.encode() for f in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
        ]
        found = []
        for path in sorted(self.data.rglob("*")):
            if path.is_file() and any(form in path.read_bytes() for form in forms):
                found.append(path.name)
        return found


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A project without a memory."""
    return House(tmp_path)


def plant(house: House) -> list[str]:
    """Bring twenty markers in by every way there is; return them."""
    said = [marker(number) for number in range(20)]
    with house.open() as memory:
        memory.remember(said[0], source="user_taught")
        memory.remember(said[1], tags=["relay"], related_files=["a.py"], type="gotcha")
        memory.remember_many([MemoryDraft(said[2], said=f"in my words: {said[2]}")])
        one = memory.remember("An earlier text that goes")
        memory.edit(one.id, content=said[3])
        memory.edit(one.id, content="A later text that stays")
        old = memory.remember(said[4])
        memory.supersede(old.id, "Something else holds now")
        gone = memory.remember(said[5])
        memory.forget(gone.id)
        (house.root / "rules.md").write_text(f"# Rules\n\n- {said[6]}\n")
        memory.teach(house.root / "rules.md")
        memory.remember(said[7], user=True)
        memory.entries.add("deploy", said[8])
        memory.journal.write(f"- {said[9]}\n")
        memory.journal.note(said[10], "Noted.")
        memory.journal.add_history(said[11])
        session = memory.session("cli:1")
        session.append("user", said[12])
        session.append("assistant", f"So {said[13]}")
        filler = [f"filler message {number} " + "word " * 200 for number in range(30)]
        session.extend({"role": "user", "content": text} for text in filler)
        session.compact()
        feed(memory.observe("s-9", "cli"), said[14])
        other = memory.session("cli:2")
        other.append("user", said[15])
        other.append("assistant", "Noted.")
        other.new()
        memory.remember(f"Never run `terraform apply`: {said[16]}", source="user_taught")
        with memory.loop("s-10") as loop:
            loop.brief()
            loop.before("Bash", {"command": "terraform apply"})
        memory.remember(said[17], payload={"note": said[17]}, citation_text="quokka17")
        memory.search(said[18])
        memory.context(said[18])
        memory.remember(said[18])
        memory.remember(said[19], external_id="ticket:19")
        with closing(Items.open(memory.home / "items.db")) as items, items.connection.transaction():
            value = json.dumps({"text": said[19]})
            items.put(("notes",), "k", value, value, 0.0, None)
    return said


def feed(watched: Any, prompt: str) -> None:
    """Let an observed session say something, and finish it."""
    for kind, text in (("user_prompt", f"{prompt}. Always keep it so."), ("reply", "Done.")):
        watched.observe(Event(kind, "s-9", f"{kind}1", 1, "2026-03-01T08:00:00.000Z", text))
    watched.observe(Event("step", "s-9", "step1", 1))
    watched.finish()


def test_nothing_of_twenty_markers_is_left(house: House) -> None:
    """Each is there before, in some file, and in none afterwards."""
    said = plant(house)
    assert [text for text in said if not house.holding(text)] == []
    with house.open() as memory:
        for text in said:
            assert memory.erase(containing=text).whole
    assert {text: found for text in said if (found := house.holding(text))} == {}


@pytest.mark.slow
def test_it_holds_while_another_process_writes(house: House) -> None:
    """Its writes go on, and nothing of the marker comes back."""
    said = plant(house)
    stop = threading.Event()

    def write() -> None:
        with house.open("agent:cli:w") as other:
            number = 0
            while not stop.is_set():
                other.remember(f"Filler statement number {number} of the writer")
                number += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        with house.open() as memory:
            for text in said[:6]:
                memory.erase(containing=text)
    finally:
        stop.set()
        thread.join()
    with house.open() as memory:
        assert erasing.scrub_when_due(memory._project)
    assert {text: found for text in said[:6] if (found := house.holding(text))} == {}


KILLED = """
import os, sys
from remora.app.health import erase
from remora.app.memory import Memory
step = getattr(erase, sys.argv[3])
setattr(erase, sys.argv[3], lambda *a, **k: (step(*a, **k), os._exit(9))[0])
environ = {"REMORA_HOME": sys.argv[2], "REMORA_EMBEDDING_PROVIDER": "none"}
Memory.open(sys.argv[1], environ=environ, actor="person").erase(containing=sys.argv[4])
"""


@pytest.mark.parametrize("step", ["_in_files", "_in_entries", "scrub_when_due"])
def test_after_a_kill_it_is_said_again(house: House, step: str) -> None:
    """And then nothing is left."""
    text = marker(12)
    with house.open() as memory:
        memory.session("cli:1").append("user", text)
        memory.entries.add("deploy", text)
        memory.remember(text)
    command = [sys.executable, "-c", KILLED, str(house.root), str(house.data), step, text]
    assert subprocess.run(command, check=False).returncode == 9
    with house.open() as memory:
        memory.erase(containing=text)
    assert house.holding(text) == []


def test_ids_erase_whatever_protects_them(house: House) -> None:
    """Also by the start of an id; the rest of the store stays."""
    with house.open() as memory:
        other = memory.remember(marker(2))
        for protect in (memory.verify, memory.pin, memory.forget):
            one = memory.remember(marker(1))
            protect(one.id)
            assert memory.erase([one.id[:8]]).memories == 1
            with pytest.raises(NotFound):
                memory.show(one.id)
            assert house.holding(marker(1)) == []
        assert memory.show(other.id).content == marker(2)
        assert memory._project.db.connection.check() == []


def test_a_session_goes_with_what_it_alone_taught(house: House) -> None:
    """Its log, its turns and its memories; what others taught, too, stays."""
    with house.open() as memory:
        memory.session("cli:7").append("user", marker(3))
        memory.session("cli:8").append("user", marker(4))
        own = memory.remember(marker(5), session_id="cli:7")
        memory.remember(marker(6), session_id="cli:7")
        shared = memory.remember(marker(6), session_id="cli:9")
        memory.search("quokka03")
        memory.erase(session="cli:7")
        assert [info.id for info in memory.sessions()] == ["cli:8"]
        with pytest.raises(NotFound):
            memory.show(own.id)
        assert memory.show(shared.id)
        assert memory.search("quokka04", kinds=["turn"])
        with pytest.raises(NotFound):
            memory.erase(session="cli:7")
    assert house.holding(marker(3)) == house.holding(marker(5)) == []


def test_what_retells_a_session_goes_with_it(house: House) -> None:
    """Its lines of the daily notes and its archive; those of another conversation stay."""
    with house.open() as memory:
        for name, number in (("cli:7", 3), ("cli:77", 4)):
            session = memory.session(name)
            for turn in range(12):
                session.append("user", f"{marker(number)} question {turn}")
                session.append("assistant", f"answer {turn} about {marker(number)}")
            session.compact()
        assert marker(3) in memory.journal.today()
        assert len(memory.entries.list("archive")) == 2
        memory.erase(session="cli:7")
        assert marker(3) not in memory.journal.today()
        assert marker(4) in memory.journal.today()
        assert [one.name for one in memory.entries.list("archive")] == ["cli-77-1"]
    assert house.holding(marker(3)) == []


def test_a_log_that_lost_a_text_is_still_a_log(house: House) -> None:
    """Its lines, their order, offsets and keys are the same; the mark stands where the words stood."""
    with house.open() as memory:
        session = memory.session("cli:1")
        for text in ("before", marker(7), "The createdAt column is Ann's idea", "after"):
            session.append("user", text)
        (log,) = house.data.rglob("cli*.jsonl")
        size = log.stat().st_size
        for text in (marker(7), "createdAt"):  # which is also a key of the log's lines
            memory.erase(containing=text)
        assert log.stat().st_size == size
        session = memory.session("cli:1")
        first, second, third, last = (m.content for m in session.messages())
        assert (first, last) == ("before", "after")
        assert second.startswith("[erased ")
        assert "createdAt" not in third
        assert session.metadata["createdAt"]
        assert session.problems() == []
        session.append("user", "and on")
        assert memory.search("and on", kinds=["turn"])


def test_what_was_erased_is_not_learned_again(house: House) -> None:
    """Neither by the id of its maker nor by its words."""
    with house.open() as memory:
        one = memory.remember(marker(8), external_id="observed:x")
        memory.erase([one.id])
        db = memory._project.db
        assert is_forgotten(db, "observed:x")
        assert is_erased(db, marker(8).upper())
        assert not is_erased(db, marker(9))


def test_an_erased_rule_is_not_learned_again_by_a_store_that_lost_its_sources(house: House) -> None:
    """What was read of the rule files may be lost by damage; the digest of the text stays."""
    (house.root / "AGENTS.md").write_text("- Run `just ci` before you push to the server.\n")
    with house.open() as memory:
        memory.init()
        memory.erase(containing="just ci")
        db = memory._project.db
        with db.transaction():
            db.history.unsee("rule", db.history.seen("rule"))
        memory.init()
        assert [one for one in memory.list() if "just ci" in one.content] == []


def test_a_session_of_an_agent_goes_and_its_quotes_stay_away(house: House, tmp_path: Path) -> None:
    """It has no conversation's log; its captured file goes, and what it said is not learned from it again."""
    said = "The staging database is read only for us."
    with house.open() as memory:
        Talk("one", 5, str(house.root)).user(said).reply("Done.").save(tmp_path / "talks")
        Talk("two", 6, str(house.root)).user(said).reply("Done.").save(tmp_path / "talks")
        memory.learn(tmp_path / "talks")
        captured = memory.home / erasing.CAPTURED / live.file_name("claude-code", "one")
        captured.parent.mkdir(exist_ok=True)
        captured.write_text(said)
        memory.erase(session="one")
        assert not captured.exists()
        memory.learn(tmp_path / "talks", again=True)
        assert [hit.session_id for hit in memory.quotes()] == ["claude-code:two"]


def test_an_erased_quote_stays_away_when_its_session_goes_on(house: House, tmp_path: Path) -> None:
    """The sentence that held the erased text is not learned again; other sentences are."""
    talk = Talk("one", 5, str(house.root)).user("Always wait with Process.sleep in the tests.").reply("Done.")
    with house.open() as memory:
        memory.learn(talk.save(tmp_path / "talks"))
        memory.erase(containing="Process.sleep")
        talk.user("The staging database is read only for us.").reply("Done.")
        memory.learn(talk.save(tmp_path / "talks"))
        assert [hit.text for hit in memory.quotes()] == ["The staging database is read only for us."]


def test_a_project_and_everything(house: House) -> None:
    """The home goes, and with everything the whole data folder."""
    memory = house.open()
    memory.remember(marker(1))
    memory.session("cli:1").append("user", marker(2))
    home = memory.home
    memory.erase(project=True)
    assert not home.exists()
    plant_again = house.open()
    plant_again.remember(marker(1))
    plant_again.erase(everything=True)
    assert not house.data.exists()


def test_what_others_say_stays(house: House) -> None:
    """A memory that says more than one that is erased keeps its text, its history, and what it names."""
    with house.open() as memory:
        one = memory.remember("Use pnpm for web builds", type="decision")
        more = memory.remember("Use pnpm for web builds, never npm, says Ann", type="gotcha")
        memory.edit(more.id, tags=["web"], related_files=["gotcha/web builds.md"])
        before = memory.show(more.id)
        memory.erase([one.id])
        assert memory.show(more.id) == before
        assert memory._project.db.revisions.replayed(more.id)["content"] == before.content
        memory.erase(containing="Says Ann".lower())
        with pytest.raises(NotFound):
            memory.show(more.id)


def test_what_says_nothing_is_refused(house: House) -> None:
    """Nothing, too little, a plain word, and two at once."""
    said: list[dict[str, Any]] = [{"containing": text} for text in ("x", "   ", "content")]
    with house.open() as memory:
        memory.remember(marker(1))
        for given in ({}, *said, {"memory_ids": ["abcd"], "project": True}):
            with pytest.raises(InvalidInput):
                memory.erase(**given)
        assert len(memory.list()) == 1
