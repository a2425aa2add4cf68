"""Exports, and reading them back: exactly, once, and without harm from a hostile file."""

from __future__ import annotations

import io
import json
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from remora.app.importing import export_reader
from remora.app.memory import Memory
from remora.core.errors import Conflict, InvalidInput
from remora.core.values import MemoryDraft, Relation, Taint
from tests.helpers import SECRET, holds

Open = Callable[[str], Memory]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """A function that opens the memory of a project on a machine, each with a data folder of its own."""

    def open_on(machine: str) -> Memory:
        root = tmp_path / machine / "shop"
        root.mkdir(parents=True, exist_ok=True)
        environ = {"REMORA_HOME": str(tmp_path / machine / "data"), "REMORA_EMBEDDING_PROVIDER": "none"}
        return Memory.open(root, environ=environ, actor="person")

    return open_on


def fill(memory: Memory) -> None:
    """Store something of every kind."""
    one = memory.remember(
        "Access tokens expire after 24 h", type="decision", tags=["auth"], source="user_taught"
    )
    memory.edit(one.id, content="Access tokens expire after 12 h")
    memory.pin(one.id)
    gone = memory.remember("Use Redis for sessions", related_files=["src/a.py"], payload={"why": "speed"})
    beside = Relation("required_with", target_file_path="b.py")
    memory.supersede(gone.id, "Use Valkey for sessions", relations=(beside,))
    memory.remember("The relay is slow at noon", type="gotcha", taint=Taint("web", 3), derived_from=[one.id])
    memory.forget(memory.remember("The proxy is off", type="gotcha").id)
    memory.remember("I like short commits", user=True, source="user_taught", type="preference")
    memory.wrong(one.id, "narrow", files=["src/auth.py"])
    memory.entries.add("deploy", "Run `make ship`", aliases=["release"])
    memory.session("cli:1").append("user", "Where are “tokens” set? 数据")
    memory.journal.write("- Tokens are set in auth.py\n")
    memory.journal.add_history("[2026-03-01] tokens changed")


def listed(memory: Memory) -> list[dict[str, Any]]:
    """Return every memory as it is listed, but for what belongs to the machine."""
    own = ("project_id", "embedding_model_id", "receipt")
    found = memory.list(include_forgotten=True, order="created")
    return [{n: v for n, v in record._asdict().items() if n not in own} for record in found]


def test_another_machine_has_the_same(opened: Open, tmp_path: Path) -> None:
    """Every field of every memory, its history, notes, conversations, journal; a repeat changes nothing."""
    with opened("one") as memory:
        fill(memory)
        before = listed(memory)
        changes = {m["id"]: memory.history(m["id"]) for m in before}
        done = memory.export(tmp_path / "all.json")
        assert done.memories == 4
    with opened("two") as memory:
        dry = memory.import_file(tmp_path / "all.json", dry_run=True)
        assert (dry.new, memory.list()) == (len(before), [])
        first = memory.import_file(tmp_path / "all.json")
        assert (first.new, first.entries, first.sessions, first.bad) == (len(before), 1, 1, ())
        assert listed(memory) == before
        assert {i: memory.history(i) for i in changes} == changes
        assert memory.entries.show("release").content == "Run `make ship`"
        assert memory.session("cli:1").messages()[0].content == "Where are “tokens” set? 数据"
        assert memory.journal.show().strip() == "- Tokens are set in auth.py"
        assert memory.search("redis sessions valkey")
        assert memory.search("tokens set", kinds=["turn"])
        again = memory.import_file(tmp_path / "all.json")
        assert (again.new, again.known, again.left) == (0, len(before), ())
        assert listed(memory) == before
        assert memory._project.db.connection.check() == []


def test_what_is_here_with_another_text_stays(opened: Open, tmp_path: Path) -> None:
    """And is named."""
    with opened("one") as memory:
        one = memory.remember("Access tokens expire after 24 h")
        memory.remember("The relay needs a token")
        memory.entries.add("deploy", "Run `make ship`")
        memory.export(tmp_path / "all.json")
        memory.edit(one.id, content="Access tokens expire after 12 h")
        memory.entries.write("deploy", "Run `make release`")
        done = memory.import_file(tmp_path / "all.json")
        assert len(done.left) == 2
        assert memory.show(one.id).content.endswith("12 h")
        assert memory.entries.show("deploy").content == "Run `make release`"


