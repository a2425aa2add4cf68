"""What people and agents write into files is found by a search; the files are the source."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from remora import Memory
from remora.app.records.note_index import MOST_READ, follow_written
from remora.core.clock import FixedClock
from remora.core.text import words
from remora.core.values import Hit
from tests.app.talks import held
from tests.helpers import SECRET, FakeEmbedder, environment, files, holds, texts

TOKENS = "## Tokens\n\nThe gateway signs tokens with ES256.\n\nThe vault has the key."
LONGTERM = f"# Project\n\nIt is a shop.\n\n{TOKENS}\n"
Row = tuple[object, ...]


def pieces(memory: Memory) -> list[Row]:
    """Return what is indexed of the written files, without the numbers of the rows."""
    sql = "SELECT path, kind, name, start_line, end_line, time, content FROM notes"
    return sorted(memory._project.db.connection.rows(sql), key=repr)


def by_hand(path: Path, text: str | bytes) -> None:
    """Write a file as an editor does; a second has passed since the last time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.stat().st_mtime_ns if path.exists() else 1_700_000_000_000_000_000
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, ns=(before, before + 1_000_000_000))


def found(memory: Memory, query: str, kind: str) -> list[Hit]:
    """Return the hits of a kind that have a word of the query."""
    hits = memory.search(query, k=50, kinds=[kind])
    return [h for h in hits if set(words(query)) & set(words(h.text))]


@pytest.fixture
def written(bare: Memory, clock: FixedClock) -> Memory:
    """A memory with something of each kind about a gateway."""
    bare.journal.write(LONGTERM)
    bare.journal.add_history("They put the gateway behind the proxy.")
    bare.journal.note("Is the gateway up?", "The gateway is up since noon.")
    bare.entries.add("runbook", "Restart the gateway at night.", aliases=["night"])
    bare.entries.add("cli-1", "They spoke of the gateway for an hour.", kind="archive")
    return bare


def test_each_kind_is_found(written: Memory) -> None:
    """Long-term memory, history, daily notes, notes and archives, each as what it is, with its place."""
    folder = written.home / "memory"
    day = written.journal.days()[0]
    hits = {hit.source: hit for hit in written.search("gateway", k=20)}
    assert {kind: (hit.text, hit.path) for kind, hit in hits.items()} == {
        "longterm": (TOKENS, str(folder / "MEMORY.md")),
        "history": ("They put the gateway behind the proxy.", str(folder / "HISTORY-2026-03.md")),
        "daily": (written.journal.day(day), str(folder / f"{day}.md")),
        "note": ("Restart the gateway at night.", str(folder / "entries.mem")),
        "archive": ("They spoke of the gateway for an hour.", str(folder / "entries.mem")),
    }
    for kind, hit in hits.items():
        assert [h.id for h in written.search("gateway", k=20, kinds=[kind])] == [hit.id]
    assert hits["history"].time == "2026-03-01T12:00:00.000Z"
    assert written.entries.show("night").content == hits["note"].text


def test_lines_are_those_of_the_file(bare: Memory) -> None:
    """A hit in a file can be opened: its lines hold its text, also in long and odd files."""
    long = "\n\n".join(f"Paragraph {n} of the gateway: " + "it goes on and on. " * 12 for n in range(30))
    odd = "The gateway.\r\n\r\n\r\n## B\r\n```\ngateway\n\n# no heading\n```"
    for name, text in (
        ("MEMORY.md", f"\ufeff# A\r\n\r\n{odd}\n{long}\n"),
        ("HISTORY.md", f"By hand, of the gateway.\n\n## 2026-01-01\nThe gateway.\n\n## 2026-01-02\n{long}\n"),
        (
            "2026-01-05.md",
            "\n\n[10:00] User: gateway? | Assistant: yes\nThe gateway.\n\nOf the gateway, apart.\n",
        ),
    ):
        by_hand(bare.home / "memory" / name, text)
    hits = bare.search("gateway", k=200, kinds=["longterm", "history", "daily"])
    assert {hit.source for hit in hits} == {"longterm", "history", "daily"}
    assert len(hits) > 20
    for hit in hits:
        path = Path(hit.path or "")
        assert path.is_absolute()
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
        start, end = hit.start_line or 0, hit.end_line or 0
        assert 1 <= start <= end <= len(lines)
        assert hit.id == f"{path.name}:{start}-{end}"
        here = [line.rstrip() for line in lines[start - 1 : end]]
        shown = [line.rstrip() for line in hit.text.split("\n")]
        assert shown == here[-len(shown) :] or shown == here[: len(shown)]


