"""The benchmark of secrets makes files that hold what it says, and its counts tell a find from a miss."""

from __future__ import annotations

from benchmarks.leaky_files import KINDS, Leak, leaks
from benchmarks.secrets_found import lines_of, taken_in


def test_every_kind_is_made_and_says_where_its_secrets_are() -> None:
    """Each file of a kind differs, holds no mark any more, and every place lies in its text."""
    made = list(leaks(2))
    assert [leak.kind for leak in made[::2]] == [kind for kind, _ in KINDS]
    for leak in made:
        assert leak.secrets
        assert not {"\ue000", "\ue001"} & set(leak.text)
        assert all(0 <= start < end <= len(leak.text) for start, end in leak.secrets)
    assert len({leak.text for leak in made}) == len(made)
    assert [leak.text for leak in leaks(2)] == [leak.text for leak in made]


def test_a_line_counts_where_all_of_its_secret_is_taken() -> None:
    """A password beside its name is found, one that stands alone is not."""
    text = "password=hunter2\nhunter2\n"
    assert lines_of(Leak("made up", text, ((9, 16), (17, 24)))) == {0: True, 1: False}


def test_takes_are_told_with_their_place(tmp_path) -> None:
    """What is taken in a tree stands there with file, line and kind; files of other kinds are passed over."""
    (tmp_path / "a.py").write_text("x = 1\npassword = 'hunter2'\n")
    (tmp_path / "b.bin").write_text("password = 'hunter2'\n")
    files, takes = taken_in(tmp_path)
    assert files == 1
    assert [take.split(": ")[:2] for take in takes] == [["a.py:2", "password"]]