def test_no_secret_of_a_file_is_stored(opened: Open, tmp_path: Path) -> None:
    """It may come from anywhere: memories, their history, conversations, notes and journal lose theirs."""
    with opened("one") as memory:
        memory.remember("The relay needs a token")
        memory.session("chat").append("user", "The relay needs a token")
        memory.entries.add("deploy", "The relay needs a token")
        memory.journal.write("The relay needs a token\n")
        memory.export(tmp_path / "all.json")
    text = (tmp_path / "all.json").read_text()
    (tmp_path / "all.json").write_text(text.replace("needs a token", f"needs {SECRET}"))
    with opened("two") as memory:
        done = memory.import_file(tmp_path / "all.json")
        assert (done.new, done.entries, done.sessions, done.files, done.bad) == (1, 1, 1, 1, ())
        found = memory.list()[0]
        assert found.content == "The relay needs [REDACTED:github-token]"
        assert memory.history(found.id)
        assert [one.content for one in memory.session("chat").messages()] == [found.content]
    assert holds(memory.home, SECRET) == []


def test_a_text_that_no_file_can_hold_is_refused_alone(opened: Open, tmp_path: Path) -> None:
    """What cannot be encoded is named; the rest is stored."""
    with opened("one") as memory:
        memory.remember("The relay needs a token")
        memory.journal.write("Lone sign\n")
        memory.export(tmp_path / "all.json")
    text = (tmp_path / "all.json").read_text()
    (tmp_path / "all.json").write_text(text.replace("Lone sign", "Lone \\ud800"))
    with opened("two") as memory:
        done = memory.import_file(tmp_path / "all.json")
        assert (done.new, done.files, len(done.bad)) == (1, 0, 1)


BAD: list[dict[str, Any]] = [
    {"id": "m-1"},
    {"id": "m-2", "content": ""},
    {"id": "m-3", "content": "It is so", "type": "no such type"},
    {"id": "m-4", "content": "It is so", "type": "gotcha", "confidence": 7},
    {"id": 5, "content": "It is so", "type": "gotcha"},
    {"id": "m-6", "content": ["It"], "type": "gotcha"},
    {"id": "m-7", "content": "It is so", "type": "gotcha", "origins": [{"no": 1}]},
    {"id": "m-8", "content": "It is so", "type": "gotcha", "tags": {"a": 1}},
]


def test_a_bad_row_takes_no_other_with_it(opened: Open, tmp_path: Path) -> None:
    """It is named with the reason; what is sound is stored."""
    with opened("one") as memory:
        memory.remember("Access tokens expire after 24 h")
        memory.export(tmp_path / "all.json")
    document = json.loads((tmp_path / "all.json").read_text())
    sound = document["memories"][0]
    document["memories"] = [*({**sound, **bad} if "content" in bad else bad for bad in BAD), sound]
    document["sessions"] = [{"file": name, "log": "{}"} for name in ("../x.jsonl", "a/b.jsonl")] + [{"no": 1}]
    names = ("../../x.md", "/etc/x.md", "a/b/c.md", ".hidden.md", "x.sh")
    document["journal"] = dict.fromkeys(names, "x")
    document["entries"] = [{"name": "", "content": "x"}, {"content": 5}]
    (tmp_path / "bad.json").write_text(json.dumps(document))
    with opened("two") as memory:
        done = memory.import_file(tmp_path / "bad.json")
        assert done.new == 1
        assert len(done.bad) == len(BAD) + 3 + 5 + 2
        assert [m.content for m in memory.list(include_forgotten=True)] == ["Access tokens expire after 24 h"]
        assert memory._project.db.connection.check() == []
    assert not list(tmp_path.rglob("x.md")) + list(tmp_path.rglob("x.jsonl"))


def test_markdown_is_read_back_with_its_edits(opened: Open, tmp_path: Path) -> None:
    """A line that was added is a new memory; what is known stays as it is."""
    with opened("one") as memory:
        fill(memory)
        memory.export(tmp_path / "all.md", "markdown")
        live = {m.content for m in memory.list()}
        text = (tmp_path / "all.md").read_text()
        assert all(content in text for content in live)
        (tmp_path / "all.md").write_text(text + "\n## gotcha\n\n- The cache is cold after a deploy\n")
        done = memory.import_file(tmp_path / "all.md")
        assert (done.new, done.known) == (1, len(live))
    with opened("two") as memory:
        assert memory.import_file(tmp_path / "all.md").new == len(live) + 1
        assert {m.content for m in memory.list()} == live | {"The cache is cold after a deploy"}
        assert memory.import_file(tmp_path / "all.md").new == 0


def test_claude_md_has_the_rules_alone(opened: Open, tmp_path: Path) -> None:
    """Neither what comes from outside nor what waits, and 200 lines at most."""
    with opened("one") as memory:
        fill(memory)
        rules = [MemoryDraft(f"Rule {n} about the relay number {n}", type="decision") for n in range(210)]
        memory.remember_many(rules)
        memory.remember("The mirror waits for a look", type="gotcha", needs_review=True)
        memory.export(tmp_path / "CLAUDE.md", "claude-md")
    lines = (tmp_path / "CLAUDE.md").read_text().splitlines()
    assert len(lines) <= 202
    assert "- Access tokens expire after 12 h" in lines
    assert "- I like short commits" in lines
    assert not any("slow at noon" in line or "mirror" in line for line in lines)
    assert "did not fit" in lines[-1]


