"""The gatherer checks, counts and orders what readers hand it."""

from __future__ import annotations

from remora.core.values import Entry, MemoryDraft
from remora.sources.others.import_result import (
    EXAMPLES,
    MAX_ENTRY,
    MAX_ENTRY_NAME,
    Found,
    Gatherer,
    Link,
)
from tests.sources.others.looks import check, why


def found_with(*entries: Entry) -> Found:
    """Return what is found when a reader hands over these entries."""
    gather = Gatherer("crabtalk")
    for entry in entries:
        gather.saw("entries")
        gather.entry(entry, f"place {entry.id}")
    return check(gather.found())


def test_drafts_are_brought_within_bounds() -> None:
    """Unseen signs go, numbers come into their range, nothing is verified; links need both of their ends."""
    gather = Gatherer("forge")
    odd = MemoryDraft(
        " a\u202eb\x00 ", "unknown", "nobody", confidence=float("nan"), tags=(" x ", "x", ""),
        user_verified=True, related_files=tuple(f"f{n}" for n in range(500)), external_id="forge:1",
    )  # fmt: skip
    for draft in (odd, MemoryDraft("another", external_id="forge:2")):
        gather.saw("memories")
        gather.draft(draft, "p")
    links = [Link("forge:1", "derived_from", f"forge:{to}") for to in (2, 2, 3)]
    for link in links:
        gather.link(link)
    found = check(gather.found())
    taken = found.drafts[0]
    assert (taken.content, taken.type, taken.source, taken.confidence) == ("ab", "pattern", "mcp_auto", 0.5)
    assert (taken.tags, len(taken.related_files), taken.user_verified) == (("from:forge", "x"), 100, False)
    assert found.links == (links[0],)


def test_names_and_aliases_become_unique() -> None:
    """Every name leads to one entry, names win over aliases, whatever comes first, and changes are said."""
    found = found_with(
        Entry(1, "deploy", "one", "note", ("ship", "test", "ship")),
        Entry(2, "deploy", "two", "note", ("ship",)),
        Entry(3, "deploy", "three"),
        Entry(4, "test", "four", "note", ("deploy",)),
        Entry(5, "", "five"),
        Entry(6, "deploy", "one"),
    )
    assert [(one.id, one.name, one.aliases) for one in found.entries] == [
        (1, "deploy", ("ship",)),
        (2, "deploy (note)", ()),
        (3, "deploy (3)", ()),
        (4, "test", ()),
        (5, "entry 5", ()),
    ]
    assert why(found) == {"place 6": "a duplicate of an imported entry"}
    assert found.remarks == (
        "duplicate names were changed: deploy is now deploy (note), deploy is now deploy (3)",
        "duplicate aliases were left out: test of deploy, ship of deploy (note), deploy of test",
    )


def test_names_of_entries_fit_the_entry_store() -> None:
    """Line ends become spaces, signs nobody sees go, long names end in a mark of what was cut."""
    long = "n" * 400
    names = (" a\tb\nc\u2028d\u202e ", f"{long}1", f"{long}2", "cafe\u0301", "\x00")
    aliases = tuple(f"also {n}" for n in range(1_001))
    entries = [Entry(n, name, f"text {n}", "note", () if n else aliases) for n, name in enumerate(names)]
    found = found_with(*entries, Entry(9, "big", "x" * (MAX_ENTRY + 1)))
    first, second, third, fourth, fifth = found.entries
    assert (first.name, fourth.name, fifth.name) == ("a b c d", "caf\u00e9", "entry 4")
    assert second.name != third.name
    assert len(second.name) == MAX_ENTRY_NAME
    assert len(first.aliases) == 1_000
    assert why(found) == {"place 9": "longer than 16 MB"}


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
