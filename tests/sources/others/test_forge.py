"""Forge's memory files: the newest version of each chain is live, the others are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.sources.others import forge
from remora.sources.others.formats import detect
from remora.sources.others.import_result import Found, Link
from tests.sources.others.looks import Files, check, counts, why, write


def memory(number: str, content: str, **front: object) -> Files:
    """Return a memory file as Forge writes one."""
    at = "2026-03-01T10:00:00.123456789+01:00"
    fields = {"id": f"mem_{number}", "created_at": at, "updated_at": at, "version": 1, "scope": "repo"}
    fields |= {"category": "coding-preferences", "session_id": "s1", "trigger": "cadence"} | front
    head = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return {f"mem_{number}.md": f"---\n{head}---\n{content}"}


def version(name: str, number: int, before: str = "") -> Files:
    """Return a version of a memory that says its name."""
    return memory(name, name, version=number, **({"supersedes": f"mem_{before}"} if before else {}))


def related(**names: str) -> str:
    """Return how a memory's front matter names others, each with its relationship."""
    return "".join(f"\n    - id: mem_{name}\n      relationship: {kind}" for name, kind in names.items())


def read(root: Path, *files: Files) -> Found:
    """Write memory files and read them."""
    for one in files:
        write(root, one)
    return check(forge.read(root))


def test_a_memory_comes_over(tmp_path: Path) -> None:
    """Text, category, scope, session and time; it was inferred, and an unknown category is a pattern."""
    found = read(tmp_path, memory("a", "Use tabs.\n", scope="user"), memory("b", "x", category="new"))
    assert detect(tmp_path) == ["forge"]
    draft, odd = found.drafts
    assert (draft.content, draft.type, draft.source) == ("Use tabs.", "preference", "observer_inferred")
    assert draft.tags == ("from:forge", "scope:user", "coding-preferences")
    assert (draft.external_id, draft.session_id) == ("forge:mem_a", "s1")
    assert draft.created_at == "2026-03-01T09:00:00.123Z"
    assert (draft.origin_path, draft.origin_line) == ("mem_a.md", 11)
    assert (odd.type, odd.tags[-1]) == ("pattern", "new")


@pytest.mark.parametrize(
    ("versions", "live"),
    [
        ([version("a", 1), version("b", 2, "a"), version("c", 3, "b")], {"a": "c"}),
        ([version("a", 1), version("b", 2, "a"), version("c", 2, "a")], {"b": "b", "c": "c"}),
        ([version("a", 1, "c"), version("b", 2, "a"), version("c", 3, "b")], {"a": "c"}),
        ([version("a", 1, "b"), version("b", 2, "a"), version("c", 3, "b")], {"a": "c"}),
        ([version(str(n), n + 1, str(n - 1) if n else "") for n in range(300)], {"0": "299"}),
    ],
    ids=["chain", "fork", "circle", "chain that ends in a circle", "long chain"],
)
def test_only_the_newest_of_a_chain_is_live(
    tmp_path: Path, versions: list[Files], live: dict[str, str]
) -> None:
    """Older versions are named; a memory keeps the id of the oldest, but of a fork each end has its own."""
    found = read(tmp_path, *versions)
    assert {d.external_id: d.content for d in found.drafts} == {f"forge:mem_{a}": b for a, b in live.items()}
    newest = [f"mem_{name}.md" for name in live.values()]
    older = {name for one in versions for name in one} - set(newest)
    assert why(found) == dict.fromkeys(older, "an older version of an imported memory")
    assert counts(found)["memories"] == (len(versions), len(live), len(older))


def test_a_later_version_is_the_same_memory(tmp_path: Path) -> None:
    """The external id stays when a version is added, and when the oldest file is gone."""
    first = read(tmp_path, memory("a", "Use tabs."))
    second = read(tmp_path, memory("b", "Use spaces.", version=2, supersedes="mem_a"))
    (tmp_path / "mem_a.md").unlink()
    third = check(forge.read(tmp_path))
    assert [one.drafts[0].external_id for one in (first, second, third)] == ["forge:mem_a"] * 3


def test_relations_become_links(tmp_path: Path) -> None:
    """Refines and contradicts are kept between what came over, also when they name an older version."""
    found = read(
        tmp_path,
        memory("a", "Old."),
        memory("a2", "New.", version=2, supersedes="mem_a"),
        memory("b", "Finer.", related=related(a="refines", x="contradicts")),
        memory("c", "Not so.", related=related(b="contradicts", a="relates-to")),
    )
    assert found.links == (
        Link("forge:mem_b", "derived_from", "forge:mem_a"),
        Link("forge:mem_c", "conflicts_with", "forge:mem_b"),
    )