def test_an_archive_opens_with_plain_sqlite_and_is_read_back(opened: Open, tmp_path: Path) -> None:
    """A person's own memories and the notes come back, too, each where it was."""
    with opened("one") as memory:
        fill(memory)
        memory.export(tmp_path / "all.tar", "archive")
        before = listed(memory)
        texts = {m.content for m in memory.list(user=False, include_forgotten=True)}
    with tarfile.open(tmp_path / "all.tar") as tar:
        tar.extract("memory.db", tmp_path / "plain", filter="data")
    with closing(sqlite3.connect(tmp_path / "plain" / "memory.db")) as plain:
        assert {text for (text,) in plain.execute("SELECT content FROM memories")} == texts
    with opened("two") as memory:
        done = memory.import_file(tmp_path / "all.tar")
        assert (done.new, done.entries, done.sessions, done.bad) == (len(before), 1, 1, ())
        assert listed(memory) == before


def test_an_archive_of_ones_own_memories_stays_ones_own(opened: Open, tmp_path: Path) -> None:
    """They come into the person's memory, not into the project's."""
    with opened("one") as memory:
        fill(memory)
        memory.export(tmp_path / "mine.tar", "archive", scope="user")
    with opened("two") as memory:
        memory.import_file(tmp_path / "mine.tar")
        assert [m.content for m in memory.list(user=True)] == ["I like short commits"]
        assert memory.list(user=False) == []


def test_a_backup_is_no_export(opened: Open, tmp_path: Path) -> None:
    """The error says how to use it; other files are refused, too."""
    with opened("one") as memory:
        memory.remember("Access tokens expire after 24 h")
        memory.backup(tmp_path / "copy.tar")
        with pytest.raises(InvalidInput, match=r"no archive of `remora export`") as refused:
            memory.import_file(tmp_path / "copy.tar")
        assert "empty home" in refused.value.hint
        for text in ("", "{", "[]", '{"format": "x"}', '{"format": "remora-export", "version": 99}', "no"):
            (tmp_path / "file").write_text(text)
            with pytest.raises(InvalidInput):
                memory.import_file(tmp_path / "file")


def archive(path: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
    """Write an archive of some members."""
    with tarfile.open(path, "w") as tar:
        for info, data in members:
            info.size = info.size or len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", size: int = 0) -> tarfile.TarInfo:
    """Return a member of an archive."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, target, size
    return info


@pytest.mark.parametrize(
    "info",
    [
        member("../evil.md"),
        member("/etc/evil.md"),
        member("memory/../../evil.md"),
        member("memory/evil.md", tarfile.SYMTYPE, "/etc/passwd"),
        member("memory/evil.md", tarfile.LNKTYPE, "memory.db"),
        member("memory/evil", tarfile.FIFOTYPE),
        member("export.json", tarfile.SYMTYPE, "/etc/passwd"),
        member("export.json", tarfile.FIFOTYPE),
    ],
)
def test_a_hostile_archive_is_refused(opened: Open, tmp_path: Path, info: tarfile.TarInfo) -> None:
    """Names that lead out, links and devices; nothing is stored."""
    path = archive(tmp_path / "evil.tar", [(info, b"" if info.type != tarfile.REGTYPE else b"x")])
    with opened("one") as memory:
        with pytest.raises(InvalidInput):
            memory.import_file(path)
        assert memory.list() == []
    assert not list(tmp_path.rglob("evil.md"))


def test_an_archive_that_unpacks_to_too_much_is_refused(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what its JSON says of its size, before it is read."""
    with tarfile.open(tmp_path / "bomb.tar.gz", "w:gz") as bomb:
        bomb.addfile(member("export.json", size=200_000), io.BytesIO(bytes(200_000)))
    monkeypatch.setattr(export_reader, "MOST_BYTES", 100_000)
    with opened("one") as memory, pytest.raises(InvalidInput, match="unpacks to more"):
        memory.import_file(tmp_path / "bomb.tar.gz")


def test_an_export_never_overwrites(opened: Open, tmp_path: Path) -> None:
    """A file that is there stays; an unknown format or scope is refused."""
    (tmp_path / "file").write_text("mine")
    with opened("one") as memory:
        memory.remember("Access tokens expire after 24 h")
        for form in ("json", "markdown", "claude-md", "archive"):
            with pytest.raises(Conflict):
                memory.export(tmp_path / "file", form)
        for given in ({"format": "xml"}, {"scope": "world"}):
            with pytest.raises(InvalidInput):
                memory.export(tmp_path / "new", **given)
    assert (tmp_path / "file").read_text() == "mine"
