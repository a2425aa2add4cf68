"""Paths with drives: one machine, three ways to write them."""

from __future__ import annotations

import pytest

from remora.core.paths import below, forward, has_drive
from tests.tables import table


@pytest.mark.parametrize("path", ["C:\\w", "c:/w", "C:", "/C:/w"])
def test_a_colon_names_a_drive(path: str):
    """Behind one letter, at the beginning."""
    assert has_drive(path)


@pytest.mark.parametrize(
    "path", ["", "/", "/c/w", "/mnt/c/w", "a\\b", "\\w", "ab:/w", "C:x", "https://a.org"]
)
def test_nothing_else_names_a_drive(path: str):
    """Such a path stays what it is."""
    assert not has_drive(path)
    assert forward(path) == path


@pytest.mark.parametrize(
    "path",
    ["C:/Users/me/app/a.py", "c:\\users\\ME\\app\\a.py", "/c/Users/me/app/a.py", "/mnt/c/Users/me/app/a.py"],
)
@pytest.mark.parametrize("folder", ["C:/Users/me/app", "C:/users/Me/App/"])
def test_a_drive_is_one_however_it_is_written(path: str, folder: str):
    """The names below keep their case."""
    assert below(path, folder) == "a.py"


@pytest.mark.parametrize(("path", "folder"), table(__file__, "drives"))
def test_another_folder_is_another(path: str, folder: str):
    """Another drive, no drive, a neighbour; and without a colon everything is compared as it is written."""
    assert below(path, folder) is None
