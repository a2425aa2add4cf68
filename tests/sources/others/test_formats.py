"""What a path holds is told by what is in it, and each system's reader is found by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.core.errors import InvalidInput, NotFound
from remora.sources.others.formats import SYSTEMS, detect, read
from tests.sources.others.looks import Files, check, lines, write
from tests.sources.others.test_crabtalk import FIXTURE
from tests.sources.others.test_forge import memory
from tests.sources.others.test_golem_items import SEMANTIC, item
from tests.sources.others.test_mcp_memory import ANN


def test_all_systems_have_a_reader(tmp_path: Path) -> None:
    """Every name can be read, also from an empty folder; other names and missing paths are errors."""
    for system in SYSTEMS:
        assert check(read(tmp_path, system)).system == system
    assert detect(tmp_path) == []
    with pytest.raises(NotFound):
        detect(tmp_path / "none")
    with pytest.raises(NotFound):
        read(tmp_path / "none", "forge")
    with pytest.raises(InvalidInput) as raised:
        read(tmp_path, "cydonia")
    assert "crabtalk" in raised.value.hint


def test_a_folder_may_hold_several(tmp_path: Path) -> None:
    """All that are in it are named, in one order; a time of reading lets GolemCore's memories expire."""
    files: Files = {SEMANTIC: lines([item(ttlDays=1)]), "memory.jsonl": lines([ANN]), "store.bin": FIXTURE}
    write(tmp_path, files | memory("a", "Use tabs."))
    assert detect(tmp_path) == ["golemcore", "crabtalk", "forge", "mcp-memory"]
    assert len(read(tmp_path, "golemcore").drafts) == 1
    assert read(tmp_path, "golemcore", now=4e9).drafts == ()


def test_a_lone_memory_file_may_be_several_systems(tmp_path: Path) -> None:
    """Its text says nothing about who wrote it; below `.claude` it is Claude Code's."""
    write(tmp_path / "a", {"memory/MEMORY.md": "Some facts.\n"})
    assert detect(tmp_path / "a") == ["neoclaw", "golemcore", "claude-code"]
    project = write(tmp_path / ".claude" / "projects" / "p", {"memory/MEMORY.md": "Some facts.\n"})
    assert detect(project) == ["claude-code"]


@pytest.mark.parametrize(
    ("name", "body", "system"),
    [
        ("workspace/memory/HISTORY.md", "## 2026-01-01T00:00:00.000Z\nx\n", "neoclaw"),
        ("memory/2026-01-01.md", "[10:00] User: a | Assistant: b\n", "golemcore"),
        ("memory/2026-01-01.md", "Dear diary\n", None),
        ("sessions/a.json", '{"id": "a", "messages": []}', "golemcore"),
        ("sessions/a.json", '{"messages": []}', None),
        ("sessions/a.jsonl", '{"_type": "metadata", "version": 1, "key": "Remora\'s own"}\n', None),
        ("notes/a.md", '<div id="meta">\n</div>\nx', "crabtalk"),
        ("notes/a.md", "<div>\nx", None),
        ("any.db", "CRMEM", None),
        ("any.db", "SQLite format 3\0", None),
        ("a.md", "---\nid: 5\n---\nx", None),
        ("session.jsonl", '{"_type": "metadata", "key": "a"}\n', None),
    ],
)
def test_content_decides_not_names(tmp_path: Path, name: str, body: str, system: str | None) -> None:
    """A file with the right name and other content is nobody's."""
    assert detect(write(tmp_path, {name: body})) == ([system] if system else [])
