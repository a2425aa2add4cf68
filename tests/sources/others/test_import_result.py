"""The gatherer checks, counts and orders what readers hand it."""

from __future__ import annotations

from remora.core.values import Entry, MemoryDraft
from remora.sources.others.import_result import (
    EXAMPLES,
    MAX_ENTRY,
    MAX_ENTRY_NAME,
    FoundSession,
    Gatherer,
    Link,
)
from tests.sources.others.looks import check, counts, why


def test_drafts_are_brought_within_bounds() -> None:
    """Unseen signs go, numbers come into their range, the system is a tag, nothing is verified."""
    gather = Gatherer("forge")
    gather.saw("memories")
    draft = MemoryDraft(
        " a\u202eb\x00 ", "unknown", "nobody", confidence=float("nan"), tags=(" x ", "x", ""),
        user_verified=True, related_files=tuple(f"f{n}" for n in range(500)), external_id="forge:1",
    )  # fmt: skip
    gather.draft(draft, "p")
    (taken,) = check(gather.found()).drafts
    assert (taken.content, taken.type, taken.source, taken.confidence) == ("ab", "pattern", "mcp_auto", 0.5)
    assert (taken.tags, len(taken.related_files), taken.user_verified) == (("from:forge", "x"), 100, False)


def test_links_need_both_ends() -> None:
    """A relation to something that stayed behind is none."""
    gather = Gatherer("forge")
    for name in ("forge:1", "forge:2"):
        gather.saw("memories")
        gather.draft(MemoryDraft(f"memory {name}", external_id=name), "p")
    both = Link("forge:1", "derived_from", "forge:2")
    gather.link(both)
    gather.link(both)
    gather.link(Link("forge:1", "derived_from", "forge:3"))
    assert check(gather.found()).links == (both,)


def test_names_win_over_aliases_whatever_comes_first() -> None:
    """An alias that a later entry is named is left out; numbers make a third of a name different."""
    gather = Gatherer("crabtalk")
    for number, aliases in enumerate((("b", "shared"), ("shared",), ()), 1):
        gather.saw("entries")
        gather.entry(Entry(number, "a", f"text {number}", "note", aliases), "p")
    gather.saw("entries")
    gather.entry(Entry(4, "b", "text 4"), "p")
    found = check(gather.found())
    assert [(one.name, one.aliases) for one in found.entries] == [
        ("a", ("shared",)),
        ("a (note)", ()),
        ("a (3)", ()),
        ("b", ()),
    ]


def test_sessions_without_messages_and_of_one_name() -> None:
    """They are counted with their messages."""
    gather = Gatherer("neoclaw")
    said = ({"role": "user", "content": "x", "external_id": "1"},)
    for messages in ((), said, said):
        gather.saw("sessions")
        gather.saw("messages", len(messages))
        gather.session(FoundSession("a", "", "ACTIVE", messages), f"place {len(messages)}")
    found = check(gather.found())
    assert counts(found) == {"sessions": (3, 1, 2), "messages": (2, 1, 1)}
    assert why(found)["place 0"] == "contains no messages"


def test_skips_and_remarks_are_named_up_to_a_number() -> None:
    """The rest of one file and reason is a number; other files and reasons have their own."""
    gather = Gatherer("neoclaw")
    for number in range(EXAMPLES + 5):
        gather.pass_over("messages", f"a:{number}", "not JSON")
        gather.remark("odd", f"a:{number}")
    gather.pass_over("messages", "a:9", "other")
    gather.pass_over("messages", "b:1", "not JSON")
    found = check(gather.found())
    assert len(found.skipped) == EXAMPLES + 3
    assert found.skipped[-1] == ("a: 5 more", "not JSON")
    assert found.remarks[0].endswith("a:19 and 5 more")


def test_names_of_entries_fit_the_entry_store() -> None:
    """Line ends become spaces, signs nobody sees go, long names end in a mark of what was cut."""
    gather = Gatherer("crabtalk")
    long = "n" * 400
    for number, name in enumerate((" a\tb\nc\u2028d\u202e ", long + "1", long + "2", "cafe\u0301", "\x00")):
        gather.saw("entries")
        gather.entry(
            Entry(number, name, f"text {number}", "note", tuple(f"{number} {n}" for n in range(1_001))), "p"
        )
    gather.saw("entries")
    gather.entry(Entry(9, "big", "x" * (MAX_ENTRY + 1)), "big")
    found = check(gather.found())
    first, second, third, fourth, fifth = found.entries
    assert (first.name, fourth.name, fifth.name) == ("a b c d", "caf\u00e9", "entry 4")
    assert second.name != third.name
    assert len(second.name) == MAX_ENTRY_NAME
    assert len(first.aliases) == 1_000
    assert why(found) == {"big": "longer than 16 MB"}
