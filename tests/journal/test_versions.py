"""Earlier texts on a shelf: bounded, in order, nothing twice."""

from __future__ import annotations

import pytest

from remora.core.clock import from_iso
from remora.core.errors import StoreError
from remora.journal.versions import Shelf

NOW = from_iso("2026-02-27T14:30:00Z")


def shelf(tmp_path, limit=3):
    """Return an empty shelf of text files."""
    return Shelf(tmp_path / "kept", "a-", ".txt", limit)


def keep(kept, *moments):
    """Put the numbers 0, 1 and so on onto a shelf, each at its moment."""
    for number, at in enumerate(moments):
        kept.keep(str(number).encode(), at)


def texts(shelf):
    """Return what is on a shelf, oldest first."""
    return [kept.path.read_text() for kept in shelf.contents()]


def test_names_ascend_with_a_clock_that_stands_still_or_goes_back(tmp_path):
    """The order of keeping is the order of the names, whatever the clock says."""
    kept = shelf(tmp_path, 20)
    keep(kept, NOW, NOW, NOW - 3600, NOW + 1, NOW + 1)
    assert texts(kept) == ["0", "1", "2", "3", "4"]
    assert [one.name for one in kept.contents()] == [
        "a-2026-02-27T14-30-00.000Z.txt",
        "a-2026-02-27T14-30-00.001Z.txt",
        "a-2026-02-27T14-30-00.002Z.txt",
        "a-2026-02-27T14-30-01.000Z.txt",
        "a-2026-02-27T14-30-01.001Z.txt",
    ]


def test_the_newest_text_is_not_kept_again(tmp_path):
    """A text that is kept already as the newest is not kept twice; the oldest go first."""
    kept = shelf(tmp_path)
    first = kept.keep(b"one", NOW)
    assert kept.keep(b"one", NOW + 9) == first
    kept.keep(b"two", NOW + 10)
    assert texts(kept) == ["one", "two"]
    keep(kept, *range(int(NOW) + 12, int(NOW) + 17))
    assert texts(kept) == ["2", "3", "4"]


def test_other_files_are_left_alone(tmp_path):
    """What a person puts into the folder is neither listed nor removed."""
    kept = shelf(tmp_path, 1)
    kept.keep(b"one", NOW)
    mine = [tmp_path / "kept" / name for name in ("a-mine.txt", "b.txt", "a-2026.txt", ".hidden")]
    for path in mine:
        path.write_bytes(b"mine")
    kept.keep(b"two", NOW + 1)
    assert texts(kept) == ["two"]
    assert all(path.exists() for path in mine)


def test_nothing_is_removed_when_the_new_one_cannot_be_written(tmp_path):
    """A failed keep leaves what was there."""
    shelf(tmp_path, 1).keep(b"one", NOW)
    [there] = (tmp_path / "kept").iterdir()
    with pytest.raises(StoreError):
        Shelf(there, "", "", 1).keep(b"x", NOW)
    assert there.read_bytes() == b"one"