def test_edits_by_hand(written: Memory) -> None:
    """What a person changes, adds or takes away shows in the next search."""
    folder = written.home / "memory"
    assert len(found(written, "vault", "longterm")) == 1
    by_hand(folder / "MEMORY.md", LONGTERM.replace("vault", "cellar"))
    assert found(written, "vault", "longterm") == []
    assert len(found(written, "cellar", "longterm")) == 1
    by_hand(folder / "2026-02-02.md", "Bought a parrot.\n")
    assert texts(found(written, "parrot", "daily")) == ["Bought a parrot."]
    with (folder / "HISTORY.md").open("a", encoding="utf-8") as file:
        file.write("\n## 2026-02-03\nThe parrot speaks.\n")
    assert texts(found(written, "parrot", "history")) == ["The parrot speaks."]
    (folder / "2026-02-02.md").unlink()
    assert found(written, "parrot", "daily") == []
    written.entries.remove("runbook")
    assert found(written, "gateway", "note") == []
    written.journal.write("- The gateway is gone.")
    assert texts(found(written, "gateway", "longterm")) == ["- The gateway is gone."]


def test_only_what_can_be_read_is_indexed(written: Memory, tmp_path: Path) -> None:
    """Versions, hidden files, links, bytes and giants stay out of the index, alone."""
    folder = written.home / "memory"
    for name in ("README.md", "2026-13-01.md", "notes.txt", "versions/MEMORY-2026.md", "memory.md"):
        by_hand(folder / name, "A parrot.")
    written.journal.write("No bird.")
    root = folder / "tool"
    by_hand(root / "good.md", "The parrot is up.")
    by_hand(root / ".hidden", "parrot hidden")
    by_hand(root / "bytes", b"parrot \0 bytes")
    by_hand(root / "giant", "parrot " * (MOST_READ // 7 + 1))
    by_hand(root / "odd\udcff", "parrot odd")
    by_hand(tmp_path / "elsewhere", "parrot elsewhere")
    (root / "link").symlink_to(tmp_path / "elsewhere")
    assert texts(written.search("parrot", k=50)) == ["The parrot is up."]


def test_everything_was_deleted_meanwhile(tmp_path: Path, folder: Path) -> None:
    """Files that went while nobody looked leave the index, also the last ones; a reader writes nothing."""
    environ = environment(tmp_path)
    with Memory.open(folder, environ=environ) as memory:
        memory.journal.write(LONGTERM)
        memory.session("cli:1").append("user", "Which gateway?")
        assert {h.source for h in memory.search("gateway")} == {"longterm", "turn"}
        by_hand(memory.home / "memory" / "2026-02-02.md", "The gateway is new.\n")
    before = files(tmp_path)
    with Memory.open(folder, environ=environ, read_only=True) as memory:
        assert {h.source for h in memory.search("gateway")} == {"longterm", "turn"}
        assert memory.context("restart the gateway").hits != ()
        memory.journal.block("gateway")
    assert files(tmp_path) == before
    with Memory.open(folder, environ=environ) as memory:
        assert {h.source for h in memory.search("gateway")} == {"longterm", "daily", "turn"}
    for path in [*memory.home.glob("memory/*.md"), *memory.home.glob("sessions/*.jsonl")]:
        path.unlink()
    with Memory.open(folder, environ=environ) as memory:
        assert memory.search("gateway") == []
        assert (pieces(memory), memory.stats().turns) == ([], 0)


def test_secrets_stay_in_the_file(bare: Memory, tmp_path: Path) -> None:
    """A secret that somebody typed is neither in the index nor in an answer; the rest is found."""
    folder = bare.home / "memory"
    by_hand(folder / "MEMORY.md", f"# Key {SECRET}\n\nThe gateway uses {SECRET} for now.\n")
    by_hand(folder / "HISTORY.md", f"\n## 2026-01-01\nThe gateway got {SECRET} then.\n")
    by_hand(folder / "2026-01-05.md", f"[10:00] User: gateway? | Assistant: {SECRET} it is\n")
    bare._project.entries().add("old", f"The gateway had {SECRET} before.")
    hits = bare.search("gateway", k=20)
    assert {hit.source for hit in hits} == {"longterm", "history", "daily", "note"}
    assert all("[REDACTED:github-token]" in hit.text for hit in hits)
    assert SECRET not in repr(hits)
    assert bare.search(SECRET, kinds=["longterm", "history", "daily", "note"]) == []
    bare.close()
    left = {Path(name).name for name in holds(tmp_path, SECRET)}
    assert left == {"MEMORY.md", "HISTORY.md", "2026-01-05.md", "entries.mem"}


def test_archives_answer_explicit_searches(written: Memory) -> None:
    """They are found by who searches, and never put into a prompt unasked."""
    packed = written.context("restart the gateway")
    assert {h.source for h in packed.hits} >= {"note", "history"}
    assert "archive" not in {h.source for h in packed.hits}
    assert "spoke of the gateway" not in packed.text
    assert "spoke of the gateway" not in written.journal.block("restart the gateway")


def test_reindex(able: Memory, embedder: FakeEmbedder) -> None:
    """Everything is made again from the files, with vectors."""
    able.journal.write(LONGTERM)
    able.entries.add("runbook", "Restart the gateway at night.")
    able.search("gateway")
    before = pieces(able)
    db = able._project.db
    with db.connection.transaction():
        db.connection.execute("UPDATE notes SET content = 'nonsense'")
        db.connection.execute("DELETE FROM notes WHERE kind = 'note'")
    embedder.documents.clear()
    assert able.reindex() == 2 * len(before)
    assert pieces(able) == before
    assert any("Restart the gateway at night." in text for text in embedder.documents)
    assert db.vectors.pending_count() == 0


def test_a_vector_stays_with_its_text(able: Memory, embedder: FakeEmbedder) -> None:
    """An edit asks the model for what is new only; notes are found by meaning, too."""
    able.journal.write(LONGTERM)
    able.entries.add("runbook", "Restart it at night.")
    assert [h.source for h in able.search("restart night", kinds=["note"])] == ["note"]
    embedder.documents.clear()
    able.journal.write("# New\n\nA first line.\n\n" + LONGTERM.replace("vault", "cellar"))
    able.search("cellar")
    said = [text.split("\n\n", 1)[-1] for text in embedder.documents]
    assert len(said) == 2
    assert sum("cellar" in text for text in said) == 1
    assert sum("A first line." in text for text in said) == 1


def test_the_memory_tools_files_are_notes(able: Memory, embedder: FakeEmbedder) -> None:
    """A search finds them in their newest text and under their newest name, by meaning too."""
    root = able.home / "memory" / "tool"
    by_hand(root / "db" / "cache.md", "# Cache\n\nThe cache is keyed by tenant.\n")
    (hit,) = able.search("cache tenant", kinds=["note"])
    assert (hit.text, hit.path) == ("# Cache\n\nThe cache is keyed by tenant.", str(root / "db" / "cache.md"))
    assert (hit.start_line, hit.end_line) == (1, 3)
    assert any("tenant" in text for text in embedder.documents)
    by_hand(root / "db" / "cache.md", "# Cache\n\nThe cache is keyed by region.\n")
    (root / "db").rename(root / "kept")
    (hit,) = able.search("cache region", kinds=["note"])
    assert hit.text == "# Cache\n\nThe cache is keyed by region."
    assert hit.path == str(root / "kept" / "cache.md")
    (root / "kept" / "cache.md").unlink()
    assert able.search("cache region", kinds=["note"]) == []


def test_a_damaged_entry_store(written: Memory) -> None:
    """What it held before is still found, and everything else; mended, it is read again."""
    store = written.home / "memory" / "entries.mem"
    whole = store.read_bytes()
    assert len(found(written, "gateway", "note")) == 1
    by_hand(store, b"nothing of the kind" * 20)
    written.journal.add_history("The gateway is slow.")
    assert "The gateway is slow." in texts(found(written, "gateway", "history"))
    assert len(found(written, "gateway", "note")) == 1
    by_hand(store, whole)
    written.entries.write("runbook", "Restart the gateway at noon.")
    assert texts(found(written, "gateway", "note")) == ["Restart the gateway at noon."]


@pytest.mark.skipif(
    not Path("/proc/self/mem").exists(), reason="needs a file that is there and cannot be read"
)
@pytest.mark.parametrize("name", ["MEMORY.md", "HISTORY.md", "HISTORY-2026-03.md", "entries.mem"])
def test_a_file_that_cannot_be_read(written: Memory, name: str) -> None:
    """It takes no other with it, and is found again when it can be read."""
    path = written.home / "memory" / name
    by_hand(written.home / "memory" / "2026-02-02.md", "The gateway is old.\n")
    written.search("gateway")
    before = pieces(written)
    aside = path.rename(path.with_suffix(".aside"))
    path.symlink_to("/proc/self/mem")
    written.journal.note("How is the gateway?", "The gateway is new.")
    assert any(h.text.endswith("The gateway is new.") for h in found(written, "gateway", "daily"))
    assert len({h.source for h in written.search("gateway", k=20)}) >= 4
    path.unlink()
    aside.rename(path)
    written.search("gateway")
    after = pieces(written)
    assert [row for row in after if "The gateway is new." not in str(row)] == before
    assert len(after) == len(before) + 1


def test_the_database_is_written_where_there_is_news_and_nobody_holds_it(written: Memory) -> None:
    """Else a search writes nothing, or its answer is older, and the next one is whole."""
    written.session("cli:1").append("user", "Which gateway?")
    written.search("gateway")
    before = written._project.db.connection.version()
    written.search("gateway")
    written.search("vault")
    assert written._project.db.connection.version() == before
    with held(written):
        written.journal.add_history("The parrot is back.")
        assert follow_written(written._project, wait=0.05) == 0
    assert texts(found(written, "parrot", "history")) == ["The parrot is back."]


def _events(memory: Memory, clock: FixedClock, rng: random.Random) -> list[Callable[[], object]]:
    """Return what may happen to the files, by us and by hand."""
    folder = memory.home / "memory"
    lines = [[b"A line by hand."], [b"## 2026-03-02", b"Odd."], [], [b""]]
    ends = [b"more", b"\n## 2026-03-03\nBy hand.\n", b"\r\nx\r\n", b"\n"]
    copies = ["HISTORY.md", "HISTORY-2026-03.md", "HISTORY-2026-04.md"]

    def on(act: Callable[[Path], None], pattern: str = "*.md") -> None:
        for path in rng.sample(sorted(folder.glob(pattern)), 1) if list(folder.glob(pattern)) else []:
            act(path)

    def edit(path: Path) -> None:
        found = path.read_bytes().split(b"\n")
        at = rng.randrange(len(found))
        found[at : at + rng.randint(0, 2)] = rng.choice(lines)
        by_hand(path, b"\n".join(found))

    def history() -> None:
        event = f"Event {rng.randrange(10_000)}.\n\nMore."
        memory.journal.add_history(rng.choice(["Again.", event, "Long. " * 400]))

    return [
        *[history] * 4,
        lambda: clock.advance(days=rng.choice([0, 1, 20])),
        lambda: memory.journal.note("How?", f"So {rng.randrange(10_000)}."),
        lambda: memory.journal.write(f"- fact {rng.randrange(10_000)}\n\n{LONGTERM}"),
        lambda: memory.entries.add(f"note {rng.randrange(10**9)}", "Something."),
        lambda: on(edit),
        lambda: on(lambda path: by_hand(path, path.read_bytes() + rng.choice(ends))),
        lambda: on(Path.unlink),
        lambda: on(lambda path: by_hand(folder / rng.choice(copies), path.read_bytes()), "HISTORY*.md"),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_events_ends_in_the_same_index(bare: Memory, clock: FixedClock, seed: int) -> None:
    """Whatever was written, edited, copied and deleted: the index is as if it had been made at once."""
    rng = random.Random(seed)
    (bare.home / "memory").mkdir()
    events = _events(bare, clock, rng)
    for _ in range(25):
        for _ in range(rng.randint(1, 3)):
            rng.choice(events)()
        follow_written(bare._project)
        step_by_step = pieces(bare)
        db = bare._project.db
        with db.connection.transaction():
            for path in db.notes.files():
                db.notes.forget(path)
            bare._project.written.seen = {}
            follow_written(bare._project)
        assert Counter(step_by_step) == Counter(pieces(bare))
