"""The files of the memory tool: nothing leads out, nothing is lost, and a search finds what is in them."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from remora import Memory
from remora.app.records import tool_files
from remora.app.records.tool_files import MAX_BYTES, ToolFiles
from remora.core.clock import FixedClock
from remora.core.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    RemoraError,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from remora.disk.files import lock
from tests.app.talks import at_once
from tests.helpers import SECRET, FakeEmbedder, environment, holds, no_file_above, texts


@pytest.fixture
def files(bare: Memory) -> ToolFiles:
    """The tool's files of a project."""
    return ToolFiles(bare._project)


@pytest.fixture
def root(bare: Memory) -> Path:
    """Where they lie."""
    return bare.home / "memory" / "tool"


def refusal(call: Callable[[], object]) -> str:
    """Return what the model is told."""
    with pytest.raises(RemoraError) as error:
        call()
    return str(error.value)


def test_a_session(files: ToolFiles, root: Path) -> None:
    """What a model does in a session: each answer as the tool gives it, each change on the disk."""
    assert files.view("/memories").endswith("excluding hidden items:\n0B\t/memories")
    assert files.create("/memories/notes/db.md", "one\ntwo\nthree\n") == (
        "File created successfully at: /memories/notes/db.md"
    )
    assert files.view("/memories/notes/db.md") == (
        "Here's the content of /memories/notes/db.md with line numbers:\n"
        "     1\tone\n     2\ttwo\n     3\tthree\n     4\t"
    )
    assert files.view("/memories/notes/db.md", [2, 3]).endswith("numbers:\n     2\ttwo\n     3\tthree")
    assert files.str_replace("/memories/notes/db.md", "two", "2\n2b").endswith(
        "(with line numbers):\n     1\tone\n     2\t2\n     3\t2b\n     4\tthree"
    )
    assert files.insert("/memories/notes/db.md", 0, "zero\n\n") == (
        "The file /memories/notes/db.md has been edited."
    )
    assert (root / "notes" / "db.md").read_text() == "zero\none\n2\n2b\nthree\n"
    files.create("/memories/.draft", "")
    files.create("/memories/a/b/c/d.md", "x" * 1536)
    assert [line.split("\t")[1] for line in files.view("/memories").splitlines()[1:]] == [
        "/memories",
        "/memories/a/",
        "/memories/a/b/",
        "/memories/notes/",
        "/memories/notes/db.md",
    ]
    assert files.view("/memories/a/b").endswith("1.5K\t/memories/a/b/c/d.md")
    assert files.rename("/memories/notes", "/memories/old/notes") == (
        "Successfully renamed /memories/notes to /memories/old/notes"
    )
    assert files.delete("/memories/old") == "Successfully deleted /memories/old"
    assert files.clear() == "All memory cleared"
    assert [p.name for p in root.iterdir()] == []


