"""Tests are known by their path, and the file that they are about by their name."""

from __future__ import annotations

import pytest

from remora.core.code import FileFacts, Outline, Uses
from remora.graph.test_files import file_under_test, is_test_path, stems_under_test
from tests.graph.projects import symbols_of
from tests.tables import table


@pytest.mark.parametrize(("path", "expected"), table(__file__, "test_paths"))
def test_is_test_path(path: str, expected: str) -> None:
    """Names and folders of tests count, words that only contain "test" do not."""
    assert is_test_path(path) is (expected == "yes")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("test_core.py", ("core", "_core")),
        ("core_test.py", ("core", "_core")),
        ("x.test.tsx", ("x",)),
        ("TestFoo.java", ("Foo",)),
        ("FooIT.java", ("Foo",)),
        ("user_spec.rb", ("user",)),
    ],
)
def test_the_stem_of_the_file_under_test(path: str, expected: tuple[str, ...]) -> None:
    """What is left of a test's name without its sign names the tested file."""
    assert stems_under_test(path) == expected


@pytest.mark.parametrize(("path", "files", "expected"), table(__file__, "under_test"))
def test_the_file_under_test(path: str, files: str, expected: str) -> None:
    """The nearest file of the name is tested; a tie gives none."""
    symbols = symbols_of({name: FileFacts(Outline("python"), Uses(), 1) for name in [*files.split(), path]})
    assert file_under_test(path, symbols) == expected
