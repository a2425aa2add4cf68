"""Whatever happens to the files, a reader gives a find that adds up, and changes nothing."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from remora.sources.others.formats import detect, read
from tests.helpers import files
from tests.sources.others import (
    test_auto_claude,
    test_basic_memory,
    test_claude_code,
    test_crabtalk,
    test_golemcore,
    test_mcp_memory,
    test_neoclaw,
)
from tests.sources.others.looks import check, lines, write
from tests.sources.others.test_crabtalk import body, entry
from tests.sources.others.test_forge import memory
from tests.sources.others.test_golem_items import item
from tests.sources.others.test_golem_protobuf import WHOLE

ROUNDS = 25


FILES: dict[str, dict[str, str | bytes]] = {
    "neoclaw": {
        "memory/MEMORY.md": "x\n",
        "memory/HISTORY.md": test_neoclaw.OLDER + test_neoclaw.ENTRY,
        "sessions/a.jsonl": lines([test_neoclaw.META, *test_neoclaw.SAID]),
    },
    "golemcore": {
        "sessions/a.pb": WHOLE,
        "sessions/b.json": json.dumps(test_golemcore.SESSION),
        "memory/2026-02-07.md": test_golemcore.DAY,
        "memory/items/semantic.jsonl": lines([item(), item(id="i2", ttlDays=3, scope="task:1")]),
    },
    "crabtalk": {
        "notes/a.md": test_crabtalk.NOTE,
        "mem": body(entry(1, "a", "b", ("c",)), entry(2, "d", "e", kind=1)),
    },
    "forge": {**memory("a", "x"), **memory("b", "y", version=2, supersedes="mem_a"), **memory("c", "z")},
    "auto-claude": {},
    "claude-code": {"MEMORY.md": test_claude_code.INDEX, "feedback_testing.md": test_claude_code.TOPIC},
    "basic-memory": {"a/b.md": test_basic_memory.NOTE},
    "mcp-memory": {"memory.jsonl": lines([test_mcp_memory.ANN, test_mcp_memory.SHOP, test_mcp_memory.WORKS])},
}


def _make(system: str, root: Path) -> None:
    """Write what a system leaves."""
    write(root, FILES[system])
    if system == "auto-claude":
        root.mkdir()
        test_auto_claude.make(root / "memory.db", *(test_auto_claude.row(id=f"m{n}") for n in range(30)))


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
@pytest.mark.parametrize("system", FILES)
def test_no_damage_raises(tmp_path: Path, system: str) -> None:
    """Cut, changed and emptied files are read or named; the counts add up; the folder stays as it is."""
    chance = random.Random(system)
    root = tmp_path / "there"
    _make(system, root)
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


@pytest.mark.parametrize("system", FILES)
def test_reading_again_elsewhere_gives_the_same(tmp_path: Path, system: str) -> None:
    """External ids depend on neither the time of reading nor the place."""
    _make(system, tmp_path / "there")
    first = check(read(tmp_path / "there", system))
    shutil.move(tmp_path / "there", tmp_path / "elsewhere")
    assert read(tmp_path / "elsewhere", system) == first
