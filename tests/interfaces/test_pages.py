"""What is read: values in words and as JSON, pages of projects, in a pipe and on a terminal."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import pytest

from remora.app.health.costs import CostRow, Costs
from remora.app.health.findings import Finding, Report
from remora.app.health.stats import VectorCount
from remora.app.memory import Memory
from remora.core.errors import EXIT_CODES
from remora.core.reports import InitReport
from remora.core.values import HISTORY, FileHit, Hit, Origin, Reason, Receipt, Redaction, Skipped
from remora.interfaces import draw, present, project_pages
from remora.interfaces.draw import plain
from remora.interfaces.page import Cell, Fields, Item, Page, Para, Table
from tests.interfaces.page_records import NOW, full, record

# Values


def test_values_become_json() -> None:
    """Fields keep their names, sets are lists, numbers that JSON lacks are null, signs are never raw."""
    hit = Hit("1", "memory", "text", 0.5, (Reason("words", 0.1, 1, "note"),), record())
    document = json.loads(present.dumps({"hit": hit, "a": math.inf, "b": math.nan, "c": {3, 1}}))
    assert document["hit"]["why"] == [{"stage": "words", "score": 0.1, "rank": 1, "note": "note"}]
    assert document["hit"]["memory"]["source"] == "user_taught"
    assert (document["a"], document["b"], document["c"]) == (None, None, [1, 3])

    for sign in ("\x1b", "\r", "\x7f", "\x9b", "\xad", "\u202e", "\u2028", "\U000e0041"):
        text = present.dumps({sign: [f"a{sign}b"]})
        assert sign not in text
        assert json.loads(text) == {sign: [f"a{sign}b"]}


def test_errors_in_words_and_codes() -> None:
    """What nobody planned for is one line; each class has the code of the map, and those below it, too."""
    assert present.unexpected(ValueError("a\nb")) == "unexpected error (ValueError: a b)"
    assert present.unexpected(KeyError()) == "unexpected error (KeyError)"
    assert present.unexpected(OSError(28, "No space left on device", "/x")) == "No space left on device: /x"
    for kind, code in EXIT_CODES.items():
        below = type("Below", (kind,), {})
        assert present.exit_code(kind("x")) == present.exit_code(below("x")) == code


def test_ages_places_and_receipts() -> None:
    """An age has its largest unit that tells something, an origin its exact place, a receipt its words."""
    ages = {
        "2026-03-01T13:00:00Z": "just now",  # a clock that went back
        "2026-03-01T11:58:30Z": "1 min ago",
        "2026-02-28T01:00:00Z": "35 h ago",
        "2026-02-27T12:00:00Z": "2 days ago",
        "2026-02-08T12:00:00Z": "3 weeks ago",
        "2025-09-01T12:00:00Z": "5 months ago",
        "2023-03-01T12:00:00Z": "3 years ago",
        "last summer": "last summer",
        None: "",
    }
    assert {iso: present.age(iso, NOW) for iso in ages} == ages
    rules = Origin("user_taught", "x", path="A.md", line=3)
    whence = {
        (rules, Origin("qa_auto", "x")): "A.md:3 +1",
        (rules._replace(line=None),): "A.md",
        (Origin("commit_auto", "x", commit_sha="0123456789abcdef"),): "commit 0123456789",
        (Origin("agent_explicit", "x", session_id="cli:1"),): "agent in cli:1",
        (): "user",
    }
    assert {origins: present.whence(record(origins=origins)) for origins in whence} == whence
    again = "not stored: matches a forgotten decision (same text); restore that if it is true again"
    receipts = {
        None: "stored as decision",
        Receipt("restored", "x", 1.0): "restored a forgotten decision (same text)",
        Receipt("updated"): "updated, decision",
        Receipt("skipped", "x", 1.0): again,
    }
    assert {one: present.receipt_sentence(record(receipt=one)) for one in receipts} == receipts


def test_marks() -> None:
    """Everything a reader should know before trusting a memory is named, long and brief."""
    more: dict[str, Any] = {"pinned": True, "user_verified": True, "review_reason": "rests on 9f"}
    marked = full()._replace(realm="user", stale_at="2026-02-01T00:00:00.000Z", **more)
    told = "yours, in every project; on branch topic; pinned; verified; needs review: rests on 9f; "
    assert "; ".join(present.marks(marked)) == f"{told}tainted by web page; stale since 2026-02-01"
    brief = "yours; on branch topic; pinned; verified; review; tainted; stale"
    assert "; ".join(present.brief_marks(marked)) == brief
    assert present.marks(record(deprecated=True)) == ("forgotten",)
    assert present.marks(record(deprecated=True, superseded_by="9f8e7d6c5b")) == ("superseded by 9f8e7d6c",)


def test_hits_that_are_no_memories() -> None:
    """A turn has an id of the caller and a speaker, a passage neither; one on the named file answers."""
    turn = Hit("7", "turn", "hello", 0.4, external_id="D1:3", session_id="cli:1", role="Ada")
    assert (present.hit_key(turn), present.hit_whence(turn)) == ("D1:3", "Ada in cli:1")
    note = Hit("MEMORY.md:4-5", "longterm", "hello", 0.4, path="memory/MEMORY.md", start_line=4)
    assert (present.hit_key(note), present.hit_whence(note)) == ("MEMORY.md:4-5", "")
    assert present.hit_files(note) == ()
    words = Hit("a", "turn", "what broke", 0.37)
    on_file = Hit("b", "turn", "no length", 0.31, why=(Reason("graph", present.NAMED, None, "in it"),))
    assert present.answered([words, on_file])
    assert not present.answered([words])
    assert not present.answered([on_file._replace(score=0.05)])


# Projects

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
        "  10 memories stored, 1 record of fixes and reverts kept, 2 merged with duplicates.",
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
        ({"skipped": (*MANY, Skipped("7 commits", "no fix"))}, "\n    7 commits: no fix\n", ""),
    ],
)
def test_init_says_what_is_so(fields: dict[str, Any], said: str, unsaid: str) -> None:
    """What is new and what there is none of is told; only commands are offered that will find something."""
    text = plain(project_pages.initialised(INIT._replace(**fields), hottest=("src/app.py",)))
    assert said in text
    assert not unsaid or unsaid not in text


def test_counts(memory: Memory) -> None:
    """Types are listed most frequent first; what there is none of is left out, but for the memories."""
    empty = memory.stats()._replace(project_id="p", home="/data/shop", database_bytes=262_144)
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
    told = Finding("warning", "environment", "REMORA_HOEM is not known", "Did you mean REMORA_HOME?")
    examined = {
        (Finding("ok", "disk", "1 GB free"), told): """\
