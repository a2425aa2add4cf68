"""Forge's memory files: the newest version of each chain is live, the others are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.sources.others import forge
from remora.sources.others.formats import detect
from remora.sources.others.import_result import Found, Link
from tests.sources.others.looks import check, counts, why, write

NO_NUMBER = "front matter with a version that is not a positive number"


def memory(number: str, content: str, **front: object) -> dict[str, str]:
    """Return a memory file as Forge writes one."""
    fields = {
        "id": f"mem_{number}",
        "created_at": "2026-03-01T10:00:00.123456789+01:00",
        "updated_at": "2026-03-01T10:00:00.123456789+01:00",
        "version": 1,
        "scope": "repo",
        "category": "coding-preferences",
        "session_id": "s1",
        "trigger": "cadence",
    } | front
    head = "".join(f"{key}: {value}\n" for key, value in fields.items() if value is not None)
    return {f"mem_{number}.md": f"---\n{head}---\n{content}"}


def read(root: Path, *files: dict[str, str]) -> Found:
    """Write memory files and read them."""
    for one in files:
        write(root, dict(one))
    return check(forge.read(root))


def test_a_memory_comes_over(tmp_path: Path) -> None:
    """Text, category, scope, session and time; it was inferred, so that is its source."""
    found = read(tmp_path, memory("a", "Use tabs.\n", scope="user"))
    assert detect(tmp_path) == ["forge"]
    (draft,) = found.drafts
    assert (draft.content, draft.type, draft.source) == ("Use tabs.", "preference", "observer_inferred")
    assert draft.tags == ("from:forge", "scope:user", "coding-preferences")
    assert (draft.external_id, draft.session_id) == ("forge:mem_a", "s1")
    assert draft.created_at == "2026-03-01T09:00:00.123Z"
    assert (draft.origin_path, draft.origin_line) == ("mem_a.md", 11)


def test_an_unknown_category_is_a_pattern(tmp_path: Path) -> None:
    """It stays as a tag."""
    (draft,) = read(tmp_path, memory("a", "x", category="something-new")).drafts
    assert (draft.type, draft.tags[-1]) == ("pattern", "something-new")


def test_only_the_newest_of_a_chain_is_live(tmp_path: Path) -> None:
    """Older versions are named; the memory keeps the id of the oldest."""
    found = read(
        tmp_path,
        memory("a", "Use tabs."),
        memory("b", "Use two spaces.", version=2, supersedes="mem_a"),
        memory("c", "Use four spaces.", version=3, supersedes="mem_b"),
    )
    assert [(d.content, d.external_id) for d in found.drafts] == [("Use four spaces.", "forge:mem_a")]
    assert counts(found)["memories"] == (3, 1, 2)
    assert why(found) == dict.fromkeys(("mem_a.md", "mem_b.md"), "an older version of an imported memory")


def test_a_later_version_is_the_same_memory(tmp_path: Path) -> None:
    """The external id stays when a version is added, and when the oldest file is gone."""
    first = read(tmp_path, memory("a", "Use tabs."))
    second = read(tmp_path, memory("b", "Use spaces.", version=2, supersedes="mem_a"))
    (tmp_path / "mem_a.md").unlink()
    third = check(forge.read(tmp_path))
    assert [one.drafts[0].external_id for one in (first, second, third)] == ["forge:mem_a"] * 3


def test_two_versions_of_the_same_one_are_both_live(tmp_path: Path) -> None:
    """A fork has two ends, each under its own id."""
    found = read(
        tmp_path,
        memory("a", "Old."),
        memory("b", "One way.", version=2, supersedes="mem_a"),
        memory("c", "Another way.", version=2, supersedes="mem_a"),
    )
    assert {d.external_id: d.content for d in found.drafts} == {
        "forge:mem_b": "One way.",
        "forge:mem_c": "Another way.",
    }


def test_a_circle_ends(tmp_path: Path) -> None:
    """Versions that supersede each other give one memory, the highest; what leads into them is found too."""
    found = read(
        tmp_path,
        memory("a", "First.", version=1, supersedes="mem_c"),
        memory("b", "Second.", version=2, supersedes="mem_a"),
        memory("c", "Third.", version=3, supersedes="mem_b"),
        memory("d", "Alone.", supersedes="mem_d"),
    )
    assert {d.external_id: d.content for d in found.drafts} == {
        "forge:mem_a": "Third.",
        "forge:mem_d": "Alone.",
    }
    assert found.remarks == (
        "versions that supersede each other in a cycle; the highest was imported: mem_c.md, mem_d.md",
    )


def test_a_chain_that_ends_in_a_circle(tmp_path: Path) -> None:
    """The newest that nothing supersedes is live; the circle behind it is its past."""
    found = read(
        tmp_path,
        memory("a", "First.", supersedes="mem_b"),
        memory("b", "Second.", version=2, supersedes="mem_a"),
        memory("c", "Third.", version=3, supersedes="mem_b"),
    )
    assert [d.content for d in found.drafts] == ["Third."]


def test_relations_become_links(tmp_path: Path) -> None:
    """Refines and contradicts are kept between what came over, also when they name an older version."""
    related = (
        "\n    - id: mem_a\n      relationship: refines\n    - id: mem_x\n      relationship: contradicts"
    )
    also = (
        "\n    - id: mem_b\n      relationship: contradicts\n    - id: mem_a\n      relationship: relates-to"
    )
    found = read(
        tmp_path,
        memory("a", "Old."),
        memory("a2", "New.", version=2, supersedes="mem_a"),
        memory("b", "Finer.", related=related),
        memory("c", "Not so.", related=also),
    )
    assert found.links == (
        Link("forge:mem_b", "derived_from", "forge:mem_a"),
        Link("forge:mem_c", "conflicts_with", "forge:mem_b"),
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("Just text.", "no front matter"),
        ("---\nid: mem_a\nno end", "unclosed front matter"),
        ("---\nid: mem_a\n---\nx", "front matter without scope"),
        (
            "---\nid: m\nscope: repo\ncategory: patterns\nversion: 0\n---\nx",
            NO_NUMBER,
        ),
        (
            "---\nid: m\nscope: repo\ncategory: patterns\nversion: one\n---\nx",
            NO_NUMBER,
        ),
        ("---\nscope: repo\n---\nx", "front matter without id"),
        (b"\x00\x01\x02\x03\x04\x05\x00\xff", "binary, not text"),
        (b"", "no front matter"),
    ],
)
def test_a_corrupt_file_costs_only_itself(tmp_path: Path, body: str | bytes, reason: str) -> None:
    """It is named with the reason, and the others come over."""
    write(tmp_path, {"broken.md": body})
    found = read(tmp_path, memory("z", "Sound."))
    assert [d.content for d in found.drafts] == ["Sound."]
    assert why(found) == {"broken.md": reason}


def test_an_empty_memory_and_an_id_used_twice_are_named(tmp_path: Path) -> None:
    """Nothing is taken that says nothing; the second file of an id is named."""
    twin = {"copy.md": memory("a", "x")["mem_a.md"]}
    found = read(tmp_path, twin, memory("a", "x"), memory("b", " \n"), {"notes.txt": "x"})
    assert len(found.drafts) == 1
    assert why(found) == {
        "mem_a.md": "the id mem_a also occurs in copy.md",
        "mem_b.md": "contains no text",
        "notes.txt": "not a memory file",
    }


def test_a_long_chain_is_walked(tmp_path: Path) -> None:
    """Hundreds of versions are one memory."""
    files = [memory("0", "v0")]
    files += [memory(str(n), f"v{n}", version=n + 1, supersedes=f"mem_{n - 1}") for n in range(1, 300)]
    found = read(tmp_path, *files)
    assert [d.content for d in found.drafts] == ["v299"]
    assert len(found.skipped) == 299
