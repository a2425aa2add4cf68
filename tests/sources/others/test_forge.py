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


def version(name: str, number: int, before: str = "") -> dict[str, str]:
    """Return a version of a memory that says its name."""
    return memory(name, name, version=number, **({"supersedes": f"mem_{before}"} if before else {}))


LONG = [version(str(n), n + 1, str(n - 1) if n else "") for n in range(300)]


@pytest.mark.parametrize(
    ("versions", "live"),
    [
        ([version("a", 1), version("b", 2, "a"), version("c", 3, "b")], {"a": "c"}),
        ([version("a", 1), version("b", 2, "a"), version("c", 2, "a")], {"b": "b", "c": "c"}),
        ([version("a", 1, "c"), version("b", 2, "a"), version("c", 3, "b")], {"a": "c"}),
        ([version("a", 1, "b"), version("b", 2, "a"), version("c", 3, "b")], {"a": "c"}),
        ([version("d", 1, "d")], {"d": "d"}),
        (LONG, {"0": "299"}),
    ],
    ids=["chain", "fork", "circle", "chain that ends in a circle", "circle of one", "long chain"],
)
def test_only_the_newest_of_a_chain_is_live(
    tmp_path: Path, versions: list[dict[str, str]], live: dict[str, str]
) -> None:
    """Older versions are named; a memory keeps the id of the oldest, but of a fork each end has its own."""
    found = read(tmp_path, *versions)
    assert {d.external_id: d.content for d in found.drafts} == {f"forge:mem_{a}": b for a, b in live.items()}
    older = {name for one in versions for name in one} - {f"mem_{name}.md" for name in live.values()}
    assert why(found) == dict.fromkeys(older, "an older version of an imported memory")
    assert counts(found)["memories"] == (len(versions), len(live), len(older))


def test_versions_in_a_circle_are_named(tmp_path: Path) -> None:
    """Which was imported is said."""
    found = read(tmp_path, version("a", 1, "b"), version("b", 2, "a"), version("d", 1, "d"))
    assert found.remarks == (
        "versions that supersede each other in a cycle; the highest was imported: mem_b.md, mem_d.md",
    )


def test_a_later_version_is_the_same_memory(tmp_path: Path) -> None:
    """The external id stays when a version is added, and when the oldest file is gone."""
    first = read(tmp_path, memory("a", "Use tabs."))
    second = read(tmp_path, memory("b", "Use spaces.", version=2, supersedes="mem_a"))
    (tmp_path / "mem_a.md").unlink()
    third = check(forge.read(tmp_path))
    assert [one.drafts[0].external_id for one in (first, second, third)] == ["forge:mem_a"] * 3


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
        ("---\nid: m\nscope: repo\ncategory: patterns\nversion: 0\n---\nx", NO_NUMBER),
        ("---\nid: m\nscope: repo\ncategory: patterns\nversion: one\n---\nx", NO_NUMBER),
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
