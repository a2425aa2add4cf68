"""One file becomes what is stored of it, or the reason why nothing is."""

from __future__ import annotations

import time

import pytest
import tree_sitter

from remora.core.code import Listed, hash_of
from remora.graph.file_reader import FileReader, Refused


def reader(files: dict[str, bytes]) -> FileReader:
    """Return a reader of files in memory."""
    return FileReader(
        lambda path: files.get(path, "gone"),
        lambda data: data.decode("utf-8", "replace"),
        lambda _, data: "generated" if b"@generated" in data else "",
        lambda path: path.rpartition("/")[0] or ".",
    )


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("a.py", None, Refused("gone", again=True)),
        ("a.py", b"# @generated", Refused("generated", hash=hash_of(b"# @generated"))),
        ("a.strange", b"?", Refused("unknown kind", hash=hash_of(b"?"))),
    ],
)
def test_what_is_not_read_says_why(path: str, data: bytes | None, expected: Refused):
    """What cannot be had may be had another time; what the bytes say stays until they change."""
    files = {} if data is None else {path: data}
    assert reader(files).parse(Listed(path, 1, 2)) == expected


def test_a_file_is_parsed_once(monkeypatch: pytest.MonkeyPatch):
    """Where a long body may be cut is read from the tree that its names were read from."""
    made: list[tree_sitter.Language] = []
    parser = tree_sitter.Parser

    def counted(language: tree_sitter.Language) -> tree_sitter.Parser:
        made.append(language)
        return parser(language)

    monkeypatch.setattr(tree_sitter, "Parser", counted)
    body = "".join(f"    a{number}()\n" for number in range(150))
    found = reader({"a.py": f"def f():\n{body}".encode()}).parse(Listed("a.py", 3, 4))
    assert not isinstance(found, Refused)
    assert [(part.name, part.start_line, part.end_line) for part in found.parts] == [
        ("f", 1, 100),
        ("f", 101, 151),
    ]
    assert len(made) == 1


def test_a_file_whose_reading_fails_is_refused_with_the_error():
    """Whatever is raised becomes the reason why this one file is left out."""

    def failing(path: str) -> bytes | str:
        raise RecursionError("too deep")

    files = FileReader(failing, lambda data: "", lambda _path, _data: "", lambda path: ".")
    assert files.parse(Listed("a.py", 1, 2)) == Refused("could not be read: RecursionError: too deep")


def test_a_file_that_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch):
    """It is named with the reason, and the files before and behind it are read."""

    class Processor:
        spent = 0.0

    monkeypatch.setattr(time, "thread_time", lambda: Processor.spent)

    def read(path: str) -> bytes:
        Processor.spent += 20.0 if path == "slow.py" else 0.1
        return b"def f():\n    pass\n"

    files = FileReader(read, bytes.decode, lambda *_: "", lambda _: ".")
    a, slow, b = (files.parse(Listed(path, 1, 2)) for path in ("a.py", "slow.py", "b.py"))
    assert isinstance(slow, Refused)
    assert slow.why.endswith("took more than 10 s to read")
    assert not isinstance(a, Refused)
    assert not isinstance(b, Refused)