ok       disk         1 GB free
warning  environment  REMORA_HOEM is not known
                      → Did you mean REMORA_HOME?

Problems found: 1 warning.
""",
        (Finding("ok", "a", "b"),): "ok  a  b\n\nNo problems.\n",
        (Finding("note", "a", "b"),): "note  a  b\n\nNo problems: 1 note.\n",
    }
    assert {one: plain(project_pages.examination(Report(one))) for one in examined} == examined


def test_costs() -> None:
    """A cell for each heading: calls, tokens, seconds, failures, model and money of a purpose."""
    rows = (
        CostRow("synthesis", "m", 4, 1, 1200, 300, 2, 6.4, 0.25),
        CostRow("ask", "n", 1, 0, 10, 2, 0, 1.0),
    )
    asked, today = project_pages.costs(Costs(30, rows, 1500, 0))
    assert isinstance(asked, Table)
    assert {len(row) for row in asked.rows} == {len(asked.head)}
    assert plain([asked, today]).splitlines() == [
        "synthesis  4  ~1,200  ~300  6 s  1  m  [0.25]",
        "ask        1  10      2     1 s  0  n",
        "Today: 1,500 tokens.",
    ]


def test_what_is_known_of_a_repository() -> None:
    """A newcomer reads three facts about the very repository, and none where nothing is known."""
    related = [FileHit("b.py", 0.9, ("changed together in 4 of 5 commits",))]
    facts = project_pages.facts_of("a.py", related, ["make test", "make lint"])
    assert facts == [
        "a.py changes most.",
        "b.py is related to it: changed together in 4 of 5 commits.",
        "Commands that check it: `make test` and `make lint`.",
    ]
    page = plain(project_pages.initialised(INIT, facts=facts))
    assert "About this repository\n  a.py changes most." in page
    assert project_pages.facts_of("", [], []) == []


# Plain lines and terminals

HITS: Page = (
    Item("1a2b3c4d", (Cell("#1"), Cell("0.90", "good")), "Tokens\nexpire", (Cell("a.py", "dim"), Cell(""))),
    Item("5e6f7a8b", (Cell("#2"),), "Caches " * 200),
)
ROWS: Page = (
    Table(
        ("id", "files", "memory", "marks"),
        (
            (Cell("1a2b3c4d", "id"), Cell("a.py, b.py"), Cell("word " * 60), Cell("yours")),
            (Cell("5e6f7a8b", "id"), Cell(""), Cell("short"), Cell("")),
        ),
        wide=2,
        spare=(1,),
    ),
)


def painted(page: Page, width: int, *, colour: bool = False) -> str:
    """Return what a terminal of so many columns would get."""
    stream = io.StringIO()
    draw.paint(page, stream, colour=colour, width=width)
    return stream.getvalue()


def test_items_and_rows_are_one_line_each() -> None:
    """In a pipe no tabs, no head, no empty tail: columns before the widest are aligned, it is shortened."""
    first, second = plain(HITS).splitlines()
    assert first == "1a2b3c4d  #1  0.90  Tokens expire  [a.py]"
    assert second.startswith("5e6f7a8b  #2  Caches Caches")
    assert second.endswith("…")
    assert len(second) < draw.ITEM_CHARS + 20
    first, second = plain(ROWS).splitlines()
    assert first.startswith("1a2b3c4d  a.py, b.py  word word")
    assert first.endswith("word…  [yours]")
    assert second == "5e6f7a8b              short"


def test_blocks_keep_what_matters() -> None:
    """Lines of values and paragraphs, and a text that matters, are whole; an empty column is left out."""
    long = ("word " * 100).strip()
    blocks: dict[Any, str] = {
        Table(("a", "b"), ((Cell("x"), Cell(long)),), whole=True): f"x  {long}\n",
        Table(("id", "tags", "text"), ((Cell("1"), Cell(""), Cell("t")),)): "1  t\n",
        Fields((("files", Cell("a\nb")), ("tags", Cell("c")))): "files: a\n  b\ntags: c\n",
        Fields((("a\x1b[31m\u202eb", Cell("c\rd")),)): "ab: c\n  d\n",
        Para("a\n  b", indent=2): "  a\n    b\n",
        Para(""): "\n",
    }
    assert {block: plain((block,)) for block in blocks} == blocks


def test_nothing_a_terminal_would_obey() -> None:
    """Control characters and markup in a memory are text; escape sequences come only with colour."""
    page: Page = (Item("id", (), "\x1b]0;title\x07 [red]x[/red] :smile:"),)
    assert "\x1b" not in plain(page)
    assert "[red]x[/red] :smile:" in painted(page, 80)
    assert "\x1b" not in painted((*page, *HITS, *ROWS, Fields((("a", Cell("b", "bad")),))), 80)
    assert "\x1b[36m" in painted(HITS, 80, colour=True)


def test_pages_adapt_to_the_terminal() -> None:
    """No line is wider; a spare column goes before the text is a thin strip; blocks are lines apart."""
    page: Page = (*HITS, *ROWS, Fields((("a name", Cell("value " * 50)),)), Para("text " * 50))
    for width in (30, 60, 100, 200):
        assert max(map(len, painted(page, width).splitlines())) <= width
    assert "a.py, b.py" in painted(ROWS, 120)
    assert "a.py, b.py" not in painted(ROWS, 40)
    assert "marks" in painted(ROWS, 40)
    lines = [line.rstrip() for line in painted(HITS, 40).splitlines()]
    assert lines[:4] == ["1a2b3c4d · #1 · 0.90", "  Tokens expire", "  a.py", ""]
