"""The state of a project, in plain sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remora.app.health.findings import Finding, Report
from remora.app.health.stats import Stats, VectorCount
from remora.app.memory import Memory
from remora.core.reports import InitReport
from remora.core.values import HISTORY, FileHit, Redaction, Skipped
from remora.interfaces import project_pages
from remora.interfaces.draw import plain

INIT = InitReport(
    project_id="p",
    home="/data/shop",
    root="/src/shop",
    rule_files=("AGENTS.md", "CLAUDE.md"),
    rules_found=12,
    stored=11,
    merged=2,
    unchanged=0,
    retired=0,
    commits_read=1200,
    commits_new=1200,
    edges=340,
    files_known=88,
    candidates=1,
    redactions=(Redaction("password", 1),),
    skipped=(Skipped("notes.bin", "it is not text"),),
    seconds=1.26,
)


def test_first_init() -> None:
    """The report says what was found, stored, merged, taken out and skipped, and what to try next."""
    text = plain(project_pages.initialised(INIT, hottest=("README.md", "src/app.py")))
    assert text.splitlines()[:8] == [
        "Memory of /src/shop",
        "  Read 2 rule files: AGENTS.md, CLAUDE.md. 12 rules found.",
        "  Read 1,200 commits of git history. 88 files known, 340 pairs that change together.",
        ("  10 memories stored, 1 record of fixes and reverts kept, 2 merged with duplicates."),
        "  1 secret removed before storing: 1 password.",
        "  Skipped:",
        "    notes.bin: it is not text",
        "  Done in 1.3 s. Stored in /data/shop",
    ]
    assert "  remora related src/app.py" in text
    assert "  remora search" in text


NOTHING: dict[str, Any] = {"stored": 0, "merged": 0, "candidates": 0, "redactions": (), "skipped": ()}
AGAIN = NOTHING | {"unchanged": 13, "commits_new": 0}
BARE = NOTHING | {"rule_files": (), "rules_found": 0, "commits_read": 0, "commits_new": 0}
MANY = tuple(Skipped(f"{n}.bin", "it is not text") for n in range(20))


@pytest.mark.parametrize(
    ("fields", "said", "unsaid"),
    [
        (AGAIN, "Nothing new in the git history (1,200 commits).", ""),
        (AGAIN, "  13 already known.\n", ""),
        ({"commits_new": 3}, "Read 3 new commits, 1,200 in total.", ""),
        ({"retired": 2}, "2 retired because their source is gone", ""),
        (BARE, "No rule files (AGENTS.md, CLAUDE.md, .cursorrules and similar).", ""),
        (BARE, "No git history.", ""),
        (BARE, "Nothing was stored.", ""),
        (BARE, 'remora remember "…"', "remora search"),
        (BARE | {"skipped": (Skipped(HISTORY, "no git"),)}, "The git history could not be read.", ""),
        ({"rules_found": 0, "rule_files": ()}, '  remora search "what broke in src/app.py"', ""),
        ({"stored": 9, "candidates": 9}, "  9 records of fixes and reverts kept", ""),
        ({"stored": 1, "candidates": 1, "merged": 0}, "remora list --records", "remora list  "),
        ({"skipped": MANY}, "  Skipped:\n    20: it is not text (0.bin, 1.bin and 18 more)\n", ""),
    ],
)
def test_init_says_what_is_so(fields: dict[str, Any], said: str, unsaid: str) -> None:
    """What is new and what there is none of is told; only commands are offered that will find something."""
    text = plain(project_pages.initialised(INIT._replace(**fields), hottest=("src/app.py",)))
    assert said in text
    assert not unsaid or unsaid not in text


@pytest.fixture
def empty(project: Path) -> Stats:
    """The counts of a project without memories; its id, home and size are always the same."""
    with Memory.open(project) as memory:
        return memory.stats()._replace(project_id="p", home="/data/shop", database_bytes=262_144)


def test_counts(empty: Stats) -> None:
    """Types are listed most frequent first; what there is none of is left out, but for the memories."""
    text = plain(project_pages.counts(empty))
    assert "memories: 0\n" in text
    assert "vectors" not in text
    assert "commits" not in text
    found = empty._replace(
        memories=6,
        by_type={"decision": 1, "gotcha": 4, "pattern": 1},
        needs_review=2,
        pinned=1,
        forgotten=3,
        user_memories=1,
        sessions=1,
        turns=20,
        written={},
        vectors=(VectorCount("memory", "m", 6, 384),),
        files=10,
        pairs=4,
        hottest=("a.py",),
        commits=7,
        commit="0123456789abcdef",
        log_bytes=1_000_000,
    )
    assert plain(project_pages.counts(found)).splitlines() == [
        "project: shop, id p",
        "home: /data/shop",
        "memories: 6 (2 need review, 1 pinned)",
        "  gotcha: 4",
        "  decision: 1",
        "  pattern: 1",
        "forgotten: 3",
        "your own: 1 memory",
        "turns: 20 in 1 session",
        "files: 10 known, 4 pairs that change together",
        "change most: a.py",
        "commits: 7 read, last 0123456789",
        "vectors: 6 memory: m, 384 dimensions",
        "database: 0.3 MB",
        "session logs: 1.0 MB",
    ]


def test_examination() -> None:
    """Each finding has its level, its advice below it, and the last line sums up."""
    report = Report(
        (
            Finding("ok", "disk", "1 GB free"),
            Finding("warning", "environment", "REMORA_HOEM is not known", "Did you mean REMORA_HOME?"),
        )
    )
    assert plain(project_pages.examination(report)).splitlines() == [
        "ok       disk         1 GB free",
        "warning  environment  REMORA_HOEM is not known",
        "                      → Did you mean REMORA_HOME?",
        "",
        "Problems found: 1 warning.",
    ]
    assert plain(project_pages.examination(Report((Finding("ok", "a", "b"),)))).endswith("\nNo problems.\n")
    assert plain(project_pages.examination(Report((Finding("note", "a", "b"),)))).endswith(
        "\nNo problems: 1 note.\n"
    )


def test_what_is_known_of_a_repository() -> None:
    """A newcomer reads three facts about the very repository, and none where nothing is known."""
    related = [FileHit("b.py", 0.9, ("changed together in 4 of 5 commits",))]
    facts = project_pages.facts_of(["a.py"], related, ["make test", "make lint"])
    assert facts == [
        "a.py changes most.",
        "b.py is related to it: changed together in 4 of 5 commits.",
        "Commands that check it: `make test` and `make lint`.",
    ]
    assert "About this repository\n  a.py changes most." in plain(
        project_pages.initialised(INIT, facts=facts)
    )
    assert project_pages.facts_of([], [], []) == []
