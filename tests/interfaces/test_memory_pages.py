"""Pages about memories: lists, hits and their reasons, one memory, what was said to agents, upkeep."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from remora.app.agent.correction import Corrected
from remora.app.agent.preview import Preview, Silent
from remora.app.agent.status import Session, Status, Why
from remora.app.agent.trial import Proposal, TrialReport
from remora.app.agent.trust import TrustReport
from remora.app.health.maintenance import Maintained
from remora.app.recall.questions import Answer, Passage, Sentence
from remora.core.merge import Revision
from remora.core.trial import Compared, Estimate
from remora.core.triggers import BUT, COMMAND, IF, ONLY, PATTERN, SEARCH, WANTED, WHEN, Trigger
from remora.core.values import FileHit, Hit, Origin, Reason, Receipt, Redaction, Skipped, Taint, Turn
from remora.interfaces import memory_pages as pages
from remora.interfaces.draw import plain
from remora.interfaces.page import Item, Page, Table
from remora.lifecycle.prune import PrunePlan
from remora.store.injections import Injection
from remora.store.trials import Effect
from remora.store.uses import Use
from tests.interfaces.page_records import ID, NOW, OTHER, full, record
from tests.tables import table

GONE: dict[str, Any] = {"deprecated": True, "deprecated_at": "2026-02-19T12:00:00.000Z"}


def shown(page: Page) -> str:
    """Return what a pipe gets of a page, after a line end, as in the texts it is compared with."""
    return "\n" + plain(page)


# Lists, hits and why they were found


def test_hits_and_lists_are_one_line_each() -> None:
    """A line that a script can cut: id, rank, score, type, where from, age, text, files, marks."""
    hit = Hit("x", "memory", "Tokens expire after 24 h", 0.873, memory=full(), disagrees_with=(OTHER,))
    assert plain(pages.hits([hit], NOW)) == (
        "1a2b3c4d  #1   0.87  gotcha             AGENTS.md:4 +1  3 days ago  Tokens expire after 24 h  "
        "[a.py, b.py]  [on branch topic, needs review: rests on 9f8e7d6c, which was forgotten, "
        "tainted by web page, disagrees with 9f8e7d6c]\n"
    )
    assert plain(pages.memory_list([full()], NOW)) == (
        "1a2b3c4d  gotcha  0.97  3 days ago  Tokens expire after 24 h  [a.py, b.py]"
        "  [on branch topic, review, tainted]\n"
    )


def code(number: int) -> Hit:
    """Return a hit in so many lines of code."""
    text = "\n".join(f"line {n}" for n in range(number))
    return Hit("c", "code", text, 0.5, path="a.py", start_line=3, symbol="a.make")


TURN = Hit("7", "turn", "Live?", 0.05, session_id="cli:1", role="Ann", time="2026-02-27T12:00:00Z")


def test_hits_of_conversations_and_code() -> None:
    """A message has those next to it and what restates it; code is shortened as any text is."""
    told = TURN._replace(amended_by=("12", "13"), context=(Turn(1, "cli:1", 1, 1, "Bo", "Yes,\n  a day"),))
    assert shown(pages.hits([told], NOW, around=True)) == dedent("""
        7         #1   0.05  turn               Ann in cli:1  2 days ago  Live?  [restated later: 12, 13]
            Bo: Yes, a day
        """)
    assert shown(pages.hits([told], NOW, why=True)).endswith(
        "\n    time: 2026-02-27 12:00 UTC (2 days ago)\n"
    )
    assert "Bo" not in plain(pages.hits([told], NOW))
    assert plain(pages.hits([code(3)], NOW)).endswith("a.make  line 0 line 1 line 2\n")


def item(hit: Hit) -> Item:
    """Return a hit as the item that it is on a page."""
    (part,) = pages.hits([hit], NOW)
    assert isinstance(part, Item)
    return part


def test_how_strong_a_hit_is_can_be_seen() -> None:
    """A weak hit is dim, a clear one good; marks that warn stand out, and so does a forgotten memory."""
    weak, strong = item(TURN), item(code(1))
    middling = item(TURN._replace(score=0.1))
    assert [one.style for one in (weak, middling, strong)] == ["dim", "", ""]
    assert [one.facts[1].style for one in (weak, middling, strong)] == ["dim", "dim", "good"]
    verified = record(user_verified=True)
    sure = Hit("x", "memory", "t", 0.6, memory=verified)
    marked = (sure, sure._replace(memory=full()), sure._replace(disagrees_with=(OTHER,)))
    assert [item(hit).tail[1].style for hit in marked] == ["dim", "warn", "warn"]
    (listed,) = pages.memory_list([verified, full(), record(**GONE)], NOW)
    assert isinstance(listed, Table)
    styles = [(row[4].style, row[6].style) for row in listed.rows]
    assert styles == [("", "dim"), ("", "warn"), ("dim", "warn")]


def test_why_says_each_reason_once_and_in_plain_words() -> None:
    """Five lines: how it was found, what raised it, what lowered it, who said it when, its confidence."""
    why = (
        Reason("paths", 0.031, 1, "dense #1, fts #2"),
        Reason("evidence", 0.658, 1, "cosine 0.52, words 0.20 (trusted 1.0), graph 0.60"),
        Reason("source", 1.17, None, "user_taught"),
        Reason("review", 0.9, None, "not confirmed yet"),
    )
    page = pages.hits([Hit("x", "memory", "t", 0.6, why, record())], NOW, why=True)
    assert plain(page).splitlines()[1:] == [
        "    found: meaning 0.52, words 0.20, files 0.60",
        "    raised by: source user (× 1.17)",
        "    lowered by: not confirmed yet (× 0.90)",
        "    time: 2026-02-26 12:00 UTC (3 days ago), from user",
        "    confidence: 1.00, does not fade",
    ]
    why = (
        Reason("paths", 0.1, 1, "fts #1"),
        Reason("use", 0.9),
        Reason("confidence", 1.0),
        Reason("pinned", 1.5, None, "pinned"),
    )
    rules = record(origins=(Origin("user_taught", "2026-02-26", path="A.md", line=3),))
    page = pages.explanation(Hit("x", "memory", "t", 0.6, why, rules), NOW)
    assert dedent(shown(page)) == dedent("""
        found: words #1
        raised by: confidence (× 1.00); pinned (× 1.50)
        lowered by: use (× 0.90)
        time: 2026-02-26 12:00 UTC (3 days ago), from A.md:3
        confidence: 1.00, does not fade
        """)
    assert pages.explanation(Hit("x", "turn", "t", 0.6), NOW) == ()


# One memory

BECOMES: list[tuple[dict[str, Any], str]] = [
    ({}, "confidence: 1.00, does not fade"),
    ({}, "used: not yet"),
    ({}, "vector of: none yet; found by words only"),
    ({"pinned": True, "decay_half_life_days": 60.0}, "confidence: 1.00, pinned: does not fade"),
    (GONE, "forgotten: 2026-02-19 12:00 UTC (10 days ago); pruning may delete it in 20 days"),
    (GONE | {"deprecated_at": "2026-01-31T12:00:00.000Z"}, "pruning may delete it in 1 day;"),
    (GONE, "`remora restore 1a2b3c4d` brings it back"),
    ({"access_count": 1, "last_accessed_at": "2026-02-26T12:00:00.000Z"}, "used: once, 2026-02-26 12:00"),
    (GONE | {"user_verified": True}, "; kept for good;"),
    (GONE | {"pinned": True}, "; kept for good;"),
    (GONE | {"deprecated_at": "2026-01-30T12:00:00.000Z"}, "the next pruning may delete it"),
    ({"superseded_by": OTHER}, "replaced by: 9f8e7d6c\n"),
    ({"realm": "user"}, "scope: global (your own memory, in every project)\n"),
    ({"needs_review": True}, "review: needed\n"),
]


def test_a_card_shows_everything_and_what_becomes_of_a_memory() -> None:
    """Nothing is left out, in words: whether it fades, how it is found, how it comes back if forgotten."""
    parent = record(id=OTHER, content="Tokens are JWTs")
    child = record(id="77777777-0000-4000-8000-000000000000", content="So refresh daily")
    text = plain(pages.card(full(), NOW, parents=[parent], dependents=[child]))
    assert text.splitlines()[0] == "1a2b3c4d-0000-4000-8000-000000000000  gotcha"
    assert [line for (line,) in table(__file__, "card") if line not in text] == []
    for fields, said in BECOMES:
        text = plain(pages.card(record(**fields), NOW))
        assert said in text
        for absent in ("branch", "taint", "changed", "lines", "payload", "work unit", "secrets"):
            assert f"{absent}:" not in text


def test_a_receipt_says_what_was_merged_and_taken_out() -> None:
    """A merge names the origins and keeps the words; secrets are counted, notes are passed on."""
    got = Receipt("merged", OTHER, 0.91, (Redaction("password", 1),), ("2 control characters were removed",))
    assert shown(pages.receipt(full()._replace(receipt=got), guessed=True)) == dedent("""
        1a2b3c4d  merged with an existing gotcha (91% similar)  Tokens expire after 24 h
          all origins kept: AGENTS.md:4, agent
          your wording is kept as an origin: tokens live a day
          1 secret removed before storing: 1 password
          2 control characters were removed
        """)
    alone = (Origin("user_taught", "x", text="tokens live a day"),)
    same = full()._replace(receipt=Receipt("merged", OTHER, 1.0), origins=alone)
    assert plain(pages.receipt(same)).count("\n") == 1
    guessed = plain(pages.receipt(record(receipt=Receipt("stored")), guessed=True))
    assert guessed.endswith(
        "\n  type guessed from the wording; `remora edit 1a2b3c4d --type TYPE` changes it\n"
    )
    assert "guessed" not in plain(pages.receipt(record(receipt=Receipt("stored"))))


def test_drafts_and_what_a_memory_replaces() -> None:
    """What was stored, then what was refused, then the counts; at most six dependents by their ids."""
    stored = record(receipt=Receipt("stored"))
    assert shown(pages.handed_in([stored], [Skipped("draft 2", "no text")])) == dedent("""
        1a2b3c4d  stored as decision  Tokens expire after 24 h
        draft 2: no text
        Of 2 drafts: 1 stored, 1 refused.
        """)
    assert plain(pages.handed_in([], [])) == "Of 0 drafts: nothing to store.\n"
    assert plain(pages.superseding(stored, [])) == "  replaces 1a2b3c4d: Tokens expire after 24 h\n"
    flagged = [record(id=f"{n}0000000-0000") for n in range(7)]
    assert plain(pages.superseding(stored, flagged)).endswith(
        "  7 dependent memories marked for review: "
        "00000000, 10000000, 20000000, 30000000, 40000000, 50000000 and 1 more\n"
    )


@pytest.mark.parametrize(
    ("choice", "new", "said"),
    [
        (
            "wrong",
            "They expire after 12 h",
            "  replaced  Tokens expire after 24 h\n9f8e7d6c  new text  They expire after 12 h\n",
        ),
        ("silent", "", "  no longer given as advice; search still finds it  Tokens expire after 24 h\n"),
        ("erase", "", "  erased\n"),
    ],
)
def test_a_correction(choice: str, new: str, said: str) -> None:
    """What became of the memory, and what stands in its place; an erased text is not repeated."""
    other = record(id=OTHER, content=new) if new else None
    assert plain(pages.corrected(Corrected(choice, record(), other, (), 1, offer=False))) == f"1a2b3c4d{said}"


def revision(author: str, op: str, why: str = "", **fields: Any) -> Revision:
    """Return a change of a memory of two days ago, on the device d1."""
    return Revision("r", ID, (), "d1", 1, "1772193600000000000", author, op, fields, why)


def test_a_history_tells_what_each_change_changed() -> None:
    """The first text, then old and new values; whose change it was; fields that nobody reads are left out."""
    changes = [
        revision("agent:ci", "create", content="It expires", tags="[]", confidence=0.8),
        revision("person:d1", "edit", "too short", content="It expires daily", updated_at="x"),
        revision("person:d2", "edit", tags='["a"]', branch=None),
        revision("retention:", "edit", tags=""),
    ]
    assert shown(pages.history(changes, NOW)) == dedent("""
        1  2026-02-27 12:00 UTC (2 days ago)  agent:ci   create  It expires
        2  2026-02-27 12:00 UTC (2 days ago)  you        edit    “It expires” → “It expires daily”; too short
        3  2026-02-27 12:00 UTC (2 days ago)  person:d2  edit    tags none → ["a"], branch none → none
        4  2026-02-27 12:00 UTC (2 days ago)  retention  edit    tags ["a"] → none
        """)


# What was said to agents

ADVICE = Injection(
    "claude-code:s1",
    "a1",
    7,
    "2026-03-01T11:59:00.000Z",
    "before an edit",
    "gotchas",
    "tax.py",
    (OTHER,),
    "Mind the rate",
    "it has a gotcha",
    "the file was changed",
)
TRIGGERS = (
    Trigger(PATTERN, "x", ID, ("console.log(",), 1.0, (f"{ONLY}src/", f"{BUT}src/cli/")),
    Trigger(PATTERN, "x", ID, ("cargo test", WHEN), 1.0, (f"{WANTED}--locked", f"{IF}rust")),
    Trigger(COMMAND, "make", ID, ("test", "lint")),
    Trigger(SEARCH, "rate", ID),
)


def test_the_log_and_why_a_memory_was_said() -> None:
    """An injection has its rule, moment, place, text and what followed; a memory all that it rests on."""
    said, bare = plain(pages.log([ADVICE, ADVICE._replace(agent="", about="", followed="")])).splitlines()
    assert said == (
        "2026-03-01 11:59:00  gotchas  before an edit at tax.py  it has a gotcha  Mind the rate"
        "  [claude-code:s1, step 7]  [subagent a1]  [the file was changed]"
    )
    assert bare == (
        "2026-03-01 11:59:00  gotchas  before an edit  it has a gotcha  Mind the rate"
        "  [claude-code:s1, step 7]"
    )
    uses = {"said": Use(14, 9, ""), "helped": Use(1, 1, ""), "asked": Use(2, 2, "")}
    effects = (Effect(ID, "edit", 0.75, 1, 9), Effect(ID, "command", 0.76, 9, 2))
    known = full()._replace(
        user_verified=True, origins=full().origins[:1], taint=Taint("a page", 4), review_reason="old"
    )
    told = ADVICE._replace(agent="", followed="")
    found = Why(known, TRIGGERS, (told,), (OTHER,), uses, 3, effects)
    assert shown(pages.why(found, NOW)) == dedent("""
        id: 1a2b3c4d-0000-4000-8000-000000000000
        type: gotcha
        text: Tokens expire after 24 h
        trust: 1.00, user_taught, verified by a person, unverified: a page at step 4, needs review: old
        created: 2026-02-26
        origins: AGENTS.md:4 by user_taught, 2026-02-26 12:00 UTC (3 days ago)
        files: a.py
          b.py
        dependents: 9f8e7d6c
        triggers: forbids `console.log(`; only in src/; not with `src/cli/`
          when `cargo test`; unless with `--locked`; only with `rust`
          command make with test, lint
          search rate
        use: given as advice 14 times in 9 sessions, asked for 2 times, helped once, held back 3
        effect: 0.75 times the usual help at edit: helped in 1 session, did not in 9; no longer given there
        effect: 0.76 times the usual help at command: helped in 9 sessions, did not in 2
        Told to an agent: 1 time.
        2026-03-01 11:59:00  gotchas  before an edit at tax.py  it has a gotcha    [claude-code:s1, step 7]
        """)
    assert shown(pages.why(Why(record(needs_review=True, stale_at="2026"), (), (), ()), NOW)) == dedent("""
        id: 1a2b3c4d-0000-4000-8000-000000000000
        type: decision
        text: Tokens expire after 24 h
        trust: 1.00, user_taught, needs review: learned, out of date
        created: 2026-02-26
        origins: -
        Told to an agent: never.
        """)


def test_a_preview() -> None:
    """What an event would say and why, line by line, or that it would say nothing; and who stays silent."""
    silent = Silent(OTHER, "gotcha", "Tokens are JWTs", "it waits for review")
    assert shown(pages.preview(Preview("edit", "tax.py", "", (), "", "", (silent,)))) == dedent("""
        There would be no advice.
        Related memories that are not given:
        9f8e7d6c  gotcha  it waits for review  Tokens are JWTs
        """)
    said = Preview("edit", "tax.py", "- one\n- two", (ID, OTHER), "gotchas", "it has a gotcha")
    assert plain(pages.preview(said)) == "- one\n- two\nWhy: it has a gotcha\n"


STATUS = Status(
    root="/src/shop",
    home="/data/shop",
    memories=1200,
    records={"session": 3, "commit": 2},
    review=4,
    learnt=5,
    sessions=(
        Session("claude-code:s1", "2026-03-01T11:59:00.000Z", 7, 1, over=False),
        Session("codex:s2", "2026-03-01T11:00:00.000Z", 1, 0, over=True),
    ),
    brief="- Mind the rate\n- Lint",
    ids=(OTHER,),
    texts="nowhere",
    maintenance=Maintained("2026-03-01T10:00:00.000Z", ("a",)),
    sharing="folder:/x",
)
BARE = STATUS._replace(records={}, sessions=(), brief="", maintenance=None, sharing="")


def test_a_status() -> None:
    """Counts, sessions that go on or wait, and the brief; what there is none of is left out."""
    assert shown(pages.status(STATUS)) == dedent("""
        project: /src/shop
        memory: /data/shop
        memories: 1,200
        records of commits: 2
        records of sessions: 3
        to review: 4
        sessions learned: 5
        texts sent to: nowhere
        shared: folder:/x
        maintenance: forgot 1 expired memory (2026-03-01)
        session: claude-code:s1: active, 7 steps, 1 message sent, 2026-03-01T11:59:00
        session: codex:s2: ended, not learned yet, 1 step, 0 messages sent, 2026-03-01T11:00:00
        Brief for a new session:
          - Mind the rate
          - Lint
        """)
    told = plain(pages.status(BARE)).splitlines()
    assert told[5] == "texts sent to: nowhere"
    assert told[6].startswith("A new session would get no brief.")
    assert len(told) == 7
    for changed, said in (
        ({"speaks": False}, "Agents get no memories here: inject.enabled is off."),
        ({"speaks": False, "off": "2026-03-01T10:00:00Z"}, "Remora is off here since 2026-03-01 10:00. "),
    ):
        text = plain(pages.status(STATUS._replace(**changed)))
        assert text.splitlines()[12].startswith(said)
        assert "Brief for a new session" not in text


# What keeps a memory in order


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({}, "nothing to do"),
        (
            {"forgotten": ("a", "b"), "deleted": 1},
            "forgot 2 expired memories; deleted 1 memory forgotten long ago",
        ),
        ({"waiting": 30}, "30 expired memories left for you: `remora prune`"),
        ({"cached": 9, "bar": 0.35}, "relevance threshold for prompts: 0.35"),
    ],
)
def test_maintenance(run: dict[str, Any], said: str) -> None:
    """What a run did, or that there was nothing to do."""
    page = pages.maintenance([Maintained("2026-03-01T10:00:00.000Z", **run)], NOW)
    assert plain(page) == f"2026-03-01 10:00 UTC (2 h ago)  {said}\n"


def test_pruning() -> None:
    """What would go, or what went, each with the reason, and how it comes back."""
    gone = record(id=OTHER, **GONE)
    plan = PrunePlan((record(),), (gone,), 7)
    told = "1 forgotten, 1 deleted for good, 7 cache entries dropped."
    assert plain(pages.pruning(plan, NOW, dry_run=True)).splitlines() == [
        "1a2b3c4d  would be forgotten  decision  last used 3 days ago   Tokens expire after 24 h",
        "9f8e7d6c  would be deleted    decision  forgotten 10 days ago  Tokens expire after 24 h",
        f"Dry run: {told} Run it without --dry-run to apply it.",
    ]
    assert plain(pages.pruning(plan, NOW, dry_run=False)).splitlines() == [
        "1a2b3c4d  forgotten  decision  last used 3 days ago   Tokens expire after 24 h",
        "9f8e7d6c  deleted    decision  forgotten 10 days ago  Tokens expire after 24 h",
        f"{told} `remora restore ID` brings a forgotten one back.",
    ]
    cache = "0 forgotten, 0 deleted for good, 7 cache entries dropped.\n"
    assert plain(pages.pruning(PrunePlan((), (), 7), NOW, dry_run=False)) == cache
    assert plain(pages.pruning(PrunePlan((), (), 0), NOW, dry_run=False)) == "Nothing to prune.\n"


def test_a_level_of_trust() -> None:
    """The level, its effect and what the next one lacks; what a person set is said to be theirs."""
    reached = TrustReport(2, "Standard", 0.8, True, "reviews went well", ("10 sessions", "5 reviews"), 3)
    assert shown(pages.trust(reached)) == dedent("""
        level: 2 Standard
        reason: reviews went well
        advice: memories with a confidence of 0.80 or more
        next: 10 sessions; 5 reviews
        """)
    chosen = TrustReport(4, "Autonomous", 0.6, False, "you chose it", (), 3, setting=0.6)
    assert shown(pages.trust(chosen)) == dedent("""
        level: 4 Autonomous
        reason: you chose it
        advice: memories with a confidence of 0.60 or more (inject.threshold is set)
        chosen: set by you; `remora trust auto` lets reviews adjust it
        """)


def estimate(n: int, mean: float) -> Estimate:
    """Return an estimate with an interval of a tenth to each side."""
    return Estimate(n, mean, mean - 0.1, mean + 0.1)


FAILURES = Compared("failures", estimate(1200, 0.2), estimate(130, 0.35), -0.15, -0.25, -0.05, "helps")
TRIAL = TrialReport(
    share=0.1,
    told=1200,
    held=130,
    figures=(FAILURES, FAILURES._replace(held=estimate(0, 0.0), verdict="few")),
    sessions=(FAILURES._replace(verdict="hurts"),),
    corrections=estimate(40, 0.25),
    boosts=estimate(9, 0.5),
    at_once=((1, 20, 0.1), (2, 1, 0.25)),
    decided=2,
    quiet=(Effect(OTHER, "gotchas", 0.7, 2, 9),),
    proposals=(Proposal("implement", "gotcha", 1.2, 1.35, 1200),),
    applied=1,
)
YOUNG = TRIAL._replace(sessions=(), at_once=(), decided=0, quiet=(), proposals=())._replace(
    corrections=Estimate(0, 0.0, 0.0, 1.0), boosts=estimate(0, 0.0)
)
ONCE = YOUNG._replace(told=1, held=1, quiet=(Effect(OTHER, "gotchas", 0.7, 1, 9),))


def test_a_trial() -> None:
    """Both arms of every figure with the difference and a verdict; what is not known yet has no line."""
    assert shown(pages.trial(TRIAL)) == dedent("""
        10 % of advice is held back: 1,200 moments told, 130 held back.
        failures  [0.20 (1,200)]  [0.35 (130)]  [-0.15 [-0.25, -0.05]]  [helps]
        failures  [0.20 (1,200)]  [0.00 (0)]  [too few to tell]
        Whole sessions, with and without advice:
        failures  [0.20 (1,200)]  [0.35 (130)]  [-0.15 [-0.25, -0.05]]  [hurts]
        Reported wrong: 25.0 % [15.0, 35.0] of 40 uses (target: below 5 %).
        The neighbourhood boost changed the first 8 hits of 50.0 % [40.0, 60.0] of 9 searches.
        1 memory at a moment: 10 % of 20 moments failed.
        2 memories at a moment: 25 % of 1 moment failed.
        A moment now gets 2 memories.
        9f8e7d6c  quiet at gotchas  2 sessions with help, 9 without
        implement  gotcha  [1.2]  [1.35]  [1,200]
        `remora trial --apply` applies them, `--undo` reverts them.
        """)
    assert shown(pages.trial(YOUNG)) == dedent("""
        10 % of advice is held back: 1,200 moments told, 130 held back.
        failures  [0.20 (1,200)]  [0.35 (130)]  [-0.15 [-0.25, -0.05]]  [helps]
        failures  [0.20 (1,200)]  [0.00 (0)]  [too few to tell]
        Reported wrong: 0.0 % of 0 uses (target: below 5 %).
        """)
    told = plain(pages.trial(ONCE)).splitlines()
    assert told[0] == "10 % of advice is held back: 1 moment told, 1 held back."
    assert told[-1] == "9f8e7d6c  quiet at gotchas  1 session with help, 9 without"


# Answers and files

MEMORY = Passage("1a2b3c4d", "Tokens", "Tokens expire", "memory", ID, "decision")
CODE = Passage("code1", "def tax", "def tax():", "code", "c", path="tax.py", line=4)


def test_an_answer() -> None:
    """A model's sentences with what they cite, or the passages alone, or that nothing answers."""
    nothing = Answer("when?", "nothing", (), ())
    assert plain(pages.answer(nothing)) == "No memory answers this.\n"
    best = nothing._replace(how="passages", passages=(MEMORY, CODE._replace(line=None)))
    assert shown(pages.answer(best)) == dedent("""
        Best passages:
        #1a2b3c4d  decision  Tokens expire
        #code1    code  tax.py  def tax():
        """)
    sentences = (Sentence("They expire.", ("1a2b3c4d", "code1")), Sentence("Nobody knows."))
    assert shown(pages.answer(Answer("when?", "model", sentences, (CODE,)))) == dedent("""
        They expire. [#1a2b3c4d] [#code1]
        Nobody knows. [unsupported]

        #code1    code  tax.py:4  def tax():
        """)


def test_files_have_their_evidence() -> None:
    """Each with its score, and all that speaks for it."""
    found = [FileHit("b.py", 0.9, ("imports it", "same folder")), FileHit("web/c.py", 0.25, ("imports it",))]
    assert shown(pages.files(found)) == dedent("""
        b.py      0.90  imports it; same folder
        web/c.py  0.25  imports it
        """)
