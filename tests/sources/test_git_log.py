"""The parser of git's listing."""

from __future__ import annotations

from remora.sources.git_log import FileChange, parse_log, text
from remora.sources.git_process import TOKEN_BYTES, _split


def test_commits_without_files_follow_each_other():
    """An empty commit ends where the next begins."""
    one = [b"\x01a1", b"", b"0", b"A", b"one\n"]
    first, second = parse_log([*one, b"\x01b2", b"a1", b"60", b"B", b"two\n\nbody", b"\nM", b"x.py"])
    assert (first.sha, first.files, second.parents) == ("a1", (), ("a1",))
    assert (second.body, second.files) == ("body", (FileChange("M", "x.py"),))


def test_the_first_line_of_a_body_keeps_its_indent():
    """It tells output and code from text; empty lines around a body go."""
    (only,) = parse_log([b"\x01a1", b"", b"0", b"A", b"one\n\n  \n    warning: b\n\nwhy\n\n"])
    assert (only.subject, only.body) == ("one", "    warning: b\n\nwhy")


def test_output_that_was_cut_off_is_no_crash():
    """A process that died leaves half a commit, which is still a commit."""
    (only,) = parse_log([b"\x01a1", b"", b"x"])
    assert (only.date, only.author, only.subject) == ("1970-01-01T00:00:00.000Z", "", "")
    assert list(parse_log([])) == []
    assert list(parse_log([b"M", b"stray.py"])) == []


def test_bytes_that_are_no_text_are_replaced():
    """Text from git can always be stored."""
    assert text(b"caf\xe9").encode() == "caf\ufffd".encode()


def test_a_huge_word_is_cut_and_the_next_is_whole():
    """Memory stays bounded whatever a commit message holds."""

    class Stream:
        def __init__(self) -> None:
            self.chunks = [b"a" * 65536] * 40 + [b"a\0next\0"]

        def read(self, _size: int) -> bytes:
            return self.chunks.pop(0) if self.chunks else b""

    first, second = _split(Stream())  # type: ignore[arg-type]
    assert TOKEN_BYTES <= len(first) <= TOKEN_BYTES + 65536
    assert second == b"next"
