"""Exports, and reading them back: exactly, once, and without harm from a hostile file."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora.app.importing import export_reader
from remora.app.memory import Memory
from remora.core.errors import Conflict, InvalidInput
from remora.core.values import MemoryDraft, Relation, Taint
from tests.helpers import SECRET, environment, holds
from tests.store.makers import sql

Open = Callable[[str], Memory]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """A function that opens the memory of a project on a machine, each with a data folder of its own."""

    def open_on(machine: str) -> Memory:
        root = tmp_path / machine / "shop"
        root.mkdir(parents=True, exist_ok=True)
        return Memory.open(root, environ=environment(tmp_path / machine), actor="person")

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
    path = tmp_path / "all.json"
    with opened("one") as memory:
        fill(memory)
        before = listed(memory)
        changes = {m["id"]: memory.history(m["id"]) for m in before}
        assert memory.export(path).memories == 4
    with opened("two") as memory:
        dry = memory.import_file(path, dry_run=True)
        assert (dry.new, memory.list()) == (len(before), [])
        first = memory.import_file(path)
        assert (first.new, first.entries, first.sessions, first.bad) == (len(before), 1, 1, ())
        assert listed(memory) == before
        assert {i: memory.history(i) for i in changes} == changes
        assert memory.entries.show("release").content == "Run `make ship`"
        assert memory.session("cli:1").messages()[0].content == "Where are “tokens” set? 数据"
        assert memory.journal.show().strip() == "- Tokens are set in auth.py"
        assert memory.search("redis sessions valkey")
        assert memory.search("tokens set", kinds=["turn"])
        again = memory.import_file(path)
        assert (again.new, again.known, again.left, listed(memory)) == (0, len(before), (), before)
        assert memory._project.db.connection.check() == []


def test_what_is_here_with_another_text_stays(opened: Open, tmp_path: Path) -> None:
    """And is named; an export overwrites no file, and an unknown format or scope is refused."""
    path = tmp_path / "all.json"
    with opened("one") as memory:
        one = memory.remember("Access tokens expire after 24 h")
        memory.remember("The relay needs a token")
        memory.entries.add("deploy", "Run `make ship`")
        memory.export(path)
        memory.edit(one.id, content="Access tokens expire after 12 h")
        memory.entries.write("deploy", "Run `make release`")
        assert len(memory.import_file(path).left) == 2
        assert memory.show(one.id).content.endswith("12 h")
        assert memory.entries.show("deploy").content == "Run `make release`"
        path.write_text("mine")
        for form in ("json", "markdown", "claude-md", "archive"):
            with pytest.raises(Conflict):
                memory.export(path, form)
        for given in ({"format": "xml"}, {"scope": "world"}):
            with pytest.raises(InvalidInput):
                memory.export(tmp_path / "new", **given)
    assert path.read_text() == "mine"


def test_no_secret_of_a_file_is_stored(opened: Open, tmp_path: Path) -> None:
    """It may come from anywhere: memories, their history, conversations, notes and journal lose theirs."""
    path, said = tmp_path / "all.json", "The relay needs a token"
    with opened("one") as memory:
        memory.remember(said)
        memory.session("chat").append("user", said)
        memory.entries.add("deploy", said)
        memory.journal.write(f"{said}\n")
        memory.export(path)
    path.write_text(path.read_text().replace("needs a token", f"needs {SECRET}"))
    with opened("two") as memory:
        done = memory.import_file(path)
        assert (done.new, done.entries, done.sessions, done.files, done.bad) == (1, 1, 1, 1, ())
        found = memory.list()[0]
        assert found.content == "The relay needs [REDACTED:github-token]"
        assert memory.history(found.id)
        assert [one.content for one in memory.session("chat").messages()] == [found.content]
    assert holds(memory.home, SECRET) == []


SOUND = {"content": "It is so", "type": "gotcha"}
BAD: dict[str, list[dict[str, Any]]] = {
    "memories": [
        {"id": "m-1"},
        {"id": "m-2", "content": ""},
        SOUND | {"id": "m-3", "type": "no such type"},
        SOUND | {"id": "m-4", "confidence": 7},
        SOUND | {"id": 5},
        SOUND | {"id": "m-6", "content": ["It"]},
        SOUND | {"id": "m-7", "origins": [{"no": 1}]},
        SOUND | {"id": "m-8", "tags": {"a": 1}},
    ],
    "sessions": [{"file": "../x.jsonl", "log": "{}"}, {"file": "a/b.jsonl", "log": "{}"}, {"no": 1}],
    "entries": [{"name": "", "content": "x"}, {"content": 5}],
}
BAD_FILES = dict.fromkeys(("../../x.md", "/etc/x.md", "a/b/c.md", ".hidden.md", "x.sh"), "x")
UNENCODABLE = {"MEMORY.md": "Lone \ud800"}


def test_a_bad_row_takes_no_other_with_it(opened: Open, tmp_path: Path) -> None:
    """It is named with the reason; what is sound is stored."""
    path = tmp_path / "all.json"
    with opened("one") as memory:
        memory.remember("Access tokens expire after 24 h")
        memory.export(path)
    document = json.loads(path.read_text())
    (sound,) = document["memories"]
    rows = [{**sound, **bad} if "content" in bad else bad for bad in BAD["memories"]]
    path.write_text(
        json.dumps({**document, **BAD, "memories": [*rows, sound], "journal": BAD_FILES | UNENCODABLE})
    )
    with opened("two") as memory:
        done = memory.import_file(path)
        assert (done.new, done.files, len(done.bad)) == (1, 0, 8 + 3 + 2 + 5 + 1)
        assert [m.content for m in memory.list(include_forgotten=True)] == ["Access tokens expire after 24 h"]
        assert memory._project.db.connection.check() == []
    assert not list(tmp_path.rglob("x.md")) + list(tmp_path.rglob("x.jsonl"))


def test_markdown_is_read_back_with_its_edits(opened: Open, tmp_path: Path) -> None:
    """A line that was added is a new memory; what is known stays as it is."""
    path, added = tmp_path / "all.md", "The cache is cold after a deploy"
    with opened("one") as memory:
        fill(memory)
        memory.export(path, "markdown")
        live = {m.content for m in memory.list()}
        text = path.read_text()
        assert all(content in text for content in live)
        path.write_text(f"{text}\n## gotcha\n\n- {added}\n")
        done = memory.import_file(path)
        assert (done.new, done.known) == (1, len(live))
    with opened("two") as memory:
        assert memory.import_file(path).new == len(live) + 1
        assert {m.content for m in memory.list()} == live | {added}
        assert memory.import_file(path).new == 0


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
    assert {"- Access tokens expire after 12 h", "- I like short commits"} <= set(lines)
    assert not any("slow at noon" in line or "mirror" in line for line in lines)
    assert "did not fit" in lines[-1]


def test_an_archive_opens_with_plain_sqlite_and_is_read_back(opened: Open, tmp_path: Path) -> None:
    """A person's own memories and the notes come back, too, each where it was."""
    with opened("one") as memory:
        fill(memory)
        memory.export(tmp_path / "all.tar", "archive")
        memory.export(tmp_path / "mine.tar", "archive", scope="user")
        before = listed(memory)
        texts = {m.content for m in memory.list(user=False, include_forgotten=True)}
    with tarfile.open(tmp_path / "all.tar") as tar:
        tar.extract("memory.db", tmp_path / "plain", filter="data")
    plain = sql(tmp_path / "plain" / "memory.db", "SELECT content FROM memories")
    assert {text for (text,) in plain} == texts
    with opened("two") as memory:
        done = memory.import_file(tmp_path / "all.tar")
        assert (done.new, done.entries, done.sessions, done.bad) == (len(before), 1, 1, ())
        assert listed(memory) == before
    with opened("three") as memory:
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


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", size: int = 0) -> tarfile.TarInfo:
    """Return a member of an archive."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, target, size
    return info


@pytest.mark.parametrize(
    "info",
    [
        member("../evil.md", size=1),
        member("/etc/evil.md", size=1),
        member("memory/../../evil.md", size=1),
        member("memory/evil.md", tarfile.SYMTYPE, "/etc/passwd"),
        member("memory/evil.md", tarfile.LNKTYPE, "memory.db"),
        member("memory/evil", tarfile.FIFOTYPE),
        member("export.json", tarfile.SYMTYPE, "/etc/passwd"),
        member("export.json", tarfile.FIFOTYPE),
        member("export.json", size=200_000),
    ],
)
def test_a_hostile_archive_is_refused(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, info: tarfile.TarInfo
) -> None:
    """Names that lead out, links, devices and what says that it unpacks to too much; nothing is stored."""
    monkeypatch.setattr(export_reader, "MOST_BYTES", 100_000)
    with tarfile.open(tmp_path / "evil.tar.gz", "w:gz") as tar:
        tar.addfile(info, io.BytesIO(bytes(info.size)))
    with opened("one") as memory:
        with pytest.raises(InvalidInput, match="unpacks to more" if info.size > 1 else "."):
            memory.import_file(tmp_path / "evil.tar.gz")
        assert memory.list() == []
    assert not list(tmp_path.rglob("evil.md"))
