"""CrabTalk's dumped trees, and folders that hold several of its things."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from remora.core.values import Entry
from remora.sources.others import crabtalk
from remora.sources.others.formats import detect
from tests.sources.others.looks import check, why, write
from tests.sources.others.test_crabtalk_file import FIXTURE

NOTE = """<div id="meta">
<dl>
  <dt>Created</dt>
  <dd><time datetime="2020-01-01T00:00:00Z">2020-01-01T00:00:00Z</time></dd>
  <dt>Aliases</dt>
  <dd>
    <ul>
      <li>a&lt;b</li>
      <li>x&amp;y</li>
    </ul>
  </dd>
</dl>
</div>

Roll out in steps.

- one
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A dumped memory."""
    return write(
        tmp_path / "brain",
        {
            "SUMMARY.md": "# Summary\n\n# Notes\n\n- [deploy](notes/deploy.md)\n",
            "book.toml": "[book]\n",
            "notes/deploy.md": NOTE,
            "archives/talk-1.md": "No block: all is text.\n\n",
            "topics/rust.md": '\ufeff<div id="meta">\n<dl>\n</dl>\n</div>\n\nAbout Rust.\n',
        },
    )


def test_a_dumped_tree_comes_over(tree: Path) -> None:
    """Notes, archives and topics with time and aliases; signs come back from their escapes."""
    assert detect(tree) == ["crabtalk"]
    found = check(crabtalk.read(tree))
    assert found.entries == (
        Entry(0, "deploy", "Roll out in steps.\n\n- one", "note", ("a<b", "x&y"), "2020-01-01T00:00:00.000Z"),
        Entry(0, "talk-1", "No block: all is text.", "archive"),
        Entry(0, "rust", "About Rust.", "note"),
    )
    assert found.skipped == ()
    assert found.remarks == ("topics were imported as notes: topics/rust.md",)


def test_odd_entries_of_a_tree(tree: Path) -> None:
    """A block that never ends is text, a date before 1970 is none, other files are named."""
    write(
        tree,
        {
            "notes/open.md": '<div id="meta">\n<dl>\ntext',
            "notes/old.md": NOTE.replace("2020", "1960"),
            "notes/bad.md": NOTE.replace("2020-01-01T00:00:00Z", "soon"),
            "notes/readme.txt": "x",
            "notes/sub/deep.md": "x",
            "notes/binary.md": bytes(range(256)) * 4,
            "archives/deploy.md": "Another of that name.",
        },
    )
    found = check(crabtalk.read(tree))
    by_name = {entry.name: entry for entry in found.entries}
    assert by_name["open"].content == '<div id="meta">\n<dl>\ntext'
    assert (by_name["old"].created_at, by_name["bad"].created_at) == ("", "")
    assert by_name["deploy (archive)"].content == "Another of that name."
    assert why(found) == {
        "notes/binary.md": "binary, not text",
        "notes/readme.txt": "not an entry of a dumped memory",
        "notes/sub/deep.md": "not an entry of a dumped memory",
    }


def test_a_folder_may_hold_all_of_it(tree: Path, tmp_path: Path) -> None:
    """Memory files of any name and trees come over together."""
    write(tmp_path / "home", {"data/any.name": FIXTURE})
    shutil.copytree(tree, tmp_path / "home" / "brain")
    found = check(crabtalk.read(tmp_path / "home"))
    assert [entry.name for entry in found.entries] == ["hi", "deploy", "talk-1", "rust"]


def test_folders_that_only_share_names_are_not_crabtalks(tmp_path: Path) -> None:
    """A folder of notes without the blocks is somebody else's."""
    write(tmp_path, {"notes/a.md": "x", "SUMMARY.md": "# Summary of the year\n"})
    assert detect(tmp_path) == []
