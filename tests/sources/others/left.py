"""What each system leaves on a disk, for the tests that read all of them."""

from __future__ import annotations

from pathlib import Path

from tests.sources.others import test_auto_claude, test_claude_code, test_golemcore, test_neoclaw
from tests.sources.others.looks import Files, lines, write
from tests.sources.others.test_basic_memory import NOTE
from tests.sources.others.test_crabtalk import TREE, body, entry
from tests.sources.others.test_forge import memory, related
from tests.sources.others.test_golem_items import SEMANTIC, item
from tests.sources.others.test_mcp_memory import ANN, SHOP, WORKS

LEFT: dict[str, Files] = {
    "neoclaw": test_neoclaw.WORKSPACE,
    "golemcore": {
        **test_golemcore.WORKSPACE,
        SEMANTIC: lines([item(), item(id="i2", fingerprint="f2", ttlDays=30, content="Ship it.")]),
    },
    "crabtalk": {
        "memory.crmem": body(
            entry(1, "deploy", "Roll out in steps.", "release"),
            entry(2, "crab-1", "They planned the release.", kind=1),
        ),
        "brain/notes/plan.md": TREE["notes/deploy.md"],
    },
    "forge": {
        **memory("a", "Use tabs in Makefiles.\n"),
        **memory("b", "Use spaces in Python.\n", related=related(a="refines")),
        **memory("c", "Use tabs in Makefiles and in Go.\n", version=2, supersedes="mem_a"),
    },
    "auto-claude": {},
    "claude-code": {**test_claude_code.NOTES},
    "basic-memory": {"specs/auth.md": NOTE},
    "mcp-memory": {"memory.jsonl": lines([ANN, SHOP, WORKS])},
}
AUTO_CLAUDE = [
    test_auto_claude.row(),
    test_auto_claude.row(
        id="m2",
        content="The clock of the gateway is an hour behind.",
        relations='[{"targetMemoryId": "m1", "relationType": "derived_from", "confidence": 0.9}]',
    ),
    *(test_auto_claude.row(id=f"old{number}", deprecated=1) for number in range(30)),
]


def leave(system: str, folder: Path) -> Path:
    """Write what a system leaves into a folder, and return it."""
    if system == "auto-claude":
        test_auto_claude.make(folder / "memory.db", *AUTO_CLAUDE)
    return write(folder, LEFT[system])
