"""A dump is a folder that people can read, and loading it gives the entries back.

Where this differs from CrabTalk's code: ids go on after the store's last one (they are never used twice; in
an empty store they begin at 1, as there), topics are not read, a folder that holds other `notes` is
not cleared, and names that the disk takes for one are refused instead of written over each other.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from remora.core.errors import Conflict, InvalidInput, NotFound, RemoraError
from remora.core.values import Entry
from remora.entries.dump import dump, load
from remora.entries.store import EntryStore
from remora.entries.table import Add
from tests.entries.writes import T0, open_store, writes


@pytest.fixture
def store(tmp_path: Path) -> EntryStore:
    """Return a store with two notes and an archive."""
    store = open_store(tmp_path / "one" / "entries.mem")
    store.add_all([
        Add("zeta", "last\n", created_at="2020-01-01T00:00:00Z"),
        Add("deploy", "# How\n\nRun it.", aliases=("a<b", "x&y", "&lt;")),
        Add("cli-42-1", "They spoke of <div id=\"meta\">x</div>.", "archive"),
    ])  # fmt: skip
    return store


def files(folder: Path) -> list[str]:
    """Return the paths of all files below a folder."""
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def page(folder: Path, text: str, name: str = "x", kind: str = "notes") -> Entry:
    """Return the entry that a file of this text gives."""
    (folder / kind).mkdir(parents=True, exist_ok=True)
    (folder / kind / f"{name}.md").write_bytes(text.encode())
    store = open_store(folder / "entries.mem")
    assert load(store, folder) == 1
    return store.entries()[0]


def test_a_dump_is_a_tree_of_pages(store: EntryStore, tmp_path: Path) -> None:
    """Each entry is a page with its date and aliases before its content; SUMMARY.md lists them, sorted."""
    out = tmp_path / "out"
    assert dump(store, out) == 3
    assert files(out) == [
        "SUMMARY.md", "archives/cli-42-1.md", "book.toml", "notes/deploy.md", "notes/zeta.md",
    ]  # fmt: skip
    assert (out / "notes" / "deploy.md").read_text("utf-8") == (
        '<div id="meta">\n<dl>\n  <dt>Created</dt>\n'
        f'  <dd><time datetime="{T0}">{T0}</time></dd>\n'
        "  <dt>Aliases</dt>\n  <dd>\n    <ul>\n"
        "      <li>a&lt;b</li>\n      <li>x&amp;y</li>\n      <li>&amp;lt;</li>\n"
        "    </ul>\n  </dd>\n</dl>\n</div>\n\n# How\n\nRun it.\n"
    )
    assert (out / "notes" / "zeta.md").read_text("utf-8").endswith("</dl>\n</div>\n\nlast\n")
    assert (out / "SUMMARY.md").read_text("utf-8") == (
        "# Summary\n\n# Notes\n\n- [deploy](notes/deploy.md)\n- [zeta](notes/zeta.md)\n\n"
        "# Archives\n\n- [cli-42-1](archives/cli-42-1.md)\n"
    )
    assert (out / "book.toml").read_text("utf-8").startswith("[book]\n")


def test_load_gives_the_entries_back(store: EntryStore, tmp_path: Path) -> None:
    """Names, kinds, dates, aliases and contents survive; what else was stored goes, and no id comes again."""
    out = tmp_path / "out"
    dump(store, out)
    (out / "notes" / "deep").mkdir()
    for other in ("notes/plan.txt", "notes/deep/page.md", "SUMMARY.md"):
        (out / other).write_text("no page")
    store.add("extra", "")
    generation = writes(store)
    assert load(store, out) == 3
    assert store.entries() == [
        Entry(5, "zeta", "last", "note", (), "2020-01-01T00:00:00Z"),
        Entry(6, "cli-42-1", "They spoke of <div id=\"meta\">x</div>.", "archive", (), T0),
        Entry(7, "deploy", "# How\n\nRun it.", "note", ("a<b", "x&y", "&lt;"), T0),
    ]  # fmt: skip
    assert [e.name for e, _ in store.search("spoke")] == ["cli-42-1"]
    assert writes(store) == generation + 1
    empty = open_store(tmp_path / "two" / "entries.mem")
    assert (dump(empty, tmp_path / "none"), load(store, tmp_path / "none"), store.count()) == (0, 0, 0)


def test_a_second_dump_removes_what_is_gone(store: EntryStore, tmp_path: Path) -> None:
    """Pages without an entry vanish; other files, and a book.toml that is there, stay."""
    out = tmp_path / "out"
    dump(store, out)
    for name in ("book.toml", "README.md", "notes/plan.txt"):
        (out / name).write_text("mine")
    (out / "notes" / "orphan.md").write_text("nobody's")
    store.remove("zeta")
    store.rename("deploy", "deploy 2")
    dump(store, out)
    assert files(out) == [
        "README.md", "SUMMARY.md", "archives/cli-42-1.md", "book.toml", "notes/deploy 2.md", "notes/plan.txt",
    ]  # fmt: skip
    assert "(notes/deploy%202.md)" in (out / "SUMMARY.md").read_text("utf-8")
    assert (out / "book.toml").read_text() == "mine"
    assert load(store, out) == 2


@pytest.mark.parametrize("name", ["..", ".hidden", "end.", "a..b", "a/b", "a\\b", "日" * 100])
def test_a_name_that_is_no_file_name_is_refused_before_anything_is_written(
    store: EntryStore, tmp_path: Path, name: str
) -> None:
    """One such name and no file is written; the message names the entry."""
    store.add(name, "x")
    with pytest.raises(InvalidInput) as refused:
        dump(store, tmp_path / "out")
    assert repr(name) in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_a_folder_of_somebody_else_is_left_alone(store: EntryStore, tmp_path: Path) -> None:
    """A dump does not clean up among files that no dump made, nor replace another SUMMARY.md."""
    for name in ("notes/mine.md", "SUMMARY.md"):
        out = tmp_path / name[0]
        (out / name).parent.mkdir(parents=True)
        (out / name).write_text("# Shopping\n")
        with pytest.raises(Conflict):
            dump(store, out)
        assert files(out) == [name]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("\n  indented", "\n  indented"),
        ("\ufeffwith a mark", "with a mark"),
        ('<div id="meta">\n<dl> never closed', '<div id="meta">\n<dl> never closed'),
        ('<div id="meta"></div>\n\n  text  \n', "text"),
        ('<div id="meta"><dl></dl></div> one </div> two', "one </div> two"),
        ("", ""),
    ],
)
def test_a_page_without_a_sound_block_is_content(tmp_path: Path, text: str, content: str) -> None:
    """No block or an open one: all is content, trimmed at its end. The block ends at the first `</div>`."""
    assert page(tmp_path, text) == Entry(1, "x", content, "note", (), T0)


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
        ("2020-01-01T02:00:00+02:00", "2020-01-01T00:00:00Z"),
        ("1969-12-31T23:59:59Z", T0),
        ("soon", T0),
    ],
)
def test_the_date_of_a_page(tmp_path: Path, date: str, expected: str) -> None:
    """A date is read to the second; none, or one before 1970, is now."""
    text = f'<div id="meta"><dl><dt>Created</dt><dd><time datetime="{date}">x</time></dd></dl></div>\n\ny\n'
    assert page(tmp_path, text, kind="archives") == Entry(1, "x", "y", "archive", (), expected)


def test_a_load_that_fails_keeps_the_store(store: EntryStore, tmp_path: Path) -> None:
    """Every file is read and checked before anything changes: a name twice, bad bytes, no folder."""
    before = store.entries()

    def refused(kind: type[RemoraError], **pages: bytes) -> None:
        out = tmp_path / str(len(list(tmp_path.iterdir())))
        dump(store, out)
        for path, content in pages.items():
            target = out / path.replace("__", "/")
            target = target.with_name(target.name + ".md")
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
        with pytest.raises(kind) as error:
            load(store, out)
        assert error.value.hint
        assert store.entries() == before

    refused(Conflict, archives__deploy=b"the name of a note")
    refused(Conflict, notes__new=b'<div id="meta"><li>zeta</li></div>\n\nalias of another\n')
    refused(InvalidInput, notes__broken=b"\xff\xfe\x00")
    if sys.platform != "win32":
        refused(InvalidInput, **{"notes__a\nb": b"a name that cannot be one"})
    with pytest.raises(NotFound):
        load(store, tmp_path / "nowhere")
    assert store.entries() == before
