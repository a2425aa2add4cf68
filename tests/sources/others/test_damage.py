"""Whatever happens to the files, a reader gives a find that adds up, and changes nothing."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from remora.sources.others.formats import detect, read
from tests.helpers import files
from tests.sources.others.left import LEFT, leave
from tests.sources.others.looks import check, why, write

ROUNDS = 25
BINARY = bytes(range(256)) * 4
FORGE = "---\nid: m\nscope: repo\ncategory: patterns\nversion: {}\n---\nx"
NO_NUMBER = "front matter with a version that is not a positive number"
NO_DAY = "not a file of GolemCore's memory"
BAD_FILES: list[tuple[str, str, str | bytes | Path | None, str]] = [
    ("neoclaw", "workspace/memory/note.txt", "x", "not a file of neoclaw's memory"),
    ("neoclaw", "sessions/again", Path("../sessions"), "a link"),
    ("neoclaw", "sessions/loop.jsonl", Path("loop.jsonl"), "a link"),
    ("neoclaw", "sessions/pipe.jsonl", None, "not a regular file"),
    ("golemcore", "memory/2026-02-05.md", "\n", "empty"),
    ("golemcore", "memory/2026-02-30.md", "x", NO_DAY),
    ("golemcore", "sessions/c.tmp", "x", "not a session of GolemCore"),
    ("golemcore", "sessions/b.json", b"", "empty"),
    ("golemcore", "sessions/b.json", b"null", "contains no session"),
    ("golemcore", "sessions/b.json", b'{"id": "a", "messages": []}', "contains no messages"),
    ("golemcore", "sessions/b.json", b"[" * 100_000, "not JSON"),
    ("golemcore", "sessions/b.json", b'{"id": "\xff"}', "not UTF-8"),
    ("crabtalk", "brain/notes/bin.md", BINARY, "binary, not text"),
    ("crabtalk", "brain/notes/readme.txt", "x", "not an entry of a dumped memory"),
    ("forge", "notes.txt", "x", "not a memory file"),
    ("forge", "x.md", "Just text.", "no front matter"),
    ("forge", "x.md", "---\nid: mem_a\nno end", "unclosed front matter"),
    ("forge", "x.md", "---\nid: mem_a\n---\nx", "front matter without scope"),
    ("forge", "x.md", "---\nscope: repo\n---\nx", "front matter without id"),
    ("forge", "x.md", FORGE.format("0"), NO_NUMBER),
    ("forge", "x.md", FORGE.format("1").replace("\nx", "\n \n"), "contains no text"),
    ("forge", "x.md", FORGE.format("1").replace(": m", ": mem_c"), "the id mem_c also occurs in mem_c.md"),
    ("forge", "x.md", b"\x00\x01\x02\x03\x04\x05\x00\xff", "binary, not text"),
    ("claude-code", "a.txt", "x", "not a note of Claude Code"),
    ("claude-code", "sub/b.md", "x", "not a note of Claude Code"),
    ("claude-code", "bin.md", BINARY, "binary, not text"),
    ("claude-code", "empty.md", "", "empty"),
    ("claude-code", "huge.md", "x" * (1 << 21), "larger than 1 MB"),
    ("basic-memory", "bin.md", BINARY, "binary, not text"),
    ("basic-memory", "empty.md", "---\ntitle: x\n---\n", "empty"),
    ("basic-memory", "image.png", b"\x89PNG", "not a note"),
    ("basic-memory", "out.md", Path(__file__), "a link"),
]
NAMES = [f"{system}: {name}: {reason}" for system, name, _, reason in BAD_FILES]


@pytest.mark.parametrize(("system", "name", "content", "reason"), BAD_FILES, ids=NAMES)
def test_a_bad_file_costs_only_itself(
    tmp_path: Path, system: str, name: str, content: str | bytes | Path | None, reason: str
) -> None:
    """It is counted and named with the reason, and all else comes over as it does without it."""
    root = leave(system, tmp_path / "there")
    sound = check(read(root, system))
    found = check(read(write(root, {name: content}), system))
    assert why(found) == why(sound) | {name.removeprefix("workspace/"): reason}
    assert found._replace(counts=sound.counts, skipped=sound.skipped) == sound


def _damage(raw: bytes, chance: random.Random) -> bytes:
    """Return bytes with one thing wrong: cut, emptied, a few changed, a part twice, or text as UTF-16."""
    at = chance.randrange(len(raw)) if raw else 0
    match chance.randrange(6):
        case 0:
            return raw[:at]
        case 1:
            return b""
        case 2:
            return raw[:at] + raw[chance.randrange(len(raw) + 1) :]
        case 3:
            return raw.decode("utf-8", "ignore").encode("utf-16")
        case _:
            changed = bytearray(raw)
            for _ in range(chance.randint(1, 8)):
                if changed:
                    changed[chance.randrange(len(changed))] = chance.randrange(256)
            return bytes(changed)


@pytest.mark.slow
@pytest.mark.parametrize("system", LEFT)
def test_no_damage_raises(tmp_path: Path, system: str) -> None:
    """Cut, changed and emptied files are read or named; the counts add up; the folder stays as it is."""
    chance = random.Random(system)
    root = leave(system, tmp_path / "there")
    assert detect(root) == [system]
    assert check(read(root, system)).counts
    sound = {path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    for _ in range(ROUNDS):
        path = chance.choice(list(sound))
        path.write_bytes(_damage(sound[path], chance))
        before = files(root)
        found = check(read(root, system))
        assert read(root, system) == found
        detect(root)
        assert files(root) == before
        path.write_bytes(sound[path])


@pytest.mark.parametrize("system", LEFT)
def test_reading_again_elsewhere_gives_the_same(tmp_path: Path, system: str) -> None:
    """External ids depend on neither the time of reading nor the place."""
    first = check(read(leave(system, tmp_path / "there"), system))
    shutil.move(tmp_path / "there", tmp_path / "elsewhere")
    assert read(tmp_path / "elsewhere", system) == first