@pytest.mark.parametrize(
    "path",
    [
        "/memories/../../memory.db",
        "/memories/a/../../../x",
        "/memories..",
        "/memories/../memories-too/x",
        "/memories/%2e%2e/%2E%2e/x",
        "/memories/%252e%252e/x",
        "/memories/a%2f..%2f..%2fx",
        "/memories/..%5cx",
        "/memories/a\0b",
        "/memories/out/x",
        "/memories/out",
        "/memories/alias/../../x",
    ],
)
def test_no_path_leads_out(files: ToolFiles, root: Path, tmp_path: Path, path: str) -> None:
    """No command reads, makes, changes or removes anything outside, however the path is written."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_text("theirs")
    files.create("/memories/a/inside.md", "ours")
    (root / "out").symlink_to(outside)
    (root / "alias").symlink_to(root / "a")
    calls: list[Callable[[], object]] = [
        lambda: files.view(path),
        lambda: files.create(path, "evil"),
        lambda: files.str_replace(path, "theirs", "evil"),
        lambda: files.insert(path, 0, "evil"),
        lambda: files.delete(path),
        lambda: files.rename(path, "/memories/stolen"),
        lambda: files.rename("/memories/a/inside.md", path),
    ]
    for call in calls:
        assert refusal(call) == f"Path {path} would escape /memories directory"
    assert (outside / "x").read_text() == "theirs"
    assert holds(tmp_path, "evil") == []
    assert "/memories/out" not in files.view("/memories")


def test_links_inside_are_followed(files: ToolFiles, root: Path) -> None:
    """A link to a file of the folder stands for that file; a dangling one and a circle for nothing."""
    files.create("/memories/a.md", "one")
    (root / "b.md").symlink_to(root / "a.md")
    (root / "loop").symlink_to(root / "loop")
    (root / "gone").symlink_to(root / "nothing")
    assert files.view("/memories/b.md").endswith("\tone")
    files.str_replace("/memories/b.md", "one", "two")
    assert (root / "a.md").read_text() == "two"
    assert (root / "b.md").is_symlink()
    assert "does not exist" in refusal(lambda: files.view("/memories/gone"))
    refusal(lambda: files.view("/memories/loop"))
    assert [line.split("\t")[1] for line in files.view("/memories").splitlines()[2:]] == [
        "/memories/a.md",
        "/memories/b.md",
    ]


def test_odd_paths_are_refused(files: ToolFiles) -> None:
    """What is no path below /memories is told so; no text betrays where the files lie."""
    assert refusal(lambda: files.view("/etc/passwd")) == "Path must start with /memories, got: /etc/passwd"
    assert refusal(lambda: files.view(7)) == "a path must be text, not int"  # type: ignore[arg-type]
    assert "not valid Unicode" in refusal(lambda: files.create("/memories/\ud800", ""))
    assert "longer than" in refusal(lambda: files.create("/memories/" + "a/" * 600, ""))
    told = refusal(lambda: files.create("/memories/" + "n" * 300, ""))
    assert told.endswith("cannot be used: File name too long")
    files.create("/memories/file", "")
    told = refusal(lambda: files.create("/memories/file/below", ""))
    assert told.startswith("/memories/file/below cannot be used")
    assert "into itself" in refusal(lambda: files.rename("/memories/file", "/memories/file/below"))
    files.create("/memories/d/x", "")
    assert "into itself" in refusal(lambda: files.rename("/memories/d", "/memories/d/e"))


def test_limits(files: ToolFiles, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file has a largest size, a folder a most of files; what is over it is refused, nothing is cut."""
    files.create("/memories/big", "x" * MAX_BYTES)
    assert "more than" in refusal(lambda: files.create("/memories/bigger", "é" * (MAX_BYTES // 2 + 1)))
    assert "more than" in refusal(lambda: files.insert("/memories/big", 0, "y"))
    assert (root / "big").stat().st_size == MAX_BYTES
    with (root / "theirs").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "larger than" in refusal(lambda: files.view("/memories/theirs"))
    (root / "bytes").write_bytes(b"\xff\xfe one")
    assert "�" in files.view("/memories/bytes")
    assert "not UTF-8" in refusal(lambda: files.str_replace("/memories/bytes", "one", "two"))
    monkeypatch.setattr(tool_files, "MAX_FILES", 3)
    assert "there are already 3 files" in refusal(lambda: files.create("/memories/fourth", ""))


def test_a_text_that_occurs_often_is_listed_in_short(files: ToolFiles) -> None:
    """A text that is everywhere costs no more than a text that is there a thousand times."""
    files.create("/memories/a", "a\n" * 200_000)
    told = refusal(lambda: files.str_replace("/memories/a", "", "x"))
    assert "in lines: 1, 1, 2, 2, 3, " in told
    assert ", …. Please" in told
    assert len(told) < 10_000
    files.create("/memories/b", "a\naaaa")
    told = refusal(lambda: files.str_replace("/memories/b", "aa", "x"))
    assert "in lines: 2, 2, 2. Please" in told


def test_secrets_are_taken_out(files: ToolFiles, bare: Memory, tmp_path: Path) -> None:
    """No secret that a model writes reaches the disk, in a text or in a name."""
    files.create("/memories/keys.md", f"the key is {SECRET}\nend\n")
    files.insert("/memories/keys.md", 1, f"again {SECRET}")
    files.str_replace("/memories/keys.md", "end", f"and {SECRET}")
    assert files.view("/memories/keys.md").count("REDACTED") == 3
    assert "secret" in refusal(lambda: files.create(f"/memories/{SECRET}.md", ""))
    assert "secret" in refusal(lambda: files.rename("/memories/keys.md", f"/memories/{SECRET}"))
    bare.search("key")
    assert holds(tmp_path, SECRET) == []


def test_what_was_written_is_found(able: Memory, embedder: FakeEmbedder) -> None:
    """A search finds the files as notes, in their newest text and under their newest name, by meaning too."""
    files = ToolFiles(able._project)
    files.create("/memories/db/cache.md", "# Cache\n\nThe cache is keyed by tenant.\n")
    (hit,) = able.search("cache tenant", kinds=["note"])
    assert hit.text == "# Cache\n\nThe cache is keyed by tenant."
    assert hit.path == str(able.home / "memory" / "tool" / "db" / "cache.md")
    assert (hit.start_line, hit.end_line) == (1, 3)
    assert any("tenant" in text for text in embedder.documents)
    files.str_replace("/memories/db/cache.md", "tenant", "region")
    assert texts(able.search("cache region", kinds=["note"])) == ["# Cache\n\nThe cache is keyed by region."]
    files.rename("/memories/db", "/memories/kept")
    (hit,) = able.search("cache region", kinds=["note"])
    assert hit.path is not None
    assert hit.path.endswith("tool/kept/cache.md")
    files.delete("/memories/kept")
    assert able.search("cache region", kinds=["note"]) == []


def test_only_what_can_be_read_is_indexed(files: ToolFiles, bare: Memory, root: Path, tmp_path: Path) -> None:
    """Hidden files, links, bytes and giants stay out of the index and take nothing else with them."""
    files.create("/memories/good.md", "The gateway is up.")
    (root / ".hidden").write_text("gateway hidden")
    (root / "bytes").write_bytes(b"gateway \0 bytes")
    (root / "giant").write_text("gateway " * (MAX_BYTES // 8 + 1))
    (tmp_path / "elsewhere").write_text("gateway elsewhere")
    (root / "link").symlink_to(tmp_path / "elsewhere")
    (root / "odd\udcff").write_text("gateway odd")
    assert texts(bare.search("gateway", k=50)) == ["The gateway is up."]


def test_two_sessions_at_once(bare: Memory, files: ToolFiles) -> None:
    """Edits of two sessions that run at the same time are all there, and a file is made once."""
    other = ToolFiles(bare._project)
    files.create("/memories/log.md", "start\n")
    made: list[str] = []

    def work(tool: ToolFiles, name: str) -> None:
        for n in range(20):
            tool.insert("/memories/log.md", 1, f"{name}{n}")
            with suppress(Conflict):
                made.append(tool.create(f"/memories/once{n}", name))

    at_once(lambda: work(files, "a"), lambda: work(other, "b"))
    lines = files.view("/memories/log.md").splitlines()[1:]
    assert sorted(line.split("\t")[1] for line in lines if line[7:]) == sorted(
        ["start", *(f"{name}{n}" for name in "ab" for n in range(20))]
    )
    assert len(made) == 20


def test_a_failing_disk_is_told_and_costs_nothing(
    files: ToolFiles, bare: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, no permission or a writer that hangs: the old file stays, and the model is told why."""
    files.create("/memories/a.md", "old")
    with no_file_above(100), pytest.raises(StoreFull, match=r"^/memories/a.md cannot be written: the disk"):
        files.insert("/memories/a.md", 0, "x" * 5_000)
    assert (root / "a.md").read_text() == "old"
    monkeypatch.setattr(tool_files, "PATIENCE", 0.05)
    with lock(bare.home / "memory" / ".tool"), pytest.raises(StoreBusy, match=r"^/memories/a.md is being"):
        files.delete("/memories/a.md")
    if os.geteuid():
        root.chmod(0o500)
        with pytest.raises(StoreReadOnly, match=r"^/memories/b.md cannot be changed"):
            files.create("/memories/b.md", "")
        root.chmod(0o700)
    assert [path.name for path in root.iterdir()] == ["a.md"]


def test_reading_only(bare: Memory, folder: Path, tmp_path: Path, clock: FixedClock) -> None:
    """A memory that is open for reading shows the files and changes none."""
    with Memory.open(folder, environ=environment(tmp_path), clock=clock, read_only=True) as reader:
        files = ToolFiles(reader._project)
        assert files.view("/memories").endswith("0B\t/memories")
        assert not (bare.home / "memory").exists()
        ToolFiles(bare._project).create("/memories/a", "text")
        assert files.view("/memories/a").endswith("\ttext")
        with pytest.raises(StoreReadOnly):
            files.delete("/memories/a")


def test_the_kinds_of_refusal(files: ToolFiles) -> None:
    """A program that uses the files itself can tell what is missing from what is in the way."""
    files.create("/memories/a", "a a")
    with pytest.raises(Conflict):
        files.create("/memories/a", "")
    with pytest.raises(NotFound):
        files.delete("/memories/b")
    with pytest.raises(InvalidInput):
        files.delete("/memories")
    assert issubclass(StoreBusy, StoreError)
