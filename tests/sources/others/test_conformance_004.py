"""The cases that document 004 lists for its long-term files: front matter, and versions in a circle."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.sources.others import forge
from tests.sources.others.looks import check, why, write


def version(number: int, before: int) -> dict[str, str]:
    """Return the file of a version that supersedes another one."""
    front = f"id: mem_{number}\nversion: {number}\nscope: repo\ncategory: patterns\nsupersedes: mem_{before}"
    return {f"mem_{number}.md": f"---\n{front}\n---\nVersion {number}."}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Just text.", "no front matter"),
        ("---\nid: mem_1\nversion: 1\nno end", "unclosed front matter"),
    ],
)
def test_front_matter_that_is_none(tmp_path: Path, text: str, reason: str) -> None:
    """Their errors are "missing front-matter delimiter" and "unclosed front-matter block"; ours say the same.

    There they are errors of the caller; here the file is named and no other one is lost.
    """
    write(tmp_path, {"mem_1.md": text} | version(2, 9))
    found = check(forge.read(tmp_path))
    assert [draft.content for draft in found.drafts] == ["Version 2."]
    assert why(found) == {"mem_1.md": reason}


def test_a_circle_longer_than_their_depth(tmp_path: Path) -> None:
    """Their walk through a circle ends at depth 5; ours ends after one round, so none of seven is missed."""
    for number in range(1, 8):
        write(tmp_path, version(number, 7 if number == 1 else number - 1))
    found = check(forge.read(tmp_path))
    assert [draft.content for draft in found.drafts] == ["Version 7."]
    assert sorted(why(found)) == [f"mem_{number}.md" for number in range(1, 7)]
